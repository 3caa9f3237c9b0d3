"""The game ms1f1 with a flop on buckets, and its flops solved again: what safe and unsafe solves lose in a whole game.

ms1f1 is a game of the notes of Slumbot 2017 and 2019 (:mod:`tests.reference.flop_games`). Its *base* is solved on
buckets: two hands of the same class before the flop are one if their wins less their losses against all hands are as
many, whatever the flop; before the flop nothing is grouped. Then every flop is solved again with single hands by the
product's solver, from the ranges with which the base comes there, and the exploitability of the whole is computed.
Suits decide nothing in this game, so that one flop of each rank stands for four, and all reaches are symmetric in the
suits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, NUM_COMBOS
from hedgehog.poker.hand_classes import HAND_CLASS, NUM_HAND_CLASSES
from hedgehog.solver.cfr.card_game import CardGame, CardLevel
from hedgehog.solver.cfr.programs import Forest
from hedgehog.solver.cfr.solver import CfrSolver
from hedgehog.strategies.betting_tree import BettingTree, NodeKind, subtree
from tests.reference.flop_games import Bracket, flop_card_game, one_bet_tree

Array = NDArray[np.float64]
Profile = dict[int, Array]
"""Decision node -> probabilities (actions, 1326) before the flop, (actions, 13, 1326) on it."""
Way = Literal["unsafe", "safe", "estimate"]

_FLOPS = 13
_TWINS = 4
_PER_FLOP = _TWINS / (NUM_CARDS - 4)


class FlopOfOneCard:
    """The game: values of hands are in chips times the opponent's weight."""

    def __init__(self, stack: int = 81) -> None:
        self.tree = one_bet_tree(stack)
        strengths = flop_card_game(1).levels[1].strengths
        self.live = strengths >= 0
        self.strengths = np.where(self.live, strengths, 0)
        self._flop = np.broadcast_to(np.arange(_FLOPS)[:, None], strengths.shape)
        self._shape = (_FLOPS, NUM_CARDS, int(strengths.max()) + 1)
        self._class_sizes = np.bincount(HAND_CLASS, minlength=NUM_HAND_CLASSES)

    def against(self, reach: Array) -> Array:
        """Returns the weight of the opponent's hands that each hand can meet; shapes (1326,) or (13, 1326)."""
        by_card = np.zeros((*reach.shape[:-1], NUM_CARDS))
        for column in (0, 1):
            for card in range(NUM_CARDS):
                by_card[..., card] += reach[..., COMBO_CARDS[:, column] == card].sum(axis=-1)
        held = by_card[..., COMBO_CARDS].sum(axis=-1)
        return np.asarray(reach.sum(axis=-1, keepdims=True) - held + reach)

    def showdown(self, reach: Array) -> Array:
        """Returns (13, 1326): the weight of the opponent's hands that each hand beats, less that of those it loses to.

        :param reach: (13, 1326), 0 for hands that hold the flop.
        """
        held = np.zeros(self._shape)
        for column in (0, 1):
            np.add.at(held, (self._flop, COMBO_CARDS[None, :, column], self.strengths), reach)
        below = held.cumsum(axis=2) - held
        margin = 2 * below + held - held.sum(axis=2, keepdims=True)
        margin_of_all = margin.sum(axis=1) / 2  # every hand holds two cards
        found = np.take_along_axis(margin_of_all, self.strengths, axis=1)
        for column in (0, 1):
            found = found - margin[self._flop, COMBO_CARDS[None, :, column], self.strengths]
        return np.where(self.live, found, 0.0)

    def deal(self, values: Array) -> Array:
        """Returns (1326,): the mean of values of all flops, which are symmetric in the suits."""
        sums = np.bincount(HAND_CLASS, _PER_FLOP * values.sum(axis=0), NUM_HAND_CLASSES)
        return np.asarray((sums / self._class_sizes)[HAND_CLASS])

    def walk(
        self, player: int, decide: Callable[[int, list[Array], Array], Array], profile: Callable[[int], Array]
    ) -> Array:
        """Returns (1326,): the values of a player's hands at the root.

        :param decide: called at a decision of the player with the node, the values of the actions and the own reach;
            returns the values of the decision.
        :param profile: strategy of a decision node.
        """
        tree = self.tree

        def visit(node: int, own: Array, other: Array) -> Array:
            kind = NodeKind(int(tree.kind[node]))
            if kind == NodeKind.FOLD:
                lost = float(tree.committed[node, tree.player[node]])
                found = (-lost if tree.player[node] == player else lost) * self.against(other)
                return np.asarray(np.where(self.live, found, 0.0) if other.ndim == 2 else found)
            if kind == NodeKind.SHOWDOWN:
                return float(tree.committed[node].min()) * self.showdown(other)
            if kind == NodeKind.DEAL:
                return self.deal(
                    visit(int(tree.first_child[node]), *(np.where(self.live, r, 0.0) for r in (own, other)))
                )
            rows = profile(node)
            children = tree.children(node)
            if tree.player[node] != player:
                return np.asarray(sum(visit(c, own, other * row) for c, row in zip(children, rows, strict=True)))
            values = [visit(c, own * row, other) for c, row in zip(children, rows, strict=True)]
            return decide(node, values, own)

        ones = np.ones(NUM_COMBOS)
        return visit(0, ones, ones)

    def bracket(self, profile: Profile) -> Bracket:
        """Returns what the button wins if the other player answers best, and if the button does."""
        hands = NUM_COMBOS * (NUM_COMBOS - 101) * float(self.tree.committed[0].max()) / 1000
        best = [
            float(self.walk(player, lambda _, values, __: np.max(values, axis=0), profile.__getitem__).sum()) / hands
            for player in (0, 1)
        ]
        return Bracket(-best[0], best[1])

    def reaches(self, profile: Profile) -> dict[int, tuple[Array, Array]]:
        """Returns both players' reaches of every decision node."""
        found = {}
        todo = [(0, np.ones(NUM_COMBOS), np.ones(NUM_COMBOS))]
        while todo:
            node, *reach = todo.pop()
            if self.tree.kind[node] == NodeKind.DEAL:
                todo.append((int(self.tree.first_child[node]), *(np.where(self.live, r, 0.0) for r in reach)))
            if self.tree.kind[node] != NodeKind.DECISION:
                continue
            found[node] = (reach[0], reach[1])
            for row, child in zip(profile[node], self.tree.children(node), strict=True):
                after = list(reach)
                after[self.tree.player[node]] = reach[self.tree.player[node]] * row
                todo.append((child, *after))
        return found


