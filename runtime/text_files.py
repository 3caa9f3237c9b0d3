"""Text of files from any machine, the one way in which Hedgehog turns bytes into text.

Line ends may be LF, CRLF or CR. A byte order mark at the start of the file, or of a file joined to it, does not count.
UTF-16 and UTF-32 are read with a mark, UTF-16 without one too. Files may be compressed by gzip, bzip2 or xz.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from hedgehog.runtime.errors import InputError
from hedgehog.runtime.input_files import open_input

BLOCK_BYTES: Final = 4 << 20
"""Bytes that are read at once."""
MOST_LINE_BYTES: Final = 1 << 20
"""A file with a longer line is refused."""
READ_ERRORS: Final = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)
"""What opening and reading a file raises, compressed or not."""

_UTF8_MARK: Final = codecs.BOM_UTF8
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LINE_END: Final = re.compile(rb"\r+(?=\n)")
_LINE_MARK: Final = re.compile(rb"^" + _UTF8_MARK, re.MULTILINE)
_OPENERS: Final[dict[bytes, Callable[[BinaryIO], Any]]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
}


def decompressed(raw: io.BufferedReader) -> BinaryIO:
    """Returns a stream of the bytes of a file, decompressed if its first bytes say that it is compressed."""
    head = raw.peek(8)
    opener = next((opener for magic, opener in _OPENERS.items() if head.startswith(magic)), None)
    return cast(BinaryIO, raw if opener is None else opener(cast(BinaryIO, raw)))


def text_blocks(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Yields the text of a stream as UTF-8 with the line end LF and without marks, in blocks of whole lines.

    Bytes that are not UTF-8 are passed on as they are.

    :param read: returns the next bytes, at most as many as it is given; none at the end.
    :raises InputError: if a line is longer than a megabyte.
    """
    data = read(BLOCK_BYTES)
    encoding = _wide_encoding(data)
    decoder = None if encoding is None else codecs.getincrementaldecoder(encoding)("replace")
    rest = b""
    line_end = b""
    while True:
        last = not data
        if decoder is not None:
            data = decoder.decode(data, last).encode()
        line_end = line_end or (b"\r" if b"\r" in data and b"\n" not in data else b"\n" if data else b"")
        rest += data.replace(b"\r", b"\n") if line_end == b"\r" else data
        cut = len(rest) if last else rest.rfind(b"\n") + 1
        if cut:
            yield _clean(rest[:cut])
        rest = rest[cut:]
        if len(rest) > MOST_LINE_BYTES:
            raise InputError(f"expected text with lines of at most {MOST_LINE_BYTES:,} bytes")
        if last:
            return
        data = read(BLOCK_BYTES)


def _wide_encoding(head: bytes) -> str | None:
    """Returns the encoding of a text of two or four bytes per character; None for UTF-8 and all that contains ASCII."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    even, odd = head[0:64:2], head[1:64:2]
    if len(even) > 1 and not any(odd) and all(even[: len(odd)]):
        return "utf-16-le"
    return "utf-16-be" if len(odd) > 1 and not any(even) and all(odd) else None


def _clean(block: bytes) -> bytes:
    if b"\r" in block:
        block = _LINE_END.sub(b"", block)
        if not block.endswith(b"\n"):
            block = block.rstrip(b"\r")
    return _LINE_MARK.sub(b"", block) if _UTF8_MARK in block else block


def plain_text(data: bytes) -> bytes:
    """Returns text as UTF-8 with the line end LF and without marks. Bytes that are not UTF-8 stay as they are.

    :raises InputError: if a line is longer than a megabyte.
    """
    return b"".join(text_blocks(io.BytesIO(data).read))


def read_lines(path: str | Path, error: type[InputError], what: str) -> list[str]:
    """Returns the lines of a text file without line ends; bytes that are not UTF-8 become escapes.

    :param error: the class of the exceptions raised.
    :param what: what the file is, for messages: ``log file``.
    :raises InputError: an exception of class ``error``, if the file cannot be read or is no text.
    """
    try:
        with open_input(path) as raw, decompressed(raw) as stream:
            text = b"".join(text_blocks(stream.read))
    except InputError as problem:
        raise error(problem.message, source=str(path)) from None
    except READ_ERRORS as problem:
        raise error(f"could not read {what} ({reason(problem)})", source=str(path)) from problem
    return split_lines(text)


def split_lines(text: bytes) -> list[str]:
    """Returns the lines of plain text, without line ends; bytes that are not UTF-8 become escapes."""
    lines = text.decode("utf-8", "backslashreplace").split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def reason(problem: Exception) -> str:
    """Returns why a file could not be read, for messages."""
    return problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
