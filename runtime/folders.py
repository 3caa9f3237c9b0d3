"""One writer per folder: a lock on the folder itself."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from runtime.errors import ResourceError


def open_folder(folder: Path) -> int:
    """Returns a file descriptor of a folder, for :func:`lock_folder`; the lock ends when it is closed.

    :raises ResourceError: if the folder cannot be opened.
    """
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise ResourceError(f"cannot open the folder {folder}: {error.strerror}") from error


def lock_folder(descriptor: int) -> bool:
    """Takes the lock of a folder, which leaves no file behind; returns False if somebody else holds it.

    A file system without locks counts as free.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
