"""Nodes of a solution as CSV: one row per hand that gets there, for spreadsheets and scripts.

Columns: ``line``, ``player`` (0 OOP, 1 IP), ``hand``, ``weight`` (range weight times own probability of playing here),
``pair_weight`` (the same times the weight of the opponent's hands it can meet), ``equity``, ``ev`` (chips received at
the end less chips put in after the node), then the probability of every action that one of the lines offers.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from poker.cards import format_combo
from solver.queries import NodeView

_COLUMNS = ("line", "player", "hand", "weight", "pair_weight", "equity", "ev")


def format_csv(views: Sequence[tuple[str, NodeView]], wanted: NDArray[np.bool_] | None = None) -> str:
    """Returns the text of a CSV file, with a header.

    :param views: the nodes with their lines.
    :param wanted: bool[1326] hands to write; None: all that get to the node.
    """
    actions = list(dict.fromkeys(action for _, view in views for action in view.actions))
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow([*_COLUMNS, *actions])
    for line, view in views:
        player = view.player
        column = {action: index for index, action in enumerate(view.actions)}
        for combo in view.hands():
            if wanted is not None and not wanted[combo]:
                continue
            numbers = (array[player, combo] for array in (view.reach, view.pair_weights, view.equity, view.ev))
            chances = (f"{view.strategy[column[action], combo]:.4f}" if action in column else "" for action in actions)
            rows.writerow([line, player, format_combo(int(combo)), *(f"{x:.6g}" for x in numbers), *chances])
    return text.getvalue()
