"""Range notation: every form, its errors, and that formatting and parsing are inverse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.poker.cards import NUM_COMBOS, combo_mask, parse_cards, parse_combo
from hedgehog.poker.hand_classes import (
    HAND_CLASS,
    HAND_CLASS_NAMES,
    HAND_CLASS_SIZES,
    NUM_HAND_CLASSES,
    offsuit_class,
    suited_class,
)
from hedgehog.poker.ranges import format_range, parse_range, round_weights
from hedgehog.runtime.errors import RangeError

THESIS = "A9+,KT+,QT+,JT,A4s+,K8s+,Q9s+,J9s+,T9s,55+"
EX_OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
EX_IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"


def classes_of(text: str) -> set[str]:
    """The hand classes with weight in a range, checking that the weight is 1 for all their combos."""
    weights = parse_range(text)
    assert set(weights.tolist()) <= {0.0, 1.0}
    held = {HAND_CLASS_NAMES[index] for index in HAND_CLASS[weights > 0]}
    assert sum(int(HAND_CLASS_SIZES[HAND_CLASS_NAMES.index(name)]) for name in held) == np.count_nonzero(weights)
    return held


def test_hand_classes_partition_the_combos() -> None:
    assert len(set(HAND_CLASS_NAMES)) == NUM_HAND_CLASSES
    assert sorted(HAND_CLASS_SIZES.tolist()) == [4] * 78 + [6] * 13 + [12] * 78
    for text, name in [("AhKh", "AKs"), ("KdAh", "AKo"), ("2c7d", "72o"), ("7s2s", "72s"), ("TdTs", "TT")]:
        assert HAND_CLASS_NAMES[HAND_CLASS[parse_combo(text)]] == name
    assert HAND_CLASS_NAMES[suited_class(12, 11)] == "AKs"
    assert HAND_CLASS_NAMES[offsuit_class(12, 11)] == "AKo"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("77", "77"),
        ("JJ+", "JJ QQ KK AA"),
        ("AA+", "AA"),
        ("AKs", "AKs"),
        ("AK", "AKs AKo"),
        ("32", "32s 32o"),
        ("ATs+", "ATs AJs AQs AKs"),
        ("Q9o+", "Q9o QTo QJo"),
        ("AQ+", "AQs AKs AQo AKo"),
        ("JTs+", "JTs QJs KQs AKs"),
        ("KQ+", "KQs AKs KQo AKo"),
        ("99-66", "99 88 77 66"),
        ("66-99", "99 88 77 66"),
        ("A5s-A3s", "A5s A4s A3s"),
        ("K4-K2", "K4s K3s K2s K4o K3o K2o"),
        ("T9o-76o", "T9o 98o 87o 76o"),
        ("J9s-86s", "J9s T8s 97s 86s"),
        ("aks, tt , Q9O", "AKs TT Q9o"),
        (" 99 - 88 ", "99 88"),
    ],
)
def test_notation(text: str, names: str) -> None:
    assert classes_of(text) == set(names.split())


@pytest.mark.parametrize("text", ["random", "full", "Random"])
def test_all_hands(text: str) -> None:
    assert (parse_range(text) == 1).all()


def test_weights_and_single_combos() -> None:
    weights = parse_range("76s:0.5,AhKd,QQ:.25,22:1.0,33:0")
    assert weights.dtype == np.float32
    assert weights[parse_combo("7d6d")] == 0.5
    assert weights[parse_combo("KdAh")] == 1
    assert weights[parse_combo("QhQs")] == 0.25
    assert weights.sum(dtype=np.float64) == 4 * 0.5 + 1 + 6 * 0.25 + 6


def test_first_entry_that_names_a_combo_decides() -> None:
    weights = parse_range("AhKh:0.25,AsKs:0,AKs:0.5,random:0.1")
    named = {text: float(weights[parse_combo(text)]) for text in ("AhKh", "AsKs", "AcKc", "2c3d")}
    assert named == pytest.approx({"AhKh": 0.25, "AsKs": 0.0, "AcKc": 0.5, "2c3d": 0.1})


@pytest.mark.parametrize(
    ("text", "board", "hands"),
    [
        # Hand counts of the benchmark spots A, C2 and C3.
        (THESIS, "QhJh2c", 237),
        (EX_OOP, "Td9d6h", 180),
        (EX_IP, "Td9d6h", 265),
        (EX_OOP, "Td9d6hQc", 167),
        (EX_IP, "Td9d6hQc", 250),
        ("random", "QhJh2c", 1176),
    ],
)
def test_hand_counts_of_benchmark_spots(text: str, board: str, hands: int) -> None:
    weights = parse_range(text)
    assert np.count_nonzero(weights[combo_mask(parse_cards(board))]) == hands
    assert (weights <= 1).all()


@pytest.mark.parametrize(
    ("text", "column", "complaint"),
    [
        ("AA,AKx", 4, "expected a hand"),
        ("AA,,KK", 4, "expected a hand"),
        ("AA,,", 4, "expected a hand"),
        ("AA, 89", 5, "higher rank first"),
        ("AA,  TTs", 6, "neither suited nor offsuit"),
        ("AA:1.5", 1, "weight from 0 to 1"),
        ("AA:-0.1", 1, "weight from 0 to 1"),
        ("AA:nan", 1, "weight from 0 to 1"),
        ("AA:", 1, "weight from 0 to 1"),
        ("AA:0.5:0.5", 1, "weight from 0 to 1"),
        ("A5s-K2s", 1, "share the higher card or the gap"),
        ("99-87s", 1, "must be suited"),
        ("AA-K2", 1, "share the higher card or the gap"),
        ("A5s-A2o", 1, "must be suited"),
        ("A5s-", 1, "expected a hand"),
        ("AhAh", 1, "repeated"),
        ("AhKh+", 1, "expected a hand"),
        ("A9+-A5", 1, "expected a hand"),
        ("ÄK", 1, "expected a hand"),
    ],
)
def test_errors_name_entry_and_column(text: str, column: int, complaint: str) -> None:
    with pytest.raises(RangeError) as caught:
        parse_range(text)
    entry = text[column - 1 :].split(",", maxsplit=1)[0].strip()
    assert f"entry {entry!r} at column {column}" in str(caught.value)
    assert complaint in str(caught.value)


@pytest.mark.parametrize("text", ["", "  ", "AA:0", "random:0"])
def test_empty_ranges_are_errors(text: str) -> None:
    with pytest.raises(RangeError, match="empty"):
        parse_range(text)


@pytest.mark.parametrize(
    ("text", "compact"),
    [
        ("AA,KK", "KK+"),
        ("KK,QQ", "KK-QQ"),
        ("22,33,55,JJ+", "JJ+,55,33-22"),
        ("AKs,AQs,AJs,AKo", "AK,AQs-AJs"),
        ("KQ,K9s,K8s,K7s,K5s", "KQ,K9s-K7s,K5s"),
        ("T9s", "T9s"),
        ("AK+", "AK"),
        ("ATo+:0.5,AA:0.125", "AA:0.125,ATo+:0.5"),
        ("AhKh,AsKs:0.5,AcKd", "AsKs:0.5,AhKh,AcKd"),
        ("random", "random"),
        ("random:0.3", "random:0.3"),
        (THESIS, "55+,A9+,A8s-A4s,KT+,K9s-K8s,QT+,Q9s,JT,J9s,T9s"),
    ],
)
def test_format_is_compact(text: str, compact: str) -> None:
    assert format_range(parse_range(text)) == compact


@given(
    st.lists(st.sampled_from([0.0, 0.0, 0.25, 1.0]), min_size=NUM_HAND_CLASSES, max_size=NUM_HAND_CLASSES),
    st.dictionaries(st.integers(0, NUM_COMBOS - 1), st.floats(0, 1, width=32), min_size=1, max_size=8),
)
def test_parse_inverts_format(by_class: list[float], exceptions: dict[int, float]) -> None:
    weights = np.array(by_class, dtype=np.float32)[HAND_CLASS]
    for combo, weight in exceptions.items():
        weights[combo] = weight
    weights[0] = 0.75  # never empty
    assert np.array_equal(parse_range(format_range(weights)), weights)


def test_parse_inverts_format_of_arbitrary_weights() -> None:
    weights = np.random.default_rng(5).random(NUM_COMBOS, dtype=np.float32)
    assert np.array_equal(parse_range(format_range(weights)), weights)


@given(st.lists(st.just(0.0) | st.floats(1e-30, 1), min_size=1, max_size=50))
def test_rounded_weights_lose_no_hand(weights: list[float]) -> None:
    exact = np.array(weights)
    rounded = round_weights(exact)
    assert ((rounded > 0) == (exact > 0)).all()
    assert rounded == pytest.approx(exact, rel=5.1e-4, abs=0)
    assert rounded.max() <= 1
    assert [float(f"{weight:.4g}") for weight in weights] == pytest.approx(rounded.tolist(), rel=1e-3, abs=0)


def test_rounded_weights_are_short() -> None:
    weights = np.full(NUM_COMBOS, 1 / 3, np.float32)
    weights[0] = np.float32(2e-5) / 3
    assert format_range(round_weights(weights)).startswith("33+:0.3333,")
    assert "2d2c:0.000006667" in format_range(round_weights(weights))


@pytest.mark.parametrize(
    "weights", [np.zeros(NUM_COMBOS), np.full(NUM_COMBOS, 1.5), np.full(NUM_COMBOS, -0.5), np.full(NUM_COMBOS, np.nan)]
)
def test_format_rejects_weights_that_are_no_range(weights: np.ndarray) -> None:
    with pytest.raises(RangeError):
        format_range(weights)


@given(st.text(alphabet="AKQT92sohd+-:,.05 ", max_size=16))
def test_any_text_gives_a_range_or_a_range_error(text: str) -> None:
    try:
        weights = parse_range(text)
    except RangeError:
        return
    assert weights.shape == (NUM_COMBOS,)
    assert ((weights >= 0) & (weights <= 1)).all()
