"""The EV of every action before the flop for every hand class: both players follow a blueprint after the action.

The whole blueprint is walked on random boards, with all hands of both players at once. What an action is worth on a
board depends much on luck: how often the hand can be dealt beside the board at all, and whether the board suits it.
Of some such figures the mean over all boards is known exactly: how many of the opponent's hands the class meets, and
how often it would win a showdown against them. The values are corrected by what these figures were off on the sampled
boards (control variates, by least squares), which leaves the folds and all-ins without any error and the rest with a
smaller one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_CARDS
from hedgehog.poker.evaluation.equity import class_equities, class_pairs
from hedgehog.poker.evaluation.matchups import MATCHUP_BOARDS
from hedgehog.poker.hand_classes import NUM_HAND_CLASSES
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.preflop._value_kernels import Figures, preflop_values_kernel
from hedgehog.solver.blueprint.program import (
    CHIPS_PER_UNIT,
    CompiledTree,
    aligned_zeros,
    allocate_scratch,
    compile_tree,
    padded,
)
from hedgehog.strategies.betting_tree import BettingTree, NodeKind
from hedgehog.strategies.preflop_values import opponent_reach, preflop_decisions

Floats = NDArray[np.float64]
Block = Callable[[int], NDArray[np.floating]]
"""Function of a decision node that returns (buckets, actions) probabilities."""
CHUNK: Final = 50
"""Boards that are walked at a time. A chunk has random numbers of its own; chunks belong to the two halves in turn."""
_SHARE: Final = MATCHUP_BOARDS / comb(NUM_CARDS, 5)
"""Probability that a board misses two given hands."""
_CUTOFF: Final = 1e-7
"""Figures whose part that others do not explain has a smaller share of their variance than this are not used."""


@dataclass(frozen=True, slots=True)
class ActionValues:
    """What the actions of a decision are worth to every hand class, in chips from the decision on: a fold is worth 0.

    All arrays are NaN where the opponent's strategy never comes to the decision.
    """

    node: int
    """The decision."""
    halves: Floats
    """(2, 169, actions) EV, estimated on either half of the boards."""
    mean: Floats
    """(169, actions) EV, estimated on all boards."""
    error_to_best: Floats
    """(169, actions) standard error of the difference between the EV and that of the best action by ``mean``."""
    error_to_mixed: Floats
    """(169, actions) standard error of the difference between the EV and the mean over the strategy's actions."""


class Sums(NamedTuple):
    """What has been summed up over the sampled boards."""

    chunks: int
    """Number of chunks of boards."""
    sums: Floats
    """(2, figures) sums over the boards of either half."""
    products: Floats
    """Sums of products over all boards."""


