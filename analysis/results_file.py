"""A file that a long measurement adds its results to, a line each, and from which it goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from hedgehog.runtime.errors import InputError, ResourceError
from hedgehog.runtime.files import replacing
from hedgehog.runtime.input_files import read_file
from hedgehog.runtime.outputs import make_folder
from hedgehog.runtime.validation import first_complaint

Line = TypeVar("Line", bound=BaseModel)
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class ResultsFormat(Generic[Line]):
    """What is in a file of results: the first line says what is measured, every further line holds results."""

    what: str
    """What it has results of, for messages."""
    start: bytes
    """The first bytes of every file. A file without a whole line is overwritten only if it begins with these bytes."""
    head: type[BaseModel]
    line: type[Line]

    def read(self, path: Path, take: Callable[[Line], None]) -> tuple[dict[str, Any], int]:
        """Reads a file. A last line without line end was left by a killed program and does not count.

        :param take: called with every line after the first; an InputError of it gets file and line.
        :returns: what was measured (empty if the file has no whole line yet), and the number of bytes in whole lines.
        :raises InputError: if the file cannot be read or is no such file.
        """
        data = read_file(path)
        length = data.rfind(b"\n") + 1
        if not length and data[: len(self.start)] != self.start[: len(data)]:
            raise InputError(f"no results of {self.what}: expected a line that says what is measured", source=str(path))
        head: dict[str, Any] = {}
        for number, line in enumerate(data[:length].split(b"\n")[:-1], 1):
            try:
                if number == 1:
                    head = self.head.model_validate_json(line).model_dump()
                else:
                    take(self.line.model_validate_json(line))
            except ValidationError as error:
                complaint = first_complaint(error, "the line")
                raise InputError(f"no results of {self.what}: {complaint}", source=str(path), line=number) from error
            except InputError as error:
                raise InputError(error.message, source=str(path), line=number) from error
        return head, length


class ResultsFile:
    """Appends lines of JSON. The first line says what is measured. The file is created with the first result."""

    def __init__(self, path: Path, head: dict[str, Any]) -> None:
        """:param head: what is measured."""
        self._path = path
        self._head = head
        self._length = 0

    def go_on(self, head: dict[str, Any], length: int) -> None:
        """Goes on after what the file holds already.

        :param head: what the file says is measured; empty if it has no whole line yet.
        :param length: number of bytes in whole lines. What comes after them is overwritten.
        :raises InputError: if the file belongs to another measurement.
        """
        if head:
            _verify_head(head, self._head, self._path)
        self._length = length

    def replace(self, lines: Sequence[dict[str, Any]]) -> None:
        """Replaces all results, unless the file holds these very lines already.

        :raises ResourceError: if the file cannot be written.
        """
        data = "".join(f"{json.dumps(line)}\n" for line in (self._head, *lines)).encode()
        before = self._path.read_bytes() if self._path.is_file() else None
        if before == b"":  # made by whoever holds its lock, and removed by the holder if it stays empty
            for line in lines:
                self.append(line)
        elif before != data:
            with replacing(self._path, make_folder=True) as file:
                file.write(data)
        self._length = len(data)

    def append(self, line: dict[str, Any]) -> None:
        """Appends a result.

        :raises ResourceError: if the file cannot be written.
        """
        text = "" if self._length else json.dumps(self._head) + "\n"
        data = (text + json.dumps(line) + "\n").encode()
        make_folder(self._path.parent)
        try:
            with self._path.open("r+b" if self._path.exists() else "xb") as file:
                file.truncate(self._length)
                file.seek(self._length)
                file.write(data)
        except OSError as error:
            raise ResourceError(f"cannot write {self._path}: {error.strerror}") from error
        self._length += len(data)


def results_of(
    sources: Sequence[Path], read: Callable[[Path], tuple[dict[str, Any], Found, int]]
) -> tuple[dict[str, Any], list[tuple[Path, Found]]]:
    """Returns what files of one measurement say is measured, and the results of each file.

    :param sources: the files, at least one.
    :param read: returns the first line of a file, its results, and the number of bytes in whole lines.
    :raises InputError: if a file cannot be read, holds no results yet, or belongs to another measurement than the
        first.
    """
    first: dict[str, Any] = {}
    found = []
    for source in sources:
        head, results, _ = read(source)
        if not head:
            raise InputError("holds no results yet", source=str(source))
        first = first or head
        _verify_head(head, first, source)
        found.append((source, results))
    return first, found


def _verify_head(head: dict[str, Any], wanted: dict[str, Any], path: Path) -> None:
    """Checks that a file belongs to a measurement.

    :param head: what the file says is measured.
    :param path: the file, for messages.
    :raises InputError: if it belongs to another one.
    """
    for key, value in wanted.items():
        if head[key] != value:
            raise InputError(
                f"these are results of another measurement: {key} is {head[key]!r} there and {value!r} here",
                source=str(path),
                line=1,
            )
