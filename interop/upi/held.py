"""The tree that a dialogue holds: its numbers at every place, and strategies that a client sets and locks.

The numbers are those of :mod:`hedgehog.solver.postflop.queries`, which ``hedgehog query`` prints too. Two things are
said differently in UPI. An EV counts from the root: what a player gets at the end of the hand less all that it has put
in since the root, so it is the EV of Hedgehog less its chips at the place. And a combo that is not at a place has the
strategy 0 there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.interop.upi.copying import copy_averages
from hedgehog.interop.upi.places import Place, Places
from hedgehog.interop.upi.spots import locked_spot
from hedgehog.poker.cards import NUM_COMBOS, combo_mask, format_combo
from hedgehog.poker.ranges import format_range
from hedgehog.runtime.errors import HedgehogError, InputError, SpotError
from hedgehog.solver.abstraction.solving import open_run
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.postflop.locks import Lock, Probability, resolve_locks
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.queries import average_over, node_equities
from hedgehog.solver.postflop.solution import PostflopSolution, met_weight
from hedgehog.solver.postflop.solution_files import SavedSolve, load_state
from hedgehog.solver.postflop.solver import Exploitability, PostflopSolver
from hedgehog.solver.postflop.spot import PostflopSpot
from hedgehog.solver.postflop.tree import format_action

_TOLERANCE: Final = 0.005
_KEPT_REACHES: Final = 64

Vector = NDArray[np.float64]
"""float64[1326]: one number per combo, in Hedgehog's order."""


@dataclass(frozen=True, slots=True, eq=False)
class GivenStrategy:
    """A strategy that a client has set at one place."""

    place: Place
    hands: NDArray[np.bool_]
    """bool[1326]: the combos that it holds for."""
    rows: NDArray[np.float32]
    """float32[actions, 1326]: probabilities in the order of the tree's children, 0 for other combos."""


