"""Numbers from numbers: confidence intervals, corrections, win points. Plays nothing and reads nothing."""
