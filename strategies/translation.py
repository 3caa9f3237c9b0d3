"""Bet-size translation: which abstract sizes stand for a real bet, and with which weights.

All sizes are fractions of the pot after calling, 0 standing for check or call. The pseudo-harmonic mapping is from
S. Ganzfried and T. Sandholm, "Action Translation in Extensive-Form Games with Large Action Spaces" (IJCAI 2013).
"""

from __future__ import annotations

from collections.abc import Sequence


def pseudo_harmonic(lower: float, upper: float, size: float) -> float:
    """Returns the probability in [0, 1] with which a real ``size`` is treated as ``lower`` rather than ``upper``.

    :param lower: abstract size below (0 for check or call).
    :param upper: abstract size above, greater than ``lower``.
    :param size: real size; outside [lower, upper] the nearer end gets all the weight.
    :raises ValueError: if not ``0 <= lower < upper``.
    """
    if not 0 <= lower < upper:
        raise ValueError(f"expected 0 <= lower < upper, got {lower!r} and {upper!r}")
    if size <= lower:
        return 1.0
    if size >= upper:
        return 0.0
    return (upper - size) * (1 + lower) / ((upper - lower) * (1 + size))


def translate_size(sizes: Sequence[float], size: float) -> list[tuple[int, float]]:
    """Spreads a real bet over the two neighbouring abstract sizes.

    :param sizes: abstract sizes in ascending order, at least one.
    :param size: the real size in the same unit.
    :returns: one or two pairs (index into ``sizes``, weight > 0); the weights sum to one.
    :raises ValueError: if ``sizes`` is empty.
    """
    if not sizes:
        raise ValueError("there is no abstract size to translate to")
    above = next((i for i, candidate in enumerate(sizes) if candidate >= size), len(sizes))
    if above == len(sizes):
        return [(len(sizes) - 1, 1.0)]
    if above == 0 or sizes[above] == size:
        return [(above, 1.0)]
    weight = pseudo_harmonic(sizes[above - 1], sizes[above], size)
    return [(i, w) for i, w in ((above - 1, weight), (above, 1.0 - weight)) if w > 0]
