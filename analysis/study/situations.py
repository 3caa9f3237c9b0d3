"""How far the sizes of a menu are from the bets of one situation: the error of each of its sizes.

A situation is a betting line, such as ``r2.5c/cr``: *c* check or call, *r* bet or raise to a size in big blinds, which
all but the last one have. The last one is the bet that is measured. As the line says everything, the menu offers the
same sizes to all hands that come there.

Every real size belongs to the nearest size of the menu, half-way to the smaller one; the error of a size is the root of
the mean squared distance of the bets that belong to it. Sizes are street totals in chips with a big blind of 100, and
all-in is what is left of 20,000 chips.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.histories.action_kinds import CALL, CHECK, RAISE
from hedgehog.analysis.study.batches import HandBatch
from hedgehog.analysis.study.sizes import FIRST, LAST, LEVELS, Histogram, Raises
from hedgehog.analysis.study.translation import BetMenu, menu_amounts
from hedgehog.runtime.errors import InputError

BIG_BLIND: Final = 100
STACK: Final = 20_000
_SCALE: Final = 10_000
"""Sizes in big blinds are counted in ten-thousandths."""
_ACTION: Final = re.compile(r"([cr])(\d{1,6}(?:\.\d{1,4})?)?|/")
_ROUNDS: Final = 4


class SizeError(NamedTuple):
    """The error of one size of a menu."""

    size: int
    """The size in chips, with a big blind of 100."""
    bets: int
    """Number of bets or raises nearest to it."""
    rms: float | None
    """Root of the mean squared distance of these bets in chips; None if there are none."""


@dataclass(frozen=True, slots=True)
class Situation:
    """A betting line whose last action is the bet to measure. :func:`parse_situation` makes it."""

    name: str
    line: str
    actions: tuple[tuple[int, str, Fraction | None], ...]
    """Round, letter, and size of a bet in big blinds, None for the last one."""
    faced: int
    """Street total to which the last bet before goes; 0 without one. All in chips with a big blind of 100."""
    own: int
    """Street total of the player who bets."""
    pot: int
    """Chips in the middle before the bet."""
    ordinal: int
    """Bets and raises in the round before it."""
    role: int
    """Whether the player acts first (0) or last (1) in the round."""
    all_in: int
    """Street total of an all-in."""

    @property
    def round(self) -> int:
        """Round of the bet, 0 before the flop."""
        return self.actions[-1][0]

    def sizes(self, menu: BetMenu) -> list[int]:
        """Returns the sizes that a menu offers here, smallest first."""

        def column(number: int) -> NDArray[np.int64]:
            return np.array([number], np.int64)

        spot = (self.round * LEVELS + min(self.ordinal, LEVELS - 1)) * 2 + self.role
        here = Raises(
            spot=column(spot), round=column(self.round), ordinal=column(self.ordinal), role=column(self.role),
            size=column(0), pot=column(self.pot), faced=column(self.faced), own=column(self.own),
            behind=column(self.all_in - self.own), all_in=np.zeros(1, np.bool_), stack=column(STACK),
        )  # fmt: skip
        if menu.caps is not None and self.ordinal >= menu.caps[self.round]:
            return []
        offered = menu_amounts(menu, menu.sizes(self.round, self.role, self.ordinal), here)
        return sorted({int(size) for size in offered[0]})


def parse_situation(line: str, name: str | None = None) -> Situation:
    """Returns the situation of a betting line such as ``r`` or ``r2.5c/cr``.

    :param name: what to call it; None: the line.
    :raises InputError: if the line is no betting that ends with a bet, or a bet before the last one has no size.
    """
    problem = InputError(
        f"expected a betting line such as r2.5c/cr (c check or call, r bet to a size in big blinds, / next round; the"
        f" last r without a size is measured), got {line[:50]!r}"
    )
    found = list(_ACTION.finditer(line))
    if "".join(match[0] for match in found) != line or not found or found[-1][0] != "r":
        raise problem
    street, seat, ordinal, acted, over = 0, 1, 0, False, False
    totals, pot, faced = [Fraction(1), Fraction(1, 2)], Fraction(0), Fraction(1)
    actions = []
    for number, match in enumerate(found):
        if match[0] == "/":
            if not over or street == _ROUNDS - 1:
                raise problem
            street, seat, ordinal, acted, over = street + 1, 0, 0, False, False
            pot, faced, totals = pot + sum(totals), Fraction(0), [Fraction(0), Fraction(0)]
            continue
        last = number == len(found) - 1
        if over or (match[1] == "r") == (match[2] is None and not last) or (match[1] == "c" and match[2] is not None):
            raise problem
        size = Fraction(match[2]) if match[2] is not None else None
        actions.append((street, match[1], size))
        if last:
            break
        if size is not None:
            if size <= faced:
                raise problem
            totals[seat] = faced = size
            ordinal += 1
        else:
            totals[seat] = faced
            over = acted
        acted, seat = True, 1 - seat
    first = 1 if street == 0 else 0
    # The pot of earlier rounds has equal shares.
    faced_, own, in_pot, left = (
        int(BIG_BLIND * amount)
        for amount in (faced, totals[seat], pot + sum(totals), Fraction(STACK, BIG_BLIND) - pot / 2)
    )
    role = FIRST if seat == first else LAST
    return Situation(name or line, line, tuple(actions), faced_, own, in_pot, ordinal, role, left)


SITUATIONS: Final = tuple(
    replace(parse_situation(line, name), all_in=STACK)
    for name, line in (("situation1", "r"), ("situation2", "r2.5c/cr"))
)
"""The situations of the published study: the first raise of the small blind; and its bet on the flop after a raise to
exactly 2.5 big blinds, a call and a check. There all-in is 20,000 chips on the flop, too."""


class Situations:
    """Collects the sizes of the bets in some situations."""

    def __init__(self, situations: Sequence[Situation] = SITUATIONS) -> None:
        self.situations = tuple(situations)
        self._sizes = Histogram()

    def add(self, batch: HandBatch, counted: NDArray[np.bool_]) -> None:
        """Adds the hands of a batch whose bet in a situation is ``counted``, bool[M]."""
        actions, first = batch.actions, batch.first_action()
        count, big_blind = batch.hands["num_actions"], batch.hands["big_blind"]
        for index, situation in enumerate(self.situations):
            hands = np.flatnonzero(count >= len(situation.actions))
            for step, (street, letter, size) in enumerate(situation.actions):
                rows = first[hands] + step
                kind = actions["kind"][rows]
                fits = kind == RAISE if letter == "r" else (kind == CHECK) | (kind == CALL)
                fits &= actions["round"][rows] == street
                if size is not None:
                    fits &= size.denominator * actions["size"][rows] == size.numerator * big_blind[hands]
                hands = hands[fits]
            rows = first[hands] + len(situation.actions) - 1
            chosen = counted[rows]
            sizes = np.rint(_SCALE * actions["size"][rows] / big_blind[hands]).astype(np.int64)[chosen]
            self._sizes.add(np.full(len(sizes), index), sizes)

    def sizes(self, situation: Situation) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Returns the different sizes in chips (big blind 100) and their counts, both float64."""
        counts = self._sizes.counts(self.situations.index(situation))
        return np.array(list(counts), float) * BIG_BLIND / _SCALE, np.array(list(counts.values()), float)

    def errors(self, menu: BetMenu, situation: Situation) -> list[SizeError]:
        """Returns the error of every size that a menu offers in a situation; none if it has no bet there."""
        sizes, counts = self.sizes(situation)
        return size_errors(sizes, counts, situation.sizes(menu))


def size_errors(sizes: NDArray[np.float64], counts: NDArray[np.float64], offered: Sequence[int]) -> list[SizeError]:
    """Returns the error of every size of a menu.

    :param sizes: (N,) different sizes of real bets.
    :param counts: (N,) how often they occurred.
    :param offered: sizes of the menu, smallest first.
    """
    if not offered:
        return []
    wanted = np.array(offered, float)
    nearest = np.argmin(np.abs(sizes[:, None] - wanted[None, :]), axis=1)
    result = []
    for index, size in enumerate(wanted):
        own = nearest == index
        number = counts[own].sum()
        mean = (counts[own] * (sizes[own] - size) ** 2).sum() / number if number else 0.0
        result.append(SizeError(int(size), int(number), math.sqrt(mean) if number else None))
    return result
