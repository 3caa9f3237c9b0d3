"""What this process may use of the machine: its processors, and the memory that it can still allocate.

Both follow from what the machine has and from the limits of control groups. And :func:`settle_garbage` keeps Python
from searching for garbage in the middle of a decision.
"""

from __future__ import annotations

import gc
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

RESERVE: Final = 256_000_000
"""Bytes of free memory that are left to other programs, but at most a tenth of the free memory."""
_ROOT: Final = Path("/")
# Version 1 writes "no limit" as the largest multiple of a page in 63 bits.
_NO_LIMIT: Final = 1 << 60


def num_processors(root: Path = _ROOT) -> int:
    """Returns the number of processors on which this process may run at the same time, at least 1.

    A job of a cluster may often run on some of the machine's alone, and a container for a share of the time of all:
    that of one and a half processors counts as two. macOS does not tell; there it is all processors.

    :param root: the folder that holds ``proc`` and ``sys``.
    """
    here = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min([here, *(math.ceil(share) for share in _processor_shares(root))]))


def available_memory(root: Path = _ROOT) -> float:
    """Returns the bytes that can be allocated with a reserve left; infinity if the system does not tell.

    The free memory is the minimum of the machine's available memory and of what each control group of the process
    (version 1 or 2) still allows: its limit minus the memory in use that cannot be reclaimed. The reserve is
    :data:`RESERVE`.

    :param root: the folder that holds ``proc`` and ``sys``.
    """
    free = min([_machine(root), *_memory_left(root)])
    return max(free - min(RESERVE, free / 10), 0.0) if free < math.inf else free


def settle_garbage() -> None:
    """Frees all garbage, and exempts everything that exists now from later searches of Python's garbage collector.

    A search of all that a player has loaded takes 70 ms, which is too long in the middle of a decision. What is exempt
    is freed as usual when nothing refers to it any more, except for reference cycles, which the next call frees.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _machine(root: Path) -> float:
    found = _fields(root / "proc" / "meminfo").get("MemAvailable:")
    return math.inf if found is None else 1024.0 * found


def _memory_left(root: Path) -> Iterator[float]:
    """Yields the memory that each control group with a limit can still give."""
    for folder, unified in _control_groups(root, "memory"):
        if unified:
            limit_name, used_name, unused = "memory.max", "memory.current", "inactive_file"
        else:
            limit_name, used_name, unused = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
        limit, used = _number(_text(folder / limit_name)), _number(_text(folder / used_name))
        if limit is not None and used is not None and limit < _NO_LIMIT:
            yield float(limit - used + _fields(folder / "memory.stat").get(unused, 0))


def _processor_shares(root: Path) -> Iterator[float]:
    """Yields how many processors' time each control group with a limit may take."""
    for folder, unified in _control_groups(root, "cpu"):
        if unified:
            quota, _, period = _text(folder / "cpu.max").partition(" ")
        else:
            quota, period = (_text(folder / f"cpu.cfs_{name}_us") for name in ("quota", "period"))
        time, within = _number(quota), _number(period)  # no limit is "max" or -1
        if time and within:
            yield time / within


def _control_groups(root: Path, controller: str) -> Iterator[tuple[Path, bool]]:
    """Yields the folders of the control groups of this process that may limit something, and whether of version 2."""
    base = root / "sys" / "fs" / "cgroup"
    for line in _text(root / "proc" / "self" / "cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers == "":
            mounts = [base, base / "unified"]
        elif controller in controllers.split(","):
            mounts = list(dict.fromkeys((base / controller, base / controllers)))
        else:
            continue
        parts = [part for part in path.split("/") if part]
        for mount in mounts:
            # In a container the path may be that of the host: what is not there has no limit that we could see.
            for depth in range(len(parts) + 1):
                yield mount.joinpath(*parts[:depth]), controllers == ""


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def _number(text: str) -> int | None:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() else None


def _fields(path: Path) -> dict[str, int]:
    """Returns the numbers of a file of lines ``name number``."""
    words = (line.split() for line in _text(path).splitlines())
    return {row[0]: int(row[1]) for row in words if len(row) > 1 and row[1].isascii() and row[1].isdigit()}


def format_bytes(count: float) -> str:
    """Formats a number of bytes as ``12.34 GB`` or ``567.8 MB``."""
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"
