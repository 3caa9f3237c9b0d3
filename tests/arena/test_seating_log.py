"""hedgehog.arena.seating_log: which logs count as finished."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgehog.arena.play import play_match
from hedgehog.arena.seating_log import ExpectedLog, read_finished_log
from hedgehog.poker.acpc.gamedef import find_gamedef

GAME = find_gamedef("holdem.nolimit.2p.reverse_blinds")


@pytest.fixture
def log(tmp_path: Path) -> ExpectedLog:
    """The log of two players that win and lose nothing, so that the names alone tell their scores apart."""
    played = play_match(["a=call", "b=call"], hands=2, out=tmp_path / "match", seed=5, duplicate=False)
    expected = ExpectedLog(played.logs[0], "seating_1", GAME, 2, 5, ("a", "b"))
    lines = expected.path.read_text().splitlines()
    states = [":".join([*line.split(":")[:4], "0|0", line.rpartition(":")[2]]) for line in lines if "STATE" in line]
    head = [line for line in lines if line.startswith("#")]
    expected.path.write_text("\n".join([*head, *states, "SCORE:0|0:a|b"]) + "\n")
    return expected


def test_a_finished_log(log: ExpectedLog) -> None:
    assert read_finished_log(log) == {"a": 0.0, "b": 0.0}


@pytest.mark.parametrize(
    "score",
    ["SCORE:0|0:b|a", "SCORE:0|0:a|c", "SCORE:0|0:a", "SCORE:0|0:a|b|c", "SCORE:0|0:", "SCORE:0|0", "SCORE:0|0:A|B"],
)
def test_the_score_line_names_the_players_in_seat_order(log: ExpectedLog, score: str) -> None:
    text = log.path.read_text()
    log.path.write_text(text.replace("SCORE:0|0:a|b", score))
    assert read_finished_log(log) is None


@pytest.mark.parametrize("score", ["SCORE:1|0:a|b", "SCORE:0|0|0:a|b", "SCORE:0:a|b", "SCORE:x|0:a|b"])
def test_the_score_is_the_sum_of_the_hands(log: ExpectedLog, score: str) -> None:
    text = log.path.read_text()
    log.path.write_text(text.replace("SCORE:0|0:a|b", score))
    assert read_finished_log(log) is None
