"""Arrays in ``.npy`` and ``.npz`` files: written so that no reader sees half of one, and read without trusting them.

numpy parses a header as Python source and allocates whatever size it states. Here a header must have the form that
numpy writes for plain numbers and text, and its stated size is compared with the size of the file before anything is
allocated. Nothing is unpickled.
"""

from __future__ import annotations

import json
import math
import os
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.errors import HedgehogError, InputError
from hedgehog.runtime.files import replacing
from hedgehog.runtime.input_files import open_input

_MAGIC: Final = b"\x93NUMPY\x01\x00"
_HEADER: Final = re.compile(
    rb"\{'descr': '(\|[biu]1|<[iuf][248]|<U[0-9]{1,9})', 'fortran_order': (False|True), "
    rb"'shape': (\([0-9, ]*\)), \} *\n"
)
_MAX_DIMENSIONS: Final = 8
_CHUNK: Final = 1 << 24


class NpyHeader(NamedTuple):
    """The content of the header of a ``.npy`` file."""

    dtype: np.dtype[Any]
    fortran_order: bool
    shape: tuple[int, ...]
    offset: int
    """Number of bytes in front of the data."""

    @property
    def order(self) -> Literal["C", "F"]:
        """The memory order in numpy's notation: ``C`` (by rows) or ``F`` (by columns)."""
        return "F" if self.fortran_order else "C"

    @property
    def file_bytes(self) -> int:
        """Size in bytes that the whole file must have."""
        return self.offset + math.prod(self.shape) * self.dtype.itemsize


def read_npy_header(file: IO[bytes]) -> NpyHeader:
    """Returns the header of a ``.npy`` file.

    :param file: the file, read from its beginning.
    :raises ValueError: if the header is not one that numpy writes for an array of plain numbers or text.
    """
    start = file.read(len(_MAGIC) + 2)
    if len(start) != len(_MAGIC) + 2 or not start.startswith(_MAGIC):
        raise ValueError("no array of npy version 1.0")
    text = file.read(int.from_bytes(start[-2:], "little"))
    match = _HEADER.fullmatch(text)
    if match is None:
        raise ValueError("the header is damaged, or of an array that is not of plain numbers or text")
    shape = tuple(map(int, re.findall(rb"[0-9]+", match[3])))
    if len(shape) > _MAX_DIMENSIONS or str(shape).encode() != match[3]:
        raise ValueError(f"no shape of at most {_MAX_DIMENSIONS} dimensions")
    try:
        dtype = np.dtype(match[1].decode())
    except TypeError:
        raise ValueError(f"no type of numbers: {match[1].decode()!r}") from None
    return NpyHeader(dtype, match[2] == b"True", shape, len(start) + len(text))


def map_npy(path: Path) -> NDArray[Any]:
    """Returns the array of a ``.npy`` file, mapped into memory and read-only: only the parts in use are loaded.

    :raises InputError: if the file cannot be read, is damaged, or has another size than its header says.
    """
    with damage_as_input_error(path), open_input(path) as file:
        header = read_npy_header(file)
        size = os.fstat(file.fileno()).st_size
        if size != header.file_bytes:
            raise ValueError(f"is {size} bytes long, expected {header.file_bytes}")
        if size == header.offset:  # an empty array cannot be mapped
            return np.empty(header.shape, header.dtype)
        mapped: NDArray[Any] = np.memmap(
            path, mode="r", dtype=header.dtype, offset=header.offset, shape=header.shape, order=header.order
        )
        # As a plain array: every slice of a memmap runs Python code of numpy's.
        return mapped.view(np.ndarray)


def read_npz_arrays(path: Path, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Returns the named arrays of a ``.npz`` file, by name.

    :raises InputError: if the file cannot be read, is damaged, or lacks one of the arrays.
    """
    with damage_as_input_error(path), open_input(path) as file, zipfile.ZipFile(file) as archive:
        return {name: _read_member(archive, f"{name}.npy") for name in names}


def _read_member(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    info = archive.getinfo(name)
    with archive.open(info) as file:
        header = read_npy_header(file)
        if info.file_size != header.file_bytes:
            raise ValueError(f"{name} is {info.file_size} bytes long, expected {header.file_bytes}")
        array = np.empty(header.shape, header.dtype, order=header.order)
        data = array.reshape(-1, order="A").view(np.uint8).data if array.nbytes else memoryview(b"")
        for start in range(0, len(data), _CHUNK):
            part = file.read(min(_CHUNK, len(data) - start))
            if len(part) != min(_CHUNK, len(data) - start):
                raise ValueError(f"{name} is cut off")
            data[start : start + len(part)] = part
        file.read(1)  # at the end of the data zipfile compares the checksum
    return array


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


@contextmanager
def damage_as_input_error(path: Path) -> Iterator[None]:
    """Turns every error of reading a file in the ``with`` block into an :class:`InputError` that names the file.

    The standard library raises a dozen exceptions for damaged archives and documents two of them.
    """
    try:
        yield
    except HedgehogError:
        raise
    except KeyError as error:
        raise InputError(f"cannot be read: {error.args[0] if error.args else error}", source=str(path)) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", source=str(path)) from None
    except Exception as error:
        lines = str(error).splitlines() or [type(error).__name__]
        raise InputError(f"cannot be read: {lines[0]}", source=str(path)) from None
