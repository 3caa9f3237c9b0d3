"""Files of hands that are played over HTTP, on either side: events, an ACPC log, and our player's decisions.

The events are a JSON head and one JSON object per line. They are written before anybody hears of them, and all files
grow by whole lines. After a crash the log may lack hands whose end is among the events; they are added when play goes
on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from hedgehog.agent.decision_record import RecordedHand, RecordHeader, RecordWriter
from hedgehog.arena.match import record_path
from hedgehog.dealer.journal import LineFile, encode
from hedgehog.poker.acpc.handlog import LogHeader, format_header
from hedgehog.runtime.errors import InputError, MatchError, ResourceError
from hedgehog.runtime.files import write_text_file
from hedgehog.runtime.input_files import read_file

Event = dict[str, Any]

LOG_FILE: Final = "hands.log"
DECISIONS: Final = "hands.*.decisions"
"""Pattern of the names of records."""
_MOST_BYTES: Final = 1 << 32


def parse_events(text: str, form: str, version: int) -> tuple[Event, list[Event]]:
    """Returns the head of a file of events, and the events.

    :param text: the file. What stands after its last line end is no event.
    :param form: the format of the head, such as ``hedgehog.served``.
    :raises InputError: with the number of the line, if a line is no JSON object, or the head is another one.
    """
    lines = text.split("\n")[:-1]
    if not lines:
        raise InputError(f"expected a file of {form}, got no whole line")
    events = [_parse_line(number, line) for number, line in enumerate(lines, 1)]
    head = events.pop(0)
    if head.get("format") != form or head.get("version") != version:
        raise InputError(f"expected a file of {form} of version {version}", line=1)
    return head, events


def _parse_line(number: int, line: str) -> Event:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        raise InputError(f"expected a JSON object, got {line[:60]!r}", line=number)
    return event


def apply_events(events: Sequence[Event], apply: Callable[[Event], str | None]) -> list[str]:
    """Applies events in order, and returns the lines of the log that belong to them.

    :param apply: performs an event; returns the line of a hand that it ends, else None.
    :raises InputError: as ``apply`` raises it, with the number of the line.
    """
    lines = []
    for number, event in enumerate(events, 2):
        try:
            line = apply(event)
        except InputError as error:
            error.line = number
            raise
        if line is not None:
            lines.append(line)
    return lines


class GameFiles:
    """The files of one game, open for writing. The caller holds the lock of the folder."""

    def __init__(
        self,
        path: Path,
        head: Event,
        compared: Sequence[str],
        apply: Callable[[Event], str | None],
        record: RecordHeader | None,
    ) -> None:
        """Begins a game, or goes on with the same game.

        :param path: the file of the events. The others lie beside it.
        :param head: the head, which has the name of the game and its seed, and as ``name`` that of our player.
        :param compared: keys of the head in which the game that goes on has to agree.
        :param apply: performs an event of an earlier run; returns the line of a hand that it ends, else None.
        :param record: head of the record of our player's decisions; None: they are not recorded.
        :raises InputError: if the file holds a game with another head, or a file is damaged.
        :raises ResourceError: if a file cannot be read or written.
        """
        self._path = path
        with ExitStack() as stack:
            self._begin(head, compared, apply, record, stack)
            self._closing = stack.pop_all()

    def _begin(
        self,
        head: Event,
        compared: Sequence[str],
        apply: Callable[[Event], str | None],
        record: RecordHeader | None,
        stack: ExitStack,
    ) -> None:
        path = self._path
        lines: list[str] = []
        if path.exists() and path.stat().st_size:
            lines = self._read(head, compared, apply)
        else:
            write_text_file(path, json.dumps(head) + "\n")
        self._events = _open(path, stack)
        log = path.with_name(LOG_FILE)
        header = format_header(
            LogHeader(str(head["format"]).partition(".")[2], str(head["game"]), 0, int(head["seed"]))
        )
        self._log = self._mended(log, [header, *lines], stack)
        self._record: RecordWriter | None = None
        if record is not None:
            self._record = RecordWriter(record_path(log, str(head["name"])), record, go_on=True)
            stack.callback(self._record.close)

    def _read(self, head: Event, compared: Sequence[str], apply: Callable[[Event], str | None]) -> list[str]:
        data = read_file(self._path, _MOST_BYTES)
        whole = data.rfind(b"\n") + 1
        try:
            found, events = parse_events(data.decode("utf-8", "replace"), str(head["format"]), int(head["version"]))
            for key in compared:
                if found.get(key) != head[key]:
                    raise InputError(
                        f"holds a game with {key} {found.get(key)!r}, not {head[key]!r}: expected the same, another "
                        "folder (--out), or --overwrite"
                    )
            lines = apply_events(events, apply)
        except InputError as error:
            error.source = str(self._path)
            raise
        if whole < len(data):  # after a power cut
            os.truncate(self._path, whole)
        return lines

    def _mended(self, path: Path, expected: list[str], stack: ExitStack) -> LineFile:
        """Brings the log to the hands of the events.

        :raises InputError: if the log is that of another game.
        """
        found = read_file(path, _MOST_BYTES).decode("utf-8", "replace").split("\n") if path.exists() else [""]
        whole, rest = found[:-1], found[-1]
        if whole != expected[: len(whole)]:
            raise InputError(f"is not the log of the events in {self._path.name}", source=str(path))
        if rest:
            os.truncate(path, path.stat().st_size - len(rest.encode()))
        log = _open(path, stack)
        if len(whole) < len(expected):
            log.write(encode("".join(f"{line}\n" for line in expected[len(whole) :])))
        return log

    def write(self, event: Mapping[str, Any]) -> None:
        """Writes an event.

        :raises MatchError: if it cannot be written.
        """
        self._events.write(json.dumps(event).encode("ascii") + b"\n")

    def write_hand(self, line: str) -> None:
        """Writes a hand to the log, whose end is among the events.

        :raises MatchError: if it cannot be written. It is added when the game goes on.
        """
        self._log.write(encode(line + "\n"))

    def write_record(self, hand: RecordedHand) -> None:
        """Writes the decisions of a hand, whose end is not among the events yet, if they are recorded.

        :raises MatchError: if they cannot be written.
        """
        if self._record is None:
            return
        try:
            self._record.write(hand)
        except ResourceError as error:
            raise MatchError(str(error)) from error

    def close(self) -> None:
        """Waits until all is on the disk, and closes the files."""
        self._events.sync()
        self._log.sync()
        self._closing.close()


def _open(path: Path, stack: ExitStack) -> LineFile:
    try:
        file = stack.enter_context(os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666), "r+b", 0))
    except OSError as error:
        raise ResourceError(f"cannot write {path}: {error.strerror or error}") from error
    return LineFile(file, str(path))
