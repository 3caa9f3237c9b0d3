"""Logs of seatings: which are complete, which are the beginning of one, and which are something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgehog.arena.seating_log import (
    ExpectedLog,
    LogFollower,
    Progress,
    count_unfinished_hands,
    read_finished_log,
    read_hole_cards,
)
from hedgehog.poker.acpc.gamedef import find_gamedef
from hedgehog.runtime.errors import LogError

HEADER = "# name/game/hands/seed m kuhn.limit.2p.game 2 7\n"
HANDS = "STATE:0:cc:Qs|Ks:-1|1:A|B\nSTATE:1:crf:Qs|Ks:2.5|-2.5:B|A\n"
SCORE = "SCORE:-3.5|3.5:A|B\n"
FINISHED = HEADER + HANDS + SCORE


@pytest.fixture
def expected(tmp_path: Path) -> ExpectedLog:
    return ExpectedLog(tmp_path / "m.log", "m", find_gamedef("kuhn.limit.2p"), 2, 7, ("A", "B"))


def test_a_finished_log(expected: ExpectedLog) -> None:
    assert read_finished_log(expected) is None
    expected.path.write_text(FINISHED)
    assert read_finished_log(expected) == {"A": -3.5, "B": 3.5}
    expected.path.write_text(FINISHED.replace("-3.5|3.5", "-3.499990|3.500010"))  # the last decimals may differ
    assert read_finished_log(expected) == {"A": -3.5, "B": 3.5}


@pytest.mark.parametrize(
    ("part", "instead"),
    [
        (FINISHED, ""),
        (SCORE, ""),
        (SCORE, SCORE[:-1]),
        (SCORE, SCORE + SCORE.replace("SCORE", "#")),
        ("SCORE:-3.5|3.5:A|B", "SCORE:-3.5|3.5"),
        ("SCORE:-3.5|3.5:A|B", "SCORE:-3.5|3.5:B|A"),
        ("SCORE:-3.5|3.5:A|B", "SCORE:-3.5|3.5:A|C"),
        ("SCORE:-3.5|3.5", "SCORE:-3.5"),
        ("SCORE:-3.5|3.5", "SCORE:-3.5|x"),
        ("SCORE:-3.5|3.5", "SCORE:-3.4999|3.5"),
        ("SCORE:-3.5|3.5", "SCORE:3.5|-3.5"),
        ("STATE:1", "STATE:2"),
        ("STATE:1:crf:Qs|Ks:2.5|-2.5:B|A\n", ""),
        (":B|A", ":B|C"),
        (":B|A", ":B|A:"),
        (HEADER, ""),
        (" m ", " another "),
        (" kuhn.limit.2p.game ", " leduc.limit.2p.game "),
        (" 2 7", " 3 7"),
        (" 2 7", " 2 8"),
        (" 2 7", " 2"),
    ],
)
def test_anything_else_is_not_finished(expected: ExpectedLog, part: str, instead: str) -> None:
    assert part in FINISHED
    expected.path.write_text(FINISHED.replace(part, instead))
    assert read_finished_log(expected) is None


@pytest.mark.parametrize(
    ("text", "hands"),
    [
        ("", 0),
        (HEADER, 0),
        (HEADER + HANDS[:20], 0),
        (HEADER + "#--t_hand 5\n" + HANDS[:-5], 1),
        (HEADER + HANDS, 2),
        (HEADER + HANDS + "STATE:2:cc:Qs|Ks:-1|1:A|B\n", None),
        (HANDS, None),
        (HEADER.replace("7", "8") + HANDS, None),
        (HEADER + HANDS.replace("STATE:1", "STATE:2"), None),
        (HEADER + HANDS.replace(":B|A", ":B|C"), None),
        (HEADER + HANDS.replace(":B|A", ":B|A|A"), None),
    ],
)
def test_whole_hands_of_an_unfinished_log(expected: ExpectedLog, text: str, hands: int | None) -> None:
    assert count_unfinished_hands(expected) == 0
    expected.path.write_text(text)
    assert count_unfinished_hands(expected) == hands


def test_a_growing_log_is_followed(expected: ExpectedLog) -> None:
    progress = Progress(chips={"A": 0.0, "B": 0.0})
    follower = LogFollower(expected.path, progress)
    follower.read()
    for text, hands, chips in ((HEADER + HANDS[:30], 1, -1), (HEADER + HANDS, 2, -3.5), (FINISHED, 2, -3.5)):
        expected.path.write_text(text)
        follower.read()
        assert (follower.hands, progress.hands, progress.chips) == (hands, hands, {"A": chips, "B": -chips})
    expected.path.write_text(FINISHED + "STATE:2:cc:Qs|Ks:-1|1:A|C\n")
    with pytest.raises(LogError, match="expected a hand of this match, got 'STATE:2:"):
        follower.read()


def test_only_new_hands_are_added_to_the_progress() -> None:
    progress = Progress(hands=10, chips={"A": 5.0, "B": -5.0})
    follow = progress.follower(("B", "A"))
    for hands, won in ((3, 20.0), (3, 20.0), (7, -40.0)):
        follow(hands, (won, -won))
        assert (progress.hands, progress.chips) == (10 + hands, {"A": 5 - won, "B": won - 5})


def test_hole_cards(expected: ExpectedLog) -> None:
    expected.path.write_text(HEADER + HANDS.replace("Qs|Ks", "Js|Qs", 1) + SCORE)
    assert read_hole_cards(expected.path) == ["Js|Qs", "Qs|Ks"]
    expected.path.write_text(HEADER + HANDS + "STATE:2:cc\n" + SCORE)
    with pytest.raises(LogError) as caught:
        read_hole_cards(expected.path)
    assert str(caught.value).startswith(f"{expected.path}:4: ")
