"""Gives kernels that Python runs the integers that numba has.

numba computes with 64 bits whatever an array holds. numpy computes with the bits of the array's elements. Therefore
kernels see the arrays that they get or make through :class:`Wide`, whose elements are plain integers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

import numpy as np

from hedgehog.runtime import jit

# Kernels read millions of elements: what that takes is looked up once.
_element = np.ndarray.__getitem__
_NARROW = frozenset(kind for kind in np.sctypeDict.values() if issubclass(kind, np.integer)) - {np.uint64}


class Wide(np.ndarray):
    """An array whose integer elements are read as integers of Python; unsigned 64-bit elements stay as they are."""

    def __getitem__(self, key: Any) -> Any:
        found = _element(self, key)
        return int(found) if type(found) in _NARROW else found


def widened(value: Any) -> Any:
    """Returns a view of an array, or of all arrays of a tuple."""
    if type(value) is np.ndarray:
        return value.view(Wide)
    if isinstance(value, tuple) and not isinstance(value, WideTuple):
        parts = [widened(part) for part in value]
        return tuple(parts) if type(value) is tuple else _wide_type(type(value))(*parts)
    return value


class WideTuple:
    """Marks types of tuples whose arrays are all :class:`Wide`."""


_types: dict[type, Any] = {}


def _wide_type(kind: type) -> Any:
    if kind not in _types:
        _types[kind] = type(kind.__name__, (kind, WideTuple), {})
    return _types[kind]


class _Numpy(ModuleType):
    """The module numpy, but with new arrays as :class:`Wide`."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        if name in ("empty", "zeros", "ones", "full", "arange", "empty_like", "zeros_like"):
            found = _widening(found)
        setattr(self, name, found)  # Python looks there first, and calls this no more
        return found


def _widening(make: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *arguments, **options: widened(make(*arguments, **options))


def _njit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    if function is None:
        return _njit
    function.__globals__["np"] = _NUMPY

    @wraps(function)
    def kernel(*arguments: Any) -> Any:
        return function(*map(widened, arguments))

    return kernel


_NUMPY = _Numpy("numpy")


def install() -> None:
    """Replaces the decorator of kernels. Call it before any module with kernels is imported."""
    jit.njit = _njit
