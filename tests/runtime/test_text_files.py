"""Text of any machine: encodings, marks, line ends and compression give the same lines."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
from pathlib import Path

import pytest

from hedgehog.runtime import text_files
from hedgehog.runtime.errors import InputError, LogError
from hedgehog.runtime.text_files import plain_text, read_lines, text_blocks
from tests.machines import MACHINES, written_on

TEXT = "first\n\nBjörn, 王小明\nlast\n"


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("text", [TEXT, TEXT.removesuffix("\n"), "one line", "x\n", ""])
def test_text_is_the_same_from_every_machine(machine: str, text: str) -> None:
    assert plain_text(written_on(machine, text)) == text.encode()


@pytest.mark.parametrize("machine", MACHINES)
def test_blocks_hold_whole_lines_wherever_they_are_cut(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "BLOCK_BYTES", 7)
    blocks = list(text_blocks(io.BytesIO(written_on(machine, TEXT)).read))
    assert b"".join(blocks) == TEXT.encode()
    assert all(block.endswith(b"\n") for block in blocks)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (codecs.BOM_UTF8 + b"a\n" + codecs.BOM_UTF8 + b"b\n", b"a\nb\n"),  # two files joined
        (b"a\r\r\nb\r\n", b"a\nb\n"),  # converted twice
        (b"a\nb\r\nc", b"a\nb\nc"),
        (b"a\rb\n", b"a\rb\n"),  # a control character inside a line
        ("ab\ncd\n".encode("utf-16-le"), b"ab\ncd\n"),
        (codecs.BOM_UTF32_LE + "a\r\n".encode("utf-32-le"), b"a\n"),
        (b"\xe9\r\n", b"\xe9\n"),  # not UTF-8: the reader decides
    ],
)
def test_other_marks_and_line_ends(data: bytes, text: bytes) -> None:
    assert plain_text(data) == text


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files(tmp_path: Path, compress: type[bytes]) -> None:
    path = tmp_path / "text"
    path.write_bytes(compress(TEXT.replace("\n", "\r\n").encode() + b"\xff"))
    assert read_lines(path, LogError, "log file") == [*TEXT.splitlines(), "\\xff"]


def test_what_is_no_text_is_refused_in_bounded_memory() -> None:
    read = 0

    def zeros(size: int) -> bytes:
        nonlocal read
        read += size
        return bytes(size)

    with pytest.raises(InputError, match="lines of at most 1,048,576 bytes"):
        list(text_blocks(zeros))
    assert read <= 2 * text_files.BLOCK_BYTES
