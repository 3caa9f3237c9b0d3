"""How far menus are from real bets: which share of the bets no size of a menu is, and the distance from it.

The reference menus are named by the actions they allow: ``f`` fold, ``c`` call, ``h`` half the pot, ``p`` pot, ``d``
two pots, ``t`` ten pots, ``a`` all-in. ``own`` is a menu made by hand: the first raise to 2, 3 or 4 big blinds, bets of
50, 75 and 100 % of the pot, raises to 2, 2.5 and 3 times the bet, all-in, and all-in in place of every size that costs
more than a third of the chips behind.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.study.batches import added_up
from hedgehog.analysis.study.menus import StudyMenu
from hedgehog.analysis.study.sizes import LAST, Raises
from hedgehog.poker.betsizes import AllIn, BetSize, ChipAmount, Geometric, PotFraction, PreviousBetMultiple, parse_menu
from hedgehog.poker.streets import RIVER, STREETS

REFERENCES: Final = ("own", "fcpa", "fcpta", "fchpda")
_FRACTIONS: Final = {"h": 0.5, "p": 1.0, "d": 2.0, "t": 10.0}
_NEAR_POT: Final = 0.01
"""A bet within this share of the pot of a size counts as that size."""
MOST_RAISES: Final = 2_000_000
"""Number of bets and raises that are kept to measure distances from menus."""


@dataclass(frozen=True, slots=True)
class BetMenu:
    """A menu for the whole hand, whose distance from real bets can be measured."""

    name: str
    preflop: tuple[tuple[BetSize, ...], ...] = ()
    """Sizes of the first raise, the second, ...; the last ones repeat."""
    limped: tuple[BetSize, ...] | None = None
    """Sizes of the first raise after a limp; None for those of the first raise."""
    streets: Mapping[tuple[int, int], tuple[tuple[BetSize, ...], ...]] = field(default_factory=dict)
    """Sizes of the bet, the raise, ... by street and role (0 first, 1 last)."""
    all_in: bool = False
    """Whether all-in is always possible."""
    pot_before_call: bool = False
    """Whether fractions of the pot do not count the call."""
    all_in_above: float | None = None
    """A size that costs more than this share of the chips behind is all-in."""
    all_in_share: float | None = None
    """A size with which at least this share of the stack has been put in is all-in."""
    caps: tuple[int, int, int, int] | None = None
    """Most bets and raises in each round; None: no limit."""

    def sizes(self, street: int, role: int, ordinal: int) -> tuple[BetSize, ...]:
        """Returns the sizes of a bet or raise.

        :param ordinal: number of bets and raises in the round before it.
        """
        if street == 0 and ordinal == 0 and role == LAST and self.limped is not None:
            return self.limped
        levels = self.preflop if street == 0 else self.streets.get((street, role), ())
        return levels[min(ordinal, len(levels) - 1)] if levels else ()


def menu_from_texts(name: str, texts: Mapping[str, str]) -> BetMenu:
    """Returns the menu in texts such as ``{"preflop": "2x,3x / 3x", "flop": "50%", "flop ip": "75%"}``.

    All-in is always possible, as in blueprints and in spots with an ``add_allin_threshold``.

    :param texts: menus by key: ``preflop``, ``limped``, a street for both players, or a street with ``oop`` or ``ip``.
    :raises SpotError: if a text is malformed.
    """
    parsed = {key: tuple(parse_menu(menu) for menu in text.split("/")) for key, text in texts.items()}
    streets = {}
    for street, street_name in enumerate(STREETS[1:], 1):
        for role, role_name in enumerate(("oop", "ip")):
            levels = parsed.get(f"{street_name} {role_name}", parsed.get(street_name))
            if levels is not None:
                streets[street, role] = levels
    limped = parsed.get("limped")
    return BetMenu(name, parsed.get("preflop", ()), limped[0] if limped else None, streets, all_in=True)


def reference_menu(name: str) -> BetMenu:
    """Returns one of :data:`REFERENCES` as a menu for the whole hand."""
    roles = [(street, role) for street in range(1, 4) for role in range(2)]
    if name == "own":
        raises = parse_menu("2x,2.5x,3x")
        bets = (parse_menu("50%,75%,100%"), raises)
        preflop = (parse_menu("2x,3x,4x"), raises)
        return BetMenu(name, preflop, None, dict.fromkeys(roles, bets), all_in=True, all_in_above=1 / 3)
    sizes = tuple(PotFraction(_FRACTIONS[letter]) for letter in name if letter in _FRACTIONS)
    return BetMenu(name, (sizes,), None, dict.fromkeys(roles, (sizes,)), all_in=True, pot_before_call=True)


def study_bet_menu(name: str, menu: StudyMenu) -> BetMenu:
    """Returns the menu of a study, with sizes for each role."""
    texts = {key: text for key in menu.keys if (text := menu.text(key)) and "both" not in key}
    return menu_from_texts(name, texts)


class Distances(NamedTuple):
    """How far real bets are from a menu."""

    bets: int
    """Number of bets and raises."""
    translated: int
    """Those that are no size of the menu: more than 1 % of the pot from all of them."""
    mean: float
    """Mean distance to the nearest size, as a share of the pot before the action."""
    rms: float
    """Root of the mean squared distance, as a share of the pot before the action."""

    @property
    def share(self) -> float:
        """Share of the bets that need translation; NaN without bets."""
        return self.translated / self.bets if self.bets else math.nan


class RaiseSample:
    """Keeps bets and raises: all of them up to a limit, then every second, every fourth and so on."""

    def __init__(self, most: int = MOST_RAISES) -> None:
        self._most = most
        self._parts: list[Raises] = []
        self._step = 1
        self._kept = 0
        self._offset = 0

    def add(self, raises: Raises) -> None:
        """Adds bets and raises."""
        part = Raises(*(_narrow(column[self._offset :: self._step]) for column in raises))
        self._offset = (self._offset - len(raises.size)) % self._step
        self._parts.append(part)
        self._kept += len(part.size)
        while self._kept > self._most:
            everything = Raises(*(np.concatenate(columns)[::2] for columns in zip(*self._parts, strict=True)))
            self._parts, self._kept, self._step = [everything], len(everything.size), 2 * self._step

    @property
    def step(self) -> int:
        """One of this many bets is kept."""
        return self._step

    def parts(self) -> Iterator[Raises]:
        """Yields the bets kept."""
        for part in self._parts:
            columns: list[Any] = [column.astype(np.int64) if column.dtype != np.bool_ else column for column in part]
            yield Raises(*columns)


def _narrow(column: NDArray[Any]) -> NDArray[Any]:
    """Returns a column of whole numbers in at most four bytes each, if they fit."""
    if column.dtype == np.bool_ or (len(column) and column.max() >= 2**31):
        return column.copy()
    return column.astype(np.int32)


class MenuDistance:
    """Measures the distance of real bets from a menu, by street."""

    def __init__(self, menu: BetMenu) -> None:
        self.menu = menu
        self._sums = np.zeros((4, 4))

    def add(self, raises: Raises) -> None:
        """Adds bets and raises."""
        ordinal = np.minimum(raises.ordinal, 62)
        keys = (raises.round * 64 + ordinal) * 2 + raises.role
        share = np.zeros(len(keys))
        for key in np.unique(keys).tolist():
            rows = keys == key
            street, number, role = key >> 7, (key >> 1) & 63, key & 1
            some = Raises(*(column[rows] for column in raises))
            offered = menu_amounts(self.menu, self.menu.sizes(street, role, number), some)
            if not offered.shape[1] or (self.menu.caps is not None and number >= self.menu.caps[street]):
                offered = some.faced[:, None].astype(float)  # only a call or check is near
            distance = np.abs(offered - some.size[:, None]).min(axis=1)
            share[rows] = distance / np.maximum(some.pot, 1)
        for column, values in enumerate((share**0, share > _NEAR_POT, share, share**2)):
            self._sums[:, column] = added_up(self._sums[:, column], raises.round, values)

    def result(self, *streets: int) -> Distances:
        """Returns the distances over some streets; over all without an argument."""
        bets, translated, total, squares = self._sums[list(streets) or slice(None)].sum(axis=0)
        if not bets:
            return Distances(0, 0, math.nan, math.nan)
        return Distances(int(bets), int(translated), float(total / bets), math.sqrt(squares / bets))


def menu_amounts(menu: BetMenu, sizes: Sequence[BetSize], raises: Raises) -> NDArray[np.float64]:
    """Returns float64[N, K]: the street totals that a menu offers in place of each of N raises.

    Amounts are whole chips; those above the stack are all-in.
    """
    most = (raises.own + raises.behind).astype(float)
    columns = [_amount(menu, size, raises) for size in sizes]
    if menu.all_in:
        columns.append(most)
    if not columns:
        return np.zeros((len(most), 0))
    offered = np.floor(np.stack(columns, axis=1) + 0.5)
    offered = np.minimum(offered, most[:, None])
    if menu.all_in_above is not None:
        costly = offered - raises.own[:, None] > menu.all_in_above * raises.behind[:, None] + 1e-9
        offered = np.where(costly, most[:, None], offered)
    if menu.all_in_share is not None:
        put_in = raises.stack[:, None] - most[:, None] + offered
        offered = np.where(put_in >= menu.all_in_share * raises.stack[:, None], most[:, None], offered)
    return offered


def _amount(menu: BetMenu, size: BetSize, raises: Raises) -> NDArray[Any]:
    to_call = raises.faced - raises.own
    pot = raises.pot if menu.pot_before_call else raises.pot + to_call
    match size:
        case PotFraction(fraction):
            return raises.faced + fraction * pot
        case PreviousBetMultiple(factor):
            return factor * raises.faced
        case ChipAmount(chips, _):
            return (raises.faced + chips).astype(float)
        case AllIn():
            return (raises.own + raises.behind).astype(float)
        case Geometric(streets, most):
            left = np.full(len(pot), streets) if streets is not None else RIVER + 1 - raises.round
            left = np.maximum(left - raises.ordinal, 1) if streets is not None else np.maximum(left, 1)
            after = raises.pot + to_call
            stack = np.maximum(raises.behind - to_call, 0)
            shares = ((2 * stack / after + 1) ** (1 / left) - 1) / 2
            return np.asarray(raises.faced + np.minimum(shares, most if most is not None else np.inf) * after)
