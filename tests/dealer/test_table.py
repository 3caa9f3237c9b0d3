"""The match without sockets: golden transcripts and logs, clocks, resuming."""

from __future__ import annotations

import pytest

from hedgehog.dealer.clock import TimeLimits
from hedgehog.dealer.response import BAD_STATE, UNREQUESTED
from hedgehog.dealer.table import NO_SEAT, Acted, Event, LogLine, MatchOver, Report, Send, Table, Warn
from hedgehog.dealer.transactions import Transaction, format_transaction, parse_transaction
from hedgehog.poker.acpc.gamedef import parse_gamedef
from hedgehog.poker.acpc.handlog import parse_header
from hedgehog.poker.acpc.matchstate import parse_matchstate
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, Action
from hedgehog.runtime.errors import MatchError
from tests.dealer.scripted import PATIENT, SECOND_US, play_scripts
from tests.golden import HUNL, LOGS, TRANSCRIPTS, game, read_golden_log, read_transcript


def sends(events: list[Event]) -> list[tuple[int, str]]:
    return [(event.seat, event.line) for event in events if isinstance(event, Send)]


def kuhn_table(num_hands: int = 2, limits: TimeLimits = PATIENT, *, fixed_seats: bool = False) -> Table:
    return Table(game("kuhn.limit.2p"), ["A", "B"], num_hands=num_hands, seed=1, limits=limits, fixed_seats=fixed_seats)


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_golden_transcripts(name: str) -> None:
    transcript = read_transcript(name)
    table = Table(
        game(transcript.game), transcript.names, num_hands=transcript.hands, seed=transcript.seed, limits=PATIENT
    )
    record = play_scripts(table, transcript.seats)
    assert [f"WARNING: {warning}" for warning in record.warnings] == transcript.warnings
    golden = [line for line in transcript.log.splitlines() if not line.startswith("#")]
    assert [*record.log, record.score] == golden


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.quick_cases(every=2)
def test_golden_logs_come_out_again_when_their_actions_are_played(name: str) -> None:
    lines = read_golden_log(name)
    header = parse_header(lines[0])
    assert header is not None
    gamedef = game(header.game)
    hands = [line for line in lines if line.startswith("STATE:")]
    betting = [line.split(":")[2] for line in hands]
    names = lines[-1].split(":")[2].split("|")
    table = Table(gamedef, names, num_hands=len(hands), seed=header.seed, limits=PATIENT)
    logged: list[str] = []
    events = table.start(0)
    while not isinstance(events[-1], MatchOver):
        line = next(text for seat, text in reversed(sends(events)) if seat == table.acting_seat)
        view = parse_matchstate(line, gamedef)
        rest = betting[view.hand_id].removeprefix(view.state.betting_string())
        events = table.receive(f"{line.rstrip()}:{rest.split('/')[0].rstrip()}", 0)
        logged += [event.line for event in events if isinstance(event, LogLine)]
    assert [*logged, events[-1].score_line] == [*hands, lines[-1]]


def test_a_whole_match_in_events() -> None:
    table = kuhn_table()
    assert table.start(10) == [Send(0, "MATCHSTATE:0:0::Ks|\r\n"), Send(1, "MATCHSTATE:1:0::|As\r\n")]
    assert (table.acting_seat, table.sent_us) == (0, 10)
    assert table.receive("MATCHSTATE:0:0::Ks|:r\r\n", 20) == [
        Acted(Transaction(LIMIT_RAISE, 0, 10, 20)),
        Send(0, "MATCHSTATE:0:0:r:Ks|\r\n"),
        Send(1, "MATCHSTATE:1:0:r:|As\r\n"),
    ]
    assert table.receive("MATCHSTATE:1:0:r:|As:f\r\n", 2_500_000) == [
        Acted(Transaction(FOLD, 0, 20, 2_500_000)),
        LogLine("STATE:0:rf:Ks|As:1|-1:A|B"),
        Send(0, "MATCHSTATE:0:0:rf:Ks|\r\n"),  # nothing is shown after a fold
        Send(1, "MATCHSTATE:1:0:rf:|As\r\n"),
        Report("Seconds cumulatively spent in match for seat 0: 0"),
        Report("Seconds cumulatively spent in match for seat 1: 2"),
        Send(0, "MATCHSTATE:1:1::|As\r\n"),  # the seats have moved on by one position
        Send(1, "MATCHSTATE:0:1::Qs|\r\n"),
    ]
    assert table.acting_seat == 1
    assert table.receive("MATCHSTATE:0:1::Qs|:c\r\n", 0)[0] == Acted(Transaction(CALL, 1, 2_500_000, 0))
    assert table.receive("MATCHSTATE:1:1:c:|As:c\r\n", 0)[1:] == [
        LogLine("STATE:1:cc:Qs|As:-1|1:B|A"),
        Send(0, "MATCHSTATE:1:1:cc:Qs|As\r\n"),
        Send(1, "MATCHSTATE:0:1:cc:Qs|As\r\n"),
        MatchOver("SCORE:2|-2:A|B"),
    ]
    assert (table.acting_seat, table.totals) == (NO_SEAT, [2.0, -2.0])


