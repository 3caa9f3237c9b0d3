"""Exact solutions of preflop-only games: after the last call the board is checked down.

Hands are the 169 classes. A strategy is therefore a matrix, and an iteration is a few products with the 169 x 169 table
of equities. These games anchor the blueprint: push/fold and limp-or-jam at ten big blinds have published solutions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_SIZES, NUM_HAND_CLASSES
from hedgehog.poker.isomorphism import COMBO_PERMUTATIONS
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.solver.cfr.card_game import CardGame, CardLevel
from hedgehog.strategies.bet_menus import BlueprintMenu
from hedgehog.strategies.betting_tree import BettingTree, NodeKind

Array = NDArray[np.float64]


def two_card_strengths() -> NDArray[np.int32]:
    """Returns int32[169]: the strength of each class without a board. Pairs rank first, then high card, second card."""
    rows, columns = np.divmod(np.arange(NUM_HAND_CLASSES), 13)
    high, low = np.maximum(rows, columns), np.minimum(rows, columns)
    return np.asarray(np.where(high == low, 1_000, 0) + 13 * high + low, dtype=np.int32)


def two_card_equities() -> Array:
    """Returns float64[169, 169]: the equity of the row's class against the column's class without a board."""
    strength = two_card_strengths()
    return np.asarray(0.5 + 0.5 * np.sign(strength[:, None] - strength[None, :]), dtype=np.float64)


def two_card_game() -> CardGame:
    """Returns the card game without a board: all hands, and a single deal."""
    every = np.arange(NUM_COMBOS, dtype=np.int32)
    ones = np.ones(NUM_COMBOS, dtype=np.float32)
    strengths = two_card_strengths()[HAND_CLASS][None]
    return CardGame(
        cards=COMBO_CARDS.astype(np.int32),
        hands=(every, every),
        weights=(ones, ones),
        levels=(CardLevel(strengths, np.zeros(0, dtype=np.int32), 1.0, ((),)),),
        swaps=COMBO_PERMUTATIONS.astype(np.int32),
    )


def class_pair_weights() -> Array:
    """Returns float64[169, 169]: the probability that two players are dealt the row's and the column's class."""
    shared = (COMBO_CARDS[:, None, :, None] == COMBO_CARDS[None, :, None, :]).any(axis=(2, 3))
    member = (HAND_CLASS[:, None] == np.arange(NUM_HAND_CLASSES)).astype(np.float64)
    pairs: Array = member.T @ ~shared @ member
    return np.asarray(pairs / pairs.sum())


def preflop_menu(*, limp: bool = True, jam: bool = True, pot_raises: int = 0) -> BlueprintMenu:
    """Returns the menu of a preflop game whose hands are checked down after the flop.

    :param limp: whether the button may call first in.
    :param jam: whether all-in may be bet.
    :param pot_raises: how many pot-sized raises there may be.
    """
    none: tuple[float, ...] = ()
    raises = (3.0,) if pot_raises else none
    return BlueprintMenu(
        opens=raises,
        isolations=raises,
        reraises=(raises,),
        bets=(none, none, none),
        raises=((none,), (none,), (none,)),
        caps=(max(pot_raises, 1), 0, 0, 0),
        limp=limp,
        all_in=jam,
    )


def preflop_tree(stack: int, *, limp: bool = True, jam: bool = True, pot_raises: int = 0) -> BettingTree:
    """Returns the betting tree of :func:`preflop_menu` with blinds 50/100.

    :param stack: stack in big blinds.
    """
    return build_blueprint_tree(preflop_menu(limp=limp, jam=jam, pot_raises=pot_raises), stack=100 * stack)


@dataclass(frozen=True, slots=True)
class PreflopSolution:
    """An approximate equilibrium of a preflop game."""

    value_low: float
    """Winnings of the button's strategy, in mbb per hand, when the big blind plays a best response to it."""
    value_high: float
    """Winnings of a best response of the button to the big blind's strategy, in mbb per hand."""
    strategy: dict[int, Array]
    """Decision node -> float64[169, actions]."""

    def share(self, tree: BettingTree, node: int, action: int) -> float:
        """Returns how often ``action`` is taken at ``node``, over all combos with equal weight."""
        return float(HAND_CLASS_SIZES @ self.strategy[node][:, action] / HAND_CLASS_SIZES.sum())


