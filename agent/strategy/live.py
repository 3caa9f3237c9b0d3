"""Live re-solving: the turn and the river are solved at the table with the true cards, pot, stacks and ranges.

A street is solved from its start or, if the player has acted on it, from its last action on, with both players' ranges
as the betting so far implies them: unsafely, or safely (:mod:`hedgehog.agent.strategy.resolving`). What the player has
done is thus taken as it did it: a solve from the start of the street would choose other hands for it, and answer a
raise as these hands should. The tree holds the real bets, including the opponent's sizes, so no bet is translated. The
menu of further bets is the richest one whose estimated cost leaves enough iterations in the time allowed. On a turn,
only its own strategies are wanted, as the river is solved anew, and what the opponent's hands win on rivers: its rivers
are played by groups of hands, which takes a third to a twentieth of the time
(:mod:`hedgehog.solver.abstraction.rank_rivers`). If time is left, the turn is solved again with single hands
(:data:`SINGLE_HANDS`). A river keeps what the solve with groups promises the opponent's hands or, if an opponent's bet
is in no tree, the solve of the river without it (:data:`PROMISED`).
"""

from __future__ import annotations

import logging
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.strategy.hand_view import HandView
from hedgehog.agent.strategy.live_strategy import OPPONENT_TREMBLE, Promise
from hedgehog.agent.strategy.pack_prior import pack_prior
from hedgehog.agent.strategy.pack_strategy import PackStrategy
from hedgehog.agent.strategy.planning_speed import PlanningSpeed, planning_speed
from hedgehog.agent.strategy.resolving import DEFAULT_RESOLVING, Resolving
from hedgehog.agent.strategy.solved_street import SolvedRiver, SolvedStreet, street_tokens
from hedgehog.agent.strategy.think_time import SolveTime
from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.poker.streets import RIVER, TURN
from hedgehog.runtime.errors import MemoryShortageError
from hedgehog.solver.abstraction._rank_river_kernels import RankRivers
from hedgehog.solver.abstraction.abstraction import SpotValues
from hedgehog.solver.abstraction.group_solver import GroupSolver
from hedgehog.solver.abstraction.rank_river_solver import RankRiverSolver, rank_river_work
from hedgehog.solver.abstraction.rank_rivers import SuitlessSpot, forget_suits, rank_rivers
from hedgehog.solver.cfr.trembles import Tremble
from hedgehog.solver.postflop.prepared import SHARED_RIVER, PreparedSpot, prepare_tree
from hedgehog.solver.postflop.responses.decisions import street_action_evs
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree
from hedgehog.strategies.betting_tree import BettingTree, NodeKind

logger = logging.getLogger(__name__)

