"""hedgehog.dealer.answers: what the recorded clients of the official dealer did wrong, counted per seat; unpunctual
clients."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hedgehog.dealer.answers import AnswerBook, read_answers
from hedgehog.dealer.clock import TimeLimits
from hedgehog.dealer.response import BAD_ACTION_FORMAT, BAD_STATE, INVALID_ACTION, UNREQUESTED
from hedgehog.dealer.table import Table
from hedgehog.runtime.errors import InputError
from tests.dealer.scripted import PATIENT, SECOND_US, play_scripts, script_client, serve
from tests.golden import TRANSCRIPTS, game, read_transcript


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_every_warning_of_a_golden_transcript_is_counted_for_its_seat(name: str, tmp_path: Path) -> None:
    transcript = read_transcript(name)
    book = AnswerBook(tmp_path / "answers", transcript.names, slow_ms=1000)
    table = Table(
        game(transcript.game),
        transcript.names,
        num_hands=transcript.hands,
        seed=transcript.seed,
        limits=PATIENT,
        answers=book,
    )
    play_scripts(table, transcript.seats)
    book.save()
    record = read_answers(book.path)
    texts = [text.removeprefix("WARNING: ") for text in transcript.warnings]
    illegal = sum(text in (BAD_ACTION_FORMAT, INVALID_ACTION) for text in texts)
    ignored = sum(text in (BAD_STATE, UNREQUESTED) for text in texts)
    corrected = sum(re.fullmatch("raise of -?[0-9]+ (in|de)creased to [0-9]+", text) is not None for text in texts)
    assert (sum(seat.illegal for seat in record.seats), sum(seat.ignored for seat in record.seats)) == (
        illegal,
        ignored,
    )
    assert sum(seat.corrected for seat in record.seats) == corrected
    assert record.hands == transcript.hands
    states = [line for line in transcript.log.splitlines() if line.startswith("STATE:")]
    actions = sum(len(re.findall("[fcr]", line.split(":")[2])) for line in states)
    assert sum(seat.answers for seat in record.seats) == actions
    assert [one.warning for one in record.warnings] == texts[:100]
    for one in record.warnings:  # the line is one that this seat has sent
        sent = [text.rstrip("\r\n") for kind, text in transcript.seats[one.seat - 1] if kind == "C"]
        assert any(one.line in text for text in sent)
        assert one.name == transcript.names[one.seat - 1]
        assert (one.action == "") is (one.warning in (BAD_STATE, UNREQUESTED))


COMMENTS = [("C", "# thinking\n"), ("sleep", "0.02")] * 20


def kuhn_table(book: AnswerBook | None) -> Table:
    return Table(game("kuhn.limit.2p"), ["A", "B"], num_hands=2, seed=1, limits=PATIENT, answers=book)


def test_times_are_those_between_question_and_answer(tmp_path: Path) -> None:
    book = AnswerBook(tmp_path / "answers", ["A", "B"], slow_ms=1000)
    table = kuhn_table(book)
    table.start(0)
    table.receive("junk\r\n", SECOND_US)
    table.receive("MATCHSTATE:0:0::Ks|:c\r\n", 2 * SECOND_US)  # asked at 0
    table.receive("MATCHSTATE:1:0:c:|As:c\r\n", 2 * SECOND_US + 500)
    book.save()
    a, b = read_answers(book.path).seats
    assert (a.answers, a.ignored, a.slow, a.slowest_ms) == (1, 1, 1, 2000)
    assert (b.answers, b.ignored, b.slow, b.slowest_ms) == (1, 0, 0, 0.5)


def test_an_interrupted_match_goes_on_counting(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    for hands, counted in ((7, 2), (1, 1)):  # more hands than the log has: of another match
        book = AnswerBook(path, ["A", "B"], slow_ms=1000)
        book.warned(1, 0, BAD_STATE, "x", "")
        book.finish_hand()
        book.save()
        later = AnswerBook(path, ["A", "B"], slow_ms=1000)
        later.go_on(read_answers(path), 1 if hands == 7 else 0)
        later.warned(1, 1, BAD_STATE, "y", "")
        later.save()
        assert read_answers(path).seats[1].ignored == counted
    path.write_text("{}")
    with pytest.raises(InputError, match="not a record of answers"):
        read_answers(path)


def test_messages_name_seat_hand_and_line(tmp_path: Path) -> None:
    """Warnings name seat, hand and line if answers are recorded; otherwise they are the official dealer's."""
    book = AnswerBook(tmp_path / "answers", ["A", "B"], slow_ms=1000)
    one = [("C", "VERSION:2.0.0\n"), ("C", "hello\n"), ("C", "MATCHSTATE:0:0::Ks|:x\r\n"), ("close", "")]
    other = [("C", "VERSION:2.0.0\n"), ("close", "")]
    served = serve(kuhn_table(book), [script_client(one), script_client(other)])
    assert served.error is not None  # both have left
    assert served.message_lines()[:2] == [
        "WARNING: bad state format in response (seat 1, A, hand 0: 'hello')",
        "WARNING: invalid action, changed to call (seat 1, A, hand 0: 'MATCHSTATE:0:0::Ks|:x')",
    ]
    assert read_answers(book.path).seats[0].illegal == 1  # saved although the match was broken off


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (None, "timed out waiting for seat 2 to connect (seat 2, B: not connected within 0.5 s)"),
        (
            [("sleep", "2")],
            "could not get version string from seat 2 (seat 2, B: connected, but sent no version line within 0.25 s)",
        ),
        ([("close", "")], "could not get version string from seat 2 (seat 2, B: it has closed the connection)"),
        (
            [("C", "HELLO\n"), ("sleep", "0.2")],
            "invalid version string HELLO (seat 2, B: the first line is no version line)",
        ),
    ],
)
def test_a_client_that_does_not_begin_is_named(
    tmp_path: Path, script: list[tuple[str, str]] | None, message: str
) -> None:
    book = AnswerBook(tmp_path / "answers", ["A", "B"], slow_ms=1000)
    good = script_client([("C", "VERSION:2.0.0\n"), ("sleep", "0.8")])
    clients = [good] if script is None else [good, script_client(script)]
    served = serve(kuhn_table(book), clients, start_timeout_s=0.5, version_timeout_s=0.25)
    assert str(served.error) == message


