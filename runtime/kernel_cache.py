"""Compiled kernels on disk, with a checksum in every file.

numba's own cache unpickles and runs any file it finds. Here every file starts with the SHA-256 of its name and content.
A file that is empty, cut off, damaged or made for another kernel counts as missing, and the kernel is compiled again.
If the cache folder cannot be written, its files are still read, and a missing kernel is compiled for the running
process alone.

When several processes need the same missing kernel, one compiles it and the others wait for its file.

Only :mod:`hedgehog.runtime.jit` may import this module, because it first sets the environment variables that numba
reads.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import logging
import os
import pickle
import time
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Final

import numba.core.caching

from hedgehog.runtime.packages import PACKAGES, ROOT

logger = logging.getLogger(__name__)
caching: Any = numba.core.caching  # the module has no type annotations

KERNEL_MODULES: Final = "_*kernels.py"
"""File name pattern of the kernel modules."""
_MAGIC: Final = b"hedgehog kernel 1\n"
_HEAD_BYTES: Final = len(_MAGIC) + hashlib.sha256().digest_size
_LOCK_FILE: Final = "compiling.lock"
_LOCK_WAIT_S: Final = 120.0
"""Seconds after which another process that compiles the same kernel is taken to hang."""
_LOCK_POLL_S: Final = 0.05
_LOCK_PLACES: Final = 1 << 31


class CheckedFiles(caching.IndexDataCacheFile):  # type: ignore[misc]
    """The index file and the data files that numba writes for one kernel, each with a checksum in front."""

    def _load_index(self) -> dict[Any, str]:
        content = _read_checked(Path(self._index_path))
        if content is None:
            return {}
        version, stamp, overloads = pickle.loads(content)
        if version != self._version or stamp != self._source_stamp:
            return {}
        found: dict[Any, str] = overloads
        return found

    def _save_index(self, overloads: dict[Any, str]) -> None:
        content = self._dump((self._version, self._source_stamp, overloads))
        self._write_checked(Path(self._index_path), content)

    def _load_data(self, name: str) -> Any:
        content = _read_checked(Path(self._data_path(name)))
        return None if content is None else pickle.loads(content)

    def _save_data(self, name: str, data: Any) -> None:
        self._write_checked(Path(self._data_path(name)), self._dump(data))

    def _write_checked(self, path: Path, content: bytes) -> None:
        with self._open_for_write(str(path)) as file:
            file.write(_head(path.name, content))
            file.write(content)


def _head(name: str, content: bytes) -> bytes:
    digest = hashlib.sha256(os.fsencode(name))
    digest.update(content)
    return _MAGIC + digest.digest()


def _read_checked(path: Path) -> bytes | None:
    """Returns the content of a file written behind its checksum; None if there is none or it is damaged."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    content = data[_HEAD_BYTES:]
    return content if data[:_HEAD_BYTES] == _head(path.name, content) else None


@lru_cache
def _source_digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@lru_cache
def _subfolder(source_path: str) -> str:
    """Returns where the kernels of a source file are in the cache's own folder."""
    path = Path(source_path).resolve()  # in a checkout, packages are imported through links
    # The cache's own folder is keyed by the kernel modules of the packages: equal sources share their kernels, wherever
    # they are checked out.
    if path.is_relative_to(ROOT) and fnmatchcase(path.name, KERNEL_MODULES):
        folder = path.parent.relative_to(ROOT)
        if folder.parts and folder.parts[0] in PACKAGES:
            return ".".join(folder.parts)
    return str(_Locator.get_suitable_cache_subpath(source_path))


class _Locator(caching._CacheLocator):  # type: ignore[misc]
    """Says where the files of a kernel are."""

    def __init__(self, source_path: str, line: int) -> None:
        self._source_path = source_path
        self._line = line

    def get_cache_path(self) -> str:
        return str(_root() / _subfolder(self._source_path))

    def ensure_cache_path(self) -> None:
        os.makedirs(self.get_cache_path(), exist_ok=True)

    def get_source_stamp(self) -> str:
        return _source_digest(self._source_path)

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Locator:
        return cls(py_file, py_func.__code__.co_firstlineno)


class _Implementation(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)


class KernelCache(caching.FunctionCache):  # type: ignore[misc]
    """The compiled versions of one kernel on disk; it replaces the cache object of a numba dispatcher."""

    _impl_class = _Implementation
    _complained: ClassVar[bool] = False

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = CheckedFiles(self._cache_path, self._impl.filename_base, stamp)
        self._turn = _Turn(_root() / _LOCK_FILE, f"{self._cache_path}/{self._impl.filename_base}")

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Returns the compiled kernel for a signature, or None if the caller has to compile it.

        After None, the caller must call :meth:`save_overload`. Other processes wait for that.

        :param sig: numba's signature of the argument types.
        :param target_context: numba's target, passed on.
        """
        _load_array_functions()
        found = super().load_overload(sig, target_context)
        if found is None:
            self._turn.take()
            found = super().load_overload(sig, target_context)  # another process may have compiled it meanwhile
            if found is not None:
                self._turn.end()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Stores the compiled kernel ``data`` for the signature ``sig``; warns once if the folder cannot be written."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            if not KernelCache._complained:
                KernelCache._complained = True
                logger.warning(
                    "compiled kernels cannot be stored in %s (%s): every start compiles them anew; set HEDGEHOG_CACHE "
                    "to a folder that can be written",
                    _root(),
                    error.strerror or error,
                )
        finally:
            self._turn.end()


@cache
def _load_array_functions() -> None:
    """Loads what numba knows about arrays, without scipy.linalg.

    numba would import that, which takes a fifth of a second, only to see whether it is there. What is compiled from a
    product of matrices imports it by itself.
    """
    with contextlib.suppress(ImportError, AttributeError):  # of another numba
        linear_algebra: Any = import_module("numba.np.linalg")
        look = linear_algebra.ensure_blas
        linear_algebra.ensure_blas = lambda: None
        try:
            import_module("numba.np.arraymath")
        finally:
            linear_algebra.ensure_blas = look


def _root() -> Path:
    return Path(os.environ["NUMBA_CACHE_DIR"])


class _Turn:
    """The right to compile one kernel: a byte of the lock file, locked.

    It ends with the process at the latest. If the folder cannot be written or its file system has no locks, everybody
    compiles.
    """

    _descriptor: ClassVar[int | None] = None
    """Of the lock file, one for all kernels: closing any descriptor of a file ends all POSIX locks on it."""

    def __init__(self, lock_file: Path, name: str) -> None:
        self._lock_file = lock_file
        self._place = int.from_bytes(hashlib.sha256(os.fsencode(name)).digest()[:8]) % _LOCK_PLACES

    def take(self) -> None:
        """Waits until nobody else compiles the kernel."""
        until = time.monotonic() + _LOCK_WAIT_S
        try:
            if _Turn._descriptor is None:
                self._lock_file.parent.mkdir(parents=True, exist_ok=True)
                _Turn._descriptor = os.open(self._lock_file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            while time.monotonic() < until:
                try:
                    fcntl.lockf(_Turn._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, self._place)
                except (BlockingIOError, PermissionError):  # POSIX allows either
                    time.sleep(_LOCK_POLL_S)
                else:
                    return
        except OSError:
            return

    def end(self) -> None:
        """Lets the next process have its turn."""
        if self._descriptor is not None:
            try:
                fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, self._place)
            except OSError:
                return