ADD_ALLIN: Final = 1.5
FORCE_ALLIN: Final = 0.2
ALGORITHM: Final = "dcfr:beta=0.4,gamma=5,reset=no"
"""Its average hardly counts the first half of the iterations, and unlike that of ``dcfr`` it never restarts, so one
iteration more or less changes little. Deep turns are a quarter closer to the end than with ``beta=0`` after the
iterations of 300 ms (docs/notebook/2026-11-27-turn-trembles.md)."""
LEAST_ITERATIONS: Final = {2: 20, 3: 30}
"""By the street of the root: fewest iterations for which a street is solved.

With fewer, the strategy of the packs is better."""
MAX_ITERATIONS: Final = 1000
SINGLE_HANDS: Final = 120
"""Fewest iterations with single hands on its rivers, after the most with groups, for which a turn is solved again.

Groups lose up to a third of a percent of the pot where little is behind, however long the solve takes
(docs/notebook/2026-11-29-shipped-turns.md)."""
TEMPERATURE: Final = 0.05
"""Temperature of trembles, in pots at the root of the solve."""
PROMISED: Final = 0.3
"""On a river, each hand with which the opponent came to the turn's solve may choose what the solve before promises it.
Its weight is this share of the one that it had on the turn, if the largest weight is 1 both there and on the river
(docs/notebook/2026-11-27-promises.md, docs/notebook/2026-11-29-missing-bets.md)."""
_GROUPED: Final = 0.8
"""Planned time of an element where rivers are played by groups of hands, where one of single hands takes 1."""
_GROUPED_STARTS: Final = 2.5
"""Planned time to make the groups and to compare all pairs of hands, where a warm start of no elements takes 1."""
_COMPARED_SHARE: Final = 0.2
"""Share of the iterations of such a turn, the last ones, that compare single hands where a flush is possible.

They take longer than the others: twice the time with a hand for every combo, for which the share was chosen
(docs/notebook/2026-11-27-late-comparisons.md), and less since turns forget suits."""
_SHARED_GROUPS: Final = 1_000_000
"""Elements of a turn above rivers of groups from which on threads share it."""
_SHARE_OF_THREAD: Final = 0.35
"""How much a further thread speeds up such a turn, where the first one is worth 1."""
_TREMBLING: Final = 1.6
"""Planned time of an iteration with trembles, where one without takes 1."""
BETS_BEFORE_BARE_TREES: Final = 3
"""At the third solve from one root, the menus that are too costly there are found once and then left out.

A player at the table hardly ever comes to a third one. Local best response asks about dozens of bets from one root."""
KEPT_SOLUTIONS: Final = 16
"""Number of solutions that are kept. Questions about several bets of one menu all need the same solution."""
KEPT_TREES: Final = 256
"""Number of betting trees that are kept in memory. A tree takes about 10 kB."""
START_WEIGHT: Final = 2.0
START_ITERATION: Final = 3
"""A turn is solved as if the strategies of the blueprint had come out of this many iterations, with this weight
(:meth:`hedgehog.solver.postflop.solver.PostflopSolver.warm_start`)."""
SHARE_OF_TIME: Final = 0.85
"""Share of the time allowed that is planned. The rest is for a machine that is slower or busy, so that the plan and not
the clock decides when a solve ends."""


Sizes = tuple[str, ...]
"""Bet sizes, one text per street from the root's on."""


SHALLOW: Final = 12.0
"""Pots behind up to which a turn learns so quickly that richer bet sizes are worth more than further iterations
(docs/notebook/2026-11-27-menus-by-depth.md)."""
LOW: Final = 2.5
"""Pots behind up to which a turn has a bet below a third of the pot in place of an overbet, and raises by a third in
place of the whole pot: without them, small bets win too much (docs/notebook/2026-11-29-small-bets.md)."""


class Menu(NamedTuple):
    """The bet sizes of a solve at the table."""

    sizes: Sizes
    """On the street of the root, where the solution is played, they have a raise: without one, hands that want to raise
    call."""
    iterations: int
    """The menu is affordable if this many iterations fit into the time allowed."""
    shallow: int = 0
    """The same where at most :data:`SHALLOW` pots are behind; 0: as many."""
    most_behind: float = math.inf
    """The menu is for streets with at most so many pots behind."""

    def needed(self, pots_behind: float) -> float:
        """Returns how many iterations must fit where so many pots are behind at the start of the street.

        :returns: infinity where the menu is not for such a street.
        """
        if pots_behind > self.most_behind:
            return math.inf
        return self.shallow if self.shallow and pots_behind <= SHALLOW else self.iterations


MENUS: Final[dict[int, tuple[Menu, ...]]] = {
    # Street of the root -> menus, richest first. The more lines a turn has, the more iterations it takes
    # (docs/notebook/2026-11-23-table-solves.md). A turn without small bets and overbets loses to them, and one whose
    # rivers lack all-ins leaves ranges without the best hands (docs/notebook/2026-11-26-grouped-rivers.md). All-ins on
    # the turn cost hardly any time, and without them raises lose to them (docs/notebook/2026-11-27-promises.md). The
    # last menu is taken when no other is affordable.
    2: (
        Menu(("25%,50%,75%,100%,150%,a/50%,100%,a/100%,a/a", "50%,100%,a/100%,a/a"), 900),
        Menu(("25%,50%,100%,a/33%,a/a", "50%,100%,a/100%,a/a"), 90, most_behind=LOW),
        Menu(("25%,50%,100%,a/33%,a/a", "75%,a/a"), 80, most_behind=LOW),
        Menu(("33%,75%,150%,a/100%,a/a", "50%,100%,a/100%,a/a"), 350, shallow=90),
        Menu(("33%,75%,150%,a/100%,a/a", "75%,a/a"), 150, shallow=80),
        Menu(("50%,100%,a/100%,a/a", "75%,a/a"), 220, shallow=110),
        Menu(("75%,a/100%,a/a", "75%,a/a"), 24),
    ),
    3: (
        Menu(("25%,50%,75%,100%,150%,a/50%,100%,a/100%,a/a",), 900),
        Menu(("33%,75%,150%,a/75%,a/a",), 900),
        Menu(("50%,100%,a/100%,a/a",), 900),
        Menu(("75%,a/a",), 300),
    ),
}


