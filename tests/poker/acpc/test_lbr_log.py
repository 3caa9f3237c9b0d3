"""Logs of local best response, made from golden ACPC logs by independent text replacement."""

from __future__ import annotations

import pytest

from hedgehog.poker.acpc.handlog import Fault, format_log_line
from hedgehog.poker.acpc.lbr_log import (
    format_lbr_betting,
    parse_lbr_betting,
    parse_lbr_hand,
    read_lbr_hands,
    read_lbr_header,
    verify_lbr_lines,
)
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.runtime.errors import InputError, LogError
from tests.golden import HUNL, game, read_golden_log
from tests.poker.lbr_fixtures import CONFIG, lbr_log

GAME = game(HUNL)
LOGS = ["log_hunl2p_s0", "log_hunl2p_s1471220049", "log_hunl2p_s4294967295"]


def renamed(acpc: list[str]) -> dict[str, str]:
    """The players of a log that ends with a score get the names of LBR logs."""
    return dict(zip(acpc[-1].split(":")[2].split("|"), ("BR", "Player"), strict=True))


def hand(betting: str, cards: str = "AhKd,7c7s|/2s9dTh", values: str = "400,-400") -> str:
    return f"3:BR,Player:{betting}:{cards}:{values}(0.500000)"


@pytest.mark.parametrize("name", LOGS)
def test_every_hand_gives_the_acpc_line_back(name: str) -> None:
    acpc = [line for line in read_golden_log(name) if line.startswith("STATE:")]
    lines = lbr_log(acpc)
    hands = list(read_lbr_hands(lines, read_lbr_header(lines).gamedef()))
    assert [number for number, _ in hands] == list(range(len(CONFIG) + 1, len(CONFIG) + 1 + len(acpc)))
    for (_, parsed), line in zip(hands, acpc, strict=True):
        got = parsed.hand
        values = payoffs(got.state, got.hole_cards, got.board)
        assert format_log_line(got.hand_id, got.state, got.hole_cards, got.board, values, [got.names]) == line
        assert "|".join(got.values) == line.split(":")[4]
        assert parsed.imaginary_value == values[0] / 2


@pytest.mark.parametrize("name", LOGS)
def test_whole_logs_verify(name: str) -> None:
    acpc = read_golden_log(name)
    lines = lbr_log(acpc, renamed(acpc))
    report = verify_lbr_lines(lines)
    assert report.hands == len(lines) - len(CONFIG) - 3
    assert report.faults == ()


def test_header() -> None:
    header = read_lbr_header(CONFIG)
    assert (header.seed, header.actions) == (7, ("C", "F,C,0.05,A"))
    assert header.gamedef() == GAME


def test_the_game_of_100_big_blinds() -> None:
    name = "holdem/game_def.holdem.2p.no_limit.100BB.reverse_blinds"
    small = read_lbr_header([f"In config file: GAME_DEF={name}", "Using seed 1."]).gamedef()
    assert (small.stacks, small.blinds) == ((200, 200), (2, 1))
    # Limp; raise by 4 to 6; call; check, raise by 12 to 18; call; all-in by 182 and call: two rounds of checks follow.
    state = parse_lbr_betting("cr4c/cr12c/r182c/cc", small)
    assert state.betting_string() == "cr6c/cr18c/r200c/"
    assert (state.spent, format_lbr_betting(state)) == ([200, 200], "cr4c/cr12c/r182c/cc")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (CONFIG[1:], r"the line 'In config file: GAME_DEF=\.\.\.' before"),
        (CONFIG[:-1], r"the line 'Using seed N\.' before"),
        (["In config file: GAME_DEF=omaha", *CONFIG[1:]], "'omaha'"),
        ([hand("0cc"), *CONFIG], "GAME_DEF"),
    ],
)
def test_bad_headers(config: list[str], expected: str) -> None:
    with pytest.raises(LogError, match=expected):
        read_lbr_header(config)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (hand("cr300c/r500f"), "number:names:betting"),  # the leading 0 is missing
        (hand("0cr300c/r500"), "finished hand"),
        (hand("0cr300cr500f"), "expected betting"),
        (hand("0cr300x/r500f"), "expected f, c, rN or /"),
        (hand("0cr50c/r500f"), "illegal action 'r150'"),
        (hand("0cr19900c/cc/cc"), "expected betting"),  # one round of checks short
        (hand("0cr300c/r500f/cc"), "expected betting"),
        (hand("0cr300c/r500f", cards="AhKd,7c7s|/2s9dAh"), "repeated"),
        (hand("0cr300c/r500f", cards="AhKd,7c7s|"), "board cards"),
        (hand("0cr300c/r500f", cards="AhKd,|/2s9dTh"), "hole cards of both players"),
        (hand("0cr300c/r500f", values="400"), "number:names:betting"),
        (hand("0cr300c/r500f").replace("3:BR", "0:BR"), "hand numbers from 1"),
    ],
)
def test_bad_hands(line: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        parse_lbr_hand(line, GAME)


def test_the_bad_line_is_named() -> None:
    with pytest.raises(LogError) as caught:
        list(read_lbr_hands([*CONFIG, hand("0cr300c/r500")], GAME, "lbr.out"))
    assert (caught.value.source, caught.value.line) == ("lbr.out", len(CONFIG) + 1)


def test_faults() -> None:
    acpc = read_golden_log(LOGS[1])
    lines = lbr_log(acpc, renamed(acpc))
    first = len(CONFIG)
    assert ":-20000,20000(" in lines[first]
    lines[first] = lines[first].replace(":-20000,20000(", ":20000,-20000(")
    del lines[first + 1]  # BR has folded the small blind: the sums at the end notice too
    faults = verify_lbr_lines(lines).faults
    assert faults[0] == Fault(first + 1, "expected values -20000,20000, got 20000,-20000")
    assert faults[1] == Fault(first + 2, "expected hand 2, got hand 3")
    messages = [fault.message for fault in faults if fault.line == len(lines) - 2]
    names = ("n", "sum", "sum_sq", "vr_sum", "vr_sum_sq")
    assert [message.split("=")[0] for message in messages] == [f"expected {name}" for name in names]
