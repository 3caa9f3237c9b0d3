"""Arrays in files: what numpy writes comes back; nothing else gets as far as numpy."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.runtime.errors import InputError
from hedgehog.runtime.npy_files import map_npy, read_npy_header, read_npz_arrays

ARRAYS: list[NDArray[Any]] = [
    np.arange(6, dtype="<f4").reshape(2, 3),
    np.asfortranarray(np.arange(6, dtype="<i8").reshape(2, 3)),
    np.array("a text with ümlauts"),
    np.array(5),
    np.zeros((0, 4), dtype="<f2"),
    np.array([True, False]),
    np.arange(24, dtype="|u1").reshape(1, 2, 3, 4),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype.str}{list(array.shape)}")
def test_what_numpy_writes_comes_back(tmp_path: Path, array: NDArray[Any]) -> None:
    np.save(tmp_path / "a.npy", array)
    np.savez_compressed(tmp_path / "a.npz", first=array, second=array)
    found = read_npz_arrays(tmp_path / "a.npz", ["second"])
    assert list(found) == ["second"]
    for read in (map_npy(tmp_path / "a.npy"), found["second"]):
        assert (read == array).all()
        assert (read.dtype, read.shape) == (array.dtype, array.shape)
    assert found["second"].flags.writeable


def npy(header: str, data: bytes = b"\0" * 4) -> bytes:
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


BAD_HEADERS = [
    "{'descr': '|u1', 'fortran_order': False, 'shape': (4,), ",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (4",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (4000000000000,), }",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (" + "9" * 5000 + ",), }",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (999999999, 999999999, 999999999, 999999999), }",
    "{'descr': '|O', 'fortran_order': False, 'shape': (4,), }",
    "{'descr': '<u3', 'fortran_order': False, 'shape': (4,), }",
    "{'descr': '<U999999999', 'fortran_order': False, 'shape': (4,), }",
    "{'descr': '|u1', 'fortran_order': 2, 'shape': (4,), }",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (-4,), }",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (" + "1, " * 40 + "4), }",
    "(" * 3000,
    "",
]


@pytest.mark.parametrize("header", BAD_HEADERS, ids=range(len(BAD_HEADERS)))
def test_damaged_headers(tmp_path: Path, header: str) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(npy(header))
    with pytest.raises(InputError, match=r"a\.npy: cannot be read: ") as caught:
        map_npy(path)
    assert "\n" not in str(caught.value)
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("a.npy", npy(header))
    with pytest.raises(InputError, match=r"a\.npz: cannot be read: "):
        read_npz_arrays(tmp_path / "a.npz", ["a"])


def test_every_byte_of_a_header_counts() -> None:
    """A damaged header is refused, or it says something else that the reader can compare."""
    file = io.BytesIO()
    np.save(file, ARRAYS[0])
    data = file.getvalue()
    sound = read_npy_header(io.BytesIO(data))
    for place in range(sound.offset):
        for bit in range(8):
            damaged = data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]
            try:
                assert read_npy_header(io.BytesIO(damaged)) != sound
            except ValueError:
                continue


def test_files_of_other_sizes_and_kinds(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, ARRAYS[0])
    data = path.read_bytes()
    for damaged in (data[:-1], data + b"x", b"", data[:5], b"PK\3\4", data[:20]):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="cannot be read"):
            map_npy(path)
    for place in (path.with_name("none.npy"), tmp_path, path / "below"):
        with pytest.raises(InputError, match="cannot be read"):
            map_npy(place)


def test_damaged_archives(tmp_path: Path) -> None:
    """Whatever byte is damaged, numbers come back as they were or not at all."""
    path = tmp_path / "a.npz"
    for save in (np.savez, np.savez_compressed):
        save(path, a=np.arange(50, dtype="<i4"))
        data = path.read_bytes()
        refused = 0
        for place in range(len(data)):
            for bit in (0, 3, 7):
                path.write_bytes(data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :])
                try:
                    assert (read_npz_arrays(path, ["a"])["a"] == np.arange(50)).all()
                except InputError:
                    refused += 1
        assert refused > len(data)
    with pytest.raises(InputError, match="cannot be read"):
        read_npz_arrays(path, ["b"])
