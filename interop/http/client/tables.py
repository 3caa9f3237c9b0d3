"""The two games from a client's side: deal a hand, act in it, and what to do when the server does not answer.

What may be repeated is repeated with growing pauses: a request that was never sent; of the benchmark also one that it
refused because it is busy (502, 503, 504), and a new hand while all hands of the key are taken (409). Where nobody
knows whether the server has acted, the benchmark is asked for the hand; in Slumbot's game the hand is given up.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

from hedgehog.interop.http.client.connection import Connection, LostError, NotSentError, StatusError
from hedgehog.interop.http.client.remote_hand import RemoteHand, parse_benchmark_answer, parse_slumbot_answer
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.runtime.errors import HedgehogError, InputError, MatchError, StoppedError

T = TypeVar("T")

BUSY: Final = frozenset((502, 503, 504))
_KEY_REFUSED: Final = frozenset((401, 403))
_CONFLICT: Final = 409


class BrokenHandError(HedgehogError):
    """A hand cannot be played on; it is counted and has no result."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How a request is repeated."""

    attempts: int = 20
    first_s: float = 2.0
    """Longest pause after the first attempt; it doubles with every attempt."""
    longest_s: float = 15.0

    def pause_s(self, attempt: int, draw: Callable[[], float] = random.random) -> float:
        """Returns the seconds to wait after an attempt, at random so that several clients do not come back together.

        :param attempt: number of the attempt, from 0.
        """
        window = min(self.longest_s, self.first_s * 2.0 ** min(attempt, 30))
        return window * (0.5 + 0.5 * draw())


class RemoteTable(ABC):
    """One place at a server, at which one hand is played at a time."""

    def __init__(
        self, connection: Connection, gamedef: GameDef, patience: Patience, wait: Callable[[float], bool]
    ) -> None:
        """
        :param wait: waits for a number of seconds; returns True if the run shall end.
        """
        self._connection = connection
        self._gamedef = gamedef
        self._patience = patience
        self._wait = wait

    @abstractmethod
    def new_hand(self) -> RemoteHand:
        """Returns a new hand; our player is to act, or the hand is over.

        :raises BrokenHandError: if the hand cannot be played.
        :raises MatchError: if the server cannot be played with.
        :raises InputError: if it refuses the key.
        """

    @abstractmethod
    def act(self, hand: RemoteHand, word: str) -> RemoteHand:
        """Returns the hand after our action.

        :param hand: the hand before it.
        :param word: the action in the words of :mod:`hedgehog.interop.http.tokens`.
        :raises BrokenHandError: if the hand cannot be played on.
        :raises MatchError: if the server cannot be played with.
        """

    def _repeated(self, request: Callable[[], T], statuses: frozenset[int] = frozenset(), *, lost: bool = False) -> T:
        """Returns the result of a request, which is repeated while the server cannot be reached or is busy.

        :param statuses: statuses after which the request is repeated.
        :param lost: repeat it also if it may have been received.
        :raises MatchError: after the last attempt.
        """
        for attempt in range(self._patience.attempts):
            try:
                return request()
            except (NotSentError, LostError, StatusError) as error:
                if isinstance(error, StatusError) and error.status in _KEY_REFUSED:
                    raise InputError(f"{error} (--key)") from error
                if isinstance(error, StatusError) and error.status not in statuses:
                    raise
                if isinstance(error, LostError) and not lost:
                    raise
                last = error
            if attempt + 1 < self._patience.attempts and self._wait(self._patience.pause_s(attempt)):
                raise StoppedError("stopped while the server did not answer")
        raise MatchError(f"after {self._patience.attempts} attempts: {last}")

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()


def _checked(hand: RemoteHand, before: RemoteHand | None) -> RemoteHand:
    hand.verify(before)
    return hand


