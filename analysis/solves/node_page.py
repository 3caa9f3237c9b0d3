"""Decisions of a solved spot as one HTML page that needs nothing else: no network, no other file.

Every decision has a table of its actions, a coloured grid of the hand classes and, for the class that the reader points
at, its combos with the EV of every action. Without scripts the grid and the tables remain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from numpy.typing import NDArray

from analysis.drawing.hand_grid import (
    ACTION_STYLE,
    CELL_HEIGHT,
    CELL_WIDTH,
    GRID_HEIGHT,
    GRID_WIDTH,
    cell_class,
    draw_hand_grid,
)
from analysis.stats.number_text import format_ev
from poker.cards import format_cards, format_combo
from poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES, HAND_CLASS_SIZES, NUM_HAND_CLASSES
from solver.postflop.node_answers import HandRow, NodeAnswer, RangeCounts, hand_rows
from solver.postflop.queries import ActionView
from solver.postflop.spot import PLAYERS

_TEMPLATE: Final = "node.html"
_SIZES: Final = ("raise", "large", "larger", "largest")
_MORE_STYLE: Final = """\
.larger{fill:#d9647b}.largest{fill:#b8486f}
@media (prefers-color-scheme:dark){.larger{fill:#7d2350}.largest{fill:#5b1a4a}}"""
_ORDER: Final = ("jam", *reversed(_SIZES), "call", "fold")
"""Styles of the actions from left to right in a cell."""


@dataclass(frozen=True, slots=True)
class NodePart:
    """One decision of the page."""

    answer: NodeAnswer
    actions: Sequence[ActionView]
    counts: RangeCounts
    reached: float
    """How likely the line is, given the cards on the board."""
    notes: Sequence[str] = ()
    """Sentences about hands that were asked for and are not there."""


def action_styles(actions: Sequence[str]) -> list[str]:
    """Returns the style of each action token: ``fold``, ``call``, ``jam``, or one of four for bets and raises."""
    styles: list[str] = []
    for action in actions:
        if action[0] in "BR":
            styles.append(_SIZES[min(sum(style in _SIZES for style in styles), len(_SIZES) - 1)])
        else:
            styles.append({"F": "fold", "X": "call", "C": "call", "A": "jam"}[action[0]])
    return styles


def render_nodes(title: str, headline: str, parts: Sequence[NodePart]) -> str:
    """Returns the HTML page; the same decisions give the same bytes.

    :param title: the spot's name.
    :param headline: board, pot, stack and how well it is solved, in one line.
    :param parts: the decisions, in the order of the page.
    """
    environment = Environment(
        loader=PackageLoader("analysis"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(chips=format_ev, percent=_percent)
    sections = [_section(number, part) for number, part in enumerate(parts)]
    style = Markup(ACTION_STYLE + "\n" + _MORE_STYLE)
    return environment.get_template(_TEMPLATE).render(
        title=title, headline=headline, sections=sections, style=style, hands=[each["combos"] for each in sections]
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


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
        "grid": Markup("\n".join(_grid(answer, styles, classes))),
        "size": (GRID_WIDTH, GRID_HEIGHT),
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
    """Returns what the page's script shows of a combo; the order is that of the script."""
    view, player = answer.view, answer.player
    return [
        format_combo(combo),
        answer.names.describe(combo),
        round(float(view.reach[player, combo]), 4),
        round(float(view.equity[player, combo]), 4),
        round(float(view.ev[player, combo]), 3),
        [round(float(x), 4) for x in answer.strategy[:, combo]],
        [round(float(x), 3) for x in answer.evs[:, combo]],
        round(answer.removed(combo), 2),
        0.0 if answer.rounded is None else round(float(answer.rounded.cost[combo]), 3),
    ]


def _grid(answer: NodeAnswer, styles: list[str], classes: dict[str, HandRow]) -> list[str]:
    """Draws the grid and, above it, one field per hand that the reader can point at or reach with the keyboard."""
    shares: dict[str, NDArray[np.float64]] = {}
    for style in (style for style in _ORDER if style in styles):
        shares[style] = np.zeros(NUM_HAND_CLASSES)
    weights = np.zeros(NUM_HAND_CLASSES)
    combos = answer.hands()
    reach = answer.view.reach[answer.player]
    np.add.at(weights, HAND_CLASS[combos], reach[combos].astype(np.float64))
    held = np.minimum(weights / HAND_CLASS_SIZES, 1.0)
    fields = []
    for row in range(13):
        for column in range(13):
            index = cell_class(row, column)
            name = HAND_CLASS_NAMES[index]
            if name not in classes:
                continue
            found = classes[name]
            for style, share in zip(styles, found.strategy, strict=True):
                shares[style][index] += share
            text = ", ".join(
                f"{action} {100 * share:.1f} % ({format_ev(ev)})"
                for action, share, ev in zip(answer.view.actions, found.strategy, found.evs, strict=True)
            )
            fields.append(
                f'<rect class="field" data-hand="{name}" tabindex="0" role="button" x="{column * CELL_WIDTH}" '
                f'y="{row * CELL_HEIGHT}" width="{CELL_WIDTH}" height="{CELL_HEIGHT}">'
                f"<title>{name}: {escape(text)}; EV {format_ev(found.ev)}</title></rect>"
            )
    return [*draw_hand_grid(shares, held, 0, 0), *fields]
