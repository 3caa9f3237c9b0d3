"""The one place that configures numba; every kernel module imports :func:`njit` from here.

Two settings must be in the environment before numba is first imported:

* ``OMP_WAIT_POLICY=passive``: with the default (spinning) barrier one busy neighbour process makes a two-thread
  kernel up to 80 times slower.
* ``NUMBA_CACHE_DIR`` keyed by a hash of every kernel source file: numba's cache does not notice edits of a kernel
  in *another* file than its caller, so each version of the sources gets a cache of its own.

Other modules therefore import numba through this one; a module that needs numba's types or intrinsics imports this one
first. Cached code is checked before it is used (:mod:`runtime.kernel_cache`).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast, overload

from runtime.errors import ResourceError
from runtime.packages import PACKAGES, ROOT

_CONSTANTS = ("runtime/jit.py", "poker/streets.py", "strategies/betting_tree.py", "strategies/translation.py")
"""Modules whose constants are compiled into kernels: the key of the kernel cache covers them too."""


def cache_home() -> Path:
    """Returns the folder for all files that can be rebuilt: ``$HEDGEHOG_CACHE`` or ``~/.cache/hedgehog``.

    :raises ResourceError: if the user has no home folder and no variable names one.
    """
    configured = os.environ.get("HEDGEHOG_CACHE")
    if configured:
        return Path(configured)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "hedgehog"
    except RuntimeError:
        raise ResourceError("there is no home folder: set HEDGEHOG_CACHE to a folder for compiled kernels") from None


def kernel_sources() -> list[Path]:
    """Returns the paths of all kernel modules (``_*kernels.py``) and of the modules whose constants they compile in."""
    found = [ROOT / name for name in _CONSTANTS]
    for package in PACKAGES:
        found += (ROOT / package).rglob("_*kernels.py")
    return sorted(found)


def _configure() -> Path:
    digest = hashlib.sha256()
    for path in kernel_sources():
        digest.update(str(path.relative_to(ROOT)).encode())
        digest.update(path.read_bytes())
    folder = cache_home() / "numba" / digest.hexdigest()[:16]
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("NUMBA_CACHE_DIR", str(folder))
    return Path(os.environ["NUMBA_CACHE_DIR"])


NUMBA_CACHE = _configure()

import numba  # noqa: E402  (the environment above must be set first)

from runtime.kernel_cache import KernelCache  # noqa: E402

F = TypeVar("F", bound=Callable[..., Any])

prange = numba.prange
set_num_threads = numba.set_num_threads


def max_threads() -> int:
    """Returns the number of threads numba was started with, which is the most that :func:`set_num_threads` accepts."""
    return int(numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]


def cache_is_cold() -> bool:
    """Returns True if the cache of this version of the kernel sources holds no compiled kernel yet."""
    try:
        return not any(NUMBA_CACHE.rglob("*.nbi"))
    except OSError:  # it cannot be read
        return True


@overload
def njit(function: F, /) -> F: ...
@overload
def njit(**options: Any) -> Callable[[F], F]: ...
def njit(function: F | None = None, /, **options: Any) -> F | Callable[[F], F]:
    """Compiles a function as ``numba.njit`` does and keeps the machine code on disk, unless ``cache=False``.

    It works as ``@njit`` and as ``@njit(option=...)``. For type checkers the function keeps its signature.

    :param options: options of ``numba.njit``.
    """
    kept = options.pop("cache", True)

    def decorate(function: F) -> F:
        dispatcher = numba.njit(**options)(function)
        if kept and hasattr(dispatcher, "enable_caching"):  # else NUMBA_DISABLE_JIT is set
            dispatcher._cache = KernelCache(function)
        return cast(F, dispatcher)

    return decorate(function) if function is not None else decorate


@overload
def lean_njit(function: F, /) -> F: ...
@overload
def lean_njit(**options: Any) -> Callable[[F], F]: ...
def lean_njit(function: F | None = None, /, **options: Any) -> F | Callable[[F], F]:
    """Compiles as :func:`njit` does, for functions that make no arrays: numba then counts no references to arrays.

    The counters are atomic. Threads that call functions with the same arrays at the same time would slow each other
    down.
    """
    lean = njit(_nrt=False, **options)
    return lean(function) if function is not None else lean
