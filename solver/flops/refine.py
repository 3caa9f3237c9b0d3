"""The quick tier: refines the blueprint's strategy on one flop, with exact hands instead of flop buckets.

The game that is solved is the part of the blueprint tree after one preflop line, on one flop, with the blueprint's
ranges. Flop decisions are learnt for each of the 1,176 hands. Turn and river are not learnt: there both players follow
the blueprint by its buckets. The method is counterfactual regret minimisation with public chance sampling, Johanson et
al. 2012. An iteration

1. takes one run-out, a turn and a river (:func:`sample_runouts`), and computes what all hands of both players are
   worth on it at the leaves of the flop, where the flop's betting ends (:mod:`hedgehog.solver.flops.endings`);
2. makes these values less noisy by a baseline (:class:`RefineConfig` says how);
3. walks up the flop's betting, adds to the regrets of every hand, and adds the strategy to the average.

It starts from the blueprint's own flop strategy, as if that had been found in ``prior`` iterations.

To tune it: time is proportional to the number of run-outs (``boards``) and to the nodes of the tree. Quality is what
:mod:`hedgehog.analysis.packs.flop_gain` measures: what a flop strategy wins from the blueprint's own on fresh run-outs.
With few run-outs the result is limited by noise, which ``prior``, ``trust`` and ``memory`` trade for bias. That measure
prefers more bias than exact opponents leave unpunished: against them a full ``trust`` and a small ``prior`` lose less
from about a hundred run-outs on. ``docs/quick-flops.md`` says how the shipped pack is refined and judged.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, combo_mask
from hedgehog.poker.isomorphism import COMBO_PERMUTATIONS, flop_representative, permute_cards
from hedgehog.poker.ranges import disjoint_weight
from hedgehog.poker.streets import FLOP, FLOP_COMBOS
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint._blueprint_kernels import MAX_HANDS, RoundScratch
from hedgehog.solver.blueprint.cards._river_kernels import NUM_OPPONENTS
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.program import (
    CHIPS_PER_UNIT,
    CompiledTree,
    aligned_zeros,
    allocate_scratch,
    compile_tree,
    padded,
)
from hedgehog.solver.blueprint.table import Blueprint, PreflopLine, preflop_lines
from hedgehog.solver.flops._ending_kernels import Endings
from hedgehog.solver.flops._refine_kernels import FlopTables, Sample, histogram_kernel, refine_kernel
from hedgehog.solver.flops.endings import allocate_ending_scratch, fixed_endings, payoffs_of
from hedgehog.strategies.betting_tree import BettingTree, NodeKind, subtree

NUM_PERMUTATIONS: Final = 24
MAX_BOARDS: Final = 100_000
LEAST_WEIGHT: Final = 1e-5
"""Least range weight of a hand. Without it, hands that a player never brings to the flop would have no values to learn
from at the other player's decisions, and no answer of their own when somebody else's line brings them there."""
_TRACE: Final = 1e-4
"""Weight in the average of the strategy to start from. A hand that never reaches a decision keeps it as its average,
which would be 0 / 0; for others it is lost among the n iterations, which weigh from 1 / n to 1 each."""


@dataclass(frozen=True, slots=True)
class RefineConfig:
    """The settings of the refinement of a flop.

    Few run-outs are sampled, so the value of a hand on a run-out is mostly luck: whether the run-out made it strong.
    How strong it is there is its equity on the river against a random hand, and how often the hand has which equity
    over *all* run-outs of the flop is known from a table. The *baseline* uses this to take the luck out.

    The baseline says what a hand of some equity is worth on average: for each player and leaf of the flop, one number
    per bin of equity (``bins``), averaged over all hands and the run-outs so far, of which older ones fade by
    ``memory``. With ``b(e)`` for its value at equity ``e``, a hand whose value on the run-out is ``v`` and whose equity
    there is ``e`` gets::

        trust * (v - b(e)) + mean of b over the hand's equities on all run-outs

    The mean over run-outs of ``v - b(e)`` plus that of ``b`` is the mean of ``v``: with ``trust`` 1 the values are
    right on average, whatever the baseline is. With a smaller ``trust`` they vary less, and lean towards hands with the
    same equities being worth the same; what tells such hands apart, such as blockers, counts for less.

    :raises InputError: if a number is out of range.
    """

    boards: int | None = None
    """Number of sampled run-outs, one per iteration. None lets :func:`default_boards` choose by the tree."""
    prior: float = 3.0
    """Number of iterations that the blueprint's strategy counts for. The regret of each action starts at its blueprint
    probability times ``prior`` times the pot at the flop times the weight of the opponent's hands, the unit in which
    regrets grow. A larger prior keeps the result nearer to the blueprint, which is safe with few run-outs."""
    trust: float = 1.0
    """Share, 0 to 1, of a hand's difference from the baseline that is kept. 1 is unbiased and has the most noise."""
    memory: float = 0.98
    """Factor, 0 to 1, by which all run-outs so far count less in the baseline with each new one: about the last
    1 / (1 - memory) run-outs count. The strategies change, and with them the values, so that old run-outs mislead;
    few run-outs make a noisy baseline. 1 never forgets."""
    bins: int = 40
    """Number of bins, 1 to 200, of the equity on the river in the baseline. More bins explain more of the luck, and
    average over fewer hands each."""
    discount: float = 0.0
    """After iteration t the regrets are multiplied by 1 - discount / (t + 1)."""
    power: float = 1.0
    """The weight of iteration t in the average strategy is t to this power."""

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
class FlopSubtree:
    """The part of a blueprint after one preflop line, ready to be refined on any flop.

    Its working memory serves one thread at a time.
    """

    abstraction: CardAbstraction
    tree: BettingTree
    """The part of the blueprint tree after the line."""
    nodes: NDArray[np.int32]
    """(nodes of ``tree``,) number of each node in the blueprint tree."""
    decisions: NDArray[np.int64]
    """Decisions on the flop as nodes of ``tree``, ascending, which is the order of the refined rows."""
    compiled: CompiledTree
    """``tree`` compiled for the kernels, with every flop hand as a bucket of its own."""
    endings: Endings
    """What both players do on turn and river."""
    regrets: NDArray[np.float32]
    """Working memory: regrets on the flop."""
    sums: NDArray[np.float32]
    """Working memory: summed strategies on the flop."""
    scratch: RoundScratch
    """Working memory of the kernels."""

    @property
    def pot(self) -> float:
        """The pot at the flop, in thousands of chips."""
        return self.tree.pot(0) / CHIPS_PER_UNIT


