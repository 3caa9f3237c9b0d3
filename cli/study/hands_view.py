"""The tables of ``hedgehog study hands``, at most 80 columns wide."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.table import Table

from hedgehog.analysis.stats.number_text import format_covered
from hedgehog.analysis.study.menus import MENU_KEYS
from hedgehog.analysis.study.sizes import ALL_IN, KINDS, ROLES, size_token
from hedgehog.analysis.study.trees.kinds import frontier, published_trees
from hedgehog.poker.streets import STREETS

if TYPE_CHECKING:
    from hedgehog.analysis.study.study import HandStudy
    from hedgehog.analysis.study.translation import Distances, MenuDistance

_LEVELS: Final = ("bet", "raise", "later")
_TOP: Final = 5


def study_tables(study: HandStudy, distances: Sequence[MenuDistance], title: str) -> Iterator[Table | str]:
    """Yields the tables of a study.

    :param distances: distances from the menus to show.
    :param title: what was read, in a line or two.
    """
    yield title
    yield coverage_table(study)
    yield statistics_table(study)
    yield sizes_table(study)
    yield distance_table(distances)


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index == 0 else "right", no_wrap=True)
    return table


def coverage_table(study: HandStudy) -> Table:
    """Returns the published trees that no smaller one beats, with the hands they contain."""
    table = _table("Betting trees: rounds-raises per round-raises per hand", "tree", "nodes", "left out", "covered")
    hands = study.coverage.hands
    rows = [(row.shape, row.nodes, study.coverage.uncovered(row.shape)) for row in published_trees()]
    best = set(frontier(rows))
    for shape, nodes, uncovered in sorted(rows, key=lambda row: row[1]):
        if shape in best:
            table.add_row(str(shape), f"{nodes:,}", f"{uncovered:,}", f"{format_covered(uncovered, hands, 3)} %")
    return table


def statistics_table(study: HandStudy) -> Table:
    """Returns the means of the four ratios by round, order and kind."""
    table = _table(
        "Sizes: means by round, order in the round and kind",
        "round, order, kind",
        "number",
        "BB",
        "pot",
        "stack",
        "previous",
        "all-in",
    )
    for street, street_name in enumerate(STREETS):
        for role, role_name in enumerate(ROLES):
            for kind in KINDS:
                group = study.statistics.group(street, role, kind)
                if group is not None:
                    table.add_row(
                        f"{street_name} {role_name} {kind}",
                        f"{group.total:,}",
                        f"{group.big_blinds:.3f}",
                        f"{group.pot:.3f}",
                        f"{group.stack:.3f}",
                        f"{group.previous:.3f}" if group.previous else "",
                        f"{group.all_in:,}",
                    )
        table.add_section()
    return table


def sizes_table(study: HandStudy) -> Table:
    """Returns the most frequent sizes of every spot."""
    table = Table(title="Most frequent sizes, share of the bets in the spot", title_justify="left")
    table.add_column("spot", no_wrap=True)
    table.add_column("bets", justify="right", no_wrap=True)
    table.add_column("sizes", overflow="fold")
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
            table.add_row(name, f"{total:,}", ", ".join(named))
    return table


def distance_table(distances: Sequence[MenuDistance]) -> Table:
    """Returns how many bets each menu lacks, and how far they are from it."""
    table = Table(
        title="Bets that are no size of the menu: more than 1 % of the pot away.\nDistance in % of the pot. "
        "All-in counts as a size of every menu.",
        title_justify="left",
    )
    table.add_column("menu", overflow="fold")
    for column in ("all %", *STREETS, "distance", "RMS"):
        table.add_column(column, justify="right", no_wrap=True)
    for distance in distances:
        total = distance.result()
        table.add_row(
            distance.menu.name,
            *(_percent(distance.result(*streets).share) for streets in ((), (0,), (1,), (2,), (3,))),
            _percent(total.mean),
            _percent(total.rms),
        )
    return table


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
