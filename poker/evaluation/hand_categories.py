"""The nine categories of five-card poker hands."""

from __future__ import annotations

from typing import Final

CATEGORIES: Final = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
"""Names of the hand categories, weakest first."""
