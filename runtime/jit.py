"""The one place that configures numba; every kernel module imports :func:`njit` from here.

Two settings must be in the environment before numba is first imported:

* ``OMP_WAIT_POLICY=passive``: with the default (spinning) barrier one busy neighbour process makes a two-thread
  kernel up to 80 times slower.
* ``NUMBA_CACHE_DIR`` keyed by a hash of every kernel source file: numba's cache does not notice edits of a kernel
  in *another* file than its caller, so each version of the sources gets a cache of its own.

Other modules therefore import numba through this one; a module that needs numba's types or intrinsics imports this one
first. Cached code is checked before it is used (:mod:`hedgehog.runtime.kernel_cache`).
"""

from __future__ import annotations

import hashlib
import logging
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast, overload

from hedgehog.runtime.errors import ResourceError
from hedgehog.runtime.packages import PACKAGES, ROOT

_CONSTANTS = (
    "runtime/jit.py",
    "poker/cards.py",
    "poker/streets.py",
    "strategies/betting_tree.py",
    "strategies/translation.py",
    "solver/cfr/array_types.py",
    "analysis/histories/action_kinds.py",
)
"""Modules whose constants or plain functions are compiled into kernels: the key of the kernel cache covers them too."""

COMPLETE = "complete"
"""First word of the names of the marks beside the kernels that say that none of our player's is missing."""


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


def _usable_home(digest: str) -> Path:
    """Returns the folder of the cache, or one of the user's own in the temporary folder if that cannot be written.

    A folder that has all kernels of this version may be read-only. The other one is told to the processes that this
    one starts, so that they neither look for it nor say so again.

    :param digest: name of the folder of this version's kernels.
    """
    home = cache_home()
    try:
        home.mkdir(parents=True, exist_ok=True)
        if os.access(home, os.W_OK | os.X_OK) or any((home / "numba" / digest).glob(f"{COMPLETE}-*")):
            return home
    except OSError:
        pass
    temporary = Path(tempfile.gettempdir()) / f"hedgehog-{os.geteuid()}"
    if not _is_private(temporary):
        return home
    logging.getLogger(__name__).warning(
        "the cache folder %s cannot be written: compiled kernels go to %s; set HEDGEHOG_CACHE to a folder that lasts",
        home,
        temporary,
    )
    os.environ["HEDGEHOG_CACHE"] = str(temporary)
    return temporary


def _is_private(folder: Path) -> bool:
    """Makes a folder and tells whether it is this user's alone. Compiled code of others must never be run."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


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
    version = digest.hexdigest()[:16]
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    if "NUMBA_CACHE_DIR" not in os.environ:
        os.environ["NUMBA_CACHE_DIR"] = str(_usable_home(version) / "numba" / version)
    return Path(os.environ["NUMBA_CACHE_DIR"])


NUMBA_CACHE = _configure()

import numba  # noqa: E402  (the environment above must be set first)

KernelCache: Callable[[Any], Any] | None
try:
    from hedgehog.runtime.kernel_cache import KernelCache
except (ImportError, AttributeError):  # it extends classes that another numba may not have
    KernelCache = None

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
            if KernelCache is None:
                dispatcher.enable_caching()
            else:
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
