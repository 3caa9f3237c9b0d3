"""How well a line is known: who makes it rare, how rarely it is taken, and what its best hand loses by it.

A solve learns answers against the hands that come. Where a player's own actions lead with a probability below
:data:`THIN`, few hands carry its range; below :data:`UNTAKEN` it is what rounding and early iterations left, and no
number about that range is shown. What remains well defined is how much a hand loses by taking the line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import combo_mask
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.solver.postflop.spot import PLAYERS
from hedgehog.strategies.betting_tree import NodeKind

THIN: Final = 1e-3
"""Probability of a player's own actions below which its range is carried by few hands."""
UNTAKEN: Final = 1e-5
"""Probability of a player's own actions below which nothing is said about its range."""
_SHARE_AT_DECISION: Final = 0.01


@dataclass(frozen=True, slots=True)
class Step:
    """One decision on the way to a node."""

    node: int
    """The decision."""
    player: int
    """Who acts there."""
    child: int
    """The node after its action."""
    before: float
    """Probability of the player's own earlier actions, over its range."""
    after: float
    """The same with this action."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How well a node is known."""

    player: int
    """The player who *enters*: the one whose own actions lead to the node least often."""
    reach: float
    """Probability of its own actions on the way, over its range; the opponent and the cards do not count."""
    hands: float
    """Effective number of combos that carry its range here: the perplexity of their weights."""
    rare: Step | None
    """The first of its decisions on the way after which the probability is below :data:`THIN`; None if none is."""

    @property
    def is_untaken(self) -> bool:
        """Whether nothing is known about the range of the player who enters."""
        return self.reach < UNTAKEN

    @property
    def is_thin(self) -> bool:
        """Whether few hands carry the range of the player who enters, but some do."""
        return UNTAKEN <= self.reach < THIN


def steps_to(solution: PostflopSolution, node: int, dealt: Sequence[int]) -> list[Step]:
    """Returns the decisions on the way to a node, from the root on."""
    tree, street = solution.tree, solution.spot.street
    path = []
    while node > 0:
        parent = int(tree.parent[node])
        if tree.kind[parent] == NodeKind.DECISION:
            path.append((parent, node))
        node = parent
    live = combo_mask((*solution.board, *dealt))
    reach = [np.where(live, weights, np.float32(0)).astype(np.float64) for weights in solution.ranges]
    whole = [float(weights.sum()) for weights in reach]
    found = []
    for parent, child in reversed(path):
        player = int(tree.player[parent])
        before = float(reach[player].sum())
        rows = solution.node_strategy(parent, tuple(dealt)[: int(tree.street[parent]) - street])
        reach[player] = reach[player] * rows[child - int(tree.first_child[parent])]
        total = whole[player] or math.nan
        found.append(Step(parent, player, child, before / total, float(reach[player].sum()) / total))
    return found


def standing_of(solution: PostflopSolution, node: int, dealt: Sequence[int], reach: NDArray[np.float32]) -> Standing:
    """Returns how well a node is known.

    :param dealt: the cards dealt after the root board on the way to the node.
    :param reach: float32[2, 1326], the reach of both players' combos at the node.
    """
    live = combo_mask((*solution.board, *dealt))
    shares = []
    for player in (0, 1):
        whole = float(solution.ranges[player][live].sum(dtype=np.float64))
        # A range that the board takes is no fault of the player's actions.
        shares.append(float(reach[player].sum(dtype=np.float64)) / whole if whole > 0 else 1.0)
    player = int(np.argmin(shares))
    rare = None
    if shares[player] < THIN:
        rare = next(step for step in steps_to(solution, node, dealt) if step.player == player and step.after < THIN)
    return Standing(player, shares[player], perplexity(reach[player]), rare)


def range_before(solution: PostflopSolution, standing: Standing, dealt: Sequence[int]) -> NDArray[np.float32]:
    """Returns float32[1326]: the range that comes to the rare action, scaled to the weight that takes the line.

    :param dealt: the cards dealt after the root board on the way to the node that the standing is about.
    """
    step = standing.rare
    assert step is not None
    seen = tuple(dealt)[: int(solution.tree.street[step.node]) - solution.spot.street]
    live = combo_mask((*solution.board, *dealt))
    comes = np.where(live, solution.node_reach(step.player, step.node, seen), np.float32(0))
    whole = float(np.where(live, solution.ranges[step.player], np.float32(0)).sum(dtype=np.float64))
    return comes * np.float32(standing.reach * whole / float(comes.sum(dtype=np.float64)))


def perplexity(weights: NDArray[np.float32]) -> float:
    """Returns the exponential of the entropy of weights: how many equal weights are as spread out; 0 for no weight."""
    held = weights[weights > 0].astype(np.float64)
    if not len(held):
        return 0.0
    shares = held / held.sum()
    return float(np.exp(-(shares * np.log(shares)).sum()))


def least_loss(solution: PostflopSolution, standing: Standing, dealt: Sequence[int]) -> float:
    """Returns the least that a hand of the player who enters loses by the rare action, in chips.

    It is the EV of the hand at the decision less the EV of the action there, both players on their average strategies.
    Hands that seldom come to the decision do not count. It is negative where a lock keeps hands from a good action.
    NaN if the solution has no EVs there.

    :param dealt: the cards dealt after the root board on the way to the node that the standing is about.
    """
    step = standing.rare
    if step is None or not (solution.knows_values(step.node) and solution.knows_values(step.child)):
        return math.nan
    tree, player = solution.tree, step.player
    seen = tuple(dealt)[: int(tree.street[step.node]) - solution.spot.street]
    paid = float(tree.committed[step.child, player] - tree.committed[step.node, player])
    stays = solution.node_values(step.node, seen)[player].astype(np.float64)
    enters = solution.node_values(step.child, seen)[player].astype(np.float64) - paid
    reach = solution.node_reach(player, step.node, seen)
    held = reach > _SHARE_AT_DECISION * solution.ranges[player]
    held = held & (reach > 0) if held.any() else reach > 0
    losses = (stays - enters)[held & np.isfinite(stays) & np.isfinite(enters)]
    return float(losses.min()) if len(losses) else math.nan


def describe_standing(solution: PostflopSolution, standing: Standing, dealt: Sequence[int]) -> str | None:
    """Returns one sentence about a line that is rarely or never taken; None for a line that is taken.

    Where a lock keeps hands from the line, nobody learns an answer, so nothing is said about what it would cost.

    :param dealt: the cards dealt after the root board on the way to the node.
    """
    who = PLAYERS[standing.player]
    if standing.is_thin:
        count = f"{standing.hands:.0f}" if standing.hands >= 10 else f"{standing.hands:.1f}"
        return (
            f"thin line: {who} takes it with {100 * standing.reach:.2g} % of the range, {count} hands carry that "
            "range; answers not converged"
        )
    if not standing.is_untaken:
        return None
    loss = 100 * least_loss(solution, standing, dealt) / solution.tree.root_pot
    step = standing.rare
    if math.isnan(loss) or (step is not None and any(lock.node == step.node for lock in solution.spot.locks)):
        return None if standing.reach == 0 else f"Nobody takes this line: {who} never does"
    verb = "loses" if loss >= 0 else "gains"
    return f"Nobody takes this line: best hand of {who} {verb} {abs(loss):.2f} % of the pot by it"
