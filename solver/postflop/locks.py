"""Node locking: strategies at chosen decisions are given, and the rest of the game is solved around them.

::

    locks = [
        Lock("X", {"X": 0.3, "B200": 0.7}),                    # IP after a check: all hands alike
        Lock("X B200 C 7d", {"B400": 1}, hands="QQ+,AKs"),     # OOP on one turn: some hands, the others play freely
        Lock("X B200 C", {"X": 1}),                            # OOP on every turn
    ]

The solution is an equilibrium of the game in which nobody can deviate from the locks. Its exploitability is measured by
best responses that obey the locks too. Where several locks name the same hand at the same decision and board, **the
first one decides**, as in range notation. So exceptions go before the rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, combo_mask, format_cards, format_combo
from hedgehog.poker.ranges import format_range, parse_range
from hedgehog.runtime.errors import InputError, SpotError
from hedgehog.solver.postflop.chance import Range, combo_permutation
from hedgehog.solver.postflop.tree import format_action, place_of_line
from hedgehog.strategies.betting_tree import BettingTree

Probability = float | NDArray[np.float32]

_TOLERANCE = 0.005
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Lock:
    """A decision at which some hands of the acting player follow a given strategy."""

    line: str
    """Actions and dealt cards up to the decision, such as ``X B200 C 7d``; empty for the root. A card left out stands
    for every card."""
    strategy: Mapping[str, Probability]
    """Probability of each action token: one number for all hands or an array (1326,) by combo. Actions not named have
    probability 0. The sum must be 1 within 0.005 and is scaled to 1."""
    hands: str | None = None
    """The locked hands in range notation, each with weight 1; None locks all hands of the range."""


@dataclass(frozen=True, slots=True, eq=False)
class LockedNode:
    """A lock applied to one betting tree and range."""

    node: int
    """The decision node."""
    dealt: tuple[int | None, ...]
    """The card dealt on each street after the root's up to the node; None stands for every card."""
    hands: NDArray[np.bool_]
    """bool[1326]: the locked combos. All are in the range and miss the board and the cards named."""
    strategy: NDArray[np.float32]
    """float32[actions, 1326]: probabilities of the locked combos, 0 for other combos."""

    def covers(self, dealt: Sequence[int]) -> bool:
        """Returns whether the lock holds after the cards ``dealt``, one per street after the root's."""
        return all(named is None or named == card for named, card in zip(self.dealt, dealt, strict=True))


def resolve_locks(
    locks: Sequence[Lock], tree: BettingTree, board: Sequence[int], ranges: Sequence[Range]
) -> tuple[LockedNode, ...]:
    """Returns the node, combos and probabilities of each lock in a spot.

    :param board: card ids of the root.
    :param ranges: float32[1326] weights of OOP and IP.
    :raises SpotError: if a line, hand or action does not exist, or probabilities do not sum to 1. The message names the
        lock.
    """
    found = []
    for lock in locks:
        try:
            node, dealt = place_of_line(tree, board, lock.line)
            hands = locked_hands(lock.hands, ranges[int(tree.player[node])], board, dealt)
            found.append(LockedNode(node, dealt, hands, locked_strategy(lock.strategy, tree, node, hands)))
        except InputError as error:
            raise SpotError(f"lock at {lock.line!r}: {error.message}") from None
    return tuple(found)


def locked_hands(
    text: str | None, weights: Range, board: Sequence[int], dealt: Sequence[int | None]
) -> NDArray[np.bool_]:
    """Returns bool[1326]: the combos that a lock names and that miss the board and the cards that the lock names.

    :param text: range notation; None for the whole range.
    :param weights: float32[1326], the range of the acting player.
    :param board: card ids of the root.
    :param dealt: the card that the lock names on each later street, or None.
    :raises InputError: if a combo is not in the range or has a weight between 0 and 1, or none is left.
    """
    cards = [*board, *(card for card in dealt if card is not None)]
    live = combo_mask(cards)
    held = live & (weights > 0)
    if text is None:
        return held
    named = parse_range(text)
    if not np.isin(named, (0, 1)).all():
        raise SpotError(f"locked hands have no weights, got {text!r}")
    hands = live & (named > 0)
    absent = np.flatnonzero(hands & ~held)
    if len(absent):
        shown = ", ".join(format_combo(int(combo)) for combo in absent[::-1][:_SHOWN])
        more = f" and {len(absent) - _SHOWN} more" if len(absent) > _SHOWN else ""
        raise SpotError(f"not in the range: {shown}{more}")
    if not hands.any():
        raise SpotError(f"every combo of {text!r} hits the board {format_cards(cards, ' ')}")
    return hands


