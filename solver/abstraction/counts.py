"""How many groups the identity tests make below a board, and the sizes of a game that follow from the counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import combo_mask, parse_cards
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.abstraction.board_classes import BoardClasses, Boards, ClassRule, exact_classes, relaxed_classes
from hedgehog.solver.abstraction.hand_values import MEASURES, HandValues, Measure, Opponents, hand_values
from hedgehog.solver.abstraction.identity import TESTS, Test, group_hands
from hedgehog.solver.postflop.chance import Range, build_runouts

R7: Final = ("Th6s3c", "QhJs5c", "Ks9d4c", "QhJh2c", "QsTh7h", "9c7c4d", "9c7c9h")
"""A sample of seven flops whose means are those of the seven unnamed flops of Voelkel's thesis."""

Tick = Callable[[], None]


class Spread(NamedTuple):
    """The numbers of groups on the nodes of one street."""

    mean: float
    least: int
    most: int
    nodes: int

    @property
    def total(self) -> int:
        """Sum of the groups of all nodes."""
        return round(self.mean * self.nodes)


@dataclass(frozen=True, slots=True)
class MeasureCounts:
    """The numbers of groups that one measure makes."""

    flop: dict[Test, int]
    """Per identity test; empty if the board is not a flop."""
    turn: dict[Test, Spread]
    """Per identity test, ``hier`` being ``global`` there; empty if the board is a river."""
    river: Spread


@dataclass(frozen=True, slots=True)
class GroupCounts:
    """The numbers of groups of one player's hands below a board."""

    board: tuple[int, ...]
    hands: int
    """Number of hands that are grouped."""
    turn_classes: int
    """Number of turn nodes."""
    river_classes: int
    """Number of river nodes."""
    measures: dict[Measure, MeasureCounts]


def count_groups(
    board: Sequence[int],
    ranges: tuple[Range, Range] | None = None,
    *,
    player: int = 0,
    opponents: Opponents = "range",
    classes: ClassRule = "exact",
    measures: Sequence[Measure] = MEASURES,
    tick: Tick | None = None,
) -> GroupCounts:
    """Returns how many groups each measure and identity test make of a player's hands.

    :param board: three to five card ids; three for the relaxed classes.
    :param ranges: float32[1326] weights of OOP and IP; None stands for all hands.
    :param player: whose hands are grouped.
    :param opponents: which hands a hand meets.
    :param classes: which next cards count as equal.
    :param tick: called after each measure.
    :raises SpotError: if the relaxed classes are asked for below a turn or river.
    """
    mask = combo_mask(board)
    held = [mask if ranges is None else mask & (ranges[side] > 0) for side in (0, 1)]
    met = [mask if opponents == "uniform" else held[side] for side in (0, 1)]
    if classes == "relaxed":
        if len(board) != 3:
            raise SpotError("the relaxed board classes are defined below a flop: expected a board of three cards")
        boards = relaxed_classes(board)
    else:
        weights = tuple(side.astype(np.float32) for side in held) if ranges is None else ranges
        boards = exact_classes(build_runouts(board, weights))
    values = hand_values(board, np.flatnonzero(held[player]), met[player], met[1 - player])
    found = {}
    for measure in measures:
        found[measure] = _count(values, boards, measure)
        if tick is not None:
            tick()
    return GroupCounts(tuple(board), int(held[player].sum()), len(boards.turn) or 1, len(boards.river), found)


def _count(values: HandValues, boards: BoardClasses, measure: Measure) -> MeasureCounts:
    flop: dict[Test, int] = {}
    if boards.flop:
        flop = {test: group_hands(values, boards.flop, measure, test).num_groups for test in TESTS}
    turn: dict[Test, Spread] = {}
    if boards.turn:
        turn = {test: _spread(values, boards.turn, measure, test) for test in ("river", "global")}
        turn["hier"] = turn["global"]
    return MeasureCounts(flop, turn, _spread(values, boards.river, measure, "river"))


def _spread(values: HandValues, nodes: Sequence[Boards], measure: Measure, test: Test) -> Spread:
    counts = np.array([group_hands(values, [boards], measure, test).num_groups for boards in nodes])
    return Spread(float(counts.mean()), int(counts.min()), int(counts.max()), len(counts))


class GameSize(NamedTuple):
    """The size of the thesis's public tree with groups of hands."""

    infosets: float
    actions: float
    states: float


# Decisions, actions and nodes of one entry to flop, turn and river in the thesis's betting tree.
_DECISIONS: Final = (20, 132, 564)
_ACTIONS: Final = (56, 360, 1464)
# Means of the thesis's tree over its seven flops in its board classes: nodes per street, leaves, decisions, actions.
_NODES: Final = (57, 107_379 / 7, 10_706_319 / 7)
_LEAVES: Final = 6_788_899 / 7
_ALL_DECISIONS: Final = 4_008_548 / 7
_ALL_ACTIONS: Final = 10_410_248 / 7


def thesis_size(flop: float, turn: float, river: float) -> GameSize:
    """Returns the size that the thesis prints for mean numbers of groups on flop, turn and river (its table 5).

    The formula is kept to reproduce the table. It puts all leaves on the river and squares means;
    :func:`game_size` counts correctly.
    """
    nodes = _NODES
    infosets = nodes[0] * flop + nodes[1] * turn + (nodes[2] - _LEAVES) * river
    states = nodes[0] * flop**2 + nodes[1] * turn**2 + nodes[2] * river**2
    return GameSize(infosets, infosets * _ALL_ACTIONS / _ALL_DECISIONS, states)


def game_size(counts: GroupCounts, measure: Measure, test: Test) -> GameSize:
    """Returns the number of infosets and actions of the thesis's betting tree on one flop; its states are not counted.

    An infoset is a decision with a group of hands.
    """
    found = counts.measures[measure]
    totals = (found.flop[test], found.turn[test].total, found.river.total)
    return GameSize(
        float(sum(number * groups for number, groups in zip(_DECISIONS, totals, strict=True))),
        float(sum(number * groups for number, groups in zip(_ACTIONS, totals, strict=True))),
        float("nan"),
    )


class SampleMeans(NamedTuple):
    """Means over the flops of a sample: numbers of groups and sizes."""

    flop: float
    turn: float
    river: float
    thesis: GameSize
    size: GameSize


def sample_means(
    sample: Sequence[GroupCounts], measure: Measure, test: Test, weights: Sequence[float] | None = None
) -> SampleMeans:
    """Returns the means over a sample of flops.

    :param weights: weight of each flop; None: each counts once.
    """

    def mean(numbers: Sequence[float]) -> float:
        return float(np.average(numbers, weights=weights))

    groups = (
        mean([counts.measures[measure].flop[test] for counts in sample]),
        mean([counts.measures[measure].turn[test].mean for counts in sample]),
        mean([counts.measures[measure].river.mean for counts in sample]),
    )
    each = np.array([game_size(counts, measure, test) for counts in sample])
    sizes: NDArray[np.float64] = np.average(each, axis=0, weights=weights)
    return SampleMeans(*groups, thesis_size(*groups), GameSize(*sizes.tolist()))


def count_sample(
    flops: Sequence[str] = R7,
    *,
    opponents: Opponents = "uniform",
    classes: ClassRule = "relaxed",
    measures: Sequence[Measure] = MEASURES,
    tick: Tick | None = None,
) -> list[GroupCounts]:
    """Returns the numbers of groups of all hands on some flops.

    :param tick: called after each measure of each flop.
    """
    return [
        count_groups(parse_cards(flop), opponents=opponents, classes=classes, measures=measures, tick=tick)
        for flop in flops
    ]
