"""Describes one node of a solution in full: ranges, strategies, frequencies, equities and EVs.

::

    from pathlib import Path

    from hedgehog.solver.postflop.queries import action_evs, find_node, view_actions, view_node
    from hedgehog.solver.postflop.solution_files import open_solution, read_saved_solve

    solution = open_solution(read_saved_solve(Path("my-solve")))
    view = view_node(solution, *find_node(solution, "X B120 C 7d"))
    for action in view_actions(solution, view):
        print(action.action, action.frequency, action.ev)
    print(action_evs(solution, view).shape)  # one EV per action and combo

The solution is a saved solve (:mod:`hedgehog.solver.postflop.solution_files`) or a solver. Averages over hands are
weighted by the pairs of hands that can meet. EV always means chips received at the end of the hand less chips put in
after the node in question (docs/solver.md, section EV). Where no two hands get together there is no number: it is NaN.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.poker.evaluation.equity import equity_vector
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.postflop.prepared import PreparedSpot
from hedgehog.solver.postflop.responses.standing import UNTAKEN, Standing, describe_standing, range_before, standing_of
from hedgehog.solver.postflop.solution import PostflopSolution, met_weight
from hedgehog.solver.postflop.tree import format_action, place_of_line
from hedgehog.strategies.betting_tree import BettingTree, NodeKind

PerCombo = NDArray[np.float64]
"""float64[2, 1326]: one number per combo of OOP and of IP."""


@dataclass(frozen=True, slots=True)
class NodeView:
    """A decision node of a solution.

    Hands that never get to the node, or meet no hand of the opponent there, have no strategy, equity and EV: they are
    NaN. If a player's own actions never lead to the node (:mod:`hedgehog.solver.postflop.responses.standing`), no hand
    has an equity or EV, because the range that they would be measured against is none, and that player has no strategy.
    The weights with which the other player's hands meet it are then those of the range that comes to the rare action,
    as often as the action is taken.
    """

    node: int
    dealt: tuple[int, ...]
    """Cards dealt after the board of the root."""
    board: tuple[int, ...]
    """All cards on the board."""
    player: int
    """The acting player: 0 is OOP, 1 is IP."""
    actions: tuple[str, ...]
    """Action tokens such as ``B200``, whose number is the player's street total in chips."""
    pot: int
    """Chips in the middle, an uncalled bet included."""
    reach: NDArray[np.float32]
    """float32[2, 1326]: range weight times the player's own probability of playing to this node."""
    met: PerCombo
    """float64[2, 1326]: weight of the opponent's hands that each hand can meet."""
    equity: PerCombo
    """float64[2, 1326]: equity against the opponent's hands at the node, over all run-outs; ties count half."""
    ev: PerCombo
    """float64[2, 1326]: EV in chips, counted from this node; NaN if the solution has no EVs here."""
    strategy: PerCombo
    """float64[actions, 1326]: strategy of the acting player."""
    frequency: NDArray[np.float64]
    """float64[actions]: probability of each action over the acting player's hands; NaN if nobody gets to the node."""
    standing: Standing
    """How well the node is known."""
    trained: bool
    """Whether the acting player's strategy at the node has been learnt; without that it has none."""
    remark: str | None
    """A sentence about a line that is rarely or never taken; None for others."""

    @property
    def pair_weights(self) -> PerCombo:
        """float64[2, 1326]: each hand's reach times the weight of the opponent's hands that it can meet."""
        return self.reach * self.met

    @property
    def pair_weight(self) -> float:
        """Sum of the weights of all pairs of hands that can reach the node together."""
        return float(self.pair_weights[0].sum())

    def average(self, values: PerCombo) -> tuple[float, float]:
        """Returns the averages of ``values`` over OOP's and over IP's hands; NaN if nobody gets to the node."""
        oop, ip = average_over(values, self.pair_weights)
        return float(oop), float(ip)

    @property
    def is_reached(self) -> bool:
        """Whether hands of both players can be at the node together."""
        return self.pair_weight > 0

    def hands(self) -> NDArray[np.int64]:
        """Returns the combos of the acting player that reach the node, ascending."""
        return np.flatnonzero(self.reach[self.player] > 0)


@dataclass(frozen=True, slots=True)
class ActionView:
    """One action at a node: how often it is taken and what it leads to."""

    action: str
    """Action token, such as ``B200``."""
    node: int
    """The node after the action."""
    leads_to: str
    """Kind of the node after the action: ``decision``, ``card``, ``fold`` or ``showdown``."""
    frequency: float
    """Probability of the action over the acting player's hands; NaN if nobody gets to the node."""
    ev: tuple[float, float]
    """Average EV of OOP and IP in chips if the action is taken, counted from before it; NaN if it is never taken."""
    equity: tuple[float, float]
    """Average equity of OOP and IP over the hands that play on after the action; NaN if it is never taken."""


_LEADS_TO = {
    int(NodeKind.DECISION): "decision",
    int(NodeKind.DEAL): "card",
    int(NodeKind.FOLD): "fold",
    int(NodeKind.SHOWDOWN): "showdown",
}


