"""Writing files so that a reader never sees half of one."""

from __future__ import annotations

import os
from pathlib import Path

from poker.errors import ResourceError


def write_text_file(path: Path, text: str) -> None:
    """Writes ``text`` under a temporary name beside ``path``, flushes it to disk and renames it.

    :raises ResourceError: if the file cannot be written; ``path`` is then as it was before.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise ResourceError(f"cannot write {path}: {error.strerror}") from error
