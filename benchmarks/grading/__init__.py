"""Benchmarks of grading and judging: how fine, how sure and how fast."""
