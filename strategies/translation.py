"""Bet-size translation: the sizes of a betting tree that stand for a real bet, and their weights.

All sizes are fractions of the pot after calling; 0 stands for a check or call. The pseudo-harmonic mapping is from
S. Ganzfried and T. Sandholm, "Action Translation in Extensive-Form Games with Large Action Spaces" (IJCAI 2013).
"""

from __future__ import annotations

from collections.abc import Sequence


def pseudo_harmonic(lower: float, upper: float, size: float) -> float:
    """Returns the probability in [0, 1] that a real bet of ``size`` is treated as ``lower`` rather than ``upper``.

    This is the pseudo-harmonic mapping of Ganzfried and Sandholm (2013). Sizes are fractions of the pot after calling.

    :param lower: the size of the betting tree below the real size; 0 for a check or call.
    :param upper: the size of the betting tree above the real size, greater than ``lower``.
    :param size: the real size; outside [lower, upper] the nearer end gets all the weight.
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
    """Returns the one or two sizes of a betting tree that stand for a real bet, with their weights.

    :param sizes: sizes of the betting tree in ascending order, as fractions of the pot after calling; at least one.
    :param size: the real size, as a fraction of the pot after calling.
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