class HeldTree:
    """A tree with its strategies.

    :param spot: the spot, with the text of its spot file.
    :param solution: the strategies: a saved solve, or a solver.
    :param found: how good they are; None if that is not known.
    :param saved: the saved solve that ``solution`` reads; None for a solver.
    :param info: lines ``#Key#Value`` that a client has given to the tree.
    """

    def __init__(
        self,
        spot: PostflopSpot,
        solution: PostflopSolution,
        found: Exploitability | None = None,
        saved: SavedSolve | None = None,
        info: tuple[str, ...] = (),
    ) -> None:
        self.spot = spot
        self.found = found
        self.saved = saved
        self.info = list(info)
        self.places = Places(solution.tree, solution.board)
        self.locked: dict[tuple[int, tuple[int, ...]], GivenStrategy] = {}
        """The locks of this dialogue, by place."""
        self._file_locks = resolve_locks(spot.locks, solution.tree, solution.board, spot.ranges)
        self._given: dict[tuple[int, tuple[int, ...]], GivenStrategy] = {}
        self._solution = solution
        self._stale = False
        self._solved_with: dict[tuple[int, tuple[int, ...]], GivenStrategy] | None = {}
        self._reaches: dict[tuple[int, int, tuple[int, ...]], NDArray[np.float32]] = {}

    @property
    def solution(self) -> PostflopSolution:
        """The strategies, with those that the client has set."""
        if self._stale:
            self._stale = False
            self._reaches.clear()
            try:
                self._solution = self._with_given()
            except HedgehogError as problem:
                self._given.clear()
                raise InputError(f"the strategies that were set are given up: {problem}") from None
            self.found = None
            self.saved = None
        return self._solution

    # What is at a place.

    def reach(self, player: int, place: Place) -> NDArray[np.float32]:
        """Returns float32[1326]: range weight times the player's own probability of playing to a place."""
        solution = self.solution
        key = (player, *place.key)
        if key not in self._reaches:
            while len(self._reaches) >= _KEPT_REACHES:
                del self._reaches[next(iter(self._reaches))]
            self._reaches[key] = solution.node_reach(player, place.node, place.dealt)
        return self._reaches[key]

    def met(self, player: int, place: Place) -> Vector:
        """Returns float64[1326]: the weight of the opponent's combos at a place that each combo can meet."""
        return met_weight(self.reach(1 - player, place), (*self.spot.board, *place.dealt))

    def matchups(self, player: int, place: Place) -> Vector:
        """Returns float64[1326]: reach of each combo times the weight of the opponent's combos that it can meet."""
        return np.asarray(self.reach(player, place) * self.met(player, place))

    def strategy(self, place: Place) -> list[NDArray[np.float32]]:
        """Returns per child, in UPI's order, float32[1326]: the probability of the action; 0 for combos not there.

        :raises InputError: if nobody acts at the place.
        """
        rows = self._node_strategy(place)
        here = self.reach(int(self.places.tree.player[place.node]), place) > 0
        first = int(self.places.tree.first_child[place.node])
        return [np.where(here, rows[child - first], np.float32(0)) for child in self.places.rows(place.node)]

    def _node_strategy(self, place: Place) -> NDArray[np.float32]:
        if not self.places.decides(place):
            raise InputError(f"nobody acts at {place.name}")
        return self.solution.node_strategy(place.node, place.dealt)

    def evs(self, player: int, place: Place) -> Vector:
        """Returns float64[1326]: EV in chips from the root on; NaN for combos that have none.

        A combo has an EV where it plays to the place, and after an action of its own, taken or not: the answers to an
        action that nobody takes are those that the solve has stored. Nobody has an EV where the opponent never gets.
        """
        tree = self.places.tree
        if not self.solution.knows_values(place.node):
            return np.full(NUM_COMBOS, np.nan)
        before = self.places.parent(place)
        own = before is not None and tree.player[before.node] == player
        shown = self.reach(player, before if before is not None and own else place) > 0
        shown &= self.met(player, place) > 0
        values = self.solution.node_values(place.node, place.dealt)[player].astype(np.float64)
        return np.where(shown, values - float(tree.committed[place.node, player]), np.nan)

    def equity(self, player: int, place: Place) -> tuple[Vector, float]:
        """Returns float64[1326] equities at a place, ties for half, and their mean; NaN where nobody meets."""
        board = (*self.spot.board, *place.dealt)
        reach = np.stack([self.reach(each, place) for each in (0, 1)])
        met = np.stack([met_weight(reach[1 - each], board) for each in (0, 1)])
        weights = reach[player] * met[player]
        found = np.where(weights > 0, node_equities(reach, met, board)[player], np.nan)
        return found, float(average_over(found, weights))

    def frequency(self, place: Place) -> float:
        """Returns the probability that the actions lead to a place, given the cards that are dealt there."""
        live = combo_mask((*self.spot.board, *place.dealt))
        oop, ip = (np.where(live, weights, np.float32(0)) for weights in self.solution.ranges)
        pairs = float(oop @ met_weight(ip, (*self.spot.board, *place.dealt)))
        return float(self.matchups(0, place).sum()) / pairs if pairs > 0 else 0.0

    # What a client sets.

    def set_strategy(self, place: Place, values: NDArray[np.float32]) -> None:
        """Sets a strategy. Combos whose numbers are all 0 keep theirs.

        :param values: float32[actions, 1326] in UPI's order of children.
        :raises InputError: if nobody acts at the place, or the numbers of a combo do not sum to 1.
        """
        node = place.node
        if not self.places.decides(place):
            raise InputError(f"nobody acts at {place.name}")
        total = values.sum(axis=0, dtype=np.float64)
        hands = self._held(place) & (total > 0)
        wrong = np.flatnonzero(hands & (np.abs(total - 1) > _TOLERANCE))
        if len(wrong):
            raise InputError(f"the strategy of {format_combo(int(wrong[-1]))} sums to {total[wrong[-1]]:g}, not to 1")
        if not hands.any():
            raise InputError("the strategy is 0 for every combo of the range")
        first = int(self.places.tree.first_child[node])
        rows = np.zeros_like(values)
        for row, child in zip(values, self.places.rows(node), strict=True):
            rows[child - first] = np.where(hands, np.minimum(row / np.where(total > 0, total, 1), 1), 0)
        given = GivenStrategy(place, hands, rows)
        self._given[place.key] = given
        if place.key in self.locked:
            self.locked[place.key] = given
        self._stale = True

    def lock(self, place: Place, hands: NDArray[np.bool_] | None = None) -> None:
        """Locks the strategy that a place has now.

        :param hands: bool[1326], the combos to lock; None locks all.
        :raises InputError: if nobody acts at the place or no combo of the range is named.
        """
        rows = self._node_strategy(place)
        held = self._held(place) if hands is None else self._held(place) & hands
        if not held.any():
            raise InputError("no combo of the range is to be locked")
        self.locked[place.key] = GivenStrategy(place, held, np.where(held, rows, np.float32(0)))

    def unlock(self, place: Place) -> None:
        """Takes back a lock of this dialogue, if there is one.

        :raises InputError: if nobody acts at the place, or its lock comes from the spot file.
        """
        if not self.places.decides(place):
            raise InputError(f"nobody acts at {place.name}")
        if self.locked.pop(place.key, None) is None and any(
            lock.node == place.node and lock.covers(place.dealt) for lock in self._file_locks
        ):
            raise InputError("the lock here stands in the spot file with which the tree was solved")

    def _held(self, place: Place) -> NDArray[np.bool_]:
        player = int(self.places.tree.player[place.node])
        return combo_mask((*self.spot.board, *place.dealt)) & (self.spot.ranges[player] > 0)

    def _as_lock(self, given: GivenStrategy) -> Lock:
        tree = self.places.tree
        strategy: Mapping[str, Probability] = {
            format_action(tree, child): row
            for child, row in zip(tree.children(given.place.node), given.rows, strict=True)
        }
        return Lock(self.places.line(given.place), strategy, format_range(given.hands.astype(np.float32)))

    def _with_given(self) -> PostflopSolver:
        """Returns a solver with the present strategies but for those that were set."""
        given = self.locked | self._given
        spot = prepare(locked_spot(self.spot, map(self._as_lock, given.values())))
        solver = PostflopSolver(spot, threads=self._solution.threads)
        copy_averages(self._solution, solver)
        self._solved_with = None
        return solver

    # What is solved.

    def solver(self, threads: int | None) -> PostflopSolver:
        """Returns the solver that goes on from here, or from the start if strategies were set or locks changed.

        :param threads: number of threads; None takes all.
        :raises HedgehogError: if the tree needs more memory than is free, or its saved solve cannot be read.
        """
        unchanged = self._unchanged()
        if unchanged and isinstance(self._solution, PostflopSolver):
            return self._solution
        if unchanged and self.saved is not None and self.saved.kind == "solve":
            solver = new_solver(self.spot, threads, self.saved.storage, self.saved.algorithm)
            load_state(self.saved, solver)
        else:
            solver = new_solver(self.solved_spot(), threads)
        return solver

    def solved_spot(self) -> PostflopSpot:
        """Returns the spot with the locks of this dialogue."""
        return locked_spot(self.spot, map(self._as_lock, self.locked.values())) if self.locked else self.spot

    def start(self, solver: PostflopSolver) -> None:
        """Takes a solver that is about to run for the strategies of the tree."""
        if solver is not self._solution:
            self._solution, self.found = solver, None
        self._solved_with = dict(self.locked)
        self._given.clear()
        self._stale = False
        self.saved = None
        self._reaches.clear()

    def end(self, found: Exploitability) -> None:
        """Hears how good the strategies are after a run."""
        self.found = found
        self._reaches.clear()

    def results(self) -> Exploitability:
        """Returns how good the strategies are; best responses obey locks and strategies that were set."""
        solution = self.solution
        if self.found is None:
            if not isinstance(solution, PostflopSolver):
                raise SpotError("it is not known how good these strategies are")
            self.found = solution.exploitability()
        return self.found

    def to_save(self) -> tuple[PostflopSolver, Exploitability | None]:
        """Returns the solver whose state is to be saved with the spot :meth:`solved_spot`, and how good it is if known.

        :raises InputError: if strategies were set that are not locked, which no spot file says.
        """
        solution = self.solution
        unchanged = self._unchanged()
        if unchanged and isinstance(solution, PostflopSolver):
            return solution, self.found
        if unchanged and self.saved is not None and self.saved.kind == "solve":
            return self.solver(None), self.found
        unsaid = [given.place.name for key, given in self._given.items() if key not in self.locked]
        if unsaid:
            raise InputError(f"the strategy set at {unsaid[0]} is not locked: send lock_node or go first")
        solver = new_solver(self.solved_spot(), None)
        copy_averages(solution, solver)
        return solver, None

    def _unchanged(self) -> bool:
        """Tells whether the strategies are those of the last solve, and the locks are those that it had."""
        others = self._solved_with
        if others is None or self._given or self.locked.keys() != others.keys():
            return False
        return all(self.locked[key] is others[key] for key in self.locked)


def new_solver(
    spot: PostflopSpot, threads: int | None, storage: Storage | None = None, algorithm: str = "dcfr"
) -> PostflopSolver:
    """Returns a solver of a spot, before its first iteration.

    :param threads: number of threads; None takes all.
    :param storage: precision; None takes ``f32`` if it fits into memory, else ``f16``.
    :raises HedgehogError: if the spot needs more memory than is free, or asks for a hand abstraction.
    """
    with open_run(spot, threads=threads, storage=storage or "auto", algorithm=algorithm) as run:
        solver = run.solver
    if not isinstance(solver, PostflopSolver):
        raise SpotError("the spot asks for a hand abstraction, whose solve cannot go on")
    return solver
