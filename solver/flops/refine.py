"""The quick tier: refines the blueprint's strategy on one flop, with exact hands instead of flop buckets.

For one preflop line and one flop class the flop game is the line's part of the blueprint tree; both ranges are the
blueprint's. Turn and river are played by the blueprint's buckets, as they will be at the table. A run-out is sampled,
both players' values of all hands at the leaves of the flop are computed exactly on it, and the regrets of every
single hand are updated (counterfactual regret minimisation with public chance sampling), starting from the
blueprint's own flop strategy.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from poker.cards import COMBO_CARDS, NUM_CARDS, combo_mask
from poker.isomorphism import COMBO_PERMUTATIONS, flop_representative, permute_cards
from poker.ranges import disjoint_weight
from poker.streets import FLOP, FLOP_COMBOS
from runtime.errors import InputError
from solver.blueprint._abstraction_kernels import NUM_OPPONENTS
from solver.blueprint._blueprint_kernels import MAX_HANDS, RoundScratch
from solver.blueprint.card_abstraction import CardAbstraction
from solver.blueprint.program import CHIPS_PER_UNIT, CompiledTree, aligned_zeros, allocate_scratch, compile_tree, padded
from solver.blueprint.table import Blueprint, PreflopLine, preflop_lines
from solver.flops._refine_kernels import FlopTables, Sample, histogram_kernel, refine_kernel
from strategies.betting_tree import BettingTree, NodeKind, subtree

NUM_PERMUTATIONS: Final = 24
MAX_BOARDS: Final = 100_000
LEAST_WEIGHT: Final = 1e-5
"""Least range weight of a hand, so that hands nobody holds also get a sensible answer."""


@dataclass(frozen=True, slots=True)
class RefineConfig:
    """How a flop is refined.

    :raises InputError: if a number is out of range.
    """

    boards: int | None = None
    """Run-outs sampled, one iteration each; by the size of the line's tree unless told (:func:`default_boards`)."""
    prior: float = 10.0
    """Weight of the blueprint's strategy in the regrets: as if in so many iterations every action had
    gained its probability times the pot at the flop."""
    trust: float = 0.5
    """Share kept of the part of a hand's value that its equity on the river does not explain; 1 is unbiased."""
    memory: float = 0.98
    """Factor by which older run-outs count less in the average value by equity."""
    bins: int = 40
    """Bins of the equity on the river."""
    discount: float = 0.0
    """After iteration t the regrets are multiplied by 1 - discount / (t + 1)."""
    power: float = 1.0
    """Iteration t counts t to this power in the average strategy."""

    def __post_init__(self) -> None:
        for name, least, most in (
            ("prior", 0.0, 1e6),
            ("trust", 0.0, 1.0),
            ("memory", 0.0, 1.0),
            ("bins", 1, 200),
            ("discount", 0.0, 2.0),
            ("power", 0.0, 10.0),
        ):
            value = getattr(self, name)
            if not least <= value <= most:
                raise InputError(f"expected {name} from {least} to {most}, got {value!r}")
        if self.boards is not None and not 0 <= self.boards <= MAX_BOARDS:
            raise InputError(f"expected boards from 0 to {MAX_BOARDS}, got {self.boards!r}")


@dataclass(frozen=True, slots=True)
class LineContext:
    """What all flops of one preflop line share; for one thread, because of its working memory."""

    blueprint: Blueprint
    abstraction: CardAbstraction
    line: PreflopLine
    tree: BettingTree
    """The line's part of the blueprint tree."""
    nodes: NDArray[np.int32]
    """(nodes of ``tree``,) their numbers in the blueprint tree."""
    decisions: NDArray[np.int64]
    """Decisions on the flop, nodes of ``tree`` ascending: the order of the refined rows."""
    compiled: CompiledTree
    tables: NDArray[np.float32]
    """Probabilities of turn and river in the program's layout; the flop's part is working memory."""
    sums: NDArray[np.float32]
    scratch: RoundScratch

    @property
    def pot(self) -> float:
        """The pot at the flop, in thousands of chips."""
        return self.line.pot / CHIPS_PER_UNIT


@dataclass(frozen=True, slots=True)
class RefinedFlop:
    """A refined flop, in the suits of the representative of its class."""

    rows: list[NDArray[np.float32]]
    """For every flop decision of the line, in node order: (1176, actions) probabilities, live combos ascending."""
    evs: NDArray[np.float32]
    """(2, 1176) expected share of the pot won, in pots, by player and live combo."""
    boards: int
    seconds: float
    """CPU time of this thread."""
    moved: float
    """Mean absolute change of the probabilities at the first decision against the blueprint's."""


