"""Draws the betting of one street below a line as a tree, with the strategies of a few hands beside each other.

A coloured edge is as wide as its hand often takes it, all its own decisions since the line together. So one sees where
two hands part that are nearly the same, such as an ace with a blocker and one without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from hedgehog.analysis.drawing.templates import render_template
from hedgehog.poker.cards import format_cards, format_combo
from hedgehog.runtime.errors import InputError
from hedgehog.solver.postflop.queries import find_node, view_node
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.solver.postflop.spot import PLAYERS
from hedgehog.solver.postflop.tree import format_action
from hedgehog.strategies.betting_tree import NodeKind

MOST_HANDS: Final = 4
MOST_NODES: Final = 200
_ROW: Final = 30
_COLUMN: Final = 170
_LEFT: Final = 40
_TOP: Final = 80
_WIDEST: Final = 7.0


def hand_tree(solution: PostflopSolution, line: str, combos: Sequence[int]) -> str:
    """Returns an SVG picture of the rest of a street, with the strategies of one to four hands of the player to act.

    :param line: actions and dealt cards up to the decision at which the picture begins.
    :param combos: numbers of the combos.
    :raises SpotError: if there is no such decision.
    :raises InputError: if there are more hands or nodes than a picture shows, or a hand cannot be there.
    """
    if not 1 <= len(combos) <= MOST_HANDS:
        raise InputError(f"the picture shows 1 to {MOST_HANDS} hands, got {len(combos)}")
    root, dealt = find_node(solution, line)
    view = view_node(solution, root, dealt, equities=False)
    for combo in combos:
        if not view.reach[view.player, combo] > 0:
            raise InputError(f"{PLAYERS[view.player]} does not hold {format_combo(combo)} after {line or 'nothing'!r}")
    below = _street_below(solution, root)
    places = _places(solution, below)
    shares: dict[int, list[float]] = {root: [1.0] * len(combos)}
    nodes: list[dict[str, Any]] = []
    edges: list[dict[str, Any]] = []
    for node in below:
        x, y = places[node]
        kind = NodeKind(int(solution.tree.kind[node]))
        deciding = kind == NodeKind.DECISION
        style = PLAYERS[int(solution.tree.player[node])] if deciding else "leaf"
        nodes.append({"x": x, "y": y, "style": style, "text": "" if deciding else _END[kind]})
        if not deciding:
            continue
        own = int(solution.tree.player[node]) == view.player
        here = view_node(solution, node, dealt, equities=False)
        for number, child in enumerate(solution.tree.children(node)):
            taken = [float(here.strategy[number, combo]) for combo in combos] if own else [1.0] * len(combos)
            shares[child] = (np.array(shares[node]) * np.nan_to_num(taken)).tolist()
            said = " / ".join("-" if np.isnan(p) else f"{100 * p:.0f}" for p in taken)
            often = float(here.frequency[number])
            label = f"{said} %" if own else "-" if np.isnan(often) else f"{100 * often:.0f} %"
            label = f"{format_action(solution.tree, child)}  {label}"
            edges.append(_edge(places[node], places[child], shares[child], label))
    names = [format_combo(combo) for combo in combos]
    board = format_cards(view.board, " ")
    return render_template(
        "hand_tree.svg",
        title=f"{' and '.join(names)} on {board}",
        subtitle=f"{PLAYERS[view.player]} after {line or 'nothing'}, pot {view.pot:,} chips",
        legend=[(name, number, _LEFT + 90 * number) for number, name in enumerate(names)],
        players=[(name, name, _LEFT + 90 * (len(names) + number)) for number, name in enumerate(PLAYERS)],
        width=max(x for x, _ in places.values()) + 130,
        height=max(y for _, y in places.values()) + 30,
        nodes=nodes,
        edges=edges,
    )


_END: Final = {NodeKind.FOLD: "fold", NodeKind.SHOWDOWN: "showdown", NodeKind.DEAL: "next card"}


def _street_below(solution: PostflopSolution, root: int) -> list[int]:
    """Returns a decision and all nodes below it on its street, parents first, in the order of their lines."""
    found: list[int] = []
    todo = [root]
    while todo:
        node = todo.pop()
        found.append(node)
        if len(found) > MOST_NODES:
            raise InputError(f"the picture shows at most {MOST_NODES} nodes: begin further down the line")
        if solution.tree.kind[node] == NodeKind.DECISION:
            todo += reversed(solution.tree.children(node))
    return found


def _places(solution: PostflopSolution, below: Sequence[int]) -> dict[int, tuple[float, float]]:
    """Returns the place of every node: depth from left to right, ends from top to bottom."""
    tree = solution.tree
    depth = {below[0]: 0}
    height: dict[int, float] = {}
    row = 0
    for node in below:
        if node != below[0]:
            depth[node] = depth[int(tree.parent[node])] + 1
        if tree.kind[node] != NodeKind.DECISION:
            height[node] = _TOP + row * _ROW
            row += 1
    for node in reversed(below):
        if node not in height:
            children = tree.children(node)
            height[node] = (height[children[0]] + height[children[-1]]) / 2
    return {node: (_LEFT + depth[node] * _COLUMN, height[node]) for node in below}


def _edge(start: tuple[float, float], end: tuple[float, float], shares: Sequence[float], label: str) -> dict[str, Any]:
    """Returns an edge: a thin line, and beside each other a line per hand, as wide as the hand's share."""
    (x1, y1), (x2, y2) = start, end
    widths = [round(_WIDEST * share / len(shares), 2) for share in shares]
    below = y1 - sum(widths) / 2
    hands = []
    for number, width in enumerate(widths):
        shift = below + width / 2 - y1
        below += width
        if width:
            hands.append({"style": number, "width": width, "y1": round(y1 + shift, 2), "y2": round(y2 + shift, 2)})
    tx, ty = x1 + 0.6 * _COLUMN, y1 + 0.6 * (y2 - y1) - sum(widths) / 2 - 3
    return {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "hands": hands, "label": label, "tx": tx, "ty": round(ty, 1)}