def locked_strategy(
    strategy: Mapping[str, Probability], tree: BettingTree, node: int, hands: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Returns float32[actions, 1326]: the probabilities of a lock at a node for the locked hands, 0 for the others.

    :raises SpotError: if an action is not offered at the node or the probabilities are no distribution.
    """
    offered = [format_action(tree, child) for child in tree.children(node)]
    rows = np.zeros((len(offered), NUM_COMBOS), dtype=np.float64)
    named: set[str] = set()
    for text, probability in strategy.items():
        token = text.upper()
        if token not in offered:
            raise SpotError(f"no action {text!r} here, offered: {' '.join(offered)}")
        if token in named:
            raise SpotError(f"the action {token!r} is given twice")
        named.add(token)
        values = np.broadcast_to(np.asarray(probability, dtype=np.float64), NUM_COMBOS)
        outside = values[hands & ~((values >= 0) & (values <= 1))]
        if len(outside):
            raise SpotError(f"expected a probability from 0 to 1 for {token!r}, got {outside[0]:g}")
        rows[offered.index(token), hands] = values[hands]
    total = rows.sum(axis=0)[hands]
    wrong = np.abs(total - 1) > _TOLERANCE
    if wrong.any():
        raise SpotError(f"expected probabilities that sum to 1, got a sum of {total[wrong][0]:g}")
    rows[:, hands] /= total
    return rows.astype(np.float32)


def respected_swaps(locks: Sequence[LockedNode]) -> NDArray[np.bool_]:
    """Returns bool[4, 4]: which pairs of suits may be swapped without changing a lock.

    A lock that names a card allows no swap of that card's suit, even if another lock mirrors it. Such suits are solved
    separately, which only costs time.
    """
    respected = np.ones((4, 4), dtype=np.bool_)
    for low in range(4):
        for high in range(low + 1, 4):
            permutation = combo_permutation(low, high)
            respected[low, high] = respected[high, low] = all(
                np.array_equal(lock.hands, lock.hands[permutation])
                and np.array_equal(lock.strategy, lock.strategy[:, permutation])
                and not any(card is not None and card & 3 in (low, high) for card in lock.dealt)
                for lock in locks
            )
    return respected


def count_locked(locks: Sequence[LockedNode]) -> tuple[int, int]:
    """Returns the number of locked decisions and the number of locked (decision, combo) pairs.

    A decision counts once for each combination of cards that its locks name.
    """
    hands: dict[tuple[int, tuple[int | None, ...]], NDArray[np.bool_]] = {}
    for lock in locks:
        place = lock.node, lock.dealt
        hands[place] = lock.hands | hands.get(place, np.False_)
    return len(hands), sum(int(locked.sum()) for locked in hands.values())


def format_probability(value: Probability) -> float | str | None:
    """Returns a probability as a spot file has it: a number, or hands with weights; None if it is 0 for every hand.

    :param value: a number or float32[1326].
    """
    if not isinstance(value, np.ndarray):
        return float(value)
    if not value.any():
        return None
    text = format_range(value)
    return f"{text}:1" if text.isdigit() else text  # a pair alone would be a number


def describe_lock(lock: Lock) -> dict[str, Any]:
    """Returns a lock as the keys and values of a spot file."""
    return {"line": lock.line, "hands": lock.hands, "strategy": _strategy(lock)}


def _strategy(lock: Lock) -> dict[str, float | str]:
    found = {token: format_probability(value) for token, value in lock.strategy.items()}
    return {token: value for token, value in found.items() if value is not None}