def test_fixed_seats() -> None:
    table = kuhn_table(fixed_seats=True)
    table.start(0)
    table.receive("MATCHSTATE:0:0::Ks|:c", 0)
    events = table.receive("MATCHSTATE:1:0:c:|As:c", 0)
    assert sends(events)[-2:] == [(0, "MATCHSTATE:0:1::Qs|\r\n"), (1, "MATCHSTATE:1:1::|As\r\n")]


def test_dropped_lines_change_nothing_but_the_clock() -> None:
    table = kuhn_table(limits=TimeLimits(5 * SECOND_US, 10 * SECOND_US, 100 * SECOND_US))
    table.start(0)
    assert table.receive("# a comment\r\n", 4 * SECOND_US) == []  # free of charge
    assert table.receive("junk\r\n", 3 * SECOND_US) == [Warn(BAD_STATE, 0, 0)]
    assert table.receive("MATCHSTATE:1:0::|Ks:c\r\n", 3 * SECOND_US) == [Warn(UNREQUESTED, 0, 0)]
    assert table.acting_seat == 0
    with pytest.raises(MatchError, match="seat 1 ran out of time"):  # 3 + 3 + 4.1 seconds in one hand
        table.receive("MATCHSTATE:0:0::Ks|:c\r\n", 4_100_000)


@pytest.mark.parametrize(
    "limits",
    [
        TimeLimits(5 * SECOND_US, 100 * SECOND_US, 100 * SECOND_US),
        TimeLimits(100 * SECOND_US, 5 * SECOND_US, 100 * SECOND_US),
        TimeLimits(100 * SECOND_US, 100 * SECOND_US, 5 * SECOND_US),
    ],
)
@pytest.mark.parametrize("comment", ["#\n", "; still thinking\r\n"])
def test_comments_are_free_until_no_answer_could_be_in_time(limits: TimeLimits, comment: str) -> None:
    """The official dealer waits as long as comments come, and calls the answer late that comes after them."""
    table = kuhn_table(limits=limits)
    table.start(0)
    for second in range(6):
        assert table.receive(comment, second * SECOND_US) == []
    assert table.clock.match_us == [0, 0]
    with pytest.raises(MatchError, match=r"^seat 1 ran out of time$"):
        table.receive(comment, 5 * SECOND_US + 1)


@pytest.mark.parametrize(
    ("limits", "fails_in_hand"),
    [
        (TimeLimits(1000, 10**9, 10**9), 0),
        (TimeLimits(1001, 2001, 10**9), 2),
        (TimeLimits(1001, 10**9, 4003), 2),
        (TimeLimits(1001, 2002, 4004), None),  # a limit may be reached, not exceeded
    ],
)
def test_time_limits(limits: TimeLimits, fails_in_hand: int | None) -> None:
    """Seat 1 takes 1001 us for every answer (one in hands 0 and 1, two in hand 2), seat 2 none."""
    table = kuhn_table(num_hands=3, limits=limits)
    failed_in_hand = None
    now_us = 0
    events = table.start(now_us)
    for answer in ("c", "c", "c", "c", "c", "r", "c"):
        line = dict(sends(events))[table.acting_seat].rstrip()
        now_us += 1001 if table.acting_seat == 0 else 0
        try:
            events = table.receive(f"{line}:{answer}", now_us)
        except MatchError:
            failed_in_hand = int(line.split(":")[2])
            break
    assert failed_in_hand == fails_in_hand
    assert isinstance(events[-1], MatchOver) == (fails_in_hand is None)


