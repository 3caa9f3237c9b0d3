"""Plays a seating between Python players inside one process, without sockets and text.

Cards, actions, logs and counts are equal to those of a seating over TCP. Every player sees exactly the match states
that a client would parse from the dealer's lines. Errors and illegal actions of a player are repaired as
:mod:`hedgehog.agent.acpc.client` and the dealer repair them. One difference remains: a player that never returns cannot
be stopped, because time limits are checked after an answer. Seatings of benchmark bots alone are played in compiled
code (:mod:`hedgehog.arena.bot_table`).
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from hedgehog.agent.play_record import PlayRecord, is_legal, left_error
from hedgehog.agent.player import Player, observes
from hedgehog.dealer.cards import CardDealer, Deal
from hedgehog.dealer.clock import Clock, TimeLimits
from hedgehog.dealer.journal import LineWriter, encode
from hedgehog.dealer.response import read_action
from hedgehog.dealer.resume import logged_values
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import format_log_line, format_score_line
from hedgehog.poker.acpc.matchstate import MatchState, format_matchstate
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import CALL, Action, HandState
from hedgehog.runtime.errors import MatchError

logger = logging.getLogger(__name__)

_US_PER_S: Final = 1_000_000

ProgressCallback = Callable[[int, Sequence[float]], None]
"""Called with the number of hands played and the chips won so far by each seat."""


class Seat(NamedTuple):
    """A player that is ready for a new match, and the record of its decisions."""

    player: Player
    record: PlayRecord

    @property
    def observes(self) -> bool:
        """Whether the player is shown the states in which it does not act."""
        return observes(self.player)

    def report(self) -> dict[str, object]:
        """Returns the report of the player, equal to that of :meth:`hedgehog.agent.acpc.client.Client.report`."""
        return self.record.report(self.player.name, self.player.report)


class PlayerFaultError(MatchError):
    """A player has answered with something that is no action, or has asked the whole program to end."""

    def __init__(self, seat: Seat, error: MatchError) -> None:
        super().__init__(str(error))
        self.seat = seat


class Score(NamedTuple):
    """The result of a seating."""

    totals: tuple[float, ...]
    """Chips that each seat has won or lost."""
    line: str
    """The ``SCORE:`` line, without line end."""


def play_seating(
    gamedef: GameDef,
    seats: Sequence[Seat],
    names: Sequence[str],
    *,
    num_hands: int,
    seed: int,
    limits: TimeLimits | None = None,
    log: LineWriter | None = None,
    fixed_seats: bool = False,
    on_progress: ProgressCallback | None = None,
    logged: Sequence[str] = (),
    first_hand: int = 0,
) -> Score:
    """Plays a seating between Python players and returns its result.

    :param gamedef: the game.
    :param seats: one per player of the game; their records are updated.
    :param names: names in the log, in seat order.
    :param num_hands: number of hands in the seating.
    :param seed: seed of the cards, 0 .. 2**32 - 1.
    :param limits: limits of thinking time; None: no limits.
    :param log: file for the ``STATE:`` lines and the ``SCORE:`` line. The caller writes the header.
    :param fixed_seats: every seat keeps its position instead of moving on by one from hand to hand.
    :param on_progress: called after every hand.
    :param logged: ``STATE:`` lines of the first hands if they are in the log already. Play goes on after them.
    :param first_hand: number of the first hand. Cards and positions are those of a seating that began at hand 0.
    :raises MatchError: if a seat runs out of time, answers with something that is no action or ends the program, if
        nobody has put in a chip before a showdown, or if a logged hand is not a hand of this match.
    """
    assert len(seats) == len(names) == gamedef.num_players
    totals = [0.0] * gamedef.num_players
    cards = CardDealer(gamedef, seed, first_hand)
    clock = None if limits is None else Clock(limits, gamedef.num_players)
    order = list(range(gamedef.num_players))
    if not fixed_seats:
        order = [(position + first_hand) % gamedef.num_players for position in order]

    def add_up(values: Sequence[float]) -> None:
        for seat, value in zip(order, values, strict=True):
            totals[seat] += value
        if not fixed_seats:
            order.append(order.pop(0))

    for hand_id, line in enumerate(logged, first_hand):
        add_up(logged_values(gamedef, hand_id, line, cards.deal(), "|".join([names[seat] for seat in order])))
    for hand_id in range(first_hand + len(logged), first_hand + num_hands):
        hand = TableHand(gamedef, hand_id, cards.deal(), [seats[seat] for seat in order])
        if clock is not None:
            clock.start_hand()
        while not hand.state.finished:
            spent_us = hand.step()
            seat = order[hand.acted_position]
            if clock is not None and not clock.charge(seat, spent_us):
                cause = f"{names[seat]}, hand {hand_id}: {clock.excess(seat, spent_us)}"
                raise MatchError(f"seat {seat + 1} ran out of time (seat {seat + 1}, {cause})")
        values = payoffs(hand.state, *hand.deal)
        if log is not None:
            positioned = [names[seat] for seat in order]
            line = format_log_line(hand_id, hand.state, hand.deal.hole_cards, hand.board(), values, positioned)
            log.write(encode(line + "\n"))
        add_up(values)
        hand.show_end()
        if on_progress is not None:
            on_progress(hand_id + 1 - first_hand, totals)
    line = format_score_line(totals, names)
    if log is not None:
        log.write(encode(line + "\n"))
    return Score(tuple(totals), line)


class TableHand:
    """One hand: shows the states to the players and performs their actions."""

    def __init__(self, gamedef: GameDef, hand_id: int, deal: Deal, seats: Sequence[Seat]) -> None:
        """Starts a hand.

        :param gamedef: the game; its stacks may differ from those of earlier hands.
        :param hand_id: number of the hand in the match.
        :param deal: the cards of all positions.
        :param seats: in position order.
        """
        self.deal = deal
        self.state = HandState(gamedef)
        self.acted_position = 0
        """The position that acted last."""
        self._gamedef = gamedef
        self._hand_id = hand_id
        self._seats = seats
        self._observers = [position for position, seat in enumerate(seats) if seat.observes]
        nothing: list[tuple[int, ...]] = [()] * gamedef.num_players
        self._private = [
            (*nothing[:position], own, *nothing[position + 1 :]) for position, own in enumerate(deal.hole_cards)
        ]

    def board(self) -> tuple[int, ...]:
        """Returns the board cards of the rounds reached."""
        return self.deal.board[: self._gamedef.board_cards_by(self.state.round)]

    def step(self) -> int:
        """Shows the state to everybody and performs the next action. Returns the time that it took in microseconds."""
        board = self.board()
        self.acted_position = acting = self.state.acting_position
        # Every player gets a state of its own, as over the wire: it may keep it or try actions on it.
        for position in self._observers:
            if position != acting:
                view = MatchState(position, self._hand_id, self._private[position], board, self.state.copy())
                show(self._seats[position], view, self.state)
        view = MatchState(acting, self._hand_id, self._private[acting], board, self.state.copy())
        start = time.monotonic()
        action = decide(self._seats[acting], view, self.state)
        spent_s = time.monotonic() - start
        record = self._seats[acting].record
        record.decisions += 1
        record.times.add(self.state.round, spent_s * 1000)
        self.state.apply(action)
        return int(spent_s * _US_PER_S)

    def show_end(self) -> None:
        """Shows the finished hand to everybody: at a showdown with the cards of all who have not folded."""
        board = self.board()
        folded = self.state.folded
        showdown = self.state.is_showdown
        for seat in self._seats:
            seat.record.hands += 1
        for position in self._observers:
            hole_cards = self._private[position]
            if showdown:
                hole_cards = tuple(
                    () if folded[other] and other != position else hand
                    for other, hand in enumerate(self.deal.hole_cards)
                )
            view = MatchState(position, self._hand_id, hole_cards, board, self.state.copy())
            show(self._seats[position], view, self.state)


def show(seat: Seat, view: MatchState, state: HandState) -> None:
    """Shows a player a state in which it is not to act. An exception of the player is counted, and play goes on.

    :param view: what the player sees, with a state of its own: it may keep or change it.
    :param state: the same state, for messages.
    :raises PlayerFaultError: if the player asks the program to end.
    """
    try:
        seat.player.observe(view)
    except SystemExit as error:
        raise PlayerFaultError(seat, left_error(error)) from error
    except Exception as error:
        seat.record.count_error("observe", error)
        logger.exception("observe() of player %s failed at %r", seat.player.name, _line(view, state))


def show_earlier(seat: Seat, view: MatchState, shown: int) -> int:
    """Shows a player the states of a hand before this one in which it was not to act, with its own cards alone.

    :param view: what the player sees now.
    :param shown: number of actions of the hand that the player has been shown.
    :returns: the number of actions that it has been shown now.
    :raises PlayerFaultError: if the player asks the program to end.
    """
    if seat.observes:
        own = [hand if position == view.position else () for position, hand in enumerate(view.hole_cards)]
        for number, (state, _) in enumerate(view.state.replay()):
            if number >= shown and state.acting_position != view.position:
                board = view.board[: state.gamedef.board_cards_by(state.round)]
                show(seat, MatchState(view.position, view.hand_id, tuple(own), board, state.copy()), state)
    return sum(map(len, view.state.actions))


def decide(seat: Seat, view: MatchState, state: HandState, deadline: float = math.inf) -> Action:
    """Asks a player and returns a legal action: what a client and the dealer would make of its answer.

    :param view: what the player sees, with a state of its own: it may keep or change it.
    :param state: the same state, for the check of the answer.
    :param deadline: instant of :func:`time.monotonic` by which the player must have answered.
    :raises PlayerFaultError: if the answer is no action, or the player asks the program to end.
    """
    try:
        action = seat.player.act(view, deadline)
    except SystemExit as error:
        raise PlayerFaultError(seat, left_error(error)) from error
    except Exception as error:
        seat.record.count_error("act", error)
        logger.exception("act() of player %s failed at %r", seat.player.name, _line(view, state))
        return CALL
    try:
        legal = is_legal(action, view.state, seat.player.name)  # the player may have changed its state
    except MatchError as error:
        raise PlayerFaultError(seat, error) from error
    if not legal:
        seat.record.count_illegal(action)
        logger.error("illegal action %r at %r, calling", str(action), _line(view, state))
        return CALL
    if type(action) is Action and type(action.size) is int and state.can(action):
        return action
    return read_action(f":{action}", 0, state)[0]  # odd, but it may have a meaning on the wire


def _line(view: MatchState, state: HandState) -> str:
    """Returns the line in which a player would have been shown a state."""
    return format_matchstate(MatchState(view.position, view.hand_id, view.hole_cards, view.board, state))
