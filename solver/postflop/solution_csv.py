"""Nodes of a solution as CSV, for spreadsheets and scripts: one row per combo that reaches a node.

The columns are

* ``line``, ``player`` (0 is OOP, 1 is IP) and ``hand``;
* ``weight``: range weight times the player's own probability of playing to the node;
* ``pair_weight``: ``weight`` times the weight of the opponent's hands that the hand can meet;
* ``equity``, and ``ev``: chips received at the end of the hand less chips put in after the node;
* one column per action that any of the lines offers, named by its token: the probability of the action;
* one column per action, named ``ev_`` and its token: the EV of taking the action, counted like ``ev``;
* ``names``: what the hand makes and draws to (:mod:`hedgehog.poker.hand_names`);
* ``rounding_cost``, with rounded strategies only: the chips of EV that rounding loses.

A number that no solve computes is an empty cell: hands that meet no hand of the opponent at the node have none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from hedgehog.poker.cards import format_combo
from hedgehog.runtime.documents import csv_text
from hedgehog.solver.postflop.node_answers import NodeAnswer

_COLUMNS = ("line", "player", "hand", "weight", "pair_weight", "equity", "ev")


def format_csv(answers: Sequence[NodeAnswer]) -> str:
    """Returns the text of a CSV file with a header and the rows of all answers."""
    actions = list(dict.fromkeys(action for answer in answers for action in answer.view.actions))
    rounded = any(answer.rounded is not None for answer in answers)
    rows = []
    evs = [f"ev_{action}" for action in actions]
    header = [*_COLUMNS, *actions, *evs, "names", *(["rounding_cost"] if rounded else [])]
    for answer in answers:
        view, player, strategy = answer.view, answer.player, answer.strategy
        column = {action: index for index, action in enumerate(view.actions)}
        for combo in answer.hands().tolist():
            numbers = (array[player, combo] for array in (view.reach, view.pair_weights, view.equity, view.ev))
            rows.append(
                [
                    answer.line,
                    player,
                    format_combo(combo),
                    *(_format(x, ".6g") for x in numbers),
                    *(
                        _format(strategy[column[action], combo], ".4f") if action in column else ""
                        for action in actions
                    ),
                    *(
                        _format(answer.evs[column[action], combo], ".6g") if action in column else ""
                        for action in actions
                    ),
                    answer.names.describe(combo),
                    *([_format(answer.rounded.cost[combo], ".6g")] if answer.rounded is not None else []),
                ]
            )
    return csv_text(header, rows)


def _format(value: float, spec: str) -> str:
    return "" if math.isnan(value) else format(value, spec)
