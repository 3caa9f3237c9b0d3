"""How large a solve of a spot is and how much memory it needs, before anything is allocated; what would fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from hedgehog.runtime.errors import ResourceError, SpotError
from hedgehog.runtime.machine import available_memory, format_bytes
from hedgehog.solver.cfr.algorithms import Algorithm, parse_algorithm
from hedgehog.solver.cfr.locks import place_locks
from hedgehog.solver.cfr.memory import (
    Storage,
    bytes_needed,
    num_threads,
    verify_locks,
    verify_storage,
    verify_trembles,
)
from hedgehog.solver.cfr.own_rules import ALGORITHMS
from hedgehog.solver.postflop.chance import NodeCounts, SolveSize
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare
from hedgehog.solver.postflop.spot import PostflopSpot

_RAISE_CAPS: Final = (4, 3, 2, 1)


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
    :raises SpotError: if the text names no algorithm, or one that needs more precision, cannot keep the locks or cannot
        learn against trembles, or the spot asks for a hand abstraction.
    """
    spot.verify_single_hands()
    chosen = parse_algorithm(algorithm)
    spot = spot.for_algorithm(chosen)
    if spot.locks:
        verify_locks(chosen)
    verify_storage(chosen, storage)
    if spot.tremble is not None:
        verify_trembles(chosen)
    needed = bytes_needed(
        spot.game,
        spot.tree,
        spot.layout,
        place_locks(spot.game, spot.tree, spot.layout, spot.board_locks),
        algorithm=chosen,
        storage=storage,
        threads=num_threads(spot.solver_threads(threads)),
        trembles=spot.tremble is not None,
    )
    return Estimate(spot.counts, spot.size, needed)


@dataclass(frozen=True, slots=True)
class Need:
    """The bytes that a solve needs with one storage."""

    storage: Storage
    algorithms: tuple[str, ...]
    """Names of the algorithms that need this number of bytes."""
    needed: int


def memory_needs(prepared: PreparedSpot, algorithm: str, threads: int | None) -> list[Need]:
    """Returns the bytes that a spot needs with every storage and every algorithm that supports it, most bytes first."""
    found: dict[tuple[Storage, int], list[str]] = {}
    for name in [algorithm, *(name for name in ALGORITHMS if name != algorithm)]:
        for storage in get_args(Storage):
            with suppress(SpotError):  # the algorithm needs more precision, or cannot keep the locks
                needed = estimate(prepared, algorithm=name, storage=storage, threads=threads).memory_bytes
                found.setdefault((storage, needed), []).append(name)
    needs = [Need(storage, tuple(names), needed) for (storage, needed), names in found.items()]
    return sorted(needs, key=lambda need: -need.needed)


def describe_needs(prepared: PreparedSpot, algorithm: str, threads: int | None) -> Iterator[tuple[str, str]]:
    """Yields rows of label and text: bytes by storage and algorithm, and whether they are free."""
    free = available_memory()
    yield "memory", f"{format_bytes(free)} free for this program"
    for need in memory_needs(prepared, algorithm, threads):
        verdict = "fits" if need.needed <= free else "does not fit"
        yield "", f"{need.storage} {format_bytes(need.needed):>9}, {verdict}: {', '.join(need.algorithms)}"


def choose_storage(
    spot: PostflopSpot | None,
    prepared: PreparedSpot,
    algorithm: str,
    storage: Literal["auto", "f32", "f16"],
    threads: int | None,
) -> Storage:
    """Returns the given storage, or for ``auto`` the most precise one that fits into memory.

    :param spot: the spot that ``prepared`` was made from; None if it is unknown, for advice on the betting tree.
    :raises SpotError: if the algorithm does not support the storage, or cannot keep the locks.
    :raises ResourceError: if there is too little memory; the message says what would fit.
    """
    free = available_memory()
    found: dict[Storage, int] = {}
    for candidate in get_args(Storage):
        if storage in ("auto", candidate):
            try:
                needed = estimate(prepared, algorithm=algorithm, storage=candidate, threads=threads).memory_bytes
            except SpotError:
                # Not every algorithm supports every precision, but the lack of memory is the message that helps.
                if not found:
                    raise
                continue
            if needed <= free:
                chosen: Storage = candidate
                return chosen
            found[candidate] = needed
    raise _shortage(spot, prepared, algorithm, threads, found, free)


def _shortage(
    spot: PostflopSpot | None,
    prepared: PreparedSpot,
    algorithm: str,
    threads: int | None,
    found: Mapping[Storage, int],
    free: float,
) -> ResourceError:
    """Returns the error for a spot that does not fit into memory. Its message names choices that would fit.

    :param found: storage -> bytes needed, for the storages tried.
    """
    needed = " or ".join(f"{format_bytes(each)} in {storage}" for storage, each in found.items())
    ideas = [
        f"--storage {need.storage}"
        + ("" if algorithm in need.algorithms else f" --algorithm {need.algorithms[0]}")
        + f" ({format_bytes(need.needed)})"
        for need in memory_needs(prepared, algorithm, threads)
        if need.needed <= free
    ]
    if spot is not None:
        ideas += _smaller_tree(spot, algorithm, threads, found, free)
    advice = "this would fit: " + ", or ".join(ideas) if ideas else "fewer bet sizes need less"
    return ResourceError(f"the solve needs {needed}, {format_bytes(free)} of memory are free; {advice}")


def _smaller_tree(
    spot: PostflopSpot, algorithm: str, threads: int | None, storages: Mapping[Storage, int], free: float
) -> Iterator[str]:
    """Yields the least change of the betting tree that fits: a cap on bets and raises per street."""
    for cap in _RAISE_CAPS:
        if spot.tree.max_bets is not None and cap >= spot.tree.max_bets:
            continue
        # Locks may name lines that the smaller tree lacks; they take next to no memory.
        smaller = prepare(replace(spot, tree=replace(spot.tree, max_bets=cap), locks=()))
        for storage in storages:
            needed = estimate(smaller, algorithm=algorithm, storage=storage, threads=threads).memory_bytes
            if needed <= free:
                yield f"'max_bets: {cap}' in the spot file ({format_bytes(needed)} in {storage})"
                return
