"""Writing files so that a reader never sees half of one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from poker.errors import ResourceError


@contextmanager
def replacing(path: Path, *, make_folder: bool = False) -> Iterator[BinaryIO]:
    """Opens a temporary file beside ``path`` that takes its place, flushed to disk, when the block ends well.

    :param make_folder: create the folder of ``path`` if it is missing.
    :raises ResourceError: if the file cannot be written; ``path`` is then as it was before.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        if make_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise ResourceError(f"cannot write {path}: {error.strerror}") from error
    finally:
        temporary.unlink(missing_ok=True)


def write_text_file(path: Path, text: str) -> None:
    """Writes a UTF-8 text file.

    :raises ResourceError: if the file cannot be written; ``path`` is then as it was before.
    """
    with replacing(path) as file:
        file.write(text.encode())
