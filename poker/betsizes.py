"""The bet-size grammar: ``50%,100%,a / 2.5x`` and what each token means.

A menu is a list of size tokens separated by commas. Menus for the bet, the raise, the re-raise, ... of one street are
separated by ``/``; the last menu repeats for all later raises, and an empty menu offers no size. A menu may end with a
comma.

===========  ==========================================================================================
``50%``      half the pot (for a raise: half the pot after calling, on top of the bet faced)
``2.5x``     2.5 times the bet faced (raises only)
``100c``     100 chips (for a raise: on top of the bet faced)
``20c3r``    a raise of 20 chips on top of the bet faced, for the first 3 raises of a street only (raises only)
``e``        geometric: the pot fraction that, bet on every street that is left, puts the whole stack in on the river
``2e``       geometric over two streets; ``3e200%`` over three, but at most twice the pot; each earlier raise on this
             street counts as one of the streets
``a``        all-in
===========  ==========================================================================================

This module only reads and writes the notation; :mod:`hedgehog.solver.postflop.tree` turns sizes into chips.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from hedgehog.runtime.errors import SpotError

_NUMBER = r"([0-9]{1,9}(?:\.[0-9]{1,9})?)"
_POT_FRACTION = re.compile(_NUMBER + "%")
_PREVIOUS_BET_MULTIPLE = re.compile(_NUMBER + "x")
_CHIPS = re.compile(r"([0-9]{1,9})c(?:([0-9]{1,2})r)?")
_PART_OF_A_CHIP = re.compile(_NUMBER + "c(?:[0-9]{1,2}r)?")
_GEOMETRIC = re.compile(r"([0-9])?e(?:" + _NUMBER + "%)?")


@dataclass(frozen=True, slots=True)
class PotFraction:
    """The bet size ``50%``: a fraction of the pot, measured after calling."""

    fraction: float
    """Fraction of the pot, 0.5 for ``50%``; positive."""


@dataclass(frozen=True, slots=True)
class PreviousBetMultiple:
    """The raise size ``2.5x``: a multiple of the bet faced."""

    factor: float
    """The raise as a multiple of the opponent's total on the street; greater than 1."""


@dataclass(frozen=True, slots=True)
class ChipAmount:
    """The bet size ``100c`` or ``20c3r``: a fixed number of chips, on top of the bet faced if there is one."""

    chips: int
    """Positive number of chips."""
    max_raises: int | None = None
    """How many raises of a street may have this size, at least 1; such a size cannot open the betting.

    None: the bet and all raises may have it."""


@dataclass(frozen=True, slots=True)
class Geometric:
    """The bet size ``e``, ``2e`` or ``3e200%``: the pot fraction that, bet on each of several streets, ends all-in."""

    streets: int | None = None
    """Number of streets, this one included; each earlier raise on this street counts as one. None: all streets left."""
    max_fraction: float | None = None
    """Upper limit as a fraction of the pot; None: no limit."""


@dataclass(frozen=True, slots=True)
class AllIn:
    """The bet size ``a``: all chips that the player has left."""


BetSize: TypeAlias = PotFraction | PreviousBetMultiple | ChipAmount | Geometric | AllIn
Menu: TypeAlias = tuple[BetSize, ...]


@dataclass(frozen=True, slots=True)
class BetSizes:
    """The bet-size menus of one player on one street."""

    menus: tuple[Menu, ...]
    """The menus of the bet, the raise, the re-raise, ...; at least one, and the last menu serves all later raises."""

    def __post_init__(self) -> None:
        if not self.menus:
            raise SpotError("expected at least one menu of bet sizes")
        verify_opening_menu(self.menus[0])

    def menu(self, num_bets: int) -> Menu:
        """Returns the menu for a player who acts after ``num_bets`` bets and raises on this street."""
        return self.menus[min(num_bets, len(self.menus) - 1)]


