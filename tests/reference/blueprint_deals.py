"""The blueprint trainer on small games whose deals are listed in full, without card abstraction.

The kernels that train on sampled hold'em boards (:mod:`hedgehog.solver.blueprint._blueprint_kernels`) also train Kuhn,
Leduc and reduced hold'em games given as :class:`~hedgehog.solver.cfr.card_game.CardGame`. Their values are known, so
this checks the whole trainer. Buckets are lossless: one per board and hand, shared only by hands that differ in the
names of suits alone.

Preflop games with a real board need no listed deals: :func:`one_bucket_abstraction` lets
:func:`~hedgehog.solver.blueprint.training.train_blueprint` itself play them on random boards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, NUM_COMBOS
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.poker.hand_classes import HAND_CLASS
from hedgehog.poker.isomorphism import BINOMIALS, COMBO_PERMUTATIONS, NUM_BOARD_CLASSES, board_classes
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.jit import njit
from hedgehog.solver.blueprint._blueprint_kernels import MAX_HANDS, RoundProgram, RoundScratch, walk_kernel
from hedgehog.solver.blueprint.cards._abstraction_kernels import AbstractionTables
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.cards.card_config import CardConfig
from hedgehog.solver.blueprint.cards.card_tables import equity_levels
from hedgehog.solver.blueprint.program import aligned_zeros, allocate_scratch, compile_tree
from hedgehog.solver.blueprint.trainer import AVERAGE_POWER
from hedgehog.solver.blueprint.training import average_block
from hedgehog.solver.cfr.card_game import CardGame
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.cfr.solver import CfrSolver
from hedgehog.strategies.betting_tree import BettingTree, NodeKind

Strategy = Callable[[int, int], NDArray[np.float32]]
"""A function from a decision and the number of a board on its level to probabilities, float32 (hands, actions)."""


class Deals(NamedTuple):
    """All public chance outcomes of a small game, equally likely. The leading axis is the outcome."""

    num_hands: NDArray[np.int64]
    """(D,) number of hands that the outcome leaves."""
    hand_bucket: NDArray[np.int64]
    """(D, 4, MAX_HANDS) bucket of every hand by street, hands in order of strength."""
    hand_card: NDArray[np.int64]
    """(D, 2, MAX_HANDS) sixteen times each card of every hand; cards are numbered below 52."""
    tie_end: NDArray[np.int64]
    """(D, MAX_HANDS) for the first hand of every group of equally strong hands, the end of the group."""


@njit(nogil=True)
def train_deals_kernel(
    regrets: NDArray[np.float32],
    sums: NDArray[np.float32],
    scratch: RoundScratch,
    program: RoundProgram,
    deals: Deals,
    order: NDArray[np.int64],
    tremble: float,
) -> None:
    """Runs one iteration per entry of ``order``, each of which updates player 0 and then player 1 on a listed deal.

    :param order: numbers of deals.
    :param tremble: least probability of every action of the player who does not learn.
    """
    scratch.reach[program.round_street[0], :] = 1.0
    for deal in order:
        num_hands = deals.num_hands[deal]
        scratch.hand_bucket[:] = deals.hand_bucket[deal]
        scratch.hand_card[:] = deals.hand_card[deal]
        scratch.tie_end[:] = deals.tie_end[deal]
        for traverser in range(2):
            walk_kernel(regrets, sums, scratch, program, traverser, True, tremble, num_hands)


def one_bucket_abstraction() -> CardAbstraction:
    """Returns a card abstraction with 169 hands preflop and a single bucket on every later street.

    It is for games without bets after the flop.
    """
    tables = AbstractionTables(
        hand_class=HAND_CLASS,
        flop=np.zeros((NUM_BOARD_CLASSES[3], NUM_COMBOS), dtype=np.uint8),
        turn=np.zeros((NUM_BOARD_CLASSES[4], NUM_COMBOS), dtype=np.uint8),
        flop_classes=board_classes(3),
        turn_classes=board_classes(4),
        combo_permutations=COMBO_PERMUTATIONS,
        binomials=BINOMIALS,
        combo_cards=COMBO_CARDS,
        evaluator=evaluator_tables(),
        river=equity_levels(1),
    )
    return CardAbstraction(CardConfig(1, 1, 1), tables, digest="one bucket")


def lossless_buckets(game: CardGame) -> list[NDArray[np.int64]]:
    """Returns per level int64 (boards, hands): the bucket of each hand on each board.

    Two hands on one board share a bucket only if a swap of suits turns one into the other and leaves the board's
    strengths as they are. Hands on different boards share none.
    """
    buckets = []
    for depth, level in enumerate(game.levels):
        # Before any board every swap counts: boards are dealt for all their twins.
        keys = np.tile(np.arange(game.num_hands, dtype=np.int64), (len(level.strengths), 1))
        for number, strengths in enumerate(level.strengths):
            fixing = [swap for swap in game.swaps if depth == 0 or np.array_equal(strengths[swap], strengths)]
            keys[number] = np.minimum.reduce([keys[number], *(swap.astype(np.int64) for swap in fixing)])
            keys[number] += number * game.num_hands
        buckets.append(np.unique(keys, return_inverse=True)[1].reshape(keys.shape).astype(np.int64))
    return buckets


class DealTrainer:
    """Trains both players of a small game. A *sweep* takes every deal once, in random order.

    :param game: hands and boards. Both players must hold every hand with weight 1.
    :param tree: betting tree with one street per level of the game. Streets after these must have no decisions.
    :param tremble: least probability of every action of the player who does not learn.
    :param seed: seed of the order of deals.
    :raises InputError: if the game has weights, merged hands, too many hands or cards.
    """

    def __init__(self, game: CardGame, tree: BettingTree, *, tremble: float = 0.0, seed: int = 1) -> None:
        every = np.arange(game.num_hands)
        if any(not np.array_equal(hands, every) for hands in game.hands) or any(
            (weights != 1).any() for weights in game.weights
        ):
            raise InputError("expected a game in which both players hold every hand with weight 1")
        if any(level.copies is not None for level in game.levels):
            raise InputError("expected a game without merged hands")
        if game.num_hands > MAX_HANDS or game.cards.max() >= NUM_CARDS:
            raise InputError(f"expected at most {MAX_HANDS} hands and {NUM_CARDS} cards")
        self.game = game
        self.tree = tree
        self.sweeps = 0
        self._root = int(tree.street[0])
        self._tremble = tremble
        self._rng = np.random.default_rng(seed)
        self._buckets = lossless_buckets(game)
        counts = [1, 1, 1, 1]
        for level, buckets in enumerate(self._buckets):
            counts[self._root + level] = int(buckets.max()) + 1
        self._counts = (counts[0], counts[1], counts[2], counts[3])
        self._compiled = compile_tree(tree, self._counts)
        self._scratch = allocate_scratch(self._compiled.program)
        self._regrets = aligned_zeros(self._compiled.table_size)
        self._sums = aligned_zeros(self._compiled.table_size)
        self._deals = self._list_deals()
        sizes = np.array([1 + len(twins) for twins in game.levels[-1].swaps])
        self._sweep = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes // gcd(*sizes.tolist()))

    def _list_deals(self) -> Deals:
        game = self.game
        last = game.levels[-1]
        count = len(last.strengths)
        deals = Deals(
            num_hands=np.zeros(count, dtype=np.int64),
            hand_bucket=np.zeros((count, 4, MAX_HANDS), dtype=np.int64),
            hand_card=np.zeros((count, 2, MAX_HANDS), dtype=np.int64),
            tie_end=np.zeros((count, MAX_HANDS), dtype=np.int64),
        )
        for number, strengths in enumerate(last.strengths):
            live = np.flatnonzero(strengths >= 0)
            order = live[np.argsort(strengths[live], kind="stable")]
            ends = np.append(np.flatnonzero(np.diff(strengths[order])) + 1, len(order))
            deals.num_hands[number] = len(order)
            deals.hand_card[number, :, : len(order)] = LANES * game.cards[order].T
            deals.tie_end[number, np.append(0, ends[:-1])] = ends
            board = number
            for level in range(len(game.levels) - 1, -1, -1):
                deals.hand_bucket[number, self._root + level, : len(order)] = self._buckets[level][board, order]
                board = int(game.levels[level].parent[board]) if level else 0
        return deals

    def run(self, sweeps: int) -> None:
        """Trains for a number of further sweeps. Regrets and averages are discounted after each sweep."""
        for _ in range(sweeps):
            order = self._rng.permutation(self._sweep)
            train_deals_kernel(
                self._regrets, self._sums, self._scratch, self._compiled.program, self._deals, order, self._tremble
            )
            self.sweeps += 1
            discount = self.sweeps / (self.sweeps + 1)
            self._regrets *= np.float32(discount)
            self._sums *= np.float32(discount**AVERAGE_POWER)

    def strategy(self, node: int, board: int) -> NDArray[np.float32]:
        """Returns float32 (hands, actions): the average strategy at a decision on one board of its level."""
        block = average_block(self.tree, self._compiled, self._sums, self._counts, node)
        level = int(self.tree.street[node]) - self._root
        return np.asarray(block[self._buckets[level][board]])


@dataclass(frozen=True, slots=True)
class GameValue:
    """Bounds on a game's value for player 0 from a pair of strategies, in chips per hand."""

    low: float
    """What player 0 gets if player 1 plays a best response: a lower bound on the value of the game."""
    high: float
    """What player 0 gets if he plays a best response: an upper bound on the value of the game."""
    value: float
    """What player 0 gets if both follow their strategies."""

    @property
    def exploitability(self) -> float:
        """Exploitability of the strategies in chips per hand: half the distance between the bounds."""
        return (self.high - self.low) / 2


def measure_game(game: CardGame, tree: BettingTree, strategy: Strategy) -> GameValue:
    """Returns bounds on the value of a game from exact best responses to a strategy."""
    solver = CfrSolver(game, tree, threads=1)
    for level, forest in enumerate(solver.layout.forests):
        for player in (0, 1):
            for board in range(game.num_boards(level)):
                rows = np.zeros((forest.num_rows[player], len(game.hands[player])), dtype=np.float32)
                for slot in np.flatnonzero(forest.row >= 0):
                    node = int(forest.nodes[slot])
                    if tree.kind[node] == NodeKind.DECISION and tree.player[node] == player:
                        first = int(forest.row[slot])
                        actions = int(tree.num_children[node])
                        rows[first : first + actions] = strategy(node, board)[game.hands[player]].T
                solver.fill_average(level, board, player, rows)
    per_card = np.bincount(game.cards.ravel())
    pairs = float((game.num_hands + 1 - per_card[game.cards].sum(axis=1)).sum())
    best = [float(solver.root_values(p, best_response=True).sum(dtype=np.float64)) / pairs for p in (0, 1)]
    return GameValue(-best[1], best[0], float(solver.root_values(0).sum(dtype=np.float64)) / pairs)
