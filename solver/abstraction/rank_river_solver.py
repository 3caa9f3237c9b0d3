"""Solves a turn with exact hands, above rivers that forget suits which make no flush.

It is for the strategies of the turn and for what hands win on its rivers: an iteration takes a third to a twentieth of
the time, and the rivers are solved anew when they come. Or it is the fast start of a solve of single hands
(:meth:`RankRiverSolver.fill`).
:mod:`hedgehog.solver.abstraction.rank_rivers` says what the rivers forget.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.abstraction._rank_river_kernels import (
    NUM_CARD_CLASSES,
    HeldCombos,
    RankRivers,
    RiverScratch,
    add_wins,
    assist_rivers,
    count_wins,
    run_river_passes,
)
from hedgehog.solver.abstraction.rank_rivers import RankRiverValues, class_by_card, rank_rivers, single_hands
from hedgehog.solver.cfr.algorithms import Algorithm
from hedgehog.solver.cfr.array_types import Floats
from hedgehog.solver.cfr.arrays import zero_arrays
from hedgehog.solver.cfr.kernels._board_kernels import AVERAGE, Passes
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.cfr.layout import Layout, board_block
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.cfr.programs import count_tiles, plant_forests
from hedgehog.solver.cfr.solver import CfrSolver
from hedgehog.solver.cfr.team import shared
from hedgehog.solver.postflop.prepared import PreparedSpot
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.street_values import StreetValues

_GATHERED: Final = 0.3
"""Time to add one hand of one line to its group on a river, or back, where an element of the solve takes 1."""
_COMPARED: Final = 0.0165
"""Time to add what one hand wins from another on one line."""


def rank_river_work(spot: PreparedSpot, rivers: RankRivers, compared_share: float = 1.0) -> int:
    """Returns the number of pairs of an action and a hand that take about as long as an iteration above groups.

    :param compared_share: share of the iterations that compare single hands, where a flush is possible.
    """
    layout, game = _layout(spot, rivers), spot.game
    width = _padded_lines(layout)
    first, second = (LANES * game.num_blocks(player) for player in (0, 1))
    gathered = 2 * (first + second) * width * len(rivers.num_groups)
    compared = 2 * first * second * width if rivers.makes_flushes else 0
    return round(sum(layout.sizes) + _GATHERED * gathered + _COMPARED * compared_share * compared)


def _padded_lines(layout: Layout) -> int:
    """Returns the number of lines that go on to the river, rounded up to whole vectors."""
    return -(-layout.forests[1].num_roots // LANES) * LANES


def _layout(spot: PreparedSpot, rivers: RankRivers) -> Layout:
    """Returns the layout of a turn's hands, followed by the groups of all rivers."""
    forests = plant_forests(spot.tree, 2)
    first, second = (forests[0].num_rows[player] * spot.game.num_blocks(player) * LANES for player in (0, 1))
    sizes = tuple(
        start + forests[1].num_rows[player] * rivers.num_blocks * LANES for player, start in enumerate((first, second))
    )
    return Layout(tuple(forests), ((0, 0), (first, second)), (sizes[0], sizes[1]))


