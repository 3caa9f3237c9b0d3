"""One writer per folder: a lock on the folder itself, which leaves no file behind and ends with its holder."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from runtime.errors import InputError
from runtime.folders import lock_folder, open_folder

_PATIENCE_S: Final = 5.0
"""How long the processes of a killed holder may take to go."""
_POLL_S: Final = 0.05


@asynccontextmanager
async def locked_folder(folder: Path) -> AsyncIterator[int]:
    """Holds the lock of a folder.

    :returns: the file descriptor that carries the lock; a process that holds it open prolongs the lock.
    :raises InputError: if another process holds the lock and does not let go within seconds.
    :raises ResourceError: if the folder cannot be opened.
    """
    descriptor = open_folder(folder)
    try:
        deadline = time.monotonic() + _PATIENCE_S
        while not lock_folder(descriptor):
            if time.monotonic() >= deadline:
                raise InputError("another match or tournament is writing to this folder", source=str(folder))
            await asyncio.sleep(_POLL_S)
        yield descriptor
    finally:
        os.close(descriptor)


def is_locked(folder: Path) -> bool:
    """True if a match or tournament is writing to the folder now."""
    descriptor = open_folder(folder)
    try:
        return not lock_folder(descriptor)
    finally:
        os.close(descriptor)
