"""Draws jam/fold strategies as 13 x 13 charts, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.drawing.templates import render_template
from hedgehog.poker.hand_classes import HAND_CLASS_NAMES
from hedgehog.poker.hand_grid import cell_class

_WIDTH: Final = 34
_HEIGHT: Final = 28
_GAP: Final = 26
_TOP: Final = 74
PURE: Final = 1e-6
"""A hand is mixed if its probability is at least so far from 0 and from 1."""


@dataclass(frozen=True, slots=True)
class JamGrid:
    """A 13 x 13 chart of one decision: a shade and a text for each hand class."""

    heading: str
    shades: NDArray[np.float64]
    """(169) shade of each hand class, 0..1."""
    notes: Mapping[int, str]
    """Hand class -> text below its name."""


def probability_grid(heading: str, probabilities: NDArray[np.float64]) -> JamGrid:
    """Returns the chart of one decision: shades are probabilities, and mixed hands show their percentage.

    :param probabilities: (169) probability to jam or call, per hand class.
    """
    mixed = np.flatnonzero((probabilities > PURE) & (probabilities < 1 - PURE))
    return JamGrid(heading, probabilities, {int(i): f"{100 * probabilities[i]:.1f}%" for i in mixed})


def stacks_grid(heading: str, stacks: Sequence[int], probabilities: NDArray[np.float64]) -> JamGrid:
    """Returns the chart of all stacks: the largest with which a hand jams or calls, with a star unless all smaller do.

    :param stacks: the stacks with a decision, ascending.
    :param probabilities: (stacks, 169) probability to jam or call.
    """
    taken = probabilities >= 0.5
    notes = {}
    for hand in range(taken.shape[1]):
        found = np.flatnonzero(taken[:, hand])
        if len(found):
            gap = len(found) != found[-1] - found[0] + 1
            notes[hand] = f"{stacks[int(found[-1])]}{'*' if gap else ''}"
    return JamGrid(heading, np.asarray(taken.mean(axis=0)), notes)


def jam_chart(title: str, grids: Sequence[JamGrid]) -> str:
    """Returns an SVG with charts side by side; aces are in the top left corner, suited hands above the diagonal."""
    pictures = []
    for number, grid in enumerate(grids):
        left = _GAP + number * (13 * _WIDTH + _GAP)
        cells = []
        for row in range(13):
            for column in range(13):
                hand = cell_class(row, column)
                cells.append(
                    {
                        "x": left + column * _WIDTH,
                        "y": _TOP + row * _HEIGHT,
                        "shade": f"{float(grid.shades[hand]):.3g}",
                        "name": HAND_CLASS_NAMES[hand],
                        "note": grid.notes.get(hand, ""),
                    }
                )
        pictures.append({"x": left, "heading": grid.heading, "cells": cells})
    return render_template(
        "jam_chart.svg",
        title=title,
        description="; ".join(grid.heading for grid in grids),
        width=_GAP + len(grids) * (13 * _WIDTH + _GAP),
        height=_TOP + 13 * _HEIGHT + _GAP,
        cell_width=_WIDTH,
        cell_height=_HEIGHT,
        gap=_GAP,
        top=_TOP,
        pictures=pictures,
    )
