"""Arrays of zeros for solvers, in memory that solvers of the same process have used before.

Memory from the system is slow when it is first touched: the system clears it page by page, and a virtual machine may
have to ask its host for every page. A turn of 98 MB took 40 to 450 ms longer by that, the most after seconds in which
the machine had given the memory back.
"""

from __future__ import annotations

import ctypes
import weakref
from itertools import cycle
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_PAGE: Final = 4096
_MOST_KEPT: Final = 2**28
"""Bytes of unused memory that are kept for later solvers, at most."""
_LEAST: Final = 2**26
"""Bytes that are taken at once, at least: enough for most solves at the table. Only what is touched takes memory, so
that a solve of another size touches no more than what it needs beyond the largest one before."""
# Steps of 13 cache lines: 64 arrays in a row start at different lines of a page.
_places: Final = cycle(range(0, 64 * 13 * 64, 13 * 64))
_unused: Final[dict[int, NDArray[np.uint8]]] = {}
"""Memory that no array uses, by its address."""


def zero_arrays(*wanted: tuple[int, type]) -> list[NDArray[Any]]:
    """Returns flat arrays of zeros. Their memory is used again once none of them, and no view of one, is left.

    Every array starts on a cache line, at another place of a memory page than the ones before. Large arrays would
    otherwise all start at the same place. A pass reads and writes the same offsets of several arrays, and addresses a
    whole number of pages apart get in each other's way in the caches: a large river took a sixth longer.

    :param wanted: number of elements and dtype of every array.
    """
    sizes = [count * np.dtype(dtype).itemsize for count, dtype in wanted]
    memory = _zeros(sum(sizes) + _PAGE * len(sizes))
    address, at = memory.ctypes.data, 0
    arrays: list[NDArray[Any]] = []
    for size, (_, dtype) in zip(sizes, wanted, strict=True):
        at += (next(_places) - address - at) % _PAGE
        arrays.append(memory[at : at + size].view(dtype))
        at += size
    return arrays


def _zeros(size: int) -> NDArray[np.uint8]:
    """Returns uint8 (at least ``size``,) whose first ``size`` elements are zeros."""
    if size > _MOST_KEPT:
        return np.zeros(size, dtype=np.uint8)
    fitting = [memory for memory in list(_unused.values()) if memory.size >= size]
    smallest = min(fitting, key=len, default=None)
    # Another thread may have taken it in the meantime.
    memory = None if smallest is None else _unused.pop(smallest.ctypes.data, None)
    if memory is None:
        _unused.clear()
        memory = np.empty(max(_LEAST, 1 << (size - 1).bit_length()), dtype=np.uint8)
    memory[:size] = 0
    # All views of an array made from a ctypes object keep that object alive, so its end is the end of all views.
    lent = (ctypes.c_char * memory.size).from_buffer(memory.data)
    weakref.finalize(lent, _keep, memory).atexit = False
    return np.frombuffer(memoryview(lent), dtype=np.uint8)


def _keep(memory: NDArray[np.uint8]) -> None:
    if memory.size + sum(map(len, list(_unused.values()))) <= _MOST_KEPT:
        _unused[memory.ctypes.data] = memory
