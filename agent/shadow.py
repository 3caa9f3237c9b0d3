"""Following a real hand on an abstract betting tree.

The real betting rarely stays on the tree, so the position is a *shadow*: a few weighted abstract nodes. A real bet
between two abstract sizes moves weight to both (mixed form) or to one drawn by lot (randomised form), with
pseudo-harmonic weights (:mod:`strategies.translation`). Sizes are compared as fractions of the pot after calling, which
keeps abstract and real hands comparable when their pots have drifted apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from poker.cards import NUM_COMBOS
from poker.state import CALL, FOLD, Action
from strategies.betting_tree import ActionKind, BettingTree, NodeKind
from strategies.translation import translate_size

MAX_SHADOWS: Final = 8
"""Weighted nodes kept; the lightest are dropped."""


class StrategySource(Protocol):
    """Anything that has a betting tree and a strategy for every hand at its decision nodes."""

    @property
    def tree(self) -> BettingTree:
        """The abstract betting tree."""
        ...

    def strategy(self, node: int, board: tuple[int, ...]) -> NDArray[np.float32]:
        """Returns float32 (actions, 1326): action probabilities of every combo, in real suits."""
        ...


@dataclass(frozen=True, slots=True)
class Situation:
    """What the rules allow at a real decision. Chips, totals over the hand."""

    street: int
    position: int
    max_spent: int
    """The larger of both players' totals, so the pot after a call is twice this."""
    own_spent: int
    """Total of the player to act."""
    stack: int
    """Total each player can put in over the hand."""
    facing_bet: bool
    raise_range: tuple[int, int] | None
    """Least and largest legal raise-to total, or None when raising is not allowed."""


Shadows = list[tuple[int, float]]
"""Abstract nodes with weights that sum to one; empty when the hand has left the tree."""


def child_fractions(tree: BettingTree, node: int) -> list[float]:
    """Returns for every child the bet or raise as a fraction of the pot after calling; -1 for fold, check and call."""
    before = int(tree.committed[node].max())
    pot_after_call = tree.root_pot + 2 * before
    player = int(tree.player[node])
    return [
        (int(tree.committed[child, player]) - before) / pot_after_call
        if tree.action[child] in (ActionKind.BET, ActionKind.RAISE, ActionKind.ALL_IN)
        else -1.0
        for child in tree.children(node)
    ]


def translate_action(tree: BettingTree, node: int, action: Action, situation: Situation) -> list[tuple[int, float]]:
    """Returns the children of ``node`` that stand for a real action, with weights; empty if none does."""
    children = tree.children(node)
    if action.kind == "f":
        return [(child, 1.0) for child in children if tree.action[child] == ActionKind.FOLD]
    passive = [(child, 1.0) for child in children if tree.action[child] in (ActionKind.CHECK, ActionKind.CALL)]
    if action.kind == "c":
        return passive
    fractions = child_fractions(tree, node)
    sized = [(child, fraction) for child, fraction in zip(children, fractions, strict=True) if fraction > 0]
    if not sized:
        # The abstraction is out of raises (it already faces an all-in): the nearest it has is a call.
        return passive
    if action.size >= situation.stack and tree.action[sized[-1][0]] == ActionKind.ALL_IN:
        return [(sized[-1][0], 1.0)]
    real = (action.size - situation.max_spent) / (2 * situation.max_spent)
    return [(sized[i][0], weight) for i, weight in translate_size([f for _, f in sized], real)]


def real_action(tree: BettingTree, node: int, child: int, fraction: float, situation: Situation) -> Action:
    """Returns the legal real action that stands for an abstract child."""
    kind = int(tree.action[child])
    if kind == ActionKind.FOLD:
        return FOLD if situation.facing_bet else CALL
    if kind in (ActionKind.CHECK, ActionKind.CALL) or situation.raise_range is None:
        return CALL
    low, high = situation.raise_range
    if kind == ActionKind.ALL_IN:
        return Action("r", high)
    total = situation.max_spent + round(fraction * 2 * situation.max_spent)
    return Action("r", min(max(total, low), high))


class Options(NamedTuple):
    """The real actions a shadow offers at a decision."""

    actions: list[Action]
    probabilities: NDArray[np.float64]
    """(actions, 1326): probability of every real action for every combo; columns of live combos sum to one."""
    sources: list[list[tuple[int, NDArray[np.float64]]]]
    """Per action: abstract children and how much of the action's probability (1326,) each contributes."""


