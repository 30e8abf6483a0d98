"""What is accepted and what is not: thresholds, verdicts, ranking, and findings as sentences."""
