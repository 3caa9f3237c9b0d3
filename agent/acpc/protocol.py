"""The client's side of the ACPC protocol 2.0.0 without any I/O: received bytes become events, actions become bytes.

A dealer sends lines ending in CR LF (LF alone is accepted). A line that starts with ``#`` or ``;`` is a comment, and
every other line is a ``MATCHSTATE``. A client that is to act in a state sends exactly one answer: the line itself, a
colon, and the action. There are no other messages. The match ends with the stream.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.matchstate import MatchState, MatchStateReader
from hedgehog.poker.state import Action
from hedgehog.runtime.errors import MatchError, MatchStateError

HANDSHAKE: Final = b"VERSION:2.0.0\r\n"
"""The first line of every client; the dealer does not answer it."""

MAX_LINE_BYTES: Final = 4096
"""Longest line accepted, line end excluded. The official dealer never sends more than 4095 bytes."""


class LineSplitter:
    """Cuts a byte stream, received in chunks of any size, into lines."""

    def __init__(self, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self._max = max_line_bytes
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Takes received bytes and returns the lines they complete, without their CR LF or LF.

        :raises MatchError: if a line is longer than the limit, complete or not.
        """
        data = self._rest + data
        *lines, self._rest = data.split(b"\n")
        lines = [line.removesuffix(b"\r") for line in lines]
        # An incomplete line may still get the CR of its line end, which does not count.
        if len(data) > self._max and (max(map(len, lines), default=0) > self._max or len(self._rest) > self._max + 1):
            raise MatchError(f"the dealer sent a line of more than {self._max} bytes")
        return lines

    @property
    def rest(self) -> bytes:
        """The received bytes of a line that is not complete yet."""
        return self._rest


class StateEvent(NamedTuple):
    """One state line from the dealer."""

    line: bytes
    """The line as received, without its line end; :func:`format_answer` repeats it."""
    matchstate: MatchState
    our_turn: bool
    """True if the dealer waits for our answer to this line."""


class ClientProtocol:
    """The protocol as one seat sees it, from the handshake to the end of the stream."""

    def __init__(self, gamedef: GameDef) -> None:
        self._reader = MatchStateReader(gamedef)
        self._splitter = LineSplitter()
        self._last: StateEvent | None = None

    def receive(self, data: bytes) -> list[StateEvent]:
        """Takes bytes from the dealer and returns an event for each state line that they complete, in order.

        :raises MatchError: if the dealer sends a line that is not a state of this game.
        """
        return [self._event(line) for line in self._splitter.feed(data) if line[:1] not in {b"#", b";"}]

    def _event(self, line: bytes) -> StateEvent:
        try:
            matchstate = self._reader.parse(line.decode("ascii"))
        except (MatchStateError, UnicodeDecodeError) as error:
            shown = line if len(line) <= 200 else line[:200] + b"..."
            raise MatchError(f"the dealer sent a line that is no state of this game: {shown!r} ({error})") from error
        self._last = StateEvent(line, matchstate, matchstate.state.acting_position == matchstate.position)
        return self._last

    def end_of_stream(self) -> None:
        """Checks, at the end of the stream, that the match ended between two hands.

        :raises MatchError: if the dealer left before the end of the first hand, or in the middle of a hand or line.
        """
        if self._splitter.rest:
            raise MatchError(f"the dealer closed the connection in the middle of a line: {self._splitter.rest[:200]!r}")
        if self._last is None:
            raise MatchError("the dealer closed the connection before the first hand")
        if not self._last.matchstate.state.finished:
            raise MatchError(f"the dealer closed the connection in the middle of hand {self._last.matchstate.hand_id}")


def format_answer(event: StateEvent, action: Action) -> bytes:
    """Returns the bytes of a client's answer to a state line: the line, a colon, the action and CR LF."""
    return event.line + b":" + str(action).encode("ascii") + b"\r\n"