def line_context(blueprint: Blueprint, abstraction: CardAbstraction, betting: str) -> LineContext:
    """Prepares the refinement of all flops of one preflop line.

    :param betting: the line as ACPC writes it, ``r250c``.
    :raises InputError: if the blueprint has no such line to the flop or other buckets.
    """
    if blueprint.cards != abstraction.config:
        raise InputError("the blueprint has another card abstraction")
    lines = {line.line: line for line in preflop_lines(blueprint)}
    if betting not in lines:
        raise InputError(f"no line {betting!r} to the flop, expected one of {', '.join(lines)}")
    line = lines[betting]
    tree, nodes = subtree(blueprint.tree, line.node)
    preflop, _, turn, river = abstraction.bucket_counts
    compiled = compile_tree(tree, (preflop, FLOP_COMBOS, turn, river))
    tables = aligned_zeros(compiled.table_size)
    decisions = np.flatnonzero(tree.kind == NodeKind.DECISION)
    for node in decisions[tree.street[decisions] > FLOP]:
        block = blueprint.block(int(nodes[node]))
        count, actions = block.shape
        start = int(compiled.node_start[node])
        width = padded(count)
        tables[start : start + actions * width].reshape(actions, width)[:, :count] = block.T
    return LineContext(
        blueprint=blueprint,
        abstraction=abstraction,
        line=line,
        tree=tree,
        nodes=nodes,
        decisions=decisions[tree.street[decisions] == FLOP],
        compiled=compiled,
        tables=tables,
        sums=aligned_zeros(int(compiled.program.round_table[1])),
        scratch=allocate_scratch(compiled.program),
    )


