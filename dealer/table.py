"""A match without I/O: answers of the seats go in, events (lines to send, log lines, warnings) come out.

The table asks one seat at a time. Its caller, for example a TCP server, delivers the events of :meth:`Table.start`.
Then it passes the next line of the seat :attr:`Table.acting_seat` to :meth:`Table.receive` and delivers the events that
are returned, until the match is over. Lines of other seats have to wait. The caller passes in the time, in
microseconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from hedgehog.dealer.answers import AnswerBook
from hedgehog.dealer.cards import CardDealer
from hedgehog.dealer.clock import Clock, TimeLimits
from hedgehog.dealer.response import BAD_STATE, UNREQUESTED, answers, read_action, scan_state
from hedgehog.dealer.resume import logged_values
from hedgehog.dealer.transactions import Transaction, format_transaction
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import format_score_line, join_log_line
from hedgehog.poker.cards import format_cards
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import HandState
from hedgehog.runtime.errors import MatchError

NO_SEAT: Final = -1
"""Value of :attr:`Table.acting_seat` when the match is over."""
_HANDS_PER_TIME_REPORT = 100
_COMMENT_STARTS: Final = ("#", ";")


class Send(NamedTuple):
    """A line to be sent to one seat."""

    seat: int
    """Index of the seat, from 0."""
    line: str
    """The line with its CR LF."""


class LogLine(NamedTuple):
    """A line for the match log, without line end."""

    line: str


class Warn(NamedTuple):
    """A warning about an answer that was dropped or repaired."""

    message: str
    """One of the texts of :mod:`hedgehog.dealer.response`."""
    seat: int
    """Index of the seat, from 0."""
    hand_id: int
    """Number of the hand, from 0."""


class Report(NamedTuple):
    """A message for whoever watches the match, without line end."""

    message: str


class Acted(NamedTuple):
    """Tells the caller of a table that an action was performed."""

    transaction: Transaction
    """The action with its times, as the transaction log records it."""


class MatchOver(NamedTuple):
    """The last hand is finished."""

    score_line: str
    """The ``SCORE:`` line, without line end."""


Event = Send | LogLine | Warn | Report | Acted | MatchOver
"""What a :class:`Table` returns for its caller to carry out."""


class _Seating(NamedTuple):
    """Who sits where in a hand."""

    positions: list[int]
    """The position of each seat."""
    seats: list[int]
    """The seat of each position."""
    names: str
    """The names of the players in position order, separated by ``|``."""

    @classmethod
    def rotated(cls, names: Sequence[str], rotation: int) -> _Seating:
        """Returns the seating in which position 0 belongs to seat number ``rotation``."""
        count = len(names)
        seats = [(position + rotation) % count for position in range(count)]
        positions = [(seat - rotation) % count for seat in range(count)]
        return cls(positions, seats, "|".join([names[seat] for seat in seats]))


class Table:
    """The state of one match between players who answer with lines of the ACPC protocol."""

    acting_seat: int
    """The seat whose line :meth:`receive` expects, or :data:`NO_SEAT`."""
    sent_us: int
    """When the acting seat was asked, in microseconds since the epoch."""
    totals: list[float]
    """Chips that each seat has won or lost so far."""

    def __init__(
        self,
        gamedef: GameDef,
        names: Sequence[str],
        *,
        num_hands: int,
        seed: int,
        limits: TimeLimits,
        fixed_seats: bool = False,
        answers: AnswerBook | None = None,
        first_hand: int = 0,
    ) -> None:
        """Prepares a match; nothing is dealt yet.

        :param gamedef: the game.
        :param names: names of the players, one per seat.
        :param num_hands: number of hands in the match.
        :param seed: seed of the cards, 0 .. 2**32 - 1.
        :param limits: limits of thinking time.
        :param fixed_seats: every seat keeps its position instead of moving on by one from hand to hand.
        :param answers: book in which the answers of the seats are counted; None: they are not counted.
        :param first_hand: number of the first hand. Cards and positions are those of a match that began at hand 0.
        """
        assert len(names) == gamedef.num_players
        self.gamedef = gamedef
        self.names = list(names)
        self.num_hands = num_hands
        self.clock = Clock(limits, gamedef.num_players)
        self.fixed_seats = fixed_seats
        self.answers = answers
        self.totals = [0.0] * gamedef.num_players
        self.acting_seat = NO_SEAT
        self.sent_us = 0
        self._cards = CardDealer(gamedef, seed, first_hand)
        self._new_state = HandState(gamedef)
        self._board_ends = [gamedef.board_cards_by(index) for index in range(gamedef.num_rounds)]
        rotations = range(1 if fixed_seats else gamedef.num_players)
        self._seatings = [_Seating.rotated(self.names, rotation) for rotation in rotations]
        self._prompt = ""
        """Start of the answer that the acting seat should give: the line it was sent and a colon."""
        self._hand_id = first_hand - 1
        self._end = first_hand + num_hands
        """Number of the hand that is not played any more."""
        self._next_hand()

    def _next_hand(self) -> None:
        num_players = self.gamedef.num_players
        self._hand_id += 1
        self._seating = self._seatings[self._hand_id % len(self._seatings)]
        self._state = self._new_state.copy()
        self._deal = self._cards.deal()
        self.clock.start_hand()
        self._hand_texts = [format_cards(hand) for hand in self._deal.hole_cards]
        positions = self._seating.positions
        self._hands_seen = [
            f":{'|' * position}{self._hand_texts[position]}{'|' * (num_players - 1 - position)}"
            for position in positions
        ]
        self._line_starts = [f"MATCHSTATE:{position}:{self._hand_id}:" for position in positions]
        self._board_text = ""
        self._shown_rounds = 0
        self._show_board()

    def _board(self) -> tuple[int, ...]:
        return self._deal.board[: self._board_ends[self._state.round]]

    def _show_board(self) -> None:
        """Adds the board cards up to the current round to the end of the state lines."""
        for index in range(self._shown_rounds, self._state.round + 1):
            start = self._board_ends[index - 1] if index else 0
            slash = "/" if index else ""
            self._board_text += slash + format_cards(self._deal.board[start : self._board_ends[index]])
        self._shown_rounds = self._state.round + 1
        end = self._board_text + "\r\n"
        self._line_ends = [hands + end for hands in self._hands_seen]

    def _show_hands(self) -> None:
        """Adds the hands of all who have not folded to the end of the state lines."""
        shown = ["" if folded else hand for hand, folded in zip(self._hand_texts, self._state.folded, strict=True)]
        end = self._board_text + "\r\n"
        self._line_ends = [
            ":" + "|".join([*shown[:position], self._hand_texts[position], *shown[position + 1 :]]) + end
            for position in self._seating.positions
        ]

    def _send_state(self, now_us: int, events: list[Event]) -> None:
        """Sends the state to every seat and notes who has to answer."""
        state = self._state
        if state.round >= self._shown_rounds:
            self._show_board()
        if state.finished and state.is_showdown:
            self._show_hands()
        betting = state.betting_string()
        acting = NO_SEAT if state.finished else self._seating.seats[state.acting_position]
        ends = self._line_ends
        for seat, start in enumerate(self._line_starts):
            line = start + betting + ends[seat]
            events.append(Send(seat, line))
            if seat == acting:
                self.acting_seat = seat
                self.sent_us = now_us
                self._prompt = line[:-2] + ":"

    def score_line(self) -> str:
        """Returns the ``SCORE:`` line for the hands played so far, without line end. Players are in seat order."""
        return format_score_line(self.totals, self.names)

    def fault(self, seat: int, cause: str) -> str:
        """Returns the end of an error message that says who is at fault and why, if answers are recorded.

        It is empty if they are not: the official dealer names no player and no cause.

        :param seat: index of the seat, from 0.
        """
        if self.answers is None:
            return ""
        hand = f", hand {self._hand_id}" if self.sent_us else ""
        return f" (seat {seat + 1}, {self.names[seat]}{hand}: {cause})"

    def skip_hands(self, lines: Sequence[str]) -> None:
        """Counts the hands in the log of an interrupted match as played. The match goes on with the hand after them.

        The time that the seats have spent in these hands is not known. The time limit for the whole match is reduced in
        proportion to the number of hands that are left.

        :param lines: the ``STATE:`` lines of the log, without line ends.
        :raises MatchError: if a line is not the next hand of this match. The table is of no use then.
        """
        for line in lines:
            if self._hand_id >= self._end:
                raise MatchError(f"hand {self._hand_id} in the match log: the match has {self.num_hands} hands only")
            self._add_up(logged_values(self.gamedef, self._hand_id, line, self._deal, self._seating.names))
            self._next_hand()
        limits = self.clock.limits
        match_us = limits.match_us * (self.num_hands - len(lines)) // self.num_hands
        self.clock.limits = replace(limits, match_us=match_us)

    def start(
        self, now_us: int, transactions: Iterable[Transaction] = (), logged_hands: int | None = None
    ) -> list[Event]:
        """Starts the match, or resumes it after the actions of a transaction log, and returns the first events.

        :param now_us: time in microseconds since the epoch.
        :param transactions: the actions of an interrupted match, in order.
        :param logged_hands: number of hands that the match log already holds. Hands of the transactions that it lacks
            become log lines. None: no hand of the transactions becomes a log line.
        :raises MatchError: if the transactions do not belong to this match, or lack a hand of the match log.
        """
        events: list[Event] = []
        for transaction in transactions:
            if self._hand_id == self._end:
                break
            self._replay(transaction, logged_hands, events)
        if logged_hands is not None and logged_hands > self._hand_id:
            raise MatchError(f"hand {self._hand_id} is in the match log, but not in the transaction log")
        if self._hand_id == self._end:
            events.append(MatchOver(self.score_line()))
        else:
            self._send_state(now_us, events)
        return events

    def _replay(self, transaction: Transaction, logged_hands: int | None, events: list[Event]) -> None:
        line = format_transaction(transaction)
        if transaction.hand_id != self._hand_id:
            raise MatchError(f"handId mismatch in transaction log: {line}")
        if not self._state.can(transaction.action):
            raise MatchError(f"invalid action in transaction log: {line}")
        seat = self._seating.seats[self._state.acting_position]
        if not self.clock.charge(seat, transaction.received_us - transaction.sent_us):
            raise MatchError(f"seat {seat + 1} ran out of time in transaction file")
        self._state.apply(transaction.action)
        if self._state.finished:
            finished = self._finish_hand()
            if logged_hands is not None and self._hand_id >= logged_hands:
                events.append(finished)
            self._next_hand()

    def _add_up(self, values: Sequence[float]) -> None:
        """Adds what every position has won in a hand to the totals."""
        for seat, value in zip(self._seating.seats, values, strict=True):
            self.totals[seat] += value

    def _finish_hand(self) -> LogLine:
        """Adds the values of a finished hand to the totals and returns its line for the log."""
        values = payoffs(self._state, *self._deal)
        self._add_up(values)
        if self._state.round >= self._shown_rounds:
            self._show_board()
        cards = "|".join(self._hand_texts) + self._board_text
        betting = self._state.betting_string()
        return LogLine(join_log_line(self._hand_id, betting, cards, values, self._seating.names))

    def receive(self, line: str, now_us: int) -> list[Event]:
        """Takes the next line of the acting seat and returns the events that follow from it.

        Comments and lines that do not answer the current state are dropped. The seat then remains the acting one. A
        comment is free of charge, unless an answer at its time would be too late.

        :param line: the line, with its line end if it has one.
        :param now_us: time at which the line arrived, in microseconds since the epoch.
        :raises MatchError: if the seat has run out of time, or nobody has put in a chip before a showdown.
        """
        exact = line.startswith(self._prompt)
        seat, spent_us = self.acting_seat, now_us - self.sent_us
        if not exact and line.startswith(_COMMENT_STARTS) and self.clock.allows(seat, spent_us):
            return []
        if not self.clock.charge(seat, spent_us):
            raise MatchError(f"seat {seat + 1} ran out of time{self.fault(seat, self.clock.excess(seat, spent_us))}")
        if exact:
            colon = len(self._prompt) - 1
        else:
            echoed = scan_state(line, self.gamedef)
            if echoed is None:
                return [self._ignore(BAD_STATE, line)]
            position = self._state.acting_position
            if not answers(echoed, position, self._hand_id, self._state, self._deal.hole_cards, self._board()):
                return [self._ignore(UNREQUESTED, line)]
            colon = echoed.end
        action, warnings = read_action(line, colon, self._state)
        events: list[Event] = [Warn(warning, seat, self._hand_id) for warning in warnings] if warnings else []
        if self.answers is not None:
            self.answers.answered(seat, self._state.round, spent_us)
            for warning in warnings:
                self.answers.warned(seat, self._hand_id, warning, line, str(action))
        events.append(Acted(Transaction(action, self._hand_id, self.sent_us, now_us)))
        self._state.perform(action)
        if self._state.finished:
            self._end_hand(now_us, events)
        else:
            self._send_state(now_us, events)
        return events

    def _ignore(self, warning: str, line: str) -> Warn:
        if self.answers is not None:
            self.answers.warned(self.acting_seat, self._hand_id, warning, line, "")
        return Warn(warning, self.acting_seat, self._hand_id)

    def _end_hand(self, now_us: int, events: list[Event]) -> None:
        """Logs a finished hand, shows it to every seat and starts the next one."""
        events.append(self._finish_hand())
        if self.answers is not None:
            self.answers.finish_hand()
        self._send_state(now_us, events)
        if self._hand_id % _HANDS_PER_TIME_REPORT == 0:
            for seat, spent_us in enumerate(self.clock.match_us):
                seconds = spent_us // 1_000_000
                events.append(Report(f"Seconds cumulatively spent in match for seat {seat}: {seconds}"))
        self.acting_seat = NO_SEAT
        self._next_hand()
        if self._hand_id == self._end:
            events.append(MatchOver(self.score_line()))
        else:
            self._send_state(now_us, events)
