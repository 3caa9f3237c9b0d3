"""The betting lines that TexasSolver builds from a configuration.

A bet is a percentage of the pot, and a raise is the call and a percentage of the pot after it, both rounded to whole
chips. If the chips that a player has put in since the root, with its half of the pot there, would be more than the
all-in threshold times the chips behind at the root, the bet is all-in. A street has at most a bet and three raises. Out
of position a player who called on the street before has its donk bets alone. There is no smallest raise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from hedgehog.interop.texassolver.config import TexasConfig
from hedgehog.poker.streets import RIVER
from hedgehog.runtime.errors import InputError

MOST_BETS: Final = 4
"""Bets and raises of a street in TexasSolver's console program."""
MOST_LINES: Final = 200_000
"""Most betting lines that :func:`texas_bets` returns."""
_SPECIAL_POTS: Final = 2


@dataclass(frozen=True, slots=True)
class Bets:
    """The bets of TexasSolver's tree, each as the tokens of the line that ends with it."""

    legal: frozenset[tuple[str, ...]]
    short: tuple[tuple[str, ...], ...]
    """Raises that the rules do not allow, because they are too small; the lines after them are left out."""


def texas_bets(config: TexasConfig) -> Bets:
    """Returns the bets and raises that TexasSolver builds.

    :raises InputError: if the pot is one that TexasSolver takes for the blinds, or there are too many lines.
    """
    if config.pot <= _SPECIAL_POTS:
        raise InputError(
            f"TexasSolver takes a pot of {config.pot} for its blinds of 0.5 and 1: choose a smaller unit of chips"
        )
    legal: set[tuple[str, ...]] = set()
    short: list[tuple[str, ...]] = []
    todo = [_Place((), len(config.board) - 2, 0, (0, 0), 0, False, False)]
    while todo:
        place = todo.pop()
        for amount in _amounts(config, place):
            after = place.bet(amount, config.stack)
            if amount < place.smallest(config.stack):
                short.append(after.line)
                continue
            legal.add(after.line)
            todo.append(after)
        if len(legal) > MOST_LINES:
            raise InputError(f"the tree has more than {MOST_LINES:,} bets: use fewer sizes")
        todo.extend(place.passive(config.stack))
    return Bets(frozenset(legal), tuple(sorted(short)))


@dataclass(frozen=True, slots=True)
class _Place:
    """A decision. Chips are those put in since the root."""

    line: tuple[str, ...]
    street: int
    player: int
    put_in: tuple[int, int]
    bets: int
    checked: bool
    donk: bool
    start: int = 0
    """Chips that each player had put in when the street began."""

    @property
    def to_call(self) -> int:
        return self.put_in[1 - self.player] - self.put_in[self.player]

    def smallest(self, stack: int) -> int:
        """Returns the fewest chips that a bet or raise must add."""
        mine = self.put_in[self.player]
        return min(max(2 * self.to_call, 1), stack - mine)

    def bet(self, amount: int, stack: int) -> _Place:
        total = self.put_in[self.player] + amount
        put_in = (total, self.put_in[1]) if self.player == 0 else (self.put_in[0], total)
        letter = "A" if total == stack else "R" if self.to_call else "B"
        line = (*self.line, f"{letter}{total - self.start}")
        return _Place(line, self.street, 1 - self.player, put_in, self.bets + 1, False, False, self.start)

    def passive(self, stack: int) -> Iterator[_Place]:
        """Yields the decision after a check or call, if there is one."""
        if not self.to_call and not self.checked:
            line = (*self.line, "X")
            yield _Place(line, self.street, 1, self.put_in, 0, True, False, self.start)
            return
        level = max(self.put_in)
        if self.street == RIVER or level >= stack:
            return
        line = (*self.line, "C" if self.to_call else "X")
        donk = bool(self.to_call) and self.player == 0
        yield _Place(line, self.street + 1, 0, (level, level), 0, False, donk, level)


def _amounts(config: TexasConfig, place: _Place) -> list[int]:
    """Returns the chips that the bets and raises of a decision add, without repetitions."""
    menu = config.menu(place.player, place.street)
    mine, to_call = place.put_in[place.player], place.to_call
    behind = config.stack - mine
    if place.bets >= MOST_BETS or to_call >= behind:
        return []
    raises = to_call > 0
    sizes = menu.raise_ if raises else menu.donk if place.donk else menu.bet
    pot = config.pot + 2 * max(place.put_in)
    # TexasSolver keeps sizes, stack and threshold in 32 bits.
    limit = float(np.float32(config.stack) * np.float32(config.allin_threshold))
    found: dict[int, None] = {}
    for size in sizes:
        amount = math.floor(float(np.float32(size)) / 100 * pot + 0.5) + (to_call if raises else 0)
        if amount + config.pot / 2 + mine > limit:
            amount = behind
        found[min(amount, behind)] = None
    if menu.allin:
        found[behind] = None
    return [amount for amount in found if amount > to_call]
