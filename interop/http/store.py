"""The folder of a served game: every event, the hands as an ACPC log, and the player's decisions.

======================  ==============================================================================================
``served.jsonl``        a JSON head, then one event per line (:mod:`hedgehog.interop.http.book`)
``hands.log``           hands that were played to their end, in the order in which they ended
``hands.NAME.decisions``  what our player sampled from, if it thinks (:mod:`hedgehog.agent.decision_record`)
======================  ==============================================================================================

A line is written before the client is answered, and the files grow by whole lines. After a crash the log may lack hands
whose end is among the events; they are added when the game goes on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from hedgehog.agent.decision_record import RecordedHand, RecordHeader, RecordWriter
from hedgehog.arena.match import record_path
from hedgehog.dealer.journal import LineFile, encode
from hedgehog.interop.http.book import Book, Event
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import LogHeader, format_header
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError, MatchError, ResourceError
from hedgehog.runtime.files import write_text_file
from hedgehog.runtime.input_files import read_file
from hedgehog.runtime.outputs import FolderKind

EVENTS_FILE: Final = "served.jsonl"
LOG_FILE: Final = "hands.log"
SERVED: Final = FolderKind("a served game", (EVENTS_FILE, LOG_FILE, "hands.*.decisions"))
_VERSION: Final = 1
_MOST_BYTES: Final = 1 << 32
_COMPARED: Final = ("game", "seed", "players", "think_ms")


def head_of(game: str, seed: int, player: str, think_ms: int, name: str) -> Event:
    """Returns the head of the events of a game.

    :param game: name of the game definition.
    :param player: specification of our player.
    :param think_ms: milliseconds that it may think per decision.
    :param name: its name in the log.
    """
    return json_document(
        "served", version=_VERSION, game=game, seed=seed, players=[player], think_ms=think_ms, name=name
    )


def parse_events(text: str) -> tuple[Event, list[Event]]:
    """Returns the head of a file of events, and the events.

    :param text: the file. What stands after its last line end is no event.
    :raises InputError: with the number of the line, if a line is no JSON object, or the head is another one.
    """
    lines = text.split("\n")[:-1]
    if not lines:
        raise InputError("expected the events of a served game, got no whole line")
    events = [_parse_line(number, line) for number, line in enumerate(lines, 1)]
    head = events.pop(0)
    if head.get("format") != "hedgehog.served" or head.get("version") != _VERSION:
        raise InputError(f"expected a file of hedgehog.served of version {_VERSION}", line=1)
    return head, events


def _parse_line(number: int, line: str) -> Event:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        raise InputError(f"expected a JSON object, got {line[:60]!r}", line=number)
    return event


class Store:
    """The files of a served game, open for writing. The caller holds the lock of the folder."""

    def __init__(self, folder: Path, head: Event, gamedef: GameDef, *, record: bool) -> None:
        """Begins a game in an empty folder, or goes on with the same game.

        :param folder: the folder, which exists and has no other files.
        :param head: what :func:`head_of` returns for the game.
        :param record: keep a record of the player's decisions.
        :raises InputError: if the folder holds a game with another head, or a file is damaged.
        :raises ResourceError: if a file cannot be read or written.
        """
        self._folder = folder
        self._name = str(head["name"])
        self.book = Book(gamedef, int(head["seed"]), self._name)
        path = folder / EVENTS_FILE
        lines = self._read(path, head) if path.exists() and path.stat().st_size else None
        if lines is None:
            write_text_file(path, json.dumps(head) + "\n")
            lines = []
        self._events = self._open(path)
        self._log = self._open(folder / LOG_FILE)
        self._mend_log(lines, str(head["game"]), int(head["seed"]))
        self._record: RecordWriter | None = None
        if record:
            header = RecordHeader.of(gamedef, str(head["players"][0]), int(head["seed"]), int(head["think_ms"]))
            self._record = RecordWriter(record_path(folder / LOG_FILE, self._name), header, go_on=True)

    def _read(self, path: Path, head: Event) -> list[str]:
        """Fills the book from the events of an earlier server; returns the lines of the log that belong to them."""
        data = read_file(path, _MOST_BYTES)
        try:
            found, events = parse_events(data.decode("utf-8", "replace"))
            for key in _COMPARED:
                if found.get(key) != head[key]:
                    raise InputError(
                        f"holds a game with {key} {found.get(key)!r}, not {head[key]!r}: expected the same, another "
                        "folder (--out), or --overwrite"
                    )
            lines = list(self._apply(events))
        except InputError as error:
            error.source = str(path)
            raise
        whole = data.rfind(b"\n") + 1
        if whole < len(data):  # after a power cut
            os.truncate(path, whole)
        return lines

    def _apply(self, events: list[Event]) -> Iterator[str]:
        book = self.book
        for number, event in enumerate(events, 2):
            hand = book.hands.get(event["hand"]) if event.get("event") == "over" else None
            try:
                book.apply(event)
            except InputError as error:
                error.line = number
                raise
            if hand is not None:
                yield hand.log_line(hand.state, book.logged - 1, self._name)

    def _mend_log(self, lines: list[str], game: str, seed: int) -> None:
        """Brings the log to the hands of the events.

        :raises InputError: if the log is that of another game.
        """
        path = self._folder / LOG_FILE
        header = format_header(LogHeader("served", game, 0, seed))
        expected = [header, *lines]
        found = read_file(path, _MOST_BYTES).decode("utf-8", "replace").split("\n")
        whole, rest = found[:-1], found[-1]
        if whole != expected[: len(whole)]:
            raise InputError(f"is not the log of the events in {EVENTS_FILE}", source=str(path))
        if rest:
            os.truncate(path, path.stat().st_size - len(rest.encode()))
            self._log = self._open(path)
        if len(whole) < len(expected):
            self._log.write(encode("".join(f"{line}\n" for line in expected[len(whole) :])))

    def _open(self, path: Path) -> LineFile:
        try:
            return LineFile(os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666), "r+b", 0), str(path))
        except OSError as error:
            raise ResourceError(f"cannot write {path}: {error.strerror or error}") from error

    def write(self, event: Mapping[str, Any]) -> None:
        """Writes an event and changes the book by it.

        :raises MatchError: if it cannot be written; the book is then unchanged.
        """
        self._events.write(json.dumps(event).encode("ascii") + b"\n")
        self.book.apply(event)

    def write_hand(self, line: str) -> None:
        """Writes a hand to the log, whose end is among the events.

        :raises MatchError: if it cannot be written. It is added when the game goes on.
        """
        self._log.write(encode(line + "\n"))

    def write_record(self, hand: RecordedHand) -> None:
        """Writes the decisions of a hand, whose end is not among the events yet.

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
        if self._record is not None:
            self._record.close()
