"""One game played again: its events, what follows from them, and its states in text. Decides no row."""
