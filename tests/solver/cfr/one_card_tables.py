"""Regrets of one-card games in the layout of the sampling kernels, and what a deal adds to them on average."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hedgehog.solver.cfr.card_game import CardGame
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.cfr.layout import make_layout
from hedgehog.solver.cfr.programs import Rake
from hedgehog.solver.cfr.sampling import make_lines
from hedgehog.strategies.betting_tree import BettingTree, NodeKind
from tests.reference.slow_cfr import Board, SlowCfr, SlowGame
from tests.reference.small_games import leduc
from tests.solver.cfr_fixtures import leduc_game


class Table:
    """Regrets and averages of a one-card game, addressed by node, board and hand."""

    def __init__(self, game: CardGame, tree: BettingTree, twins: bool) -> None:
        layout = make_layout(game, tree)
        self.game, self.tree, self.twins = game, tree, twins
        self.lines = make_lines(game, tree, layout, Rake())
        self.regret = (np.zeros(layout.sizes[0], np.float32), np.zeros(layout.sizes[1], np.float32))
        self.average = (np.zeros(layout.sizes[0], np.float32), np.zeros(layout.sizes[1], np.float32))
        self.nodes = np.concatenate([forest.nodes for forest in layout.forests])

    def places(self) -> Iterator[tuple[int, Board, int, NDArray[np.int64]]]:
        """Yields (node, board, player, int64[actions, hands]): every decision on every real board, and its elements."""
        for line in np.flatnonzero(self.lines.kind == NodeKind.DECISION).tolist():
            node, level = int(self.nodes[line]), int(self.lines.level[line])
            player = int(self.tree.player[node])
            rows = self.lines.base[level, player] + self.lines.row[line] + LANES * np.arange(self.lines.actions[line])
            for card in range(self.game.num_hands if level else 1):
                hands, board = np.arange(self.game.num_hands), card
                if self.twins and level:
                    hands, board = hands ^ (card & 1), card // 2
                yield (
                    node,
                    (card,) if level else (),
                    player,
                    (rows[:, None] + board * self.lines.board_size[level, player] + hands),
                )

    def expected_gains(self, slow: SlowGame, own: int) -> NDArray[np.float64]:
        """Returns what a deal adds on average to ``regret[own]``, from the oracle's exact counterfactual values."""
        cfr = SlowCfr(slow)
        for node, board, player, at in self.places():
            cfr.regret[node, board] = self.regret[player][at].astype(np.float64)
        cfr.update(own)
        expected = np.zeros(len(self.regret[own]))
        dealt = slow.weights[own] / slow.pair_weight
        for node, board, player, at in self.places():
            if player == own:
                before = self.regret[own][at]
                # The first iteration forgets positive regrets and halves negative ones before it adds.
                gain = cfr.regret[node, board] - np.where(before > 0, 0, before / 2)
                chance = slow.deal_probability(()) if board else 1.0
                expected[at] += chance * dealt * gain * slow.live(own, board)
        return expected

    def expected_average(self, slow: SlowGame, other: int) -> NDArray[np.float64]:
        """Returns what a deal adds on average to ``average[other]``: that player's strategy times own reach."""
        strategy, first = {}, {}
        for node, board, player, at in self.places():
            matched = np.maximum(self.regret[player][at].astype(np.float64), 0)
            total = matched.sum(axis=0)
            strategy[node, board] = np.where(total > 0, matched / np.where(total > 0, total, 1), 1 / len(at))
            first[node, board] = at
        expected = np.zeros(len(self.average[other]))
        for (node, board), at in first.items():
            if self.tree.player[node] != other:
                continue
            met = slow.live(other, board) * slow.weights[other] / slow.pair_weight
            met = met * (slow.compatible @ (slow.weights[1 - other] * slow.live(1 - other, board)))
            reach = met * (slow.deal_probability(()) if board else 1.0)
            below = node
            while below > 0:
                above = int(self.tree.parent[below])
                if self.tree.kind[above] == NodeKind.DECISION and self.tree.player[above] == other:
                    seen = board if self.tree.street[above] == self.tree.street[node] else ()
                    reach = reach * strategy[above, seen][below - self.tree.first_child[above]]
                below = above
            expected[at] += reach * strategy[node, board]
        return expected


def leduc_with_twins(weights: tuple[float, float, float]) -> tuple[SlowGame, Table]:
    """Returns Leduc hold'em with weights by rank; one suit of board cards is dealt, and also stands for the other."""
    slow = replace(leduc(), weights=(np.repeat(weights, 2), np.repeat(weights[::-1], 2)))
    game = leduc_game()
    swaps = np.arange(6, dtype=np.int32)[None] ^ 1
    second = game.levels[1]
    second = replace(
        second, strengths=second.strengths[::2], parent=np.zeros(3, dtype=np.int32), swaps=((0,), (0,), (0,))
    )
    game = replace(
        game,
        weights=(slow.weights[0].astype(np.float32), slow.weights[1].astype(np.float32)),
        levels=(game.levels[0], second),
        swaps=swaps.astype(np.int32),
    )
    return slow, Table(game, slow.tree, twins=True)