class SlumbotTable(RemoteTable):
    """A token of Slumbot's game."""

    token: str = ""
    """The token; empty before the first hand. The server may change it."""

    def new_hand(self) -> RemoteHand:
        body = {"token": self.token} if self.token else {}
        try:
            # Asking again is safe: what is lost is at most a hand that nobody has acted in.
            answer = self._repeated(lambda: self._connection.request("POST", "/new_hand", body), BUSY, lost=True)
        except StatusError as error:
            raise MatchError(str(error)) from error
        self._verify_object(answer)
        if "error_msg" in answer:
            raise MatchError(f"the server says: {str(answer['error_msg'])[:80]}")
        return self._read(answer, None)

    def act(self, hand: RemoteHand, word: str) -> RemoteHand:
        body = {"token": self.token, "incr": word}
        try:
            answer = self._repeated(lambda: self._connection.request("POST", "/act", body))
        except (LostError, StatusError) as error:
            raise BrokenHandError(str(error)) from error
        self._verify_object(answer)
        return self._read(answer, hand)

    def _verify_object(self, answer: object) -> None:
        if not isinstance(answer, dict):
            raise MatchError(f"expected an answer of Slumbot's game, got {str(answer)[:80]!r}")

    def _read(self, answer: dict[str, Any], before: RemoteHand | None) -> RemoteHand:
        token = answer.get("token")
        if isinstance(token, str) and token:
            self.token = token
        try:
            return _checked(parse_slumbot_answer(answer, self._gamedef, before), before)
        except InputError as error:
            raise BrokenHandError(error.message) from error


class BenchmarkTable(RemoteTable):
    """One of the hands that a key of the benchmark may play at the same time."""

    def __init__(
        self,
        connection: Connection,
        gamedef: GameDef,
        patience: Patience,
        wait: Callable[[float], bool],
    ) -> None:
        super().__init__(connection, gamedef, patience, wait)
        self._game_name = f"HUNL {gamedef.stacks[0] / gamedef.big_blind:g}BB"

    def new_hand(self) -> RemoteHand:
        body = {"game_name": self._game_name}
        try:
            answer = self._repeated(lambda: self._connection.request("POST", "/hands", body), BUSY | {_CONFLICT})
        except LostError as error:
            raise BrokenHandError(str(error)) from error
        except StatusError as error:
            raise MatchError(str(error)) from error
        return self._read(answer, None)

    def act(self, hand: RemoteHand, word: str) -> RemoteHand:
        body: dict[str, object] = {"action": word[0]}
        if word[1:]:
            body["amount"] = int(word[1:])
        path = f"/hands/{hand.remote_id}/act"
        for _ in range(self._patience.attempts):
            try:
                return self._read(self._repeated(lambda: self._connection.request("POST", path, body), BUSY), hand)
            except StatusError as error:
                raise BrokenHandError(str(error)) from error
            except LostError as error:
                found = self._find(hand)
                if found is None:
                    raise BrokenHandError(f"{error}; the hand is not in progress any more") from error
                if found.state.betting_string() != hand.state.betting_string():
                    return found
        raise MatchError(f"after {self._patience.attempts} attempts the server has not answered")

    def in_progress(self) -> dict[str, RemoteHand]:
        """Returns the hands of the key that are not over, by their ids; impossible ones are left out.

        :raises MatchError: if the server cannot be played with.
        :raises InputError: if it refuses the key.
        """
        path = "/hands/in-progress?" + urlencode({"game_name": self._game_name})
        try:
            answers = self._repeated(lambda: self._connection.request("GET", path), BUSY, lost=True)
        except StatusError as error:
            raise MatchError(str(error)) from error
        found = {}
        for answer in answers if isinstance(answers, list) else []:
            try:
                hand = _checked(parse_benchmark_answer(answer, self._gamedef, None), None)
            except InputError:
                continue
            found[hand.remote_id] = hand
        return found

    def _find(self, hand: RemoteHand) -> RemoteHand | None:
        return self.in_progress().get(hand.remote_id)

    def _read(self, answer: Any, before: RemoteHand | None) -> RemoteHand:
        if not isinstance(answer, dict):
            raise MatchError(f"expected an answer of the benchmark, got {str(answer)[:80]!r}")
        try:
            return _checked(parse_benchmark_answer(answer, self._gamedef, before), before)
        except InputError as error:
            raise BrokenHandError(error.message) from error
