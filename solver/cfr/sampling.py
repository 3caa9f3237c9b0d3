"""Monte Carlo CFR: what the kernels must know about lines and cards, and the state between iterations.

All sampling algorithms update the regrets and averages of a :class:`~hedgehog.solver.cfr.solver.CfrSolver`, in float32
and on one thread. One iteration updates both players in turn:

* external and outcome sampling (:mod:`hedgehog.solver.cfr.kernels._sampling_kernels`) walk as many deals as the player
has
  hands;
* public-chance sampling (:mod:`hedgehog.solver.cfr.kernels._public_chance_kernels`) walks all hands on a few cards per
chance
  node.

External and outcome sampling add to the other player's average at the decisions that a walk passes, which weights its
strategy by its own reach. The parameter ``weight`` says whether later iterations count more. Public-chance sampling
averages like ``dcfr``, without weights by reach, and discounts every board by the number of its own visits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.solver.cfr.algorithms import Algorithm
from hedgehog.solver.cfr.card_game import CardGame
from hedgehog.solver.cfr.kernels import _public_chance_kernels as public_chance_kernels
from hedgehog.solver.cfr.kernels import _sampling_kernels as kernels
from hedgehog.solver.cfr.kernels._board_kernels import Passes
from hedgehog.solver.cfr.kernels._public_chance_kernels import Draw
from hedgehog.solver.cfr.kernels._sampling_kernels import Deck, Lines, Walk
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.cfr.layout import Layout
from hedgehog.solver.cfr.programs import Rake, payoffs
from hedgehog.strategies.betting_tree import BettingTree, NodeKind

EXTERNAL = -1.0
"""Value of the parameter ``exploration`` of the kernels that stands for external sampling."""
Pair = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Regrets or averages of both players, flat in the order of :class:`~hedgehog.solver.cfr.layout.Layout`."""


class DealSampler:
    """Runs iterations of external or outcome sampling on the regrets and averages of both players."""

    def __init__(self, game: CardGame, tree: BettingTree, layout: Layout, rake: Rake, algorithm: Algorithm) -> None:
        self.lines = make_lines(game, tree, layout, rake)
        self.deck = make_deck(game)
        self.walk = make_walk(tree, len(game.levels))
        self._linear = algorithm["weight"] == "linear"
        self._exploration = algorithm.number("exploration") if "exploration" in dict(algorithm.values) else EXTERNAL
        self._seed = int(algorithm["seed"])
        self._rng_state = np.zeros(1, dtype=np.uint64)

    def run(self, regret: Pair, average: Pair, first: int, last: int) -> None:
        """Runs the iterations ``first .. last - 1``, updating ``regret`` and ``average`` in place."""
        kernels.run_deals(
            regret,
            average,
            self.walk,
            self.lines,
            self.deck,
            first,
            last,
            self._linear,
            self._exploration,
            self._seed,
            self._rng_state,
        )


class BoardSampler:
    """Runs iterations of public-chance sampling (Johanson et al. 2012) on the regrets and averages of both players."""

    def __init__(self, game: CardGame, algorithm: Algorithm) -> None:
        self.deck = make_deck(game)
        most = int(np.diff(self.deck.first_card).max())
        wanted = min(int(algorithm.number("cards")), most)
        self.draw = Draw(
            board=np.zeros((1 + wanted, wanted), dtype=np.int64),
            times=np.zeros((1 + wanted, wanted), dtype=np.int64),
            found=np.zeros(1 + wanted, dtype=np.int64),
            visits=np.zeros((2, int(self.deck.level_start[-1])), dtype=np.int64),
        )
        self._algorithm = algorithm
        self._schedule = np.zeros((0, 5), dtype=np.float32)
        self._seed = int(algorithm["seed"])
        self._done = 0
        self._rng_state = np.zeros(1, dtype=np.uint64)

    def run(self, passes: Passes, first: int, last: int) -> None:
        """Runs the iterations ``first .. last - 1``, updating regrets and averages in place.

        Another object may have run the iterations before ``first``.
        """
        if first != self._done:
            self.draw.visits[:] = 0
            public_chance_kernels.count_visits(self.draw, self.deck, 0, first, self._seed, self._rng_state)
        if last > len(self._schedule):
            self._schedule = self._algorithm.schedule(0, 2 * last)
        public_chance_kernels.run_sampled_passes(
            passes, self.draw, self.deck, self._schedule, first, last, self._seed, self._rng_state
        )
        self._done = last


