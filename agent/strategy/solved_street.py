"""A street as it was solved at the table: what both players do there, and what it promises the opponent's hands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.options import Options, merged_options
from hedgehog.agent.strategy.hand_view import Event
from hedgehog.agent.strategy.live_strategy import Promise
from hedgehog.agent.strategy.shadow import Situation, exact_action
from hedgehog.poker.state import Action
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.abstraction.rank_rivers import RankRiverValues
from hedgehog.solver.postflop.tree import node_for_line
from hedgehog.strategies.betting_tree import BettingTree


def street_tokens(events: list[Event], street_start: int, stack: int) -> list[str]:
    """Writes real actions of one street as line tokens with street totals.

    :param events: the actions.
    :param street_start: chips each player had put in when the street began.
    :param stack: chips that each player can put in over the whole hand.
    """
    tokens = []
    for _, situation, action in events:
        if action.kind == "f":
            tokens.append("F")
        elif action.kind == "c":
            tokens.append("C" if situation.facing_bet else "X")
        else:
            letter = "A" if action.size >= stack else "R" if situation.facing_bet else "B"
            tokens.append(f"{letter}{min(action.size, stack) - street_start}")
    return tokens


class SolvedRiver(NamedTuple):
    """What the opponent's hands win in the solution of a river."""

    values: Mapping[int, NDArray[np.float32]]
    """(1326,) by decision of the opponent: what each combo wins, in chips relative to half the pot at the start of the
    river, times the weight of the player's combos that get there."""
    own_range: NDArray[np.float64]
    """(1326,): the player's range at the root of the solve."""
    entering: NDArray[np.float64]
    """(1326,): as in :class:`Promise`."""

    def promise(self, tree: BettingTree, node: int, strategies: Mapping[int, NDArray[np.float32]]) -> Promise | None:
        """Returns what the opponent wins from one of its decisions on; None if the node is none.

        :param strategies: float32 (actions, 1326) by decision of both players.
        """
        if node not in self.values:
            return None
        opponent, weights, child = tree.player[node], self.own_range, node
        while child > 0:
            parent = int(tree.parent[child])
            if tree.player[parent] != opponent:
                weights = weights * strategies[parent][child - int(tree.first_child[parent])]
            child = parent
        return Promise(self.values[node].astype(np.float64), weights, self.entering)


@dataclass(frozen=True, slots=True)
class SolvedStreet:
    """The strategies of one street from a live solution, without the strategies of later streets.

    Actions before the root of the solve are the only ones at their decisions.
    """

    tree: BettingTree
    strategies: dict[int, NDArray[np.float32]]
    """float32 (actions, 1326) per decision node of the street."""
    street_start: int
    """Chips each player had put in when the street began."""
    stack: int
    """Chips that each player can put in over the whole hand."""
    iterations: int
    """Number of iterations of the solver."""
    opponent_range: NDArray[np.float64]
    """(1326,): the weights at the root of the solve of the opponent of the player for whom the street was solved."""
    evs: Mapping[int, NDArray[np.float32]] = field(default_factory=dict)
    """float32 (actions, 1326) by decision of the player for whom the street was solved: chips that each action is worth
    from the decision on, if both follow the solution. Empty if the solver keeps no values."""
    trembles: Mapping[int, NDArray[np.float32]] = field(default_factory=dict)
    """float32 (actions, 1326) by decision of the opponent: the chance that a combo takes each action by a tremble
    (:mod:`hedgehog.solver.cfr.trembles`). Empty if it was solved without trembles."""
    river_values: RankRiverValues | None = None
    """What the hands of this opponent win on the rivers of a turn; None if unknown."""
    river: SolvedRiver | None = None
    """What they win on a river, by its lines; None if unknown."""

    def _node(self, events: list[Event]) -> int | None:
        """Returns the decision after real actions of the street, None if the tree lacks it."""
        node = self._line(events)
        return node if node in self.strategies else None

    def _line(self, events: list[Event]) -> int | None:
        """Returns the node after real actions of the street, None if the tree lacks it."""
        try:
            return node_for_line(self.tree, street_tokens(events, self.street_start, self.stack))
        except SpotError:
            return None

    def promise(self, events: list[Event], card: int) -> Promise | None:
        """Returns what the opponent wins after an action (:meth:`LiveStreet.promise`).

        :param events: the actions of this street up to this one.
        :param card: id of the river card.
        """
        node = self._line(events)
        if node is not None and self.river is not None:
            return self.river.promise(self.tree, node, self.strategies)
        found = None if node is None or self.river_values is None else self.river_values.at(node, card)
        return None if found is None else Promise(*found, self.opponent_range)

    def options(self, events: list[Event], situation: Situation) -> Options | None:
        """Returns the legal actions and their probabilities after ``events``, or None if the tree lacks this line.

        :param events: the actions of this street so far.
        :param situation: what the rules allow after them.
        """
        return self._options(events, situation, self.strategies)

    def _options(
        self, events: list[Event], situation: Situation, strategies: Mapping[int, NDArray[np.float32]]
    ) -> Options | None:
        """Returns the legal actions after ``events`` and their chances by strategies or trembles, by node."""
        node = self._node(events)
        if node is None or node not in strategies:
            return None
        actions = [exact_action(self.tree, child, situation) for child in self.tree.children(node)]
        return merged_options(actions, strategies[node].astype(np.float64))

    def action_evs(self, events: list[Event], situation: Situation) -> dict[Action, NDArray[np.float32]]:
        """Returns (1326,) chips by action: what each is worth from the decision after ``events`` on; empty if unknown.

        :param events: the actions of this street so far.
        :param situation: what the rules allow after them.
        """
        node = self._node(events)
        found: dict[Action, NDArray[np.float32]] = {}
        if node is None or node not in self.evs:
            return found
        for child, values in zip(self.tree.children(node), self.evs[node], strict=True):
            found.setdefault(exact_action(self.tree, child, situation), values)
        return found

    def likelihood(self, events: list[Event]) -> NDArray[np.float64] | None:
        """Returns (1326,): the probability of the last of ``events`` for every combo of the player who took it.

        It is that of :meth:`options`: sizes of the menu that the rules lift to one bet count together.

        :param events: the actions of this street so far, at least one.
        :returns: None if the tree lacks this line.
        """
        return self._row(events, self.strategies)

    def tremble(self, events: list[Event]) -> NDArray[np.float64] | None:
        """Returns (1326,): how likely the last of ``events`` was by a tremble, for every combo of its player.

        :param events: the actions of this street so far, at least one.
        :returns: None if the tree lacks this line, or the solution knows no trembles of this player.
        """
        return self._row(events, self.trembles)

    def _row(self, events: list[Event], strategies: Mapping[int, NDArray[np.float32]]) -> NDArray[np.float64] | None:
        """Returns (1326,): how likely the last of ``events`` was by strategies or trembles; None without its line."""
        *before, (_, situation, action) = events
        found = self._options(before, situation, strategies)
        if found is None:
            return None
        if situation.raise_range is not None and action.size > situation.raise_range[1]:  # more than can be called
            action = Action("r", situation.raise_range[1])
        return found.row(action)
