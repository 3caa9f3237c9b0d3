"""Counterfactual regret minimisation on a card game and a betting tree: buffers, iterations, values.

Hands are numbered as in each player's list :attr:`CardGame.hands`. Nodes are nodes of the betting tree.
:mod:`hedgehog.solver.postflop.solver` puts poker around it: combos and dealt cards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.errors import MemoryShortageError, SpotError
from hedgehog.solver.cfr.algorithms import Algorithm, parse_algorithm
from hedgehog.solver.cfr.arrays import zero_arrays
from hedgehog.solver.cfr.card_game import CardGame, make_boards, make_sides
from hedgehog.solver.cfr.gadget import Gadget
from hedgehog.solver.cfr.kernels._block_kernels import impose_rows
from hedgehog.solver.cfr.kernels._board_kernels import (
    AVERAGE,
    BEST_RESPONSE,
    LEARN,
    NOTED_BEST_RESPONSE,
    TREMBLE,
    UPDATE,
    Passes,
)
from hedgehog.solver.cfr.kernels._gadget_kernels import run_gadget_passes
from hedgehog.solver.cfr.kernels._game_kernels import Scratch
from hedgehog.solver.cfr.kernels._general_kernels import Rule
from hedgehog.solver.cfr.kernels._layout_kernels import write_rows
from hedgehog.solver.cfr.kernels._pass_kernels import assist, run_passes
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.cfr.kernels._tremble_kernels import MOST_LOSS, Trembles, mark_locked
from hedgehog.solver.cfr.layout import Layout, board_block, decision_rows, make_layout, named_arrays, normalised
from hedgehog.solver.cfr.locks import BoardLock, place_locks
from hedgehog.solver.cfr.memory import (
    Storage,
    bytes_needed,
    num_threads,
    scratch_shapes,
    tile_starts,
    verify_locks,
    verify_storage,
    verify_trembles,
)
from hedgehog.solver.cfr.programs import Rake, compile_programs, largest_payoff, passive_rows
from hedgehog.solver.cfr.restricted import Restriction
from hedgehog.solver.cfr.sampling import BoardSampler, DealSampler
from hedgehog.solver.cfr.team import new_team, shared
from hedgehog.solver.cfr.trembles import Tremble
from hedgehog.strategies.betting_tree import BettingTree

# The largest payoff times the whole range, in units of a half-precision regret. On four measured spots regrets stayed
# below 0.7 of it. Half floats hold 32 times as much, and lose precision only below 3e-8 of it.
_HALF_PAYOFF: Final = 2048.0
_EMPTY: Final = np.zeros(0, dtype=np.float32)
_NO_SCHEDULE: Final = np.zeros((1, 5), dtype=np.float32)
_NO_RAKE: Final = Rake()


class CfrSolver:
    """Solves a two-player game by one of the algorithms of :mod:`hedgehog.solver.cfr.algorithms`.

    :param game: hands, boards and weights.
    :param tree: betting lines; its last street is street 3.
    :param threads: number of threads; None takes one per processor.
    :param storage: precision of regrets and average strategies; arithmetic is always float32.
    :param algorithm: an algorithm or its text (:mod:`hedgehog.solver.cfr.algorithms`).
    :param locks: decisions at which strategies are given; of several locks for one hand, the first holds.
    :param layout: result of :func:`~hedgehog.solver.cfr.layout.make_layout` for this game and tree; None computes it.
    :param memory_limit: bytes that may be allocated.
    :param tremble: how the opponents of whoever learns tremble; None for opponents who do not.
    :raises SpotError: if the text names no algorithm, or one that needs more precision, cannot keep the locks or cannot
        learn against trembles.
    :raises MemoryShortageError: if the solve needs more than ``memory_limit``; nothing has been allocated then.
    """

    def __init__(
        self,
        game: CardGame,
        tree: BettingTree,
        *,
        rake: Rake = _NO_RAKE,
        threads: int | None = None,
        storage: Storage = "f32",
        algorithm: Algorithm | str = "dcfr",
        locks: Sequence[BoardLock] = (),
        layout: Layout | None = None,
        memory_limit: float = math.inf,
        tremble: Tremble | None = None,
    ) -> None:
        self.game = game
        self.tree = tree
        self.layout = make_layout(game, tree) if layout is None else layout
        self.iteration = 0
        self.algorithm = parse_algorithm(algorithm)
        self._threads = num_threads(threads)
        if locks:
            verify_locks(self.algorithm)
        verify_storage(self.algorithm, storage)
        if tremble is not None:
            verify_trembles(self.algorithm)
        trembles = tremble is not None
        self._locks = place_locks(game, tree, self.layout, locks)
        self.memory_bytes = bytes_needed(
            game, tree, self.layout, self._locks, algorithm=self.algorithm, storage=storage, threads=self._threads,
            trembles=trembles,
        )  # fmt: skip
        if self.memory_bytes > memory_limit:
            raise MemoryShortageError(self.memory_bytes, memory_limit)
        self._scale = 1.0
        if storage == "f16":
            heaviest = max(float(game.total_weights(player).sum()) for player in (0, 1))
            self._scale = _HALF_PAYOFF / (largest_payoff(tree) * heaviest)
        self._boards = make_boards(game)
        self._sides = (make_sides(game, 0), make_sides(game, 1))
        programs = tree, self.layout.forests, self.layout.bases, rake, self._scale, {lock.node for lock in locks}
        self._programs = compile_programs(*programs)
        self._learning_programs = compile_programs(*programs, weighed=True) if trembles else self._programs
        shapes = scratch_shapes(game, tree, self.layout, self.algorithm, self._threads, trembles=trembles)
        dtype = np.uint16 if storage == "f16" else np.float32
        counts = self.algorithm.num_arrays
        sizes = self.layout.sizes
        first, second, *flat = zero_arrays(
            *((size, dtype) for size in sizes), *((math.prod(shape), np.float32) for shape in shapes.values())
        )
        buffers = {name: array.reshape(shape) for array, (name, shape) in zip(flat, shapes.items(), strict=True)}
        self._regret = (first, second)
        # A greedy strategy is its own average. Other algorithms need a third array only if the strategy is matched to
        # other numbers than the regrets that are added to.
        self._average = self._regret
        if not self.algorithm["greedy"]:
            # Apart from the rest: averages may outlive the solver.
            oop, ip = zero_arrays(*((size, dtype) for size in sizes))
            self._average = (oop, ip)
        else:
            self._start_passively()
        losses = [zero_arrays((size if trembles else 0, dtype))[0] for size in sizes]
        cold = 0.0 if tremble is None else 1 / (tremble.temperature * self._scale)
        self._trembles = Trembles((losses[0], losses[1]), tremble.share if tremble else 0.0, cold)
        base = [zero_arrays((sizes[p], dtype))[0] if counts[p] == 3 else self._regret[p] for p in (0, 1)]
        own_reach, own_entry, own_root = (buffers.pop(name) for name in ("own_reach", "own_entry", "own_root"))
        flags = [int(bool(self.algorithm[key])) for key in ("return_new", "greedy", "per_action")]
        update = (int(bool(self.algorithm["floor"])), self.algorithm.number("predict"))
        own_root[:] = 1
        weighted, average_new = int(self.algorithm.weighs_by_reach), int(self.algorithm["average"] == "new")
        self._deals: DealSampler | None = None
        if self.algorithm.samples_deals:
            self._deals = DealSampler(game, tree, self.layout, rake, self.algorithm)
        self._cards = BoardSampler(game, self.algorithm) if self.algorithm.samples_boards else None
        self._gadget: Gadget | None = None
        self._restriction: Restriction | None = None
        self._entry: tuple[int, Callable[[NDArray[np.float32]], NDArray[np.float32]]] | None = None
        self._after_update: Callable[[int], None] | None = None
        self._rules = (
            Rule(base[0], own_reach, own_entry, own_root, weighted, average_new, *update, *flags),
            Rule(base[1], own_reach, own_entry, own_root, weighted, average_new, *update, *flags),
        )
        self._scratch = Scratch(
            **buffers,
            kept=_EMPTY,
            positions=np.zeros((self._threads, LANES), dtype=np.int32),
            team=new_team(self._threads),
            tile_start=np.array(tile_starts(game, tree, self.layout, trembles=trembles), dtype=np.int64),
        )
        self._impose_locks()

    def _impose_locks(self) -> None:
        for player, side in enumerate(self._locks):
            if side.rows.size:
                impose_rows(*side, self._regret[player], self._average[player])
                if self._trembles.share:
                    mark_locked(*side, self._trembles.losses[player])

    def _start_passively(self) -> None:
        """Sets the stored strategies to checking and calling."""
        for level, forest in enumerate(self.layout.forests):
            for player in (0, 1):
                rows = passive_rows(self.tree, forest, player)
                for board in range(self.game.num_boards(level)):
                    board_block(self.game, self.layout, self._regret[player], level, board, player)[:] = rows[:, None]

    def step(self, iterations: int) -> None:
        """Runs the given number of iterations. Each one updates both players."""
        last = self.iteration + iterations
        if self._deals is not None:
            self._deals.run(self._regret, self._average, self.iteration, last)
            self.iteration = last
        elif self._cards is not None:
            self._cards.run(self._passes(UPDATE, self._regret), self.iteration, last)
            self.iteration = last
        else:
            mode = TREMBLE if self._trembles.share else UPDATE if self.algorithm.default_update else LEARN
            while self.iteration < last:
                single = self.algorithm["simultaneous"] or self.algorithm.reshapes
                stop = self.iteration + 1 if single else last
                for regrets in self._regret if self.algorithm.reshapes else ():
                    self.algorithm.reshape(regrets, self.iteration)
                schedule = self.algorithm.schedule(self.iteration, stop)
                if self._restriction is not None:
                    self._run_restricted(mode, schedule, self._restriction)
                    self.iteration = stop
                    continue
                if self._entry is not None:
                    self._run_entering(mode, schedule, *self._entry)
                    self.iteration = stop
                    continue
                if self._after_update is not None:
                    for own in self._pass_by_pass(mode, schedule):
                        self._after_update(own)
                    self.iteration = stop
                    continue
                self._run(mode, schedule, self._regret, self._scratch, 2 * self.iteration, 2 * stop)
                if self.algorithm["simultaneous"]:
                    # So far the first player still played what the second one was updated against.
                    np.copyto(self._regret[0], self._rules[0].base)
                self.iteration = stop

    def offer(self, player: int, payoffs: NDArray[np.float32], others: NDArray[np.float32] | None = None) -> None:
        """Lets a player choose at the root, in all later iterations, between the game and alternative payoffs.

        Values and best responses remain those of the game without the choice.

        :param player: the player who chooses (:class:`~hedgehog.solver.cfr.gadget.Gadget`).
        :param payoffs: float32[hands of ``player``]: alternative payoffs in chips times opponent weight.
        :param others: None: the hands of the game choose; else they enter, and beside them hands of these weights,
            float32[hands of ``player``], have the choice.
        :raises SpotError: if the algorithm is none of discounted CFR.
        """
        if not self.algorithm.default_update:
            raise SpotError(f"the algorithm {self.algorithm} cannot solve a game with alternative payoffs")
        self._gadget = Gadget(player, self.game.weights[player], payoffs * np.float32(self._scale), others)

    def enter(self, player: int, choose: Callable[[NDArray[np.float32]], NDArray[np.float32]]) -> None:
        """Lets the weights of a player's hands change in all later iterations.

        :param player: the player whose hands enter the game with other weights.
        :param choose: called after each update of ``player`` with float32[hands], the values of its hands at the root
            under the strategies that were played (:meth:`root_values`); returns float32[hands], the weights with which
            they enter the next passes.
        :raises SpotError: if the algorithm is none of discounted CFR.
        """
        if not self.algorithm.default_update:
            raise SpotError(f"the algorithm {self.algorithm} cannot solve a game whose ranges change")
        self._entry = player, choose

    def after_update(self, change: Callable[[int], None]) -> None:
        """Calls a function after each update of a player in all later iterations.

        :param change: called with the player, whose regrets (:meth:`stored`) it may change before the other one learns.
        :raises SpotError: if the algorithm samples cards, or updates both players at once.
        """
        if self.algorithm.samples_cards or self.algorithm["simultaneous"]:
            raise SpotError(f"the algorithm {self.algorithm} does not update one player after the other")
        self._after_update = change

    def set_weights(self, player: int, weights: NDArray[np.float32]) -> None:
        """Replaces the weights with which a player's hands enter all later passes.

        :param weights: float32[hands of ``player``].
        """
        self._sides[1 - player].root_reach[: len(weights)] = weights

    def _run_entering(
        self,
        mode: int,
        schedule: NDArray[np.float32],
        player: int,
        choose: Callable[[NDArray[np.float32]], NDArray[np.float32]],
    ) -> None:
        """Runs iterations in which a player's hands enter with the weights that ``choose`` returns."""
        for own in self._pass_by_pass(mode, schedule):
            if own == player:
                values = self._scratch.root[: len(self.game.hands[player])] / np.float32(self._scale)
                self.set_weights(player, choose(values))

    def _pass_by_pass(self, mode: int, schedule: NDArray[np.float32]) -> Iterator[int]:
        """Runs iterations one pass at a time; yields after each of them the player who was updated."""
        for done, row in enumerate(schedule):
            for own in (0, 1):
                index = 2 * (self.iteration + done) + own
                self._run(mode, row[None], self._regret, self._scratch, index, index + 1)
                yield own

    def restrict(self, player: int, model: NDArray[np.float32], share: float) -> None:
        """Lets a player follow a model with some probability in all later iterations
        (:mod:`hedgehog.solver.cfr.restricted`).

        Its regrets and averages are those of its free strategy. Call it before the first iteration.

        :param player: the restricted player.
        :param model: float32, flat in the order of :class:`~hedgehog.solver.cfr.layout.Layout`: weights of the player's
            actions.
        :param share: probability of following the model, 0 to 1.
        :raises SpotError: if the algorithm is none of discounted CFR, or the storage is not f32.
        """
        if not self.algorithm.default_update or self._regret[0].dtype != np.float32:
            raise SpotError(f"a response to a model needs discounted CFR in f32, got the algorithm {self.algorithm}")
        if self._trembles.share:
            raise SpotError("a response to a model is solved without trembles")
        self._restriction = Restriction(player, model, share, self.layout, self.game.num_blocks(player))

    def _run_restricted(self, mode: int, schedule: NDArray[np.float32], restriction: Restriction) -> None:
        """Runs iterations in which the other player meets the mixture of the restricted player's two strategies."""
        player = restriction.player
        for done, row in enumerate(schedule):
            for own in (0, 1):
                index = 2 * (self.iteration + done) + own
                strategies = self._regret if own == player else self._with_mixture(restriction, self._regret)
                self._run(mode, row[None], strategies, self._scratch, index, index + 1)

    def _with_mixture(
        self, restriction: Restriction, strategies: tuple[NDArray[Any], NDArray[Any]]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Returns both players' strategies with the mixture in place of the restricted player's free strategy."""
        player = restriction.player
        mixed = restriction.mixed(strategies[player], self._boards, self._programs[1 - player])
        return (mixed, strategies[1]) if player == 0 else (strategies[0], mixed)

    def values_against_mixture(self, *, best_response: bool) -> NDArray[np.float32]:
        """Returns float32[hands]: values of the unrestricted player at the root against what it meets on average.

        :param best_response: evaluate the best response to the mixture instead of the player's average strategy.
        """
        restriction = self._restriction
        assert restriction is not None
        mode = BEST_RESPONSE if best_response else AVERAGE
        strategies = self._with_mixture(restriction, self._average)
        return self._evaluate(1 - restriction.player, mode, self._scratch, strategies)

    def values_against(self, opponent: NDArray[Any], player: int) -> NDArray[np.float32]:
        """Returns float32[hands of ``player``]: values of its average strategy at the root against a given strategy.

        :param opponent: weights of the opponent's actions, flat in the order of the layout and of the stored type.
        """
        strategies = (self._average[0], opponent) if player == 0 else (opponent, self._average[1])
        return self._evaluate(player, AVERAGE, self._scratch, strategies)

    def values_of(
        self, player: int, rows: Iterable[tuple[int, int, NDArray[np.float32]]], *, best_response: bool
    ) -> NDArray[np.float32]:
        """Returns float32[hands of ``player``]: values at the root under given strategies, as :meth:`root_values`.

        The averages are empty afterwards. Call it before the first iteration.

        :param rows: the strategies at all decisions, as in :meth:`warm_start`, with probabilities for regrets.
        :param best_response: let ``player`` play the best response to the opponent's given strategy.
        """
        for level, slot, probabilities in rows:
            self._write(self._average, level, slot, probabilities)
        self._impose_locks()
        values = self.root_values(player, best_response=best_response).copy()
        for array in self._average:
            array[:] = 0
        self._impose_locks()
        return values

    def state(self) -> dict[str, NDArray[Any]]:
        """Returns by name the arrays that, besides ``iteration``, the next iterations depend on. They are not copies.

        ``average_oop`` and ``average_ip`` are always among them. All arrays are flat in the order of :class:`Layout`.
        """
        losses = {"losses": self._trembles.losses} if self._trembles.share else {}
        return named_arrays(
            average=self._average, regret=self._regret, base=tuple(rule.base for rule in self._rules), **losses
        )

    def restore(self, iteration: int, state: Mapping[str, NDArray[Any]]) -> None:
        """Goes back to a :meth:`state` of a solver of the same game, tree, storage and algorithm.

        :param iteration: number of iterations that led to the state.
        :param state: may be this solver's own :meth:`state`, written into.
        :raises SpotError: if an array is missing or has another shape or type.
        """
        own = self.state()
        for name, array in own.items():
            found = state.get(name)
            if found is None or found.shape != array.shape or found.dtype != array.dtype:
                held = "nothing" if found is None else f"{found.dtype.str} {list(found.shape)}"
                raise SpotError(f"{name!r} is {held}, expected {array.dtype.str} {list(array.shape)}")
        for name, array in own.items():
            if state[name] is not array:
                np.copyto(array, state[name])
        self.iteration = iteration

    def warm_start(self, iteration: int, rows: Iterable[tuple[int, int, NDArray[np.float32]]]) -> None:
        """Sets the regrets from which the next iteration starts, as if ``iteration`` iterations had led to them.

        Regret matching turns the regrets of a decision into a strategy in proportion to their positive parts. The
        averages stay empty, so a strategy from elsewhere shapes the first iterations and no more. Decisions that are
        not given keep their regrets, and locked hands their locks.

        :param iteration: number of the iteration that comes next, which determines the discounts.
        :param rows: triples of a level, the slot of a decision in the forest of the level, and float32[actions, boards
            of the level, hands of the acting player], regrets in chips times opponent weight. The hands are padded to
            whole blocks of 16 with zeros.
        :raises SpotError: if the algorithm does not match its strategy to the regrets alone.
        """
        if self._deals is not None or self.algorithm["greedy"] or self.algorithm.num_arrays != (2, 2):
            raise SpotError(f"the algorithm {self.algorithm} cannot start from given regrets")
        for level, slot, regrets in rows:
            self._write(self._regret, level, slot, regrets, self._scale)
        self._impose_locks()
        self.iteration = iteration

    def _write(
        self,
        stored: tuple[NDArray[Any], NDArray[Any]],
        level: int,
        slot: int,
        rows: NDArray[np.float32],
        scale: float = 1.0,
    ) -> None:
        """Writes float32[actions, boards of the level, padded hands of the acting player] to the rows of a decision.

        :param scale: factor of the numbers.
        """
        forest = self.layout.forests[level]
        player = int(self.tree.player[forest.nodes[slot]])
        boards, blocks = self.game.num_boards(level), self.game.num_blocks(player)
        base, row = self.layout.bases[level][player], int(forest.row[slot])
        flat = np.ascontiguousarray(rows, dtype=np.float32).reshape(-1)
        write_rows(stored[player], flat, base, forest.num_rows[player], row, len(rows), boards, blocks, scale)

    def root_values(self, player: int, *, best_response: bool = False) -> NDArray[np.float32]:
        """Returns float32[hands of ``player``]: counterfactual values at the root in chips times opponent weight.

        :param best_response: evaluate the best response to the opponent's average strategy instead of the own average.
        """
        return self._evaluate(player, BEST_RESPONSE if best_response else AVERAGE, self._scratch)

    def street_values(self, player: int, *, best_response: bool = False) -> NDArray[np.float32]:
        """Returns float32[slots, hands of ``player``]: counterfactual values of every line of the root's street.

        The values are in chips times opponent weight, with both players on their average strategies. Slots are those
        of the first forest of :attr:`layout`.

        :param best_response: let ``player`` play the best response to the opponent's average strategy.
        """
        slots = len(self.layout.forests[0].nodes) + 1
        blocks = self.game.num_blocks(player)
        (kept,) = zero_arrays((blocks * slots * LANES, np.float32))
        mode = BEST_RESPONSE if best_response else AVERAGE
        self._evaluate(player, mode, self._scratch._replace(kept=kept))
        by_slot = kept.reshape(blocks, slots, LANES).transpose(1, 0, 2).reshape(slots, blocks * LANES)
        values: NDArray[np.float32] = np.divide(by_slot[:-1, : len(self.game.hands[player])], np.float32(self._scale))
        return values

    def best_response(self, player: int) -> NDArray[Any]:
        """Returns a best response to the opponent's average strategy: 1 for the best actions, 0 for the others.

        The array has the size, type and layout of the averages of ``player``. Several best actions of a hand are all
        marked 1 and so share it equally.
        """
        (choice,) = zero_arrays((self.layout.sizes[player], self._regret[player].dtype.type))
        chosen = (choice, self._regret[1]) if player == 0 else (self._regret[0], choice)
        mode = NOTED_BEST_RESPONSE
        self._run(mode, _NO_SCHEDULE, self._average, self._scratch, player, player + 1, regret=chosen)
        return choice

    def _evaluate(
        self,
        player: int,
        mode: int,
        scratch: Scratch,
        strategies: tuple[NDArray[Any], NDArray[Any]] | None = None,
    ) -> NDArray[np.float32]:
        """Returns the values of a player's hands at the root against the opponent's average or given strategy."""
        self._run(mode, _NO_SCHEDULE, strategies or self._average, scratch, player, player + 1)
        values: NDArray[np.float32] = scratch.root[: len(self.game.hands[player])] / np.float32(self._scale)
        return values

    def _run(
        self,
        mode: int,
        schedule: NDArray[np.float32],
        opp_strategy: tuple[NDArray[Any], NDArray[Any]],
        scratch: Scratch,
        first: int,
        last: int,
        *,
        regret: tuple[NDArray[Any], NDArray[Any]] | None = None,
    ) -> None:
        scratch = scratch._replace(team=new_team(self._threads))
        passes = self._passes(mode, opp_strategy)._replace(regret=regret or self._regret, scratch=scratch)
        gadget = self._gadget
        if gadget is None or mode not in (UPDATE, TREMBLE):
            self._run_shared(passes, schedule, first, last)
            return
        given = (passes, schedule, first, last, self._threads)
        reach = self._sides[1 - gadget.player].root_reach[: len(gadget.reach)]
        np.copyto(reach, gadget.reach)
        with shared(assist, given, scratch.team):
            run_gadget_passes(*given, gadget.player, gadget.arrays, gadget.row)
        np.copyto(reach, self.game.weights[gadget.player])

    def _run_shared(self, passes: Passes, schedule: NDArray[np.float32], first: int, last: int) -> None:
        """Runs passes on all threads."""
        given = (passes, schedule, first, last, self._threads)
        with shared(assist, given, passes.scratch.team):
            run_passes(*given)

    def _passes(self, mode: int, opp_strategy: tuple[NDArray[Any], NDArray[Any]]) -> Passes:
        programs = self._learning_programs if mode == TREMBLE else self._programs
        return Passes(
            mode, self._rules, self._boards, self._sides, programs, opp_strategy, self._regret, self._average,
            self._locks, self._trembles, self._scratch
        )  # fmt: skip

    def strategy(self, level: int, board: int, slot: int, *, current: bool = False) -> NDArray[np.float32]:
        """Returns float32[actions, hands of the acting player]: the average strategy at a decision.

        Hands that have never reached the decision get the uniform distribution.

        :param board: number of the board on its level.
        :param slot: number of the decision's line in the forest of the level.
        :param current: return the present strategy of regret matching instead of the average.
        """
        return normalised(self.stored_rows(level, board, slot, regret=current))

    def stored_rows(self, level: int, board: int, slot: int, *, regret: bool) -> NDArray[np.float32]:
        """Returns float32[actions, hands of the acting player]: regrets or sums of strategies at a decision.

        Regrets are in chips times opponent weight, times a constant of this solver if storage is ``f16``.

        :param board: number of the board on its level.
        :param slot: number of the decision's line in the forest of the level.
        :param regret: return the regrets; False returns the sums of strategies, which average to the strategy.
        """
        return decision_rows(self.game, self.tree, self.layout, self.stored(regret=regret), level, board, slot)

    def tremble_rows(self, level: int, board: int, slot: int) -> NDArray[np.float32]:
        """Returns float32[actions, hands of the acting player]: how often hands take each action by a tremble.

        A column adds up to the share of trembles (:mod:`hedgehog.solver.cfr.trembles`), that of a locked hand to 0.

        :param board: number of the board on its level.
        :param slot: number of the decision's line in the forest of the level.
        """
        losses = decision_rows(self.game, self.tree, self.layout, self._trembles.losses, level, board, slot)
        weights = np.maximum(1 - (losses - losses.min(axis=0)) / MOST_LOSS, 0) ** MOST_LOSS
        share = np.where(losses[0] < 0, 0, np.float32(self._trembles.share))
        rows: NDArray[np.float32] = weights * (share / weights.sum(axis=0))
        return rows

    def stored(self, *, regret: bool) -> tuple[NDArray[Any], NDArray[Any]]:
        """Returns both players' regrets, or their sums of strategies if not ``regret``, as stored (:class:`Layout`)."""
        return self._regret if regret else self._average

    def fill_average(self, level: int, board: int, player: int, rows: NDArray[np.float32]) -> None:
        """Replaces a player's averages on one board. The storage must be ``f32``.

        :param board: number of the board on its level.
        :param rows: float32[rows, hands], as :func:`~hedgehog.solver.cfr.layout.rows_by_hand` returns them.
        """
        block = board_block(self.game, self.layout, self._average[player], level, board, player)
        padded = np.zeros((len(rows), block.shape[0] * LANES), dtype=np.float32)
        padded[:, : rows.shape[1]] = rows
        block[:] = padded.reshape(len(rows), block.shape[0], LANES).transpose(1, 0, 2)
