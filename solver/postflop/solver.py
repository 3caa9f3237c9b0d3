"""Solves one heads-up spot from the flop, turn or river on, with exact hands.

::

    solver = PostflopSolver(tree, board, (oop_range, ip_range))
    solver.run(200)
    print(solver.exploitability().pct_pot)
    probabilities = solver.node_strategy(node, dealt=(turn_card,))  # float32[actions, 1326]

What can be asked of it in between and at the end: :mod:`solver.postflop.solution`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poker.ranges import disjoint_weight
from poker.streets import RIVER
from runtime.errors import SpotError
from runtime.memory import available_memory
from solver.cfr.algorithms import Algorithm, parse_algorithm
from solver.cfr.layout import Stored
from solver.cfr.solver import BoardLock, CfrSolver, Storage
from solver.cfr.strategy_table import StrategyTable
from solver.postflop.cards import boards_on
from solver.postflop.chance import Range
from solver.postflop.locks import Lock, LockedNode
from solver.postflop.solution import PostflopSolution, StreetValues
from strategies.betting_tree import BettingTree

Progress = Callable[[int], None]

# Iterations run without looking at the clock; the time between looks also bounds how late a deadline is noticed.
_SECONDS_PER_CHUNK = 0.02


class Exploitability(NamedTuple):
    """How far the average strategies are from equilibrium; in chips except ``pct_pot``. Best responses obey locks."""

    exploitability: float
    """Half the sum of what the two best responses gain."""
    pct_pot: float
    """The same in percent of the pot at the root."""
    best_response_ev_minus_half_pot: tuple[float, float]
    """EV at the root of each player's best response against the other's average, less half the pot there."""
    ev_minus_half_pot: tuple[float, float]
    """EV at the root of the average strategies against each other, less half the pot there."""


class PostflopSolver(PostflopSolution):
    """One spot being solved by discounted CFR.

    :param tree: betting lines from the street of the board on.
    :param board: three to five card ids.
    :param ranges: float32[1326] weights of OOP and IP.
    :param rake: (rate, cap in chips): the house takes ``min(rate * pot, cap)`` from every pot.
    :param threads: None: all of numba's threads, but one on the river, where handing work over costs too much.
    :param storage: precision of what is stored; ``f16`` needs half the memory.
    :param algorithm: or the text of one, see :mod:`solver.cfr.algorithms`.
    :param locks: decisions at which a player's strategy is given; see :mod:`solver.postflop.locks`.
    :param isomorphism: deal cards of interchangeable suits once, as far as the locks do not tell them apart.
    :param merge_cards: keep one hand of those that differ in interchangeable cards only, where that saves time.
        Algorithms that sample cards keep every hand.
    :raises SpotError: if board, ranges, tree or locks do not fit together, or the text names no algorithm.
    :param memory_limit: bytes that may be allocated; None: what the machine can give.
    :raises MemoryShortageError: if more would be needed; nothing has been allocated then.
    """

    def __init__(
        self,
        tree: BettingTree,
        board: Sequence[int],
        ranges: Sequence[Range],
        *,
        rake: tuple[float, float] = (0.0, 0.0),
        threads: int | None = None,
        storage: Storage = "f32",
        algorithm: Algorithm | str = "dcfr",
        locks: Sequence[Lock] = (),
        isomorphism: bool = True,
        merge_cards: bool = True,
        memory_limit: float | None = None,
    ) -> None:
        chosen = parse_algorithm(algorithm) if isinstance(algorithm, str) else algorithm
        merge_cards = merge_cards and not chosen.samples_cards
        super().__init__(tree, board, ranges, rake=rake, locks=locks, isomorphism=isomorphism, merge_cards=merge_cards)
        self.threads = threads
        self._storage: Storage = storage
        self._pairs = disjoint_weight(self.ranges[1]) @ self.ranges[0].astype(np.float64)
        if self._pairs <= 0:
            raise SpotError("the two ranges cannot be dealt together: every pair of hands shares a card")
        self._cfr = CfrSolver(
            self._game,
            tree,
            rake=self.rake,
            threads=threads or (1 if self._root_street == RIVER else None),
            storage=storage,
            algorithm=chosen,
            locks=[self._board_lock(lock) for lock in self.locks],
            memory_limit=available_memory() if memory_limit is None else memory_limit,
        )
        self._use_layout(self._cfr.layout)
        self._chunk = 1
        self._seconds = math.inf
        self._root_values: tuple[int, StreetValues] | None = None

    @property
    def iterations(self) -> int:
        """Iterations run so far."""
        return self._cfr.iteration

    @property
    def algorithm(self) -> Algorithm:
        """What is being run."""
        return self._cfr.algorithm

    @property
    def storage(self) -> Storage:
        """Precision of what is stored."""
        return self._storage

    @property
    def memory_bytes(self) -> int:
        """Bytes held by regrets, averages, board tables and scratch."""
        return self._cfr.memory_bytes

    def run(self, iterations: int, deadline: float | None = None, progress: Progress | None = None) -> int:
        """Continues for at most ``iterations`` iterations and returns how many were run.

        :param deadline: value of ``time.monotonic()`` at which to stop; one iteration is the least that is run.
        :param progress: called now and then with the number of iterations done so far.
        """
        done = 0
        while done < iterations:
            start = time.monotonic()
            self._chunk = min(self._next_chunk(start, deadline), iterations - done)
            self._cfr.step(self._chunk)
            now = time.monotonic()
            self._seconds = max(now - start, 1e-6) / self._chunk
            done += self._chunk
            if progress is not None:
                progress(self.iterations)
            if deadline is not None and now + self._seconds > deadline:
                break
        return done

    def _next_chunk(self, now: float, deadline: float | None) -> int:
        """Returns how many iterations to run before looking at the clock again, judged by those just run."""
        budget = _SECONDS_PER_CHUNK if deadline is None else min(_SECONDS_PER_CHUNK, deadline - now)
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
        """Runs until the exploitability, checked every ``check_every`` iterations, is at most the target."""
        while True:
            wanted = min(check_every, max_iterations - self.iterations)
            stopped = wanted <= 0 or self.run(wanted, deadline) < wanted
            found = self.exploitability()
            if progress is not None:
                progress(self.iterations, found)
            if stopped or found.pct_pot <= target_pct_pot or self.iterations >= max_iterations:
                return found

    def exploitability(self) -> Exploitability:
        """Returns the exploitability of the average strategies by exact best responses (about 1.5 iterations)."""
        first = self._root_ev(0, best_response=False)
        raked = self.rake.of(self.tree.root_pot) > 0
        ev = (first, self._root_ev(1, best_response=False) if raked else -first)
        best = (self._root_ev(0, best_response=True), self._root_ev(1, best_response=True))
        # A best response gains nothing less than 0 but for rounding.
        chips = max((best[0] - ev[0] + best[1] - ev[1]) / 2, 0.0)
        return Exploitability(chips, 100 * chips / self.tree.root_pot, best, ev)

    def state(self) -> dict[str, NDArray[Any]]:
        """Returns by name everything besides ``iterations`` that the next ones depend on.

        :mod:`solver.cfr.solver` says what is in it.
        """
        return self._cfr.state()

    def restore(self, iterations: int, state: Mapping[str, NDArray[Any]]) -> None:
        """Goes back to the state of a solver of the same spot, storage and algorithm, after ``iterations``.

        :raises SpotError: if the arrays are not those of such a solver.
        """
        self._cfr.restore(iterations, state)
        self._root_values = None
        self._kept.clear()

    def best_response_table(self, player: int) -> StrategyTable:
        """Returns a player's best response to the other's average strategy; see :meth:`strategy_table`.

        Actions that are equally good share a hand equally.
        """
        return replace(self.strategy_table(player), weights=self._cfr.best_response(player))

    def _stored(self, *, current: bool) -> tuple[Stored, Stored]:
        return self._cfr.stored(regret=current)

    def _board_lock(self, lock: LockedNode) -> BoardLock:
        """Turns a lock into one on the boards and hands that are stored."""
        solved = boards_on(self.cards.runouts, int(self.tree.street[lock.node]))
        covered = [number for number, cards in enumerate(solved) if lock.covers(cards[len(self.board) :])]
        player = int(self.tree.player[lock.node])
        strategy = np.empty((len(lock.strategy), len(self._game.hands[player])), dtype=np.float32)
        wanted = np.where(lock.hands, lock.strategy, np.float32(-1))
        strategy[:, self._hands[player]] = wanted[:, self._combos[player]]
        return BoardLock(lock.node, np.array(covered, dtype=np.int64), strategy)

    def _root_ev(self, player: int, *, best_response: bool) -> float:
        values = self._cfr.root_values(player, best_response=best_response).astype(np.float64)
        return float(values @ self._game.total_weights(player) / self._pairs)

    def _street_values(self, node: int, dealt: tuple[int, ...]) -> StreetValues:
        if dealt:
            return super()._street_values(node, dealt)
        if self._root_values is None or self._root_values[0] != self.iterations:
            values = (self._cfr.street_values(0), self._cfr.street_values(1))
            self._root_values = (self.iterations, StreetValues(self._slots[0], self._combos, self._hands, values))
        return self._root_values[1]
