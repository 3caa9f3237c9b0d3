"""Arrays in .npy and .npz files that a reader never sees half-written."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from poker.errors import InputError, ResourceError


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Opens a temporary file beside ``path`` that takes its place, flushed to disk, when the block ends well.

    :raises ResourceError: if the file cannot be written; ``path`` is then as it was before.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
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


def write_npz(path: Path, arrays: Mapping[str, NDArray[Any]], compressed: bool = False) -> None:
    """Writes arrays to a .npz file.

    :raises ResourceError: if the file cannot be written.
    """
    save: Any = np.savez_compressed if compressed else np.savez
    with replacing(path) as file:
        save(file, allow_pickle=False, **arrays)


def header_array(header: Mapping[str, Any]) -> NDArray[Any]:
    """Returns plain data as an array of text, to be stored under the name ``header``.

    :param header: must have the key ``format``, which :func:`read_npz` checks.
    """
    return np.array(json.dumps(header))


def read_npz(path: Path, kind: str, names: Sequence[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Reads the header (:func:`header_array`) and the named arrays of a .npz file.

    :raises InputError: if the file is missing or damaged, or its header has another format than ``kind``.
    """
    try:
        with np.load(path, allow_pickle=False) as archive:
            header = json.loads(str(archive["header"]))
            if not isinstance(header, dict) or header.get("format") != kind:
                raise InputError(f"expected a file of format {kind!r}", source=str(path))
            arrays = {name: archive[name] for name in names}
    except InputError:
        raise
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"cannot be read: {error}", source=str(path)) from None
    return header, arrays
