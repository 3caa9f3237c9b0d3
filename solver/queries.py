"""One node of a solution in full: who acts, with what, how often, and what it is worth.

::

    view = view_node(solution, *find_node(solution, "X B120 C 7d"))
    for child in view_actions(solution, view):
        print(child.action, child.frequency, child.ev)

``solution`` is a solver or a saved solve (:mod:`solver.solution_files`). Averages over hands are weighted by the pairs
of hands that can meet, as in :mod:`solver.solution_json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poker.cards import NUM_COMBOS
from poker.equity import equity_vector
from poker.errors import SpotError
from solver.postflop_tree import format_action
from solver.solution import PostflopSolution, met_weight
from strategies.betting_tree import NodeKind

PerCombo = NDArray[np.float64]
"""float64[2, 1326]: OOP and IP."""


@dataclass(frozen=True, slots=True)
class NodeView:
    """A decision node; hands that meet no opponent have zero equity and EV."""

    node: int
    dealt: tuple[int, ...]
    """Cards dealt after the board of the root."""
    board: tuple[int, ...]
    """All cards on the board."""
    player: int
    """Who acts."""
    actions: tuple[str, ...]
    """Tokens such as ``B200``, a street total."""
    pot: int
    """Chips in the middle, an uncalled bet included."""
    reach: NDArray[np.float32]
    """float32[2, 1326]: range weight times own probability of playing to this node."""
    met: PerCombo
    """Weight of the opponent's hands that each hand can meet."""
    equity: PerCombo
    """Against the opponent's hands here, over all run-outs, ties half."""
    ev: PerCombo
    """Chips received at the end less chips put in after this node."""
    strategy: PerCombo
    """float64[actions, 1326] of the acting player; uniform for hands that never get here."""
    frequency: NDArray[np.float64]
    """float64[actions]: probability of each action over the acting player's hands; zeros if nobody gets here."""

    @property
    def pair_weights(self) -> PerCombo:
        """float64[2, 1326]: reach times the weight met."""
        return self.reach * self.met

    @property
    def pair_weight(self) -> float:
        """Weight of all pairs of hands that can be here; the same for both players."""
        return float(self.pair_weights[0].sum())

    def average(self, values: PerCombo) -> tuple[float, float]:
        """Returns the average over both players' hands; zeros if nobody gets here."""
        total = self.pair_weight
        if total <= 0:
            return 0.0, 0.0
        oop, ip = (values * self.pair_weights).sum(axis=1) / total
        return float(oop), float(ip)

    def hands(self) -> NDArray[np.int64]:
        """Returns the combos with which the acting player gets here, ascending."""
        return np.flatnonzero(self.reach[self.player] > 0)


@dataclass(frozen=True, slots=True)
class ActionView:
    """What follows one action at a node; EVs count from the node before the action."""

    action: str
    node: int
    leads_to: str
    """``decision``, ``card``, ``fold`` or ``showdown``."""
    frequency: float
    ev: tuple[float, float]
    """Average EV of OOP and IP after the action, less what it costs; zeros if it is never taken."""
    equity: tuple[float, float]
    """Average equity of the hands then in play."""


_LEADS_TO = {
    int(NodeKind.DECISION): "decision",
    int(NodeKind.DEAL): "card",
    int(NodeKind.FOLD): "fold",
    int(NodeKind.SHOWDOWN): "showdown",
}


def view_node(solution: PostflopSolution, node: int, dealt: Sequence[int] = ()) -> NodeView:
    """Looks at a decision node on any street.

    :raises SpotError: if the node is no decision or ``dealt`` are not the cards on the way to it.
    """
    tree = solution.tree
    if tree.kind[node] != NodeKind.DECISION:
        raise SpotError(f"node {node} is no decision")
    player = int(tree.player[node])
    board = (*solution.board, *(int(card) for card in dealt))
    reach = np.stack([solution.node_reach(p, node, dealt) for p in (0, 1)])
    met = np.stack([met_weight(reach[1 - p], board) for p in (0, 1)])
    strategy = solution.node_strategy(node, dealt).astype(np.float64)
    weights = reach[player] * met[player]
    total = weights.sum()
    return NodeView(
        node=node,
        dealt=board[len(solution.board) :],
        board=board,
        player=player,
        actions=tuple(format_action(tree, child) for child in tree.children(node)),
        pot=tree.pot(node),
        reach=reach,
        met=met,
        equity=_equities(reach, met, board),
        ev=np.where(met > 0, np.nan_to_num(solution.node_values(node, dealt).astype(np.float64)), 0.0),
        strategy=strategy,
        frequency=(strategy * weights).sum(axis=1) / total if total > 0 else np.zeros(len(strategy)),
    )


def _equities(reach: NDArray[np.float32], met: PerCombo, board: tuple[int, ...]) -> PerCombo:
    found = np.zeros((2, NUM_COMBOS))
    for player in (0, 1):
        if reach[1 - player].any():
            found[player] = np.nan_to_num(equity_vector(reach[1 - player], board))
    return np.where(met > 0, found, 0.0)


def view_actions(solution: PostflopSolution, view: NodeView) -> Iterator[ActionView]:
    """Yields what follows each action at a node."""
    tree = solution.tree
    actor = view.player
    for index, child in enumerate(tree.children(view.node)):
        reach = view.reach.copy()
        reach[actor] *= view.strategy[index].astype(np.float32)
        met = np.stack([met_weight(reach[1 - p], view.board) for p in (0, 1)])
        weights = reach * met
        total = float(weights[0].sum())
        paid = (tree.committed[child] - tree.committed[view.node]).astype(np.float64)
        values = np.nan_to_num(solution.node_values(child, view.dealt).astype(np.float64)) - paid[:, None]
        equity = _equities(reach, met, view.board)
        evs, equities = (
            tuple(float(x) for x in (each * weights).sum(axis=1) / total) if total > 0 else (0.0, 0.0)
            for each in (values, equity)
        )
        yield ActionView(
            action=view.actions[index],
            node=child,
            leads_to=_LEADS_TO[int(tree.kind[child])],
            frequency=float(view.frequency[index]),
            ev=(evs[0], evs[1]),
            equity=(equities[0], equities[1]),
        )
