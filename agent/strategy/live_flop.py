"""The flop at the table: the blueprint's flop decisions are refined with the true pot, stacks, bets and both ranges.

This is done in the preflop lines that no flop pack holds; elsewhere it has not made the player harder to exploit.
The tree is the part of the blueprint below the node that stands for the preflop betting. Its bets have the real chips.
A real bet that the tree lacks takes the place of the nearest bet of the tree. Turn and river are played by the
blueprint's buckets on sampled run-outs, as when a quick flop pack is built (:mod:`hedgehog.solver.flops.refine`). The
refinement starts from the strategy of the packs.
"""

from __future__ import annotations

import dataclasses
import logging
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.options import Options, merged_options
from hedgehog.agent.strategy.hand_view import Event, HandView
from hedgehog.agent.strategy.live_strategy import Promise
from hedgehog.agent.strategy.pack_strategy import BLUEPRINT, FALLBACK, PackStrategy
from hedgehog.agent.strategy.planning_speed import PlanningSpeed, planning_speed
from hedgehog.agent.strategy.shadow import Situation, exact_action
from hedgehog.agent.strategy.think_time import SolveTime
from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.poker.state import Action
from hedgehog.poker.streets import FLOP
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.program import with_chips
from hedgehog.solver.flops.refine import (
    LEAST_WEIGHT,
    FlopSubtree,
    RefineConfig,
    Refinement,
    flop_subtree,
    flop_tables,
    sample_runouts,
)
from hedgehog.solver.flops.scaling import TreeScaler
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind, betting_token
from hedgehog.strategies.quantize import SCALE, dequantize_rows

logger = logging.getLogger(__name__)

LEAST_BOARDS: Final = 60
"""Fewest planned run-outs for which a flop is refined; with fewer, the packs answer.

With 40 run-outs 5-bet pots lose less than from the packs, with 32 large 3-bet pots lose as much
(docs/notebook/2026-11-28-endings.md)."""
MOST_BOARDS: Final = 400
SHARE_OF_TIME: Final = 0.8
"""Share of the time allowed that is planned for run-outs; the rest is for a busy machine."""
BOARDS_AT_ONCE: Final = 4
KEPT_LINES: Final = 24
CONFIG: Final = RefineConfig()
SEED: Final = 1
_WARM_UP_FLOP: Final = (39, 34, 0)


@dataclass(frozen=True, slots=True)
class SolvedFlop:
    """The refined strategies of one flop."""

    tree: BettingTree
    """The flop, turn and river with the real chips."""
    rows: dict[int, NDArray[np.float32]]
    """float32 (1176, actions) by flop decision: the probabilities of the combos that miss the flop, ascending."""
    live: NDArray[np.bool_]
    """(1326,) True for the combos that miss the flop."""
    iterations: int
    """Number of sampled run-outs."""

    def _node(self, events: list[Event]) -> int | None:
        """Returns the node after real actions of the flop, None if the tree lacks one of them."""
        node = 0
        for event in events:
            child = _child(self.tree, node, event)
            if child is None:
                return None
            node = child
        return node if node in self.rows else None

    def options(self, events: list[Event], situation: Situation) -> Options | None:
        """Returns the legal actions and their probabilities after ``events``, or None if the tree lacks this line.

        :param events: the actions of the flop so far.
        :param situation: what the rules allow after them.
        """
        node = self._node(events)
        if node is None:
            return None
        actions = [exact_action(self.tree, child, situation) for child in self.tree.children(node)]
        probabilities = np.zeros((len(actions), NUM_COMBOS))
        probabilities[:, self.live] = self.rows[node].T
        return merged_options(actions, probabilities)

    def action_evs(self, events: list[Event], situation: Situation) -> dict[Action, NDArray[np.float32]]:
        """Returns nothing: a refinement over sampled run-outs has no EVs of its own."""
        return {}

    def likelihood(self, events: list[Event]) -> NDArray[np.float64] | None:
        """Returns (1326,): the probability of the last of ``events`` for every combo of the player who took it.

        :param events: the actions of the flop so far, at least one.
        :returns: None if the tree lacks this line.
        """
        found = self.options(events[:-1], events[-1].situation)
        return None if found is None else found.row(events[-1].action)

    def tremble(self, events: list[Event]) -> NDArray[np.float64] | None:
        """Returns None: flops are solved without trembles.

        :param events: the actions of this street so far.
        """
        return None

    def promise(self, events: list[Event], card: int) -> Promise | None:
        """Returns None: a flop has no rivers next.

        :param events: all actions of the street.
        :param card: id of a card.
        """
        return None


def _child(tree: BettingTree, node: int, event: Event) -> int | None:
    """Returns the child that is exactly the real action; None if there is none."""
    if tree.kind[node] != NodeKind.DECISION:
        return None
    return next(
        (child for child in tree.children(node) if exact_action(tree, child, event.situation) == event.action), None
    )


