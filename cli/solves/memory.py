"""What a solve needs in memory, by storage and algorithm, and what would fit if it does not."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, get_args

from runtime.errors import MemoryShortageError, ResourceError, SpotError
from runtime.memory import available_memory, format_bytes
from solver.cfr.algorithms import ALGORITHMS
from solver.cfr.solver import Storage
from solver.postflop.solution_files import solution_arguments
from solver.postflop.solver import PostflopSolver
from solver.postflop.spot import PostflopSpot

# After this long, no more algorithms are looked at: the betting tree is huge.
_PATIENCE_S: Final = 3.0
_RAISE_CAPS: Final = (4, 3, 2, 1)


@dataclass(frozen=True, slots=True)
class Need:
    """Bytes that one choice needs."""

    storage: Storage
    algorithms: tuple[str, ...]
    """Names of algorithms that need the same."""
    needed: int


def memory_needed(arguments: Mapping[str, Any], storage: Storage, algorithm: str, threads: int | None) -> int:
    """Returns the bytes a solver allocates: regrets, averages, board tables and scratch.

    :param arguments: :func:`~solver.postflop.solution_files.solution_arguments` of the spot.
    :raises SpotError: if the algorithm does not do with this storage.
    """
    try:
        PostflopSolver(**arguments, storage=storage, algorithm=algorithm, threads=threads, memory_limit=0.0)
    except MemoryShortageError as shortage:
        return int(shortage.needed)
    raise AssertionError("a solver without memory")


def memory_needs(arguments: Mapping[str, Any], algorithm: str, threads: int | None) -> list[Need]:
    """Returns what every storage and algorithm needs, most first; of a huge tree only for the algorithm given."""
    start = time.process_time()
    found: dict[tuple[Storage, int], list[str]] = {}
    for name in [algorithm, *(name for name in ALGORITHMS if name != algorithm)]:
        for storage in get_args(Storage):
            with suppress(SpotError):  # the algorithm needs more precision, or cannot keep the locks
                found.setdefault((storage, memory_needed(arguments, storage, name, threads)), []).append(name)
        if time.process_time() - start > _PATIENCE_S:
            break
    needs = [Need(storage, tuple(names), needed) for (storage, needed), names in found.items()]
    return sorted(needs, key=lambda need: -need.needed)


def describe_needs(spot: PostflopSpot, algorithm: str, threads: int | None) -> Iterator[tuple[str, str]]:
    """Yields rows of label and text: bytes by storage and algorithm, and whether they are free."""
    free = available_memory()
    yield "memory", f"{format_bytes(free)} free for this program"
    for need in memory_needs(solution_arguments(spot), algorithm, threads):
        verdict = "fits" if need.needed <= free else "does not fit"
        yield "", f"{need.storage} {format_bytes(need.needed):>9}, {verdict}: {', '.join(need.algorithms)}"


def shortage_error(
    spot: PostflopSpot, algorithm: str, threads: int | None, found: Mapping[Storage, MemoryShortageError]
) -> ResourceError:
    """Returns the error for a spot that does not fit, with what would.

    :param found: the storages tried, and what came of it.
    """
    free = min(each.free for each in found.values())
    needed = " or ".join(f"{format_bytes(each.needed)} in {storage}" for storage, each in found.items())
    ideas = [
        f"--storage {need.storage}"
        + ("" if algorithm in need.algorithms else f" --algorithm {need.algorithms[0]}")
        + f" ({format_bytes(need.needed)})"
        for need in memory_needs(solution_arguments(spot), algorithm, threads)
        if need.needed <= free
    ]
    ideas += _smaller_tree(spot, algorithm, threads, found)
    advice = "this would fit: " + ", or ".join(ideas) if ideas else "fewer bet sizes need less"
    return ResourceError(f"the solve needs {needed}, {format_bytes(free)} of memory are free; {advice}")


def _smaller_tree(
    spot: PostflopSpot, algorithm: str, threads: int | None, found: Mapping[Storage, MemoryShortageError]
) -> Iterator[str]:
    """Yields the least change of the betting tree that fits: a cap on bets and raises per street."""
    for cap in _RAISE_CAPS:
        if spot.tree.max_bets is not None and cap >= spot.tree.max_bets:
            continue
        # Locks may name lines that the smaller tree lacks; they take next to no memory.
        arguments = solution_arguments(replace(spot, tree=replace(spot.tree, max_bets=cap), locks=()))
        for storage, shortage in found.items():
            needed = memory_needed(arguments, storage, algorithm, threads)
            if needed <= shortage.free:
                yield f"'max_bets: {cap}' in the spot file ({format_bytes(needed)} in {storage})"
                return