def options(source: StrategySource, shadows: Shadows, board: tuple[int, ...], situation: Situation) -> Options:
    """Mixes the strategies at all shadow nodes into probabilities of legal real actions."""
    tree = source.tree
    actions: list[Action] = []
    parts: list[list[tuple[int, NDArray[np.float64]]]] = []
    for node, weight in shadows:
        strategy = source.strategy(node, board)
        fractions = child_fractions(tree, node)
        for i, child in enumerate(tree.children(node)):
            action = real_action(tree, node, child, fractions[i], situation)
            if action not in actions:
                actions.append(action)
                parts.append([])
            parts[actions.index(action)].append((child, weight * strategy[i].astype(np.float64)))
    probabilities = np.zeros((len(actions), NUM_COMBOS))
    for i, contributions in enumerate(parts):
        for _, share in contributions:
            probabilities[i] += share
    total = probabilities.sum(axis=0)
    np.divide(probabilities, total, out=probabilities, where=total > 0)
    return Options(actions, probabilities, parts)


def _advance(tree: BettingTree, child: int, new_street: bool) -> int | None:
    """Returns the node at which the hand goes on after ``child``, or None if the abstract hand is elsewhere."""
    if not new_street:
        return child if tree.kind[child] == NodeKind.DECISION else None
    if tree.kind[child] != NodeKind.DEAL:
        return None
    following = int(tree.first_child[child])
    return following if tree.kind[following] == NodeKind.DECISION else None


def normalise(weights: dict[int, float]) -> Shadows:
    """Keeps the heaviest nodes and scales the weights to sum to one."""
    kept = sorted(weights.items(), key=lambda item: -item[1])[:MAX_SHADOWS]
    total = sum(weight for _, weight in kept)
    return [(node, weight / total) for node, weight in kept if weight > 0] if total > 0 else []


def follow(tree: BettingTree, children: Sequence[tuple[int, float]], *, new_street: bool) -> Shadows:
    """Turns weighted children into shadows of the next decision; children whose hand has ended are dropped."""
    weights: dict[int, float] = {}
    for child, weight in children:
        node = _advance(tree, child, new_street)
        if node is not None:
            weights[node] = weights.get(node, 0.0) + weight
    return normalise(weights)


class Observation(NamedTuple):
    """What a real action of either player says."""

    likelihood: NDArray[np.float64]
    """(1326,) probability of the action for every combo of the player who took it."""
    children: list[tuple[int, float]]
    """Abstract children that stand for it, with weights."""


def observe(
    source: StrategySource,
    shadows: Shadows,
    action: Action,
    situation: Situation,
    board: tuple[int, ...],
    actor_range: NDArray[np.float64],
    draw: float | None = None,
) -> Observation | None:
    """Translates a real action and says how likely it was with every combo.

    :param actor_range: (1326,) range of the player who acted; weighs the shadows by how well they explain the action.
    :param draw: None mixes both neighbours of an off-tree size; a uniform number in [0, 1) chooses one (randomised).
    :returns: None when no shadow node has a counterpart of the action.
    """
    tree = source.tree
    mass = float(actor_range.sum())
    likelihood = np.zeros(NUM_COMBOS)
    children: list[tuple[int, float]] = []
    for node, weight in shadows:
        if tree.kind[node] != NodeKind.DECISION or tree.player[node] != situation.position:
            continue
        pairs = translate_action(tree, node, action, situation)
        if draw is not None and len(pairs) == 2:
            pairs = [(pairs[0][0] if draw < pairs[0][1] else pairs[1][0], 1.0)]
        strategy = source.strategy(node, board)
        first = int(tree.first_child[node])
        for child, share in pairs:
            row = strategy[child - first].astype(np.float64)
            likelihood += weight * share * row
            explained = float(row @ actor_range) / mass if mass > 0 else 1.0
            # A small floor: an action the strategy never takes still has to lead somewhere.
            children.append((child, weight * share * (explained + 1e-4)))
    return Observation(likelihood, children) if children else None


class NearestDecision:
    """Finds the decision node most like a real one, for hands that have left the tree."""

    def __init__(self, tree: BettingTree) -> None:
        nodes = np.flatnonzero(tree.kind == NodeKind.DECISION)
        before = tree.committed[nodes].max(axis=1).astype(np.float64)
        own = tree.committed[nodes, tree.player[nodes]]
        self._nodes = nodes
        self._street = tree.street[nodes]
        self._player = tree.player[nodes]
        self._log_pot = np.log(tree.root_pot + 2 * before)
        self._to_call = (before - own) / (tree.root_pot + 2 * before)

    def shadows(self, situation: Situation) -> Shadows:
        """Returns the node of the same street, player and kind (facing a bet or not) nearest in pot and bet size."""
        same = (self._street == situation.street) & (self._player == situation.position)
        candidates = np.flatnonzero(same & ((self._to_call > 0) == situation.facing_bet))
        if not len(candidates):
            return []
        pot_after_call = 2 * situation.max_spent
        to_call = (situation.max_spent - situation.own_spent) / pot_after_call
        # A call costs at most half the pot after it, so both terms are of the same order.
        distance = np.abs(self._log_pot[candidates] - np.log(pot_after_call))
        distance += 4 * np.abs(self._to_call[candidates] - to_call)
        return [(int(self._nodes[candidates[np.argmin(distance)]]), 1.0)]
