"""Solves one heads-up spot from the flop, turn or river on, with exact hands.

::

    solver = PostflopSolver(prepare_tree(tree, board, (oop_range, ip_range)))
    solver.run(200)
    print(solver.exploitability().pct_pot)
    probabilities = solver.node_strategy(node, dealt=(turn_card,))  # float32[actions, 1326]

:func:`hedgehog.solver.abstraction.solving.solve` does this in one call. A solver answers questions at any
time during the solve: :mod:`hedgehog.solver.postflop.solution`, :mod:`hedgehog.solver.postflop.queries` and
:mod:`hedgehog.solver.postflop.node_answers` have them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS
from hedgehog.runtime.machine import available_memory
from hedgehog.solver.cfr.algorithms import Algorithm, parse_algorithm
from hedgehog.solver.cfr.array_types import Stored
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.cfr.solver import CfrSolver
from hedgehog.solver.cfr.stopping import run_until
from hedgehog.solver.cfr.strategy_table import StrategyTable
from hedgehog.solver.postflop.prepared import PreparedSpot
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.solver.postflop.street_values import StreetValues
from hedgehog.solver.postflop.warm_start import Prior, prior_strategies, start_regrets

Progress = Callable[[int], None]

# Iterations run without looking at the clock; the time between looks also bounds how late a deadline is noticed.
_SECONDS_PER_CHUNK = 0.02
# A run that cannot finish in time is given up after this share of the time, if not even a pace this much faster helps.
_SHARE_BEFORE_GIVING_UP = 0.3
_HOPE = 1.25


class Exploitability(NamedTuple):
    """How far average strategies are from equilibrium, in chips except ``pct_pot``. Best responses obey locks."""

    exploitability: float
    """Half the sum of what the two best responses gain."""
    pct_pot: float
    """The exploitability in percent of the pot at the root."""
    best_response_ev_minus_half_pot: tuple[float, float]
    """EV at the root of each player's best response to the other's average strategy, less half the pot at the root."""
    ev_minus_half_pot: tuple[float, float]
    """Each player's EV at the root if both follow their average strategies, less half the pot at the root."""
    abstract_pct_pot: float | None = None
    """In a solve on groups of hands the exploitability inside the abstraction, in percent of the pot; else None."""

    @property
    def reached_pct_pot(self) -> float:
        """What a target is compared with: the exploitability, in a solve on groups of hands inside the abstraction.

        More iterations bring the exploitability of groups of hands in the real game down to a floor only.
        """
        return self.pct_pot if self.abstract_pct_pot is None else self.abstract_pct_pot