class RankRiverSolver(PostflopSolver):
    """A turn being solved above rivers of groups of hands.

    Everything it says of the street of the root holds in that game, which is a model of the real one: its values, its
    exploitability. It has no answers on the river, only what hands win there (:meth:`river_values`).

    :param spot: a turn without merged cards, without suit isomorphism and without locks and rake, or what
        :func:`~hedgehog.solver.abstraction.rank_rivers.forget_suits` made of one. If it has trembles, the opponents
        tremble on the turn alone.
    :param rivers: result of :func:`~hedgehog.solver.abstraction.rank_rivers.rank_rivers` for this spot; None makes it.
    :param threads: most threads to take; None stands for one per processor.
    :param algorithm: one of discounted CFR (:mod:`hedgehog.solver.cfr.algorithms`).
    :param compare_from: first iteration that compares single hands without bets on the river, where a flush is
        possible; iterations before it take groups for single hands and less time. Values and best responses always
        compare single hands.
    :raises SpotError: if the spot or the algorithm is another.
    """

    def __init__(
        self,
        spot: PreparedSpot,
        rivers: RankRivers | None = None,
        *,
        threads: int | None = None,
        algorithm: Algorithm | str = "dcfr",
        compare_from: int = 0,
    ) -> None:
        if spot.locks or spot.rake.of(spot.tree.root_pot) > 0:
            raise SpotError("rivers of groups are solved without locks and rake")
        self.rivers = rank_rivers(spot) if rivers is None else rivers
        self._compare_from = compare_from
        super().__init__(spot, threads=threads, algorithm=algorithm)

    _cfr: _RankRiverCfr

    def _new_cfr(self, algorithm: Algorithm, threads: int | None, storage: Storage, memory_limit: float) -> CfrSolver:
        if not algorithm.default_update:
            raise SpotError(f"rivers of groups are solved by discounted CFR, got the algorithm {algorithm}")
        return _RankRiverCfr(self.spot, self.rivers, threads, algorithm, self._compare_from)

    def node_strategy(self, node: int, dealt: Sequence[int] = (), *, current: bool = False) -> NDArray[np.float32]:
        """Returns float32[actions, 1326]: the average strategy at a decision of the root's street.

        :raises SpotError: if the node is no decision of the root's street.
        """
        if dealt:
            self._refuse()
        return super().node_strategy(node, dealt, current=current)

    def fill(self, solver: PostflopSolver, *, averages_only: bool = False) -> None:
        """Gives a solver of single hands what has been learnt so far: on a river, each hand what its group has.

        Its values and its exploitability are those of the real game, and it goes on with single hands from here.

        :param solver: a solver of the same spot, which has a hand for every combo, and algorithm, in single precision.
        :param averages_only: leave the regrets as they are, which takes half the time. The solver has the right values
            then, but must be filled again before it goes on.
        """
        assert solver.spot is self.spot
        assert solver.storage == "f32"
        self._cfr.fill(solver, averages_only)

    def river_values(self, player: int) -> RankRiverValues:
        """Returns what a player's hands win on every river if both follow their averages; it takes half an iteration.

        :param player: 0 for OOP, 1 for IP.
        """
        spot, rivers, (turn, river) = self.spot, self.rivers, self._cfr.layout.forests
        left = turn.nodes[turn.exits].tolist()
        groups = np.repeat(rivers.num_groups[:, None], NUM_COMBOS, axis=1).astype(np.int32)
        groups[:, spot.combos[player]] = rivers.group[player][:, spot.hands[player]]
        return RankRiverValues(
            values=self._cfr.river_values(player),
            groups=groups,
            reaches=np.stack([self.node_reach(1 - player, node) for node in left]).astype(np.float32),
            line_of={node: line for line, node in enumerate(river.nodes[: river.num_roots].tolist())},
            class_of=class_by_card(spot.board),
        )

    def _street_values(self, node: int, dealt: tuple[int, ...]) -> StreetValues:
        if dealt:
            self._refuse()
        return super()._street_values(node, dealt)

    def _refuse(self) -> NoReturn:
        raise SpotError("a turn above rivers of groups has no strategies on the river")


class _RankRiverCfr(CfrSolver):
    """The regrets and averages of a turn's hands and of the groups of its rivers."""

    def __init__(
        self, spot: PreparedSpot, rivers: RankRivers, threads: int | None, algorithm: Algorithm, compare_from: int
    ) -> None:
        turn, river = spot.game.levels
        without = replace(river, strengths=river.strengths[:0], parent=river.parent[:0], swaps=())
        self._rivers = rivers
        super().__init__(
            replace(spot.game, levels=(turn, without)),
            spot.tree,
            rake=spot.rake,
            threads=threads,
            algorithm=algorithm,
            layout=_layout(spot, rivers),
            tremble=spot.tremble,
        )
        first, second = (
            (learning[0], *plain[1:]) for learning, plain in zip(self._learning_programs, self._programs, strict=True)
        )
        self._learning_programs = first, second
        self._river_scratch = _river_scratch(self, rivers, _equities(spot, rivers), self._threads, 2 * compare_from)

    def _run_shared(self, passes: Passes, schedule: NDArray[np.float32], first: int, last: int) -> None:
        given = (passes, self._rivers, self._river_scratch, schedule, first, last, self._threads)
        with shared(assist_rivers, given, passes.scratch.team):
            run_river_passes(*given)

    def fill(self, solver: PostflopSolver, averages_only: bool) -> None:
        """Writes averages and regrets into a solver of single hands (:meth:`RankRiverSolver.fill`)."""
        spot, rivers = solver.spot, self._rivers
        class_of = class_by_card(spot.board)
        learnt, filled = self.state(), solver.state()
        for name, found in filled.items():
            if averages_only and not name.startswith("average"):
                continue
            player = 0 if name.endswith("oop") else 1
            turn, rows = self.layout.bases[1][player], self.layout.forests[1].num_rows[player]
            by_group = learnt[name][turn:].reshape(rivers.num_blocks, rows, LANES).transpose(0, 2, 1).reshape(-1, rows)
            found[:turn] = learnt[name][:turn]
            for board, card in enumerate(spot.cards.runouts.rivers.tolist()):
                number = class_of[card]
                # Hands that hold the card and padding take any group: they never get here.
                group = np.minimum(rivers.group[player][number], rivers.num_groups[number] - 1)
                hands = by_group[LANES * rivers.first_block[number] + group]
                block = board_block(spot.game, spot.layout, found, 1, board, player)
                block[:] = hands.reshape(-1, LANES, rows).transpose(0, 2, 1)
        solver.restore(self.iteration, filled)

    def river_values(self, player: int) -> Floats:
        """Returns float32 (classes, groups + 1, lines): values of groups (:class:`RankRiverValues`)."""
        scratch, nothing = self._river_scratch, np.zeros((0, 0), dtype=np.float32)
        # Otherwise a class's values lack what its groups win without bets.
        self._river_scratch = scratch._replace(equity=(nothing, nothing))
        try:
            self._evaluate(player, AVERAGE, self._scratch)
        finally:
            self._river_scratch = scratch
        lines = self.layout.forests[1].num_roots
        values = scratch.out.reshape(len(scratch.out), -1, _padded_lines(self.layout))[:, :, :lines]
        return np.asarray(values / np.float32(self._scale))

    def offer(self, player: int, payoffs: NDArray[np.float32], others: NDArray[np.float32] | None = None) -> None:
        """Refuses alternative payoffs.

        :raises SpotError: always.
        """
        raise SpotError("rivers of groups are solved without alternative payoffs")


