"""Bet-size translation: the sizes of a betting tree that stand for a real bet, and their weights.

All sizes are fractions of the pot after calling; 0 stands for a check or call. The pseudo-harmonic mapping is from
S. Ganzfried and T. Sandholm, "Action Translation in Extensive-Form Games with Large Action Spaces" (IJCAI 2013), the
geometric one from D. Schnizlein, M. Bowling and D. Szafron, "Probabilistic State Translation in Extensive Games with
Large Action Sets" (IJCAI 2009).

A player that draws one of the two neighbours, anew at every decision and with their weights, plays the same strategy as
one that mixes the strategies of both. So a random choice is not a mapping of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from math import sqrt
from typing import Any, Final

from hedgehog.runtime.errors import InputError
from hedgehog.runtime.extending.registry import Registry
from hedgehog.runtime.extending.user_code import user_code_error


class SizeMapping(IntEnum):
    """How a real bet between two sizes of a betting tree is shared between them."""

    HARMONIC = 0
    """Pseudo-harmonic: the shares follow the pot odds."""
    GEOMETRIC = 1
    """Soft geometric: the shares follow the ratios of the sizes."""
    NEAREST = 2
    """The size whose ratio to the real one is nearer to 1 stands for the bet alone."""


Share = Callable[[float, float, float], float]
"""Returns the share of a real bet for which the lower size stands: from 0 to 1, for a lower size, an upper size and the
real size between them, all as fractions of the pot after calling."""


@dataclass(frozen=True, slots=True)
class OtherMapping:
    """A mapping of another package. Kernels, which have mappings as numbers, cannot run it."""

    name: str
    share: Share

    def lower_share(self, lower: float, upper: float, size: float) -> float:
        """Returns the share of the lower size.

        :raises InputError: if the function of the other package fails or returns no share.
        """
        what = f"translation {self.name!r} of {TRANSLATIONS.owner(self.name)}"
        try:
            found = float(self.share(lower, upper, size))
        except Exception as error:
            raise user_code_error(f"{what} failed", error, None) from error
        if not 0 <= found <= 1:
            raise InputError(f"{what}: expected a share from 0 to 1 for {lower:g}, {upper:g} and {size:g}, got {found}")
        return found


Translation = SizeMapping | OtherMapping
DEFAULT_MAPPING: Final = SizeMapping.HARMONIC


def _verify(name: str, part: Any) -> None:
    if not callable(part):
        raise InputError(f"expected a function of a lower, an upper and a real size, got {part!r}")


TRANSLATIONS: Final[Registry[SizeMapping | Share]] = Registry(
    "hedgehog.translations",
    "translation",
    {mapping.name.lower(): mapping for mapping in SizeMapping},
    verify=_verify,
)
"""The mappings by name: ours, and functions of other packages."""


def find_mapping(name: str) -> Translation:
    """Returns the mapping of a name.

    :raises InputError: if there is none, and then the message lists the names, or it cannot be used.
    """
    found = TRANSLATIONS.find(name)
    return found if isinstance(found, SizeMapping) else OtherMapping(name, found)


def lower_share(lower: float, upper: float, size: float, mapping: int) -> float:
    """Returns the share of a real bet between two sizes of a betting tree for which the lower size stands.

    Kernels compile this function, so it is plain arithmetic.

    :param lower: the size of the betting tree below the real size; greater than 0, unless the mapping is harmonic.
    :param upper: the size of the betting tree above the real size.
    :param size: the real size, between ``lower`` and ``upper``.
    :param mapping: a :class:`SizeMapping`, which kernels have as a plain number.
    """
    if mapping == SizeMapping.HARMONIC:
        return (upper - size) * (1 + lower) / ((upper - lower) * (1 + size))
    if mapping == SizeMapping.GEOMETRIC:
        like_lower = lower / size - lower / upper
        like_upper = size / upper - lower / upper
        return like_lower / (like_lower + like_upper)
    return 1.0 if size <= sqrt(lower * upper) else 0.0


def real_total(fraction: float, max_spent: int, raise_range: tuple[int, int]) -> int:
    """Returns the legal total over the hand that is nearest to a bet or raise of a betting tree.

    :param fraction: the size of the betting tree.
    :param max_spent: chips that a caller has put in over the real hand before the bet.
    :param raise_range: smallest and largest legal total.
    """
    low, high = raise_range
    return min(max(max_spent + round(fraction * 2 * max_spent), low), high)


def bluff_limit(price: float) -> float:
    """Returns the frequency of folds above which a bet wins chips with any hand: bet / (pot + bet).

    :param price: what a call of the bet costs, as a fraction of the pot after the call.
    """
    return price / (1 - price)


def translate_size(
    sizes: Sequence[float], size: float, mapping: Translation = DEFAULT_MAPPING
) -> list[tuple[int, float]]:
    """Returns the one or two sizes of a betting tree that stand for a real bet, with their weights.

    :param sizes: sizes of the betting tree in ascending order, as fractions of the pot after calling; at least one.
    :param size: the real size, as a fraction of the pot after calling.
    :param mapping: how a size between two sizes is shared between them.
    :returns: one or two pairs (index into ``sizes``, weight > 0); the weights sum to one.
    :raises ValueError: if ``sizes`` is empty.
    :raises InputError: if a mapping of another package fails.
    """
    if not sizes:
        raise ValueError("there is no abstract size to translate to")
    above = next((i for i, candidate in enumerate(sizes) if candidate >= size), len(sizes))
    if above == len(sizes):
        return [(len(sizes) - 1, 1.0)]
    if above == 0 or sizes[above] == size:
        return [(above, 1.0)]
    lower, upper = sizes[above - 1], sizes[above]
    if isinstance(mapping, OtherMapping):
        weight = mapping.lower_share(lower, upper, size)
    else:
        weight = lower_share(lower, upper, size, mapping)
    return [(i, w) for i, w in ((above - 1, weight), (above, 1.0 - weight)) if w > 0]