class PostflopSolver(PostflopSolution):
    """One spot being solved by one of the algorithms of :mod:`hedgehog.solver.cfr.algorithms`.

    :param spot: a spot from :func:`~hedgehog.solver.postflop.prepared.prepare`. Algorithms that sample cards undo its
        merging.
    :param threads: most threads to take; None stands for one per processor. Small rivers take one in any case
        (:meth:`~hedgehog.solver.postflop.prepared.PreparedSpot.solver_threads`).
    :param storage: precision of regrets and averages, ``f32`` or ``f16``. ``f16`` needs half the memory.
    :param algorithm: an algorithm or its text (:mod:`hedgehog.solver.cfr.algorithms`).
    :param memory_limit: bytes that may be allocated; None allows all memory that is free.
    :raises SpotError: if the text names no algorithm, or one that needs more precision, cannot keep the locks or cannot
        learn against trembles, or the spot asks for a hand abstraction.
    :raises MemoryShortageError: if the solve needs more memory than allowed; nothing has been allocated then.
    """

    def __init__(
        self,
        spot: PreparedSpot,
        *,
        threads: int | None = None,
        storage: Storage = "f32",
        algorithm: Algorithm | str = "dcfr",
        memory_limit: float | None = None,
    ) -> None:
        chosen = parse_algorithm(algorithm)
        spot.verify_single_hands()
        super().__init__(spot.for_algorithm(chosen), threads)
        self._storage: Storage = storage
        self._cfr = self._new_cfr(
            chosen,
            self.spot.solver_threads(threads),
            storage,
            available_memory() if memory_limit is None else memory_limit,
        )
        self._chunk = 1
        self._seconds = math.inf
        self._root_values: tuple[int, StreetValues] | None = None

    def _new_cfr(self, algorithm: Algorithm, threads: int | None, storage: Storage, memory_limit: float) -> CfrSolver:
        """Returns the regrets and averages of the spot, without any iterations."""
        return CfrSolver(
            self.spot.game,
            self.tree,
            rake=self.spot.rake,
            threads=threads,
            storage=storage,
            algorithm=algorithm,
            locks=self.spot.board_locks,
            layout=self.spot.layout,
            tremble=self.spot.tremble,
            memory_limit=memory_limit,
        )

    @property
    def iterations(self) -> int:
        """Number of iterations run so far."""
        return self._cfr.iteration

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm of this solver."""
        return self._cfr.algorithm

    @property
    def storage(self) -> Storage:
        """Precision of regrets and averages, ``f32`` or ``f16``."""
        return self._storage

    @property
    def memory_bytes(self) -> int:
        """Size in bytes of regrets, averages, board tables and scratch."""
        return self._cfr.memory_bytes

    def node_trembles(self, node: int) -> NDArray[np.float32]:
        """Returns float32[actions, 1326]: how often a combo takes each action by a tremble at a decision of the root's
        street; 0 for combos out of the range, and for all without trembles.

        :raises SpotError: if the node is no decision of the root's street.
        """
        level, board, _ = self.spot.locate(node, ())
        player = int(self.tree.player[node])
        found = np.zeros((int(self.tree.num_children[node]), NUM_COMBOS), dtype=np.float32)
        if self.spot.tremble is not None:
            rows = self._cfr.tremble_rows(level, board, int(self.spot.slots[level][node]))
            found[:, self.spot.combos[player]] = rows[:, self.spot.hands[player]]
        return found

    def run(
        self, iterations: int, deadline: float | None = None, progress: Progress | None = None, *, least: int = 0
    ) -> int:
        """Runs at most ``iterations`` more iterations and returns how many were run.

        :param deadline: value of ``time.monotonic()`` at which to stop; at least one iteration is run.
        :param progress: called now and then with the number of iterations done so far.
        :param least: fewest iterations that are of use. The run is given up early if the deadline will clearly come
            before them.
        """
        began = time.monotonic()
        done = 0
        while done < iterations:
            start = time.monotonic()
            self._chunk = self._next_chunk(start, deadline)
            step = min(self._chunk, iterations - done)
            self._cfr.step(step)
            now = time.monotonic()
            self._seconds = max(now - start, 1e-6) / step
            done += step
            if progress is not None:
                progress(self.iterations)
            if deadline is not None and (
                now + self._seconds > deadline or hopeless(now - began, deadline - began, done, least)
            ):
                break
        return done

    def _next_chunk(self, now: float, deadline: float | None) -> int:
        """Returns how many iterations to run before looking at the clock again, from the speed of the last ones.

        Half the time left at most, because a machine that gets busy makes them take longer.
        """
        budget = _SECONDS_PER_CHUNK if deadline is None else min(_SECONDS_PER_CHUNK, (deadline - now) / 2)
        return max(1, min(int(budget / self._seconds), 2 * self._chunk))

    def solve(
        self,
        target_pct_pot: float,
        max_iterations: int,
        *,
        check_every: int = 10,
        deadline: float | None = None,
        progress: Callable[[int, Exploitability], None] | None = None,
    ) -> Exploitability:
        """Runs until the exploitability is at most a target, and returns the exploitability.

        :param target_pct_pot: exploitability to stop at, in percent of the pot at the root.
        :param max_iterations: total number of iterations, earlier runs included, at which to stop in any case.
        :param check_every: iterations between two computations of the exploitability.
        :param deadline: value of ``time.monotonic()`` at which to stop.
        :param progress: called with the number of iterations so far and the exploitability after each computation.
        """
        return run_until(
            self, target_pct_pot, max_iterations, check_every=check_every, deadline=deadline, looked=progress
        )

    def exploitability(self) -> Exploitability:
        """Returns the exploitability of the average strategies, from exact best responses.

        It takes about as long as 1.5 iterations.
        """
        first = self._root_ev(0, best_response=False)
        raked = self.spot.rake.of(self.tree.root_pot) > 0
        ev = (first, self._root_ev(1, best_response=False) if raked else -first)
        best = (self._root_ev(0, best_response=True), self._root_ev(1, best_response=True))
        # A best response gains nothing less than 0 but for rounding.
        chips = max((best[0] - ev[0] + best[1] - ev[1]) / 2, 0.0)
        return Exploitability(chips, 100 * chips / self.tree.root_pot, best, ev)

    def state(self) -> dict[str, NDArray[Any]]:
        """Returns by name the arrays that, besides ``iterations``, the next iterations depend on. They are not copies.

        ``average_oop`` and ``average_ip`` are always among them, flat in the order of the spot's layout.
        """
        return self._cfr.state()

    def restore(self, iterations: int, state: Mapping[str, NDArray[Any]]) -> None:
        """Goes back to a :meth:`state` of a solver of the same spot, storage and algorithm.

        :param iterations: number of iterations that led to the state.
        :raises SpotError: if an array is missing or has another shape or type.
        """
        self._cfr.restore(iterations, state)
        self._root_values = None
        self._kept.clear()

    def warm_start(self, prior: Prior, weight: float, iteration: int) -> None:
        """Lets the next iteration start from given strategies instead of from uniform ones.

        :param prior: strategies by hand bucket; decisions that it lacks start from uniform strategies.
        :param weight: weight of the strategies, as a number of iterations in each of which every action gained its
            probability times the pot.
        :param iteration: number of the iteration that comes next, which determines the discounts of these regrets.
        :raises SpotError: if the algorithm does not match its strategy to the regrets alone.
        """
        self._cfr.warm_start(iteration, start_regrets(self.spot, prior, weight))
        self._root_values = None
        self._kept.clear()

    def offer_payoffs(self, player: int, prior: Prior, *, best_response: bool = True) -> None:
        """Lets a player choose, hand by hand, whether to enter the spot or to take what known strategies give the hand.

        Call it before the first iteration. Evaluations of the solver stay those of the spot in which every hand enters.

        :param player: the player who chooses, 0 for OOP; the solve is meant for the strategy of the other one.
        :param prior: known strategies of both players; decisions that it lacks have uniform strategies.
        :param best_response: the payoff of a hand is that of its best response to the other player's known strategy,
            otherwise that of its own known strategy.
        :raises SpotError: if the algorithm is none of discounted CFR.
        """
        rows = prior_strategies(self.spot, prior)
        self._cfr.offer(player, self._cfr.values_of(player, rows, best_response=best_response))

    def promise(self, player: int, values: NDArray[np.float64], others: NDArray[np.float64]) -> None:
        """Lets further hands of a player choose, beside the range that enters, between the spot and known values.

        The solution is one for the range, in which no hand wins much more than it was promised. Call it before the
        first iteration. Evaluations of the solver stay those of the range alone.

        :param player: the player whose hands choose, 0 for OOP; the solve is meant for the strategy of the other one.
        :param values: (1326,) what each combo is promised, in chips won or lost relative to half the pot at the root,
            times the weight of the other player's hands.
        :param others: (1326,) weight with which each combo has the choice. Combos that are not in the range have none.
        :raises SpotError: if the algorithm is none of discounted CFR.
        """
        combos, hands, count = self.spot.combos[player], self.spot.hands[player], len(self.spot.game.hands[player])
        combos_of = np.maximum(np.bincount(hands, minlength=count), 1)
        payoffs, weights = (np.bincount(hands, array[combos], count) / combos_of for array in (values, others))
        self._cfr.offer(player, payoffs.astype(np.float32), weights.astype(np.float32))

    def after_update(self, change: Callable[[int], None]) -> None:
        """Calls a function after each update of a player in all later iterations.

        :param change: called with the player, whose regrets in :meth:`state` it may change.
        :raises SpotError: if the algorithm samples cards, or updates both players at once.
        """
        self._cfr.after_update(change)

    def best_response_table(self, player: int) -> StrategyTable:
        """Returns a player's best response to the other player's average strategy, on all boards.

        If several actions of a hand are best, each is taken equally often.
        """
        return replace(self.strategy_table(player), weights=self._cfr.best_response(player))

    def line_values(self, player: int, *, best_response: bool = False) -> NDArray[np.float32]:
        """Returns float32[lines, hands]: what every line of the root's street is worth to a player.

        The values are chips won or lost relative to half the pot at the root, times the weight of the opponent's hands.
        Lines are the slots of the first forest of the spot's layout, hands those of the spot's card game.

        :param best_response: let the player play the best response to the opponent's average strategy, instead of its
            own average strategy.
        """
        return self._cfr.street_values(player, best_response=best_response)

    def ev_against(self, opponent: Stored, player: int) -> float:
        """Returns a player's EV at the root against a given strategy, less half the pot at the root.

        :param opponent: weights of the opponent's actions, laid out and stored like its averages.
        """
        return self._mean(self._cfr.values_against(opponent, player), player)

    def root_street_values(self, player: int) -> NDArray[np.float32]:
        """Returns float32[slots, hands]: values of a player's hands at every line of the root's street.

        They are chips won or lost relative to half the pot at the root, times the weight of the opponent's hands, if
        both players follow their average strategies. Slots are those of the first forest of the spot's layout.

        :param player: 0 is OOP, 1 is IP.
        """
        return self._cfr.street_values(player)

    def replace_averages(self, oop: Stored, ip: Stored) -> None:
        """Puts given strategies in the place of the average strategies.

        :param oop: weights of OOP's actions, laid out and stored like its averages.
        :param ip: the same for IP.
        """
        state = self.state()
        state["average_oop"][:], state["average_ip"][:] = oop, ip
        self.restore(self.iterations, state)

    def _stored(self, *, current: bool) -> tuple[Stored, Stored]:
        return self._cfr.stored(regret=current)

    def _root_ev(self, player: int, *, best_response: bool) -> float:
        return self._mean(self._cfr.root_values(player, best_response=best_response), player)

    def _mean(self, values: NDArray[np.float32], player: int) -> float:
        """Returns the mean over all deals of a player's values at the root."""
        weights = self.spot.game.total_weights(player)
        return float(values.astype(np.float64) @ weights / self.spot.pair_weight)

    def _street_values(self, node: int, dealt: tuple[int, ...]) -> StreetValues:
        if dealt:
            return super()._street_values(node, dealt)
        if self._root_values is None or self._root_values[0] != self.iterations:
            values = (self._cfr.street_values(0), self._cfr.street_values(1))
            self._root_values = (
                self.iterations,
                StreetValues(self.spot.slots[0], self.spot.combos, self.spot.hands, values),
            )
        return self._root_values[1]


def hopeless(passed: float, allowed: float, done: int, least: int) -> bool:
    """Tells whether a run that goes on at its pace so far will be far from the least number of iterations in time.

    :param passed: seconds since the start of the run.
    :param allowed: seconds from the start of the run to its deadline.
    """
    return done < least and passed > _SHARE_BEFORE_GIVING_UP * allowed and done * allowed * _HOPE < least * passed
