"""What plays games to answer a question: check, compare, price, contested, suggest, ladder."""
