"""The book of a served game: who plays, which hands are open, and how all others ended. There is no I/O in it.

Everything that happens is an *event*, a small JSON object. The book changes by :meth:`Book.apply` alone. So the events
that :mod:`hedgehog.interop.http.store` has written before a crash, applied in order, give the same book again::

    {"event": "session", "session": 0, "protocol": "slumbot", "key": TOKEN, "name": NAME}
    {"event": "deal", "hand": 0, "session": 0}           the cards are those of the seed and the number of the hand
    {"event": "play", "hand": 0, "betting": "r300c/"}    the whole betting, when it is the client's turn
    {"event": "over", "hand": 0, "betting": "r300f", "log": 0, "aivat": -12.5}
    {"event": "left", "hand": 0, "why": "..."}           closed without a result

The number of a deal counts all hands that were dealt, the number in the log all hands that were played to their end.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from hedgehog.dealer.cards import CardDealer, Deal
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import format_log_line
from hedgehog.poker.acpc.matchstate import MatchState, format_matchstate, parse_betting
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import HandState
from hedgehog.runtime.errors import InputError

Event = dict[str, Any]

SLUMBOT: Final = "slumbot"
BENCHMARK: Final = "benchmark"
PROTOCOLS: Final = (SLUMBOT, BENCHMARK)


@dataclass(slots=True, eq=False)
class Session:
    """One client: a Slumbot token, or a key of the benchmark."""

    number: int
    protocol: str
    key: str
    """What the client sends to be known again."""
    name: str
    """Its name in the log."""
    dealt: int = 0
    """Hands dealt to it; the client has the big blind in the first, and the positions alternate."""
    left: int = 0
    """Hands closed without a result."""
    winnings: list[int] = field(default_factory=list)
    """Chips that the client has won, by hand that was played to its end."""
    aivat: list[float] = field(default_factory=list)
    """AIVAT value for the client of every hand that has one."""
    baseline: int = 0
    """Chips that were luck in hands with an AIVAT value, rounded hand by hand."""
    open: dict[int, ServedHand] = field(default_factory=dict)
    """Hands that are played, by their number."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while a request of the client is answered, in a game of one hand at a time."""

    @property
    def last(self) -> ServedHand | None:
        """The hand dealt last, if it is still played."""
        return next(reversed(self.open.values()), None)


@dataclass(slots=True, eq=False)
class ServedHand:
    """One hand that is played."""

    number: int
    """Number of the deal."""
    session: Session
    position: int
    """Position of the client: 0 the big blind, 1 the button."""
    deal: Deal
    state: HandState
    """The hand after the last answer to the client."""
    used: float = field(default_factory=time.monotonic)
    """When the client last asked about the hand, by :func:`time.monotonic`."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while a request about the hand is answered."""

    @property
    def client_acted(self) -> bool:
        """Whether the client has acted in the hand."""
        return any(position == self.position for street in self.state.actions for position, _ in street)

    def board(self, state: HandState) -> tuple[int, ...]:
        """Returns the board cards that are dealt in a state."""
        return self.deal.board[: state.gamedef.board_cards_by(state.round)]

    def line(self, state: HandState) -> str:
        """Returns a state as our player sees it, as a MATCHSTATE line."""
        ours = 1 - self.position
        cards = [hand if position == ours or state.is_showdown else () for position, hand in enumerate(self._cards)]
        return format_matchstate(MatchState(ours, self.number, tuple(cards), self.board(state), state))

    @property
    def _cards(self) -> tuple[tuple[int, ...], ...]:
        return self.deal.hole_cards

    def winnings(self, state: HandState) -> int:
        """Returns the chips that the client has won in a finished state."""
        return round(payoffs(state, self._cards, self.deal.board)[self.position])

    def log_line(self, state: HandState, number: int, player: str) -> str:
        """Returns the ``STATE:`` line of a finished state.

        :param number: number of the hand in the log.
        :param player: name of our player.
        """
        names = [self.session.name if position == self.position else player for position in range(2)]
        values = payoffs(state, self._cards, self.deal.board)
        return format_log_line(number, state, self._cards, self.board(state), values, names)