@dataclass(frozen=True, slots=True)
class LineContext(FlopSubtree):
    """Data for the refinement of all flops of one preflop line. Its working memory serves one thread at a time."""

    blueprint: Blueprint
    """The blueprint that is refined."""
    line: PreflopLine
    """The preflop line, with both players' ranges."""


@dataclass(frozen=True, slots=True)
class RefinedFlop:
    """The refined strategy on one flop, in the suits of the representative of its class."""

    rows: list[NDArray[np.float32]]
    """Per flop decision of the line, in node order, (1176, actions) probabilities of the live combos, ascending."""
    evs: NDArray[np.float32]
    """(2, 1176) expected share of the pot at the flop by player and live combo, in pots."""
    boards: int
    """Number of sampled run-outs."""
    seconds: float
    """CPU time of the thread in seconds."""
    moved: float
    """Probability mass at the first decision that differs from the blueprint's strategy, averaged over the hands."""


def line_context(blueprint: Blueprint, abstraction: CardAbstraction, betting: str) -> LineContext:
    """Returns the data for the refinement of all flops of one preflop line.

    :param abstraction: the card buckets of the blueprint.
    :param betting: ACPC betting of the line, such as ``r250c``.
    :raises InputError: if the blueprint has no such line to the flop or other buckets.
    """
    if blueprint.cards != abstraction.config:
        raise InputError("the blueprint has another card abstraction")
    lines = {line.betting: line for line in preflop_lines(blueprint)}
    if betting not in lines:
        raise InputError(f"no line {betting!r} to the flop, expected one of {', '.join(lines)}")
    line = lines[betting]
    part = flop_subtree(blueprint.tree, line.node, abstraction, blueprint.block)
    shared = {field.name: getattr(part, field.name) for field in dataclasses.fields(part)}
    return LineContext(**shared, blueprint=blueprint, line=line)


