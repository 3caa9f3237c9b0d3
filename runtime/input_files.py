"""Opening files to read: nothing that may never end. Pipes, devices and folders are refused where a file is expected.

The refusals are ``OSError`` s with a reason in ``strerror``, as the system's own, so that a reader needs no case for
them.
"""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path
from typing import Final

from hedgehog.runtime.errors import InputError

MOST_BYTES: Final = 256 << 20
"""Largest size of a file that is read at once, unless a reader says otherwise."""
MOST_LOG_BYTES: Final = 1 << 30
"""The same for match logs."""
_KINDS: Final = ((stat.S_ISFIFO, "a pipe"), (stat.S_ISCHR, "a device"), (stat.S_ISBLK, "a device"))


def open_input(path: str | Path) -> BufferedReader:
    """Opens a regular file for reading; a symbolic link is followed.

    :raises OSError: if the file cannot be opened or is no regular file.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # opening a pipe would wait for a writer
    except ValueError as error:  # a NUL in the name
        raise OSError(errno.ENOENT, str(error), str(path)) from error
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "something else")
            raise OSError(errno.EINVAL, f"expected a file, got {kind}", str(path))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_input(path: str | Path, most_bytes: int = MOST_BYTES) -> bytes:
    """Returns the bytes of a regular file.

    :param most_bytes: a larger file is refused before it is read.
    :raises OSError: if the file cannot be read, is no regular file, or is too large.
    """
    with open_input(path) as file:
        if os.fstat(file.fileno()).st_size > most_bytes:
            raise OSError(errno.EFBIG, f"expected at most {most_bytes:,} bytes", str(path))
        return file.read()


def read_file(path: str | Path, most_bytes: int = MOST_BYTES) -> bytes:
    """Returns the bytes of a regular file, as :func:`read_input` does.

    :raises InputError: if the file cannot be read, is no regular file, or is too large; the message says why.
    """
    try:
        return read_input(path, most_bytes)
    except OSError as error:
        raise InputError(f"cannot read it: {error.strerror}", source=str(path)) from error