def solve_preflop_game(tree: BettingTree, equities: Array, iterations: int) -> PreflopSolution:
    """Returns an approximate equilibrium of a preflop game, by CFR+ with linearly weighted averages.

    At a deal of the flop, as at a showdown before it, the hands are compared.

    :param equities: (169, 169) equity of the row's class against the column's, ties half.
    :raises InputError: if the tree has decisions after the flop that offer more than a check.
    """
    game = _Game(tree, equities)
    regrets = {node: np.zeros((NUM_HAND_CLASSES, int(tree.num_children[node]))) for node in game.decisions}
    sums = {node: np.zeros_like(table) for node, table in regrets.items()}
    for iteration in range(1, iterations + 1):
        for player in (0, 1):
            game.update(regrets, sums, player, float(iteration))
    average = {node: _normalised(table) for node, table in sums.items()}
    return PreflopSolution(*best_response_bracket(tree, equities, average), average)


def best_response_bracket(
    tree: BettingTree, equities: Array, strategy: Mapping[int, NDArray[Any]]
) -> tuple[float, float]:
    """Returns two winnings of the button in mbb per hand.

    The first is what the button's part of the strategy wins against a best response of the big blind. The second is
    what a best response of the button wins against the big blind's part.

    :param strategy: preflop decision node -> (169, actions) probabilities.
    :raises InputError: if the tree has decisions after the flop that offer more than a check.
    """
    game = _Game(tree, equities)
    unit = 1000.0 / float(tree.committed[0].max())
    best_oop, best_ip = (game.best_response(strategy, player) * unit for player in (0, 1))
    return -best_oop, best_ip


def _normalised(table: Array) -> Array:
    total = table.sum(axis=1, keepdims=True)
    even = np.full_like(table, 1.0 / table.shape[1])
    return np.asarray(np.divide(table, total, out=even, where=total > 0))


class _Game:
    """A preflop game. Values are in chips, weighted with the probability of the deal and the opponent's reach."""

    def __init__(self, tree: BettingTree, equities: Array) -> None:
        self.tree = tree
        self.pairs = class_pair_weights()
        margins = 2.0 * equities - 1.0
        self.showdown = self.pairs * margins
        self.decisions = [int(n) for n in np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.street == 0))]
        after = (tree.kind == NodeKind.DECISION) & (tree.street > 0) & (tree.num_children > 1)
        if after.any():
            raise InputError("expected a preflop game: no bets after the flop")

    def _terminal(self, node: int, player: int, theirs: Array) -> Array | None:
        """Returns the values of all classes at the end of the betting, None at a decision."""
        tree = self.tree
        kind = tree.kind[node]
        if kind == NodeKind.FOLD:
            lost = float(tree.committed[node, tree.player[node]])
            return np.asarray((-lost if tree.player[node] == player else lost) * (self.pairs @ theirs))
        if kind in (NodeKind.SHOWDOWN, NodeKind.DEAL):
            return np.asarray(float(tree.committed[node].min()) * (self.showdown @ theirs))
        return None

    def update(self, regrets: dict[int, Array], sums: dict[int, Array], player: int, weight: float) -> None:
        def walk(node: int, mine: Array, theirs: Array) -> Array:
            ended = self._terminal(node, player, theirs)
            if ended is not None:
                return ended
            strategy = _normalised(regrets[node])
            children = self.tree.children(node)
            if self.tree.player[node] != player:
                parts = [walk(c, mine, theirs * strategy[:, a]) for a, c in enumerate(children)]
                return np.asarray(np.sum(parts, axis=0))
            values = np.stack([walk(c, mine * strategy[:, a], theirs) for a, c in enumerate(children)], axis=1)
            value: Array = (strategy * values).sum(axis=1)
            sums[node] += weight * mine[:, None] * strategy
            np.maximum(regrets[node] + values - value[:, None], 0.0, out=regrets[node])
            return value

        ones = np.ones(NUM_HAND_CLASSES)
        walk(0, ones, ones)

    def best_response(self, strategy: Mapping[int, NDArray[Any]], player: int) -> float:
        """Returns what a best response of ``player`` wins, in chips per hand."""

        def walk(node: int, theirs: Array) -> Array:
            ended = self._terminal(node, player, theirs)
            if ended is not None:
                return ended
            children = self.tree.children(node)
            if self.tree.player[node] == player:
                return np.asarray(np.max([walk(c, theirs) for c in children], axis=0))
            table = strategy[node]
            return np.asarray(np.sum([walk(c, theirs * table[:, a]) for a, c in enumerate(children)], axis=0))

        return float(walk(0, np.ones(NUM_HAND_CLASSES)).sum())
