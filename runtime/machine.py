"""What this process may use of the machine: its processors, and the memory that it can still allocate.

What can be allocated follows from the machine's free memory and the limits of control groups. There is also no search
for garbage in the middle of a decision.
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


def num_processors() -> int:
    """Returns the number of processors on which this process may run, at least 1.

    A job of a cluster may often run on some of the machine's alone. macOS does not tell; there it is all of them.
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def available_memory(root: Path = _ROOT) -> float:
    """Returns the bytes that can be allocated with a reserve left; infinity if the system does not tell.

    The free memory is the minimum of the machine's available memory and of what each control group of the process
    (version 1 or 2) still allows: its limit minus the memory in use that cannot be reclaimed. The reserve is
    :data:`RESERVE`.

    :param root: the folder that holds ``proc`` and ``sys``.
    """
    free = min([_machine(root), *_control_groups(root)])
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


def _control_groups(root: Path) -> Iterator[float]:
    """Yields what each control group with a limit can still give."""
    base = root / "sys" / "fs" / "cgroup"
    for line in _text(root / "proc" / "self" / "cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers == "":
            mounts, names = [base, base / "unified"], ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            mounts = [base / "memory"]
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        parts = [part for part in path.split("/") if part]
        for mount in mounts:
            # In a container the path may be that of the host: what is not there has no limit that we could see.
            for depth in range(len(parts) + 1):
                folder = mount.joinpath(*parts[:depth])
                limit, used = (_number(folder / name) for name in names[:2])
                if limit is not None and used is not None and limit < _NO_LIMIT:
                    yield float(limit - used + _fields(folder / "memory.stat").get(names[2], 0))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def _number(path: Path) -> int | None:
    text = _text(path).strip()
    return int(text) if text.isascii() and text.isdigit() else None


def _fields(path: Path) -> dict[str, int]:
    """Returns the numbers of a file of lines ``name number``."""
    words = (line.split() for line in _text(path).splitlines())
    return {row[0]: int(row[1]) for row in words if len(row) > 1 and row[1].isascii() and row[1].isdigit()}


def format_bytes(count: float) -> str:
    """Formats a number of bytes as ``12.34 GB`` or ``567.8 MB``."""
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"
