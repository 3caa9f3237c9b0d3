"""How turns and rivers are solved at the table: what the opponent's hands may do before the start of the street.

The opponent's range at the start of a street is inferred from its betting, as if it had played our strategy. An unsafe
solve takes this range for certain. If it arrives with other hands, the solution may be easier to exploit than the
packs. In a safe solve each of its hands, weighted by the range, may take an alternative payoff instead of entering the
street (:mod:`hedgehog.solver.cfr.gadget`). The alternative payoffs are estimated from the packs.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Resolving(StrEnum):
    """A way of solving a turn or river at the table."""

    UNSAFE = "unsafe"
    """Every hand of the opponent's range enters the street.

    Beside them, on a river each hand may take what the solve before promises it, that of the turn or of the river.
    """
    SAFE = "safe"
    """A hand may take what its best response wins against our packs from the start of the street on."""
    ESTIMATE = "estimate"
    """A hand may take what it wins if both players follow the packs from the start of the street on.

    Brown and Sandholm 2017 (Safe and nested subgame solving for imperfect-information games) use such estimates. They
    are lower than best responses, so that a solution that honours them may not exist, but they ask for an improvement.
    """


DEFAULT_RESOLVING: Final = Resolving.UNSAFE
