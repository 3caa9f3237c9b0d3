"""Random numbers for kernels: SplitMix64, a generator with one word of state.

Reference: G. L. Steele, D. Lea, C. H. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.jit import njit

GAMMA: Final = 0x9E3779B97F4A7C15
MIX_1: Final = 0xBF58476D1CE4E5B9
MIX_2: Final = 0x94D049BB133111EB
"""The increment ``GAMMA`` and the two multipliers of SplitMix64."""


@njit
def mix_bits(word: np.uint64) -> np.uint64:
    """Returns a uint64 that looks random; different uint64 arguments give different results."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(MIX_1)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(MIX_2)
    return word ^ (word >> np.uint64(31))


@njit
def next_random(state: NDArray[np.uint64]) -> np.uint64:
    """Returns 64 random bits and advances the generator's ``state``, a uint64 array of shape (1,)."""
    state[0] += np.uint64(GAMMA)
    return mix_bits(state[0])


@njit
def random_below(limit: int, state: NDArray[np.uint64]) -> int:
    """Returns a random integer 0..limit-1 and advances the generator.

    :param limit: from 1 to 2^32.
    :param state: uint64 (1,) state of the generator (:func:`next_random`).
    """
    return int(np.int64((next_random(state) >> np.uint64(32)) * np.uint64(limit) >> np.uint64(32)))


@njit
def random_unit(state: NDArray[np.uint64]) -> float:
    """Returns a random float in [0, 1), a multiple of 2^-53, and advances the generator.

    :param state: uint64 (1,) state of the generator (:func:`next_random`).
    """
    return np.float64(np.int64(next_random(state) >> np.uint64(11))) * 2.0**-53
