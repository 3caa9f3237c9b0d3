"""Solves a spot on groups of hands, and judges the result in the game of the groups and in the real game."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.errors import MemoryShortageError, SpotError
from hedgehog.runtime.jit import set_num_threads
from hedgehog.solver.abstraction import _pass_kernels as kernels
from hedgehog.solver.abstraction._pass_kernels import GroupScratch
from hedgehog.solver.abstraction.abstraction import SpotGroups
from hedgehog.solver.abstraction.group_layout import group_bytes, make_group_layout, make_partition, scratch_shapes
from hedgehog.solver.cfr.algorithms import Algorithm, parse_algorithm
from hedgehog.solver.cfr.card_game import make_boards, make_sides
from hedgehog.solver.cfr.kernels._general_kernels import Rule
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.cfr.layout import board_block, named_arrays
from hedgehog.solver.cfr.memory import num_threads, tile_starts
from hedgehog.solver.cfr.programs import compile_programs, passive_rows
from hedgehog.solver.postflop.prepared import PreparedSpot
from hedgehog.solver.postflop.solver import Exploitability, PostflopSolver, Progress, hopeless

WRITTEN_OUT_BY: Final = "cgh"
"""Algorithm of the solver that holds the strategies of all hands: it stores one number for each."""
_NO_SCHEDULE: Final = np.zeros((1, 5), dtype=np.float32)


class Epsilon(NamedTuple):
    """How much both players together can gain against a strategy, in chips per deal of two hands in range."""

    real: float
    """Gains of the best responses in the real game."""
    abstract: float
    """Gains of greedy responses that treat all hands of a group alike.

    Such a response takes, from the end of the game to its start, the action that is best for all hands of the group
    together. It is a best response of the game of the groups if groups never merge on later streets. Otherwise a better
    one may exist.
    """

    def loss_pct(self, pot: int) -> float:
        """Returns the part of the exploitability that the game of the groups does not see, in percent of a pot.

        The exploitability is half of what both players gain.
        """
        return 50 * (self.real - self.abstract) / pot


def verify_group_algorithm(algorithm: Algorithm) -> None:
    """Checks that an algorithm works on groups.

    :raises SpotError: if it does not.
    """
    if algorithm.samples_cards or algorithm["simultaneous"]:
        raise SpotError(f"algorithm {str(algorithm)!r} does not work on groups of hands")


def verify_group_storage(storage: str) -> None:
    """Checks that groups can be stored in a precision; ``auto`` can.

    :raises SpotError: if they cannot.
    """
    if storage == "f16":
        raise SpotError("groups of hands are stored in f32: expected the storage f32")


class GroupSolver:
    """Solves a spot whose players act the same with all hands of a group.

    Reach and values are kept per hand. At a decision the values of the actions are summed over the hands of each group,
    times their range weights, and regrets and strategies are kept per group. Averages are weighted by the own reach of
    all hands of the group. Groups can merge from one street to the next, so players may forget what they knew, and no
    theorem says that the strategies converge to an equilibrium of the game of the groups.

    :param spot: a spot without merged cards and locks.
    :param groups: groups of its hands (:class:`~hedgehog.solver.abstraction.abstraction.SpotValues`).
    :param threads: number of threads; None takes one per processor.
    :param algorithm: an algorithm or its text (:mod:`hedgehog.solver.cfr.algorithms`).
    :param memory_limit: bytes that may be allocated.
    :raises SpotError: if the algorithm is unknown or does not work on groups, or the spot asks for trembles.
    :raises MemoryShortageError: if the solve needs more than ``memory_limit``; nothing has been allocated then.
    """

    def __init__(
        self,
        spot: PreparedSpot,
        groups: SpotGroups,
        *,
        threads: int | None = None,
        algorithm: Algorithm | str = "dcfr",
        memory_limit: float = math.inf,
    ) -> None:
        if spot.tremble is not None:
            raise SpotError("groups of hands are solved without trembles")
        self.spot = spot
        self.groups = groups
        self.algorithm = parse_algorithm(algorithm)
        verify_group_algorithm(self.algorithm)
        self.iterations = 0
        self._threads = num_threads(spot.solver_threads(threads))
        game, tree, forests = spot.game, spot.tree, spot.layout.forests
        self.layout = make_group_layout(spot, groups)
        self.memory_bytes = group_bytes(spot, groups, self.layout, self.algorithm, self._threads)
        if self.memory_bytes > memory_limit:
            raise MemoryShortageError(self.memory_bytes, memory_limit)
        partitions = [make_partition(game, groups, self.layout, player) for player in (0, 1)]
        self._partitions = (partitions[0], partitions[1])
        self._boards = make_boards(game)
        self._sides = (make_sides(game, 0), make_sides(game, 1))
        # The kernels read only the row offsets of the programs' bases and strides.
        self._programs = compile_programs(tree, forests, [(0, 0)] * len(forests), spot.rake, 1.0)
        sizes, counts = self.layout.sizes, self.algorithm.num_arrays
        self._regret = (np.zeros(sizes[0], np.float32), np.zeros(sizes[1], np.float32))
        self._average = self._regret
        if self.algorithm["greedy"]:
            self._start_passively()
        else:
            self._average = (np.zeros(sizes[0], np.float32), np.zeros(sizes[1], np.float32))
        base = [np.zeros(sizes[p], np.float32) if counts[p] == 3 else self._regret[p] for p in (0, 1)]
        shapes = scratch_shapes(spot, self.layout, self.algorithm, self._threads)
        buffers = {name: np.zeros(shape, dtype=np.float32) for name, shape in shapes.items()}
        nothing = np.zeros((0, 0), dtype=np.float32)
        own_root = np.ones(max(game.num_blocks(0), game.num_blocks(1)) * LANES, dtype=np.float32)
        flags = [int(bool(self.algorithm[key])) for key in ("return_new", "greedy", "per_action")]
        update = (int(bool(self.algorithm["floor"])), self.algorithm.number("predict"))
        weighted, average_new = int(self.algorithm.weighs_by_reach), int(self.algorithm["average"] == "new")
        self._rules = (
            Rule(base[0], nothing, nothing, own_root, weighted, average_new, *update, *flags),
            Rule(base[1], nothing, nothing, own_root, weighted, average_new, *update, *flags),
        )
        self._scratch = GroupScratch(
            **buffers,
            positions=np.zeros((self._threads + 1, LANES), dtype=np.int32),
            ticket=np.zeros(1, dtype=np.int64),
            tile_start=np.array(tile_starts(game, tree, spot.layout), dtype=np.int64),
        )

    def _start_passively(self) -> None:
        """Sets the stored strategies to checking and calling."""
        for level, forest in enumerate(self.spot.layout.forests):
            for player in (0, 1):
                rows = passive_rows(self.spot.tree, forest, player)
                for board in range(*self.layout.first_boards[level : level + 2]):
                    self.board_rows(self._regret[player], board, player)[:] = rows[:, None]

    def board_rows(self, stored: NDArray[np.float32], board: int, player: int) -> NDArray[np.float32]:
        """Returns a view of one board's rows, shape (rows, padded groups).

        :param board: number of the board over all levels.
        """
        level = int(np.searchsorted(self.layout.first_boards, board, side="right")) - 1
        rows = self.spot.layout.forests[level].num_rows[player]
        start, width = int(self.layout.starts[player][board]), int(self.layout.widths[player][board])
        return stored[start : start + rows * width].reshape(rows, width)

    def stored(self, *, regret: bool) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Returns both players' regrets, or their sums of strategies if not ``regret``, by :class:`GroupLayout`."""
        return self._regret if regret else self._average

    def run(
        self, iterations: int, deadline: float | None = None, progress: Progress | None = None, *, least: int = 0
    ) -> int:
        """Runs at most ``iterations`` iterations, each of which updates both players, and returns how many were run.

        :param deadline: value of ``time.monotonic()`` at which to stop; at least one iteration is run.
        :param progress: called after each iteration with the number of iterations done so far.
        :param least: fewest iterations that are of use. The run is given up early if the deadline will clearly come
            before them.
        """
        if progress is None and deadline is None:
            self._step(iterations)
            return iterations
        began = time.monotonic()
        for done in range(1, iterations + 1):
            self._step(1)
            if progress is not None:
                progress(self.iterations)
            passed = time.monotonic() - began
            if deadline is not None and (began + passed > deadline or hopeless(passed, deadline - began, done, least)):
                return done
        return iterations

    def _step(self, iterations: int) -> None:
        if self.algorithm.reshapes and iterations > 1:
            for _ in range(iterations):
                self._step(1)
            return
        for regrets in self._regret if self.algorithm.reshapes else ():
            self.algorithm.reshape(regrets, self.iterations)
        first, last = self.iterations, self.iterations + iterations
        schedule = self.algorithm.schedule(first, last)
        self._run(kernels.LEARN, schedule, self._regret, 2 * first, 2 * last)
        self.iterations = last

    def root_values(self, player: int, mode: int = kernels.AVERAGE) -> NDArray[np.float32]:
        """Returns float32[hands of ``player``]: root values in chips times opponent weight, against the averages.

        :param mode: ``AVERAGE``, ``BEST_RESPONSE`` or ``GROUP_RESPONSE`` of
            :mod:`hedgehog.solver.abstraction._pass_kernels`.
        """
        self._run(mode, _NO_SCHEDULE, self._average, player, player + 1)
        return self._scratch.root[: len(self.spot.game.hands[player])].copy()

    def exploitability(self) -> Exploitability:
        """Returns the exploitability of the average strategies in the real game, from exact best responses.

        Beside it stands the one inside the abstraction, from the greedy responses of :class:`Epsilon`.
        """
        pot, evs = self.spot.tree.root_pot, self._evs()
        best = (self._ev(0, kernels.BEST_RESPONSE), self._ev(1, kernels.BEST_RESPONSE))
        chips = max((best[0] - evs[0] + best[1] - evs[1]) / 2, 0.0)
        # A greedy response of groups that merge later may earn less than the strategy itself.
        abstract = sum(max(self._ev(player, kernels.GROUP_RESPONSE) - evs[player], 0.0) for player in (0, 1)) / 2
        return Exploitability(chips, 100 * chips / pot, best, evs, 100 * abstract / pot)

    def _evs(self) -> tuple[float, float]:
        """Returns both players' EVs at the root if both follow their average strategies, less half the pot."""
        first = self._ev(0, kernels.AVERAGE)
        raked = self.spot.rake.of(self.spot.tree.root_pot) > 0
        return first, self._ev(1, kernels.AVERAGE) if raked else -first

    def epsilon(self) -> Epsilon:
        """Returns what the responses to the average strategies gain, in the real game and in the game of the groups."""
        evs = self._evs()
        gains = [
            sum(self._ev(player, mode) - evs[player] for player in (0, 1))
            for mode in (kernels.BEST_RESPONSE, kernels.GROUP_RESPONSE)
        ]
        return Epsilon(*gains)

    def loss_pct(self) -> float:
        """Returns the part of the exploitability that the game of the groups does not see, in percent of the pot."""
        return self.epsilon().loss_pct(self.spot.tree.root_pot)

    def _ev(self, player: int, mode: int) -> float:
        values = self.root_values(player, mode).astype(np.float64)
        return float(values @ self.spot.game.total_weights(player) / self.spot.pair_weight)

    def state(self) -> dict[str, NDArray[Any]]:
        """Returns by name the arrays, not copies, that the next iterations depend on besides ``iterations``."""
        return named_arrays(average=self._average, regret=self._regret, base=tuple(rule.base for rule in self._rules))

    def written_out(self, memory_limit: float | None = None) -> PostflopSolver:
        """Returns a solver with a strategy for every hand, those of the groups, to answer questions or to be saved.

        It holds one number per hand and action. It is not meant to be run on.

        :param memory_limit: bytes that may be allocated; None allows all memory that is free.
        :raises MemoryShortageError: if it needs more memory than allowed; nothing has been allocated then.
        """
        spot = replace(self.spot, abstraction="") if self.spot.abstraction else self.spot
        solver = PostflopSolver(spot, threads=self._threads, algorithm=WRITTEN_OUT_BY, memory_limit=memory_limit)
        state = solver.state()
        for player, name in enumerate(("average_oop", "average_ip")):
            hands = spot.game.num_blocks(player) * LANES
            for level in range(len(spot.game.levels)):
                first = self.layout.first_boards[level]
                for board in range(spot.game.num_boards(level)):
                    rows = self.board_rows(self._average[player], first + board, player)
                    by_hand = rows[:, self._partitions[player].group_of[first + board]]
                    block = board_block(spot.game, spot.layout, state[name], level, board, player)
                    block[:] = by_hand.reshape(len(rows), hands // LANES, LANES).transpose(1, 0, 2)
        solver.restore(self.iterations, state)
        return solver

    def root_street_strategies(self) -> dict[int, NDArray[np.float32]]:
        """Returns the average strategies of all hands at the decisions of the root's street.

        :returns: by node float32 (actions, 1326).
        :raises MemoryShortageError: as :meth:`written_out`.
        """
        return self.written_out().root_street_strategies()

    def _run(
        self,
        mode: int,
        schedule: NDArray[np.float32],
        opp_strategy: tuple[NDArray[np.float32], NDArray[np.float32]],
        first: int,
        last: int,
    ) -> None:
        set_num_threads(self._threads)
        kernels.run_passes(
            mode, schedule, self._rules, self._boards, self._sides, self._programs, self._partitions, opp_strategy,
            self._regret, self._average, self._scratch, first, last, self._threads
        )  # fmt: skip
