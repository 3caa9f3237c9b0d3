"""What an interrupted match left behind: its transaction log and what its match log already holds."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dealer.transactions import SHOWN, Transaction, is_transaction, parse_transaction
from runtime.errors import InputError, MatchError, ResourceError

_HAND_ID: Final = re.compile("[0-9]{1,10}")


def _read(path: Path) -> str:
    try:
        return path.read_text("latin-1") if path.exists() else ""
    except OSError as error:
        raise InputError(f"could not read {path} ({error.strerror})") from error


def read_transactions(path: Path) -> Iterator[Transaction]:
    """Reads a transaction log now; a malformed line is an error only when the match comes to it.

    A last line that lacks nothing but its line end gets it.

    :raises InputError: if the file cannot be read.
    """
    *lines, rest = _read(path).split("\n")
    if is_transaction(rest):
        with path.open("ab") as file:
            file.write(b"\n")
        lines.append(rest)
        rest = ""
    return _parse(path, lines, rest)


def _parse(path: Path, lines: list[str], rest: str) -> Iterator[Transaction]:
    yield from map(parse_transaction, lines)
    if rest:
        raise MatchError(
            f"could not parse transaction stamp {rest[:SHOWN]!r}: the last line of {path} is incomplete; without that "
            "line the match can be resumed"
        )


def count_logged_hands(path: Path, header: str) -> int | None:
    """Counts the hands an interrupted match has logged, and cuts an incomplete last line off its log.

    :param header: first header line of the match.
    :returns: the number of hands, or None if the file is not the log of this match.
    :raises InputError: if the file cannot be read.
    """
    text = _read(path)
    if header not in text.split("\n", 1)[0]:
        return None
    complete = text[: text.rfind("\n") + 1]
    if complete != text:
        os.truncate(path, len(complete))
    states = [line for line in complete.split("\n") if line.startswith("STATE:")]
    if not states:
        return 0
    hand_id = states[-1].split(":", 2)[1]
    return int(hand_id) + 1 if _HAND_ID.fullmatch(hand_id) else None


def read_logged_hands(path: Path, head: str) -> list[str]:
    """Returns the hands of an interrupted match as they stand in its log, and cuts an incomplete last line off it.

    :param head: all header lines of the match, each with its line end.
    :raises InputError: if the file cannot be read, or is not the unfinished log of this match.
    :raises ResourceError: if it cannot be cut.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read it: {error.strerror}", source=str(path)) from error
    complete = data[: data.rfind(b"\n") + 1]
    text = complete.decode("utf-8", "surrogateescape")
    if not text.startswith(head):
        raise InputError("not the log of this match", source=str(path))
    lines = text[len(head) :].split("\n")[:-1]
    for number, line in enumerate(lines, head.count("\n") + 1):
        if not line.startswith("STATE:"):
            raise InputError(f"expected a hand, got {line[:80]!r}", source=str(path), line=number)
    if complete != data:
        try:
            os.truncate(path, len(complete))
        except OSError as error:
            raise ResourceError(f"cannot write {path}: {error.strerror}") from error
    return lines