def average_over(values: NDArray[np.floating[Any]], weights: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Returns the averages of ``values`` along the last axis; NaN where nothing has weight.

    Values without weight do not count, so they may be NaN.

    :param weights: weights of the last axis, or of all of ``values``.
    """
    with np.errstate(invalid="ignore"):
        return np.asarray((np.where(weights > 0, values, 0.0) * weights).sum(axis=-1) / weights.sum(axis=-1))


def find_node(solution: PostflopSolution | PreparedSpot, line: str) -> tuple[int, tuple[int, ...]]:
    """Returns the decision node of a line and the cards dealt on the way to it.

    :param line: action tokens and dealt cards separated by blanks; empty for the root.
    :raises SpotError: if the tree has no such decision, or a dealt card is missing or cannot be dealt.
    """
    node, cards = place_of_line(solution.tree, solution.board, line)
    dealt = tuple(card for card in cards if card is not None)
    missing = len(cards) - len(dealt)
    if missing:
        raise SpotError(f"the line {line!r} lacks {missing} dealt card{'s' if missing > 1 else ''}")
    return node, dealt


def view_node(solution: PostflopSolution, node: int, dealt: Sequence[int] = (), *, equities: bool = True) -> NodeView:
    """Returns the ranges, strategies, equities and EVs at a decision node on any street.

    :param dealt: the cards dealt after the root board on the way to the node.
    :param equities: False leaves out the equities, which take most of the time on the flop; they are NaN then.
    :raises SpotError: if the node is no decision or ``dealt`` are not the cards on the way to it.
    """
    tree = solution.tree
    if tree.kind[node] != NodeKind.DECISION:
        raise SpotError(f"node {node} is no decision")
    player = int(tree.player[node])
    board = (*solution.board, *(int(card) for card in dealt))
    reach = np.stack([solution.node_reach(p, node, dealt) for p in (0, 1)])
    met = np.stack([met_weight(reach[1 - p], board) for p in (0, 1)])
    weights = reach * met
    together = weights > 0
    standing = standing_of(solution, node, board[len(solution.board) :], reach)
    if standing.is_untaken and standing.reach > 0:
        # Which hands carry the range is chance: they take their cards from the other player as the whole range does.
        comes = range_before(solution, standing, board[len(solution.board) :])
        met[1 - standing.player] = met_weight(comes, board)
        weights = reach * met
        together = weights > 0
    known = together & (not standing.is_untaken)
    trained = bool(solution.node_trained(node, dealt)[reach[player] > 0].any() or not (reach[player] > 0).any())
    shown = together[player] & (trained and not (standing.is_untaken and standing.player == player))
    strategy = np.where(shown, solution.node_strategy(node, dealt).astype(np.float64), np.nan)
    return NodeView(
        node=node,
        dealt=board[len(solution.board) :],
        board=board,
        player=player,
        actions=tuple(format_action(tree, child) for child in tree.children(node)),
        pot=tree.pot(node),
        reach=reach,
        met=met,
        equity=np.where(known, node_equities(reach, met, board), np.nan)
        if equities
        else np.full((2, NUM_COMBOS), np.nan),
        ev=np.where(known & trained, _values(solution, node, board[len(solution.board) :]), np.nan),
        strategy=strategy,
        frequency=average_over(strategy, weights[player]),
        standing=standing,
        trained=trained,
        remark=describe_standing(solution, standing, board[len(solution.board) :]),
    )


def _values(solution: PostflopSolution, node: int, dealt: tuple[int, ...]) -> PerCombo:
    """Returns both players' EVs at a node: NaN for combos without one, and for all if the solution has no EVs there."""
    if not solution.knows_values(node):
        return np.full((2, NUM_COMBOS), np.nan)
    return solution.node_values(node, dealt).astype(np.float64)


def _values_after(solution: PostflopSolution, view: NodeView, child: int) -> PerCombo:
    """Returns both players' EVs, counted from the node, if the action that leads to ``child`` is taken."""
    paid = (solution.tree.committed[child] - solution.tree.committed[view.node]).astype(np.float64)
    return np.asarray(_values(solution, child, view.dealt) - paid[:, None])


def action_evs(solution: PostflopSolution, view: NodeView) -> NDArray[np.float64]:
    """Returns float64[actions, 1326]: the EV in chips of each action for every combo of the acting player.

    An action's EV is that of taking it and then following the average strategies. It counts from the node, so the
    average of the EVs under the combo's strategy is the EV of the combo. A combo that never takes an action plays on
    after it with the strategy that the solve stored there, which may be uniform. NaN stands for what no solve computes:
    combos that are not at the node or meet no hand of the opponent, actions that no combo takes if somebody has to
    decide after them, and all combos at a node to which a player's own actions never lead.

    :param view: the node, from :func:`view_node`.
    """
    player, tree = view.player, solution.tree
    weights = view.pair_weights[player]
    found = np.full(view.strategy.shape, np.nan)
    if view.standing.is_untaken or not view.trained:
        return found
    for index, child in enumerate(tree.children(view.node)):
        if (view.strategy[index, weights > 0] > 0).any() or not goes_on(tree, child):
            found[index] = np.where(weights > 0, _values_after(solution, view, child)[player], np.nan)
    return found


def goes_on(tree: BettingTree, node: int) -> bool:
    """Returns whether a player decides something at a node or after the cards that are dealt there."""
    while tree.kind[node] == NodeKind.DEAL:
        node = int(tree.first_child[node])
    return bool(tree.kind[node] == NodeKind.DECISION)


@dataclass(frozen=True, slots=True)
class RoundedStrategy:
    """A node's strategy rounded to multiples of a step, and the EV that rounding costs (:func:`round_strategy`)."""

    strategy: NDArray[np.float64]
    """float64[actions, 1326]: rounded strategy of the acting player; NaN for hands without a strategy."""
    frequency: NDArray[np.float64]
    """float64[actions]: probability of each action over the acting player's hands; NaN if nobody gets to the node."""
    cost: NDArray[np.float64]
    """float64[1326]: chips of EV that each combo loses. It is negative for combos that gain, which is possible because
    average strategies are not quite optimal. NaN for hands without EVs."""
    average_cost: float
    """Average of the cost over the acting player's hands, weighted by the pairs of hands that can meet."""


def round_strategy(view: NodeView, evs: NDArray[np.float64], percent: int) -> RoundedStrategy:
    """Returns every combo's strategy at one node rounded to multiples of a step, with the exact cost in EV.

    Each probability becomes the multiple below or above it, so that they add up to 1. The largest remainders are
    rounded up; among equal remainders the action with the higher EV is. The cost is the EV of the stored strategy less
    the EV of the rounded one. The acting player plays the rounded strategy at this node only; all other strategies stay
    as they are stored. What an opponent who adapts could win is not included.

    :param view: the node, from :func:`view_node`.
    :param evs: float64[actions, 1326] from :func:`action_evs`.
    :param percent: the step in percent, a divisor of 100.
    :raises ValueError: if ``percent`` does not divide 100.
    """
    if percent < 1 or 100 % percent:
        raise ValueError(f"expected a step that divides 100, got {percent}")
    steps = 100 // percent
    # float32 strategies miss multiples by a little.
    exact = np.round(view.strategy * steps, 5)
    counts = np.floor(exact)
    missing = np.round(steps - counts.sum(axis=0))
    order = np.lexsort((-evs, counts - exact), axis=0)
    rank = np.argsort(order, axis=0)
    strategy = np.where(np.isnan(exact), np.nan, (counts + (rank < missing)) / steps)
    moved = view.strategy - strategy
    cost = np.where(moved == 0, 0.0, moved * evs).sum(axis=0)  # an action that is never taken may have no EV
    weights = view.pair_weights[view.player]
    return RoundedStrategy(strategy, average_over(strategy, weights), cost, float(average_over(cost, weights)))


def node_equities(reach: NDArray[np.float32], met: PerCombo, board: Sequence[int]) -> PerCombo:
    """Returns float64[2, 1326]: the equity of every combo against the opponent's hands; NaN for hands that meet none.

    :param reach: float32[2, 1326] weights with which both players' combos are held.
    :param met: float64[2, 1326] weights of the opponent's combos that each combo can meet.
    :param board: three to five card ids.
    """
    found = np.full((2, NUM_COMBOS), np.nan)
    for player in (0, 1):
        if reach[1 - player].any():
            found[player] = equity_vector(reach[1 - player], board)
    return np.where(met > 0, found, np.nan)


def view_actions(solution: PostflopSolution, view: NodeView) -> Iterator[ActionView]:
    """Yields every action at a node with its frequency, EVs and equities.

    An action that leads where the player's own actions never go has no EVs and equities: they would be averages over
    what rounding left of its range.

    :param view: the node, from :func:`view_node`. Without equities there, the actions have none either.
    """
    known = not np.isnan(view.equity).all()
    tree = solution.tree
    actor = view.player
    whole = float(np.where(combo_mask(view.board), solution.ranges[actor], np.float32(0)).sum(dtype=np.float64))
    for index, child in enumerate(tree.children(view.node)):
        reach = view.reach.copy()
        reach[actor] *= np.nan_to_num(view.strategy[index]).astype(np.float32)
        met = np.stack([met_weight(reach[1 - p], view.board) for p in (0, 1)])
        weights = reach * met
        # The numbers of an action are averages over the hands that take it.
        taken = view.standing.reach >= UNTAKEN and float(reach[actor].sum(dtype=np.float64)) >= UNTAKEN * whole
        missing = np.full((2, NUM_COMBOS), np.nan)
        equity = node_equities(reach, met, view.board) if known and taken else missing
        values = _values_after(solution, view, child) if taken else missing
        evs, equities = (average_over(each, weights).tolist() for each in (values, equity))
        yield ActionView(
            action=view.actions[index],
            node=child,
            leads_to=_LEADS_TO[int(tree.kind[child])],
            frequency=float(view.frequency[index]),
            ev=(evs[0], evs[1]),
            equity=(equities[0], equities[1]),
        )
