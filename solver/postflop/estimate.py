"""How large a solve of a prepared spot is and how much memory it needs, before anything is allocated."""

from __future__ import annotations

from dataclasses import dataclass

from hedgehog.solver.cfr.algorithms import Algorithm, parse_algorithm
from hedgehog.solver.cfr.locks import place_locks
from hedgehog.solver.cfr.memory import Storage, bytes_needed, num_threads, verify_locks, verify_storage
from hedgehog.solver.postflop.chance import NodeCounts, SolveSize
from hedgehog.solver.postflop.prepared import PreparedSpot


@dataclass(frozen=True, slots=True)
class Estimate:
    """The size of a solve and the memory it needs."""

    counts: NodeCounts
    """Nodes of the public tree over all boards. Boards that differ in the names of suits only count once."""
    size: SolveSize
    """Hands, infosets and actions that are kept."""
    memory_bytes: int
    """Bytes that the solver allocates: regrets, averages, board tables and scratch."""


def estimate(
    spot: PreparedSpot, *, algorithm: Algorithm | str = "dcfr", storage: Storage = "f32", threads: int | None = None
) -> Estimate:
    """Returns the size of a solve by :class:`~hedgehog.solver.postflop.solver.PostflopSolver` without allocating its
    memory.

    :param spot: the spot to be solved.
    :param algorithm: an algorithm or its text (:mod:`hedgehog.solver.cfr.algorithms`).
    :param storage: precision of regrets and averages, ``f32`` or ``f16``.
    :param threads: number of threads; None takes the solver's default.
    :raises SpotError: if the text names no algorithm, or one that needs more precision or cannot keep the locks, or the
        spot asks for a hand abstraction.
    """
    spot.verify_single_hands()
    chosen = parse_algorithm(algorithm) if isinstance(algorithm, str) else algorithm
    spot = spot.for_algorithm(chosen)
    if spot.locks:
        verify_locks(chosen)
    verify_storage(chosen, storage)
    needed = bytes_needed(
        spot.game,
        spot.tree,
        spot.layout,
        place_locks(spot.game, spot.tree, spot.layout, spot.board_locks),
        algorithm=chosen,
        storage=storage,
        threads=num_threads(spot.solver_threads(threads)),
    )
    return Estimate(spot.counts, spot.size, needed)
