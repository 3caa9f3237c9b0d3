"""Strategies for one spot against each other: exact EVs by seat, where they are won, and the same hands played."""
