"""Measures players that play from strategy packs alone, without asking them about every bet.

The actions of such a player depend only on the shadows of the betting line
(:mod:`hedgehog.agent.strategy.line_shadows`) and on stored rows. So one kernel call follows all bets of a decision and
computes how much of the range folds to each. The numbers are equal to those that the player itself reports
(:class:`hedgehog.analysis.lbr.opponents.ReportingOpponent`). The player is still asked where a bet leads off the tree
or is too large for it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.pack_player import PackPlayer
from hedgehog.agent.strategy.line_shadows import EDGE_FLOOR, Folding
from hedgehog.agent.strategy.pack_strategy import EXACT, PURIFY_BELOW, PackStrategy, Place
from hedgehog.agent.strategy.shadow import MAX_SHADOWS
from hedgehog.analysis.lbr import _kernels as kernels
from hedgehog.analysis.lbr._kernels import Bettor, Rules, ShadowArrays, StoredRows, TreeArrays
from hedgehog.analysis.lbr.opponents import ReportingOpponent
from hedgehog.analysis.lbr.response import LbrDecision, Reply
from hedgehog.poker.cards import NUM_COMBOS
from hedgehog.poker.streets import RIVER
from hedgehog.strategies.betting_tree import BettingTree, NodeKind
from hedgehog.strategies.translation import SizeMapping

_CACHED_LINES: Final = 20_000
_AS_SHADOWS: Final = Folding(0, 0, 1.0)


class _Rows(NamedTuple):
    """Where the stored rows of nodes are on a board."""

    stored: StoredRows
    num_buckets: int


class PackOpponent(ReportingOpponent):
    """A player that plays from packs alone, measured without asking it about every bet."""

    def __init__(self, player: PackPlayer, packs: PackStrategy) -> None:
        super().__init__(player)
        self._packs = packs
        mapping = packs.blueprint.lines.mapping
        assert isinstance(mapping, SizeMapping)
        self._rules = Rules(PURIFY_BELOW, EDGE_FLOOR, MAX_SHADOWS, int(mapping))
        self._shadows: OrderedDict[tuple[int, str], ShadowArrays] = OrderedDict()
        self._buckets = lru_cache(16)(self._find_buckets)
        self._trees: dict[int, TreeArrays] = {}
        self._compile()

    def _compile(self) -> None:
        """Compiles the kernels, or loads them from the cache, before any time is measured."""
        start = self._packs.blueprint.lines.line("").state
        spot = LbrDecision(0, start.acting_position, (0, 1), (2, 3, 4, 5, 6), start)
        self.reply(spot)
        even = np.ones(NUM_COMBOS)
        self.fold_masses(spot._replace(position=1 - spot.position), [start.gamedef.stacks[0]], even, even)

    def answer(self, spot: LbrDecision) -> Reply:
        """Returns the player's strategy in a spot in which it is to act, without keeping the answer."""
        board = spot.visible_board
        place = self._packs.place(spot.state.betting_string(), board)
        line = place.line
        if not line.shadows or not self._in_buckets(place, board):
            return super().answer(spot)
        rows = self._buckets(board)
        probabilities = np.empty((len(line.actions), NUM_COMBOS))
        by_bucket = np.empty((rows.num_buckets, len(line.actions)))
        fold, call, kept = line.folding or _AS_SHADOWS
        shadows = self._shadow_arrays(place)
        kernels.strategy_kernel(probabilities, by_bucket, rows.stored, shadows, fold, call, kept, PURIFY_BELOW)
        return Reply(line.actions, self._packs.with_limit(line, board, probabilities))

    def fold_masses(
        self, spot: LbrDecision, raise_totals: Sequence[int], reach: NDArray[np.float64], equity: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Returns how much of the player's range folds to each of several bets.

        Parameters and result: :meth:`hedgehog.analysis.lbr.response.Opponent.fold_masses`.
        """
        self._forget_other_decisions(spot)
        state = spot.state
        board = spot.visible_board
        betting = state.betting_string()
        place = self._packs.place(betting, board)
        line, tree = place.line, place.lines.tree
        if not line.shadows or line.situation.street == RIVER:  # how much folds depends on the range
            return super().fold_masses(spot, raise_totals, reach, equity)
        shadows = self._shadow_arrays(place)
        rows = self._buckets(board) if self._in_buckets(place, board) else _flop_rows(place, shadows, board)
        masses = np.empty((len(raise_totals), 2))
        kernels.fold_masses_kernel(
            masses,
            np.empty((rows.num_buckets, 2)),
            self._tree_arrays(tree),
            rows.stored,
            shadows,
            reach,
            equity,
            np.array(raise_totals, dtype=np.int64),
            Bettor(state.max_spent, state.min_raise_to, line.situation.stack),
            self._rules,
        )
        asked = np.isnan(masses[:, 0])
        if place.layer == EXACT:  # bets that are too large for it are answered from another pack
            asked |= [self._packs.place(f"{betting}r{total}", board).layer != EXACT for total in raise_totals]
        for k in np.flatnonzero(asked).tolist():
            masses[k] = super().fold_masses(spot, [raise_totals[k]], reach, equity)[0]
        return masses

    def _in_buckets(self, place: Place, board: tuple[int, ...]) -> bool:
        """Tells whether the strategy of a place is the same for all combos of a bucket."""
        return place.source is self._packs.blueprint and not (len(board) == 3 and self._packs.blueprint.has_quick_packs)

    def _find_buckets(self, board: tuple[int, ...]) -> _Rows:
        source = self._packs.blueprint
        buckets, live = source.buckets(board)
        table = source.table
        stored = StoredRows(table.rows, table.offsets, np.where(live, buckets, -1))
        return _Rows(stored, table.buckets[max(0, len(board) - 2)])

    def _shadow_arrays(self, place: Place) -> ShadowArrays:
        line, lines = place.line, place.lines
        key = (id(lines), line.state.betting_string())
        found = self._shadows.get(key)
        if found is None:
            nodes, weights = zip(*line.shadows, strict=True)
            targets = np.full((len(nodes), max(map(len, line.targets))), -1, dtype=np.int64)
            means = np.zeros(targets.shape)
            for s, node in enumerate(nodes):
                targets[s, : len(line.targets[s])] = line.targets[s]
                means[s, : len(line.targets[s])] = lines.mean_row(node)
            found = ShadowArrays(np.array(nodes, dtype=np.int64), np.array(weights, dtype=np.float64), targets, means)
            self._shadows[key] = found
            if len(self._shadows) > _CACHED_LINES:
                self._shadows.popitem(last=False)
        return found

    def _tree_arrays(self, tree: BettingTree) -> TreeArrays:
        found = self._trees.get(id(tree))
        if found is None:
            found = self._trees[id(tree)] = TreeArrays(
                tree.kind, tree.player, tree.first_child, tree.num_children, tree.action, tree.committed, tree.root_pot
            )
        return found


def _flop_rows(place: Place, shadows: ShadowArrays, board: tuple[int, ...]) -> _Rows:
    """Collects the rows of all nodes one action below the shadows, where combos have rows of their own."""
    tree = place.lines.tree
    starts = np.full(tree.num_nodes, -1, dtype=np.int64)
    blocks: list[NDArray[np.uint8]] = []
    at = 0
    for node in shadows.nodes.tolist():
        for child in tree.children(node):
            if tree.kind[child] == NodeKind.DECISION and starts[child] < 0:
                block = np.ascontiguousarray(place.source.rows(child, board).T, dtype=np.uint8)
                starts[child] = at
                blocks.append(block.ravel())
                at += block.size
    rows = np.concatenate(blocks) if blocks else np.empty(0, dtype=np.uint8)
    rows.flags.writeable = False  # as memory-mapped packs are, so that kernels are compiled once
    return _Rows(StoredRows(rows, starts, np.arange(NUM_COMBOS)), NUM_COMBOS)
