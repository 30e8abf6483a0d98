"""What the rows of runs add up to: the sums behind every metric. Plays nothing and judges nothing."""
