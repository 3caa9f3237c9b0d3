"""The bet-size grammar."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.poker.betsizes import (
    AllIn,
    BetSizes,
    ChipAmount,
    Geometric,
    PotFraction,
    PreviousBetMultiple,
    format_bet_size,
    format_bet_sizes,
    parse_bet_size,
    parse_bet_sizes,
    parse_menu,
)
from hedgehog.runtime.errors import SpotError


@pytest.mark.parametrize(
    ("token", "size"),
    [
        ("50%", PotFraction(0.5)),
        ("33.3%", PotFraction(33.3 / 100)),
        ("2.5x", PreviousBetMultiple(2.5)),
        ("100c", ChipAmount(100)),
        ("20c3r", ChipAmount(20, 3)),
        ("e", Geometric()),
        ("2e", Geometric(2)),
        ("3e200%", Geometric(3, 2.0)),
        ("e80%", Geometric(None, 0.8)),
        ("a", AllIn()),
    ],
)
def test_tokens_parse_and_format(token: str, size: object) -> None:
    assert parse_bet_size(token) == size
    assert parse_bet_size(f" {token.upper()} ") == size
    assert format_bet_size(parse_bet_size(token)) == token


@pytest.mark.parametrize(
    "token",
    [
        "",
        "50",
        "%",
        "-50%",
        "0%",
        "0c",
        "1x",
        "0.5x",
        "1.5c",
        "20c0r",
        "0c3r",
        "20cr",
        "20r",
        "3r20c",
        "0e",
        "12e",
        "e0%",
        "all",
        "1e5%%",
        "9" * 400 + "%",
        "٣%",
    ],
)
def test_malformed_tokens_are_named(token: str) -> None:
    with pytest.raises(SpotError) as raised:
        parse_bet_size(token)
    assert repr(token) in raised.value.message


def test_menus_by_raise_number_and_the_last_repeats() -> None:
    sizes = parse_bet_sizes("50%, a / 2.5x / ")
    assert sizes.menus == ((PotFraction(0.5), AllIn()), (PreviousBetMultiple(2.5),), ())
    assert sizes.menu(1) == (PreviousBetMultiple(2.5),)
    assert sizes.menu(2) == sizes.menu(7) == ()
    assert parse_bet_sizes("50%").menu(3) == (PotFraction(0.5),)


def test_a_multiple_of_the_bet_cannot_open() -> None:
    with pytest.raises(SpotError, match=r"'2\.5x'"):
        parse_bet_sizes("50%,2.5x/a")
    with pytest.raises(SpotError, match="'20c3r' counts raises"):
        parse_bet_sizes("20c3r")
    assert parse_bet_sizes("20c/20c3r").menu(4) == (ChipAmount(20, 3),)
    with pytest.raises(SpotError, match="at least one"):
        BetSizes(())
    assert parse_menu("2.5x") == (PreviousBetMultiple(2.5),)


_percent = st.integers(1, 99_999).map(lambda n: n / 100)
_sizes = st.one_of(
    _percent.map(lambda p: parse_bet_size(f"{p}%")),
    st.integers(101, 99_999).map(lambda n: PreviousBetMultiple(n / 100)),
    st.builds(ChipAmount, st.integers(1, 10**8), st.none() | st.integers(1, 99)),
    st.just(AllIn()),
    st.builds(Geometric, st.none() | st.integers(1, 9), st.none() | st.integers(1, 999).map(lambda n: n / 100)),
)


@given(st.lists(st.lists(_sizes, max_size=4).map(tuple), max_size=3), st.lists(_sizes, max_size=4))
def test_formatting_round_trips(raises: list[tuple[object, ...]], opening: list[object]) -> None:
    menu = tuple(
        size for size in opening if not isinstance(size, PreviousBetMultiple) and not getattr(size, "max_raises", None)
    )
    sizes = BetSizes((menu, *raises))  # type: ignore[arg-type]
    assert parse_bet_sizes(format_bet_sizes(sizes)) == sizes
