"""ACPC logs: every golden log verifies, every kind of damage is found at its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import (
    Fault,
    LogHeader,
    find_log_gamedef,
    format_header,
    format_log_line,
    format_value,
    parse_header,
    parse_log_line,
    scan_log_line,
    verify_log,
    verify_log_lines,
)
from hedgehog.poker.acpc.matchstate import format_hand_cards
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.runtime.errors import LogError
from tests.golden import HUNL, LOGS, game, read_golden_log

SHORT = read_golden_log("log_hunl2p_s0")


def golden_game(lines: list[str]) -> GameDef:
    header = parse_header(lines[0])
    assert header is not None
    return game(header.game)


@pytest.mark.parametrize("name", LOGS)
def test_golden_logs(name: str) -> None:
    lines = read_golden_log(name)
    gamedef = golden_game(lines)
    hands = [line for line in lines if line.startswith("STATE:")]
    assert len(hands) >= 250
    assert lines[-1].startswith("SCORE:")
    report = verify_log_lines(lines, gamedef)
    assert (report.hands, report.faults) == (len(hands), ())
    for line in hands:
        hand = parse_log_line(line, gamedef)
        values = payoffs(hand.state, hand.hole_cards, hand.board)
        again = format_log_line(hand.hand_id, hand.state, hand.hole_cards, hand.board, values, hand.names.split("|"))
        assert again == line


@pytest.mark.parametrize("name", LOGS)
def test_scanned_hands_have_the_fields_of_parsed_ones(name: str) -> None:
    lines = read_golden_log(name)
    gamedef = golden_game(lines)
    for line in lines:
        if not line.startswith("STATE:"):
            continue
        scanned, hand = scan_log_line(line), parse_log_line(line, gamedef)
        assert (scanned.hand_id, scanned.betting) == (hand.hand_id, hand.state.betting_string())
        assert (scanned.values, scanned.names) == (list(map(float, hand.values)), hand.names)
        cards = format_hand_cards(hand.hole_cards, hand.board, gamedef, hand.state.round)
        assert scanned.hole_cards + scanned.board == cards
        assert scanned.hole_cards.count("|") == gamedef.num_players - 1


@pytest.mark.parametrize(
    "line",
    ["STATE:0:f:AhKh|2c2d:1|-1", "STATE:x:f:AhKh|2c2d:1|-1:a|b", "STATE:0:f:AhK|2c2d:1|-1:a|b", "STATE:0:f::1|-1:a|b",
     "STATE:0:f:AhKh|2c2d:1|nan:a|b", "STATE:0:f:AhKh|2c2d:1|-1e3:a|b", "STATE:0:k:AhKh|2c2d:1|-1:a|b"],
)  # fmt: skip
def test_malformed_hands_are_not_scanned(line: str) -> None:
    with pytest.raises(LogError, match="expected STATE:hand:betting:cards:values:names, got"):
        scan_log_line(line)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (3491.5, "3491.5"),
        (-18205.0 - 5 / 6, "-18205.833333"),
        (100.0, "100"),
        (-1e-9, "-0"),
        (1 / 3, "0.333333"),
    ],
)
def test_values_print_as_in_the_official_dealer(value: float, text: str) -> None:
    assert format_value(value) == text


def test_header() -> None:
    header = parse_header(SHORT[0])
    assert header == LogHeader("log_s0", "holdem.nolimit.2p.reverse_blinds.game", 500, 0)
    assert format_header(header) == SHORT[0]
    assert parse_header("# some comment") is None
    with pytest.raises(LogError, match="MATCH GAME HANDS SEED"):
        parse_header("# name/game/hands/seed m g.game 5")


def first_hand(change: tuple[str, str]) -> list[str]:
    """The log up to its first hand, with one replacement in that hand."""
    assert change[0] in SHORT[4]
    return [*SHORT[:4], SHORT[4].replace(*change, 1)]


# STATE:0:cr9352c/r15096r20000f:5d5c|9hQd/8dAs8s:-15096|15096:P1_ex|P2_ex
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((":5d5c", "5d5c"), "expected STATE:hand:betting:cards:values:names"),
        (("STATE:", "STAT:"), "expected a line starting with #, STATE: or SCORE:"),
        (("STATE:0", "STATE:1"), "expected hand 0, got hand 1"),
        (("STATE:0", "STATE:x"), "expected a number as hand id"),
        (("r20000f", "r20000"), "expected a finished hand, but after 'cr9352c/r15096r20000' position 0 acts"),
        (("r9352", "r199"), "expected a raise to 200..20000"),
        (("5d5c", ""), "expected the hole cards of every position"),
        (("5d5c", "5d5d"), "a card is repeated"),
        (("-15096|15096", "-15096.5|15096.5"), r"expected values -15096\|15096, got -15096.5\|15096.5"),
        (("-15096|15096", "15096|-15096"), r"expected values -15096\|15096"),
        (("|15096", "|15096.0"), r"expected values -15096\|15096"),
        (("-15096|", ""), "expected 2 values, got 1"),
        (("-15096|", "nan|"), "expected the chips won or lost by every player"),
        (("-15096|", "-15_096|"), "expected the chips won or lost by every player"),
        (("P1_ex|P2_ex", "P1_ex"), "expected 2 names, got 1"),
    ],
)
def test_faults_of_a_hand(change: tuple[str, str], message: str) -> None:
    report = verify_log_lines(first_hand(change), game(HUNL))
    assert [fault.line for fault in report.faults] == [5]
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(report.faults[0].message)


def test_faults_of_a_match() -> None:
    gamedef = game(HUNL)
    assert verify_log_lines(SHORT[:100], gamedef).faults == ()  # a match that failed has no score
    missing = verify_log_lines(SHORT[:99] + SHORT[100:], gamedef)
    assert [fault.line for fault in missing.faults] == [100, 504, 504]
    assert missing.faults[0].message == "expected hand 95, got hand 96"
    assert missing.faults[2].message == "expected 500 hands before the score, got 499"
    swapped = [*SHORT[:5], SHORT[5].replace("P2_ex|P1_ex", "P1_ex|P2_ex"), *SHORT[6:]]
    assert verify_log_lines(swapped, gamedef).faults == (Fault(6, "expected names P2_ex|P1_ex, got P1_ex|P2_ex"),)
    score = [*SHORT[:-1], "SCORE:-187900|187901:P1_ex|P2_ex"]
    assert verify_log_lines(score, gamedef).faults == (Fault(505, "expected score -187901|187901, got -187900|187901"),)
    assert len(verify_log_lines([*SHORT, "SCORE:1"], gamedef).faults) == 1


def test_appended_and_resumed_logs() -> None:
    gamedef = game(HUNL)
    assert verify_log_lines(SHORT + SHORT, gamedef).faults == ()
    assert verify_log_lines(SHORT[:100] + SHORT, gamedef).faults == ()  # the first match failed
    resumed = SHORT[:100] + SHORT[:4] + SHORT[100:]
    assert verify_log_lines(resumed, gamedef).faults == ()


def test_logs_without_header_may_be_a_selection() -> None:
    assert verify_log_lines(SHORT[50:20:-1], game(HUNL)).faults == ()


def test_names_may_contain_separators() -> None:
    gamedef = game("kuhn.limit.2p")
    lines = [
        "# name/game/hands/seed m kuhn.limit.2p.game 2 1",
        "STATE:0:cc:Ks|As:-1|1:a b|x|y:z",
        "STATE:1:cc:Qs|As:-1|1:x|y:z|a b",
        "SCORE:0|0:a b|x|y:z",
    ]
    assert verify_log_lines(lines, gamedef).faults == ()


def test_finding_the_game(tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    assert find_log_gamedef(["STATE:0:f:"], log) == game(HUNL)
    header = "# name/game/hands/seed m /gone/leduc.limit.2p.game 5 1"
    assert find_log_gamedef([header], log) == game("leduc.limit.2p")
    (tmp_path / "leduc.limit.2p.game").write_text("numPlayers = 1\n")
    assert find_log_gamedef([header], log) == game("leduc.limit.2p")  # the damaged file beside the log is no game
    with pytest.raises(LogError, match=r"m\.log:1: the game definition 'x\.game' of this log was not found"):
        find_log_gamedef(["# name/game/hands/seed m x.game 5 1"], log)
    with pytest.raises(LogError, match=r"m\.log:1: expected"):
        find_log_gamedef(["# name/game/hands/seed m x.game"], log)


def test_unreadable_logs(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="could not read log file"):
        verify_log(tmp_path / "none.log")
    (tmp_path / "empty.log").touch()
    with pytest.raises(LogError, match="empty file"):
        verify_log(tmp_path / "empty.log")


@settings(max_examples=200)
@given(st.integers(4, 8), st.integers(0, 60), st.binary(min_size=1, max_size=3))
def test_damage_is_found_and_never_raises(number: int, at: int, damage: bytes) -> None:
    line = SHORT[number]
    at = min(at, line.index(":P"))
    damaged = line[:at] + damage.decode("latin-1") + line[at + len(damage) :]
    report = verify_log_lines([*SHORT[:number], damaged], game(HUNL))
    if not report.faults and not damaged.startswith("#"):  # another card that changes nothing, for example
        hand = parse_log_line(damaged, game(HUNL))
        values = payoffs(hand.state, hand.hole_cards, hand.board)
        assert (
            format_log_line(hand.hand_id, hand.state, hand.hole_cards, hand.board, values, hand.names.split("|"))
            == damaged
        )


def test_hands_start_anew_only_after_a_header() -> None:
    hands = [line for line in SHORT if line.startswith("STATE:")][:2]
    gamedef = golden_game(SHORT)
    appended = [SHORT[0], *hands, SHORT[0], *hands]
    assert [
        fault.message for fault in verify_log_lines(appended, gamedef).faults if "expected hand" in str(fault)
    ] == []
    faults = verify_log_lines([SHORT[0], *hands, *hands], gamedef).faults
    assert any("expected hand 2, got hand 0" in str(fault) for fault in faults)