def solve_on_buckets(game: FlopOfOneCard, iterations: int, *, buckets: bool = True) -> Profile:
    """Returns the average strategies of CFR+ with linear weights, on buckets of the flop or on single hands."""
    everyone = np.where(game.live, 1.0, 0.0)
    margin = np.rint(game.showdown(everyone)).astype(np.int64)
    margin[~game.live] = margin.max() + 1
    key = margin * NUM_HAND_CLASSES + HAND_CLASS
    group = np.unique(key, return_inverse=True)[1].reshape(key.shape)
    if not buckets:
        group = np.arange(key.size).reshape(key.shape)
    num_groups = int(group.max()) + 1
    tree = game.tree
    decisions = np.flatnonzero(tree.kind == NodeKind.DECISION).tolist()
    on_flop = {node: bool(tree.street[node] == 3) for node in decisions}
    width = {node: num_groups if on_flop[node] else NUM_COMBOS for node in decisions}
    regrets = {node: np.zeros((int(tree.num_children[node]), width[node])) for node in decisions}
    sums = {node: np.zeros_like(table) for node, table in regrets.items()}

    def shares(table: Array) -> Array:
        total = table.sum(axis=0)
        return np.divide(table, total, out=np.full_like(table, 1 / len(table)), where=total > 0)

    def spread(node: int, rows: Array) -> Array:
        return rows[:, group] if on_flop[node] else rows

    def gather(node: int, values: Array) -> Array:
        return np.bincount(group.ravel(), values.ravel(), num_groups) if on_flop[node] else values

    for iteration in range(1, iterations + 1):
        for player in (0, 1):

            def learn(node: int, values: list[Array], own: Array, weight: float = float(iteration)) -> Array:
                rows = shares(regrets[node])
                value = np.asarray(sum(v * row for v, row in zip(values, spread(node, rows), strict=True)))
                gained = np.stack([gather(node, v - value) for v in values])
                sums[node] += weight * gather(node, own) * rows
                np.maximum(regrets[node] + gained, 0.0, out=regrets[node])
                return value

            game.walk(player, learn, lambda node: spread(node, shares(regrets[node])))
    return {node: spread(node, shares(table)) for node, table in sums.items()}


