"""Explanations of a player's decision: where its strategy comes from and how it read real bets.

A player that gives explanations has the methods of :class:`hedgehog.agent.player.ExplainsStrategy`.
:mod:`hedgehog.agent.strategy.live_strategy` makes the explanations of :class:`hedgehog.agent.pack_player.PackPlayer`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.options import Options
from hedgehog.agent.strategy.hand_view import Event
from hedgehog.agent.strategy.line_shadows import Line, LineShadows
from hedgehog.agent.strategy.shadow import real_action
from hedgehog.poker.state import Action
from hedgehog.strategies.betting_tree import ActionKind, BettingTree

_WORDS: Final[dict[int, str]] = {
    ActionKind.FOLD: "f",
    ActionKind.CHECK: "c",
    ActionKind.CALL: "c",
    ActionKind.DEAL: "/",
}


class AbstractSize(NamedTuple):
    """An action of a strategy that stands for a real bet."""

    action: Action
    """The abstract action in the chips of the real hand; a call where the strategy has no raise left."""
    pot_frac: float
    """The size of the raise as a fraction of the pot after calling; 0 for a call."""
    weight: float
    """The weight of this action; the weights of all actions that stand for one real bet sum to one."""


class Translation(NamedTuple):
    """A real bet or raise, and the abstract actions that stand for it."""

    event: Event
    pot_frac: float
    """The size of the real bet as a fraction of the pot after calling."""
    layer: str
    """The layer of the strategy whose sizes stand for the bet, for example ``blueprint``."""
    sizes: tuple[AbstractSize, ...]
    """The abstract actions in ascending order of size; empty if none stands for the bet."""

    @property
    def exact(self) -> bool:
        """True if the strategy has a bet of exactly this size."""
        return len(self.sizes) == 1 and self.sizes[0].action == self.event.action


class AbstractLine(NamedTuple):
    """A decision of a strategy's betting tree that stands for the real one."""

    betting: str
    """The betting in ACPC notation; raises are totals over the hand in the chips of the tree."""
    weight: float
    """The weight of this line; the weights of all lines that stand for one real decision sum to one."""


class Explanation(NamedTuple):
    """A player's strategy in one public state, and how the player arrived at it."""

    layer: str
    """The finest layer that covers the decision: one of :mod:`hedgehog.agent.strategy.pack_strategy`, or ``live``."""
    options: Options
    """The strategy of every combo; the player samples from its own combo's column."""
    ranges: NDArray[np.float64]
    """(2, 1326) ranges of both positions as the player infers them from the betting; the largest weight is 1."""
    translations: tuple[Translation, ...]
    """The bets and raises on which the strategy depends, in order; bets solved with their true size are left out."""
    lines: tuple[AbstractLine, ...]
    """The abstract decisions whose strategies are mixed into this one; empty for a live solution."""
    folds_kept: float
    """The share of the abstract folds that stay folds; 1 if all of them do.

    The rest become calls, because the real bet is smaller than every abstract bet."""
    folds_limited: float
    """The share of the range's folds that the limit on folds leaves (:mod:`hedgehog.agent.strategy.fold_limit`).

    1 if it leaves all of them; the rest become calls."""
    left_tree: str | None
    """The betting at which the hand left the blueprint's tree and continued at the most similar decision; else None."""
    iterations: int
    """Number of iterations of the live solution; 0 for other layers."""
    strategy_bb: float
    """Stacks, in big blinds, for which the packs were made that gave the strategy, or the ranges of a live solution."""


def translation(lines: LineShadows, line: Line, event: Event, layer: str) -> Translation:
    """Returns the abstract actions that stand for a real bet or raise.

    :param lines: the betting lines with their shadows.
    :param line: the line of ``lines`` at which the bet was made.
    :param event: the bet or raise.
    :param layer: the layer of the strategy that ``lines`` belongs to.
    """
    situation = event.situation
    weights: dict[tuple[int, float], float] = {}
    for number, child, weight in lines.children(line, event.action):
        choice = lines.choices[line.shadows[number][0]]
        size = choice.kinds[child], max(0.0, choice.fractions[child])
        weights[size] = weights.get(size, 0.0) + weight
    sizes = [
        AbstractSize(real_action(kind, fraction, situation), fraction, weight)
        for (kind, fraction), weight in sorted(weights.items(), key=lambda item: item[0][1])
    ]
    real = (event.action.size - situation.max_spent) / (2 * situation.max_spent)
    return Translation(event, real, layer, tuple(sizes))


def abstract_lines(
    tree: BettingTree, shadows: Iterable[tuple[int, float]], before: str = ""
) -> tuple[AbstractLine, ...]:
    """Returns the betting lines that lead to weighted nodes of a tree, heaviest first.

    :param shadows: pairs of a node and its weight.
    :param before: the betting before the root of the tree.
    """
    found = [AbstractLine(before + betting_to(tree, node), weight) for node, weight in shadows]
    return tuple(sorted(found, key=lambda line: -line.weight))


def betting_to(tree: BettingTree, node: int) -> str:
    """Returns the betting from the root of a tree to a node in ACPC notation; raises are totals over the hand."""
    words = []
    while node > 0:
        parent = int(tree.parent[node])
        total = tree.root_pot // 2 + int(tree.committed[node, tree.player[parent]])
        words.append(_WORDS.get(int(tree.action[node]), f"r{total}"))
        node = parent
    return "".join(reversed(words))
