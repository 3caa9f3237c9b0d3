"""Draws small extensive games: the tree from left to right, with a dashed line through each information set."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from hedgehog.analysis.drawing.templates import render_template
from hedgehog.gametheory.strategies import Profile
from hedgehog.gametheory.tree import CHANCE, LEAF, ExtensiveGame, Number
from hedgehog.runtime.errors import GameError

MOST_NODES: Final = 200
_ROW: Final = 24
_COLUMN: Final = 150
_LEFT: Final = 40
_TOP: Final = 60
_STYLES: Final = ("first", "second", "third")


def tree_picture(game: ExtensiveGame, profile: Profile | None = None) -> str:
    """Returns an SVG picture of a game of at most 200 nodes.

    :param profile: strategies (:mod:`hedgehog.gametheory.strategies`) whose probabilities are written at the actions.
    :raises GameError: if the game has more nodes.
    """
    verify_drawable(game)
    count = len(game.parent)
    depth, place = [0] * count, [0.0] * count
    row = 0
    for node in range(count):
        if node:
            depth[node] = depth[int(game.parent[node])] + 1
        if game.mover[node] == LEAF:
            place[node] = _TOP + row * _ROW
            row += 1
    for node in range(count - 1, -1, -1):
        if children := game.child_lists[node]:
            place[node] = (place[children[0]] + place[children[-1]]) / 2
    payoffs = iter(game.exact_payoffs)
    nodes: list[dict[str, Any]] = []
    edges: list[dict[str, Any]] = []
    for node in range(count):
        x, y, mover = _LEFT + depth[node] * _COLUMN, place[node], int(game.mover[node])
        ends = ", ".join(map(number_text, next(payoffs))) if mover == LEAF else ""
        style = "chance" if mover == CHANCE else "leaf" if mover == LEAF else _STYLES[mover % len(_STYLES)]
        nodes.append({"x": x, "y": y, "style": style, "payoffs": ends})
        if node:
            before = int(game.parent[node])
            left, start = _LEFT + depth[before] * _COLUMN, place[before]
            edges.append(
                {"x1": left, "y1": start, "x2": x, "y2": y, "tx": left + 0.56 * _COLUMN,
                 "ty": round(start + 0.56 * (y - start) - 3, 1), "label": _edge_label(game, profile, node)}
            )  # fmt: skip
    sets = []
    for infoset in game.infosets:
        points = [(_LEFT + depth[node] * _COLUMN, place[node]) for node in infoset.nodes]
        sets.append(
            {
                "points": points,
                "line": " ".join(f"{x},{y:g}" for x, y in points),
                "name": infoset.name,
                "style": _STYLES[infoset.player % len(_STYLES)],
            }
        )
    legend = [(name, _STYLES[i % len(_STYLES)], _LEFT + 110 * (i + 1)) for i, name in enumerate(game.players)]
    return render_template(
        "game_tree.svg",
        title=f"{game.name}: {count} nodes",
        width=_LEFT + max(depth) * _COLUMN + 130,
        height=_TOP + max(row - 1, 0) * _ROW + 30,
        nodes=nodes,
        edges=edges,
        sets=sets,
        legend=[("chance", "chance", _LEFT), *legend],
    )


def verify_drawable(game: ExtensiveGame) -> None:
    """Checks that a game is small enough for a picture.

    :raises GameError: if the game has more than 200 nodes.
    """
    if len(game.parent) > MOST_NODES:
        raise GameError(f"game {game.name!r} has {len(game.parent):,} nodes: pictures show at most {MOST_NODES}")


def _edge_label(game: ExtensiveGame, profile: Profile | None, node: int) -> str:
    before = int(game.parent[node])
    mover = int(game.mover[before])
    if mover == CHANCE:
        return f"{game.labels[node]}  {number_text(game.probabilities[node])}"
    if profile is None:
        return game.labels[node]
    return f"{game.labels[node]}  {100 * float(profile[mover][game.node_sequence[mover, node]]):.3g} %"


def number_text(number: Number) -> str:
    """Returns a number as short text; fractions as such."""
    return str(number) if isinstance(number, (int, Fraction)) else f"{number:.4g}"
