"""Arrays in .npy and .npz files that a reader never sees half-written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import replacing
from hedgehog.runtime.npy_files import damage_as_input_error, read_npz_arrays


def write_npz(path: Path, arrays: Mapping[str, NDArray[Any]], compressed: bool = False) -> None:
    """Writes arrays to a .npz file and makes its folder if that is missing.

    :param arrays: the arrays by their names in the file.
    :param compressed: compress the arrays with zip.
    :raises ResourceError: if the file cannot be written.
    """
    save: Any = np.savez_compressed if compressed else np.savez
    with replacing(path, make_folder=True) as file:
        save(file, allow_pickle=False, **arrays)


def header_array(header: Mapping[str, Any]) -> NDArray[Any]:
    """Returns the header of a .npz file as an array that holds one JSON text; store it under the name ``header``.

    :param header: data that JSON can hold, with the key ``format``, which :func:`read_npz` checks.
    """
    return np.array(json.dumps(header))


def read_npz(path: Path, kind: str, names: Sequence[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Returns the header (see :func:`header_array`) and the named arrays of a .npz file.

    :param kind: the expected value of ``format`` in the header.
    :param names: the arrays to read.
    :raises InputError: if the file is missing or damaged, or its header has another format than ``kind``.
    """
    with damage_as_input_error(path):
        header = json.loads(str(read_npz_arrays(path, ("header",))["header"]))
        if not isinstance(header, dict) or header.get("format") != kind:
            raise InputError(f"expected a file of format {kind!r}", source=str(path))
    return header, read_npz_arrays(path, names)
