"""The players of Nefarious: their names, the parameters by which they weigh options, and the files of those.

How they decide is in `kernel`.
"""
