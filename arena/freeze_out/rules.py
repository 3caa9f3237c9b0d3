"""The rules of a freeze-out: chips, blind levels, and the game of every hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, NamedTuple

from hedgehog.poker.acpc.chosen_game import MOST_CHIPS, name_of_stacks, posted_blinds
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.runtime.errors import InputError

_load_game: Final = cache(load_gamedef)
_LEVEL: Final = re.compile(r"([0-9]{1,10})/([0-9]{1,10})(?:x([0-9]{1,6}))?")


class BlindLevel(NamedTuple):
    """Blinds that are played for some hands."""

    small: int
    """Small blind, in chips."""
    big: int
    """Big blind, in chips."""
    hands: int
    """Number of hands of the level; 0 for the last level, which goes on."""

    @property
    def text(self) -> str:
        """The level as ``--levels`` takes it, such as ``10/20x10``."""
        return f"{self.small}/{self.big}" + (f"x{self.hands}" if self.hands else "")


@dataclass(frozen=True, slots=True)
class FreezeOutRules:
    """Chips and blinds of a freeze-out."""

    stacks: tuple[int, int] = (4000, 4000)
    """Chips of the two players before the first hand."""
    blinds: tuple[int, int] = (300, 600)
    """Small and big blind of the last level, which goes on to the end."""
    earlier: tuple[BlindLevel, ...] = ()
    """The levels before it."""

    def __post_init__(self) -> None:
        for small, big in (self.blinds, *((level.small, level.big) for level in self.earlier)):
            if min(*self.stacks, small) <= 0 or big < small:
                raise InputError(
                    f"expected stacks and blinds above 0, and small blind <= big blind, got stacks of"
                    f" {self.stacks[0]} and {self.stacks[1]} and blinds of {small} and {big}"
                )
            if max(self.total, big) > MOST_CHIPS:
                raise InputError(f"expected at most {MOST_CHIPS:,} chips, got {max(self.total, big):,}")
        if any(level.hands < 1 for level in self.earlier):
            raise InputError("expected a number of hands for every blind level but the last")

    @property
    def total(self) -> int:
        """Chips of both players together."""
        return sum(self.stacks)

    @property
    def levels(self) -> tuple[BlindLevel, ...]:
        """All levels in order."""
        return (*self.earlier, BlindLevel(*self.blinds, 0))

    @property
    def levels_text(self) -> str:
        """All levels as :func:`parse_levels` reads them."""
        return ",".join(level.text for level in self.levels)

    @property
    def deepest(self) -> float:
        """Most big blinds that both players can have in a hand: half of all chips at the smallest big blind."""
        return self.total // 2 / min(level.big for level in self.levels)

    def level_number(self, hand: int) -> int:
        """Returns the index in :attr:`levels` of the level of a hand.

        :param hand: number of the hand in the game, from 0.
        """
        for number, level in enumerate(self.earlier):
            if hand < level.hands:
                return number
            hand -= level.hands
        return len(self.earlier)

    def level(self, hand: int) -> BlindLevel:
        """Returns the level of a hand, whose number counts from 0."""
        return self.levels[self.level_number(hand)]

    def game(self, hand: int, stacks: Sequence[int]) -> GameDef:
        """Returns the game of a hand. Who has less than a blind posts what it has.

        :param hand: number of the hand in the game, from 0.
        :param stacks: chips before the blinds, of the big blind and of the button.
        """
        level = self.level(hand)
        small, big = posted_blinds(level.small, level.big, stacks)
        return replace(_load_game(), stacks=(stacks[0], stacks[1]), blinds=(big, small))

    def game_name(self, hand: int, stacks: Sequence[int]) -> str:
        """Returns the name of the game of a hand (:mod:`hedgehog.poker.acpc.chosen_game`), with the full blinds.

        The arguments are those of :meth:`game`.
        """
        level = self.level(hand)
        return name_of_stacks(level.small, level.big, stacks)


def parse_levels(text: str) -> tuple[tuple[BlindLevel, ...], tuple[int, int]]:
    """Returns the earlier levels and the last blinds of a text such as ``10/20x10,15/30x10,25/50``.

    A level is ``SMALL/BIGxHANDS``; the last one goes on to the end and has no number of hands.

    :raises InputError: if the text has another form.
    """
    parts = [part.strip() for part in text.split(",")]
    levels = []
    for number, part in enumerate(parts, 1):
        found = _LEVEL.fullmatch(part)
        if found is None:
            raise InputError(f"expected blind levels such as 10/20x10,15/30x10,25/50, got {part!r}")
        if found[3] is not None and number == len(parts):
            raise InputError(f"the last blind level goes on to the end: expected {found[1]}/{found[2]}, got {part!r}")
        if not int(found[3] or 0) and number < len(parts):
            raise InputError(
                f"expected the number of hands of the level, such as {found[1]}/{found[2]}x10, got {part!r}"
            )
        levels.append(BlindLevel(int(found[1]), int(found[2]), int(found[3] or 0)))
    return tuple(levels[:-1]), (levels[-1].small, levels[-1].big)
