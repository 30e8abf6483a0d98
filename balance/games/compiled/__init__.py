"""What every compiled game needs: the compiler's settings, sets of seats, randomness, and the log of a game.

Knows no game. A game's own compiled functions are in its folder `kernel`.
"""
