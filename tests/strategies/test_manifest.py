"""The digest of a manifest: no byte of a pack can change unnoticed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hedgehog.runtime.errors import PackError
from hedgehog.strategies.manifest import MANIFEST_NAME, parse_manifest
from hedgehog.strategies.pack import default_packs, open_pack

SHIPPED = sorted(default_packs().glob(f"*/{MANIFEST_NAME}"))
BY_NAME = [  # the manifest of the flops is the longest one by far
    pytest.param(path, id=path.parent.name, marks=pytest.mark.slow if path.parent.name == "quick-flops" else ())
    for path in SHIPPED
]


def changes(data: bytes) -> Iterator[bytes]:
    """Yields a file with one byte changed, at every place: one bit; in the last line every bit, and a few values."""
    last_line = data.rindex(b"\n", 0, -1)
    for place, old in enumerate(data):
        values = {old ^ 1 << place % 8}
        if place >= last_line:
            values = (
                {old ^ 1 << bit for bit in range(8)} | {(old + step) % 256 for step in (1, -1, 100)} | set(b"\0\n 0")
            )
        for value in values - {old}:
            yield data[:place] + bytes([value]) + data[place + 1 :]


def is_refused(data: bytes) -> bool:
    try:
        parse_manifest(data, "manifest.yaml")
    except PackError as error:
        return "\n" not in str(error)
    return False


@pytest.mark.parametrize("path", BY_NAME)
@pytest.mark.quick_cases("blueprint", "limit-2p", "preflop-values", "preflop-values-7bb")
def test_every_byte_of_the_shipped_manifests_counts(path: Path) -> None:
    data = path.read_bytes()
    assert not is_refused(data)
    assert all(map(is_refused, changes(data)))


@pytest.mark.parametrize("path", BY_NAME)
@pytest.mark.quick_cases("blueprint", "limit-2p", "preflop-values", "preflop-values-7bb")
def test_lost_and_doubled_bytes_count(path: Path) -> None:
    data = path.read_bytes()
    for place in range(len(data)):
        assert is_refused(data[:place] + data[place + 1 :])
        assert is_refused(data[:place] + data[place : place + 1] + data[place:])
    assert all(is_refused(data[:size]) for size in (*range(0, len(data), 100), len(data) - 1))


def test_every_byte_of_the_arrays_counts(flop_pack: Path) -> None:
    """Headers and small arrays byte by byte, large ones at places all over them."""
    for path in sorted(flop_pack.glob("*.npy")):
        data = path.read_bytes()
        places = {*range(0, 160, 7), *np.linspace(0, len(data) - 1, 12).astype(int).tolist(), len(data) - 1}
        for place in sorted(place for place in places if place < len(data)):
            path.write_bytes(data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :])
            with pytest.raises(PackError, match=path.name):
                open_pack(flop_pack)
        path.write_bytes(data)
    open_pack(flop_pack)


def test_the_digest_cannot_be_left_out(flop_pack: Path) -> None:
    path = flop_pack / MANIFEST_NAME
    path.write_text(path.read_text().rsplit("manifest_sha256", 1)[0])
    with pytest.raises(PackError, match="its last line is not its digest"):
        open_pack(flop_pack)
