"""Solves a spot whose players see the class of the river card only, by the relaxed rule of board classes.

All members of a class share one strategy for each hand, while every card is dealt: the regrets of a hand are those of
all members together. This is the best that can be done with such classes, and what it loses in the real game is what
the classes lose (:mod:`hedgehog.solver.abstraction.board_classes`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.streets import RIVER
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.abstraction.board_classes import relaxed_rivers
from hedgehog.solver.cfr.algorithms import Algorithm
from hedgehog.solver.postflop.chance import measure_streets
from hedgehog.solver.postflop.prepared import PreparedSpot
from hedgehog.solver.postflop.solver import PostflopSolver

_UNFIT = ("greedy", "simultaneous", "return_new", "floor", "predict")


def verify_pooled_algorithm(algorithm: Algorithm) -> None:
    """Checks that the regrets of several boards can be added up after each update.

    They can if an update discounts the old regrets and then adds to them, and nothing else.

    :raises SpotError: if they cannot.
    """
    if algorithm.samples_cards or algorithm["average"] == "new" or any(algorithm[key] for key in _UNFIT):
        raise SpotError(
            f"algorithm {str(algorithm)!r} does not work on classes of boards: expected dcfr, linear or cfr"
        )


class RiverClasses:
    """The classes of river cards that both players confuse.

    :param spot: a spot with suit isomorphism and without merged cards.
    """

    def __init__(self, spot: PreparedSpot) -> None:
        self.spot = spot.with_every_river if spot.street < RIVER else spot
        """The spot to be solved, whose rivers are all dealt."""
        self.classes: Sequence[NDArray[np.intp]] = []
        """Arrays (classes, members) of boards on the river that players confuse."""
        self.num_rivers = self.spot.runouts.num_rivers
        """Number of classes of rivers, those that lose nothing and single boards included."""
        if spot.street < RIVER:
            self.classes, self.num_rivers = relaxed_rivers(self.spot.runouts, spot.runouts)

    def elements(self) -> tuple[int, int]:
        """Returns the infosets, and the actions at all of them, if each class is stored once."""
        runouts, hands = self.spot.runouts, [len(hands) for hands in self.spot.game.hands]
        boards = [runouts.boards_on(street) for street in (1, 2)]
        sizes = measure_streets(self.spot.tree, [*boards, self.num_rivers], hands)
        return sum(one.infosets for one in sizes), sum(one.actions for one in sizes)

    def pool(self, solver: PostflopSolver) -> None:
        """Lets the members of a class have equal strategies in all later iterations of a solver of the spot.

        :raises SpotError: as :func:`verify_pooled_algorithm`.
        """
        verify_pooled_algorithm(solver.algorithm)
        state = solver.state()
        regrets = [self._river_rows(state[name], player) for player, name in enumerate(("regret_oop", "regret_ip"))]
        solver.after_update(lambda player: self._average(regrets[player]))

    def _river_rows(self, stored: NDArray[np.float32], player: int) -> NDArray[np.float32]:
        """Returns a view of a player's numbers on the river, shape (boards, numbers of a board)."""
        level = len(self.spot.game.levels) - 1
        return stored[self.spot.layout.bases[level][player] :].reshape(self.spot.game.num_boards(level), -1)

    def _average(self, rows: NDArray[np.float32]) -> None:
        """Puts the mean regrets of every class in the place of those of its members.

        A strategy depends on the ratios of regrets, so the mean stands for the sum.
        """
        for boards in self.classes:
            mean = rows[boards[:, 0]]
            for place in range(1, boards.shape[1]):
                mean += rows[boards[:, place]]
            mean /= np.float32(boards.shape[1])
            for place in range(boards.shape[1]):
                rows[boards[:, place]] = mean
