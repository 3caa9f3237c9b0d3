"""Hands as columns: one row for each hand and one row for each action.

Seat 0 is the big blind and seat 1 the small blind, as in two-player ACPC logs. All amounts are in the smallest unit of
the hand's chips or currency. docs/hand-study.md describes every column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.histories.real_hands import BIG_BLIND

CARDS: Final = 9

HAND_COLUMNS: Final[dict[str, Any]] = {
    "key": np.uint64,
    "hand": np.uint64,
    "file": np.int32,
    "line": np.int64,
    "format": np.uint8,
    "player_bb": np.int32,
    "player_sb": np.int32,
    "big_blind": np.int64,
    "small_blind": np.int64,
    "dead": np.int64,
    "stack_bb": np.int64,
    "stack_sb": np.int64,
    "net_bb": np.float64,
    "net_sb": np.float64,
    "rounds": np.uint8,
    "raises_preflop": np.uint8,
    "raises_flop": np.uint8,
    "raises_turn": np.uint8,
    "raises_river": np.uint8,
    "showdown": np.bool_,
    "num_actions": np.int32,
}
"""Names and types of the columns of hands, apart from ``cards``, which is uint8[N, 9]."""
ACTION_COLUMNS: Final[dict[str, Any]] = {
    "round": np.uint8,
    "seat": np.uint8,
    "ordinal": np.uint8,
    "kind": np.uint8,
    "all_in": np.bool_,
    "size": np.int64,
    "pot": np.int64,
    "faced": np.int64,
    "own": np.int64,
    "behind": np.int64,
}
"""Names and types of the columns of actions."""
RAISES: Final = ("raises_preflop", "raises_flop", "raises_turn", "raises_river")


def added_up(sums: NDArray[np.float64], group: NDArray[Any], values: NDArray[Any]) -> NDArray[np.float64]:
    """Returns float64[G]: the sums of G groups, to which values were added one by one in their order.

    So the last digits do not depend on how hands are split into batches, as they do if batches are summed first.

    :param sums: float64[G], the sums before.
    :param group: int[N], the group of each value, 0 .. G - 1.
    :param values: (N,) what is added.
    """
    places = np.concatenate([np.arange(len(sums)), group])
    return np.asarray(np.bincount(places, np.concatenate([sums, values]), minlength=len(sums)), np.float64)


class Texts:
    """Numbers texts, such as the names of players, in the order of their first use."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._codes: dict[str, int] = {}

    def code(self, text: str) -> int:
        """Returns the number of a text, which may be new."""
        code = self._codes.setdefault(text, len(self.texts))
        if code == len(self.texts):
            self.texts.append(text)
        return code

    def find(self, text: str) -> int | None:
        """Returns the number of a text; None if the text is not known."""
        return self._codes.get(text)


@dataclass(frozen=True, slots=True)
class HandBatch:
    """Some hands with their actions."""

    hands: dict[str, NDArray[Any]]
    """The columns of N hands: those of :data:`HAND_COLUMNS` and ``cards``, uint8[N, 9]."""
    actions: dict[str, NDArray[Any]]
    """The columns of M actions, in the order of the hands."""

    @property
    def num_hands(self) -> int:
        """Number of hands."""
        return len(self.hands["key"])

    @property
    def num_actions(self) -> int:
        """Number of actions."""
        return len(self.actions["kind"])

    def first_action(self) -> NDArray[np.int64]:
        """Returns int64[N + 1]: the row of each hand's first action, and at the end the number of actions."""
        first = np.zeros(self.num_hands + 1, np.int64)
        np.cumsum(self.hands["num_actions"], out=first[1:])
        return first

    def hand_of_action(self) -> NDArray[np.int64]:
        """Returns int64[M]: the row of the hand to which each action belongs."""
        return np.repeat(np.arange(self.num_hands), self.hands["num_actions"])

    def actor(self) -> NDArray[np.int32]:
        """Returns int32[M]: the number of the player who acts."""
        hand = self.hand_of_action()
        seat = self.actions["seat"]
        return np.where(seat == BIG_BLIND, self.hands["player_bb"][hand], self.hands["player_sb"][hand])

    def select(self, chosen: NDArray[np.bool_]) -> HandBatch:
        """Returns the hands for which ``chosen``, bool[N], is True."""
        if chosen.all():
            return self
        actions = np.repeat(chosen, self.hands["num_actions"])
        return HandBatch(
            {name: column[chosen] for name, column in self.hands.items()},
            {name: column[actions] for name, column in self.actions.items()},
        )

    @classmethod
    def join(cls, batches: Sequence[HandBatch]) -> HandBatch:
        """Returns the hands of several batches as one batch."""
        if len(batches) == 1:
            return batches[0]
        return cls(
            {name: np.concatenate([batch.hands[name] for batch in batches]) for name in (*HAND_COLUMNS, "cards")},
            {name: np.concatenate([batch.actions[name] for batch in batches]) for name in ACTION_COLUMNS},
        )


@dataclass(slots=True)
class BatchBuilder:
    """Collects rows one by one, for hands that are not read in bulk."""

    hands: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in (*HAND_COLUMNS, "cards")})
    actions: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in ACTION_COLUMNS})

    def __len__(self) -> int:
        return len(self.hands["key"])

    def add(self, hand: dict[str, Any], actions: Sequence[dict[str, Any]]) -> None:
        """Adds a hand with all columns but ``num_actions``, and its actions."""
        for name, value in hand.items():
            self.hands[name].append(value)
        self.hands["num_actions"].append(len(actions))
        for action in actions:
            for name, value in action.items():
                self.actions[name].append(value)

    def take(self) -> HandBatch:
        """Returns the rows as a batch and forgets them."""
        hands, actions = self.hands, self.actions
        batch = HandBatch(
            {name: np.array(hands[name], kind) for name, kind in HAND_COLUMNS.items()}
            | {"cards": np.array(hands["cards"], np.uint8).reshape(-1, CARDS)},
            {name: np.array(actions[name], kind) for name, kind in ACTION_COLUMNS.items()},
        )
        for column in (*hands.values(), *actions.values()):
            column.clear()
        return batch
