"""Finds hand-history files, in folders and archives too, and streams them in blocks of whole lines."""

from __future__ import annotations

import contextlib
import io
import os
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from hedgehog.runtime.errors import InputError, LogError
from hedgehog.runtime.input_files import open_input
from hedgehog.runtime.text_files import READ_ERRORS, decompressed, plain_text, reason, split_lines, text_blocks

_HEAD_BYTES: Final = 1 << 16
_ZIP: Final = b"PK\x03\x04"
_READ_ERRORS: Final = (*READ_ERRORS, zipfile.BadZipFile, NotImplementedError, RuntimeError)
"""What reading a damaged or encrypted archive raises."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file of hands: a file, or a member of a zip archive."""

    path: Path
    member: str | None
    size: int
    """Bytes on disk, compressed or not."""
    changed_ns: int
    """Time of the last change in nanoseconds; 0 for a member of an archive, whose size and checksum decide."""
    checksum: int = 0
    """CRC-32 of a member of an archive; 0 for a file."""

    @property
    def name(self) -> str:
        """The path, for a member of an archive ``ARCHIVE!MEMBER``."""
        return str(self.path) if self.member is None else f"{self.path}!{self.member}"


def find_sources(paths: Iterable[Path]) -> list[Source]:
    """Returns all files at some paths, in a fixed order; folders are searched, zip archives opened.

    Hidden files are left out. A file that is named twice counts once.

    :raises LogError: if a path does not exist or cannot be read.
    """
    found: dict[str, Source] = {}
    for path in paths:
        for source in _sources_at(path):
            found.setdefault(source.name, source)
    return list(found.values())


def _sources_at(path: Path) -> Iterator[Source]:
    try:
        if path.is_dir():
            for child in sorted(path.iterdir()):
                if not child.name.startswith(".") and (child.is_dir() or child.is_file()):
                    yield from _sources_at(child)
            return
        with open_input(path) as file:
            stat = os.fstat(file.fileno())
            magic = file.read(4)
        if magic != _ZIP:
            yield Source(path, None, stat.st_size, stat.st_mtime_ns)
            return
        with zipfile.ZipFile(path) as archive:
            for entry in sorted(archive.infolist(), key=lambda entry: entry.filename):
                if not entry.is_dir() and not Path(entry.filename).name.startswith("."):
                    yield Source(path, entry.filename, entry.compress_size, 0, entry.CRC)
    except _READ_ERRORS as error:
        raise LogError(f"could not read it ({reason(error)})", source=str(path)) from error


class SourceStream:
    """The decompressed bytes of a source."""

    def __init__(self, stream: BinaryIO, raw: BinaryIO, scale: float = 1.0) -> None:
        self._stream = stream
        self._raw = raw
        self._scale = scale

    def read(self, size: int) -> bytes:
        """Returns the next bytes, at most ``size``; none at the end."""
        return self._stream.read(size)

    def position(self) -> float:
        """Returns how many of the bytes on disk have been read."""
        return self._scale * self._raw.tell()


@contextmanager
def open_source(source: Source) -> Iterator[SourceStream]:
    """Yields the bytes of a source, decompressed.

    :raises LogError: if the source cannot be read.
    """
    try:
        with contextlib.ExitStack() as stack:
            if source.member is None:
                raw: BinaryIO = stack.enter_context(open_input(source.path))
                scale = 1.0
            else:
                archive = stack.enter_context(zipfile.ZipFile(source.path))
                raw = cast(BinaryIO, stack.enter_context(archive.open(source.member)))
                scale = source.size / max(archive.getinfo(source.member).file_size, 1)
            buffered = io.BufferedReader(cast(Any, raw))
            yield SourceStream(stack.enter_context(decompressed(buffered)), raw, scale)
    except InputError:
        raise
    except _READ_ERRORS as error:
        raise LogError(f"could not read it ({reason(error)})", source=source.name) from error


def read_blocks(stream: SourceStream, name: str) -> Iterator[bytes]:
    """Yields the text of a stream as UTF-8 with the line end LF, in blocks of whole lines.

    :param name: name of the source, for messages.
    :raises LogError: if a line is longer than a megabyte.
    """
    try:
        yield from text_blocks(stream.read)
    except LogError:
        raise
    except InputError as error:
        raise LogError(error.message, source=name) from None


def read_text_lines(stream: SourceStream, name: str) -> Iterator[str]:
    """Yields the lines of a stream as text; bytes that are not UTF-8 become escapes."""
    for block in read_blocks(stream, name):
        yield from split_lines(block)


def read_source(source: Source) -> list[str]:
    """Returns all lines of a source as text, without line ends.

    :raises LogError: if the source cannot be read, or a line is longer than a megabyte.
    """
    with open_source(source) as stream:
        return list(read_text_lines(stream, source.name))


def read_head(source: Source) -> list[str]:
    """Returns the lines of the first bytes of a source, the last one perhaps cut."""
    with open_source(source) as stream:
        return split_lines(plain_text(stream.read(_HEAD_BYTES)))
