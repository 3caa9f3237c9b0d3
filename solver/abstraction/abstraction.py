"""Hand abstractions by name, and the groups that they make of a spot's hands on every board.

A name is a measure and an identity test, such as ``strength-river`` (:mod:`hedgehog.solver.abstraction.hand_values`,
:mod:`hedgehog.solver.abstraction.identity`), ``kmeans``, which clusters hands of similar equity on the river, or that
of an abstraction of another package (entry points ``hedgehog.abstractions``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import combo_mask
from hedgehog.poker.streets import FLOP, RIVER, TURN
from hedgehog.runtime.errors import SpotError
from hedgehog.runtime.extending.user_code import user_code_error
from hedgehog.solver.abstraction.board_classes import BoardClasses, Boards, exact_classes
from hedgehog.solver.abstraction.clusters import cluster_hands, number_groups
from hedgehog.solver.abstraction.hand_values import HandValues, Opponents, hand_values
from hedgehog.solver.abstraction.identity import Groups, group_hands
from hedgehog.solver.postflop.prepared import PreparedSpot
from hedgehog.solver.postflop.spot import ABSTRACTIONS, Identity, verify_abstraction

KMEANS: Final = "kmeans"
"""Name of the abstraction that clusters hands by equity, into as many groups as ``rank-river`` has on each board."""
_MODEL: Final = "rank-river"
Grouping = Callable[[HandValues, Sequence[Boards]], NDArray[np.integer[Any]]]
"""Puts the hands of a player into groups at one node of a street, from their values on the boards to come.

It gets the values of the hands and the completed boards of the node, on the flop in classes of turn cards, and returns
integers[hands]: hands with the same number share a strategy. The numbers of hands that miss no board do not matter. The
same input must always give the same groups.
"""


def parse_abstraction(name: str) -> Identity | Grouping:
    """Returns the abstraction of a name such as ``strength-river``.

    :raises SpotError: if there is none, and then the message lists the choices, or it cannot be used.
    """
    verify_abstraction(name)
    return ABSTRACTIONS[name]


@dataclass(frozen=True, slots=True)
class StreetGroups:
    """The groups of one player's hands on the boards of one street."""

    number_of: NDArray[np.int32]
    """(boards, hands): group of every hand from 0 on, -1 for hands that the board blocks."""
    count: NDArray[np.int64]
    """(boards,): number of groups."""

    def alone(self) -> float:
        """Returns the share of the hands that miss the board and share their group with no other hand."""
        single = live = 0
        for numbers in self.number_of:
            sizes = np.bincount(numbers[numbers >= 0])
            single += int(np.count_nonzero(sizes == 1))
            live += int(sizes.sum())
        return single / live


@dataclass(frozen=True, slots=True)
class SpotGroups:
    """The groups of both players' hands on every board that a solve deals."""

    name: str
    """Name of the abstraction."""
    players: tuple[tuple[StreetGroups, ...], tuple[StreetGroups, ...]]
    """Per player one entry per street from the root's on."""

    def equals(self, other: SpotGroups) -> bool:
        """Returns whether both make the same groups, whatever their names."""
        pairs = zip([*self.players[0], *self.players[1]], [*other.players[0], *other.players[1]], strict=True)
        return all(np.array_equal(mine.number_of, theirs.number_of) for mine, theirs in pairs)


class SpotValues:
    """The values of both players' hands on all boards below a spot's board, from which groups are made.

    :param spot: a spot without merged cards and without locks.
    :param opponents: which hands a hand meets.
    :raises SpotError: if the spot has merged cards or locks.
    """

    def __init__(self, spot: PreparedSpot, opponents: Opponents = "range") -> None:
        if spot.cards.merged:
            raise SpotError("groups are made of hands that are not merged")
        if spot.locks:
            raise SpotError("locked strategies are for single hands: expected a spot without locks for groups of hands")
        self.spot = spot
        self.classes: BoardClasses = exact_classes(spot.runouts)
        mask = combo_mask(spot.board)
        met = [mask if opponents == "uniform" else spot.ranges[player] > 0 for player in (0, 1)]
        first = hand_values(spot.board, spot.combos[0], met[0], met[1])
        same = np.array_equal(met[0], met[1]) and np.array_equal(spot.combos[0], spot.combos[1])
        self.values: tuple[HandValues, HandValues] = (
            first,
            first if same else hand_values(spot.board, spot.combos[1], met[1], met[0]),
        )

    def group(self, name: str) -> SpotGroups:
        """Returns the groups of an abstraction on every board.

        :raises SpotError: if there is no abstraction of this name, or one of another package fails.
        """
        if name == KMEANS:
            model = self.group(_MODEL)
            return SpotGroups(name, (self._clusters(0, model), self._clusters(1, model)))
        first = self._streets(0, name)
        return SpotGroups(name, (first, first if self.values[0] is self.values[1] else self._streets(1, name)))

    def _boards(self) -> list[list[Sequence[Boards]]]:
        """Returns per street and node the boards that its groups look at, in classes."""
        found: list[list[Sequence[Boards]]] = []
        for street in range(self.spot.street, RIVER + 1):
            if street == FLOP:
                found.append([self.classes.flop])
            else:
                found.append([[boards] for boards in (self.classes.turn if street == TURN else self.classes.river)])
        return found

    def _streets(self, player: int, name: str) -> tuple[StreetGroups, ...]:
        values, chosen = self.values[player], parse_abstraction(name)
        return tuple(_stack([_group(name, chosen, values, boards) for boards in nodes]) for nodes in self._boards())

    def _clusters(self, player: int, model: SpotGroups) -> tuple[StreetGroups, ...]:
        values = self.values[player]
        found = []
        for nodes, like in zip(self._boards(), model.players[player], strict=True):
            clustered = [
                cluster_hands(values, boards, int(count)) for boards, count in zip(nodes, like.count, strict=True)
            ]
            found.append(_stack(clustered))
        return tuple(found)


def _group(name: str, chosen: Identity | Grouping, values: HandValues, boards: Sequence[Boards]) -> Groups:
    """Returns the groups of hands at a node, checked if the abstraction is somebody else's."""
    if isinstance(chosen, Identity):
        return group_hands(values, boards, chosen.measure, chosen.test)
    what = f"abstraction {name!r} of {ABSTRACTIONS.owner(name)}"
    try:
        labels = np.asarray(chosen(values, boards))
    except Exception as error:
        failed = user_code_error(f"{what} failed", error, None)
        raise SpotError(failed.message, source=failed.source, line=failed.line) from error
    hands = len(values.hands)
    if labels.shape != (hands,) or not np.issubdtype(labels.dtype, np.integer):
        raise SpotError(f"{what}: expected {hands} integers, one for each hand, got {labels.dtype}{labels.shape}")
    live = (values.strength[np.concatenate([values.rows(some) for some in boards])] >= 0).any(axis=0)
    return number_groups(labels[live], live)


def _stack(groups: Sequence[Groups]) -> StreetGroups:
    return StreetGroups(
        np.stack([one.number_of for one in groups]), np.array([one.num_groups for one in groups], dtype=np.int64)
    )
