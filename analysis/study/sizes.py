"""Bet-size statistics: means of four ratios by round, role and ordinal, and histograms of sizes by spot.

*First* acts first in the round and *last* second: before the flop the small blind is first, later the big blind. The
size of a bet or raise is its street total. A *level* is 0 for the first bet or raise of a round, 1 for the second, and
2 for all later ones together; the big blind does not count.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.histories.action_kinds import CALL, RAISE
from hedgehog.analysis.histories.real_hands import BIG_BLIND, SMALL_BLIND
from hedgehog.analysis.study.batches import HandBatch, added_up

FIRST: Final = 0
LAST: Final = 1
ROLES: Final = ("first", "last")
KINDS: Final = ("CALL", "BET", "RAISE", "3BET", "4BET", "5+BET")
RATIOS: Final = ("BB", "pot", "stack", "previous")
LEVELS: Final = 3
_MOST_LEVEL: Final = len(KINDS) - 2
ALL_IN: Final = -1
"""The bin of all-ins."""
MULTIPLE_BINS: Final = 4
"""Bins per unit for multiples: of the big blind for the first raise before the flop, else of the bet faced."""
POT_BINS: Final = 20
"""Bins per pot for the first bet of a later round."""
FINE_BINS: Final = 100
"""Bins per unit of the histograms from which sizes are chosen by distance."""
_SHIFT: Final = 40
_MOST_BIN: Final = (1 << _SHIFT) - 2


class BetSpot(NamedTuple):
    """A group of bets and raises."""

    round: int
    level: int
    role: int

    @property
    def number(self) -> int:
        """Index of the group."""
        return (self.round * LEVELS + self.level) * 2 + self.role

    @property
    def by_pot(self) -> bool:
        """Whether sizes are fractions of the pot; otherwise multiples of the bet faced."""
        return self.round > 0 and self.level == 0


SPOTS: Final = tuple(
    BetSpot(street, level, role) for street in range(4) for level in range(LEVELS) for role in range(2)
)


class Histogram:
    """Counts of whole numbers for each of many groups."""

    def __init__(self) -> None:
        self._keys = np.zeros(0, np.int64)
        self._counts = np.zeros(0, np.int64)

    def add(self, groups: NDArray[Any], bins: NDArray[Any]) -> None:
        """Adds one to the count of each pair of a group and a bin; bins from -1 on."""
        keys = (groups.astype(np.int64) << _SHIFT) + np.minimum(bins, _MOST_BIN) + 1
        found, counts = np.unique(keys, return_counts=True)
        joined = np.concatenate([self._keys, found])
        self._keys, place = np.unique(joined, return_inverse=True)
        self._counts = np.bincount(place, np.concatenate([self._counts, counts])).astype(np.int64)

    def set(self, groups: NDArray[np.int64], bins: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
        """Replaces all counts; a pair of a group and a bin comes once."""
        keys = (groups << _SHIFT) + bins + 1
        order = np.argsort(keys)
        self._keys, self._counts = keys[order], counts[order]

    def counts(self, *groups: int) -> dict[int, int]:
        """Returns the count of each bin, over all groups named, in the order of the bins."""
        total: dict[int, int] = {}
        for group in groups:
            low, high = np.searchsorted(self._keys, [group << _SHIFT, (group + 1) << _SHIFT])
            for key, count in zip(self._keys[low:high].tolist(), self._counts[low:high].tolist(), strict=True):
                number = (key & ((1 << _SHIFT) - 1)) - 1
                total[number] = total.get(number, 0) + count
        return dict(sorted(total.items()))

    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Returns int64 arrays with group, bin and count, in the order of groups and bins."""
        return self._keys >> _SHIFT, (self._keys & ((1 << _SHIFT) - 1)) - 1, self._counts


class Group(NamedTuple):
    """The statistics of one kind of action."""

    total: int
    """Number of actions."""
    big_blinds: float
    """Mean size in big blinds."""
    pot: float
    """Mean size divided by the pot before the action."""
    stack: float
    """Mean size divided by the chips at the start of the round (for a call: chips paid by chips behind)."""
    previous: float
    """Mean size divided by the bet before; 0 for calls and first bets."""
    all_in: int
    """Number of actions that put in the last chips."""


def roles(batch: HandBatch) -> NDArray[np.int64]:
    """Returns int64[M]: whether the player of each action acts first (0) or last (1) in the round."""
    first = np.where(batch.actions["round"] == 0, SMALL_BLIND, BIG_BLIND)
    last: NDArray[np.int64] = (batch.actions["seat"] != first).astype(np.int64)
    return last