def default_boards(context: LineContext) -> int:
    """Returns how many run-outs a class of the line gets: fewer where the tree is large, for about a second a class."""
    return min(72, 150_000 // int(np.count_nonzero(context.tree.kind == NodeKind.DECISION)))


def flop_tables(context: LineContext, flop: tuple[int, ...], bins: int) -> FlopTables:
    """Computes what is known of a flop before run-outs are sampled (tens of milliseconds)."""
    live = np.flatnonzero(combo_mask(flop))
    live_of_combo = np.full(len(COMBO_CARDS), -1, dtype=np.int64)
    live_of_combo[live] = np.arange(len(live))
    fixing = [p for p in range(NUM_PERMUTATIONS) if set(permute_cards(flop, p)) == set(flop)]
    orbit = live_of_combo[COMBO_PERMUTATIONS[fixing][:, live].min(axis=0)]
    histogram = np.zeros((len(live), bins), dtype=np.float32)
    board = np.array([*flop, 0, 0], dtype=np.uint8)
    histogram_kernel(histogram, board, context.abstraction.tables, live_of_combo, context.scratch)
    return FlopTables(
        live_of_combo=live_of_combo,
        live_cards=COMBO_CARDS[live].astype(np.int64),
        orbit=orbit,
        orbit_size=np.bincount(orbit, minlength=len(live)).astype(np.float32),
        histogram=histogram,
    )


def allocate_sample(context: LineContext, bins: int) -> Sample:
    """Allocates the working memory for sampled run-outs."""
    leaves = int(context.compiled.program.round_leaf[1])
    return Sample(
        hand_live=np.zeros(MAX_HANDS, dtype=np.int64),
        hand_bin=np.zeros(MAX_HANDS, dtype=np.int64),
        baseline=np.zeros((2, bins, leaves), dtype=np.float32),
        totals=np.zeros((2, bins, leaves), dtype=np.float32),
        counts=np.zeros((2, bins), dtype=np.float32),
        by_card=np.zeros((53, leaves), dtype=np.float32),
    )


def flop_ranges(context: LineContext, flop: tuple[int, ...]) -> NDArray[np.float32]:
    """Returns both ranges, (2, 1176) by live combo."""
    live = combo_mask(flop)
    ranges = np.stack([context.line.oop_range[live], context.line.ip_range[live]])
    return np.maximum(ranges, np.float32(LEAST_WEIGHT))


def blueprint_rows(context: LineContext, flop: tuple[int, ...]) -> list[NDArray[np.float32]]:
    """Returns the blueprint's own strategy on a flop, in the form of :attr:`RefinedFlop.rows`."""
    buckets = context.abstraction.buckets(FLOP, flop)[combo_mask(flop)]
    return [context.blueprint.block(int(context.nodes[node]))[buckets] for node in context.decisions]


def sample_runouts(flop: tuple[int, ...], count: int, seed: int) -> NDArray[np.uint8]:
    """Draws run-outs that are spread evenly over turn and river cards (a rank-1 lattice), in random order.

    :returns: uint8 (count, 5).
    """
    rng = np.random.default_rng(seed)
    deck = np.array([card for card in range(NUM_CARDS) if card not in flop])
    shift = rng.random(2)
    golden = (5**0.5 - 1) / 2
    k = np.arange(count)
    turn = (np.floor((k + shift[0]) / max(count, 1) * len(deck))).astype(np.int64)
    river = (np.floor((k * golden + shift[1]) % 1.0 * (len(deck) - 1))).astype(np.int64)
    river += river >= turn
    boards = np.empty((count, 5), dtype=np.uint8)
    boards[:, :3] = flop
    boards[:, 3] = deck[turn]
    boards[:, 4] = deck[river]
    return boards[rng.permutation(count)]


def disjoint_mass(ranges: NDArray[np.float32], flop: tuple[int, ...]) -> NDArray[np.float64]:
    """Returns the range weight of the opponent's hands that share no card with a hand: (2, 1176), by traverser."""
    live = combo_mask(flop)
    full = np.zeros((2, len(live)))
    full[:, live] = ranges
    return np.stack([disjoint_weight(full[1 - traverser])[live] for traverser in range(2)])


def refine_flop(context: LineContext, flop_class: int, *, seed: int, config: RefineConfig | None = None) -> RefinedFlop:
    """Refines the flop strategy of both players on one flop class. The same seed gives the same result.

    :param flop_class: 0..1754 (:mod:`poker.isomorphism`).
    """
    config = config or RefineConfig()
    num_boards = default_boards(context) if config.boards is None else config.boards
    started = time.thread_time()
    program = context.compiled.program
    flop = flop_representative(flop_class)
    known = flop_tables(context, flop, config.bins)
    ranges = flop_ranges(context, flop)
    start_rows = blueprint_rows(context, flop)
    width = int(program.street_buckets[FLOP])
    mass = disjoint_mass(ranges, flop) * (NUM_OPPONENTS / FLOP_COMBOS)

    regrets = context.tables[: int(program.round_table[1])].reshape(-1, width)
    sums = context.sums.reshape(-1, width)
    regrets[:] = 0.0
    sums[:] = 0.0
    reach = {0: np.ones((2, FLOP_COMBOS), dtype=np.float32)}
    weights = (np.arange(1, num_boards + 1) / max(num_boards, 1)) ** config.power
    for node, rows in zip(context.decisions, start_rows, strict=True):
        player = int(context.tree.player[node])
        first = int(context.compiled.node_start[node]) // width
        at = slice(first, first + rows.shape[1])
        regrets[at, :FLOP_COMBOS] = rows.T * (config.prior * context.pot * mass[player])
        # A trace of the blueprint, for hands that never get here.
        sums[at, :FLOP_COMBOS] = rows.T * np.maximum(reach[node][player], 1e-6) * 1e-4
        for action, child in enumerate(context.tree.children(int(node))):
            after = reach[node].copy()
            after[player] *= rows[:, action]
            reach[child] = after

    boards = sample_runouts(flop, num_boards, seed * 2_000 + flop_class)
    values = np.zeros((2, FLOP_COMBOS), dtype=np.float32)
    refine_kernel(
        context.tables, context.sums, values, context.scratch, allocate_sample(context, config.bins), program,
        context.abstraction.tables, known, ranges, boards, config.trust, config.memory, config.discount, config.power,
    )  # fmt: skip

    result = []
    for node, rows in zip(context.decisions, start_rows, strict=True):
        first = int(context.compiled.node_start[node]) // width
        block = sums[first : first + rows.shape[1], :FLOP_COMBOS].T
        result.append(np.ascontiguousarray(block / block.sum(axis=1, keepdims=True)) if num_boards else rows)
    # Values are net of all chips put in; the share of the pot is that plus what was put in before the flop.
    net = values / np.maximum(weights.sum() * mass, 1e-12)
    committed = context.line.pot / 2 / CHIPS_PER_UNIT
    evs = ((net + committed) / context.pot).astype(np.float32)
    moved = float(np.abs(result[0] - start_rows[0]).sum(axis=1).mean() / 2)
    return RefinedFlop(result, evs, num_boards, time.thread_time() - started, moved)
