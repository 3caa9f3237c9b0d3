"""Counts how often a player folds, calls and raises, by street, players left, and class of hands before the flop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.acpc.handlog import LoggedHand
from hedgehog.poker.cards import combo_index
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES
from hedgehog.poker.limit_betting import ACTION_LETTERS
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.table import Table, Value

NO_CLASS: Final = -1
SHARES: Final = ("decisions", "fold", "call", "raise")
"""Last columns of the tables: a number of decisions, and shares of them; a check is counted as a call."""
BY_STREET: Final = ("players", "street", *SHARES)
BY_CLASS: Final = ("players", "hand", *SHARES)


class CountedAction(NamedTuple):
    """Where an action is counted."""

    left: int
    """Players who have not folded."""
    street: int
    action: int
    """0 fold, 1 check or call, 2 bet or raise."""
    hand_class: int
    """Class of the hole cards, 0 .. 168, of an action before the flop against a bet; else :data:`NO_CLASS`."""


def counted_actions(hand: LoggedHand) -> list[list[CountedAction]]:
    """Returns for every position of a hand its actions in order. Unknown hole cards have no class."""
    classes = [
        int(HAND_CLASS[combo_index(*sorted(cards))]) if len(cards) == 2 and hand.state.gamedef.is_holdem else NO_CLASS
        for cards in hand.hole_cards
    ]
    found: list[list[CountedAction]] = [[] for _ in classes]
    for state, action in hand.state.replay():
        position, left = state.acting_position, state.gamedef.num_players - state.num_folded
        faces = state.round == 0 and state.can_fold()
        one = CountedAction(
            left, state.round, ACTION_LETTERS.index(action.kind), classes[position] if faces else NO_CLASS
        )
        found[position].append(one)
    return found


class ActionCounts:
    """Counts the actions of one player."""

    def __init__(self) -> None:
        self._by_street: dict[tuple[int, int], NDArray[np.int64]] = {}
        self._by_class: dict[tuple[int, int], NDArray[np.int64]] = {}

    def add(self, actions: Iterable[CountedAction]) -> None:
        """Counts the actions of the player in a hand."""
        for left, street, action, hand_class in actions:
            _slot(self._by_street, (left, street))[action] += 1
            if hand_class != NO_CLASS:
                _slot(self._by_class, (left, hand_class))[action] += 1

    def by_street(self, left: int, street: int) -> NDArray[np.int64]:
        """Returns int64 (3,): how often the player folded, called or checked, and raised."""
        return self._by_street.get((left, street), np.zeros(3, dtype=np.int64))

    def by_class(self, left: int, hand_class: int) -> NDArray[np.int64]:
        """Returns int64 (3,): the same before the flop against a bet, with a class of hands."""
        return self._by_class.get((left, hand_class), np.zeros(3, dtype=np.int64))

    def street_rows(self) -> Iterator[tuple[Value, ...]]:
        """Yields what is in :data:`BY_STREET` for the streets on which the player acted, most players first."""
        for left, street in sorted(self._by_street, key=lambda key: (-key[0], key[1])):
            yield (left, STREETS[street], *action_shares(self.by_street(left, street)))

    def class_rows(self) -> Iterator[tuple[Value, ...]]:
        """Yields what is in :data:`BY_CLASS` for the classes that the player held, most players first."""
        for left, hand_class in sorted(self._by_class, key=lambda key: (-key[0], key[1])):
            yield (left, HAND_CLASS_NAMES[hand_class], *action_shares(self.by_class(left, hand_class)))

    def document(self) -> dict[str, list[dict[str, Any]]]:
        """Returns the counts as JSON-serialisable values."""
        return {
            "by_street": [dict(zip(BY_STREET, row, strict=True)) for row in self.street_rows()],
            "by_class": [dict(zip(BY_CLASS, row, strict=True)) for row in self.class_rows()],
        }


def _slot(counts: dict[tuple[int, int], NDArray[np.int64]], key: tuple[int, int]) -> NDArray[np.int64]:
    return counts.setdefault(key, np.zeros(3, dtype=np.int64))


def action_shares(counts: NDArray[np.int64]) -> tuple[Value, ...]:
    """Returns what is in :data:`SHARES`; the shares are None where nothing was counted."""
    total = int(counts.sum())
    if not total:
        return 0, None, None, None
    fold, call, raising = (counts / total).tolist()
    return total, fold, call, raising


def actions_table(counted: Mapping[str, ActionCounts]) -> Table:
    """Returns how often players fold, call and raise by street and players left.

    :param counted: name of the player -> its actions.
    """
    rows = tuple((name, *row) for name, counts in counted.items() for row in counts.street_rows())
    return Table("actions", "How often each player folds, calls or checks, and raises", ("player", *BY_STREET), rows)
