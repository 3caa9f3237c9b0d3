"""The tables of a hand study, at most 80 columns wide: coverage of trees, sizes, and distances from menus."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, Protocol

from hedgehog.analysis.stats.number_text import format_covered
from hedgehog.analysis.study.menus import MENU_KEYS
from hedgehog.analysis.study.situations import Situations
from hedgehog.analysis.study.sizes import ALL_IN, KINDS, ROLES, SizeStatistics, SpotHistograms, size_token
from hedgehog.analysis.study.translation import BetMenu, Distances, MenuDistance
from hedgehog.analysis.study.trees.kinds import Coverage, frontier, published_trees
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.table import Column, Table

_LEVELS: Final = ("bet", "raise", "later")
_TOP: Final = 5
_WHOLE: Final = "{:,}".format


class Counted(Protocol):
    """What the tables need of a study (:class:`hedgehog.analysis.study.study.HandStudy`)."""

    @property
    def coverage(self) -> Coverage:
        """Which hands trees contain."""

    @property
    def statistics(self) -> SizeStatistics:
        """The sums of the four ratios."""

    @property
    def histograms(self) -> SpotHistograms:
        """The sizes in every spot."""

    @property
    def situations(self) -> Situations:
        """The bets in the situations that are compared with menus."""


def study_tables(study: Counted, distances: Sequence[MenuDistance]) -> list[Table]:
    """Returns the tables of a study.

    :param distances: distances from the menus to show.
    """
    errors = error_table(study, [distance.menu for distance in distances])
    return [coverage_table(study), statistics_table(study), sizes_table(study), distance_table(distances), errors]


def coverage_table(study: Counted) -> Table:
    """Returns the published trees that no smaller one beats, with the hands they contain."""
    hands = study.coverage.hands
    rows = [(row.shape, row.nodes, study.coverage.uncovered(row.shape)) for row in published_trees()]
    best = set(frontier(rows))
    columns = [
        Column("tree"),
        Column("nodes", text=_WHOLE),
        Column("uncovered", "left out", _WHOLE),
        Column("covered", text=lambda uncovered: f"{format_covered(uncovered, hands, 3)} %", data=False),
    ]
    return Table(
        "coverage",
        "Betting trees: rounds-raises per round-raises per hand",
        columns,
        tuple(
            (str(shape), nodes, uncovered, uncovered)
            for shape, nodes, uncovered in sorted(rows, key=lambda row: row[1])
            if shape in best
        ),
    )


def statistics_table(study: Counted) -> Table:
    """Returns the means of the four ratios by round, order and kind."""
    rows: list[tuple[Any, ...]] = []
    sections = []
    for street, street_name in enumerate(STREETS):
        sections.append(len(rows))
        for role, role_name in enumerate(ROLES):
            for kind in KINDS:
                group = study.statistics.group(street, role, kind)
                if group is not None:
                    name = f"{street_name} {role_name} {kind}"
                    ratios = (group.big_blinds, group.pot, group.stack, group.previous)
                    rows.append((name, group.total, *ratios, group.all_in))
    columns = [
        Column("group", "round, order, kind"),
        Column("number", text=_WHOLE),
        Column("big_blinds", "BB", "{:.3f}".format),
        Column("pot", text="{:.3f}".format),
        Column("stack", text="{:.3f}".format),
        Column("previous", text=lambda ratio: f"{ratio:.3f}" if ratio else ""),
        Column("all_in", "all-in", _WHOLE),
    ]
    return Table("sizes", "Sizes: means by round, order in the round and kind", columns, tuple(rows), sections=sections)


def sizes_table(study: Counted) -> Table:
    """Returns the most frequent sizes of every spot."""
    rows = []
    for key, levels in MENU_KEYS.items():
        if key.endswith("both"):
            continue
        for level, spots in enumerate(levels):
            counts = study.histograms.counts(spots)
            total = sum(counts.values())
            if not total:
                continue
            order = sorted(counts, key=lambda number: (-counts[number], number == ALL_IN, number))[:_TOP]
            named = [f"{size_token(number, spots[0].by_pot)} {100 * counts[number] / total:.0f} %" for number in order]
            name = key if key == "limped" else f"{key} {_LEVELS[level] if key != 'preflop' else f'raise {level + 1}'}"
            rows.append((name, total, ", ".join(named)))
    columns = [Column("spot"), Column("bets", text=_WHOLE), Column("sizes")]
    return Table("frequent", "Most frequent sizes, share of the bets in the spot", columns, tuple(rows))


def distance_table(distances: Sequence[MenuDistance]) -> Table:
    """Returns how many bets each menu lacks, and how far they are from it."""
    rows = []
    for distance in distances:
        total = distance.result()
        shares = [distance.result(*streets).share for streets in ((), (0,), (1,), (2,), (3,))]
        rows.append((distance.menu.name, *shares, total.mean, total.rms))
    columns = [Column("menu"), *(Column(name, text=_percent) for name in ("all %", *STREETS, "distance", "RMS"))]
    title = (
        "Bets that are no size of the menu: more than 1 % of the pot away.\nDistance in % of the pot. "
        "All-in counts as a size of every menu."
    )
    return Table("distances", title, columns, tuple(rows))


def error_table(study: Counted, menus: Sequence[BetMenu]) -> Table:
    """Returns the error of every size of some menus in every situation of a study."""
    rows: list[tuple[Any, ...]] = []
    sections = []
    for situation in study.situations.situations:
        sections.append(len(rows))
        for menu in menus:
            found = study.situations.errors(menu, situation)
            sizes = " ".join(f"{one.size}" for one in found)
            shown = " ".join("-" if one.rms is None else f"{one.rms:.2f}" for one in found)
            rows.append((situation.line, menu.name, sizes, sum(one.bets for one in found), shown))
    columns = (Column("situation"), Column("menu"), Column("sizes"), Column("bets", text=_WHOLE), Column("errors"))
    title = (
        "Error of each size in a situation: root mean square distance of the bets nearest to it,\n"
        "in chips with a big blind of 100"
    )
    return Table("errors", title, columns, tuple(rows), sections=sections)


def error_content(study: Counted, menus: Sequence[BetMenu]) -> dict[str, Any]:
    """Returns the errors in the form of JSON: by situation, then by menu."""
    return {
        situation.name: {
            menu.name: [row._asdict() for row in study.situations.errors(menu, situation)] for menu in menus
        }
        for situation in study.situations.situations
    }


def _percent(share: float) -> str:
    return "" if math.isnan(share) else f"{100 * share:.1f}"


def distance_content(distances: Sequence[MenuDistance]) -> list[dict[str, Any]]:
    """Returns the distances in the form of JSON."""

    def content(result: Distances) -> dict[str, Any]:
        return {**result._asdict(), "share": result.share}

    return [
        {
            "menu": distance.menu.name,
            **content(distance.result()),
            "streets": {name: content(distance.result(street)) for street, name in enumerate(STREETS)},
        }
        for distance in distances
    ]
