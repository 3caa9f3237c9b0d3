"""Ranges in the forms of other programs: what is read, what wins, what is refused, and round trips."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.poker.cards import NUM_COMBOS, parse_combo
from hedgehog.poker.evaluation.matchups import class_strengths
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES, NUM_HAND_CLASSES
from hedgehog.poker.range_texts.forms import FORMS, format_range_for
from hedgehog.poker.range_texts.hand_order import HAND_ORDER, top_hands
from hedgehog.poker.range_texts.vectors import ORDERS, PIO_ORDER, parse_vector
from hedgehog.poker.range_view import Range
from hedgehog.poker.ranges import parse_range, range_entries
from hedgehog.runtime.errors import RangeError


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("[50]AA[/50]", "AA:0.5"),
        ("[50.0]AKs[/50.0]", "AKs:0.5"),
        ("AA-JJ,AKs-A9s,[77.0]22[/77.0],[67]75s,65s[/67.0]", "JJ+,A9s+,22:0.77,75s:0.67,65s:0.67"),
        ("[50]AsKh, KK[/50], 55, Jh3s", "AsKh:0.5,KK:0.5,55,Jh3s"),
        ("[ 25 ] QQ\nJJ [/ 25 ]", "QQ-JJ:0.25"),
        ("AA KK", "AA,KK"),
        ("AA\tKK :0.5\n99 - 88 , AhKh\n", "AA,KK:0.5,99-88,AhKh"),
        ("AA,KK,", "AA,KK"),
        ("AA,KK,\n", "AA,KK"),
        ("AA:50%", "AA:0.5"),
        ("AA: 12.5% KK", "AA:0.125,KK"),
        ("100%", "random"),
        ("0.4%", "AA"),
        ("0.5%", "KK+"),
        ("1%:0.5", "QQ+:0.5"),
        ("AA:0.2, 1%", "AA:0.2,KK,QQ"),
    ],
)
def test_texts_of_other_programs(text: str, same: str) -> None:
    assert np.array_equal(parse_range(text), parse_range(same))


def test_the_first_entry_decides_in_brackets_too() -> None:
    weights = parse_range("AhKh:0.25 [50]AKs,QQ[/50] QQ AK [10]1%[/10]")
    named = {text: float(weights[parse_combo(text)]) for text in ("AhKh", "AsKs", "QcQd", "AcKd", "AcAd")}
    assert named == pytest.approx({"AhKh": 0.25, "AsKs": 0.5, "QcQd": 0.5, "AcKd": 1.0, "AcAd": 0.1})


def test_entries_know_where_they_stand() -> None:
    entries = [(entry.text, entry.column, entry.weight) for entry in range_entries("AA, [50]KK  99 - 88[/50] QQ:10%")]
    assert entries == [("AA", 1, 1.0), ("KK", 9, 0.5), ("99 - 88", 13, 0.5), ("QQ:10%", 26, 0.1)]
    assert list(range_entries("pio-order" + " 1" * NUM_COMBOS)) == []


@pytest.mark.parametrize(
    ("text", "entry", "column", "complaint"),
    [
        ("[50]AA", "[50]", 1, "not closed, expected [/50]"),
        ("AA, [50]KK[/40]", "[/40]", 11, "expected [/50]"),
        ("AA[/50]", "[/50]", 3, "no bracket is open"),
        ("[50]AA,[20]KK[/20][/50]", "[20]", 8, "expected [/50]"),
        ("[150]AA[/150]", "[150]", 1, "percentage from 0 to 100"),
        ("[]AA[/]", "[]", 1, "percentage from 0 to 100"),
        ("[50]AA:0.5[/50]", "AA:0.5", 5, "say the weight already"),
        ("[50],AA[/50]", "", 5, "expected a hand"),
        ("[50AA", "[", 1, "expected a hand"),
        ("AA KZ", "KZ", 4, "expected a hand"),
        ("AA:50", "AA:50", 1, "50 percent is 50%"),
        ("AA:101%", "AA:101%", 1, "from 0% to 100%"),
        ("AA 0%", "0%", 4, "above 0 and up to 100"),
        ("101%", "101%", 1, "above 0 and up to 100"),
        ("AA 0.5", "0.5", 4, "expected a hand"),
    ],
)
def test_faults_name_the_entry(text: str, entry: str, column: int, complaint: str) -> None:
    with pytest.raises(RangeError) as caught:
        parse_range(text)
    assert f"entry {entry!r} at column {column}: " in str(caught.value)
    assert complaint in str(caught.value)


def test_vectors_name_their_order() -> None:
    numbers = ["0"] * NUM_COMBOS
    numbers[2] = "0.5"
    for order, combo in (("pio", "2h2d"), ("hedgehog", "2s2c")):
        weights = parse_range(f"{order}-order {' '.join(numbers)}")
        assert np.flatnonzero(weights).tolist() == [parse_combo(combo)]
        assert weights.max() == 0.5
        values = [float(number) for number in numbers]
        assert np.array_equal(Range(values, order=order), weights)
    assert np.array_equal(parse_range("PIO-order 0," + ", ".join(["1"] * 1325)) == 0, np.arange(NUM_COMBOS) == 0)
    assert sorted(PIO_ORDER.tolist()) == list(range(NUM_COMBOS))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (" ".join(["1"] * NUM_COMBOS), "1326 numbers do not say for which hands"),
        ("pio-order 1 2 3", "expected 1326 numbers, got 3"),
        ("pio-order" + " 1" * 1325 + " x", "number 1326, for AsAh: expected numbers from 0 to 1, got 'x'"),
        ("hedgehog-order 0 2" + " 1" * 1324, "number 2, for 2h2c"),
        ("pio-order" + " 0" * NUM_COMBOS, "no combo has a weight above 0"),
    ],
)
def test_faults_of_vectors(text: str, complaint: str) -> None:
    with pytest.raises(RangeError, match=complaint) as caught:
        parse_range(text)
    assert len(str(caught.value)) < 400


def test_a_range_refuses_an_order_that_means_nothing() -> None:
    with pytest.raises(RangeError, match="no order of hands"):
        Range(np.ones(NUM_COMBOS), order="alphabet")
    with pytest.raises(RangeError, match="no order of its own"):
        Range("AA", order="pio")
    with pytest.raises(RangeError, match=r"expected hedgehog, pio, gto\+"):
        Range("AA").as_text("flopzilla")


def test_the_best_hands_are_those_that_win_most_against_a_random_hand() -> None:
    strengths = class_strengths()
    assert list(HAND_ORDER) == [HAND_CLASS_NAMES[each] for each in np.argsort(-strengths)]


@given(st.floats(0.001, 100))
def test_so_many_of_the_best_hands_as_are_needed(percent: float) -> None:
    held = top_hands(percent)
    classes = {HAND_CLASS_NAMES[each] for each in HAND_CLASS[held]}
    assert classes == set(HAND_ORDER[: len(classes)])
    assert held.sum() >= percent * NUM_COMBOS / 100 - 1e-6
    last = HAND_CLASS_NAMES.index(HAND_ORDER[len(classes) - 1]) == HAND_CLASS
    assert (held & ~last).sum() < percent * NUM_COMBOS / 100


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("pio", "AA,KK,QQ:0.5,AKs:0.25,A9s,AKo,A9o,AhQh:0.5"),
        ("gto-wizard", "AA,KK,QQ:0.5,AKs:0.25,A9s,AKo,A9o,AhQh:0.5"),
        ("gto+", "AA-KK,A9s,AKo,A9o,[50]QQ,AhQh[/50],[25]AKs[/25]"),
        ("hedgehog", "KK+,QQ:0.5,A9,AKs:0.25,AKo,AhQh:0.5"),
    ],
)
def test_exports(form: str, text: str) -> None:
    assert Range("KK+,QQ:0.5,AKs:0.25,AKo,A9,AhQh:0.5").as_text(form) == text


@given(
    st.sampled_from(sorted(FORMS)),
    st.lists(st.sampled_from([0.0, 0.0, 0.1, 0.77, 1.0]), min_size=NUM_HAND_CLASSES, max_size=NUM_HAND_CLASSES),
    st.dictionaries(st.integers(0, NUM_COMBOS - 1), st.floats(0, 1, width=32), min_size=1, max_size=8),
)
def test_every_form_is_read_back_to_the_last_bit(
    form: str, by_class: list[float], exceptions: dict[int, float]
) -> None:
    weights = np.array(by_class, dtype=np.float32)[HAND_CLASS]
    for combo, weight in exceptions.items():
        weights[combo] = weight
    weights[0] = 0.75  # never empty
    text = format_range_for(form, weights)
    name, is_vector, _ = form.partition("-vector")
    assert np.array_equal(parse_range(f"{name}-order {text}" if is_vector else text), weights)
    if is_vector:
        assert np.array_equal(parse_vector(text.split(), ORDERS[name]), weights)
    else:  # no combo is named twice
        assert max(np.sum([entry.combos for entry in range_entries(text)], axis=0)) == 1


@pytest.mark.parametrize("weights", [np.zeros(NUM_COMBOS), np.full(NUM_COMBOS, 1.5), np.full(NUM_COMBOS, np.nan)])
def test_what_is_no_range_is_not_written(weights: np.ndarray) -> None:
    with pytest.raises(RangeError):
        format_range_for("pio", weights)