def _river_scratch(
    cfr: CfrSolver,
    rivers: RankRivers,
    equity: tuple[NDArray[np.float32], NDArray[np.float32]],
    threads: int,
    first_pass: int,
) -> RiverScratch:
    game, tree = cfr.game, cfr.tree
    hands = LANES * max(game.num_blocks(0), game.num_blocks(1))
    lines = cfr.layout.forests[1].num_roots
    width = _padded_lines(cfr.layout)
    groups = rivers.most_groups
    padded = -(-groups // LANES) * LANES
    shapes = {
        "lines": (hands * width,),
        "out": (len(rivers.num_groups), (groups + 1) * width),
        "entering": (threads, padded * width),
        "tiles": (threads, count_tiles(tree, cfr.layout.forests[1]) * (groups + 1) * LANES),
        "sums": (threads, NUM_CARD_CLASSES * LANES),
        "ties": (threads, groups * LANES),
        "added": (hands * width,),
        "half": (width,),
        "checked": (threads, (groups + 1) * width),
        "compared": (4 * LANES,),
        "child_values": (hands * lines,),
    }
    flat = zero_arrays(*((math.prod(shape), np.float32) for shape in shapes.values()))
    buffers = {name: array.reshape(shape) for array, (name, shape) in zip(flat, shapes.items(), strict=True)}
    turn = cfr.layout.forests[0]
    buffers["half"][:lines] = [tree.pot(int(node)) / 2 for node in turn.nodes[turn.exits]]
    buffers["compared"][:] = np.repeat([1, 1, -1, 0], LANES)
    return RiverScratch(**buffers, equity=equity, weight=float(game.levels[1].weight), first_pass=first_pass)


def _equities(spot: PreparedSpot, rivers: RankRivers) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Returns ``equity`` of :class:`RiverScratch`: empty if no flush is possible, as groups lose nothing then."""
    if not rivers.makes_flushes:
        nothing = np.zeros((0, 0), dtype=np.float32)
        return nothing, nothing
    single = single_hands(spot)
    river = single.game.levels[1]
    combos, strengths = [], []
    for player in (0, 1):
        held, rows = spot.combos[player], single.game.hands[player][single.hands[player]]
        combos.append(HeldCombos(COMBO_CARDS[held], spot.hands[player], spot.ranges[player][held].astype(np.float64)))
        strengths.append(np.ascontiguousarray(river.strengths[:, rows], dtype=np.int16))
    wins = np.zeros((len(combos[0].hands), len(combos[1].hands)), dtype=np.int8)
    count_wins(strengths[0], strengths[1], wins)
    both = np.zeros((len(spot.game.hands[0]), len(spot.game.hands[1])))
    add_wins(wins, combos[0], combos[1], both)
    both *= river.weight
    # One combo of the own hand, on average, against all combos of the other hand as if they had its mean weight.
    first, second = (np.bincount(held.hands, held.weights) for held in combos)
    return (
        _padded(both / first[:, None] / spot.game.weights[1]),
        _padded(-both.T / second[:, None] / spot.game.weights[0]),
    )


def _padded(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    found = np.zeros((-(-len(rows) // 4) * 4, rows.shape[1]), dtype=np.float32)
    found[: len(rows)] = rows
    return found
