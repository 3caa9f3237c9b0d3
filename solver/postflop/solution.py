"""Average strategies of a postflop spot and their EVs at any node, on any street.

Nodes are nodes of the :class:`~hedgehog.strategies.betting_tree.BettingTree`. ``dealt`` lists the cards dealt after the
root board on the way to a node. Interchangeable suits (:mod:`hedgehog.solver.postflop.chance`) and cards
(:mod:`hedgehog.solver.postflop.merging`) are solved once, but queries accept any card and answer for every combo.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, combo_mask, format_cards
from hedgehog.poker.hand_strategy import HandStrategy, ShowsStrategy
from hedgehog.poker.ranges import disjoint_weight
from hedgehog.poker.streets import RIVER, STREETS
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.cfr.array_types import Stored
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.cfr.layout import board_block, decision_rows, normalised, rows_by_hand
from hedgehog.solver.cfr.strategy_table import StrategyTable
from hedgehog.solver.postflop.cards import boards_on
from hedgehog.solver.postflop.chance import Range
from hedgehog.solver.postflop.locks import respected_swaps
from hedgehog.solver.postflop.prepared import PreparedSpot
from hedgehog.solver.postflop.spot import PLAYERS
from hedgehog.solver.postflop.street_values import StreetValues, evaluate_board
from hedgehog.solver.postflop.tree import format_action
from hedgehog.strategies.betting_tree import NodeKind

_KEPT_STREETS = 4
"""Number of boards of later streets whose values are cached, because questions often come for one board."""


class PostflopSolution(ShowsStrategy, ABC):
    """Average strategies for a spot, in a solver or on disk, and the questions that they can answer.

    :param spot: the spot that was solved.
    :param threads: number of threads for values on streets after the root's; None takes one per processor. Those on the
        river use one.
    """

    def __init__(self, spot: PreparedSpot, threads: int | None = None) -> None:
        self.spot = spot
        self.tree = spot.tree
        self.board = spot.board
        self.ranges = spot.ranges
        self.threads = threads
        self._kept: dict[tuple[int, tuple[int, ...], int], StreetValues] = {}

    @property
    @abstractmethod
    def iterations(self) -> int:
        """Number of iterations that led to the strategies."""

    @abstractmethod
    def _stored(self, *, current: bool) -> tuple[Stored, Stored]:
        """Returns both players' averages, or the regrets behind their current strategies."""

    @property
    def averages(self) -> tuple[Stored, Stored]:
        """Both players' averages as they are stored: flat arrays in the order of the spot's layout."""
        return self._stored(current=False)

    def node_strategy(self, node: int, dealt: Sequence[int] = (), *, current: bool = False) -> NDArray[np.float32]:
        """Returns float32[actions, 1326]: the average strategy of the acting player at a decision node.

        Combos that it cannot hold and combos that never reached the node get the uniform distribution.

        :param dealt: the cards dealt after the root board on the way to the node.
        :param current: return the strategy from which the next iteration starts instead of the average.
        :raises SpotError: if the node is no decision or ``dealt`` are not the cards on the way to it.
        """
        if self.tree.kind[node] != NodeKind.DECISION:
            raise SpotError(f"node {node} is no decision")
        level, board, permutation = self.spot.locate(node, dealt)
        player = int(self.tree.player[node])
        stored = self._stored(current=current)
        slot = int(self.spot.slots[level][node])
        rows = normalised(decision_rows(self.spot.game, self.tree, self.spot.layout, stored, level, board, slot))
        strategy = np.full((len(rows), NUM_COMBOS), 1 / len(rows), dtype=np.float32)
        strategy[:, self.spot.combos[player]] = rows[:, self.spot.hands[player]]
        if permutation is not None:
            strategy = strategy[:, permutation]
        if self.spot.cards.merged and dealt:
            # A hand keeps its row while any of its combos is live, so blocked combos are reset here.
            strategy[:, ~combo_mask(dealt)] = 1 / len(rows)
        return strategy

    def node_trained(self, node: int, dealt: Sequence[int] = ()) -> NDArray[np.bool_]:
        """Returns bool[1326]: whether the solve has learnt a strategy for a combo of the acting player at a decision.

        The others have the uniform distribution in :meth:`node_strategy`.

        :param dealt: the cards dealt after the root board on the way to the node.
        :raises SpotError: if ``dealt`` are not the cards on the way to the node.
        """
        level, board, permutation = self.spot.locate(node, dealt)
        player, slot = int(self.tree.player[node]), int(self.spot.slots[level][node])
        rows = decision_rows(self.spot.game, self.tree, self.spot.layout, self.averages, level, board, slot)
        found = np.zeros(NUM_COMBOS, dtype=np.bool_)
        learnt = np.asarray((rows > 0).any(axis=0))
        found[self.spot.combos[player]] = learnt[self.spot.hands[player]]
        return found if permutation is None else found[permutation]

    def root_street_strategies(self) -> dict[int, NDArray[np.float32]]:
        """Returns by node :meth:`node_strategy` of all decisions on the street of the root.

        Reading all of them at once takes a fraction of the time of reading one by one.
        """
        layout, game, tree = self.spot.layout, self.spot.game, self.tree
        forest = layout.forests[0]
        stored = self.averages
        found: dict[int, NDArray[np.float32]] = {}
        slots = np.flatnonzero(forest.row >= 0)
        actors = tree.player[forest.nodes[slots]]
        for player in (0, 1):
            own = slots[actors == player]
            if not len(own):
                continue
            # The rows of a player's decisions follow each other in the order of the slots.
            first, nodes = forest.row[own], forest.nodes[own].tolist()
            counts = np.diff(first, append=forest.num_rows[player])
            rows = rows_by_hand(game, board_block(game, layout, stored[player], 0, 0, player), player)
            weights = np.maximum(rows, 0)
            total = weights[first]
            for action in range(1, int(counts.max())):
                longer = counts > action
                total[longer] += weights[first[longer] + action]
            total = np.repeat(total, counts, axis=0)
            uniform = np.repeat((1 / counts).astype(np.float32), counts)[:, None]
            weights = np.where(total > 0, weights / np.where(total > 0, total, 1), uniform)
            strategy = np.empty((len(rows), NUM_COMBOS), dtype=np.float32)
            strategy[:] = uniform
            strategy[:, self.spot.combos[player]] = weights[:, self.spot.hands[player]]
            found.update(zip(nodes, np.split(strategy, first[1:]), strict=True))
        return found

    def strategy_table(self, player: int) -> StrategyTable:
        """Returns a player's average strategies on all boards as they are stored."""
        tree, layout = self.tree, self.spot.layout
        table = StrategyTable(
            weights=self.averages[player],
            first=np.full(tree.num_nodes, -1, dtype=np.int64),
            board_stride=np.zeros(tree.num_nodes, dtype=np.int64),
            block_stride=np.zeros(tree.num_nodes, dtype=np.int64),
            combos=self.spot.combos[player],
            hands=self.spot.hands[player],
            card_classes=self.spot.cards.classes,
            boards=tuple(
                np.array(boards_on(self.spot.cards.runouts, street), dtype=np.uint8)
                for street in range(self.spot.street, RIVER + 1)
            ),
            swappable=respected_swaps(self.spot.locks),
        )
        for level, forest in enumerate(layout.forests):
            slots = np.flatnonzero((forest.row >= 0) & (tree.player[forest.nodes] == player))
            nodes = forest.nodes[slots]
            block = forest.num_rows[player] * LANES
            table.first[nodes] = layout.bases[level][player] + forest.row[slots].astype(np.int64) * LANES
            table.block_stride[nodes] = block
            table.board_stride[nodes] = block * self.spot.game.num_blocks(player)
        return table

    def node_reach(self, player: int, node: int, dealt: Sequence[int] = ()) -> NDArray[np.float32]:
        """Returns float32[1326]: range weight times the player's own average probabilities on the way to a node.

        Combos that hit the board at the node have reach 0.

        :param dealt: the cards dealt after the root board on the way to the node.
        :raises SpotError: if ``dealt`` are not the cards on the way to the node.
        """
        self.spot.locate(node, dealt)
        reach = np.where(combo_mask((*self.board, *dealt)), self.ranges[player], np.float32(0))
        while node > 0:
            parent = int(self.tree.parent[node])
            if self.tree.kind[parent] == NodeKind.DECISION and self.tree.player[parent] == player:
                seen = dealt[: int(self.tree.street[parent]) - self.spot.street]
                reach = reach * self.node_strategy(parent, seen)[node - int(self.tree.first_child[parent])]
            node = parent
        return reach

    def knows_values(self, node: int) -> bool:
        """Returns whether :meth:`node_values` has an answer at a node; False where strategies were kept without EVs."""
        return True

    def node_values(self, node: int = 0, dealt: Sequence[int] = ()) -> NDArray[np.float32]:
        """Returns float32[2, 1326]: the EV in chips of the average strategies from a node on, per player and combo.

        EV is chips received at the end of the hand less chips put in after the node. It is NaN for combos that the
        player cannot hold and for combos that can meet no combo of the opponent at the node. On streets after the
        root's, the first question about a board evaluates its part of the tree, and later questions reuse that.

        :param dealt: the cards dealt after the root board on the way to the node.
        :raises SpotError: if ``dealt`` are not the cards on the way to the node.
        """
        self.spot.locate(node, dealt)
        cards = tuple(int(card) for card in dealt)
        found = self._street_values(node, cards)
        reaches = (self.node_reach(0, node, cards), self.node_reach(1, node, cards))
        values = np.full((2, NUM_COMBOS), np.nan, dtype=np.float32)
        for player in (0, 1):
            values[player, found.combos[player]] = self._evs(found, player, node, reaches[1 - player], cards)
        return values

    def root_street_evs(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Returns per player float32[lines, hands]: the EV in chips at every line of the root's street.

        Lines are the slots of the first forest of the spot's layout. Hands are those of the spot's card game.
        :meth:`node_values` defines the EV.
        """
        forest = self.spot.layout.forests[0]
        found = self._street_values(0, ())
        evs = [np.zeros((len(forest.nodes), len(hands)), dtype=np.float32) for hands in self.spot.game.hands]
        reaches: list[tuple[Range, ...]] = [self.ranges] * len(forest.nodes)
        # Parents precede their children.
        for slot, node in enumerate(forest.nodes.tolist()):
            for player in (0, 1):
                # All combos of a hand are worth the same.
                of_combos = self._evs(found, player, node, reaches[slot][1 - player], ())
                evs[player][slot, self.spot.hands[player]] = of_combos
            if forest.first_child[slot] >= 0:
                actor = int(self.tree.player[node])
                for child, row in enumerate(self.node_strategy(node), int(forest.first_child[slot])):
                    after = list(reaches[slot])
                    after[actor] = after[actor] * row
                    reaches[child] = tuple(after)
        return evs[0], evs[1]

    def hand_strategy(self) -> HandStrategy:
        """Returns the average strategy of the first decision, with averages over the pairs of hands that can meet."""
        player, board = int(self.tree.player[0]), tuple(self.board)
        reaches = (self.node_reach(0, 0), self.node_reach(1, 0))
        met = met_weight(reaches[1 - player], board)
        return HandStrategy(
            title=f"{format_cards(board, ' ')}, {PLAYERS[player]} to act, pot {self.tree.pot(0):,}",
            actions=tuple(format_action(self.tree, child) for child in self.tree.children(0)),
            strategy=np.where(met > 0, self.node_strategy(0), np.nan),
            reach=reaches[player],
            weights=reaches[player] * met,
        )

    def summary(self) -> str:
        """Returns the street, the board, the pot, and the number of iterations."""
        where = f"{STREETS[self.spot.street]} {format_cards(tuple(self.board), ' ')}"
        return f"{where}, pot {self.tree.pot(0):,}, {self.iterations:,} iterations"

    def _evs(
        self, found: StreetValues, player: int, node: int, opponent: Range, dealt: tuple[int, ...]
    ) -> NDArray[np.float32]:
        """Returns the EV at a node of the player's combos in ``found``.

        :param opponent: float32[1326] reach of the opponent at the node.
        """
        met = met_weight(opponent, (*self.board, *dealt))[found.combos[player]]
        values = found.values[player][found.slot_of_node[node], found.hands[player]]
        won = np.where(met > 0, values / np.where(met > 0, met, 1), np.nan)
        evs = won + self.tree.root_pot / 2 + float(self.tree.committed[node, player])
        return np.asarray(evs, dtype=np.float32)

    def _street_values(self, node: int, dealt: tuple[int, ...]) -> StreetValues:
        """Returns the values of all nodes of a node's street that follow the same first node of the street."""
        parent = self.tree.parent
        while node > 0 and self.tree.street[parent[node]] == self.tree.street[node]:
            node = int(parent[node])
        key = (node, dealt, self.iterations)
        if key not in self._kept:
            while len(self._kept) >= _KEPT_STREETS:
                del self._kept[next(iter(self._kept))]
            reaches = (self.node_reach(0, node, dealt), self.node_reach(1, node, dealt))
            self._kept[key] = evaluate_board(self.spot, self.averages, node, dealt, reaches, self.threads)
        return self._kept[key]


def met_weight(weights: Range, board: tuple[int, ...]) -> NDArray[np.float64]:
    """Returns float64[1326]: the weight of the opponent's combos that each combo can meet.

    :param weights: float32[1326], the opponent's weights.
    :param board: card ids. Combos that hit the board get 0.
    """
    met = disjoint_weight(weights)
    # Sums that should cancel leave rounding errors, which are no weights.
    met[met < 1e-9 * weights.sum(dtype=np.float64)] = 0
    return np.where(combo_mask(board), met, 0.0)
