"""Results of tournaments: scores, rankings, reports."""