def parse_bet_size(token: str) -> BetSize:
    """Parses one bet-size token such as ``50%``, ``2.5x`` or ``a``; the module's description lists all of them.

    :raises SpotError: if the token is not a bet size, or the size is not positive.
    """
    text = token.strip().lower()
    if text == "a":
        return AllIn()
    if match := _POT_FRACTION.fullmatch(text):
        return PotFraction(_positive(match[1], token) / 100)
    if match := _PREVIOUS_BET_MULTIPLE.fullmatch(text):
        factor = float(match[1])
        if factor <= 1:
            raise SpotError(f"a raise must be more than 1x the bet, got {token.strip()!r}")
        return PreviousBetMultiple(factor)
    if match := _CHIPS.fullmatch(text):
        return ChipAmount(int(_positive(match[1], token)), int(_positive(match[2], token)) if match[2] else None)
    if match := _GEOMETRIC.fullmatch(text):
        streets = int(_positive(match[1], token)) if match[1] else None
        return Geometric(streets, _positive(match[2], token) / 100 if match[2] else None)
    hint = ": chips are whole, choose a smaller unit" if _PART_OF_A_CHIP.fullmatch(text) else ""
    raise SpotError(
        f"expected a bet size such as 50%, 2.5x, 100c, 20c3r, e, 2e, 3e200% or a, got {token.strip()!r}{hint}"
    )


def format_bet_size(size: BetSize) -> str:
    """Formats one bet size as the token that :func:`parse_bet_size` reads back."""
    match size:
        case PotFraction(fraction):
            return f"{_format_number(fraction * 100)}%"
        case PreviousBetMultiple(factor):
            return f"{_format_number(factor)}x"
        case ChipAmount(chips, max_raises):
            return f"{chips}c{max_raises}r" if max_raises is not None else f"{chips}c"
        case Geometric(streets, max_fraction):
            limit = f"{_format_number(max_fraction * 100)}%" if max_fraction is not None else ""
            return f"{streets if streets is not None else ''}e{limit}"
        case AllIn():
            return "a"


def verify_opening_menu(menu: Menu) -> None:
    """Checks that every size of a menu can be an opening bet.

    :raises SpotError: if a size is a multiple of the bet faced or counts raises.
    """
    for size in menu:
        if isinstance(size, ChipAmount) and size.max_raises is not None:
            raise SpotError(f"{format_bet_size(size)!r} counts raises and cannot open the betting")
        if isinstance(size, PreviousBetMultiple):
            raise SpotError(f"{format_bet_size(size)!r} is a multiple of a bet and cannot open the betting")


def parse_menu(text: str) -> Menu:
    """Parses a comma-separated menu of bet sizes such as ``50%,100%,a``; blank text is the empty menu.

    :raises SpotError: if a token is malformed.
    """
    if not text.strip():
        return ()
    return tuple(parse_bet_size(token) for token in text.rstrip().removesuffix(",").split(","))


def format_menu(menu: Menu) -> str:
    """Formats a menu of bet sizes as comma-separated tokens, for example ``50%,100%,a``."""
    return ",".join(format_bet_size(size) for size in menu)


def parse_bet_sizes(text: str) -> BetSizes:
    """Parses the menus of one player on one street: bets, raises, re-raises, ..., separated by ``/``.

    :raises SpotError: if a token is malformed, or a size of the first menu cannot open the betting.
    """
    return BetSizes(tuple(parse_menu(menu) for menu in text.split("/")))


def format_bet_sizes(sizes: BetSizes) -> str:
    """Formats the menus of one player on one street, separated by ``/``; :func:`parse_bet_sizes` reads them back."""
    return "/".join(format_menu(menu) for menu in sizes.menus)


def _positive(number: str, token: str) -> float:
    value = float(number)
    if value <= 0:
        raise SpotError(f"a bet size must be positive, got {token.strip()!r}")
    return value


def _format_number(value: float) -> str:
    # 15 significant digits hide the error of the division by 100 (0.55 * 100 is 55.00000000000001).
    return f"{value:.15g}"