def flop_subtree(
    tree: BettingTree, root: int, abstraction: CardAbstraction, block: Callable[[int], NDArray[np.float32]]
) -> FlopSubtree:
    """Returns the part of a blueprint below its first decision on the flop, ready to be refined on any flop.

    :param tree: the blueprint's tree.
    :param root: node of ``tree``: the first decision on the flop.
    :param abstraction: the card buckets of the blueprint.
    :param block: returns the blueprint's probabilities (buckets, actions) at a decision of ``tree`` on turn or river.
    """
    part, nodes, compiled, tables = flop_play(tree, root, abstraction, block)
    scratch = allocate_scratch(compiled.program)
    decisions = np.flatnonzero(part.kind == NodeKind.DECISION)
    rows = int(compiled.program.round_table[1])
    return FlopSubtree(
        abstraction=abstraction,
        tree=part,
        nodes=nodes,
        decisions=decisions[part.street[decisions] == FLOP],
        compiled=compiled,
        endings=fixed_endings(compiled, tables, scratch),
        regrets=aligned_zeros(rows),
        sums=aligned_zeros(rows),
        scratch=scratch,
    )


def flop_play(
    tree: BettingTree, root: int, abstraction: CardAbstraction, block: Callable[[int], NDArray[np.float32]]
) -> tuple[BettingTree, NDArray[np.int32], CompiledTree, NDArray[np.float32]]:
    """Returns the part of a blueprint below its first decision on the flop, with its play on turn and river.

    :param tree: the blueprint's tree.
    :param root: node of ``tree``: the first decision on the flop.
    :param abstraction: the card buckets of the blueprint.
    :param block: returns the blueprint's probabilities (buckets, actions) at a decision of ``tree`` on turn or river.
    :returns: the part; for each of its nodes the number of the node in ``tree``; the part compiled for the kernels,
        with every flop hand as a bucket of its own; and float32 probabilities in the layout of the compiled part, 0 on
        the flop.
    """
    part, nodes = subtree(tree, root)
    preflop, _, turn, river = abstraction.bucket_counts
    compiled = compile_tree(part, (preflop, FLOP_COMBOS, turn, river))
    tables = aligned_zeros(compiled.table_size)
    decisions = np.flatnonzero(part.kind == NodeKind.DECISION)
    for node in decisions[part.street[decisions] > FLOP]:
        probabilities = block(int(nodes[node]))
        count, actions = probabilities.shape
        start = int(compiled.node_start[node])
        width = padded(count)
        tables[start : start + actions * width].reshape(actions, width)[:, :count] = probabilities.T
    return part, nodes, compiled, tables


