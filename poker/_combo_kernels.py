"""The index of a combo, compiled."""

from __future__ import annotations

from hedgehog.poker.cards import ordered_combo
from hedgehog.runtime.jit import njit

combo_kernel = njit(ordered_combo)
