"""The reference engine: the rules page played in plain Python, to hold the compiled engine against."""
