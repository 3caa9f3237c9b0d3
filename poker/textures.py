"""Textures of flops: what their suits, pairs, ranks and gaps are, and filters such as ``paired,ace-high+rainbow``.

Every flop has exactly one name of each of these kinds:

==========  ==========================================================================================
suits       ``rainbow`` (three suits), ``two-tone``, ``monotone``
pairs       ``unpaired``, ``paired``, ``trips``
high card   ``ace-high``, ``king-high``, ``queen-high``, ``jack-high``, ``ten-high``, ``low`` (below ten)
straights   ``connected`` (two hole cards can make a straight on this flop), ``disconnected``
==========  ==========================================================================================

A filter is a list of terms, separated by commas. Names joined by ``+`` make one term, and a flop fits the term if it
has all of them: ``paired,ace-high+rainbow`` has two terms.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.isomorphism import NUM_BOARD_CLASSES, flop_representative, frozen
from hedgehog.runtime.errors import InputError

KINDS: Final = {
    "suits": ("rainbow", "two-tone", "monotone"),
    "pairs": ("unpaired", "paired", "trips"),
    "high card": ("ace-high", "king-high", "queen-high", "jack-high", "ten-high", "low"),
    "straights": ("connected", "disconnected"),
}
"""The names of textures by their kind."""
TEXTURES: Final = tuple(name for names in KINDS.values() for name in names)
"""The names of all textures."""
_HIGH: Final = {12: "ace-high", 11: "king-high", 10: "queen-high", 9: "jack-high", 8: "ten-high"}


@dataclass(frozen=True, slots=True)
class TextureTerm:
    """One term of a texture filter."""

    text: str
    """The term as it was written, without blanks."""
    names: tuple[str, ...]
    """Names of :data:`TEXTURES`, all of which a flop must have."""

    def fits(self, flop: Sequence[int]) -> bool:
        """Tells whether a flop of three card ids has all names of the term."""
        return set(self.names) <= set(flop_textures(flop))

    def classes(self) -> NDArray[np.bool_]:
        """Returns bool (1755,): the flop classes that fit the term."""
        table = texture_table()
        return np.asarray(table[:, [TEXTURES.index(name) for name in self.names]].all(axis=1))


def flop_textures(flop: Sequence[int]) -> tuple[str, str, str, str]:
    """Returns the names of a flop's texture, one of each kind of :data:`KINDS`.

    :param flop: three different card ids.
    """
    ranks = sorted({card >> 2 for card in flop}, reverse=True)
    suits = KINDS["suits"][3 - len({card & 3 for card in flop})]
    pairs = KINDS["pairs"][3 - len(ranks)]
    straight = len(ranks) == 3 and (ranks[0] - ranks[2] <= 4 or (ranks[0] == 12 and ranks[1] <= 3))
    return suits, pairs, _HIGH.get(ranks[0], "low"), "connected" if straight else "disconnected"


@cache
def texture_table() -> NDArray[np.bool_]:
    """Returns bool (1755, number of textures): which names of :data:`TEXTURES` each flop class has; read-only."""
    table = np.zeros((NUM_BOARD_CLASSES[3], len(TEXTURES)), dtype=np.bool_)
    for index in range(len(table)):
        for name in flop_textures(flop_representative(index)):
            table[index, TEXTURES.index(name)] = True
    return frozen(table)


def parse_textures(text: str) -> list[TextureTerm]:
    """Returns the terms of a texture filter such as ``paired,ace-high+rainbow``.

    :raises InputError: if a name is unknown, or no flop can have all names of a term.
    """
    terms = []
    for part in text.split(","):
        names = tuple(name.strip().lower() for name in part.split("+"))
        for name in names:
            if name not in TEXTURES:
                close = difflib.get_close_matches(name, TEXTURES, 1)
                hint = f", did you mean {close[0]!r}?" if close else f", expected {', '.join(TEXTURES)}"
                raise InputError(f"unknown texture {name!r}{hint}")
        term = TextureTerm("+".join(names), names)
        if not term.classes().any():
            raise InputError(f"no flop is {' and '.join(names)}")
        terms.append(term)
    return terms
