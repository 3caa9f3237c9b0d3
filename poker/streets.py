"""The streets of hold'em: their numbers and names, and how many cards lie on the board.

Kernels compile these numbers in, so this file is part of the key of their cache (:mod:`hedgehog.runtime.jit`).
"""

from __future__ import annotations

from typing import Final

PREFLOP: Final = 0
FLOP: Final = 1
TURN: Final = 2
RIVER: Final = 3
STREETS: Final = ("preflop", "flop", "turn", "river")
"""Names of the streets, by street number."""
BOARD_CARDS: Final = (0, 3, 4, 5)
"""Number of board cards on the table, by street number."""
FLOP_COMBOS: Final = 1176
"""Number of combos that share no card with a flop: C(49, 2)."""