class PreflopWalk:
    """The sums over sampled boards from which the values are estimated; walks may go on at any time."""

    def __init__(self, tree: BettingTree, block: Block, abstraction: CardAbstraction, seed: int = 1) -> None:
        """
        :param tree: whole-game tree of the blueprint.
        :param block: its strategy.
        :param abstraction: its card buckets, among which are all 169 classes before the flop.
        :param seed: seed of the boards.
        :raises InputError: if the blueprint does not tell all hand classes apart before the flop.
        """
        if abstraction.bucket_counts[0] != NUM_HAND_CLASSES:
            raise InputError(f"expected {NUM_HAND_CLASSES} buckets before the flop, got {abstraction.bucket_counts[0]}")
        self.tree, self.seed = tree, seed
        self.compiled = compile_tree(tree, abstraction.bucket_counts)
        self.program = self.compiled.program
        self._cards = abstraction.tables
        self._table = strategy_table(tree, block, self.compiled)
        self._scratch = allocate_scratch(self.program)
        self._preflop = aligned_zeros(int(self.program.round_table[1]))
        self.nodes = _preflop_nodes(tree, self.compiled)
        """Tree node of every decision before the flop, in the order of the compiled tree."""
        self.strategy = {node: np.asarray(block(node), dtype=np.float64) for node in self.nodes}
        self.reach = opponent_reach(tree, self.strategy)
        self._ranges = {node: self._ranges_of(node) for node in self.nodes}
        counts = np.array([int(tree.num_children[n]) + 2 * len(self._ranges[n]) for n in self.nodes], dtype=np.int64)
        sizes, squares = NUM_HAND_CLASSES * counts, NUM_HAND_CLASSES * counts**2
        self.figures = Figures(
            counts,
            np.cumsum(sizes) - sizes,
            np.cumsum(squares) - squares,
            np.concatenate([[0], np.cumsum([len(self._ranges[n]) for n in self.nodes])]).astype(np.int64),
            np.concatenate([self._ranges[n] for n in self.nodes]),
        )
        self.state = Sums(0, np.zeros((2, int(sizes.sum()))), np.zeros(int(squares.sum())))
        """The sums so far. It is replaced as a whole, so that an interrupt leaves it as it was."""

    @property
    def boards(self) -> int:
        """Number of boards so far."""
        return self.state.chunks * CHUNK

    def walk(self) -> None:
        """Walks one more chunk of boards."""
        chunks, sums, products = self.state
        more, more_products = np.zeros_like(sums), np.zeros_like(products)
        preflop_values_kernel(
            more[chunks % 2],
            more_products,
            self._preflop,
            self._scratch,
            self._table,
            self.program,
            self._cards,
            self.figures,
            CHUNK,
            self.random_state(chunks),
        )
        self.state = Sums(chunks + 1, sums + more, products + more_products)

    def random_state(self, chunk: int) -> NDArray[np.uint64]:
        """Returns the state of the random generator at the first board of a chunk."""
        return np.array([(self.seed * 0xD1342543DE82EF95 + (chunk << 40)) % 2**64], dtype=np.uint64)

    def _ranges_of(self, node: int) -> Floats:
        """Returns the opponent's ranges whose figures are counted at a decision: its own, and what a raise leaves."""
        found = [self.reach[node]]
        for child in self.tree.children(node):
            if self.tree.kind[child] == NodeKind.DECISION:
                going_on = 1 - self.strategy[child][:, 0]  # a raise can always be folded to
                found.append(self.reach[node] * going_on)
        return np.array(found)

    def raw_values(self, number: int) -> Floats:
        """Returns (169, actions): plain means over all boards, in thousands of chips as the kernel sums them up.

        :param number: number of the decision in ``nodes``.
        """
        actions = int(self.tree.num_children[self.nodes[number]])
        return np.asarray(self._means(number)[2][:, :actions])

    def values(self) -> list[ActionValues]:
        """Returns the values at every decision before the flop.

        :raises InputError: if there are not two chunks of boards.
        """
        if self.state.chunks < 2:
            raise InputError(f"expected at least {2 * CHUNK} boards")
        return [self._values(number) for number in range(len(self.nodes))]

    def _means(self, number: int) -> Floats:
        """Returns (3, 169, figures): the means over the boards of both halves and of all."""
        count, start = int(self.figures.num_figures[number]), int(self.figures.sum_start[number])
        sums = self.state.sums[:, start : start + NUM_HAND_CLASSES * count].reshape(2, NUM_HAND_CLASSES, count)
        whole = self.state.chunks
        chunks = np.array([(whole + 1) // 2, whole // 2, whole])
        together = np.concatenate([sums, sums.sum(axis=0, keepdims=True)])
        return np.asarray(together / np.maximum(1, chunks * CHUNK)[:, None, None])

    def _values(self, number: int) -> ActionValues:
        node, count = self.nodes[number], int(self.figures.num_figures[number])
        actions = int(self.tree.num_children[node])
        start = int(self.figures.product_start[number])
        square = self.state.products[start : start + NUM_HAND_CLASSES * count**2].reshape(
            NUM_HAND_CLASSES, count, count
        )
        means = self._means(number)
        square = np.triu(square) + np.triu(square, 1).transpose(0, 2, 1)
        covariance = square / self.boards - means[2][:, :, None] * means[2][:, None, :]
        exact = exact_figures(self._ranges[node])
        slopes = _slopes(covariance, actions)
        corrected = means[:, :, :actions] + np.einsum("bza,hbz->hba", slopes, exact - means[:, :, actions:])
        rest = np.concatenate([np.broadcast_to(np.eye(actions), (NUM_HAND_CLASSES, actions, actions)), -slopes], axis=1)
        spread = np.einsum("bia,bij,bjc->bac", rest, covariance, rest) / self.boards
        met = exact[:, 0]  # the opponent's hands that the class meets
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.where(met > 0, CHIPS_PER_UNIT / met, np.nan)[:, None]
            own = float(self.tree.committed[node, self.tree.player[node]])
            evs = corrected * scale + own
            mixed = self.strategy[node]
            best = np.eye(actions)[np.where(np.isnan(evs[2]), 0, evs[2]).argmax(axis=1)]
            to_best, to_mixed = (_errors(spread, reference) * scale for reference in (best, mixed))
        return ActionValues(node, evs[:2], evs[2], to_best, to_mixed)


def _slopes(covariance: Floats, actions: int) -> Floats:
    """Returns (169, known figures, actions): how the values depend on the figures whose means are known.

    :param covariance: (169, figures, figures), the actions first.
    """
    known = covariance[:, actions:, actions:]
    size = np.sqrt(np.maximum(0, np.diagonal(known, axis1=1, axis2=2)))
    unit = np.divide(1, size, out=np.zeros_like(size), where=size > 0)
    correlation = known * unit[:, :, None] * unit[:, None, :]
    inverse = np.linalg.pinv(correlation, rcond=_CUTOFF, hermitian=True)
    return np.asarray(unit[:, :, None] * (inverse @ (unit[:, :, None] * covariance[:, actions:, :actions])))


def _errors(spread: Floats, reference: Floats) -> Floats:
    """Returns (169, actions): standard errors of the differences between the values and a mix of them.

    :param spread: (169, actions, actions) covariance of the values.
    :param reference: (169, actions) weights of the mix, which sum to one.
    """
    difference = np.eye(spread.shape[1]) - reference[:, None, :]  # (169, action, weights)
    variance = np.einsum("bai,bij,baj->ba", difference, spread, difference)
    return np.asarray(np.sqrt(np.maximum(0, variance)))


def exact_figures(ranges: Floats) -> Floats:
    """Returns (169, 2 * ranges): the exact means over all boards of the figures *pairs* and *lead* of some ranges.

    :param ranges: (ranges, 169) weights by class.
    """
    pairs = class_pairs().astype(np.float64) * _SHARE
    lead = pairs * (2 * class_equities() - 1)
    both = np.stack([pairs @ ranges.T, lead @ ranges.T], axis=2)
    return both.reshape(NUM_HAND_CLASSES, -1)


def strategy_table(tree: BettingTree, block: Block, compiled: CompiledTree) -> NDArray[np.float32]:
    """Returns the strategy of both players in the layout of regrets, of which regret matching gives it back."""
    table = aligned_zeros(padded(compiled.table_size))
    for node in np.flatnonzero(tree.kind == NodeKind.DECISION):
        rows = block(int(node))
        start, (count, actions) = int(compiled.node_start[node]), rows.shape
        table[start : start + actions * padded(count)].reshape(actions, padded(count))[:, :count] = rows.T
    return table


def _preflop_nodes(tree: BettingTree, compiled: CompiledTree) -> list[int]:
    """Returns the decisions before the flop in the order of the compiled tree, which is that of their tables."""
    nodes = preflop_decisions(tree)
    return [int(node) for node in nodes[np.argsort(compiled.node_start[nodes])]]
