"""Matches inside one process, without sockets and text, equal to a match over TCP: same cards, actions, logs, counts.

Two tables do it. Benchmark bots play in compiled code (:mod:`arena.bot_table`); any Python players play here. Every
player sees exactly the match states a client would parse from the dealer's lines, and what goes wrong in it is
repaired as :mod:`agent.client` and the dealer do. One difference remains: a player that never returns cannot be
stopped; time limits are checked when it has answered.
"""

from __future__ import annotations

import json
import logging
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from arena.match import MatchPlan, PlayedSeating, player_seed
from dealer.cards import CardDealer, Deal
from dealer.journal import LineFile, LineWriter
from dealer.response import read_action
from dealer.resume import read_logged_hands
from dealer.server import encode
from dealer.table import HAND_MS, PER_HAND_MS, RESPONSE_MS, TimeLimits
from poker.acpc.gamedef import GameDef, read_gamedef
from poker.acpc.handlog import LogHeader, format_log_head, format_log_line, format_values, scan_log_line
from poker.acpc.matchstate import MatchState, format_matchstate, parse_betting
from poker.showdown import payoffs
from poker.state import CALL, Action, HandState
from runtime.documents import json_document
from runtime.errors import HedgehogError, InputError, MatchError, ResourceError
from runtime.files import write_text_file

logger = logging.getLogger(__name__)

_DEFAULT_LIMITS_MS: Final = {"--t_response": RESPONSE_MS, "--t_hand": HAND_MS, "--t_per_hand": PER_HAND_MS}
_US_PER_S: Final = 1_000_000

ProgressCallback = Callable[[int, Sequence[float]], None]
"""(hands played, chips won so far per seat)."""


class Player(Protocol):
    """What sits at the table; the players of :mod:`agent` do. See :class:`agent.player.Player`."""

    name: str

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        """Chooses an action; ``deadline`` is infinite."""

    def observe(self, matchstate: MatchState) -> None:
        """Takes note of a state in which it is not this player's turn."""

    def report(self) -> Mapping[str, object]:
        """Returns the player's own statistics, as JSON-serialisable values."""


class Times(Protocol):
    """Collects decision times; :class:`poker.decision_times.DecisionTimes` does."""

    def add(self, street: int, ms: float) -> None:
        """Records one decision in a betting round."""


class Record(Protocol):
    """Counts what a player does; :class:`agent.client.MatchRecord` does, which documents the fields."""

    hands: int
    decisions: int
    player_errors: int
    illegal_actions: int

    @property
    def times(self) -> Times:
        """Where decision times go."""

    def as_dict(self) -> dict[str, object]:
        """Returns the record as JSON-serialisable values."""


class Seat(NamedTuple):
    """A player that is ready for a new match, and its record."""

    player: Player
    record: Record

    def report(self) -> dict[str, object]:
        """Returns the report :meth:`agent.client.Client.report` would give."""
        try:
            own = dict(self.player.report())
        except Exception:
            logger.exception("the player's report failed")
            own = {}
        return {"name": self.player.name, **self.record.as_dict(), "player": own}