def _nearest_bet(tree: BettingTree, node: int, event: Event) -> int | None:
    """Returns the bet or raise of a decision that is nearest to a real one in its share of the pot; None: no bet.

    An all-in stands for a smaller bet only if there is no other bet.
    """
    if tree.kind[node] != NodeKind.DECISION:
        return None
    before = int(tree.committed[node].max())
    bets = [child for child in tree.children(node) if tree.action[child] >= ActionKind.BET]
    bets = [child for child in bets if tree.action[child] != ActionKind.ALL_IN] or bets
    real = math.log(max(event.action.size - before, 1))
    sizes = [int(tree.committed[child].max()) - before for child in bets]
    distances = [abs(math.log(max(size, 1)) - real) for size in sizes]
    return bets[int(np.argmin(distances))] if bets else None


def planned_boards(num_decisions: int, plan_ms: float, speed: PlanningSpeed) -> int:
    """Returns the number of run-outs that are planned for a tree.

    It does not depend on how busy the machine is, only the deadline does.

    :param num_decisions: decisions of the tree on flop, turn and river.
    :param plan_ms: milliseconds for the solve.
    :param speed: planned times.
    """
    free = SHARE_OF_TIME * plan_ms * 1e6 - speed.ns_per_flop
    return max(0, min(MOST_BOARDS, int(free / (speed.ns_per_board + num_decisions * speed.ns_per_board_decision))))


class _Line:
    """The part of the blueprint after one preflop line, ready for every flop, pot and stack."""

    def __init__(self, subtree: FlopSubtree) -> None:
        self.subtree = subtree
        self.scaler = TreeScaler(subtree.tree)
        self.num_decisions = int(np.count_nonzero(subtree.tree.kind == NodeKind.DECISION))


