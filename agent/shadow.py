"""Standing for a real decision by abstract ones: what the rules allow, which abstract actions are near, and back.

The real betting rarely stays on an abstract tree, so the position is a *shadow*: a few weighted abstract nodes. A real
bet between two abstract sizes counts for both, with pseudo-harmonic weights (:mod:`strategies.translation`). Sizes are
compared as fractions of the pot after calling, which keeps abstract and real hands comparable when their pots have
drifted apart. :mod:`agent.line_shadows` follows a whole hand this way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poker.state import CALL, FOLD, Action, HandState
from strategies.betting_tree import ActionKind, BettingTree, NodeKind
from strategies.translation import translate_size

MAX_SHADOWS: Final = 8
"""Weighted nodes kept; the lightest are dropped."""
# Plain integers: looking a member of an enumeration up costs more than what is done with it here.
_FOLD, _ALL_IN = int(ActionKind.FOLD), int(ActionKind.ALL_IN)
_PASSIVE = (int(ActionKind.CHECK), int(ActionKind.CALL))


@dataclass(frozen=True, slots=True)
class Situation:
    """What the rules allow at a real decision. Chips, totals over the hand."""

    street: int
    position: int
    max_spent: int
    """The larger of both players' totals, so the pot after a call is twice this."""
    own_spent: int
    """Total of the player to act."""
    stack: int
    """Total each player can put in over the hand."""
    facing_bet: bool
    raise_range: tuple[int, int] | None
    """Least and largest legal raise-to total, or None when raising is not allowed."""


def situation_of(state: HandState) -> Situation:
    """Returns what the rules allow the acting position."""
    position = state.acting_position
    return Situation(
        street=state.round,
        position=position,
        max_spent=state.max_spent,
        own_spent=state.spent[position],
        stack=min(state.gamedef.stacks),
        facing_bet=state.can_fold(),
        raise_range=state.raise_range(),
    )


Shadows = tuple[tuple[int, float], ...]
"""Abstract decision nodes with weights that sum to one; empty when the hand has left the tree."""


class Options(NamedTuple):
    """A mixed strategy at a real decision."""

    actions: list[Action]
    """Legal, each once."""
    probabilities: NDArray[np.float64]
    """(actions, 1326): probability of every action for every combo; columns of live combos sum to one."""


class Choice(NamedTuple):
    """A decision node of an abstract tree as plain numbers, which Python reads faster than arrays."""

    player: int
    kinds: tuple[int, ...]
    """:class:`ActionKind` of every child."""
    fractions: tuple[float, ...]
    """Per child the bet or raise as a fraction of the pot after calling; -1 for fold, check and call."""
    sized: tuple[int, ...]
    """The children that are bets or raises, by number."""
    next_here: tuple[int, ...]
    """Per child the node of the next decision on this street, -1 if there is none."""
    next_street: tuple[int, ...]
    """Per child the first decision of the next street, -1 if the child does not end this one or nobody acts then."""
    price: float
    """What a call costs as a fraction of the pot after it; 0 if there is nothing to call."""


class Choices:
    """The decision nodes of a tree, looked at when they are needed."""

    def __init__(self, tree: BettingTree) -> None:
        self.tree = tree
        self._choices: dict[int, Choice] = {}

    def __getitem__(self, node: int) -> Choice:
        found = self._choices.get(node)
        if found is None:
            found = self._choices[node] = self._read(node)
        return found

    def _read(self, node: int) -> Choice:
        tree = self.tree
        player = int(tree.player[node])
        before = int(tree.committed[node].max())
        pot_after_call = tree.root_pot + 2 * before
        kinds = tuple(int(tree.action[child]) for child in tree.children(node))
        fractions = tuple(
            (int(tree.committed[child, player]) - before) / pot_after_call if kind >= ActionKind.BET else -1.0
            for child, kind in zip(tree.children(node), kinds, strict=True)
        )
        sized = tuple(i for i, fraction in enumerate(fractions) if fraction > 0)
        here, street = [], []
        for child in tree.children(node):
            kind = int(tree.kind[child])
            following = int(tree.first_child[child]) if kind == NodeKind.DEAL else -1
            here.append(child if kind == NodeKind.DECISION else -1)
            street.append(following if following >= 0 and tree.kind[following] == NodeKind.DECISION else -1)
        price = (before - int(tree.committed[node, player])) / pot_after_call
        return Choice(player, kinds, fractions, sized, tuple(here), tuple(street), price)


