"""The streets of hold'em: their numbers and names, and how many cards lie on the board.

Kernels compile these numbers in, so this file is part of the key of their cache (:mod:`runtime.jit`).
"""

from __future__ import annotations

from typing import Final

PREFLOP: Final = 0
FLOP: Final = 1
TURN: Final = 2
RIVER: Final = 3
STREETS: Final = ("preflop", "flop", "turn", "river")
"""Name of every street."""
BOARD_CARDS: Final = (0, 3, 4, 5)
"""Cards on the board on every street."""
FLOP_COMBOS: Final = 1176
"""Combos of two hole cards that miss a flop of three cards."""
