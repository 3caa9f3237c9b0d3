"""One parser that gets hostile input, and the tools to describe it."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data"


@dataclass(frozen=True)
class Parser:
    """One parser that gets hostile input."""

    name: str
    """Full name of the function, or several names joined by blanks if one call covers them all."""
    parse: Callable[[str], object]
    """Parses text; checks nothing."""
    corpus: tuple[str, ...]
    """Valid input."""
    errors: tuple[type[Exception], ...] = ()
    """The documented exceptions."""
    check: Callable[[str, Any], None] | None = None
    """Checks the result for some input, for example that it formats back to it."""


def as_bytes(text: str) -> bytes:
    """Returns a text as the bytes of a file; surrogates stand for bytes that are not UTF-8."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # surrogates that stand for nothing
        return text.encode("utf-8", "surrogatepass")


def in_file(read: Callable[[Path], object], name: str = "input") -> Callable[[str], object]:
    """Returns a parser of text, from a function that reads a file."""

    def parse(text: str) -> object:
        folder = Path(tempfile.mkdtemp(prefix="hedgehog-fuzz-"))
        try:
            (folder / name).write_bytes(as_bytes(text))
            return read(folder / name)
        finally:
            shutil.rmtree(folder)

    return parse


def in_folder(read: Callable[[Path], object], name: str) -> Callable[[str], object]:
    """Returns a parser of text, from a function that reads the file ``name`` in a given folder."""
    return in_file(lambda path: read(path.parent), name)


def back(parse: Callable[[str], object], format_: Callable[[Any], str]) -> Callable[[str, Any], None]:
    """Returns a check that the result formats to text that parses to an equal result."""

    def check(_: str, result: Any) -> None:
        assert parse(format_(result)) == result

    return check


def same_text(format_: Callable[[Any], str]) -> Callable[[str, Any], None]:
    """Returns a check that the result formats to exactly the text it was parsed from."""

    def check(text: str, result: Any) -> None:
        assert format_(result) == text

    return check


def mapping(parse: Callable[[Any], object]) -> Callable[[str], object]:
    """Returns a parser of JSON text, from a parser of mappings. Text that is no JSON mapping is not passed on."""

    def parse_text(text: str) -> object:
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return parse(values) if isinstance(values, dict) else None

    return parse_text


def lines_of(parse: Callable[[list[str]], object]) -> Callable[[str], object]:
    return lambda text: parse(text.split("\n"))


def everything(items: Callable[[str], Iterable[object]]) -> Callable[[str], object]:
    return lambda text: list(items(text))
