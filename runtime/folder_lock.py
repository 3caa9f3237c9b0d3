"""One writer per folder or file: a lock on the folder or file itself, which ends when its process ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from hedgehog.runtime.errors import HedgehogError, ResourceError

POLL_S: Final = 0.05
"""Seconds between two attempts to take a lock that another process holds."""


def try_lock(descriptor: int) -> bool:
    """Takes the lock of an open folder or file; returns False if another process holds it.

    Where there are no locks, in some file systems and for devices and pipes, it returns True.

    :param descriptor: the open file descriptor. The lock ends when it is closed.
    """
    if not stat.S_ISREG(mode := os.fstat(descriptor).st_mode) and not stat.S_ISDIR(mode):
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


class FolderLock:
    """The lock of one folder, a context manager: leaving the ``with`` block releases the lock."""

    def __init__(self, folder: Path) -> None:
        """Opens the folder without taking its lock; :meth:`take` takes it.

        :raises ResourceError: if the folder cannot be opened.
        """
        try:
            self.descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise ResourceError(f"cannot open the folder {folder}: {error.strerror}") from error
        """Carries the lock: a child process that holds this file descriptor open prolongs the lock."""

    def take(self, patience_s: float = 0.0) -> bool:
        """Takes the lock; returns False if another process still holds it after ``patience_s`` seconds.

        On a file system without locks it returns True.
        """
        deadline = time.monotonic() + patience_s
        while True:
            if try_lock(self.descriptor):
                return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(POLL_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self.descriptor)


@contextmanager
def locked_folder(folder: Path, otherwise: HedgehogError) -> Iterator[None]:
    """Holds the lock of a folder while the ``with`` block runs.

    :param otherwise: the error to raise if another process holds the lock.
    :raises ResourceError: if the folder cannot be opened.
    """
    with FolderLock(folder) as lock:
        if not lock.take():
            raise otherwise
        yield


@contextmanager
def locked_file(file: Path, otherwise: HedgehogError) -> Iterator[None]:
    """Holds the lock of a file while the ``with`` block runs. A missing file is made, and removed if it stays empty.

    :param otherwise: the error to raise if another process holds the lock.
    :raises ResourceError: if the file cannot be opened for writing.
    """
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise ResourceError(f"cannot write {file}: {error.strerror}") from error
    try:
        if not try_lock(descriptor):
            raise otherwise
        try:
            yield
        finally:
            found = os.fstat(descriptor)
            if stat.S_ISREG(found.st_mode) and not found.st_size:
                with contextlib.suppress(OSError):
                    file.unlink()
    finally:
        os.close(descriptor)


def is_locked(path: Path) -> bool:
    """Returns True if any process holds the lock of a folder or file at this moment.

    :raises ResourceError: if it cannot be opened.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise ResourceError(f"cannot open {path}: {error.strerror}") from error
    try:
        return not try_lock(descriptor)
    finally:
        os.close(descriptor)