class PreparedStreet(NamedTuple):
    """The rest of a hand from a decision on, ready to be solved."""

    spot: PreparedSpot
    """The street and all later ones, with a betting tree in which the actions before the decision are the only ones."""
    betting: str
    """ACPC betting that leads to the start of the street."""
    street_start: int
    """Chips each player had put in when the street began."""
    position: int
    """The player for whom the street is solved."""
    rivers: RankRivers | None = None
    """The rivers of a turn, if they are played by groups of hands."""
    compare_from: int = 0
    """The first iteration that compares single hands on them
    (:class:`~hedgehog.solver.abstraction.rank_river_solver.RankRiverSolver`)."""

    @property
    def size(self) -> int:
        """Number of pairs of an action and a hand that take as long as an iteration."""
        return _size(self.spot, self.rivers)


def _size(spot: PreparedSpot, rivers: RankRivers | None) -> int:
    return sum(spot.layout.sizes) if rivers is None else rank_river_work(spot, rivers, _COMPARED_SHARE)


class _TooLateError(Exception):
    """The deadline is too near for the fewest iterations."""


class PostflopLiveSolver:
    """Solves turns and rivers at the table."""

    def __init__(
        self,
        threads: int,
        packs: PackStrategy | None = None,
        least_iterations: Mapping[int, int] = LEAST_ITERATIONS,
        resolving: Resolving = DEFAULT_RESOLVING,
        abstraction: str = "",
        speed: PlanningSpeed | None = None,
        menus: Mapping[int, Sequence[Menu]] = MENUS,
        tremble: float = 0.0,
    ) -> None:
        """Makes a live solver.

        :param threads: number of solver threads.
        :param packs: the packs whose strategies the solves of turns start from; None: uniform strategies.
        :param least_iterations: by street, the fewest iterations for which it is solved.
        :param resolving: how streets are solved; only the unsafe way needs no packs.
        :param abstraction: name of a hand abstraction (:mod:`hedgehog.solver.abstraction`): hands of equal value share
            one strategy, and solves start anew. Empty: every hand has its own.
        :param speed: planned times of a solve; None takes those of this machine.
        :param menus: bet sizes by street of the root, richest first.
        :param tremble: how often opponents tremble while the other player learns
            (:mod:`hedgehog.solver.cfr.trembles`), at a temperature of :data:`TEMPERATURE`; 0:
            :data:`~hedgehog.agent.strategy.live_strategy.OPPONENT_TREMBLE` above rivers of groups, else never.
        """
        assert packs is not None or resolving == Resolving.UNSAFE
        assert not abstraction or (resolving == Resolving.UNSAFE and not tremble)
        self._tremble = tremble
        self.keeps_values = False
        """Whether solutions also hold what actions are worth, which takes about as long as one iteration."""
        self._abstraction = abstraction
        self._resolving = resolving
        self._least_iterations = least_iterations
        self._packs = packs
        self._threads = threads
        self._menus = menus
        self._speed = planning_speed() if speed is None else speed
        # The root and planned time of the last solve, how often it has been solved, and the first menu worth trying.
        self._root: tuple[tuple[int, ...], int, int, float, bytes, tuple[str, ...]] | None = None
        self._questions = 0
        self._first_menu = 0
        self._solved: OrderedDict[tuple[Hashable, ...], SolvedStreet] = OrderedDict()

    def warm_up(self, board: tuple[int, ...]) -> None:
        """Solves a turn on all threads, with single hands and with groups, so that no kernel is loaded at the table.

        A hand at the table would do so for the large spots alone, as small ones are solved on one thread.

        :param board: four cards, two of one suit among them.
        """
        tree = menu_tree(TURN, self._menus[TURN][-1].sizes, pot=500, stack=2000, line=())
        everything = np.ones(NUM_COMBOS, dtype=np.float32)
        spot = prepare_tree(tree, board, [everything, everything], isomorphism=False, merge_cards=False)
        for kind in (RankRiverSolver, PostflopSolver):
            kind(spot, threads=self._threads, algorithm=ALGORITHM).run(1)

    def covers(self, view: HandView) -> bool:
        """Tells whether a decision is on the turn or the river."""
        return view.situation.street in self._menus

    def root(self, view: HandView) -> HandView:
        """Returns the decision after the player's last action on the street, or else the first one of the street."""
        return view.after_own_action()

    def has_time(self, view: HandView, plan_ms: float) -> bool:
        """Returns False if the planned time is too short for the fewest iterations even of the smallest spot."""
        street = view.situation.street
        return self._planned(street, 0, plan_ms) >= self._least_iterations[street]

    def solve(
        self, view: HandView, ranges: NDArray[np.float64], allowed: SolveTime, promise: Promise | None = None
    ) -> SolvedStreet | None:
        """Returns a solution of the current street, made by solving the rest of the hand from :meth:`root` on.

        :param view: the current decision.
        :param ranges: (2, 1326) weights by position at the root; position 0 is OOP.
        :param allowed: the time for this solve.
        :param promise: what the opponent's hands are promised on a river.
        :returns: None if the time is too short for enough iterations.
        :raises HedgehogError: if the tree or the ranges cannot be solved.
        """
        started = time.monotonic()
        street = self.prepare(view, ranges, allowed.plan_ms)
        spot = street.spot
        iterations, least = self.iterations(street, allowed.plan_ms), self._least_iterations[spot.street]
        tree = spot.tree
        lines = (tree.parent.tobytes(), tree.action.tobytes(), tree.amount.tobytes())
        promised = b"" if promise is None else b"".join(part.tobytes() for part in promise)
        key = (street.betting, spot.board, ranges.tobytes(), street.position, iterations, promised, *lines)
        if key in self._solved:
            self._solved.move_to_end(key)
            return self._solved[key]
        if iterations < least or self._comes_too_late(street, least, allowed.deadline, started=False):
            return None

        def verify_time() -> None:
            if self._comes_too_late(street, least, allowed.deadline, started=True):
                raise _TooLateError

        try:
            solver = self.start(street, verify_time)
        except _TooLateError:
            return None
        if promise is not None and isinstance(solver, PostflopSolver) and self._resolving == Resolving.UNSAFE:
            _promise(solver, 1 - street.position, promise)
        done = solver.run(iterations, deadline=allowed.deadline, least=least)
        logger.debug(
            "live solution after %s: %d betting lines, %d of %d iterations in %.0f ms",
            view.betting,
            spot.tree.num_nodes,
            done,
            iterations,
            1000 * (time.monotonic() - started),
        )
        if done < least:  # the deadline stopped the solver
            return None
        values = solver.river_values(1 - street.position) if isinstance(solver, RankRiverSolver) else None
        complete = done == iterations
        if complete and (single := self._with_single_hands(street, allowed)) is not None:
            solver, complete = single
        strategies = solver.root_street_strategies()
        evs = {}
        if self.keeps_values and isinstance(solver, PostflopSolver):
            evs = street_action_evs(solver, street.position)
        trembles = {}
        if isinstance(solver, PostflopSolver) and solver.spot.tremble is not None:
            others = (node for node in strategies if spot.tree.player[node] != street.position)
            trembles = {node: solver.node_trembles(node) for node in others}
        river = None
        if spot.street == RIVER and isinstance(solver, PostflopSolver) and self._resolving == Resolving.UNSAFE:
            entering = ranges[1 - street.position] if promise is None else promise.entering
            won = _opponent_values(solver, 1 - street.position)
            river = SolvedRiver(won, ranges[street.position], entering)
        found = SolvedStreet(
            spot.tree,
            strategies,
            street.street_start,
            view.situation.stack,
            solver.iterations,
            ranges[1 - street.position],
            evs,
            trembles,
            values,
            river,
        )
        if complete:
            self._solved[key] = found
            if len(self._solved) > KEPT_SOLUTIONS:
                self._solved.popitem(last=False)
        return found

    def prepare(self, view: HandView, ranges: NDArray[np.float64], plan_ms: float) -> PreparedStreet:
        """Returns the rest of the hand from :meth:`root` on, ready to be solved.

        It has the richest menu of bet sizes that leaves enough iterations, or else the poorest one.

        :param view: the current decision.
        :param ranges: (2, 1326) weights by position at the root; position 0 is OOP.
        :param plan_ms: milliseconds for which the solve is planned.
        :raises HedgehogError: if the tree or the ranges cannot be solved.
        """
        street, stack = view.situation.street, view.situation.stack
        start = view.street_start()
        street_start = start.situation.max_spent
        line = street_tokens(view.events_on(street), street_start, stack)
        taken = tuple(line[: len(self.root(view).events_on(street))])
        pot, behind, board = 2 * street_start, stack - street_start, view.board_on(street)
        weights = ranges.astype(np.float32)
        root = (board, pot, behind, plan_ms, weights.tobytes(), taken)
        if root != self._root:
            self._root, self._questions, self._first_menu = root, 0, 0
        self._questions += 1
        tree_of = partial(menu_tree, pot=pot, stack=behind, taken=taken)
        if self._questions == BETS_BEFORE_BARE_TREES:
            self._first_menu = self._choose_menu(board, weights, partial(tree_of, line=()), plan_ms)[0]
        real = partial(tree_of, line=tuple(line))
        _, spot, rivers = self._choose_menu(board, weights, real, plan_ms, self._first_menu)
        compare_from = int((1 - _COMPARED_SHARE) * self._planned(street, _size(spot, rivers), plan_ms))
        return PreparedStreet(spot, start.betting, street_start, view.situation.position, rivers, compare_from)

    def _with_single_hands(self, street: PreparedStreet, allowed: SolveTime) -> tuple[PostflopSolver, bool] | None:
        """Returns a solve of a turn with single hands, in the time that :data:`MAX_ITERATIONS` with groups have left.

        :returns: the solver, and whether it has run all planned iterations; None if time or memory is too short for
            :data:`SINGLE_HANDS` of them, or the street was not solved with groups.
        """
        size, plan_ms = street.size, allowed.plan_ms
        if not isinstance(street.spot, SuitlessSpot) or self.iterations(street, plan_ms) < MAX_ITERATIONS:
            return None
        used_ns = self._start_ns(TURN, size) + MAX_ITERATIONS * self._iteration_ns(TURN, size)
        spot = _trembling(street.spot.single.with_tree(street.spot.tree), self._tremble or OPPONENT_TREMBLE)
        each_ns = self._iteration_ns(TURN, sum(spot.layout.sizes), single=True)
        planned = min(MAX_ITERATIONS, int((SHARE_OF_TIME * plan_ms * 1e6 - used_ns) / each_ns))
        if planned < SINGLE_HANDS:
            return None
        try:
            solver = PostflopSolver(spot, threads=self._threads, algorithm=ALGORITHM)
        except MemoryShortageError:
            return None  # the solve with groups is good enough
        done = solver.run(planned, deadline=allowed.deadline, least=SINGLE_HANDS)
        return (solver, done == planned) if done >= SINGLE_HANDS else None

    def _choose_menu(
        self,
        board: tuple[int, ...],
        ranges: NDArray[np.float32],
        tree_of: Callable[[int, Sizes], BettingTree],
        plan_ms: float,
        first: int = 0,
    ) -> tuple[int, PreparedSpot, RankRivers | None]:
        """Returns the number, spot and rivers of the richest menu that leaves enough iterations, or of the last one.

        A real bet only adds to a tree. So a menu that is too rich without any real bet is too rich with one. If even
        the last menu leaves fewer iterations than are of use, no other menu is tried.

        :param tree_of: returns the tree of a street and the sizes of a menu.
        :param first: number of the first menu to try.
        """
        street = len(board) - 2
        menus = self._menus[street]
        last = len(menus) - 1
        groups = self._groups_rivers(street)
        single = not self._abstraction and not groups
        poorest = prepare_tree(
            tree_of(street, menus[last].sizes), board, list(ranges), merge_cards=single, isomorphism=not groups
        )
        rivers = None
        if groups:
            poorest = forget_suits(poorest)
            rivers = rank_rivers(poorest)
        most = self._planned(street, _size(poorest, rivers), plan_ms)
        if most < self._least_iterations[street]:
            return last, poorest, rivers
        pots_behind = poorest.tree.stack / poorest.tree.root_pot
        for number, menu in enumerate(menus[first:last], start=first):
            needed = menu.needed(pots_behind)
            if most < needed:
                continue  # a richer menu leaves fewer, and to build its tree takes time
            spot = poorest.with_tree(tree_of(street, menu.sizes))  # the cards are the same for every menu
            if self._planned(street, _size(spot, rivers), plan_ms) >= needed:
                return number, spot, rivers
        return last, poorest, rivers

    def _groups_rivers(self, street: int) -> bool:
        """Tells whether the rivers of a street are played by groups of hands."""
        return self._resolving == Resolving.UNSAFE and not self._abstraction and street == TURN

    def start(
        self, street: PreparedStreet, verify_time: Callable[[], None] = lambda: None
    ) -> PostflopSolver | GroupSolver:
        """Returns a solver of a street that has run no iterations yet.

        :param verify_time: called after each part of the work; what it raises ends the work.
        """
        spot, prior = street.spot, None
        threads = self._threads_for(spot.street, street.size)
        if street.rivers is not None:
            spot = _trembling(spot, self._tremble or OPPONENT_TREMBLE)
            return RankRiverSolver(
                spot, street.rivers, threads=threads, algorithm=ALGORITHM, compare_from=street.compare_from
            )
        if self._abstraction:
            return GroupSolver(spot, SpotValues(spot).group(self._abstraction), threads=threads, algorithm=ALGORITHM)
        if self._starts_warm(spot.street) or self._resolving != Resolving.UNSAFE:
            assert self._packs is not None
            prior = pack_prior(self._packs, spot, street.betting, street.street_start)
            verify_time()
        if self._tremble:
            spot = _trembling(spot, self._tremble)
        solver = PostflopSolver(spot, threads=threads, algorithm=ALGORITHM)
        verify_time()
        if prior is not None and self._resolving != Resolving.UNSAFE:
            solver.offer_payoffs(1 - street.position, prior, best_response=self._resolving == Resolving.SAFE)
            verify_time()
        if prior is not None and self._starts_warm(spot.street):
            solver.warm_start(prior, START_WEIGHT, START_ITERATION)
            verify_time()
        return solver

    def iterations(self, street: PreparedStreet, plan_ms: float) -> int:
        """Returns the number of iterations that are planned for a street, from its size and the planned time."""
        return self._planned(street.spot.street, street.size, plan_ms)

    def _planned(self, street: int, size: int, plan_ms: float) -> int:
        """Returns the number of iterations that are planned for a number of (action, hand) elements."""
        left_ns = SHARE_OF_TIME * plan_ms * 1e6 - self._start_ns(street, size)
        return max(1, min(MAX_ITERATIONS, int(left_ns / self._iteration_ns(street, size))))

    def _comes_too_late(self, street: PreparedStreet, least: int, deadline: float, *, started: bool) -> bool:
        """Tells whether not even a machine twice as fast as planned would run the least iterations by the deadline.

        :param started: False if the solver has still to be made.
        """
        if not least:
            return False
        number, size = street.spot.street, street.size
        needed_ns = least * self._iteration_ns(number, size)
        needed_ns += 0 if started else self._start_ns(number, size)
        return time.monotonic() + needed_ns / 2 / 1e9 > deadline

    def _start_ns(self, street: int, size: int) -> float:
        if self._abstraction:
            return size * self._speed.ns_per_grouped_start_element + self._speed.ns_per_grouped_start
        if self._groups_rivers(street):
            return _GROUPED_STARTS * self._speed.ns_per_start
        passes = self._starts_warm(street) + (self._resolving != Resolving.UNSAFE)
        return passes * (size * self._speed.ns_per_started_element + self._speed.ns_per_start)

    def _iteration_ns(self, street: int, size: int, *, single: bool = False) -> float:
        """Returns the planned nanoseconds of an iteration.

        :param single: for a turn with single hands after its solve with groups.
        """
        speed = self._speed
        each = speed.ns_per_grouped_element if self._abstraction else speed.ns_per_element
        threads: float = self._threads if single else self._threads_for(street, size)
        if self._groups_rivers(street) and not single:
            each, threads = each * _GROUPED, 1 + _SHARE_OF_THREAD * (threads - 1)
        elif self._tremble or single:
            each *= _TREMBLING
        return size * each / threads + speed.ns_per_iteration

    def _starts_warm(self, street: int) -> bool:
        # A street that gets hundreds of iterations gains nothing by a start from the packs.
        return self._packs is not None and street < RIVER and not self._groups_rivers(street)

    def _threads_for(self, street: int, size: int) -> int:
        # On a small river or turn, sharing the work takes longer than the work.
        least = SHARED_RIVER if street == RIVER else _SHARED_GROUPS if self._groups_rivers(street) else 0
        return 1 if size < least else self._threads