def test_resuming_in_the_middle_of_a_hand() -> None:
    table = kuhn_table()
    played = [Transaction(CALL, 0, 0, 5), Transaction(CALL, 0, 5, 9), Transaction(LIMIT_RAISE, 1, 20, 21)]
    assert table.start(100, played) == [Send(0, "MATCHSTATE:1:1:r:|As\r\n"), Send(1, "MATCHSTATE:0:1:r:Qs|\r\n")]
    events = table.receive("MATCHSTATE:1:1:r:|As:c", 200)
    assert events[1] == LogLine("STATE:1:rc:Qs|As:-2|2:B|A")
    assert events[-1] == MatchOver("SCORE:1|-1:A|B")  # the replayed hand counts


def test_resuming_a_finished_match() -> None:
    transactions = [Transaction(CALL, hand, 0, 0) for hand in (0, 0, 1, 1)]
    assert kuhn_table().start(0, transactions) == [MatchOver("SCORE:0|0:A|B")]


@pytest.mark.parametrize(
    ("transaction", "message"),
    [
        (Transaction(CALL, 1, 0, 0), r"handId mismatch in transaction log: c 1 0\.000000 0\.000000"),
        (Transaction(FOLD, 0, 0, 0), "invalid action in transaction log: f 0 "),
        (Transaction(CALL, 0, 0, 601 * SECOND_US), "seat 1 ran out of time in transaction file"),
    ],
)
def test_transactions_of_another_match(transaction: Transaction, message: str) -> None:
    with pytest.raises(MatchError, match=message):
        kuhn_table().start(0, [transaction])


def test_transaction_lines() -> None:
    transaction = Transaction(Action("r", 300), 12, 1_700_000_000_000_001, 1_700_000_001_500_000)
    line = "r300 12 1700000000.000001 1700000001.500000"
    assert format_transaction(transaction) == line
    assert parse_transaction(line) == transaction
    for damaged in ("hello", line[:-1], "x" + line, line + " ", line.replace(" 12", " -12")):
        with pytest.raises(MatchError, match="could not parse transaction stamp"):
            parse_transaction(damaged)


def test_a_board_card_in_the_first_round_can_be_echoed() -> None:
    """The official dealer cannot read back its own line here and waits for ever."""
    gamedef = parse_gamedef(
        "nolimit\nnumPlayers = 2\nnumRounds = 1\nstack = 9 9\nblind = 2 1\n"
        "numSuits = 4\nnumRanks = 13\nnumHoleCards = 2\nnumBoardCards = 1\n"
    )
    table = Table(gamedef, ["A", "B"], num_hands=1, seed=1, limits=PATIENT)
    line = table.start(0)[0].line.rstrip()
    assert line == "MATCHSTATE:0:0::8s2h|7h"
    assert isinstance(table.receive(line + ":c", 0)[0], Acted)


def test_a_hand_without_any_chips_ends_the_match_with_an_error() -> None:
    gamedef = parse_gamedef(
        "nolimit\nnumPlayers = 2\nnumRounds = 1\nstack = 9 9\nblind = 0 0\n"
        "numSuits = 4\nnumRanks = 13\nnumHoleCards = 2\nnumBoardCards = 0\n"
    )
    table = Table(gamedef, ["A", "B"], num_hands=1, seed=1, limits=PATIENT)
    table.start(0)
    table.receive("MATCHSTATE:0:0::8s2h|:c", 0)
    with pytest.raises(MatchError, match="nobody has put in a chip"):
        table.receive("MATCHSTATE:1:0:c:|Kd5c:c", 0)


def test_odd_names_and_heads_up_game() -> None:
    table = Table(game(HUNL), ["a b", "x|y:z"], num_hands=1, seed=1, limits=PATIENT)
    line = dict(sends(table.start(0)))[table.acting_seat].rstrip()
    events = table.receive(line + ":f", 0)
    assert events[1] == LogLine("STATE:0:f:8s2h|Kd5c:50|-50:a b|x|y:z")