@pytest.mark.parametrize(
    ("limits", "script", "message"),
    [
        (
            TimeLimits(100_000, 10**9, 10**9),
            [("sleep", "0.3")],
            r"could not get action from seat 1 \(.*: no answer within 0\.1 s\)",
        ),
        (TimeLimits(10**9, 10**9, 10**9), [], r"could not get action .*: it has closed the connection\)"),
        (TimeLimits(50_000, 10**9, 10**9), COMMENTS, r"seat 1 ran out of time .*: \S+ s for one answer, 0\.05 s al.*"),
        (
            TimeLimits(10**9, 50_000, 10**9),
            COMMENTS,
            r"seat 1 ran out of time .*: \S+ s in one hand, 0\.05 s allowed\)",
        ),
        (TimeLimits(10**9, 10**9, 50_000), COMMENTS, r"seat 1 ran out of time .*: \S+ s in the match, 0\.05 s all.*"),
    ],
)
def test_the_end_of_a_match_names_player_hand_and_cause(
    tmp_path: Path, limits: TimeLimits, script: list[tuple[str, str]], message: str
) -> None:
    book = AnswerBook(tmp_path / "answers", ["A", "B"], slow_ms=1000)
    table = Table(game("kuhn.limit.2p"), ["A", "B"], num_hands=2, seed=1, limits=limits, answers=book)
    one = script_client([("C", "VERSION:2.0.0\n"), ("S", "MATCHSTATE:0:0::Ks|\r\n"), *script, ("close", "")])
    other = script_client([("C", "VERSION:2.0.0\n"), ("sleep", "0.3"), ("close", "")])
    served = serve(table, [one, other])
    assert re.fullmatch(message, served.error_text().splitlines()[0])
    assert "(seat 1, A, hand 0: " in served.error_text()
