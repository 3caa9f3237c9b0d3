"""What the process of the form does: it reads spots and estimates solves, which takes seconds for large spots."""

from __future__ import annotations

from typing import Any, Literal, get_args

from hedgehog.explorer.work.spot_form import parse_page_spot
from hedgehog.explorer.work.spot_form import read_form as read
from hedgehog.runtime.errors import InputError, MemoryShortageError
from hedgehog.runtime.machine import available_memory
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.postflop.estimate import estimate
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare
from hedgehog.solver.postflop.spot import PostflopSpot

__all__ = ["choose_storage", "measure", "read"]


def measure(text: str) -> dict[str, Any]:
    """Returns the size of a solve and the memory it needs.

    :raises InputError: if the text describes no spot, or one that the page does not solve.
    """
    spot, prepared = _prepare(text)
    found = {storage: estimate(prepared, storage=storage) for storage in get_args(Storage)}
    first = found["f32"]
    free = available_memory()
    return {
        "name": spot.name,
        "nodes": list(first.counts.nodes),
        "decision_nodes": list(first.counts.decision_nodes),
        "hands": list(first.size.hands),
        "actions": first.size.elements,
        "free": round(free),
        "memory": {storage: each.memory_bytes for storage, each in found.items()},
        "fits": {storage: each.memory_bytes <= free for storage, each in found.items()},
    }


def choose_storage(text: str, wanted: Literal["auto", "f32", "f16"]) -> Storage:
    """Returns the storage that is asked for; for ``auto`` the most precise one that fits into memory.

    :raises InputError: if the text describes no spot, or one that the page does not solve.
    :raises MemoryShortageError: if the solve does not fit.
    """
    _, prepared = _prepare(text)
    free = available_memory()
    needed = 0.0
    choices: tuple[Storage, ...] = ("f32", "f16")
    for storage in choices:
        if wanted in ("auto", storage):
            needed = estimate(prepared, storage=storage).memory_bytes
            if needed <= free:
                return storage
    raise MemoryShortageError(needed, free)


def _prepare(text: str) -> tuple[PostflopSpot, PreparedSpot]:
    spot = parse_page_spot(text)
    if spot.abstraction:
        raise InputError("a spot with an abstraction cannot be saved: leave out abstraction")
    return spot, prepare(spot)
