"""Which hands fold to bets on the river from packs alone; :mod:`hedgehog.agent.strategy.fold_limit` has the limit."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Folds(StrEnum):
    """A way of folding to bets on the river from packs alone."""

    LIMITED = "limited"
    """The hands that the packs fold, without the best ones if the whole range would fold too often."""
    PACKS = "packs"
    """The hands that the packs fold."""


DEFAULT_FOLDS: Final = Folds.LIMITED
