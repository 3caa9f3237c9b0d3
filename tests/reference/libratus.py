"""The four endgames that Libratus solved against professionals, in the format of Sandholm's lab.

A file has the lines ``-round`` (3 turn, 4 river), ``-board``, ``-pot`` and ``-reach``. The reach is 2 x 1326
probabilities, beginning with the player who acts first; hands have the order 2s2h, 2s2d, 2s2c, 2s3s, ..., AdAc.

The data is not part of this repository. ``HEDGEHOG_LIBRATUS_ENDGAMES`` names the folder of
``subgame1.txt`` to ``subgame4.txt``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import combo_index, parse_cards
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import TreeConfig, build_postflop_tree
from tests.reference.small_games import same_sizes

FOLDER = os.environ.get("HEDGEHOG_LIBRATUS_ENDGAMES", "")
STACK = 20_000
"""Chips of each player at the start of the hand; blinds 50 and 100."""
_THEIR_CARDS = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"]


@dataclass(frozen=True)
class Endgame:
    """One endgame of a file: board, pot and both ranges."""

    board: tuple[int, ...]
    pot: int
    ranges: tuple[NDArray[np.float32], NDArray[np.float32]]

    def solver(self, *sizes: str) -> PostflopSolver:
        """Returns a solver with the given sizes for both players, one text per street."""
        config = TreeConfig(len(self.board) - 2, self.pot, STACK - self.pot // 2, same_sizes(*sizes))
        return PostflopSolver(prepare_tree(build_postflop_tree(config), self.board, self.ranges))


def read_endgame(number: int) -> Endgame:
    """Returns the endgame with a number from 1 to 4."""
    lines = (Path(FOLDER) / f"subgame{number}.txt").read_text().split("\n")
    entries = dict(line.removeprefix("-").split(" ", 1) for line in lines if line)
    reach = np.array(entries["reach"].split(), dtype=np.float64).reshape(2, 1326)
    ids = [parse_cards(card)[0] for card in _THEIR_CARDS]
    order = [combo_index(*sorted((ids[i], ids[j]))) for i in range(52) for j in range(i + 1, 52)]
    ranges = np.zeros((2, 1326), dtype=np.float32)
    ranges[:, order] = reach
    board = tuple(parse_cards(entries["board"]))
    assert len(board) == int(entries["round"]) + 1
    return Endgame(board, int(entries["pot"]), (ranges[0], ranges[1]))
