"""Values of a player's hands on all completed boards below a flop, turn or river."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, NUM_COMBOS
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.solver.abstraction import _value_kernels as kernels

Measure = Literal["rank", "strength", "opp"]
"""What a hand is worth on a completed board.

``rank`` is its rank. ``strength`` is the number of opponents that it beats and ties. ``opp`` is ``strength`` with the
multiset of the strengths of these opponents.
"""
MEASURES: Final[tuple[Measure, ...]] = ("rank", "strength", "opp")
Opponents = Literal["range", "uniform"]
"""Which hands a hand meets: those of the other player's range, or all hands. Each counts once, whatever its weight."""


@dataclass(frozen=True, slots=True)
class HandValues:
    """Values of some hands on completed boards."""

    hands: NDArray[np.int64]
    """(hands,) combos."""
    mixed: dict[Measure, NDArray[np.uint64]]
    """Per measure (boards, hands): a number that is equal for equal values, 0 where the hand is blocked."""
    strength: NDArray[np.int32]
    """(boards, hands): 2 * wins + ties, -1 where the hand is blocked."""
    row_of: NDArray[np.int64]
    """(52, 52): the row of the board with this turn and this river, in either order; -1 if there is none."""

    def rows(self, boards: Iterable[tuple[int, int]]) -> NDArray[np.int64]:
        """Returns the rows of boards that are given by turn and river card."""
        pairs = np.array(list(boards), dtype=np.int64).reshape(-1, 2)
        return self.row_of[pairs[:, 0], pairs[:, 1]]


def hand_values(
    board: Sequence[int],
    hands: NDArray[np.int64],
    own: NDArray[np.bool_],
    met: NDArray[np.bool_],
) -> HandValues:
    """Returns the values of a player's hands on all completions of a board.

    :param board: three to five card ids.
    :param hands: the combos whose values are wanted; they must miss the board.
    :param own: bool[1326], the combos that the opponent may meet.
    :param met: bool[1326], the combos that the player may meet.
    """
    known = list(board)
    left = [card for card in range(NUM_CARDS) if card not in known]
    if len(known) == 3:
        pairs = [(turn, river) for i, turn in enumerate(left) for river in left[i + 1 :]]
    elif len(known) == 4:
        pairs = [(known[3], river) for river in left]
    else:
        pairs = [(known[3], known[4])]
    row_of = np.full((NUM_CARDS, NUM_CARDS), -1, dtype=np.int64)
    for row, (turn, river) in enumerate(pairs):
        row_of[turn, river] = row_of[river, turn] = row
    boards = np.array([(*known[:3], *pair) for pair in pairs], dtype=np.uint8)
    shape = len(boards), len(hands)
    rank, strength, opp = (np.zeros(shape, dtype=np.uint64) for _ in MEASURES)
    raw = np.empty(shape, dtype=np.int32)
    if own.shape != (NUM_COMBOS,) or met.shape != (NUM_COMBOS,):
        raise ValueError(f"expected {NUM_COMBOS} flags per player, got {own.shape} and {met.shape}")
    kernels.board_values_kernel(
        rank, strength, opp, raw, boards, own, met, hands.astype(np.int64), COMBO_CARDS, evaluator_tables()
    )
    return HandValues(hands, {"rank": rank, "strength": strength, "opp": opp}, raw, row_of)
