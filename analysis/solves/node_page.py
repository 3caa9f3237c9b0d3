"""Renders decisions of a solved spot as one HTML page without references to other files.

Every decision has a table of its actions, a coloured grid of the hand classes and, for the class that the reader points
at, its combos with the EV of every action. Without scripts the grid and the tables remain.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from hedgehog.analysis.drawing.templates import render_template
from hedgehog.analysis.stats.number_text import format_ev, format_weight
from hedgehog.poker.cards import format_cards, format_combo
from hedgehog.poker.hand_classes import HAND_CLASS_NAMES
from hedgehog.poker.hand_grid import (
    CELL_HEIGHT,
    CELL_WIDTH,
    action_styles,
    cell_class,
)
from hedgehog.poker.ranges import round_weights
from hedgehog.solver.postflop.node_answers import HandRow, NodeAnswer, RangeCounts, hand_rows
from hedgehog.solver.postflop.queries import ActionView
from hedgehog.solver.postflop.spot import PLAYERS


@dataclass(frozen=True, slots=True)
class NodePart:
    """One decision of the page."""

    answer: NodeAnswer
    actions: Sequence[ActionView]
    counts: RangeCounts
    reached: float
    """Probability of the line, given the cards on the board; NaN if no hands are left."""
    notes: Sequence[str] = ()
    """Sentences about hands that were asked for but are not in the range."""


def render_nodes(title: str, headline: str, parts: Sequence[NodePart]) -> str:
    """Returns decisions of a solved spot as an HTML page. The same decisions give the same bytes.

    :param title: name of the spot.
    :param headline: one line with the board, the pot, the stack and how well the spot is solved.
    :param parts: the decisions, in the order of the page.
    """
    sections = [_section(number, part) for number, part in enumerate(parts)]
    return render_template(
        "node.html",
        {
            "chips": format_ev,
            "percent": _percent,
            "weight": partial(format_weight, decimals=1),
            "known": lambda value: not math.isnan(value),
        },
        title=title,
        headline=headline,
        sections=sections,
        hands=[each["combos"] for each in sections],
    )


def _percent(share: float) -> str:
    return "" if math.isnan(share) else f"{100 * share:.1f}"


def _round(value: float, decimals: int) -> float | None:
    return None if math.isnan(value) else round(float(value), decimals)


def _section(number: int, part: NodePart) -> dict[str, Any]:
    answer, view = part.answer, part.answer.view
    styles = action_styles(view.actions)
    classes = {row.name: row for row in hand_rows(answer, by_combo=False)}
    largest = max(classes.values(), key=lambda row: row.weight, default=None)
    return {
        "number": number,
        "line": answer.line or "root",
        "player": PLAYERS[view.player],
        "board": format_cards(view.board, " "),
        "pot": view.pot,
        "reached": part.reached,
        "ev": view.average(view.ev),
        "equity": view.average(view.equity),
        "counts": part.counts,
        "opponent_weight": answer.opponent_weight,
        "rounded": answer.rounded,
        "notes": part.notes,
        "actions": [
            (action, style, float(frequency))
            for action, style, frequency in zip(part.actions, styles, answer.frequency, strict=True)
        ],
        "grid": answer.hand_strategy().grid(),
        "fields": list(_fields(answer, classes)),
        "first": largest.name if largest is not None else "",
        "combos": {
            "actions": list(view.actions),
            "rounded": answer.rounded is not None,
            "classes": {
                name: [_combo(answer, int(combo)) for combo in row.combos[::-1]] for name, row in classes.items()
            },
        },
    }


def _combo(answer: NodeAnswer, combo: int) -> list[Any]:
    """Returns the values of a combo that the script of the page shows, in the order that the script expects."""
    view, player = answer.view, answer.player
    return [
        format_combo(combo),
        answer.names.describe(combo),
        float(round_weights(view.reach[player, combo])),
        _round(view.equity[player, combo], 4),
        _round(view.ev[player, combo], 3),
        [_round(x, 4) for x in answer.strategy[:, combo]],
        [_round(x, 3) for x in answer.evs[:, combo]],
        float(round_weights(np.array(answer.removed(combo)))),
        0.0 if answer.rounded is None else _round(answer.rounded.cost[combo], 3),
    ]


def _fields(answer: NodeAnswer, classes: dict[str, HandRow]) -> Iterator[dict[str, Any]]:
    """Yields one field per hand class, which lies above the grid and can be pointed at or reached with the keyboard."""
    for row in range(13):
        for column in range(13):
            name = HAND_CLASS_NAMES[cell_class(row, column)]
            if name not in classes:
                continue
            found = classes[name]
            actions = ", ".join(
                f"{action} {_percent(share)} %" + (f" ({format_ev(ev)})" if not math.isnan(ev) else "")
                for action, share, ev in zip(answer.view.actions, found.strategy, found.evs, strict=True)
            )
            known = f"{actions}; EV {format_ev(found.ev)}" if not math.isnan(found.ev) else "no numbers"
            yield {
                "hand": name,
                "x": column * CELL_WIDTH,
                "y": row * CELL_HEIGHT,
                "width": CELL_WIDTH,
                "height": CELL_HEIGHT,
                "text": f"{name}: {known}",
            }