@dataclass(frozen=True, slots=True)
class EndedHand:
    """How a hand ended."""

    winnings: int
    """Chips that the client has won."""
    aivat: float | None
    """AIVAT value for the client in chips, if it was computed."""


class Book:
    """Sessions and hands of one served game."""

    def __init__(self, gamedef: GameDef, seed: int, player: str) -> None:
        """Opens an empty book.

        :param gamedef: the game.
        :param seed: seed of the cards.
        :param player: name of our player in the log.
        """
        self.gamedef = gamedef
        self.player = player
        self.sessions: list[Session] = []
        self.by_key: dict[tuple[str, str], Session] = {}
        """Protocol and key -> session."""
        self.hands: dict[int, ServedHand] = {}
        """Hands that are played, by number."""
        self.owners: list[Session] = []
        """The session to which each hand was dealt."""
        self.logged = 0
        """Number of hands that were played to their end."""
        self._cards = CardDealer(gamedef, seed)
        self._names: set[str] = {player.lower()}

    def session_event(self, protocol: str, key: str, name: str | None = None) -> Event:
        """Returns the event of a new session.

        :param name: name that the client asks for; None or a name that is taken gives a numbered one.
        """
        number = len(self.sessions)
        if name is None or name.lower() in self._names:
            base, count = name or protocol, number + 1
            while f"{base}_{count}".lower() in self._names:
                count += 1
            name = f"{base}_{count}"
        return {"event": "session", "session": number, "protocol": protocol, "key": key, "name": name}

    def deal_event(self, session: Session) -> Event:
        """Returns the event of a new hand."""
        return {"event": "deal", "hand": len(self.owners), "session": session.number}

    def apply(self, event: Mapping[str, Any]) -> None:
        """Changes the book by an event.

        :raises InputError: if the event cannot come next.
        """
        try:
            self._apply[str(event["event"])](self, event)
        except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
            raise InputError(f"not an event that can come next: {str(dict(event))[:120]} ({error})") from error

    def _open_session(self, event: Mapping[str, Any]) -> None:
        protocol, key, name = str(event["protocol"]), str(event["key"]), str(event["name"])
        if event["session"] != len(self.sessions) or protocol not in PROTOCOLS or (protocol, key) in self.by_key:
            raise ValueError("another session was expected")
        session = Session(len(self.sessions), protocol, key, name)
        self.sessions.append(session)
        self.by_key[protocol, key] = session
        self._names.add(name.lower())

    def _deal(self, event: Mapping[str, Any]) -> None:
        number, session = event["hand"], self.sessions[int(event["session"])]
        if number != len(self.owners):
            raise ValueError("another hand was expected")
        hand = ServedHand(number, session, session.dealt % 2, self._cards.deal(), HandState(self.gamedef))
        session.dealt += 1
        session.open[number] = self.hands[number] = hand
        self.owners.append(session)

    def _play(self, event: Mapping[str, Any]) -> None:
        state = parse_betting(str(event["betting"]), self.gamedef)
        if state.finished:
            raise ValueError("the hand is over")
        self.hands[event["hand"]].state = state

    def _end(self, event: Mapping[str, Any]) -> None:
        state = parse_betting(str(event["betting"]), self.gamedef)
        aivat = None if event["aivat"] is None else float(event["aivat"])
        if not state.finished or event["log"] != self.logged:
            raise ValueError("the hand is not over, or another number was expected")
        hand = self.hands[event["hand"]]
        winnings, session = hand.winnings(state), hand.session
        hand.state = state
        session.winnings.append(winnings)
        if aivat is not None:
            session.aivat.append(aivat)
            session.baseline += baseline(EndedHand(winnings, aivat))
        self.logged += 1
        self._close(hand)

    def _leave(self, event: Mapping[str, Any]) -> None:
        hand = self.hands[event["hand"]]
        hand.session.left += 1
        self._close(hand)

    def _close(self, hand: ServedHand) -> None:
        del self.hands[hand.number], hand.session.open[hand.number]

    _apply: Final = {"session": _open_session, "deal": _deal, "play": _play, "over": _end, "left": _leave}


def baseline(ended: EndedHand) -> int:
    """Returns the chips of a client's winnings that AIVAT counts as luck, rounded; 0 without an AIVAT value."""
    return 0 if ended.aivat is None else round(ended.winnings - ended.aivat)
