"""What a player can say about a decision of its own: where the strategy comes from and how real bets were read.

See :class:`agent.player.ExplainsStrategy`. :mod:`agent.live_strategy` puts the explanations of our player together.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agent.hand_view import Event
from agent.line_shadows import Line, LineShadows
from agent.shadow import Options, real_action
from poker.state import Action
from strategies.betting_tree import ActionKind, BettingTree


class AbstractSize(NamedTuple):
    """An action of a strategy that stands for a real bet."""

    action: Action
    """The abstract action in the chips of the real hand; a call where the strategy has no raise left."""
    pot_frac: float
    """What it raises by, as a fraction of the pot after calling; 0 for a call."""
    weight: float
    """Weights of one real bet sum to one."""


class Translation(NamedTuple):
    """A real bet or raise, and the abstract actions that stand for it."""

    event: Event
    pot_frac: float
    """What the real bet raises by, as a fraction of the pot after calling."""
    layer: str
    """Whose sizes these are."""
    sizes: tuple[AbstractSize, ...]
    """Ascending; empty if nothing in the strategy stands for the bet."""

    @property
    def exact(self) -> bool:
        """True if the strategy has the very bet."""
        return len(self.sizes) == 1 and self.sizes[0].action == self.event.action


class AbstractLine(NamedTuple):
    """A decision of a strategy's betting tree that stands for the real one."""

    betting: str
    """In ACPC notation, raises as totals over the hand in the chips of the tree."""
    weight: float
    """Weights of one decision sum to one."""


class Explanation(NamedTuple):
    """How our player decides in one public state."""

    layer: str
    """The finest layer that covers the decision: one of :mod:`agent.pack_strategy`, or ``live``."""
    options: Options
    """The strategy of every combo; the player samples from its own combo's column."""
    ranges: NDArray[np.float64]
    """(2, 1326) weights by position, largest 1: what both may hold, as this player reckons it from the betting."""
    translations: tuple[Translation, ...]
    """All bets and raises that the answer depends on, in order; those solved with their true size are left out."""
    lines: tuple[AbstractLine, ...]
    """The abstract decisions whose strategies are mixed; empty for a live solution."""
    folds_kept: float
    """The share of the abstract folds that is kept; the rest calls, because the real bet is smaller than any abstract
    one. 1 if nothing was changed."""
    left_tree: str | None
    """The betting at which the hand left the blueprint's tree and went on at its most similar decision, or None."""
    iterations: int
    """Iterations of the live solution; 0 for the other layers."""


def translation(lines: LineShadows, line: Line, event: Event, layer: str) -> Translation:
    """Returns what a real bet or raise stands for.

    :param line: of ``lines``, at which the bet was made.
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
    """Returns the betting that leads to weighted nodes of a tree, heaviest first.

    :param before: the betting before the root of the tree.
    """
    found = [AbstractLine(before + betting_to(tree, node), weight) for node, weight in shadows]
    return tuple(sorted(found, key=lambda line: -line.weight))


def betting_to(tree: BettingTree, node: int) -> str:
    """Returns the actions from the root of a tree to a node in ACPC notation, raises as totals over the hand."""
    words = []
    while node > 0:
        kind = int(tree.action[node])
        parent = int(tree.parent[node])
        if kind == ActionKind.DEAL:
            words.append("/")
        elif kind == ActionKind.FOLD:
            words.append("f")
        elif kind in (ActionKind.CHECK, ActionKind.CALL):
            words.append("c")
        else:
            words.append(f"r{tree.root_pot // 2 + int(tree.committed[node, tree.player[parent]])}")
        node = parent
    return "".join(reversed(words))
