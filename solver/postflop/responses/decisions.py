"""What every action on the street of a solve's root is worth to one player, against the other's average strategy.

Q(a) is a hand's EV if it takes the action and then plays best, V that of its best action; V - Q(a) is the *loss* of the
action. The solve's own strategy has EVs, too: those of :func:`hedgehog.solver.postflop.queries.action_evs`. Both are
counted from the root of the solve: chips received at the end of the hand less chips put in after the root.

Over all hands and lines, a player's losses add up to what its strategy wins less than a best response
(:func:`expected_loss`). Those of both average strategies add up to twice the exploitability.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.poker.evaluation.equity import equity_vector
from hedgehog.poker.streets import RIVER
from hedgehog.solver.cfr.programs import payoffs
from hedgehog.solver.postflop.solution import PostflopSolution, met_weight
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.street_values import evaluate_board
from hedgehog.strategies.betting_tree import NodeKind


class ComboDecision(NamedTuple):
    """The actions of one hand at one decision. Chips are counted from the root of the solve."""

    actions: tuple[int, ...]
    """The node after each action."""
    values: NDArray[np.float64]
    """float64[actions]: chips if the hand then plays best."""
    own_values: NDArray[np.float64]
    """float64[actions]: chips if it then follows the solve."""
    strategy: NDArray[np.float64]
    """float64[actions]: what the solve does."""
    share: float
    """Weight of the opponent's hands that get here, as a part of those at the root; hands that meet this one alone."""

    @property
    def best(self) -> int:
        """Number of the best action."""
        return int(np.argmax(self.values))

    @property
    def losses(self) -> NDArray[np.float64]:
        """float64[actions]: chips that each action loses, none below 0."""
        return np.asarray(self.values.max() - self.values)

    @property
    def versus(self) -> NDArray[np.float64]:
        """float64[actions]: chips that each action wins more than the solve's own mixture."""
        return np.asarray(self.own_values - self.strategy @ self.own_values)

    @property
    def baseline(self) -> float:
        """Mean loss of the solve's own mixture, in chips."""
        return float(self.strategy @ self.losses)