def resolve(
    game: FlopOfOneCard, base: Profile, way: Way, iterations: int, *, nested: bool = False, even: float = 0.0
) -> Profile:
    """Returns a profile whose flops are solved again, once for each player, and whose rest is the base.

    :param way: as in :mod:`hedgehog.agent.strategy.resolving`. The payoffs are those of the base at the start of the
        flop, and of the solve before at later decisions.
    :param nested: solve again at every decision of the solving player, from the ranges of the solve before.
    :param even: weight that is added to every hand of the other player's range; a hand without weight teaches nothing.
    """
    found = dict(base)
    for solving in (0, 1):
        profile = dict(base)
        roots = [int(game.tree.first_child[n]) for n in np.flatnonzero(game.tree.kind == NodeKind.DEAL).tolist()]
        while roots:
            root = roots.pop(0)
            below = subtree(game.tree, root)[1]
            decisions = [int(n) for n in below if game.tree.kind[n] == NodeKind.DECISION]
            _solve_below(game, base, profile, root, solving, way, iterations, even)
            if nested:
                roots += [n for n in decisions if n != root and game.tree.player[n] == solving]
        for node in np.flatnonzero(game.tree.kind == NodeKind.DECISION).tolist():
            if game.tree.player[node] == solving:
                found[node] = profile[node]
    return found


def _solve_below(
    game: FlopOfOneCard,
    base: Profile,
    profile: Profile,
    root: int,
    solving: int,
    way: Way,
    iterations: int,
    even: float,
) -> None:
    """Writes a new solution of a node of all flops into a profile, for both players."""
    tree, nodes = subtree(game.tree, root)
    reach = game.reaches(profile)[root]
    for flop in range(_FLOPS):
        ranges = [reach[0][flop], reach[1][flop]]
        ranges[1 - solving] = ranges[1 - solving] + even * game.live[flop]
        cards = _one_flop(game, flop, (ranges[0], ranges[1]))
        solver = CfrSolver(cards, tree, threads=1)
        forest = solver.layout.forests[0]
        if way != "unsafe":
            for player in (0, 1):
                rows = np.zeros((forest.num_rows[player], NUM_COMBOS), dtype=np.float32)
                for slot, node in _decisions(tree, forest, player):
                    first = int(forest.row[slot])
                    strategy = profile[int(nodes[node])][:, flop]
                    rows[first : first + len(strategy)] = strategy
                solver.fill_average(0, 0, player, rows)
            chooser = 1 - solving
            solver.offer(chooser, solver.root_values(chooser, best_response=way == "safe"))
            for player in (0, 1):
                solver.fill_average(0, 0, player, np.zeros((forest.num_rows[player], NUM_COMBOS), dtype=np.float32))
        solver.step(iterations)
        for player in (0, 1):
            for slot, node in _decisions(tree, forest, player):
                old = int(nodes[node])
                if profile[old] is base[old]:
                    profile[old] = base[old].copy()
                profile[old][:, flop] = solver.strategy(0, 0, slot)


def _decisions(tree: BettingTree, forest: Forest, player: int) -> list[tuple[int, int]]:
    """Returns slots and nodes of a player's decisions."""
    found = [(slot, int(node)) for slot, node in enumerate(forest.nodes)]
    return [
        (slot, node) for slot, node in found if tree.kind[node] == NodeKind.DECISION and tree.player[node] == player
    ]


def _one_flop(game: FlopOfOneCard, flop: int, reach: tuple[Array, Array]) -> CardGame:
    every = np.arange(NUM_COMBOS, dtype=np.int32)
    strengths = np.where(game.live[flop], game.strengths[flop], -1).astype(np.int32)[None]
    weights = (reach[0].astype(np.float32), reach[1].astype(np.float32))
    level = CardLevel(strengths, np.zeros(0, dtype=np.int32), 1.0, ((),))
    return CardGame(COMBO_CARDS.astype(np.int32), (every, every), weights, (level,), every[None][:0])
