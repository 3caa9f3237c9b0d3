"""The folder of a served game: ``served.jsonl`` with every event, ``hands.log``, and the player's decisions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from hedgehog.agent.decision_record import RecordedHand, RecordHeader
from hedgehog.interop.http.book import Book
from hedgehog.interop.http.files import DECISIONS, LOG_FILE, Event, GameFiles
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.outputs import FolderKind

EVENTS_FILE: Final = "served.jsonl"
SERVED: Final = FolderKind("a served game", (EVENTS_FILE, LOG_FILE, DECISIONS))
KIND: Final = "served"
_COMPARED: Final = ("game", "seed", "players", "think_ms", "name")


def head_of(game: str, seed: int, player: str, think_ms: int, name: str) -> Event:
    """Returns the head of the events of a game.

    :param game: name of the game definition.
    :param player: specification of our player.
    :param think_ms: milliseconds that it may think per decision.
    :param name: its name in the log.
    """
    return json_document(KIND, game=game, seed=seed, players=[player], think_ms=think_ms, name=name)


class Store:
    """The files of a served game and its book. The caller holds the lock of the folder."""

    def __init__(self, folder: Path, head: Event, gamedef: GameDef, *, record: bool) -> None:
        """Begins a game in an empty folder, or goes on with the same game.

        :param folder: the folder, which exists and has no other files.
        :param head: what :func:`head_of` returns for the game.
        :param record: keep a record of the player's decisions.
        :raises InputError: if the folder holds a game with another head, or a file is damaged.
        :raises ResourceError: if a file cannot be read or written.
        """
        self.book = Book(gamedef, int(head["seed"]), str(head["name"]))
        header = RecordHeader.of(gamedef, str(head["players"][0]), int(head["seed"]), int(head["think_ms"]))
        self._files = GameFiles(folder / EVENTS_FILE, head, _COMPARED, self._apply, header if record else None)

    def _apply(self, event: Event) -> str | None:
        number = event.get("hand") if event.get("event") == "over" else None
        hand = self.book.hands.get(number) if isinstance(number, int) else None
        self.book.apply(event)
        return None if hand is None else hand.log_line(hand.state, self.book.logged - 1, self.book.player)

    def write(self, event: Mapping[str, Any]) -> None:
        """Writes an event and changes the book by it.

        :raises MatchError: if it cannot be written; the book is then unchanged.
        """
        self._files.write(event)
        self.book.apply(event)

    def write_hand(self, line: str) -> None:
        """Writes a hand to the log (:meth:`hedgehog.interop.http.files.GameFiles.write_hand`)."""
        self._files.write_hand(line)

    def write_record(self, hand: RecordedHand) -> None:
        """Writes the decisions of a hand (:meth:`hedgehog.interop.http.files.GameFiles.write_record`)."""
        self._files.write_record(hand)

    def close(self) -> None:
        """Waits until all is on the disk, and closes the files."""
        self._files.close()
