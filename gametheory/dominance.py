"""Iterated dominance: strict and weak, by pure and mixed strategies, in normal form and at information sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from hedgehog.gametheory.linear_programs import TOLERANCE, minimise, without_dust
from hedgehog.gametheory.normal_games import NormalForm, maximin, normal_form, solve_matrix
from hedgehog.gametheory.tree import CHANCE, LEAF, ExtensiveGame, Floats, Number, TreeBuilder
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import GameError

Kind = Literal["strict", "weak"]


class Dominated(NamedTuple):
    """An action that was removed."""

    round: int
    player: str
    action: str
    by: dict[str, float]
    """The actions that dominate it, with their probabilities in the mixture."""
    margin: float
    """Strict: by how much the mixture is better at least. Weak: the sum of its advantages."""


@dataclass(frozen=True, slots=True)
class Elimination:
    """What is left of a game in normal form, and the steps that lead there."""

    game: NormalForm
    steps: tuple[Dominated, ...]


def eliminate(game: NormalForm, kind: Kind = "strict", *, mixed: bool = True) -> Elimination:
    """Removes dominated actions until none is left.

    Each round removes all dominated actions of all players at once. For strict dominance the order makes no difference.
    For weak dominance it does, and the rule "all at once" settles it. In a zero-sum game the value stays.

    :param kind: ``strict`` or ``weak``.
    :param mixed: whether mixtures of actions count, or single actions only.
    """
    steps: list[Dominated] = []
    number = 0
    while True:
        number += 1
        found: list[Dominated] = []
        kept: list[list[int]] = []
        for player, name in enumerate(game.players):
            table = np.moveaxis(game.payoffs[player], player, 0).reshape(len(game.actions[player]), -1)
            kept.append([])
            for row, action in enumerate(game.actions[player]):
                by = dominator(table, row, kind, mixed=mixed)
                if by is None:
                    kept[-1].append(row)
                else:
                    weights = {game.actions[player][i]: float(w) for i, w in enumerate(by[0]) if w > 0}
                    found.append(Dominated(number, name, action, weights, by[1]))
        if not found:
            return Elimination(game, tuple(steps))
        steps += found
        game = game.keep(kept)


def dominator(table: Floats, row: int, kind: Kind, *, mixed: bool = True) -> tuple[Floats, float] | None:
    """Returns the mixture of rows that dominates a row, and its margin, or None. A single row is preferred.

    :param table: (rows, columns) payoffs.
    :raises GameError: if the kind is neither ``strict`` nor ``weak``.
    """
    if kind not in ("strict", "weak"):
        raise GameError(f"expected strict or weak dominance, got {kind!r}")
    better = table - table[row]
    margins = (
        better.min(axis=1) if kind == "strict" else np.where(better.min(axis=1) >= -TOLERANCE, better.sum(axis=1), 0.0)
    )
    best = int(np.argmax(margins))
    scale = float(np.abs(table).max(initial=0.0)) or 1.0
    if margins[best] > TOLERANCE * scale:
        return np.eye(len(table))[best], float(margins[best])
    if not mixed or len(table) < 3:
        return None
    rows, columns = table.shape
    better = better / scale
    if kind == "strict":
        mixture, margin = maximin(better)
    else:
        found, least = minimise(
            -better.sum(axis=1), at_most=(-better.T, np.zeros(columns)), equal=(np.ones((1, rows)), np.ones(1))
        )
        mixture, margin = without_dust(found), -least
        mixture /= mixture.sum()
    return (mixture, margin * scale) if margin > TOLERANCE else None


@dataclass(frozen=True, slots=True)
class InfosetElimination:
    """What is left of an extensive game, and the steps that lead there."""

    game: ExtensiveGame
    steps: tuple[Dominated, ...]


def eliminate_at_infosets(game: ExtensiveGame) -> InfosetElimination:
    """Removes actions that another action at the information set beats whatever follows, until none is left.

    The nodes of an information set that differ by chance alone are compared by their expectation. An action falls if
    for every remaining behaviour of the others its best result is below the worst result of the other action. An
    information set with one action left dissolves, and a chance move that leads to leaves only becomes their
    expectation.
    """
    steps: list[Dominated] = []
    number = 0
    while True:
        number += 1
        found = _dominated_at_infosets(game)
        if not found:
            return InfosetElimination(game, tuple(steps))
        removed: dict[int, set[str]] = {}
        for infoset, action, by, margin in found:
            removed.setdefault(infoset, set()).add(action)
            one = game.infosets[infoset]
            steps.append(
                Dominated(number, game.players[one.player], f"{one.name}: {action}", {f"{one.name}: {by}": 1.0}, margin)
            )
        game = without_actions(game, removed)


def _dominated_at_infosets(game: ExtensiveGame) -> list[tuple[int, str, str, float]]:
    low, high = _ranges(game)
    found = []
    for number, infoset in enumerate(game.infosets):
        player = infoset.player
        groups: dict[tuple[int, ...], list[int]] = {}
        for node in infoset.nodes:
            others = np.delete(game.node_sequence[:, node], player)
            groups.setdefault(tuple(others.tolist()), []).append(node)
        # (groups, actions): best and worst expectation of each action, given what the others did before.
        best, worst = (np.empty((len(groups), len(infoset.actions))) for _ in range(2))
        for row, nodes in enumerate(groups.values()):
            weights = game.chance_reach[nodes] / game.chance_reach[nodes].sum()
            children = np.array([game.child_lists[node] for node in nodes])
            best[row] = weights @ high[children, player]
            worst[row] = weights @ low[children, player]
        for index, action in enumerate(infoset.actions):
            margins = (worst - best[:, [index]]).min(axis=0)
            winner = int(np.argmax(margins))
            if margins[winner] > TOLERANCE * game.scale:
                found.append((number, action, infoset.actions[winner], float(margins[winner])))
    return found


def _ranges(game: ExtensiveGame) -> tuple[Floats, Floats]:
    """Returns two arrays (nodes, players): the least and the largest payoff that can follow a node."""
    low = np.zeros((len(game.parent), len(game.players)))
    low[game.leaves] = game.payoffs
    high = low.copy()
    for node in range(len(game.parent) - 1, -1, -1):
        children = list(game.child_lists[node])
        if game.mover[node] == CHANCE:
            chances = np.array([float(game.probabilities[child]) for child in children])
            low[node], high[node] = chances @ low[children], chances @ high[children]
        elif children:
            low[node], high[node] = low[children].min(axis=0), high[children].max(axis=0)
    return low, high


def without_actions(game: ExtensiveGame, removed: dict[int, set[str]]) -> ExtensiveGame:
    """Returns a game without some actions.

    Information sets with one action dissolve, and chance moves that lead to leaves only become their expectation.

    :param removed: number of an information set -> actions to remove there; one action at least must stay.
    :raises GameError: if no action would stay at an information set.
    """
    left = {
        number: [i for i, action in enumerate(infoset.actions) if action not in removed.get(number, set())]
        for number, infoset in enumerate(game.infosets)
    }
    for number, kept in left.items():
        if not kept:
            raise GameError(f"no action would be left at information set {game.infosets[number].name!r}")
    position = np.cumsum(game.mover == LEAF) - 1
    means: dict[int, tuple[Number, ...]] = {}

    def resolve(node: int) -> int:
        """Returns the node that stands for a node: the only child of a decision with one action left."""
        while game.mover[node] >= 0 and len(left[int(game.infoset[node])]) == 1:
            node = game.child_lists[node][left[int(game.infoset[node])][0]]
        return node

    for node in range(len(game.parent) - 1, -1, -1):
        if game.mover[node] == LEAF:
            means[node] = game.exact_payoffs[int(position[node])]
        elif game.mover[node] == CHANCE:
            ends = [(game.probabilities[child], means.get(resolve(child))) for child in game.child_lists[node]]
            known = [(p, end) for p, end in ends if end is not None]
            if len(known) == len(ends):
                means[node] = tuple(sum(p * end[i] for p, end in known) for i in range(len(game.players)))

    builder = TreeBuilder(game.name, game.players)
    stack: list[tuple[int, int, str, Number]] = [(0, -1, "", 1)]
    while stack:
        source, parent, label, probability = stack.pop()
        node = resolve(source)
        if node in means:
            builder.add_leaf(parent, label, probability, means[node])
            continue
        children = game.child_lists[node]
        if game.mover[node] == CHANCE:
            number = builder.add_chance(parent, label, probability)
        else:
            infoset = game.infosets[int(game.infoset[node])]
            kept = left[int(game.infoset[node])]
            children = tuple(children[i] for i in kept)
            number = builder.add_decision(
                parent, label, probability, infoset.player, int(game.infoset[node]),
                name=infoset.name, actions=[infoset.actions[i] for i in kept],
            )  # fmt: skip
        stack += [(c, number, game.labels[c], game.probabilities[c]) for c in reversed(children)]
    return builder.finish()


@dataclass(frozen=True, slots=True)
class Reduction:
    """What :func:`remove_dominated` has removed from a game, and what is left."""

    steps: tuple[Dominated, ...]
    summary: str
    """Sizes before and after."""
    document: dict[str, Any]
    """All results, as ``hedgehog game dominance --json`` writes them."""


def remove_dominated(
    game: ExtensiveGame | NormalForm,
    name: str,
    kind: Kind = "strict",
    *,
    in_normal_form: bool = False,
    mixed: bool = True,
) -> Reduction:
    """Removes dominated actions of a game round by round.

    In a tree an action falls if another action at the information set pays more whatever follows. In normal form, of a
    matrix, and for weak dominance, whole strategies are compared.

    :param name: name of the game.
    :param in_normal_form: compare the pure strategies of a tree.
    :param mixed: in normal form: compare also with mixtures; without them a tree is compared in normal form.
    """
    content: dict[str, Any] = {"dominance": kind}
    steps: tuple[Dominated, ...]
    if isinstance(game, NormalForm) or in_normal_form or kind == "weak" or not mixed:
        form = game if isinstance(game, NormalForm) else normal_form(game)
        done = eliminate(form, kind, mixed=mixed)
        steps = done.steps
        before, after = (" x ".join(str(len(names)) for names in one.actions) for one in (form, done.game))
        content["left"] = [list(names) for names in done.game.actions]
        summary = f"{before} pure strategies, {after} left"
        if len(form.players) == 2 and done.game.is_zero_sum:
            content["value"] = solve_matrix(done.game).value
            summary += f"; value {content['value']:.10g}"
    else:
        reduced = eliminate_at_infosets(game)
        steps = reduced.steps
        content["left"] = {
            f"{reduced.game.players[one.player]}: {one.name}": list(one.actions) for one in reduced.game.infosets
        }
        counts = reduced.game.counts
        summary = f"{game.counts.nodes:,} nodes, {counts.nodes:,} left; information sets left: {list(counts.infosets)}"
    content["steps"] = [step._asdict() for step in steps]
    return Reduction(steps, summary, json_document("game-dominance", game=name, players=game.players, **content))