def _promise(solver: PostflopSolver, opponent: int, promise: Promise) -> None:
    """Promises the opponent's hands what they win by the turn's solve, for the range that the player has now.

    The two ranges of the player differ by the floors of Bayes' rule only, so that a factor is enough.
    """
    live = combo_mask(solver.board)
    weights, entering = promise.weights * live, promise.entering * live
    now, before = float(solver.ranges[1 - opponent].sum()), float(weights.sum())
    if before > 0 and entering.any():
        share = PROMISED * float(solver.ranges[opponent].max()) / float(entering.max())
        solver.promise(opponent, promise.values * (now / before), share * entering)


def _opponent_values(solver: PostflopSolver, opponent: int) -> dict[int, NDArray[np.float32]]:
    """Returns the values of :class:`SolvedRiver`."""
    spot, lines = solver.spot, solver.line_values(opponent)
    found = {}
    for node in np.flatnonzero((spot.tree.kind == NodeKind.DECISION) & (spot.tree.player == opponent)).tolist():
        found[node] = np.zeros(NUM_COMBOS, dtype=np.float32)
        found[node][spot.combos[opponent]] = lines[spot.slots[0][node], spot.hands[opponent]]
    return found


def _trembling(spot: PreparedSpot, share: float) -> PreparedSpot:
    return replace(spot, tremble=Tremble(share, TEMPERATURE * spot.tree.pot(0)))


@lru_cache(maxsize=KEPT_TREES)
def menu_tree(
    street: int,
    menu: Sizes,
    pot: int,
    stack: int,
    line: tuple[str, ...],
    taken: tuple[str, ...] = (),
) -> BettingTree:
    """Returns the tree of a menu with the real betting in it; pots and bets often come again.

    :param menu: sizes of a menu.
    :param line: the real betting of the street, as tokens.
    :param taken: the first actions of the line, beside which nothing at all is offered.
    :raises SpotError: if the betting is illegal.
    """
    parsed = [parse_bet_sizes(text) for text in menu]
    sizes = tuple(StreetSizes(one, one) for one in parsed)
    config = TreeConfig(
        street=street,
        pot=pot,
        stack=stack,
        sizes=sizes,
        add_allin_threshold=ADD_ALLIN,
        force_allin_threshold=FORCE_ALLIN,
    )
    return build_postflop_tree(config, [line], taken)
