"""The folder of hands that our player has played at a server: ``played.jsonl``, ``hands.log`` and its decisions.

::

    {"event": "token", "place": 0, "token": TOKEN}           Slumbot's game: the token of a place
    {"event": "begun", "hand": 0, "id": "17"}                a hand, and how the server calls it
    {"event": "over", "hand": 0, "line": "STATE:0:...", "aivat": 3.5, "own_aivat": null}
    {"event": "broken", "hand": 0, "why": "..."}             counted, without a result

``aivat`` is what the server says, ``own_aivat`` what our player computes; both are for our player, in chips.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from hedgehog.agent.decision_record import RecordedHand, RecordHeader
from hedgehog.interop.http.client.remote_hand import RemoteHand
from hedgehog.interop.http.files import DECISIONS, LOG_FILE, Event, GameFiles
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import scan_log_line
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.outputs import FolderKind

EVENTS_FILE: Final = "played.jsonl"
PLAYED: Final = FolderKind("hands played at a server", (EVENTS_FILE, LOG_FILE, DECISIONS))
KIND: Final = "played"
_COMPARED: Final = ("game", "seed", "players", "think_ms", "name", "protocol", "server")


@dataclass(slots=True)
class Played:
    """What has been played so far."""

    winnings: list[int] = field(default_factory=list)
    """Chips that our player has won, by hand."""
    aivat: list[float] = field(default_factory=list)
    """The server's AIVAT values, of the hands that have one."""
    own_aivat: list[float] = field(default_factory=list)
    """Our AIVAT values, of the hands that have one."""
    broken: list[str] = field(default_factory=list)
    """Why hands have no result."""
    begun: int = 0
    """Number of hands that were begun."""
    open: dict[int, str] = field(default_factory=dict)
    """Hands that are neither over nor broken -> how the server calls them."""
    tokens: dict[int, str] = field(default_factory=dict)
    """Place -> token of Slumbot's game."""

    def reasons(self, count: int = 3) -> list[str]:
        """Returns the most frequent reasons why hands are broken, with their numbers."""
        return [f"{number:,} times: {why}" for why, number in Counter(self.broken).most_common(count)]


def head_of(game: str, seed: int, player: str, think_ms: int, name: str, server: str, protocol: str) -> Event:
    """Returns the head of the events.

    :param game: name of the game definition.
    :param player: specification of our player.
    :param think_ms: milliseconds that it may think per decision.
    :param name: its name in the log.
    :param server: address of the server.
    :param protocol: ``slumbot`` or ``benchmark``.
    """
    return json_document(
        KIND, game=game, seed=seed, players=[player], think_ms=think_ms, name=name, server=server, protocol=protocol
    )


class PlayedRecord:
    """The files of hands at a server. Its methods may be called by several threads."""

    def __init__(self, folder: Path, head: Event, gamedef: GameDef, *, record: bool) -> None:
        """Begins in an empty folder, or goes on with the same player at the same server.

        :param head: what :func:`head_of` returns.
        :param record: keep a record of the player's decisions.
        :raises InputError: if the folder holds hands with another head, or a file is damaged.
        :raises ResourceError: if a file cannot be read or written.
        """
        self.played = Played()
        self._name, self._opponent = str(head["name"]), str(head["protocol"])
        self._lock = threading.Lock()
        header = RecordHeader.of(gamedef, str(head["players"][0]), int(head["seed"]), int(head["think_ms"]))
        self._files = GameFiles(folder / EVENTS_FILE, head, _COMPARED, self._apply, header if record else None)

    def _apply(self, event: Event) -> str | None:
        try:
            return self._applied(event)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InputError(f"not an event that can come next: {str(event)[:120]} ({error})") from error

    def _applied(self, event: Event) -> str | None:
        played, kind = self.played, event["event"]
        if kind == "token":
            played.tokens[int(event["place"])] = str(event["token"])
            return None
        number = int(event["hand"])
        if kind == "begun":
            if number != played.begun:
                raise ValueError("another hand was expected")
            played.begun += 1
            played.open[number] = str(event["id"])
            return None
        if kind == "broken":
            del played.open[number]
            played.broken.append(str(event["why"]))
            return None
        if kind != "over":
            raise ValueError("an unknown event")
        line = str(event["line"])
        hand = scan_log_line(line)
        ours = hand.names.split("|").index(self._name)
        del played.open[number]
        played.winnings.append(round(hand.values[ours]))
        for values, key in ((played.aivat, "aivat"), (played.own_aivat, "own_aivat")):
            if event[key] is not None:
                values.append(float(event[key]))
        return line

    def _write(self, event: Event) -> str | None:
        self._files.write(event)
        return self._apply(event)

    def begin(self, remote_id: str) -> int:
        """Notes a new hand and returns its number.

        :raises MatchError: if it cannot be written.
        """
        with self._lock:
            number = self.played.begun
            self._write({"event": "begun", "hand": number, "id": remote_id})
            return number

    def token(self, place: int, token: str) -> None:
        """Notes the token of a place if it is a new one.

        :raises MatchError: if it cannot be written.
        """
        with self._lock:
            if self.played.tokens.get(place) != token:
                self._write({"event": "token", "place": place, "token": token})

    def draft(self, hand: RemoteHand) -> str:
        """Returns the line of a hand for the log, with a number that may still change."""
        return hand.log_line(len(self.played.winnings), self._name, self._opponent)

    def over(self, number: int, hand: RemoteHand, own_aivat: float | None, recorded: RecordedHand | None) -> None:
        """Notes how a hand has ended.

        :param own_aivat: our AIVAT value for our player in chips.
        :param recorded: our player's decisions, if they are recorded.
        :raises MatchError: if it cannot be written.
        """
        with self._lock:
            logged = len(self.played.winnings)
            if recorded is not None:
                self._files.write_record(recorded._replace(hand_id=logged))
            line = hand.log_line(logged, self._name, self._opponent)
            event: dict[str, Any] = {"event": "over", "hand": number, "line": line}
            self._write({**event, "aivat": hand.aivat, "own_aivat": own_aivat})
            self._files.write_hand(line)

    def broken(self, number: int, why: str) -> None:
        """Notes that a hand has no result.

        :raises MatchError: if it cannot be written.
        """
        with self._lock:
            self._write({"event": "broken", "hand": number, "why": why})

    def close(self) -> None:
        """Waits until all is on the disk, and closes the files."""
        self._files.close()
