"""Plays the hands of all clients: the book, the files and the pool of players together, without HTTP."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Final

from hedgehog.interop.http.book import BENCHMARK, EndedHand, ServedHand, Session
from hedgehog.interop.http.pool import PlayerPool
from hedgehog.interop.http.store import Store
from hedgehog.interop.http.tokens import parse_token
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.state import Action, HandState
from hedgehog.runtime.errors import HedgehogError, InputError, MatchError

logger = logging.getLogger(__name__)

MOST_OPEN_HANDS: Final = 20
"""Hands that one key of the benchmark may play at the same time."""
MOST_SESSIONS: Final = 100_000
LONGEST_WAIT_S: Final = 60.0
"""Time in the queue of a player's process from which on the server of the benchmark says that it is busy."""
LEFT_AFTER_S: Final = 1800.0
"""Seconds without a request after which a hand counts as left by its client."""
_LOOK_EVERY_S: Final = 5.0


class GoneError(InputError):
    """The hand is not played any more."""


class BusyError(HedgehogError):
    """Too much is asked for at this moment; nothing has changed."""


class FullError(HedgehogError):
    """The client plays as many hands as it may at the same time; nothing was dealt."""


class Service:
    """One served game. All methods are called in one event loop."""

    def __init__(self, store: Store, pool: PlayerPool, *, left_after_s: float = LEFT_AFTER_S) -> None:
        """
        :param store: the files; the caller closes them.
        :param pool: the players, started.
        :param left_after_s: seconds without a request after which a hand is closed without a result.
        """
        self.store = store
        self.book = store.book
        self._pool = pool
        self._left_after_s = left_after_s

    @property
    def gamedef(self) -> GameDef:
        """The game of all hands."""
        return self.book.gamedef

    def session_of_key(self, protocol: str, key: str) -> Session | None:
        """Returns the session of a key, None if there is none yet."""
        return self.book.by_key.get((protocol, key))

    def open_session(self, protocol: str, key: str, name: str | None = None) -> Session:
        """Returns the session of a key, which is opened if there is none yet.

        :param name: name that the client asks for.
        :raises BusyError: if there are too many sessions.
        :raises MatchError: if it cannot be written to disk.
        """
        if (protocol, key) not in self.book.by_key:
            if len(self.book.sessions) >= MOST_SESSIONS:
                raise BusyError("too many clients")
            self.store.write(self.book.session_event(protocol, key, name))
        return self.book.by_key[protocol, key]

    def refuse_if_busy(self, hand: ServedHand | None = None) -> None:
        """Refuses a request of the benchmark that would wait too long.

        :param hand: the hand that is asked about; None for a new one.
        :raises BusyError: if the player's process has too much to do.
        """
        if self._pool.expected_wait_s(None if hand is None else hand.number) > LONGEST_WAIT_S:
            raise BusyError("the player is busy, try again")

    async def new_hand(self, session: Session) -> tuple[ServedHand, EndedHand | None]:
        """Deals a hand and plays it until it is the client's turn.

        :returns: the hand, and how it ended if our player has folded at once.
        :raises FullError: if a client of the benchmark plays too many hands.
        :raises MatchError: if it cannot be written to disk, or the player failed.
        """
        if session.protocol == BENCHMARK and len(session.open) >= MOST_OPEN_HANDS:
            raise FullError(f"expected at most {MOST_OPEN_HANDS} hands at a time: finish one")
        number = len(self.book.owners)
        self.store.write(self.book.deal_event(session))
        hand = self.book.hands[number]
        async with hand.lock:
            return hand, await self._answer(hand, hand.state.copy())

    async def refresh(self, hand: ServedHand) -> EndedHand | None:
        """Plays on in a hand in which our player had not answered when the server ended.

        The caller holds the lock of the hand.

        :returns: how it ended, if it did.
        """
        self._verify_open(hand)
        return await self._answer(hand, hand.state.copy()) if self._is_ours(hand, hand.state) else None

    async def act(self, hand: ServedHand, word: str) -> EndedHand | None:
        """Performs a client's action and plays until it is the client's turn again, or the hand is over.

        Either all of it happens and is on disk when the method returns, or nothing. The caller holds the lock.

        :param word: the action in the words of :mod:`hedgehog.interop.http.tokens`.
        :returns: how the hand ended, if it did.
        :raises GoneError: if the hand is not played any more.
        :raises InputError: if the action is malformed or not legal.
        :raises MatchError: if it cannot be written to disk, or the player failed.
        """
        self._verify_open(hand)
        ended = await self.refresh(hand)
        if ended is not None:
            raise GoneError("the hand is over")
        state = hand.state.copy()
        state.perform(parse_token(word, state))
        return await self._answer(hand, state)

    def leave(self, hand: ServedHand, why: str) -> None:
        """Closes a hand without a result.

        :raises MatchError: if it cannot be written to disk.
        """
        self._verify_open(hand)
        self.store.write({"event": "left", "hand": hand.number, "why": why})
        self._pool.forget(hand.number)

    def _verify_open(self, hand: ServedHand) -> None:
        hand.used = time.monotonic()
        if hand.number not in self.book.hands:
            raise GoneError("the hand is over")

    def _is_ours(self, hand: ServedHand, state: HandState) -> bool:
        return not state.finished and state.acting_position != hand.position

    async def _answer(self, hand: ServedHand, state: HandState) -> EndedHand | None:
        """Lets our player act in ``state``, a copy, and writes down what has happened."""
        while self._is_ours(hand, state):
            text = await asyncio.wrap_future(self._pool.act(hand.number, hand.line(state)))
            state.apply(Action(text[0], int(text[1:] or 0)))
        self._verify_open(hand)
        if not state.finished:
            if state.betting_string() != hand.state.betting_string():
                self.store.write({"event": "play", "hand": hand.number, "betting": state.betting_string()})
            return None
        return await self._end(hand, state)

    async def _end(self, hand: ServedHand, state: HandState) -> EndedHand:
        """Writes down a hand that is over, with the number that the log has then: other hands may end meanwhile."""
        draft = hand.log_line(state, self.book.logged, self.book.player)
        finished = await asyncio.wrap_future(self._pool.finish(hand.number, hand.line(state), draft))
        aivat, recorded = finished.aivat, finished.recorded
        self._verify_open(hand)
        number = self.book.logged
        if recorded is not None:
            self.store.write_record(recorded._replace(hand_id=number))
        event = {"event": "over", "hand": hand.number, "betting": state.betting_string(), "log": number, "aivat": aivat}
        self.store.write(event)
        try:
            self.store.write_hand(hand.log_line(state, number, self.book.player))
        except MatchError as error:  # the events hold the hand
            logger.error("%s", error)
        return EndedHand(hand.winnings(state), aivat)

    async def close_left_hands(self) -> None:
        """Closes hands whose clients have gone, until it is cancelled."""
        while True:
            await asyncio.sleep(min(_LOOK_EVERY_S, self._left_after_s / 4))
            old = time.monotonic() - self._left_after_s
            for hand in list(self.book.hands.values()):
                if hand.used < old and not hand.lock.locked() and not hand.session.lock.locked():
                    try:
                        self.leave(hand, f"no request for {self._left_after_s:.0f} s")
                    except MatchError as error:
                        logger.error("%s", error)
                        break
