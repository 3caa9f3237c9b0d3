"""Shadows: the weighted nodes of an abstract betting tree that stand for a real decision.

Real betting rarely stays on an abstract tree, so a few weighted nodes of the tree stand for the real decision. A real
bet between two abstract sizes counts as both, with pseudo-harmonic weights (:mod:`hedgehog.strategies.translation`).
Sizes are compared as fractions of the pot after calling, so that abstract and real hands stay comparable when their
pots differ. This module translates single actions in both directions; :mod:`hedgehog.agent.strategy.line_shadows`
follows a whole hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind
from hedgehog.strategies.translation import DEFAULT_MAPPING, Translation, bluff_limit, real_total, translate_size

LEEWAY: Final = 1.1
"""A real bet up to this many times as large as the largest abstract bet is still taken for it."""
MAX_SHADOWS: Final = 8
"""Most nodes that stand for one decision; further nodes, those with the smallest weights, are dropped."""
# Plain integers: looking up a member of an enumeration costs more time than the work done with it here.
_FOLD, _ALL_IN = int(ActionKind.FOLD), int(ActionKind.ALL_IN)
_PASSIVE = (int(ActionKind.CHECK), int(ActionKind.CALL))


@dataclass(frozen=True, slots=True)
class Situation:
    """What the rules allow at a real decision; all amounts are chips, as totals over the hand."""

    street: int
    position: int
    max_spent: int
    """Chips that a caller has put in, at most ``stack``; the pot after a call is twice this number."""
    own_spent: int
    """Chips put in by the player to act."""
    stack: int
    """Chips that each player can put in over the whole hand: the smaller stack."""
    facing_bet: bool
    raise_range: tuple[int, int] | None
    """Smallest and largest total that a raise should have; None if no raise is legal.

    The larger of two stacks raises no higher than the smaller one can call, if the rules allow that."""


def situation_of(state: HandState) -> Situation:
    """Returns what the rules allow the acting position of a hand."""
    position, stack = state.acting_position, min(state.gamedef.stacks)
    limits = state.raise_range()
    return Situation(
        street=state.round,
        position=position,
        max_spent=min(state.max_spent, stack),
        own_spent=state.spent[position],
        stack=stack,
        facing_bet=state.can_fold(),
        raise_range=None if limits is None else (limits[0], max(limits[0], min(limits[1], stack))),
    )


Shadows = tuple[tuple[int, float], ...]
"""Pairs of an abstract decision node and its weight; the weights sum to one. Empty if the hand has left the tree."""


class Choice(NamedTuple):
    """A decision node of an abstract tree as plain numbers, which Python reads faster than arrays."""

    player: int
    kinds: tuple[int, ...]
    """For each child its :class:`ActionKind`."""
    fractions: tuple[float, ...]
    """For each child the bet or raise as a fraction of the pot after calling; -1 for fold, check and call."""
    sized: tuple[int, ...]
    """Numbers of the children that are bets or raises."""
    next_here: tuple[int, ...]
    """For each child the node of the next decision on this street; -1 if there is none."""
    next_street: tuple[int, ...]
    """For each child that ends the street, the node of the first decision on the next street; else -1.

    It is -1 too if nobody acts on the next street."""
    price: float
    """What a call costs as a fraction of the pot after it; 0 if there is nothing to call."""


class Choices(dict[int, Choice]):
    """The decision nodes of a tree as :class:`Choice` objects, which are made when they are first used."""

    def __init__(self, tree: BettingTree) -> None:
        super().__init__()
        self.tree = tree

    def __missing__(self, node: int) -> Choice:
        tree = self.tree
        player = int(tree.player[node])
        before = int(tree.committed[node].max())
        pot_after_call = tree.root_pot + 2 * before
        kinds = tuple(int(tree.action[child]) for child in tree.children(node))
        fractions = tuple(
            (int(tree.committed[child, player]) - before) / pot_after_call if kind >= ActionKind.BET else -1.0
            for child, kind in zip(tree.children(node), kinds, strict=True)
        )
        sized = tuple(i for i, fraction in enumerate(fractions) if fraction > 0)
        here, street = [], []
        for child in tree.children(node):
            kind = int(tree.kind[child])
            following = int(tree.first_child[child]) if kind == NodeKind.DEAL else -1
            here.append(child if kind == NodeKind.DECISION else -1)
            street.append(following if following >= 0 and tree.kind[following] == NodeKind.DECISION else -1)
        price = (before - int(tree.committed[node, player])) / pot_after_call
        self[node] = Choice(player, kinds, fractions, sized, tuple(here), tuple(street), price)
        return self[node]


def translate_action(
    choice: Choice, action: Action, situation: Situation, mapping: Translation = DEFAULT_MAPPING
) -> list[tuple[int, float]]:
    """Returns the children of an abstract decision that stand for a real action.

    :param choice: the abstract decision.
    :param action: the real action.
    :param situation: what the rules allowed before the real action.
    :param mapping: how a bet between two sizes is shared between them.
    :returns: pairs (child number, weight); empty if no child stands for the action.
    """
    kinds, fractions, sized = choice.kinds, choice.fractions, choice.sized
    if action.kind == "f":
        return [(i, 1.0) for i, kind in enumerate(kinds) if kind == _FOLD]
    if action.kind == "c" and not situation.facing_bet:
        # Where nothing has to be called, as before the flop with equal blinds, hands that would fold check too.
        return [(i, 1.0) for i, kind in enumerate(kinds) if kind in _PASSIVE or kind == _FOLD]
    if action.kind == "c" or not sized:
        # The abstract hand has no raise left because it faces an all-in: its nearest action is a call.
        return [(i, 1.0) for i, kind in enumerate(kinds) if kind in _PASSIVE]
    if action.size >= situation.stack and kinds[sized[-1]] == _ALL_IN:
        return [(sized[-1], 1.0)]
    real = (action.size - situation.max_spent) / (2 * situation.max_spent)
    return [(sized[i], weight) for i, weight in translate_size([fractions[i] for i in sized], real, mapping)]


def outgrows(choice: Choice, action: Action, situation: Situation) -> bool:
    """Tells whether a real bet is clearly larger than all bets of an abstract decision, of which there are some.

    The answer to the largest abstract bet folds too few hands to such a bet.
    """
    if action.kind != "r" or not choice.sized:
        return False
    if action.size >= situation.stack and choice.kinds[choice.sized[-1]] == _ALL_IN:
        return False
    real = (action.size - situation.max_spent) / (2 * situation.max_spent)
    return real > LEEWAY * choice.fractions[choice.sized[-1]]


def real_action(kind: int, fraction: float, situation: Situation) -> Action:
    """Returns the legal real action that stands for an abstract action.

    :param kind: :class:`ActionKind` of the abstract action.
    :param fraction: its size as a fraction of the pot after calling; -1 for fold, check and call.
    :param situation: what the rules allow at the real decision.
    """
    if kind == _FOLD:
        return FOLD if situation.facing_bet else CALL
    if kind in _PASSIVE or situation.raise_range is None:
        return CALL
    if kind == _ALL_IN:
        return Action("r", situation.raise_range[1])
    return Action("r", real_total(fraction, situation.max_spent, situation.raise_range))


def exact_action(tree: BettingTree, child: int, situation: Situation) -> Action:
    """Returns the legal action that an action of a tree with the chips of the real hand stands for.

    :param child: the node of the tree that the action leads to.
    :param situation: what the rules allow at the real decision.
    """
    kind = int(tree.action[child])
    if kind == _FOLD:
        return FOLD
    if kind in _PASSIVE or situation.raise_range is None:
        return CALL
    low, high = situation.raise_range
    total = tree.root_pot // 2 + int(tree.committed[child].max())
    return Action("r", min(max(total, low), high))


def fold_share(situation: Situation, shadows: Sequence[tuple[Choice, float]]) -> float:
    """Returns the share of the abstract folds that stay folds at a real decision; the others become calls.

    A real bet below the smallest abstract size is treated as that size, but a bluff with it risks fewer chips. If fewer
    hands fold, in proportion to bet / (pot + bet), such a bluff pays no more than a bluff with the abstract size. For
    a bet between two abstract sizes the pseudo-harmonic weights have this effect, and the share is 1.

    :param situation: what the rules allow at the real decision.
    :param shadows: the abstract decisions that stand for it, with their weights.
    """
    if not situation.facing_bet:
        return 1.0
    price = (situation.max_spent - situation.own_spent) / (2 * situation.max_spent)
    limit = sum(weight * bluff_limit(choice.price) for choice, weight in shadows)
    return min(1.0, bluff_limit(price) / limit) if limit > 0 else 1.0


def normalise(weights: dict[int, float]) -> Shadows:
    """Returns the :data:`MAX_SHADOWS` heaviest nodes, with their weights scaled to sum to one.

    :param weights: weight by node.
    """
    kept = sorted(weights.items(), key=lambda item: -item[1])[:MAX_SHADOWS]
    total = sum(weight for _, weight in kept)
    return tuple((node, weight / total) for node, weight in kept if weight > 0) if total > 0 else ()


class NearestDecision:
    """Finds the decision node of a tree that is most similar to a real decision, for hands that have left the tree."""

    def __init__(self, tree: BettingTree) -> None:
        """Reads the decisions of a whole-game tree."""
        nodes = np.flatnonzero(tree.kind == NodeKind.DECISION)
        self._first_pot = tree.root_pot + 2 * int(tree.committed[0].max())
        before = tree.committed[nodes].max(axis=1).astype(np.float64)
        own = tree.committed[nodes, tree.player[nodes]]
        self._nodes = nodes
        self._street = tree.street[nodes]
        self._player = tree.player[nodes]
        self._log_pot = np.log(tree.root_pot + 2 * before)
        self._to_call = (before - own) / (tree.root_pot + 2 * before)

    def shadows(self, situation: Situation, big_blind: int) -> Shadows:
        """Returns the decision node that is most similar to a real decision, with weight 1.

        The node has the same street and player, and faces a bet if the real decision does. Among such nodes it is the
        nearest in pot, counted in big blinds, and bet size. The result is empty if there is no such node.

        :param situation: the real decision.
        :param big_blind: the big blind of the real game, in chips.
        """
        same = (self._street == situation.street) & (self._player == situation.position)
        candidates = np.flatnonzero(same & ((self._to_call > 0) == situation.facing_bet))
        if not len(candidates):
            return ()
        pot_after_call = 2 * situation.max_spent
        to_call = (situation.max_spent - situation.own_spent) / pot_after_call
        tree_pot = pot_after_call * self._first_pot / (2 * big_blind)
        # A call costs at most half the pot after it, so both terms are of the same order.
        distance = np.abs(self._log_pot[candidates] - np.log(tree_pot))
        distance += 4 * np.abs(self._to_call[candidates] - to_call)
        return ((int(self._nodes[candidates[np.argmin(distance)]]), 1.0),)