class Score(NamedTuple):
    """The result of a seating."""

    totals: tuple[float, ...]
    """Chips won or lost per seat."""
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
) -> Score:
    """Plays a match between Python players.

    :param seats: one per player of the game; the records are updated.
    :param names: names in the log, in seat order.
    :param seed: 0 .. 2**32 - 1, decides the cards.
    :param limits: thinking time of every seat; None: no limits.
    :param log: where to write the ``STATE:`` lines and the ``SCORE:`` line; the header is the caller's.
    :param fixed_seats: every seat keeps its position instead of moving on by one from hand to hand.
    :param on_progress: called after every hand.
    :param logged: the first hands as they are in the log already (``STATE:`` lines); the match goes on after them.
    :raises MatchError: if a seat runs out of time or answers with something that is no action, if nobody has put in a
        chip before a showdown, or if a logged hand is not one of this match.
    """
    assert len(seats) == len(names) == gamedef.num_players
    totals = [0.0] * gamedef.num_players
    cards = CardDealer(gamedef, seed)
    clock = _Clock(limits, gamedef.num_players)
    order = list(range(gamedef.num_players))
    for hand_id, line in enumerate(logged):
        values = _logged_values(gamedef, hand_id, line, cards.deal(), [names[seat] for seat in order])
        for seat, value in zip(order, values, strict=True):
            totals[seat] += value
        if not fixed_seats:
            order.append(order.pop(0))
    for hand_id in range(len(logged), num_hands):
        hand = _Hand(gamedef, hand_id, cards.deal(), [seats[seat] for seat in order])
        clock.start_hand()
        while not hand.state.finished:
            spent_us = hand.step()
            clock.charge(order[hand.acted_position], spent_us)
        values = payoffs(hand.state, *hand.deal)
        for seat, value in zip(order, values, strict=True):
            totals[seat] += value
        if log is not None:
            positioned = [names[seat] for seat in order]
            line = format_log_line(hand_id, hand.state, hand.deal.hole_cards, hand.board(), values, positioned)
            log.write(encode(line + "\n"))
        hand.show_end()
        if not fixed_seats:
            order.append(order.pop(0))
        if on_progress is not None:
            on_progress(hand_id + 1, totals)
    line = f"SCORE:{format_values(totals)}:{'|'.join(names)}"
    if log is not None:
        log.write(encode(line + "\n"))
    return Score(tuple(totals), line)


def _logged_values(gamedef: GameDef, hand_id: int, line: str, deal: Deal, names: Sequence[str]) -> Sequence[float]:
    """Returns what every position won in a logged hand.

    :raises MatchError: if the hand was not dealt so.
    """
    try:
        state = parse_betting(scan_log_line(line).betting, gamedef)
        if not state.finished:
            raise InputError("the hand is not finished")
    except InputError as error:
        raise MatchError(f"hand {hand_id} in the match log: {error.message}") from error
    values = payoffs(state, *deal)
    board = deal.board[: gamedef.board_cards_by(state.round)]
    if format_log_line(hand_id, state, deal.hole_cards, board, values, names) != line:
        raise MatchError(f"hand {hand_id} in the match log is not a hand of this match")
    return values


class _Clock:
    """Adds up the thinking time of every seat."""

    def __init__(self, limits: TimeLimits | None, num_seats: int) -> None:
        self._limits = limits
        self._match_us = [0] * num_seats
        self._hand_us = [0] * num_seats

    def start_hand(self) -> None:
        self._hand_us = [0] * len(self._hand_us)

    def charge(self, seat: int, spent_us: int) -> None:
        if self._limits is None:
            return
        self._hand_us[seat] += spent_us
        self._match_us[seat] += spent_us
        limits = self._limits
        if (
            spent_us > limits.response_us
            or self._hand_us[seat] > limits.hand_us
            or self._match_us[seat] > limits.match_us
        ):
            raise MatchError(f"seat {seat + 1} ran out of time")


