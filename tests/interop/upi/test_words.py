"""Words of UPI commands: blanks, quotes, paths, numbers."""

from __future__ import annotations

import pytest

from hedgehog.interop.upi.vectors import format_vector, parse_weights
from hedgehog.interop.upi.words import parse_chips, parse_number, parse_path, parse_player, parse_words
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.errors import InputError


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("0   0", ["0", "0"]),  # pious sends three blanks
        ('"D:\\x y\\a.cfr" full', ["D:\\x y\\a.cfr", "full"]),  # a backslash is a letter
        ('a "" b', ["a", "", "b"]),
    ],
)
def test_words_are_separated_by_blanks_and_quotes_hold_blanks(text: str, words: list[str]) -> None:
    assert parse_words(text) == words


@pytest.mark.parametrize("text", ['"open', 'a"b"', '"a"b', 'a b" c'])
def test_a_quotation_mark_out_of_place_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="double quotes"):
        parse_words(text)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('"/a b/c.cfr"', ("/a b/c.cfr", "")),
        ('"/a b/c.cfr" full', ("/a b/c.cfr", "full")),
        ("/a b/c.cfr", ("/a b/c.cfr", "")),  # the vendor's sample quotes nothing
        ("/a b/c.cfr fast", ("/a b/c.cfr", "fast")),
        ("auto", ("auto", "")),
    ],
)
def test_a_path_with_blanks_needs_no_quotes(text: str, path: tuple[str, str]) -> None:
    assert parse_path(text) == path


@pytest.mark.parametrize("text", ["", '""', '"a', '"a" slow', '" "'])
def test_no_path_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="path"):
        parse_path(text)


def test_chips_are_whole_and_numbers_are_finite() -> None:
    assert parse_chips("900") == parse_chips("900.0") == 900
    for text in ("9.5", "-1", "nan", "inf", "x", "1_0", "1e99", ""):
        with pytest.raises(InputError):
            parse_chips(text)
    assert parse_number("0.05") == 0.05
    assert [parse_player(word) for word in ("OOP", "ip", "0", "1")] == [0, 1, 0, 1]
    with pytest.raises(InputError, match="OOP or IP"):
        parse_player("BB")


@pytest.mark.parametrize("text", ["99+,88,77:0.5", "99+ 88 77:0.5", "99+ 88+ 77:0.25, 66", "77 88 99"])
def test_a_range_may_have_blanks_and_begin_with_a_pair(text: str) -> None:
    assert (parse_weights(text) == parse_range(",".join(text.replace(",", " ").split()))).all()


@pytest.mark.parametrize("text", ["1 2 3", "0 0.5", "nan " * 1326, "2 " * 1326, "0.1 " * 1325])
def test_numbers_are_1326_weights(text: str) -> None:
    with pytest.raises(InputError, match="expected"):
        parse_weights(text)


def test_weights_in_pios_order_are_read_back() -> None:
    weights = parse_range("AA,KK:0.3333333,2h2d:0.125")
    assert (parse_weights(format_vector(weights)) == weights).all()
    assert format_vector(weights).split(" ")[2] == "0.125"
