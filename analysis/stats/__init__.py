"""Statistics over groups of hands: estimates, anytime intervals, luck, match reports, frequencies."""
