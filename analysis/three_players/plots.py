"""The pictures of ``hedgehog lab three-players``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from hedgehog.analysis.drawing.charts import MUTED
from hedgehog.analysis.drawing.line_labels import line_style
from hedgehog.poker.hand_classes import HAND_CLASS_NAMES
from hedgehog.poker.hand_grid import cell_class
from hedgehog.runtime.table import Table

_WIDTH = 9.0


def draw_results(table: Table, figure: Figure) -> None:
    """Draws the winnings of each player of an experiment with their intervals.

    Published figures are drawn as crosses.
    """
    rows = table.rows[::-1]
    figure.set_size_inches(_WIDTH, 0.9 + 0.28 * len(rows))
    axes = figure.subplots()
    places = np.arange(len(rows))
    means = np.array([row[2] for row in rows], dtype=np.float64)
    margins = np.array([row[3] for row in rows], dtype=np.float64)
    published = np.array([np.nan if row[6] is None else row[6] for row in rows], dtype=np.float64)
    axes.errorbar(means, places, xerr=margins, fmt="o", color=line_style(0)["color"], markersize=5, capsize=3)
    axes.plot(published, places, "x", color=MUTED, markersize=6)
    axes.axvline(0, color=MUTED, linewidth=0.7)
    axes.set_yticks(places, [str(row[0]) for row in rows])
    axes.set_xlabel("mbb per hand, with 95 % intervals; x: published, without intervals")
    axes.grid(which="major", axis="x")


def draw_variances(tables: Mapping[str, Table], figure: Figure) -> None:
    """Draws the variance of each action over the number of candidates, a line per bot.

    :param tables: name of a bot -> its table by :func:`hedgehog.analysis.three_players.mappings.variance_table`.
    """
    figure.set_size_inches(_WIDTH, 3.6)
    for column, (axes, action) in enumerate(zip(figure.subplots(1, 3), ("fold", "call", "raise"), strict=True)):
        for number, (name, table) in enumerate(tables.items()):
            k = [int(str(row[0])) for row in table.rows]
            values = [float(str(row[2 + column])) for row in table.rows]
            axes.plot(k, values, marker="o", markersize=3, label=name, **line_style(number))
        axes.set_title(action, fontsize=9)
        axes.set_xlabel("candidates used")
        axes.grid(which="major")
        if column == 0:
            axes.set_ylabel("mean variance")
            axes.legend(fontsize=7)


def draw_distances(tables: Mapping[str, Table], figure: Figure) -> None:
    """Draws the mean deviation of candidates by distance as bars with their counts.

    :param tables: name of a bot -> its table by :func:`hedgehog.analysis.three_players.mappings.distance_table`.
    """
    figure.set_size_inches(_WIDTH, 0.6 + 2.3 * len(tables))
    all_axes = np.atleast_1d(figure.subplots(len(tables), 1))
    for axes, (name, table) in zip(all_axes, tables.items(), strict=True):
        distances = [int(str(row[0])) for row in table.rows]
        values = [float(str(row[2])) for row in table.rows]
        axes.bar(distances, values, color=line_style(0)["color"], width=0.7)
        for distance, value, row in zip(distances, values, table.rows, strict=True):
            axes.annotate(f"{row[1]:,}", (distance, value), ha="center", va="bottom", fontsize=6, color=MUTED)
        axes.set_title(name, fontsize=9, loc="left")
        axes.set_ylabel("mean deviation")
    all_axes[-1].set_xlabel("distance of the candidate")


def draw_folds(grids: Sequence[tuple[str, Mapping[str, float]]], figure: Figure) -> None:
    """Draws shares of hand classes as 13 x 13 grids beside each other.

    :param grids: title and share of each hand class; suited classes are above the diagonal.
    """
    figure.set_size_inches(_WIDTH, 4.6)
    for axes, (title, shares) in zip(np.atleast_1d(figure.subplots(1, len(grids))), grids, strict=True):
        values = [[shares[HAND_CLASS_NAMES[cell_class(row, column)]] for column in range(13)] for row in range(13)]
        axes.imshow(values, vmin=0, vmax=1, cmap="Blues")
        axes.set_xticks(range(13), list("AKQJT98765432"))
        axes.set_yticks(range(13), list("AKQJT98765432"))
        axes.set_title(title, fontsize=9)
