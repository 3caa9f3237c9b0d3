"""Rules and vocabulary of poker: cards, hand ranks, ranges, game definitions, betting, ACPC text formats."""