def make_lines(game: CardGame, tree: BettingTree, layout: Layout, rake: Rake) -> Lines:
    """Returns the betting lines of all levels as the sampling kernels read them."""
    forests = layout.forests
    start = np.cumsum([0, *(len(forest.nodes) for forest in forests)])
    nodes = np.concatenate([forest.nodes for forest in forests])
    kind = tree.kind[nodes].astype(np.int64)
    child = np.concatenate([forest.first_child + first for forest, first in zip(forests, start, strict=False)])
    for level, forest in enumerate(forests[:-1]):
        exits = start[level] + forest.exits
        kind[exits] = NodeKind.DEAL
        child[exits] = start[level + 1] + np.arange(len(exits))
    matched = tree.committed[nodes].min(axis=1).tolist()
    by_result = [payoffs(tree.root_pot, chips, rake) for chips in matched]
    rows = np.array([forest.num_rows for forest in forests], dtype=np.int64)
    return Lines(
        kind=kind,
        actor=tree.player[nodes].astype(np.int64),
        level=np.repeat(np.arange(len(forests)), np.diff(start)),
        child=child.astype(np.int64),
        actions=tree.num_children[nodes].astype(np.int64),
        row=np.concatenate([forest.row for forest in forests]).astype(np.int64) * LANES,
        payoff=np.array([(lose, tie, win) for win, lose, tie in by_result], dtype=np.float64),
        base=np.array(layout.bases, dtype=np.int64),
        board_size=rows * LANES * np.array([game.num_blocks(0), game.num_blocks(1)]),
        block_size=rows * LANES,
    )


def make_deck(game: CardGame) -> Deck:
    """Returns hands and boards as the sampling kernels deal them."""
    slot = np.full((2, game.num_hands), -1, dtype=np.int64)
    for player in (0, 1):
        slot[player, game.hands[player]] = np.arange(len(game.hands[player]))
    level_start = np.cumsum([0, *(len(level.strengths) for level in game.levels)]).astype(np.int64)
    boards: list[list[tuple[int, int]]] = [[] for _ in range(level_start[-1])]
    for depth, level in enumerate(game.levels[1:]):
        for index, (parent, swaps) in enumerate(zip(level.parent.tolist(), level.swaps, strict=True)):
            board = int(level_start[depth + 1]) + index
            boards[level_start[depth] + parent] += [(board, swap) for swap in (len(game.swaps), *swaps)]
    cards = np.array([card for board in boards for card in board], dtype=np.int64).reshape(-1, 2)
    first, second = (weights.astype(np.float64) for weights in game.weights)
    return Deck(
        running_pairs=np.cumsum(first * _weight_met(game, second)),
        running_weight=np.cumsum(second),
        hands=game.hands,
        slot=slot,
        cards=game.cards,
        strengths=np.concatenate([level.strengths for level in game.levels]),
        first_card=np.cumsum([0, *(len(board) for board in boards)]).astype(np.int64),
        card_board=np.ascontiguousarray(cards[:, 0]),
        card_swap=np.ascontiguousarray(cards[:, 1]),
        swaps=np.concatenate([game.swaps, np.arange(game.num_hands)[None]]).astype(np.int32),
        level_start=level_start,
    )


def _weight_met(game: CardGame, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns float64[hands of player 0]: weight of the hands of player 1 that share no card with each."""
    theirs, mine = game.cards[game.hands[1]], game.cards[game.hands[0]]
    by_card = np.zeros(int(game.cards.max()) + 1)
    for column in (0, 1):
        np.add.at(by_card, theirs[:, column], weights)
    same = np.zeros(game.num_hands)
    same[game.hands[1]] = weights
    met = weights.sum() - by_card[mine].sum(axis=1) + same[game.hands[0]]
    # What rounding leaves where nobody is met must not be dealt.
    return np.where(met > 1e-9 * weights.sum(), met, 0.0)


def make_walk(tree: BettingTree, num_levels: int) -> Walk:
    """Returns empty buffers for walks of a betting tree."""
    depth = np.zeros(tree.num_nodes, dtype=np.int64)
    for node in range(1, tree.num_nodes):
        depth[node] = depth[tree.parent[node]] + 1
    deepest, actions = int(depth.max()) + 1, int(tree.num_children.max())
    return Walk(
        hand=np.zeros(2, dtype=np.int64),
        origin=np.zeros((num_levels, 2), dtype=np.int64),
        line=np.zeros(deepest, dtype=np.int64),
        action=np.zeros(deepest, dtype=np.int64),
        strategy=np.zeros((deepest + 1, actions)),
        value=np.zeros((deepest, actions)),
    )
