"""Hand strength: evaluator, showdowns, equities, all-in situations."""