def default_boards(context: LineContext) -> int:
    """Returns the number of run-outs for each flop class of a line, chosen so that a class takes one to two seconds."""
    return min(300, 280_000 // int(np.count_nonzero(context.tree.kind == NodeKind.DECISION)))


def flop_tables(abstraction: CardAbstraction, flop: tuple[int, ...], bins: int) -> FlopTables:
    """Returns the tables of a flop that do not depend on sampled run-outs. It takes tens of milliseconds.

    They are the numbers of the live combos; for each its *orbit*, the combos that exchanging suits without changing the
    flop makes of it, which share their regrets because they are the same hand; and how often it has an equity in each
    bin over all run-outs, the mean that the baseline needs.

    :param bins: number of bins of the equity on the river.
    """
    live = np.flatnonzero(combo_mask(flop))
    live_of_combo = np.full(len(COMBO_CARDS), -1, dtype=np.int64)
    live_of_combo[live] = np.arange(len(live))
    fixing = [p for p in range(NUM_PERMUTATIONS) if set(permute_cards(flop, p)) == set(flop)]
    orbit = live_of_combo[COMBO_PERMUTATIONS[fixing][:, live].min(axis=0)]
    histogram = np.zeros((len(live), bins), dtype=np.float32)
    board = np.array([*flop, 0, 0], dtype=np.uint8)
    histogram_kernel(histogram, board, abstraction.tables, live_of_combo)
    return FlopTables(
        live_of_combo=live_of_combo,
        live_cards=COMBO_CARDS[live].astype(np.int64),
        orbit=orbit,
        orbit_size=np.bincount(orbit, minlength=len(live)).astype(np.float32),
        histogram=histogram,
    )


def allocate_sample(context: FlopSubtree, bins: int) -> Sample:
    """Returns empty working memory for sampled run-outs, with the baseline at zero.

    :param bins: number of bins of the equity on the river.
    """
    program = context.compiled.program
    leaves = int(program.round_leaf[1])
    return Sample(
        hand_live=np.zeros(MAX_HANDS, dtype=np.int64),
        hand_bin=np.zeros(MAX_HANDS, dtype=np.int64),
        baseline=aligned_zeros((2, bins * leaves)),
        totals=aligned_zeros((2, bins * leaves)),
        counts=np.zeros((2, bins), dtype=np.float32),
        by_card=aligned_zeros(53 * leaves),
        leaf_values=aligned_zeros((2, int(program.street_buckets[FLOP]) * leaves)),
        endings=allocate_ending_scratch(),
    )


def flop_ranges(context: LineContext, flop: tuple[int, ...]) -> NDArray[np.float32]:
    """Returns float32 (2, 1176): weights of OOP and IP by live combo, each at least :data:`LEAST_WEIGHT`."""
    live = combo_mask(flop)
    return np.maximum(context.line.ranges[:, live], np.float32(LEAST_WEIGHT))


def blueprint_rows(context: LineContext, flop: tuple[int, ...]) -> list[NDArray[np.float32]]:
    """Returns the blueprint's own strategy on a flop: per decision (1176, actions) probabilities by live combo."""
    buckets = context.abstraction.buckets(FLOP, flop)[combo_mask(flop)]
    return [context.blueprint.block(int(context.nodes[node]))[buckets] for node in context.decisions]


def sample_runouts(flop: tuple[int, ...], count: int, seed: int) -> NDArray[np.uint8]:
    """Returns uint8 (count, 5): boards with random run-outs, spread evenly over turn and river cards, in random order.

    They are a rank-1 lattice with a random shift: point k lies at k / count over the turn cards and at k times the
    golden ratio over the river cards, modulo 1. So a few dozen run-outs already have about every turn card as often as
    any other, and turn and river do not repeat together, which independent draws would not give.

    :param flop: three card ids.
    :param count: number of run-outs; 0 for none.
    :param seed: decides the shift and the order.
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
    """Returns the weight of the opponent's combos that share no card with a combo.

    :param ranges: float32 (2, 1176) weights of OOP and IP by live combo.
    :param flop: three card ids.
    :returns: float64 (2, 1176), by player and live combo of the player.
    """
    live = combo_mask(flop)
    full = np.zeros((2, len(live)))
    full[:, live] = ranges
    return np.stack([disjoint_weight(full[1 - traverser])[live] for traverser in range(2)])


class Refinement:
    """The refinement of one flop, which can run in parts. It owns the working memory of its context while it runs.

    :param context: the preflop line.
    :param flop: three card ids.
    :param ranges: float32 (2, 1176) weights of both ranges by live combo, each positive.
    :param start_rows: per flop decision of ``context``, the probabilities (1176, actions) to start from.
    :param boards: uint8 (n, 5) the flop with a run-out in each row, one per iteration.
    :param config: the settings; ``boards`` is not read.
    :param known: tables of the flop from :func:`flop_tables`; None: they are made.
    """

    def __init__(
        self,
        context: FlopSubtree,
        flop: tuple[int, ...],
        ranges: NDArray[np.float32],
        start_rows: Sequence[NDArray[np.float32]],
        boards: NDArray[np.uint8],
        config: RefineConfig,
        known: FlopTables | None = None,
    ) -> None:
        self.done = 0
        """Number of iterations so far."""
        self.values = np.zeros((2, FLOP_COMBOS), dtype=np.float32)
        """(2, 1176) summed values of the hands, with the weights of the iterations."""
        self.mass = disjoint_mass(ranges, flop) * (NUM_OPPONENTS / FLOP_COMBOS)
        """(2, 1176) weight of the opponent's hands on an average run-out."""
        self._context, self._ranges, self._boards, self._config = context, ranges, boards, config
        self._start_rows = start_rows
        self._known = known if known is not None else flop_tables(context.abstraction, flop, config.bins)
        self._sample = allocate_sample(context, config.bins)
        program = context.compiled.program
        width = int(program.street_buckets[FLOP])
        self._payoffs = payoffs_of(context.endings, program)
        regrets = context.regrets.reshape(-1, width)
        self._sums = context.sums.reshape(-1, width)
        regrets[:] = 0.0
        self._sums[:] = 0.0
        reach = {0: np.ones((2, FLOP_COMBOS), dtype=np.float32)}
        for node, rows in zip(context.decisions, start_rows, strict=True):
            player = int(context.tree.player[node])
            at = self._rows_of(int(node), rows.shape[1])
            regrets[at, :FLOP_COMBOS] = rows.T * (config.prior * context.pot * self.mass[player])
            self._sums[at, :FLOP_COMBOS] = rows.T * np.maximum(reach[node][player], 1e-6) * _TRACE
            for action, child in enumerate(context.tree.children(int(node))):
                after = reach[node].copy()
                after[player] *= rows[:, action]
                reach[child] = after

    def run(self, until: int) -> None:
        """Runs iterations until a number of them is done in all, or all boards are used.

        :param until: number of iterations since the beginning of the refinement.
        """
        context, config = self._context, self._config
        until = min(until, len(self._boards))
        refine_kernel(
            context.regrets, context.sums, self.values, context.scratch, self._sample, context.compiled.program,
            context.abstraction.tables, self._known, context.endings, self._payoffs, self._ranges, self._boards,
            self.done, until, config.trust, config.memory, config.discount, config.power,
        )  # fmt: skip
        self.done = until

    def rows(self) -> list[NDArray[np.float32]]:
        """Returns the average strategy so far: per flop decision (1176, actions) probabilities by live combo."""
        if not self.done:
            return list(self._start_rows)
        result = []
        for node, rows in zip(self._context.decisions, self._start_rows, strict=True):
            block = self._sums[self._rows_of(int(node), rows.shape[1]), :FLOP_COMBOS].T
            result.append(np.ascontiguousarray(block / block.sum(axis=1, keepdims=True)))
        return result

    def _rows_of(self, node: int, actions: int) -> slice:
        """Returns the rows of a flop decision in the tables of the flop."""
        first = int(self._context.compiled.node_start[node]) // self._sums.shape[1]
        return slice(first, first + actions)


def refine_flop(context: LineContext, flop_class: int, *, seed: int, config: RefineConfig | None = None) -> RefinedFlop:
    """Returns the refined flop strategies of both players on one flop class. The same seed gives the same result.

    :param context: the preflop line, from :func:`line_context`.
    :param flop_class: number of the class, 0 to 1754 (:mod:`hedgehog.poker.isomorphism`).
    :param seed: seed of the run-outs.
    :param config: settings; None for the defaults.
    """
    config = config or RefineConfig()
    num_boards = default_boards(context) if config.boards is None else config.boards
    started = time.thread_time()
    flop = flop_representative(flop_class)
    boards = sample_runouts(flop, num_boards, seed * 2_000 + flop_class)
    start_rows = blueprint_rows(context, flop)
    refinement = Refinement(context, flop, flop_ranges(context, flop), start_rows, boards, config)
    refinement.run(num_boards)
    result = refinement.rows()
    # Values are net of all chips put in, so the chips put in before the flop are added for the share of the pot.
    weights = (np.arange(1, num_boards + 1) / max(num_boards, 1)) ** config.power
    net = refinement.values / np.maximum(weights.sum() * refinement.mass, 1e-12)
    committed = context.line.pot / 2 / CHIPS_PER_UNIT
    evs = ((net + committed) / context.pot).astype(np.float32)
    moved = float(np.abs(result[0] - start_rows[0]).sum(axis=1).mean() / 2)
    return RefinedFlop(result, evs, num_boards, time.thread_time() - started, moved)
