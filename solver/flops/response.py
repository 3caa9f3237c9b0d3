"""Exact best responses and matches on one flop, for strategies over flop hands and over turn and river buckets.

A strategy is given as *blocks*: a function from a decision to its probabilities. On the flop these are float32
(1176, actions) by *flop hand*, that is, by the combos that miss the flop, ascending. On turn and river they are
(buckets, actions) as in a blueprint. All run-outs are dealt, except that suits which flop, ranges and flop strategies
treat alike are dealt once. A best response knows its exact hand on every street, so the exploitability also counts what
the opponent loses by its buckets.

::

    line, nodes = subtree(blueprint.tree, first_flop_node)
    game = FlopGame(line, flop, ranges, abstraction)
    blocks = blueprint_blocks(blueprint, nodes, flop, abstraction)
    print(game.exploitability(blocks).pct_pot)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_CARDS, NUM_COMBOS, combo_mask
from hedgehog.poker.hand_classes import NUM_HAND_CLASSES
from hedgehog.poker.ranges import disjoint_weight
from hedgehog.poker.streets import FLOP, FLOP_COMBOS
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.program import (
    CHIPS_PER_UNIT,
    CompiledTree,
    aligned_zeros,
    allocate_scratch,
    compile_tree,
    padded,
)
from hedgehog.solver.blueprint.table import Blueprint
from hedgehog.solver.cfr.array_types import Floats
from hedgehog.solver.flops._response_kernels import (
    RIVER_CHANCE,
    TURN_CHANCE,
    WIDTH,
    Buffers,
    Dealing,
    Paths,
    play_kernel,
    respond_kernel,
)
from hedgehog.solver.postflop.chance import Runouts, build_runouts, combo_permutation
from hedgehog.solver.postflop.solver import Exploitability
from hedgehog.strategies.betting_tree import BettingTree, NodeKind

NUM_RUNOUTS: Final = 49 * 48
Blocks = Callable[[int], Floats]
"""A function from a decision to its probabilities, (flop hands or buckets, actions), whose rows sum to 1."""


@dataclass(frozen=True, slots=True)
class FlopMatch:
    """What the first of two strategies wins against the second on a flop, averaged over both seats."""

    chips: float
    """Chips won per pair of hands."""
    pct_pot: float
    """Winnings in percent of the pot at the flop."""
    standard_error_pct: float
    """Standard error of ``pct_pot``; 0 if all run-outs were dealt."""
    seats: tuple[float, float]
    """Chips won out of position and in position, each less half the pot at the flop."""
    runouts: int
    """Number of boards that were played."""


def flop_hands(flop: Sequence[int]) -> NDArray[np.int64]:
    """Returns int64 (1176,): the combos that miss a flop, ascending."""
    return np.flatnonzero(combo_mask(flop)).astype(np.int64)


def blueprint_blocks(
    blueprint: Blueprint,
    nodes: NDArray[np.int32],
    flop: Sequence[int],
    abstraction: CardAbstraction,
    flop_rows: Mapping[int, Floats] | None = None,
) -> Blocks:
    """Returns a blueprint's strategy on a subtree of its tree and one flop.

    :param nodes: number in the blueprint tree of each node of the subtree
        (:func:`hedgehog.strategies.betting_tree.subtree`).
    :param flop: three card ids.
    :param abstraction: the card buckets of the blueprint.
    :param flop_rows: probabilities (1176, actions) that replace the blueprint's, by flop decision of the subtree.
    """
    tree = blueprint.tree
    buckets = abstraction.buckets(FLOP, flop)[flop_hands(flop)].astype(np.int64)
    given = flop_rows or {}

    def blocks(node: int) -> Floats:
        if node in given:
            return given[node]
        block = blueprint.block(int(nodes[node]))
        return block[buckets] if tree.street[nodes[node]] == FLOP else block

    return blocks


class FlopGame:
    """The game after one preflop line on one flop, for matches and exact best responses.

    :param tree: betting tree from the first decision on the flop to the river. Called all-ins lead directly to a
        showdown.
    :param flop: three card ids.
    :param ranges: float32 (2, 1326) weights of OOP and IP.
    :param abstraction: the card buckets of turn and river.
    :raises InputError: if the tree does not start on the flop or the ranges cannot be dealt together.
    """

    def __init__(self, tree: BettingTree, flop: Sequence[int], ranges: Floats, abstraction: CardAbstraction) -> None:
        if tree.kind[0] != NodeKind.DECISION or tree.street[0] != FLOP:
            raise InputError("expected a tree that starts with a decision on the flop")
        self.tree = tree
        self.flop = tuple(int(card) for card in flop)
        self.abstraction = abstraction
        self.combos = flop_hands(self.flop)
        self.ranges = np.zeros((2, NUM_COMBOS), dtype=np.float32)
        self.ranges[:, self.combos] = np.asarray(ranges, dtype=np.float32)[:, self.combos]
        self.pairs = float(disjoint_weight(self.ranges[1]) @ self.ranges[0].astype(np.float64))
        if self.pairs <= 0:
            raise InputError("the two ranges cannot be dealt together: every pair of hands shares a card")
        turn_and_river = abstraction.bucket_counts[2:]
        self.bucket_counts = (NUM_HAND_CLASSES, FLOP_COMBOS, *turn_and_river)
        self.compiled: CompiledTree = compile_tree(tree, self.bucket_counts)
        self._scratch = allocate_scratch(self.compiled.program)
        self._hand_of = np.full(NUM_COMBOS, -1, dtype=np.int64)
        self._hand_of[self.combos] = np.arange(FLOP_COMBOS)

    def table(self, blocks: Blocks, player: int | None = None, out: Floats | None = None) -> Floats:
        """Returns a strategy as a flat float32 table in the layout of the kernels.

        :param player: write only this player's decisions; None writes both players'.
        :param out: table to write to; None makes a new one.
        :raises InputError: if the probabilities of a decision have the wrong shape.
        """
        table = aligned_zeros(self.compiled.table_size) if out is None else out
        tree = self.tree
        for node in np.flatnonzero(tree.kind == NodeKind.DECISION):
            if player is not None and tree.player[node] != player:
                continue
            block = blocks(int(node))
            expected = (self.bucket_counts[int(tree.street[node])], int(tree.num_children[node]))
            if block.shape != expected:
                raise InputError(f"the strategy of node {node} has shape {block.shape}, expected {expected}")
            start, width = int(self.compiled.node_start[node]), padded(expected[0])
            rows = table[start : start + expected[1] * width].reshape(expected[1], width)
            rows[:, : expected[0]] = block.T
        return table

    def exploitability(self, blocks: Blocks, *, flop_only: bool = False) -> Exploitability:
        """Returns the exploitability of a strategy, from exact best responses.

        :param flop_only: best responses choose on the flop only and follow the strategy on turn and river. This
            measures what play on the flop loses, without what the buckets of turn and river lose.
        """
        table = self.table(blocks)
        runouts = self._runouts([blocks])
        dealing = self._dealing(runouts)
        unit = CHIPS_PER_UNIT / self.pairs
        best = []
        for player in (0, 1):
            values = self._respond(table, dealing, player, following=flop_only)
            best.append(float(values[:FLOP_COMBOS].astype(np.float64) @ self.ranges[player, self.combos]) * unit)
        boards, weights = _boards(runouts)
        mine = float(self._play(table, boards, 0) @ weights) * TURN_CHANCE * RIVER_CHANCE * unit
        # A best response gains nothing less than 0 but for rounding.
        chips = max((best[0] + best[1]) / 2, 0.0)
        return Exploitability(chips, 100 * chips / self.tree.pot(0), (best[0], best[1]), (mine, -mine))

    def match(self, first: Blocks, second: Blocks, runouts: int | None = None, seed: int = 1) -> FlopMatch:
        """Returns what the first of two strategies wins against the second, over both seats and every pair of hands.

        :param runouts: number of random run-outs (turn and river card), which both seats share; None deals all.
        :param seed: seed of the random run-outs.
        :raises InputError: if fewer than two run-outs are asked for.
        """
        if runouts is not None and runouts < 2:
            raise InputError(f"expected at least two run-outs, got {runouts}")
        tables = [self.table(second, opponent, self.table(first, player)) for player, opponent in ((0, 1), (1, 0))]
        if runouts is None:
            boards, weights = _boards(self._runouts([first, second]))
        else:
            boards = self._random_boards(runouts, seed)
            weights = np.full(runouts, NUM_RUNOUTS / runouts)
        unit = CHIPS_PER_UNIT * TURN_CHANCE * RIVER_CHANCE / self.pairs
        won = [self._play(table, boards, player) * weights * unit for player, table in enumerate(tables)]
        chips = float(won[0].sum() + won[1].sum()) / 2
        each = (won[0] + won[1]) * len(weights) / 2
        error = 0.0 if runouts is None else float(each.std(ddof=1)) / np.sqrt(len(each))
        percent = 100 / self.tree.pot(0)
        return FlopMatch(
            chips, percent * chips, percent * error, (float(won[0].sum()), float(won[1].sum())), len(boards)
        )

    def _runouts(self, strategies: Sequence[Blocks]) -> Runouts:
        """Returns the run-outs. Suits that all strategies treat alike are dealt once."""
        respected = np.ones((4, 4), dtype=np.bool_)
        nodes = np.flatnonzero((self.tree.kind == NodeKind.DECISION) & (self.tree.street == FLOP))
        for blocks in strategies:
            for node in nodes:
                block = blocks(int(node))
                full = np.zeros((NUM_COMBOS, block.shape[1]), dtype=np.float32)
                full[self.combos] = block
                for low in range(4):
                    for high in range(low + 1, 4):
                        if respected[low, high]:
                            same = np.allclose(full, full[combo_permutation(low, high)], rtol=0, atol=1e-5)
                            respected[low, high] = respected[high, low] = same
        return build_runouts(self.flop, (self.ranges[0], self.ranges[1]), respected=respected)

    def _dealing(self, runouts: Runouts) -> Dealing:
        """Returns the cards as the kernels read them."""
        pairs = [(low, high) for low in range(4) for high in range(low + 1, 4)]
        swaps = np.zeros((1 + len(pairs), FLOP_COMBOS), dtype=np.int64)
        swaps[0] = np.arange(FLOP_COMBOS)
        for i, (low, high) in enumerate(pairs):
            # Swaps that do not keep the flop lead out of the flop hands; none of them is used.
            swaps[1 + i] = np.maximum(self._hand_of[combo_permutation(low, high)[self.combos]], 0)

        def twins(index_of: NDArray[np.int32], swap: NDArray[np.uint8], number: int) -> NDArray[np.int64]:
            row = np.full(4, -1, dtype=np.int64)
            for i, card in enumerate(np.flatnonzero(index_of == number)):
                low, high = sorted(int(suit) for suit in swap[card])
                row[i] = 0 if low == high else 1 + pairs.index((low, high))
            return row

        turn_swaps = [twins(runouts.turn_of, runouts.turn_swap, t) for t in range(runouts.num_turns)]
        river_swaps = []
        for turn in range(runouts.num_turns):
            for river in range(int(runouts.first_river[turn]), int(runouts.first_river[turn + 1])):
                river_swaps.append(twins(runouts.river_of[turn], runouts.river_swap[turn], river))
        return Dealing(
            flop=np.array(self.flop, dtype=np.uint8),
            hand_of=self._hand_of,
            hand_combo=self.combos,
            swaps=swaps,
            turns=runouts.turns,
            turn_swaps=np.array(turn_swaps, dtype=np.int64),
            first_river=runouts.first_river.astype(np.int64),
            rivers=runouts.rivers,
            river_swaps=np.array(river_swaps, dtype=np.int64),
        )

    def _paths(self, table: Floats, opponent: int) -> Paths:
        """Returns the betting rounds, with the opponent's probability of every leaf within its round."""
        program = self.compiled.program
        streets = program.round_street
        number = np.zeros(len(streets), dtype=np.int64)
        for street in (1, 2, 3):
            number[streets == street] = np.arange(np.count_nonzero(streets == street))
        strides = np.diff(program.round_leaf)
        reach_start = np.cumsum([0, *(strides * program.street_buckets[streets])])
        leaf_reach = aligned_zeros(int(reach_start[-1]))
        for this, street in enumerate(streets):
            width = int(program.street_buckets[street])
            first, last = int(program.round_node[this]), int(program.round_node[this + 1])
            start, end = int(program.round_table[this]), int(program.round_table[this + 1])
            rows = table[start:end].reshape(-1, width)
            slots = np.ones((len(rows) + 1, width), dtype=np.float32)
            for node in range(first, last):
                if program.node_player[node] == opponent:
                    row = int(program.node_first_row[node])
                    actions = slice(row, row + int(program.node_actions[node]))
                    slots[row + 1 : actions.stop + 1] = slots[program.node_slot[node]] * rows[actions]
            leaves = slice(int(program.round_leaf[this]), int(program.round_leaf[this + 1]))
            block = slots[program.leaf_slot[opponent, leaves]].T
            leaf_reach[reach_start[this] : reach_start[this + 1]] = block.ravel()

        leaf_street = np.repeat(streets, strides)
        showdowns = [np.flatnonzero((leaf_street == street) & (program.leaf_stake > 0)) for street in (1, 2)]
        stakes = []
        for leaves_of in showdowns:
            padded_stakes = aligned_zeros(padded(len(leaves_of)))
            padded_stakes[: len(leaves_of)] = program.leaf_stake[leaves_of]
            stakes.append(padded_stakes)
        return Paths(
            number=number,
            reach_start=reach_start[:-1].astype(np.int64),
            leaf_reach=leaf_reach,
            stakes=(stakes[0], stakes[1]),
            no_folds=aligned_zeros(max(len(stakes[0]), len(stakes[1]))),
        )

    def _respond(self, table: Floats, dealing: Dealing, responder: int, *, following: bool) -> Floats:
        opponent = 1 - responder
        program = self.compiled.program
        paths = self._paths(table, opponent)
        turns, rivers = (int(np.count_nonzero(program.round_street == street)) for street in (2, 3))
        sizes = [WIDTH * len(stakes) for stakes in paths.stakes]
        buffers = Buffers(
            turn_reach=aligned_zeros((turns, WIDTH)),
            turn_value=aligned_zeros((turns, WIDTH)),
            river_reach=aligned_zeros((rivers, WIDTH)),
            river_value=aligned_zeros((rivers, WIDTH)),
            showdown_reach=(aligned_zeros(sizes[0]), aligned_zeros(sizes[1])),
            showdown_value=(aligned_zeros(sizes[0]), aligned_zeros(sizes[1])),
            row_values=aligned_zeros((int(program.street_rows.max()) + 1) * WIDTH),
            result=aligned_zeros(WIDTH),
            hand_at_position=np.zeros(len(self._scratch.hand_combo), dtype=np.int64),
            hand_row=np.zeros(WIDTH, dtype=np.int64),
            hand_bucket=np.zeros(WIDTH, dtype=np.int64),
            reach=aligned_zeros(WIDTH),
            entry=aligned_zeros(WIDTH),
            ones=aligned_zeros(WIDTH),
            live=aligned_zeros(WIDTH),
            turn_bucket=np.zeros(NUM_COMBOS, dtype=np.uint16),
            row_at=np.zeros(int(np.diff(program.round_leaf).max()), dtype=np.int64),
        )
        buffers.ones[:] = 1.0
        opponent_range = aligned_zeros(WIDTH)
        opponent_range[:FLOP_COMBOS] = self.ranges[opponent, self.combos]
        values = aligned_zeros(WIDTH)
        respond_kernel(
            values, buffers, self._scratch, paths, program, dealing, self.abstraction.tables, opponent_range, responder,
            table, following,
        )  # fmt: skip
        return values

    def _play(self, table: Floats, boards: NDArray[np.uint8], player: int) -> NDArray[np.float64]:
        """Returns what a player wins on each board, in thousands of chips times the weight of all pairs of hands."""
        results = np.empty(len(boards), dtype=np.float64)
        play_kernel(
            results, table, aligned_zeros(1), self._scratch, self.compiled.program, self.abstraction.tables,
            self._hand_of, self.ranges, boards, player,
        )  # fmt: skip
        return results

    def _random_boards(self, count: int, seed: int) -> NDArray[np.uint8]:
        rng = np.random.default_rng(seed)
        rest = np.setdiff1d(np.arange(NUM_CARDS), self.flop)
        order = rng.permuted(np.tile(rest, (count, 1)), axis=1)[:, :2]
        return np.concatenate([np.tile(self.flop, (count, 1)), order], axis=1).astype(np.uint8)


def _boards(runouts: Runouts) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Returns the river boards (B, 5) and the number of run-outs each stands for."""
    turn = np.repeat(np.arange(runouts.num_turns), np.diff(runouts.first_river))
    flop = np.tile(np.array(runouts.board, dtype=np.uint8), (len(turn), 1))
    boards = np.column_stack([flop, runouts.turns[turn], runouts.rivers])
    return boards, (runouts.turn_size[turn] * runouts.river_size).astype(np.float64)
