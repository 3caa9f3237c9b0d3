"""Whole matches of any game at :class:`hedgehog.dealer.table.Table`, fed with answers of every kind.

The answers are legal, illegal, malformed, stale, early and late lines. The table must raise nothing but a MatchError
for time, or for a game without chips. Its events must be consistent with each other. Its log must verify and add up to
the score. A match that is resumed from its own transactions must stand where it stood.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from hedgehog.dealer.clock import TimeLimits
from hedgehog.dealer.table import NO_SEAT, Acted, Event, LogLine, MatchOver, Report, Send, Table, Warn
from hedgehog.dealer.transactions import Transaction, format_transaction, parse_transaction
from hedgehog.poker.acpc.gamedef import UNLIMITED_STACK, GameDef, format_gamedef, parse_gamedef
from hedgehog.poker.acpc.handlog import LogHeader, format_header, format_values, verify_log_lines
from hedgehog.poker.acpc.matchstate import MatchState, format_matchstate, parse_matchstate
from hedgehog.runtime.errors import MatchError
from tests.verification.gamedefs import Family, gamedefs

LIMITS = TimeLimits(response_us=1_000, hand_us=4_000, match_us=20_000)
FAMILY = Family(max_players=5, max_board_first_round=0, chip_free=True)
HEADER = "# name/game/hands/seed "
JUNK = st.one_of(
    st.sampled_from(
        ["", "\r\n", "MATCHSTATE:", "MATCHSTATE:0:0::", "MATCHSTATE:9:0::|:c", ":c", "c", "\0", "x" * 5000]
    ),
    st.text(alphabet="MATCHSTE:0123456789|/fcr \0\r-+AKQs", max_size=60),
    st.binary(max_size=40).map(lambda data: data.decode("latin-1")),
)
TAILS = st.one_of(
    st.sampled_from(
        [":f", ":c", ":r", ":k", ":R", ":r0", ":r99999999999", ":r-5", ":x", ":", "", ":c please", "::", ":cc"]
    ),
    st.integers(0, 4_000).map(lambda size: f":r{size}"),
)


class TableMachine(RuleBasedStateMachine):
    """One match; every rule delivers one line of the acting seat."""

    @initialize(gamedef=gamedefs(FAMILY), seed=st.integers(0, 2**32 - 1), hands=st.integers(1, 4), fixed=st.booleans())
    def start(self, gamedef: GameDef, seed: int, hands: int, fixed: bool) -> None:
        self.gamedef, self.seed, self.hands, self.fixed = gamedef, seed, hands, fixed
        self.names = [f"player{seat}" for seat in range(gamedef.num_players)]
        self.table = self.new_table()
        self.over = False
        self.now_us = 5
        self.last_lines: list[str] = []
        self.old_lines: list[str] = []
        self.log: list[str] = []
        self.transactions: list[Transaction] = []
        self.score_line = ""
        self.hand_us = [0] * gamedef.num_players
        self.match_us = [0] * gamedef.num_players
        events = self.table.start(self.now_us)
        self.take_states(events)
        assert not events

    def new_table(self) -> Table:
        return Table(
            self.gamedef, self.names, num_hands=self.hands, seed=self.seed, limits=LIMITS, fixed_seats=self.fixed
        )

    def take_states(self, events: list[Event]) -> list[MatchState]:
        """Takes the lines of one state, one per seat in seat order, from the front of ``events``."""
        players = self.gamedef.num_players
        states = []
        self.old_lines += self.last_lines
        self.last_lines = []
        for seat in range(players):
            event = events.pop(0)
            assert isinstance(event, Send)
            assert (event.seat, event.line[-2:]) == (seat, "\r\n")
            view = parse_matchstate(event.line, self.gamedef)
            assert format_matchstate(view) + "\r\n" == event.line
            assert view.position == (seat if self.fixed else (seat - view.hand_id) % players)
            states.append(view)
            self.last_lines.append(event.line[:-2])
        first = states[0]
        for view in states:
            assert (view.hand_id, view.board) == (first.hand_id, first.board)
            assert view.state.betting_string() == first.state.betting_string()
            assert view.hole_cards[view.position]
            for position, cards in enumerate(view.hole_cards):
                shown = position == view.position or (first.state.is_showdown and not first.state.folded[position])
                assert bool(cards) == shown
        if not first.state.finished:
            acting = [seat for seat, view in enumerate(states) if view.position == first.state.acting_position]
            assert acting == [self.table.acting_seat]
        self.view = first
        return states

    def deliver(self, line: str, delay_us: int) -> list[Event] | None:
        """Feeds one line; checks what it costs and what comes of it. None if it ended the match without score."""
        table, seat = self.table, self.table.acting_seat
        prompted_us = table.sent_us
        self.now_us += delay_us
        spent_us = self.now_us - prompted_us
        in_time = (
            spent_us <= LIMITS.response_us
            and self.hand_us[seat] + spent_us <= LIMITS.hand_us
            and self.match_us[seat] + spent_us <= LIMITS.match_us
        )
        free = in_time and line.startswith(("#", ";"))  # at a time at which an answer would not be too late
        if not free:
            self.hand_us[seat] += spent_us
            self.match_us[seat] += spent_us
        try:
            events = table.receive(line, self.now_us)
        except MatchError as error:
            self.over, message = True, str(error)
        else:
            message = ""
        if message:
            chipless = max(self.gamedef.blinds) == 0 and "nobody has put in a chip" in message
            assert chipless or (not in_time and message == f"seat {seat + 1} ran out of time")
            return None
        assert in_time
        if not any(isinstance(event, Acted) for event in events):
            assert all(isinstance(event, Warn) for event in events)
            assert len(events) == (0 if free else 1)
            assert (table.acting_seat, table.sent_us) == (seat, prompted_us)
            return events
        self.check_action(list(events), seat, prompted_us)
        return events

    def check_action(self, events: list[Event], seat: int, prompted_us: int) -> None:
        """Checks the events of an action: warnings, the action, the new state, and at the end of a hand much more."""
        before = self.view
        while isinstance(events[0], Warn):
            events.pop(0)
        acted = events.pop(0)
        assert isinstance(acted, Acted)
        transaction = acted.transaction
        assert transaction[1:] == (before.hand_id, prompted_us, self.now_us)
        assert parse_transaction(format_transaction(transaction)) == transaction
        assert before.state.can(transaction.action)
        self.transactions.append(transaction)
        logged = events.pop(0) if isinstance(events[0], LogLine) else None
        after = self.take_states(events)[0]
        assert after.hand_id == before.hand_id
        expected = before.state.copy()
        expected.apply(transaction.action)
        assert after.state.betting_string() == expected.betting_string()
        assert (logged is not None) == expected.finished
        if logged is None:
            assert not events
            return
        self.log.append(logged.line)
        self.hand_us = [0] * self.gamedef.num_players
        while events and isinstance(events[0], Report):
            events.pop(0)
        if before.hand_id + 1 < self.hands:
            assert self.take_states(events)[0].hand_id == before.hand_id + 1
        else:
            over = events.pop(0)
            assert isinstance(over, MatchOver)
            assert self.table.acting_seat == NO_SEAT
            self.over, self.score_line = True, over.score_line
        assert not events

    @precondition(lambda self: not self.over)
    @rule(data=st.data(), ending=st.sampled_from(["\r\n", "\n", "", " \r\n"]), delay_us=st.integers(0, 60))
    def answer_legally(self, data: st.DataObject, ending: str, delay_us: int) -> None:
        state = self.view.state
        choices = ["c", "c"] + ["f"] * state.can_fold()
        limits = state.raise_range()
        if limits is not None:
            choices += ["r" if not limits[1] else f"r{data.draw(st.integers(*limits))}"] * 2
        action = data.draw(st.sampled_from(choices))
        prompt = self.last_lines[self.table.acting_seat]
        events = self.deliver(f"{prompt}:{action}{ending}", delay_us)
        assert events is None or str(self.transactions[-1].action) == action
        assert events is None or not any(isinstance(event, Warn) for event in events)

    @precondition(lambda self: not self.over)
    @rule(tail=TAILS, delay_us=st.integers(0, 60))
    def answer_anything(self, tail: str, delay_us: int) -> None:
        """Whatever follows the right state is an action: as it is, repaired, or a call."""
        played = len(self.transactions)
        events = self.deliver(self.last_lines[self.table.acting_seat] + tail + "\r\n", delay_us)
        assert events is None or len(self.transactions) == played + 1

    @precondition(lambda self: not self.over and self.old_lines)
    @rule(data=st.data(), tail=TAILS, delay_us=st.integers(0, 60))
    def answer_a_past_state(self, data: st.DataObject, tail: str, delay_us: int) -> None:
        played = len(self.transactions)
        self.deliver(data.draw(st.sampled_from(self.old_lines)) + tail + "\n", delay_us)
        assert len(self.transactions) == played

    @precondition(lambda self: not self.over)
    @rule(data=st.data(), tail=TAILS)
    def answer_for_another_seat(self, data: st.DataObject, tail: str) -> None:
        players = self.gamedef.num_players
        seat = (self.table.acting_seat + data.draw(st.integers(1, players - 1))) % players
        played = len(self.transactions)
        self.deliver(self.last_lines[seat] + tail + "\n", 0)
        assert len(self.transactions) == played

    @precondition(lambda self: not self.over)
    @rule(line=JUNK, delay_us=st.integers(0, 60))
    def answer_junk(self, line: str, delay_us: int) -> None:
        played = len(self.transactions)
        self.deliver(line, delay_us)
        assert len(self.transactions) == played

    @precondition(lambda self: not self.over)
    @rule(data=st.data(), junk=st.text(alphabet="0123456789:|/fcr \0AKs", max_size=3), removed=st.integers(0, 3))
    def answer_damaged(self, data: st.DataObject, junk: str, removed: int) -> None:
        line = self.last_lines[self.table.acting_seat] + ":c\r\n"
        at = data.draw(st.integers(0, len(line)))
        self.deliver(line[:at] + junk + line[at + removed :], 0)

    @precondition(lambda self: not self.over)
    @rule(mark=st.sampled_from("#;"), text=st.text(max_size=10))
    def comment(self, mark: str, text: str) -> None:
        assert self.deliver(mark + text, 1) == [] or self.over

    @precondition(lambda self: not self.over)
    @rule(delay_us=st.integers(900, 1100))
    def answer_late(self, delay_us: int) -> None:
        self.deliver(self.last_lines[self.table.acting_seat] + ":c\r\n", delay_us)

    @precondition(lambda self: self.over)
    @rule()
    def leave(self) -> None:
        """Nothing is left to do, but hypothesis wants a rule for every state."""
        assert self.table.acting_seat == NO_SEAT or not self.score_line

    @precondition(lambda self: not self.over)
    @rule()
    def resume(self) -> None:
        """A table that replays the transactions stands at the same state with the same totals."""
        again = self.new_table()
        events = again.start(7, self.transactions)
        assert [event.line for event in events if isinstance(event, Send)] == [f"{s}\r\n" for s in self.last_lines]
        assert (again.totals, again.acting_seat) == (self.table.totals, self.table.acting_seat)

    def teardown(self) -> None:
        """Plays the match to its end; its log must verify and add up."""
        if not hasattr(self, "table"):
            return
        while not self.over:
            self.deliver(self.last_lines[self.table.acting_seat] + ":c\r\n", 0)
        header = format_header(LogHeader("m", "any.game", self.hands, self.seed))
        lines = [header, *self.log, *([self.score_line] if self.score_line else [])]
        gamedef = parse_gamedef(format_gamedef(self.gamedef))
        report = verify_log_lines(lines, gamedef)
        assert (report.hands, report.faults) == (len(self.log), ())
        totals = dict.fromkeys(self.names, 0.0)
        for line in self.log:
            values, names = line.split(":")[4:]
            for name, value in zip(names.split("|"), values.split("|"), strict=True):
                totals[name] += float(value)
        assert list(totals.values()) == pytest.approx(self.table.totals, abs=1e-5)
        if gamedef.no_limit or min(gamedef.stacks) == UNLIMITED_STACK:
            assert sum(self.table.totals) == pytest.approx(0, abs=1e-6)
        if self.score_line:
            assert self.score_line == f"SCORE:{format_values(self.table.totals)}:{'|'.join(self.names)}"
            assert len(self.log) == self.hands


def run(examples: int) -> None:
    run_state_machine_as_test(
        TableMachine,
        settings=settings(
            max_examples=examples, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )


def test_matches() -> None:
    run(40)


@pytest.mark.slow
def test_many_matches() -> None:
    run(1_500)