class FlopLiveSolver:
    """Refines flops at the table where no flop pack holds them."""

    def __init__(
        self,
        packs: PackStrategy,
        abstraction: CardAbstraction,
        config: RefineConfig = CONFIG,
        *,
        everywhere: bool = False,
        least_boards: int = LEAST_BOARDS,
        speed: PlanningSpeed | None = None,
    ) -> None:
        """Makes a solver that knows no preflop line yet.

        :param packs: the strategy from which a refinement starts.
        :param abstraction: the card buckets of the blueprint.
        :param config: settings of the refinement; ``boards`` is not read.
        :param everywhere: refine also the flops that a flop pack holds.
        :param least_boards: fewest planned run-outs for which a flop is refined.
        :param speed: planned times of a refinement; None takes those of this machine.
        """
        self._speed = planning_speed() if speed is None else speed
        self._least_boards = least_boards
        self._everywhere = everywhere
        self._config = config
        self._packs = packs
        self._abstraction = abstraction
        self._line = lru_cache(maxsize=KEPT_LINES)(self._make_line)
        """Returns the part of the blueprint below a first decision on the flop; the last ones used are kept."""
        self._tables = lru_cache(maxsize=8)(lambda flop: flop_tables(abstraction, flop, config.bins))

    def warm_up(self) -> None:
        """Compiles or loads the kernels, on the smallest part of the blueprint that starts on the flop."""
        tree = self._packs.blueprint.tree
        roots = np.flatnonzero(
            (tree.street == FLOP) & (tree.action == ActionKind.DEAL) & (tree.kind == NodeKind.DECISION)
        )
        if len(roots):
            line = self._line(int(roots[np.argmax(tree.committed[roots].max(axis=1))]))
            live = combo_mask(_WARM_UP_FLOP)
            ranges = np.ones((2, int(live.sum())), dtype=np.float32)
            first = self._first_rows(line.subtree, _WARM_UP_FLOP, live, {})
            runouts = sample_runouts(_WARM_UP_FLOP, 1, SEED)
            tables = self._tables(_WARM_UP_FLOP)
            Refinement(line.subtree, _WARM_UP_FLOP, ranges, first, runouts, self._config, tables).run(1)

    def covers(self, view: HandView) -> bool:
        """Tells whether a decision is on a flop that no flop pack holds; only such decisions are to be solved."""
        if view.situation.street != FLOP:
            return False
        place = self._packs.place(view.street_start().betting, view.board)
        return place.layer != FALLBACK and (place.layer == BLUEPRINT or self._everywhere)

    def root(self, view: HandView) -> HandView:
        """Returns the first decision on the flop."""
        return view.street_start()

    def has_time(self, view: HandView, plan_ms: float) -> bool:
        """Returns False if the planned time is too short for the fewest run-outs even of the smallest tree."""
        return planned_boards(0, plan_ms, self._speed) >= self._least_boards

    def solve(
        self, view: HandView, ranges: NDArray[np.float64], allowed: SolveTime, promise: Promise | None = None
    ) -> SolvedFlop | None:
        """Returns the refined strategies on the flop of a decision; None if there is too little time.

        :param view: the current decision, which the solver covers.
        :param ranges: (2, 1326) weights by position at the start of the flop.
        :param allowed: the time for this solve.
        :param promise: None, as only rivers have promises.
        """
        started = time.monotonic()
        events = view.events_on(FLOP)
        betting, flop, _, start = view.street_start()
        if ranges.max(axis=1).min() <= 0:
            return None
        shadows = self._packs.blueprint.lines.line(betting).shadows
        line = self._line(max(shadows, key=lambda shadow: shadow[1])[0])
        boards = planned_boards(line.num_decisions, allowed.plan_ms, self._speed)
        if boards < self._least_boards:
            return None
        totals: dict[int, int] = {}
        tree = self._real_tree(line, start, events, totals)
        if tree is None:
            return None
        context = dataclasses.replace(line.subtree, tree=tree, compiled=with_chips(line.subtree.compiled, tree))
        live = combo_mask(flop)
        weights = np.maximum(ranges[:, live] / ranges[:, live].max(axis=1, keepdims=True), LEAST_WEIGHT)
        first = self._first_rows(context, flop, live, _bettings(tree, totals, betting))
        runouts = sample_runouts(flop, boards, SEED)
        refinement = Refinement(
            context, flop, weights.astype(np.float32), first, runouts, self._config, self._tables(flop)
        )
        while refinement.done < boards and time.monotonic() < allowed.deadline:
            refinement.run(refinement.done + BOARDS_AT_ONCE)
        if 2 * refinement.done < self._least_boards:  # the deadline stopped the refinement
            return None
        rows = dict(zip(context.decisions.tolist(), refinement.rows(), strict=True))
        logger.debug(
            "live flop after %s: %d of %d run-outs in %.0f ms",
            view.betting,
            refinement.done,
            boards,
            1000 * (time.monotonic() - started),
        )
        return SolvedFlop(tree, rows, live, refinement.done)

    def _make_line(self, root: int) -> _Line:
        table = self._packs.blueprint.table
        return _Line(flop_subtree(table.tree, root, self._abstraction, lambda node: dequantize_rows(table.block(node))))

    def _first_rows(
        self, context: FlopSubtree, flop: tuple[int, ...], live: NDArray[np.bool_], bettings: dict[int, str]
    ) -> list[NDArray[np.float32]]:
        """Returns the strategy of the packs, (1176, actions) for each flop decision.

        :param bettings: ACPC betting of the decisions after bets that the packs have to translate.
        """
        found = []
        for node in context.decisions.tolist():
            rows = None
            if node in bettings:
                rows = self._translated_rows(context.tree, node, bettings[node], flop)
            if rows is None:
                rows = self._packs.blueprint.rows(int(context.nodes[node]), flop) / SCALE
            found.append(np.ascontiguousarray(rows[:, live].T, dtype=np.float32))
        return found

    def _translated_rows(
        self, tree: BettingTree, node: int, betting: str, flop: tuple[int, ...]
    ) -> NDArray[np.float64] | None:
        """Returns float64 (actions, 1326): what the packs play after betting that they translate; None if unlike."""
        situation = self._packs.blueprint.lines.line(betting).situation
        actions = [exact_action(tree, child, situation) for child in tree.children(node)]
        options = self._packs.options(betting, flop)[1]
        rows = np.zeros((len(actions), NUM_COMBOS))
        for action, row in zip(options.actions, options.probabilities, strict=True):
            if action in actions:
                rows[actions.index(action)] += row
            else:
                bets = [i for i, other in enumerate(actions) if other.kind == "r"]
                if not bets:
                    return None
                rows[min(bets, key=lambda i: abs(math.log(actions[i].size / action.size)))] += row
        return rows

    def _real_tree(
        self, line: _Line, start: Situation, events: list[Event], totals: dict[int, int]
    ) -> BettingTree | None:
        """Returns the tree with the real chips, in which real bets take the places of the nearest bets.

        :param start: the situation at the beginning of the flop.
        :param events: the actions of the flop so far.
        :param totals: receives the real bets by the node that each of them leads to.
        :returns: None if no line of the tree can stand for the betting.
        """

        scaler = line.scaler
        tree = scaler.scaled(start.max_spent, start.stack, _least_bet(start), totals)
        node = 0
        for event in events:
            child = _child(tree, node, event)
            if child is None:
                child = _nearest_bet(tree, node, event) if event.action.kind == "r" else None
                if child is None:
                    return None
                totals[child] = event.action.size
                tree = scaler.scaled(start.max_spent, start.stack, _least_bet(start), totals)
            node = child
        return tree if tree.kind[node] == NodeKind.DECISION else None


def _least_bet(start: Situation) -> int:
    """Returns the smallest legal bet at the beginning of a street, in chips."""
    return 0 if start.raise_range is None else start.raise_range[0] - start.max_spent


def _bettings(tree: BettingTree, totals: Mapping[int, int], before: str) -> dict[int, str]:
    """Returns the ACPC betting of the flop decisions after real bets that have replaced bets of the tree.

    :param totals: the real bets by node.
    :param before: betting before the flop.
    """
    found: dict[int, str] = {}
    if not totals:
        return found
    texts = {0: before}
    for node in np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.street == FLOP)).tolist():
        for child in tree.children(node):
            texts[child] = texts[node] + betting_token(tree, child)
            if tree.kind[child] == NodeKind.DECISION and (child in totals or node in found):
                found[child] = texts[child]
    return found
