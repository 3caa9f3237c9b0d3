"""Betting lines on the command line: given one by one, separated by commas, or in a file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hedgehog.runtime.config_file import read_text
from hedgehog.runtime.errors import SpotError


def expand_lines(texts: Iterable[str]) -> list[str]:
    """Returns lines such as ``X B200 C 7d`` with single blanks, in order, each once.

    :param texts: lines separated by commas; or ``@FILE``, a file with a line per row, where ``#`` starts a comment.
    :raises SpotError: if a file cannot be read.
    """
    found: list[str] = []
    for text in texts:
        if text.startswith("@"):
            rows = read_text(Path(text[1:]), SpotError, "a lines").splitlines()
            found += [row.split("#")[0] for row in rows if row.split("#")[0].strip()]
        else:
            found += text.split(",")
    return list(dict.fromkeys(" ".join(line.split()) for line in found))


def line_files(texts: Iterable[str]) -> list[Path]:
    """Returns the files that :func:`expand_lines` reads."""
    return [Path(text[1:]) for text in texts if text.startswith("@")]
