"""Writing files so that a reader never sees a half-written one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from hedgehog.runtime.errors import ResourceError


def real_path(path: str | os.PathLike[str]) -> Path:
    """Returns an absolute path without links. Links that lead in a circle stay as they are.

    :raises ResourceError: if the path is relative and the working folder has been deleted.
    """
    try:
        return Path(os.path.realpath(path))
    except FileNotFoundError:
        raise ResourceError(f"cannot find {path}: the working folder has been deleted") from None


@contextmanager
def replacing(path: Path, *, make_folder: bool = False, sync: bool = True) -> Iterator[BinaryIO]:
    """Yields a temporary file beside ``path``, which replaces ``path`` when the ``with`` block ends without an error.

    If ``path`` is a symbolic link, the link stays and the file it points to is replaced. A path that exists and is no
    regular file (``/dev/null``, a named pipe) is written to directly.

    :param make_folder: create the folder of ``path`` if it is missing.
    :param sync: flush the data to disk before the file replaces ``path``, so that a power cut leaves a whole file.
        This takes time.
    :raises ResourceError: if the file cannot be written; ``path`` is then as it was before.
    """
    if "\0" in str(path):
        raise ResourceError(f"cannot write {str(path)!r}: not a file name")
    temporary: Path | None = None
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("wb") as device:
                yield device
            return
        target = real_path(path) if path.is_symlink() else path
        if make_folder:
            target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        with temporary.open("wb") as file:
            yield file
            file.flush()
            if sync:
                os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as error:
        raise ResourceError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):  # the folder is a file, or has gone
                temporary.unlink(missing_ok=True)


def write_text_file(path: Path, text: str, *, sync: bool = True) -> None:
    """Writes a UTF-8 text file and makes its folder if that is missing.

    Escapes stand for what UTF-8 lacks, such as the bytes of a file name that are not UTF-8.

    :param sync: flush the data to disk before the file replaces ``path``, so that a power cut leaves a whole file.
    :raises ResourceError: if the file cannot be written; ``path`` is then as it was before.
    """
    with replacing(path, make_folder=True, sync=sync) as file:
        file.write(text.encode(errors="backslashreplace"))