def translate_action(choice: Choice, action: Action, situation: Situation) -> list[tuple[int, float]]:
    """Returns the children that stand for a real action, by number and with weights; empty if none does."""
    kinds, fractions, sized = choice.kinds, choice.fractions, choice.sized
    if action.kind == "f":
        return [(i, 1.0) for i, kind in enumerate(kinds) if kind == _FOLD]
    if action.kind == "c" or not sized:
        # Out of raises (the abstract hand already faces an all-in): the nearest it has is a call.
        return [(i, 1.0) for i, kind in enumerate(kinds) if kind in _PASSIVE]
    if action.size >= situation.stack and kinds[sized[-1]] == _ALL_IN:
        return [(sized[-1], 1.0)]
    real = (action.size - situation.max_spent) / (2 * situation.max_spent)
    return [(sized[i], weight) for i, weight in translate_size([fractions[i] for i in sized], real)]


def real_action(kind: int, fraction: float, situation: Situation) -> Action:
    """Returns the legal real action that stands for an abstract action.

    :param kind: :class:`ActionKind`.
    :param fraction: its size as in :attr:`Choice.fractions`.
    """
    if kind == _FOLD:
        return FOLD if situation.facing_bet else CALL
    if kind in _PASSIVE or situation.raise_range is None:
        return CALL
    low, high = situation.raise_range
    if kind == _ALL_IN:
        return Action("r", high)
    total = situation.max_spent + round(fraction * 2 * situation.max_spent)
    return Action("r", min(max(total, low), high))


def bluff_limit(price: float) -> float:
    """Returns how often a bet may be folded to before it pays with any hand: bet / (pot + bet).

    :param price: what a call costs as a fraction of the pot after it.
    """
    return price / (1 - price)


def fold_share(situation: Situation, shadows: Sequence[tuple[Choice, float]]) -> float:
    """Returns the share of the shadows' folding that is kept; the rest calls.

    A bet below the smallest abstract size stands for that size, but a bluff with it risks less. The share makes it pay
    as little as the abstract one would: folding shrinks with bet / (pot + bet). Between two abstract sizes the
    pseudo-harmonic weights do the same by themselves, so nothing is left to do.
    """
    if not situation.facing_bet:
        return 1.0
    price = (situation.max_spent - situation.own_spent) / (2 * situation.max_spent)
    limit = sum(weight * bluff_limit(choice.price) for choice, weight in shadows)
    return min(1.0, bluff_limit(price) / limit) if limit > 0 else 1.0


def normalise(weights: Mapping[int, float]) -> Shadows:
    """Keeps the heaviest nodes and scales the weights to sum to one."""
    kept = sorted(weights.items(), key=lambda item: -item[1])[:MAX_SHADOWS]
    total = sum(weight for _, weight in kept)
    return tuple((node, weight / total) for node, weight in kept if weight > 0) if total > 0 else ()


class NearestDecision:
    """Finds the decision node most like a real one, for hands that have left the tree."""

    def __init__(self, tree: BettingTree) -> None:
        nodes = np.flatnonzero(tree.kind == NodeKind.DECISION)
        before = tree.committed[nodes].max(axis=1).astype(np.float64)
        own = tree.committed[nodes, tree.player[nodes]]
        self._nodes = nodes
        self._street = tree.street[nodes]
        self._player = tree.player[nodes]
        self._log_pot = np.log(tree.root_pot + 2 * before)
        self._to_call = (before - own) / (tree.root_pot + 2 * before)

    def shadows(self, situation: Situation) -> Shadows:
        """Returns the node of the same street, player and kind (facing a bet or not) nearest in pot and bet size."""
        same = (self._street == situation.street) & (self._player == situation.position)
        candidates = np.flatnonzero(same & ((self._to_call > 0) == situation.facing_bet))
        if not len(candidates):
            return ()
        pot_after_call = 2 * situation.max_spent
        to_call = (situation.max_spent - situation.own_spent) / pot_after_call
        # A call costs at most half the pot after it, so both terms are of the same order.
        distance = np.abs(self._log_pot[candidates] - np.log(pot_after_call))
        distance += 4 * np.abs(self._to_call[candidates] - to_call)
        return ((int(self._nodes[candidates[np.argmin(distance)]]), 1.0),)