class _Hand:
    """One hand: shows the states to the players and performs their actions."""

    def __init__(self, gamedef: GameDef, hand_id: int, deal: Deal, seats: Sequence[Seat]) -> None:
        """:param seats: in position order."""
        self.deal = deal
        self.state = HandState(gamedef)
        self.acted_position = 0
        """Who acted last."""
        self._gamedef = gamedef
        self._hand_id = hand_id
        self._seats = seats
        nothing: list[tuple[int, ...]] = [()] * gamedef.num_players
        self._private = [
            (*nothing[:position], own, *nothing[position + 1 :]) for position, own in enumerate(deal.hole_cards)
        ]

    def board(self) -> tuple[int, ...]:
        """Returns the board cards of the rounds reached."""
        return self.deal.board[: self._gamedef.board_cards_by(self.state.round)]

    def step(self) -> int:
        """Shows the state to everybody and performs the action of whose turn it is; returns the time that took (us)."""
        board = self.board()
        self.acted_position = acting = self.state.acting_position
        # Every player gets a state of its own, as over the wire: it may keep it or try actions on it.
        for position, seat in enumerate(self._seats):
            if position != acting:
                self._observe(
                    seat, MatchState(position, self._hand_id, self._private[position], board, self.state.copy())
                )
        view = MatchState(acting, self._hand_id, self._private[acting], board, self.state.copy())
        start = time.monotonic()
        action = self._decide(self._seats[acting], view)
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
        for position, seat in enumerate(self._seats):
            hole_cards = self._private[position]
            if showdown:
                hole_cards = tuple(
                    () if folded[other] and other != position else hand
                    for other, hand in enumerate(self.deal.hole_cards)
                )
            seat.record.hands += 1
            self._observe(seat, MatchState(position, self._hand_id, hole_cards, board, self.state.copy()))

    def _observe(self, seat: Seat, view: MatchState) -> None:
        try:
            seat.player.observe(view)
        except Exception:
            seat.record.player_errors += 1
            logger.exception("observe() of player %s failed at %r", seat.player.name, self._line(view))

    def _decide(self, seat: Seat, view: MatchState) -> Action:
        """Asks a player; whatever it does, returns a legal action: the one a client and the dealer would make of it."""
        try:
            action = seat.player.act(view, math.inf)
        except Exception:
            seat.record.player_errors += 1
            logger.exception("act() of player %s failed at %r", seat.player.name, self._line(view))
            return CALL
        try:
            legal = view.state.can(action)  # the client's check: the player may have changed its state
        except (TypeError, ValueError) as error:
            raise MatchError(f"expected an Action from player {seat.player.name}, got {action!r}") from error
        if not legal:
            seat.record.illegal_actions += 1
            logger.error("illegal action %r at %r, calling", str(action), self._line(view))
            return CALL
        if type(action) is Action and type(action.size) is int and self.state.can(action):
            return action
        return read_action(f":{action}", 0, self.state)[0]  # odd, but it may have a meaning on the wire

    def _line(self, view: MatchState) -> str:
        """Returns the line in which the player would have been shown this state."""
        return format_matchstate(MatchState(view.position, view.hand_id, view.hole_cards, view.board, self.state))


# --- seatings of a match plan -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LocalEntrant:
    """A participant of a match that plays inside this process."""

    seat: Callable[[int], Seat]
    """(seed) -> a player ready for a new match, with an empty record; called once per seating."""
    bot: str = ""
    """The kind of benchmark bot the player is (:data:`arena.bot_table.BOT_KINDS`); empty for other players."""
    catch_up: Callable[[Seat, Sequence[str], str], None] = lambda seat, hands, name: None
    """(seat, ``STATE:`` lines, name in them) brings a player to where it would be after these hands."""


@dataclass(frozen=True, slots=True)
class _DealerOptions:
    """What the dealer's command line says about a match."""

    limits_ms: Mapping[str, int]
    """``--t_response``, ``--t_hand`` and ``--t_per_hand``."""
    fixed_seats: bool

    def header(self, label: str, plan: MatchPlan) -> str:
        """Returns the header lines of the log."""
        header = LogHeader(label, str(plan.game.resolve()), plan.hands, plan.seed)
        return format_log_head(header, *self.limits_ms.values())

    def limits(self, hands: int) -> TimeLimits:
        response, hand, per_hand = (1000 * ms for ms in self.limits_ms.values())
        return TimeLimits(response, hand, per_hand * hands)


def _read_options(words: Sequence[str]) -> _DealerOptions:
    """Reads the dealer options of a match plan.

    :raises InputError: if there is one that a match without a dealer process cannot follow.
    """
    limits_ms = dict(_DEFAULT_LIMITS_MS)
    fixed_seats = False
    rest = iter(words)
    for word in rest:
        option, equals, value = word.partition("=")
        if option == "-f":
            fixed_seats = True
        elif option in limits_ms or option == "--start_timeout":
            text = value if equals else next(rest, "")
            if option in limits_ms:
                if not text.isdecimal():
                    raise InputError(f"expected milliseconds after the dealer option {option}, got {text!r}")
                limits_ms[option] = int(text)
        else:
            raise InputError(f"the dealer option {word!r} has no meaning in a match inside one process")
    return _DealerOptions(limits_ms, fixed_seats)


