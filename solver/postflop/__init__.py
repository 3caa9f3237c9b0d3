"""Exact solving of a flop, turn or river: spots, betting trees, run-outs, locks, solutions, queries."""
