"""What a solve holds in memory, worked out from the game and the betting tree before anything large is allocated."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import Literal

from hedgehog.runtime.errors import SpotError
from hedgehog.runtime.jit import max_threads
from hedgehog.runtime.machine import num_processors
from hedgehog.solver.cfr.algorithms import Algorithm
from hedgehog.solver.cfr.card_game import CardGame, boards_bytes
from hedgehog.solver.cfr.kernels._game_kernels import Locks
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.cfr.layout import Layout
from hedgehog.solver.cfr.programs import count_tiles, own_decisions
from hedgehog.strategies.betting_tree import BettingTree

Storage = Literal["f32", "f16"]
"""Precision of regrets and average strategies."""


def num_threads(threads: int | None) -> int:
    """Returns the number of threads a solver uses: as many as asked for, at most numba's; None means one per processor
    on which this process may run (:func:`hedgehog.runtime.machine.num_processors`)."""
    return min(threads or num_processors(), max_threads())


def verify_storage(algorithm: Algorithm, storage: Storage) -> None:
    """Checks that an algorithm works with the precision in which regrets and averages are stored.

    :raises SpotError: if the algorithm needs more precision.
    """
    if storage == "f16" and not algorithm.half_precision:
        raise SpotError(f"algorithm {str(algorithm)!r} needs more precision than f16: expected f32")


def verify_trembles(algorithm: Algorithm) -> None:
    """Checks that an algorithm can learn against trembles.

    :raises SpotError: if it is none of discounted CFR without weights by reach.
    """
    if not algorithm.default_update:
        raise SpotError(f"algorithm {algorithm} cannot learn against trembles: expected dcfr, gamma5 or hs-dcfr")


def verify_locks(algorithm: Algorithm) -> None:
    """Checks that an algorithm can keep locked strategies.

    :raises SpotError: if it cannot.
    """
    if not algorithm.keeps_locks:
        reason = "samples deals and " if algorithm.samples_deals else ""
        raise SpotError(f"algorithm {algorithm} {reason}cannot keep locked strategies")


def bytes_needed(
    game: CardGame,
    tree: BettingTree,
    layout: Layout,
    locks: tuple[Locks, Locks],
    *,
    algorithm: Algorithm,
    storage: Storage,
    threads: int,
    trembles: bool = False,
) -> int:
    """Returns the bytes of regrets, averages, board tables, locks and scratch of a solve.

    Trembles need one more number per hand and action.

    Queries need more for a moment: :meth:`~hedgehog.solver.cfr.solver.CfrSolver.street_values`.
    """
    item = 2 if storage == "f16" else 4
    shapes = scratch_shapes(game, tree, layout, algorithm, threads, trembles=trembles)
    counts = [count + trembles for count in algorithm.num_arrays]
    return (
        sum(count * size for count, size in zip(counts, layout.sizes, strict=True)) * item
        + boards_bytes(game)
        + sum(array.nbytes for side in locks for array in side)
        + sum(4 * math.prod(shape) for shape in shapes.values())
    )


def tile_starts(game: CardGame, tree: BettingTree, layout: Layout, *, trembles: bool = False) -> list[int]:
    """Returns four float32 offsets: where the tiles of each of three levels start, and where the last ones end."""
    tiles = [count_tiles(tree, forest, weighed=trembles) for forest in layout.forests]
    tiles += [0] * (3 - len(layout.forests))
    return [count * (game.num_hands + 1) * LANES for count in accumulate(tiles, initial=0)]


def num_groups(game: CardGame) -> int:
    """Returns into how many groups the boards below the root are put.

    One thread runs the boards of a group and adds up their values while they are in its cache. Rivers below a turn are
    put into 8 to 16 groups if there are so many; with a full deck these are the four suits of a rank, which keeps the
    sums of symmetric hands nearly equal. The turns of a flop take long and are groups of their own.
    """
    if len(game.levels) == 1:
        return 0
    boards = game.num_boards(1)
    size = 1 << max(0, boards.bit_length() - 4) if len(game.levels) == 2 else 1
    return -(-boards // size)


def scratch_shapes(
    game: CardGame, tree: BettingTree, layout: Layout, algorithm: Algorithm, threads: int, *, trembles: bool = False
) -> dict[str, tuple[int, ...]]:
    """Returns by name the shapes of the float32 buffers of a solve.

    They are fields of :class:`~hedgehog.solver.cfr.kernels._game_kernels.Scratch` and, with ``own_`` in front, of
    :class:`~hedgehog.solver.cfr.kernels._general_kernels.Rule`.
    """
    forests = layout.forests
    blocks = max(game.num_blocks(0), game.num_blocks(1))
    # Every line that enters a street has a slot, and every action of the opponent.
    reach_slots = LANES * max(forest.num_roots + max(forest.num_rows) for forest in forests)
    weighted = algorithm.weighs_by_reach
    root_values = [blocks * forest.num_roots * LANES for forest in forests]
    exits = max(len(forest.exits) for forest in forests)
    groups = num_groups(game)
    weighed = 0
    if trembles:
        weighed = max(len(own_decisions(tree, forest, player)) for forest in forests for player in (0, 1))
    return {
        "reach": (threads, reach_slots),
        "values": (threads, LANES * (1 + weighed + max(len(forest.nodes) for forest in forests))),
        "tiles": (threads, tile_starts(game, tree, layout, trembles=trembles)[-1]),
        "sums": (threads, LANES * (1 + int(game.cards.max()))),
        "ties": (threads, LANES * game.num_hands),
        "entry": (threads + 1, LANES * blocks * exits),
        "result": (threads, root_values[2] if len(forests) > 2 else 0),
        "sum": (threads + 1, (1 + len(game.swaps)) * max([0, *root_values[1:]])),
        "out": (threads, root_values[1] if len(forests) > 1 else 0),
        "groups": (groups, (1 + len(game.swaps)) * root_values[1]) if groups else (0, 0),
        "root": (LANES * blocks,),
        "own_reach": (threads, reach_slots if weighted else 0),
        "own_entry": (threads + 1, LANES * blocks * exits if weighted else 0),
        "own_root": (LANES * blocks if weighted else 0,),
    }