def play_plan_seating(
    plan: MatchPlan,
    index: int,
    entrants: Sequence[LocalEntrant],
    on_progress: ProgressCallback | None = None,
    *,
    go_on: bool = False,
) -> PlayedSeating:
    """Plays one seating of a match plan and writes the files that :func:`arena.match.run_match` would leave.

    The log grows as over TCP, by whole hands. Reports give the same counts as over TCP; they hold no decision times if
    all players are benchmark bots, which are not timed one by one.

    :param index: 1-based number of the seating in ``plan.seatings()``.
    :param entrants: one per ``plan.entrants``, in that order; the commands of the plan are not used.
    :param on_progress: called now and then.
    :param go_on: go on after the last whole hand in the log of the seating.
    :raises MatchError: if the match cannot be completed; the message names the seat that is at fault.
    :raises InputError: if a dealer option of the plan has no meaning here, or the log is of another match.
    :raises ResourceError: if a file cannot be written.
    """
    seating = plan.seatings()[index - 1]
    expected = plan.expected_log(index)
    log_path, reports = expected.path, plan.reports(index)
    for stale in reports if go_on else (log_path, *reports):
        stale.unlink(missing_ok=True)
    options = _read_options(plan.dealer_options)
    head = options.header(expected.match, plan)
    logged = read_logged_hands(log_path, head) if go_on else []
    seeds = [player_seed(plan.seed, entrant, index) for entrant in seating]
    names = expected.names
    seats = []
    for number, (entrant, seed) in enumerate(zip(seating, seeds, strict=True), 1):
        try:
            seats.append(entrants[entrant].seat(seed))
        except HedgehogError as error:
            raise MatchError(f"seat {number}: player {names[number - 1]}: {error}") from error
    bots = [entrants[entrant].bot for entrant in seating]
    gamedef = read_gamedef(plan.game)
    with _append(log_path) as log:
        if not go_on:
            log.write(encode(head))
        if all(bots):
            from arena.bot_table import play_bots  # imports numba, which Python players may not need

            played = play_bots(
                gamedef,
                bots,
                num_hands=plan.hands,
                seed=plan.seed,
                bot_seeds=seeds,
                names=names,
                log=log,
                fixed_seats=options.fixed_seats,
                on_progress=on_progress,
                logged=logged,
            )
            for seat, decisions in zip(seats, played.decisions.sum(axis=1), strict=True):
                seat.record.hands += plan.hands
                seat.record.decisions += int(decisions)
        else:
            for entrant, seat, name in zip(seating, seats, names, strict=True):
                entrants[entrant].catch_up(seat, logged, name)
            play_seating(
                gamedef,
                seats,
                names,
                num_hands=plan.hands,
                seed=plan.seed,
                limits=options.limits(plan.hands - len(logged)),
                log=log,
                fixed_seats=options.fixed_seats,
                on_progress=on_progress,
                logged=logged,
            )
    for entrant, seat, seed in zip(seating, seats, seeds, strict=True):
        found = seat.report()
        about = json_document("play", game=plan.game.stem, seed=seed, players=[str(found["name"])])
        write_text_file(reports[entrant], json.dumps({**about, **found}, indent=2) + "\n")
    return PlayedSeating(log_path, reports)


@contextmanager
def _append(path: Path) -> Iterator[LineFile]:
    """Opens a log without a buffer, so that a killed process leaves all hands that it has written.

    :raises ResourceError: if it cannot be opened.
    """
    try:
        file = path.open("ab", buffering=0)
    except OSError as error:
        raise ResourceError(f"cannot write {path}: {error.strerror or error}") from error
    with file:
        log = LineFile(file, str(path))
        yield log
        log.sync()
