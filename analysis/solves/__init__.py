"""Looks at solves: convergence of algorithms, simulation with real cards, pages of single nodes."""
