"""The schedule of repetition, and the file that keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.analysis.drills.progress import BOX_DAYS, DAY_S, Progress, load_progress
from hedgehog.analysis.drills.session import Session
from hedgehog.runtime.errors import InputError
from tests.analysis.drills.drilled import Fixed, question

RIGHT, WRONG = 1, 2


def test_a_right_answer_moves_to_box_two_and_is_not_due_before_a_day() -> None:
    progress = Progress()
    card, given_answer = progress.answer("s", question("a"), RIGHT, 1000.0)
    assert given_answer.right
    assert card.box == 2
    assert progress.due("s", 1000.0 + DAY_S) == []
    assert progress.due("s", 1000.0 + 3 * DAY_S) == [card]
    card, given_answer = progress.answer("s", question("a"), WRONG, 1000.0 + 3 * DAY_S)
    assert not given_answer.right
    assert card.box == 1
    assert card.due == 1000.0 + 4 * DAY_S


@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_the_box_is_one_more_than_the_right_answers_since_the_last_wrong_one(answers: list[bool]) -> None:
    progress, now = Progress(), 0.0
    for right in answers:
        card, _ = progress.answer("s", question("a"), RIGHT if right else WRONG, now)
        now = card.due
    streak = next((n for n, right in enumerate(reversed(answers)) if not right), len(answers))
    assert card.box == min(1 + streak, 5)
    waited = [min(1 + s, 5) for s in streaks(answers)]
    assert card.due == sum(BOX_DAYS[box - 1] for box in waited) * DAY_S


def streaks(answers: list[bool]) -> list[int]:
    """Returns the number of right answers in a row at each answer."""
    found, now = [], 0
    for right in answers:
        now = now + 1 if right else 0
        found.append(now)
    return found


def test_an_answer_within_the_error_is_right() -> None:
    close = question("a", (0.0, 5.5, 60.0))
    assert [close.is_right(n) for n in range(3)] == [True, False, False]
    unsure = close.of_document(
        {**close.document(), "choices": [{**choice, "error": 1.0} for choice in close.document()["choices"]]}
    )
    assert [unsure.is_right(n) for n in range(3)] == [True, True, False]


def test_every_answer_is_on_the_disk_before_the_next_question(tmp_path: Path) -> None:
    path = tmp_path / "progress.txt"
    source = Fixed([question(name) for name in "abc"])
    session = Session(source, load_progress(path), 1, clock=lambda: 50.0)
    count = 0
    while (asked := session.next()) is not None:
        session.answer(asked, RIGHT)
        count += 1
        assert [card.question.key for card in load_progress(path).cards()] == list("abc")[:count]
    assert count == 3
    assert load_progress(path).text() == path.read_text()
    again = Session(source, load_progress(path), 1, clock=lambda: 50.0)
    assert again.next() is None
    assert not list(tmp_path.glob(".*"))


def test_due_questions_come_first_and_the_oldest_before_the_others(tmp_path: Path) -> None:
    source = Fixed([question(name) for name in "abcd"])
    progress = Progress()
    progress.answer("fixed", question("b"), WRONG, 10.0)
    progress.answer("fixed", question("a"), WRONG, 20.0)
    progress.answer("fixed", question("d"), RIGHT, 0.0)
    progress.answer("other", question("x"), WRONG, 0.0)
    session = Session(source, progress, 1, clock=lambda: 20.0 + DAY_S)
    asked = []
    while (found := session.next()) is not None:
        asked.append(found.key)
        session.answer(found, RIGHT)
    assert asked == ["b", "a", "c"]
    assert "2 repeated: 6.0 % of the pot better" in " ".join(session.summary())
    assert session.document()["progress"]["boxes"] == [0, 4, 0, 0, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("my diary\n", "progress.txt:1: no results of hedgehog drill"),
        ('{"format":"hedgehog.drill","version":2}\n', "progress.txt:1: no results of hedgehog drill"),
        ('{"format":"hedgehog.drill","version":1}\n{"box":1}\n', "progress.txt:2: is damaged"),
        ('{"format":"hedgehog.drill","version":1}\n[[[[\n', "progress.txt:2: is damaged"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "progress.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        load_progress(path)


def test_numbers_that_cannot_be_are_refused(tmp_path: Path) -> None:
    progress = Progress(tmp_path / "progress.txt")
    progress.answer("s", question("a"), RIGHT, 1.0)
    sound = (tmp_path / "progress.txt").read_text()
    for old, new in (('"box":2', '"box":7'), ('"pot":1000', '"pot":0'), ('"ev":50.0', '"ev":NaN')):
        assert old in sound
        (tmp_path / "progress.txt").write_text(sound.replace(old, new))
        with pytest.raises(InputError, match="is damaged"):
            load_progress(tmp_path / "progress.txt")