class SizeStatistics:
    """Adds up the four ratios of all calls, bets and raises."""

    def __init__(self) -> None:
        self._sums = np.zeros((4 * 2 * len(KINDS), 6))

    def add(self, batch: HandBatch, counted: NDArray[np.bool_]) -> None:
        """Adds the actions of a batch for which ``counted``, bool[M], is True."""
        kind = batch.actions["kind"]
        chosen = counted & (kind >= CALL)
        rows = {name: column[chosen] for name, column in batch.actions.items()}
        raised = rows["kind"] == RAISE
        size = rows["size"].astype(float)
        big_blind = batch.hands["big_blind"][batch.hand_of_action()[chosen]]
        start = np.where(raised, rows["behind"] + rows["own"], rows["behind"])
        previous = np.where(raised & (rows["ordinal"] > 0), size / np.maximum(rows["faced"], 1), 0.0)
        which = np.where(raised, 1 + np.minimum(rows["ordinal"], _MOST_LEVEL), 0)
        group = (rows["round"].astype(np.int64) * 2 + roles(batch)[chosen]) * len(KINDS) + which
        values = (
            np.ones(len(size)),
            size / big_blind,
            size / np.maximum(rows["pot"], 1),
            size / np.maximum(start, 1),
            previous,
            rows["all_in"],
        )
        for column, value in enumerate(values):
            self._sums[:, column] = added_up(self._sums[:, column], group, value)

    def group(self, street: int, role: int, kind: str) -> Group | None:
        """Returns the statistics of a group; None if it is empty.

        :param kind: one of :data:`KINDS`.
        """
        total, *sums, all_in = self._sums[(street * 2 + role) * len(KINDS) + KINDS.index(kind)]
        if not total:
            return None
        big_blinds, pot, stack, previous = (float(value / total) for value in sums)
        return Group(int(total), big_blinds, pot, stack, previous, int(all_in))


class Raises(NamedTuple):
    """The bets and raises of a batch as columns."""

    spot: NDArray[np.int64]
    """Number of the :class:`BetSpot`."""
    round: NDArray[np.int64]
    ordinal: NDArray[np.int64]
    role: NDArray[np.int64]
    size: NDArray[np.int64]
    pot: NDArray[np.int64]
    faced: NDArray[np.int64]
    own: NDArray[np.int64]
    behind: NDArray[np.int64]
    all_in: NDArray[np.bool_]
    stack: NDArray[np.int64]
    """Chips of the player at the start of the hand."""

    @property
    def by_pot(self) -> NDArray[np.bool_]:
        """Whether a size is a fraction of the pot."""
        by_pot: NDArray[np.bool_] = (self.round > 0) & (self.ordinal == 0)
        return by_pot

    def bins(self, multiple: int, pot: int) -> NDArray[np.int64]:
        """Returns the bin of every size, all-ins in the bin -1; a size on a border counts to the bin above.

        :param multiple: bins per unit of multiples of the bet faced.
        :param pot: bins per pot.
        """
        unit = np.maximum(np.where(self.by_pot, self.pot, self.faced), 1)
        bins = (2 * np.where(self.by_pot, pot, multiple) * self.size + unit) // (2 * unit)
        return np.where(self.all_in, ALL_IN, bins)


def raises_of(batch: HandBatch, counted: NDArray[np.bool_]) -> Raises:
    """Returns the bets and raises of a batch for which ``counted``, bool[M], is True."""
    chosen = counted & (batch.actions["kind"] == RAISE)
    street, ordinal, size, pot, faced, own, behind = (
        batch.actions[name][chosen].astype(np.int64)
        for name in ("round", "ordinal", "size", "pot", "faced", "own", "behind")
    )
    role = roles(batch)[chosen]
    spot = (street * LEVELS + np.minimum(ordinal, LEVELS - 1)) * 2 + role
    hand = batch.hand_of_action()[chosen]
    big = batch.actions["seat"][chosen] == BIG_BLIND
    stack = np.where(big, batch.hands["stack_bb"][hand], batch.hands["stack_sb"][hand])
    all_in = batch.actions["all_in"][chosen]
    return Raises(spot, street, ordinal, role, size, pot, faced, own, behind, all_in, stack)


class SpotHistograms:
    """Histograms of the sizes in every spot, in the bins of menus and in fine bins."""

    def __init__(self) -> None:
        self.coarse = Histogram()
        self.fine = Histogram()

    def add(self, raises: Raises) -> None:
        """Adds bets and raises."""
        self.coarse.add(raises.spot, raises.bins(MULTIPLE_BINS, POT_BINS))
        self.fine.add(raises.spot, raises.bins(FINE_BINS, FINE_BINS))

    def counts(self, spots: Iterable[BetSpot]) -> dict[int, int]:
        """Returns the number of sizes in each bin over some spots."""
        return self.coarse.counts(*(spot.number for spot in spots))


def size_token(number: int, by_pot: bool, *, fine: bool = False) -> str:
    """Returns the bet-size token of a bin: ``75%``, ``2.5x`` or ``a``.

    :param fine: whether it is a fine bin, of which all units have :data:`FINE_BINS`.
    """
    if number == ALL_IN:
        return "a"
    per_unit = FINE_BINS if fine else POT_BINS if by_pot else MULTIPLE_BINS
    return f"{100 * number / per_unit:g}%" if by_pot else f"{number / per_unit:g}x"
