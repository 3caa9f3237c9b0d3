"""The digest of a manifest: no byte of a pack can change unnoticed, and packs from before it get one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from hedgehog.cli.packs.pack import pack as pack_command
from hedgehog.runtime.errors import PackError
from hedgehog.strategies.manifest import FORMAT_VERSION, MANIFEST_NAME, format_manifest, parse_manifest, read_manifest
from hedgehog.strategies.pack import default_packs, open_pack, update_pack, upgrade_pack

SHIPPED = sorted(default_packs().glob(f"*/{MANIFEST_NAME}"))


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


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.parent.name)
def test_every_byte_of_the_shipped_manifests_counts(path: Path) -> None:
    data = path.read_bytes()
    assert not is_refused(data)
    assert all(map(is_refused, changes(data)))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.parent.name)
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


def without_digest(folder: Path) -> None:
    """Gives a pack the manifest it had in format version 1."""
    path = folder / MANIFEST_NAME
    text = path.read_text().replace(f"format_version: {FORMAT_VERSION}", "format_version: 1")
    path.write_text(text.rsplit("manifest_sha256", 1)[0])


def test_a_pack_without_digest_is_upgraded_when_asked(flop_pack: Path) -> None:
    manifest = read_manifest(flop_pack)
    without_digest(flop_pack)
    with pytest.raises(PackError, match=f"format version 1, .*`hedgehog pack upgrade {flop_pack}` adds it"):
        open_pack(flop_pack)
    done = CliRunner().invoke(pack_command, ["upgrade", str(flop_pack)])
    assert done.output == f"{flop_pack}: upgraded\n"
    assert open_pack(flop_pack).manifest == manifest
    assert not upgrade_pack(flop_pack)
    assert (flop_pack / MANIFEST_NAME).read_text() == format_manifest(manifest)


def test_a_damaged_pack_is_not_upgraded(flop_pack: Path) -> None:
    without_digest(flop_pack)
    before = (flop_pack / MANIFEST_NAME).read_bytes()
    path = flop_pack / "limped_rows.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"\x7f")
    with pytest.raises(PackError, match="checksum differs"):
        upgrade_pack(flop_pack)
    assert (flop_pack / MANIFEST_NAME).read_bytes() == before
    for text in ("kind: flops", "format: hedgehog-strategy-pack\nformat_version: 3\n", ""):
        (flop_pack / MANIFEST_NAME).write_text(text)
        with pytest.raises(PackError):
            upgrade_pack(flop_pack)


def test_the_digest_cannot_be_left_out(flop_pack: Path) -> None:
    path = flop_pack / MANIFEST_NAME
    path.write_text(path.read_text().rsplit("manifest_sha256", 1)[0])
    with pytest.raises(PackError, match="its last line is not its digest"):
        open_pack(flop_pack)


def test_writing_over_a_pack_without_digest_keeps_it_to_the_end(
    flop_pack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = open_pack(flop_pack)
    arrays = {name: np.array(array) for name, array in pack.arrays.items()}
    update_pack(flop_pack, pack.manifest, arrays)
    without_digest(flop_pack)

    def killed(*_: object) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as patch:
        patch.setattr("hedgehog.strategies.pack._write_manifest", killed)
        with pytest.raises(RuntimeError, match="killed"):
            update_pack(flop_pack, pack.manifest, arrays)
    assert upgrade_pack(flop_pack)
    assert open_pack(flop_pack).arrays.keys() == arrays.keys()
