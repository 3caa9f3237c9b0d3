"""One pass over hands that collects everything a hand study reports."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.study.batches import HandBatch, Texts
from hedgehog.analysis.study.hand_tables import coverage_table, sizes_table, statistics_table
from hedgehog.analysis.study.menus import MENU_KEYS, MenuRule, StudyMenu, make_menu
from hedgehog.analysis.study.situations import Situations
from hedgehog.analysis.study.sizes import (
    ALL_IN,
    KINDS,
    RATIOS,
    ROLES,
    BetSpot,
    SizeStatistics,
    SpotHistograms,
    raises_of,
    size_token,
)
from hedgehog.analysis.study.translation import BetMenu, MenuDistance, RaiseSample
from hedgehog.analysis.study.trees.betting_tree import StudyTree
from hedgehog.analysis.study.trees.kinds import Coverage, count_tree, published_trees
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.display.axes import open_axes
from hedgehog.runtime.display.html import MOST_ROWS
from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIRST_FLOP_BETS: Final = (BetSpot(1, 0, 0), BetSpot(1, 0, 1))


@dataclass(frozen=True, slots=True)
class ActorFilter:
    """Chooses the players whose bets a study counts, by name."""

    only: frozenset[str] = frozenset()
    """Names of the players whose bets are counted; empty: all."""
    without: frozenset[str] = frozenset()
    """Names of the players whose bets are not counted."""

    def counted(self, players: Texts) -> NDArray[np.bool_]:
        """Returns bool[P]: whether the bets of each player are counted."""
        return np.array(
            [(not self.only or name in self.only) and name not in self.without for name in players.texts], np.bool_
        )

    def select(self, batch: HandBatch, players: Texts) -> tuple[HandBatch, NDArray[np.bool_]]:
        """Returns the hands with a counted player, and bool[M]: whether each of their actions is counted."""
        known = self.counted(players)
        chosen = batch.select(known[batch.hands["player_bb"]] | known[batch.hands["player_sb"]])
        return chosen, known[chosen.actor()]

    def verify(self, players: Texts) -> None:
        """Checks that every name is the name of a player.

        :raises InputError: if a name is not; the message names some who are.
        """
        for name in sorted(self.only | self.without):
            if players.find(name) is None:
                known = ", ".join(sorted(players.texts)[:20])
                raise InputError(f"no player {name!r} in these hands: expected {known or 'hands with players'}")


@dataclass(slots=True, repr=False)
class HandStudy(Shown):
    """Everything that is collected. Only hands with a counted player count."""

    actors: ActorFilter = field(default_factory=ActorFilter)
    coverage: Coverage = field(default_factory=Coverage)
    statistics: SizeStatistics = field(default_factory=SizeStatistics)
    histograms: SpotHistograms = field(default_factory=SpotHistograms)
    situations: Situations = field(default_factory=Situations)
    tree: StudyTree = field(default_factory=StudyTree)
    raises: RaiseSample = field(default_factory=RaiseSample)
    actions: int = 0
    bets: int = 0

    def add(self, batch: HandBatch, players: Texts) -> None:
        """Adds hands.

        :param players: the players whose numbers are in the batch.
        """
        batch, counted = self.actors.select(batch, players)
        if not batch.num_hands:
            return
        self.coverage.add(batch)
        self.statistics.add(batch, counted)
        raises = raises_of(batch, counted)
        self.histograms.add(raises)
        self.situations.add(batch, counted)
        self.tree.add(batch, counted)
        self.raises.add(raises)
        self.actions += int(counted.sum())
        self.bets += len(raises.size)

    def distance(self, menu: BetMenu) -> MenuDistance:
        """Returns the distance of the bets from a menu."""
        distance = MenuDistance(menu)
        for raises in self.raises.parts():
            distance.add(raises)
        return distance

    def menu(self, rule: MenuRule) -> StudyMenu:
        """Returns the menu that a rule chooses."""
        return make_menu(self.histograms, rule)

    def summary(self) -> str:
        """Returns the number of hands, actions and bets."""
        return f"{self.coverage.hands:,} hands, {self.actions:,} actions, {self.bets:,} bets and raises"

    def table(self) -> Table:
        """Returns the mean sizes by round, order and kind."""
        return statistics_table(self)

    def details(self) -> str:
        """Returns HTML of the trees that cover the hands, the mean sizes, and the most frequent ones."""
        tables = (coverage_table(self), self.table(), sizes_table(self))
        return "".join(f"<p>{escape(table.title)}</p>{table.html(MOST_ROWS)}" for table in tables)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws how often each size occurs as the first bet on the flop, and returns the axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if matplotlib is not installed.
        """
        axes = open_axes(axes, 7.0, 3.4)
        counts = self.histograms.counts(FIRST_FLOP_BETS)
        # All-in comes last.
        bins = sorted(counts, key=lambda number: (number == ALL_IN, number))
        total = max(sum(counts.values()), 1)
        axes.bar(range(len(bins)), [100 * counts[number] / total for number in bins], color="#0072b2")
        labels = ["all-in" if number == ALL_IN else size_token(number, True) for number in bins]
        axes.set_xticks(range(len(bins)), labels, rotation=90, parse_math=False)
        axes.set_xlabel("first bet on the flop, % of the pot")
        axes.set_ylabel(f"% of {sum(counts.values()):,} bets")
        return axes


def study_content(study: HandStudy) -> dict[str, Any]:
    """Returns the collected tables in the form of JSON, without menus, distances and errors."""
    return {
        "hands": study.coverage.hands,
        "actions": study.actions,
        "bets_and_raises": study.bets,
        "coverage": [
            {
                "tree": str(row.shape),
                "nodes": row.nodes,
                "decision_nodes": count_tree(row.shape).decisions,
                "uncovered": study.coverage.uncovered(row.shape),
            }
            for row in published_trees()
        ],
        "size_statistics": size_statistics_content(study.statistics),
        "histograms": histogram_content(study.histograms),
        "first_flop_bet": {
            size_token(number, True): count for number, count in study.histograms.counts(FIRST_FLOP_BETS).items()
        },
    }


def size_statistics_content(statistics: SizeStatistics) -> dict[str, Any]:
    """Returns the size statistics by role, round and kind; empty groups are left out."""
    content: dict[str, Any] = {}
    for role, role_name in enumerate(ROLES):
        for street, street_name in enumerate(STREETS):
            for kind in KINDS:
                group = statistics.group(street, role, kind)
                if group is not None:
                    row = dict(zip(("total", *RATIOS, "all_in"), group, strict=True))
                    content.setdefault(role_name, {}).setdefault(street_name, {})[kind] = row
    return content


def histogram_content(histograms: SpotHistograms) -> dict[str, list[dict[str, int]]]:
    """Returns the histograms by key of the menu; one object for the bet, the raise and the later raises."""
    return {
        key: [
            {size_token(number, spots[0].by_pot): count for number, count in histograms.counts(spots).items()}
            for spots in levels
        ]
        for key, levels in MENU_KEYS.items()
    }