class StreetDecisions:
    """The values of one player's hands on the street of a solve's root. They stay those of the time they were made.

    :param solver: the solve.
    :param player: 0 for OOP, 1 for IP.
    """

    def __init__(self, solver: PostflopSolver, player: int) -> None:
        self.player = player
        self._solver = solver
        self._met_weights: dict[int, NDArray[np.float64]] = {}
        self._best = solver.line_values(player, best_response=True)

    @cached_property
    def _own(self) -> NDArray[np.float32]:
        return self._solver.line_values(self.player)

    def value(self, node: int, combo: int) -> float:
        """Returns the chips of a hand at a node of the root's street if it plays best from there on.

        NaN if the hand is not in the player's range, or meets no hand of the opponent there.
        """
        return self._value(self._best, node, combo)

    def own_value(self, node: int, combo: int) -> float:
        """Returns the chips of a hand at a node of the root's street if both players follow the solve."""
        return self._value(self._own, node, combo)

    def share(self, node: int, combo: int) -> float:
        """Returns the part of the opponent's hands at the root, of those that meet a hand, that get to a node."""
        at_root = self._met(0)[combo]
        return float(self._met(node)[combo] / at_root) if at_root > 0 else 0.0

    def at(self, node: int, combo: int) -> ComboDecision:
        """Returns the actions of one hand at a decision of the player on the root's street."""
        tree = self._solver.tree
        assert tree.kind[node] == NodeKind.DECISION
        assert tree.player[node] == self.player
        children = tuple(int(child) for child in tree.children(node))
        strategy = self._solver.node_strategy(node)[:, combo].astype(np.float64)
        return ComboDecision(
            children,
            self.action_values(node, combo),
            self._action_values(self._own, node, combo),
            strategy / strategy.sum(),
            self.share(node, combo),
        )

    def action_values(self, node: int, combo: int) -> NDArray[np.float64]:
        """Returns (actions,): the chips of a hand after each action at a decision of the player, if it plays best."""
        return self._action_values(self._best, node, combo)

    def losses(self, node: int, combo: int) -> NDArray[np.float64]:
        """Returns (actions,): the chips that each action of a hand loses at a decision of the player, none below 0."""
        values = self.action_values(node, combo)
        return np.asarray(values.max() - values)

    def all_losses(self, node: int) -> NDArray[np.float64]:
        """Returns (actions, 1326): the chips that each action loses with every hand at a decision of the player.

        NaN for hands that are not in its range or meet no hand of the opponent.
        """
        spot, children = self._solver.spot, list(self._solver.tree.children(node))
        combos = spot.combos[self.player]
        met = self._met(node)[combos]
        values = self._best[spot.slots[0][children]][:, spot.hands[self.player]].astype(np.float64)
        found = np.full((len(children), NUM_COMBOS), np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            found[:, combos] = np.where(met > 0, (values.max(axis=0) - values) / met, np.nan)
        return found

    def range_at(self, node: int) -> NDArray[np.float32]:
        """Returns (1326,): the weights with which the player's hands come to a node if it follows the solve."""
        return self._solver.node_reach(self.player, node)

    def strategy_at(self, node: int) -> NDArray[np.float32]:
        """Returns (actions, 1326): what the solve does at a decision of the player."""
        return self._solver.node_strategy(node)

    def after_card(self, node: int, card: int, combo: int) -> float:
        """Returns the chips of a hand that plays best on from the first line of the next street, after a card.

        Its mean over the cards is :meth:`value` of the node at which the card is dealt.

        :param node: the first node of the next street.
        :param card: id of the card that is dealt.
        """
        solver, player, dealt = self._solver, self.player, (card,)
        averages = list(solver.averages)
        averages[player] = self._response
        reaches = (solver.node_reach(0, node, dealt), solver.node_reach(1, node, dealt))
        found = evaluate_board(solver.spot, (averages[0], averages[1]), node, dealt, reaches, solver.threads)
        places = np.flatnonzero(found.combos[player] == combo)
        met = met_weight(reaches[1 - player], (*solver.board, card))[combo]
        if not len(places) or met <= 0:
            return float("nan")
        value = found.values[player][found.slot_of_node[node], found.hands[player][places[0]]]
        return float(value / met + solver.tree.root_pot / 2)

    @cached_property
    def _response(self) -> NDArray[np.float32]:
        return self._solver.best_response_table(self.player).weights

    def _value(self, values: NDArray[np.float32], node: int, combo: int) -> float:
        spot = self._solver.spot
        places = np.flatnonzero(spot.combos[self.player] == combo)
        met = self._met(node)[combo]
        if not len(places) or met <= 0:
            return float("nan")
        slot = int(spot.slots[0][node])
        return float(values[slot, spot.hands[self.player][places[0]]] / met + self._solver.tree.root_pot / 2)

    def _action_values(self, values: NDArray[np.float32], node: int, combo: int) -> NDArray[np.float64]:
        spot, children = self._solver.spot, list(self._solver.tree.children(node))
        places = np.flatnonzero(spot.combos[self.player] == combo)
        met = self._met(node)[combo]  # the player's own actions leave the opponent's hands as they are
        if not len(places) or met <= 0:
            return np.full(len(children), np.nan)
        worth = values[spot.slots[0][children], spot.hands[self.player][places[0]]].astype(np.float64)
        return np.asarray(worth / met + self._solver.tree.root_pot / 2)

    def _met(self, node: int) -> NDArray[np.float64]:
        """Returns (1326,): the weight of the opponent's hands at a node that each hand can meet."""
        if node not in self._met_weights:
            self._met_weights[node] = met_weight(self._solver.node_reach(1 - self.player, node), self._solver.board)
        return self._met_weights[node]


def street_action_evs(solver: PostflopSolver, player: int) -> dict[int, NDArray[np.float32]]:
    """Returns what each action at a player's decisions on the street of the root is worth, by node.

    EVs are chips counted from the decision, if both players follow the solve afterwards, as those of
    :func:`hedgehog.solver.postflop.queries.action_evs`.

    :param player: 0 for OOP, 1 for IP.
    :returns: float32 (actions, 1326) by decision; NaN for hands that are not in the player's range, or meet no hand of
        the opponent there.
    """
    spot, tree = solver.spot, solver.tree
    values = solver.line_values(player)[:, spot.hands[player]].astype(np.float64)
    combos, found = spot.combos[player], {}
    for node in np.flatnonzero(
        (tree.kind == NodeKind.DECISION) & (tree.player == player) & (tree.street == spot.street)
    ):
        met = met_weight(solver.node_reach(1 - player, int(node)), solver.board)[combos]
        children = list(tree.children(int(node)))
        evs = np.full((len(children), NUM_COMBOS), np.nan, dtype=np.float32)
        with np.errstate(divide="ignore", invalid="ignore"):
            evs[:, combos] = np.where(met > 0, values[spot.slots[0][children]] / met, np.nan)
        found[int(node)] = evs + np.float32(tree.root_pot / 2 + int(tree.committed[node, player]))
    return found


def river_values(solver: PostflopSolution, player: int) -> NDArray[np.float64]:
    """Returns what every line of a river is worth to a player who plays best against the other's average strategy.

    It is :meth:`PostflopSolver.line_values` in double precision, and takes thirty times as long. Single precision knows
    a third to 3e-8 and so is off by about 1e-7 of the stacks.

    :param player: 0 for OOP, 1 for IP; no decision of this player may be locked.
    :returns: float64 (nodes, 1326), chips won or lost relative to half the pot at the root, times the weight of the
        opponent's hands.
    """
    tree, board, rake = solver.tree, solver.board, solver.spot.rake
    reach = np.zeros((tree.num_nodes, NUM_COMBOS))
    reach[0] = np.where(combo_mask(board), solver.ranges[1 - player], 0)
    values = np.zeros((tree.num_nodes, NUM_COMBOS))
    for node in range(tree.num_nodes):  # parents precede their children
        children = list(tree.children(node))
        if tree.kind[node] == NodeKind.DECISION:
            reach[children] = reach[node]
            if tree.player[node] != player:
                rows = solver.node_strategy(node).astype(np.float64)
                reach[children] *= rows / np.maximum(rows.sum(axis=0), np.finfo(np.float64).tiny)
            continue
        win, lose, _ = payoffs(tree.root_pot, int(tree.committed[node].min()), rake)
        met = met_weight(reach[node], board)
        if tree.kind[node] == NodeKind.FOLD:
            values[node] = met * (lose if tree.player[node] == player else win)
        else:  # a tie is worth as much as half a win and half a defeat, with rake, too
            values[node] = met * (lose + (win - lose) * np.nan_to_num(equity_vector(reach[node], board)))
    for node in range(tree.num_nodes - 1, -1, -1):
        if tree.kind[node] == NodeKind.DECISION:
            after = values[list(tree.children(node))]
            values[node] = after.max(axis=0) if tree.player[node] == player else after.sum(axis=0)
    return values


def expected_loss(solver: PostflopSolver, player: int, strategy: Mapping[int, NDArray[np.floating[Any]]]) -> float:
    """Returns the chips that a strategy loses on the street of the root, over all deals, against the other's average.

    On a river that is what it wins less than a best response, and the values are in double precision
    (:func:`river_values`).

    :param player: 0 for OOP, 1 for IP.
    :param strategy: (actions, 1326) probabilities at each decision of the player on the street.
    """
    spot, tree = solver.spot, solver.tree
    combos, slots = spot.combos[player], np.arange(tree.num_nodes)
    if spot.street == RIVER and not any(tree.player[lock.node] == player for lock in spot.locks):
        values = river_values(solver, player)[:, combos]
    else:
        slots = spot.slots[0].astype(np.int64)
        values = solver.line_values(player, best_response=True).astype(np.float64)[:, spot.hands[player]]
    reach = np.zeros((tree.num_nodes, NUM_COMBOS))
    reach[0] = solver.node_reach(player, 0)
    lost = 0.0
    for node in range(tree.num_nodes):  # parents precede their children
        if tree.street[node] != spot.street or tree.kind[node] != NodeKind.DECISION:
            continue
        children = list(tree.children(node))
        if tree.player[node] != player:
            reach[children] = reach[node]
            continue
        reach[children] = reach[node] * strategy[node]
        lost += float((reach[node][combos] * values[slots[node]]).sum())
        lost -= float((reach[children][:, combos] * values[slots[children]]).sum())
    return lost / spot.pair_weight
