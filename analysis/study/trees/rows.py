"""The table of action-sequence trees and its picture: which tree contains how many hands with how many nodes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from hedgehog.analysis.drawing.charts import INK, MUTED, SERIES, draw_svg_and_png
from hedgehog.analysis.stats.number_text import format_covered
from hedgehog.analysis.study.trees.kinds import (
    PRINTED_SLIPS,
    PUBLISHED_HANDS,
    Coverage,
    TreeShape,
    TreeSize,
    count_tree,
    frontier,
    published_trees,
)
from hedgehog.runtime.table import Column, Table

_NEAR: Final = (0.15, 0.2)
"""Labels closer than this, in powers of ten, would overlap."""
_FAMILIES: Final = ("no limit on the hand", "no limit on the round", "both limited", "without the river")


@dataclass(frozen=True, slots=True)
class TreeRow:
    """A tree with its size and the hands it lacks."""

    shape: TreeShape
    size: TreeSize
    hands: int
    """Number of hands; 0 if none are known for this tree."""
    uncovered: int
    """Number of hands that are no path of the tree."""
    best: bool
    """Whether no tree listed with as few nodes leaves out fewer hands."""
    published: bool
    """Whether the hands are those of the published study."""

    @property
    def known(self) -> bool:
        """Whether the number of uncovered hands is known."""
        return self.hands > 0

    @property
    def note(self) -> str | None:
        """A remark on a slip of the published table; None if there is none."""
        slip = PRINTED_SLIPS.get(str(self.shape)) if self.published else None
        if slip is None:
            return None
        return f"{self.shape}: the published table prints the share {slip[0]:.9f}, its own counts give {slip[1]:.9f}"


def tree_rows(shapes: Sequence[TreeShape], coverage: Coverage | None) -> list[TreeRow]:
    """Returns rows for some trees, or for the 43 published ones.

    :param shapes: the trees; empty: the published ones.
    :param coverage: the hands to cover; None: those of the published study, as far as it has the tree.
    """
    published = {row.shape: row for row in published_trees()}
    wanted = list(dict.fromkeys(shapes)) or list(published)
    counted = []
    for shape in wanted:
        if coverage is not None:
            counted.append((shape, count_tree(shape), coverage.hands, coverage.uncovered(shape)))
        elif shape in published:
            counted.append((shape, count_tree(shape), PUBLISHED_HANDS, published[shape].uncovered))
        else:
            counted.append((shape, count_tree(shape), 0, 0))
    best = set(frontier((shape, size.nodes, uncovered) for shape, size, hands, uncovered in counted if hands))
    return [
        TreeRow(shape, size, hands, uncovered, shape in best, coverage is None)
        for shape, size, hands, uncovered in counted
    ]


def tree_table(rows: Sequence[TreeRow]) -> Table:
    """Returns trees with their sizes and the hands they lack. The note explains a star and has slips of the study."""
    count = "{:,}".format
    columns = [
        Column("tree", shown=False),
        Column("tree shown", "tree", left=True, data=False),
        Column("nodes", text=count),
        Column("clean_nodes", shown=False),
        Column("sequences", text=count),
        Column("decisions", text=count),
        Column("showdowns", shown=False),
        Column("hands", shown=False),
        Column("uncovered", "left out", lambda uncovered: "" if uncovered is None else count(uncovered)),
        Column("covered_share", shown=False),
        Column("covered shown", "covered", str, data=False),
        Column("best", shown=False),
    ]
    cells = []
    for row in rows:
        name, size = str(row.shape), row.size
        uncovered, share, covered = None, None, ""
        if row.known:
            uncovered, share = row.uncovered, 1 - row.uncovered / row.hands
            covered = f"{format_covered(row.uncovered, row.hands, 4)} %"
        cells.append(
            (
                *(name, f"{name} *" if row.best else name, size.nodes, size.clean_nodes, size.sequences),
                *(size.decisions, size.showdowns, row.hands or None, uncovered, share, covered, row.best),
            )
        )
    title = "Betting trees: rounds-raises per round-raises per hand"
    star = "* no tree listed with as few nodes leaves out fewer hands"
    return Table("trees", title, columns, tuple(cells), "\n".join([star, *(row.note for row in rows if row.note)]))


def _family(shape: TreeShape) -> int:
    if shape.rounds < 4:
        return 3
    if shape.total is None:
        return 0
    return 1 if shape.per_round is None else 2


def draw_selection_curve(rows: Sequence[TreeRow]) -> tuple[bytes, bytes]:
    """Returns a picture of the share of hands left out over the nodes of the tree, as SVG and as PNG."""
    shown = [row for row in rows if row.known]

    def draw(figure: Figure) -> None:
        figure.set_size_inches(8.0, 5.0)
        axes = figure.add_subplot()
        least = min((row.uncovered / row.hands for row in shown if row.uncovered), default=1.0)
        floor = least / 3
        for family, name in enumerate(_FAMILIES):
            some = [row for row in shown if _family(row.shape) == family]
            if some:
                heights = [max(row.uncovered / row.hands, floor) for row in some]
                axes.scatter(
                    [row.size.nodes for row in some], heights, s=24, color=SERIES[family], label=name, zorder=3
                )
        best = sorted(
            (row.size.nodes, max(row.uncovered / row.hands, floor), str(row.shape)) for row in shown if row.best
        )
        axes.plot([one[0] for one in best], [one[1] for one in best], color=MUTED, linewidth=1.0, zorder=2)
        labelled: list[tuple[float, float]] = []
        for nodes, height, name in reversed(best):
            place = (math.log10(nodes), math.log10(height))
            if all(abs(place[0] - x) > _NEAR[0] or abs(place[1] - y) > _NEAR[1] for x, y in labelled):
                axes.annotate(name, (nodes, height), (-5, -4), textcoords="offset points", color=INK, fontsize=8,
                              ha="right", va="top")  # fmt: skip
                labelled.append(place)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(min((row.size.nodes for row in shown), default=1) / 2.5, None)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
        axes.set_xlabel("nodes of the tree")
        lowest = " (lowest: none)" if any(not row.uncovered for row in shown) else ""
        axes.set_ylabel(f"hands that the tree lacks{lowest}")
        axes.grid()
        if shown:
            axes.legend(loc="upper right")

    return draw_svg_and_png(draw)
