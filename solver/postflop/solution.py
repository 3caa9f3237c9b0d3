"""Average strategies of a postflop spot and what they are worth at any node, on any street.

Nodes are those of the :class:`~strategies.betting_tree.BettingTree`; ``dealt`` names the cards dealt after the root
board on the way to the node. Interchangeable suits (:mod:`solver.postflop.chance`) and cards
(:mod:`solver.postflop.merging`) are solved once; queries accept any card and answer for every combo.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poker.cards import NUM_CARDS, NUM_COMBOS, combo_mask
from poker.ranges import disjoint_weight
from poker.streets import RIVER
from runtime.errors import SpotError
from solver.cfr._simd_kernels import LANES
from solver.cfr.card_game import CardGame
from solver.cfr.layout import Layout, Stored, board_block, decision_rows, normalised, rows_by_hand
from solver.cfr.programs import Rake
from solver.cfr.solver import CfrSolver
from solver.cfr.strategy_table import StrategyTable
from solver.postflop.cards import boards_on, make_card_game
from solver.postflop.chance import Range, build_runouts, combo_permutation
from solver.postflop.locks import Lock, resolve_locks, respected_swaps
from solver.postflop.merging import merged_cards
from strategies.betting_tree import ActionKind, BettingTree, NodeKind, subtree

_KEPT_STREETS = 4
"""Boards of later streets whose values are kept: several lines are often asked for on one board."""


class StreetValues(NamedTuple):
    """Values of every node of one street on one board, below one node that the street begins with."""

    slot_of_node: NDArray[np.int32]
    """int32[tree nodes]: row in ``values``; -1 elsewhere."""
    combos: tuple[NDArray[np.int64], NDArray[np.int64]]
    """Per player the combos that have values."""
    hands: tuple[NDArray[np.int64], NDArray[np.int64]]
    """Per player the column of each of them."""
    values: tuple[NDArray[np.float32], NDArray[np.float32]]
    """Per player float32[slots, hands]: chips less half the root pot, times the opponent's weight."""


class PostflopSolution(ABC):
    """What can be asked of strategies for a spot, wherever they are stored.

    :param tree: betting lines from the street of the board on.
    :param board: three to five card ids.
    :param ranges: float32[1326] weights of OOP and IP.
    :param rake: (rate, cap in chips): the house takes ``min(rate * pot, cap)`` from every pot.
    :param locks: strategies that were given; see :mod:`solver.postflop.locks`.
    :param isomorphism: cards of interchangeable suits are dealt once, as far as the locks do not tell them apart.
    :param merge_cards: one hand is kept of those that differ in interchangeable cards only, where that saves time.
    :raises SpotError: if board, ranges, tree or locks do not fit together.
    """

    threads: int | None = None
    """Threads for the values of later streets; None: all."""

    def __init__(
        self,
        tree: BettingTree,
        board: Sequence[int],
        ranges: Sequence[Range],
        *,
        rake: tuple[float, float] = (0.0, 0.0),
        locks: Sequence[Lock] = (),
        isomorphism: bool = True,
        merge_cards: bool = True,
    ) -> None:
        self.tree = tree
        self.board = tuple(int(card) for card in board)
        self.rake = Rake(*rake)
        self._root_street = _verify_spot(tree, self.board, ranges)
        self.locks = resolve_locks(locks, tree, self.board, ranges)
        respected = respected_swaps(self.locks)
        self.runouts = build_runouts(self.board, ranges, isomorphism=isomorphism, respected=respected)
        self.cards = merged_cards(self.runouts, ranges, self.locks, enabled=merge_cards)
        self._game, self._combos, self._hands = make_card_game(self.cards, self._root_street, ranges)
        self.ranges = tuple(self._spread(player, self._game.weights[player]) for player in (0, 1))
        self._kept: dict[tuple[int, tuple[int, ...], int], StreetValues] = {}

    def _use_layout(self, layout: Layout) -> None:
        """Takes over where the strategies lie (:attr:`layout`); to be called before any question."""
        self.layout = layout
        self._slots = [_slot_of_node(self.tree, forest.nodes) for forest in layout.forests]

    @property
    @abstractmethod
    def iterations(self) -> int:
        """Iterations that made the strategies."""

    @abstractmethod
    def _stored(self, *, current: bool) -> tuple[Stored, Stored]:
        """Returns both players' averages, or what makes their current strategies."""

    @property
    def averages(self) -> tuple[Stored, Stored]:
        """Both players' averages as they are stored, in the order of ``layout``."""
        return self._stored(current=False)

    @property
    def game(self) -> CardGame:
        """Hands and boards that are stored."""
        return self._game

    def node_strategy(self, node: int, dealt: Sequence[int] = (), *, current: bool = False) -> NDArray[np.float32]:
        """Returns float32[actions, 1326] at a decision node: the average strategy of the acting player.

        Combos he cannot hold, and combos that never reached the node, get the uniform distribution.

        :param current: the strategy the next iteration starts from instead of the average.
        :raises SpotError: if the node is no decision or ``dealt`` are not the cards on the way to it.
        """
        if self.tree.kind[node] != NodeKind.DECISION:
            raise SpotError(f"node {node} is no decision")
        level, board, permutation = self._locate(node, dealt)
        player = int(self.tree.player[node])
        stored = self._stored(current=current)
        slot = int(self._slots[level][node])
        rows = normalised(decision_rows(self._game, self.tree, self.layout, stored, level, board, slot))
        strategy = np.full((len(rows), NUM_COMBOS), 1 / len(rows), dtype=np.float32)
        strategy[:, self._combos[player]] = rows[:, self._hands[player]]
        if permutation is not None:
            strategy = strategy[:, permutation]
        if self.cards.merged and dealt:
            # The row of a hand goes on as long as one of the combos it stands for does.
            strategy[:, ~combo_mask(dealt)] = 1 / len(rows)
        return strategy

    def strategy_table(self, player: int) -> StrategyTable:
        """Returns a player's average strategies on all boards as they are stored."""
        tree, layout = self.tree, self.layout
        table = StrategyTable(
            weights=self.averages[player],
            first=np.full(tree.num_nodes, -1, dtype=np.int64),
            board_stride=np.zeros(tree.num_nodes, dtype=np.int64),
            block_stride=np.zeros(tree.num_nodes, dtype=np.int64),
            combos=self._combos[player],
            hands=self._hands[player],
            card_classes=self.cards.classes,
            boards=tuple(
                np.array(boards_on(self.cards.runouts, street), dtype=np.uint8)
                for street in range(self._root_street, RIVER + 1)
            ),
            swappable=respected_swaps(self.locks),
        )
        for level, forest in enumerate(layout.forests):
            slots = np.flatnonzero((forest.row >= 0) & (tree.player[forest.nodes] == player))
            nodes = forest.nodes[slots]
            block = forest.num_rows[player] * LANES
            table.first[nodes] = layout.bases[level][player] + forest.row[slots].astype(np.int64) * LANES
            table.block_stride[nodes] = block
            table.board_stride[nodes] = block * self._game.num_blocks(player)
        return table

    def node_reach(self, player: int, node: int, dealt: Sequence[int] = ()) -> NDArray[np.float32]:
        """Returns float32[1326]: range weight times the player's own average probabilities on the way to a node.

        Combos that hit the board at the node have reach 0.
        """
        self._locate(node, dealt)
        reach = np.where(combo_mask((*self.board, *dealt)), self.ranges[player], np.float32(0))
        while node > 0:
            parent = int(self.tree.parent[node])
            if self.tree.kind[parent] == NodeKind.DECISION and self.tree.player[parent] == player:
                seen = dealt[: int(self.tree.street[parent]) - self._root_street]
                reach = reach * self.node_strategy(parent, seen)[node - int(self.tree.first_child[parent])]
            node = parent
        return reach

    def node_values(self, node: int = 0, dealt: Sequence[int] = ()) -> NDArray[np.float32]:
        """Returns float32[2, 1326]: per player and combo the EV of the average strategies from a node on.

        EV is chips received at the end less chips put in after the node. It is NaN for combos the player cannot hold
        and where no combo of the opponent that he could meet reaches the node. On later streets than the root's the
        board's part of the tree is evaluated on the first question and kept for the next ones.

        :raises SpotError: if ``dealt`` are not the cards on the way to the node.
        """
        self._locate(node, dealt)
        cards = tuple(int(card) for card in dealt)
        found = self._street_values(node, cards)
        reaches = (self.node_reach(0, node, cards), self.node_reach(1, node, cards))
        values = np.full((2, NUM_COMBOS), np.nan, dtype=np.float32)
        for player in (0, 1):
            values[player, found.combos[player]] = self._evs(found, player, node, reaches[1 - player], cards)
        return values

    def root_street_evs(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Returns per player float32[lines of the root's street, hands]: :meth:`node_values` of all its nodes.

        Lines are those of the first forest of :attr:`layout`, hands those of :attr:`game`.
        """
        forest = self.layout.forests[0]
        found = self._street_values(0, ())
        evs = [np.zeros((len(forest.nodes), len(hands)), dtype=np.float32) for hands in self.game.hands]
        reaches: list[tuple[Range, ...]] = [self.ranges] * len(forest.nodes)
        # Parents precede their children.
        for slot, node in enumerate(forest.nodes.tolist()):
            for player in (0, 1):
                # All combos of a hand are worth the same.
                of_combos = self._evs(found, player, node, reaches[slot][1 - player], ())
                evs[player][slot, self._hands[player]] = of_combos
            if forest.first_child[slot] >= 0:
                actor = int(self.tree.player[node])
                for child, row in enumerate(self.node_strategy(node), int(forest.first_child[slot])):
                    after = list(reaches[slot])
                    after[actor] = after[actor] * row
                    reaches[child] = tuple(after)
        return evs[0], evs[1]

    def _evs(
        self, found: StreetValues, player: int, node: int, opponent: Range, dealt: tuple[int, ...]
    ) -> NDArray[np.float32]:
        """Returns the EV of a player's combos, those of ``found``, at a node that the opponent's range reaches."""
        met = met_weight(opponent, (*self.board, *dealt))[found.combos[player]]
        values = found.values[player][found.slot_of_node[node], found.hands[player]]
        won = np.where(met > 0, values / np.where(met > 0, met, 1), np.nan)
        evs = won + self.tree.root_pot / 2 + float(self.tree.committed[node, player])
        return np.asarray(evs, dtype=np.float32)

    def root_equity(self) -> NDArray[np.float32]:
        """Returns float32[2, 1326]: showdown equity against the opponent's range over all run-outs, ties half.

        NaN for combos the player cannot hold or that meet no combo of the opponent.
        """
        showdown = CfrSolver(self._game, _showdown_tree(self._root_street))
        equity = np.full((2, NUM_COMBOS), np.nan, dtype=np.float32)
        for player in (0, 1):
            combos = self._combos[player]
            met = disjoint_weight(self.ranges[1 - player])[combos]
            won = showdown.root_values(player)[self._hands[player]]
            equity[player, combos] = np.where(met > 0, (won / np.where(met > 0, met, 1) + 1) / 2, np.nan)
        return equity

    def _spread(self, player: int, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Returns float32[1326] from values of the player's hands; 0 for combos he cannot hold."""
        full = np.zeros(NUM_COMBOS, dtype=np.float32)
        full[self._combos[player]] = values[self._hands[player]]
        return full

    def _street_values(self, node: int, dealt: tuple[int, ...]) -> StreetValues:
        """Returns the values of the street a node lies on, below the node that this street begins with there."""
        parent = self.tree.parent
        while node > 0 and self.tree.street[parent[node]] == self.tree.street[node]:
            node = int(parent[node])
        key = (node, dealt, self.iterations)
        if key not in self._kept:
            while len(self._kept) >= _KEPT_STREETS:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = self._evaluate_board(node, dealt)
        return self._kept[key]

    def _evaluate_board(self, entry: int, dealt: tuple[int, ...]) -> StreetValues:
        """Plays the averages out below a node that begins a street, from both players' reaches there.

        Every later card is dealt, twins too, and every combo is a hand: merging them again could differ from how this
        solution merged them.
        """
        street = self._root_street + len(dealt)
        runouts = build_runouts((*self.board, *dealt), self.ranges, isomorphism=False)
        below, nodes = subtree(self.tree, entry)
        reaches = [self.node_reach(player, entry, dealt) for player in (0, 1)]
        slot_of_node = np.full(self.tree.num_nodes, -1, dtype=np.int32)
        live = [weights[combo_mask(runouts.board)].any() for weights in self.ranges]
        if not all(live):
            slot_of_node[nodes] = 0
            none = np.zeros(0, dtype=np.int64)
            return StreetValues(slot_of_node, (none, none), (none, none), (np.zeros((1, 0), np.float32),) * 2)
        cards = merged_cards(runouts, self.ranges, enabled=False)
        game, combos, hands = make_card_game(cards, street, self.ranges)
        game = replace(game, weights=(reaches[0][combos[0]], reaches[1][combos[1]]))
        solver = CfrSolver(game, below, rake=self.rake, threads=1 if street == RIVER else self.threads)
        averages = self._stored(current=False)
        column = np.zeros((2, NUM_COMBOS), dtype=np.int64)
        for player in (0, 1):
            column[player, self._combos[player]] = self._hands[player]
        for level, forest in enumerate(solver.layout.forests):
            rows = self._rows_of_forest(street - self._root_street + level, below, nodes, forest.nodes, forest.row)
            for index, board in enumerate(boards_on(runouts, street + level)):
                above, stored_board, permutation = self._locate_board(board[len(self.board) :])
                for player in (0, 1):
                    held = combos[player] if permutation is None else permutation[combos[player]]
                    block = board_block(self._game, self.layout, averages[player], above, stored_board, player)
                    by_hand = rows_by_hand(self._game, block[:, rows[player]], player)
                    solver.fill_average(level, index, player, by_hand[:, column[player, held]])
        slot_of_node[nodes] = _slot_of_node(below, solver.layout.forests[0].nodes)
        return StreetValues(slot_of_node, combos, hands, (solver.street_values(0), solver.street_values(1)))

    def _rows_of_forest(
        self,
        level: int,
        below: BettingTree,
        nodes: NDArray[np.int32],
        slot_nodes: NDArray[np.int32],
        slot_rows: NDArray[np.int32],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns per player which of this solution's rows each row of a forest of ``below`` is.

        :param nodes: node of this tree that each node of ``below`` is.
        :param slot_nodes: nodes of ``below`` that the forest consists of.
        :param slot_rows: first row of each, -1 where there is none.
        """
        found: tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]] = ([], [])
        forest = self.layout.forests[level]
        # Slots ascend with their rows.
        for slot in np.flatnonzero(slot_rows >= 0):
            node = int(slot_nodes[slot])
            first = int(forest.row[self._slots[level][nodes[node]]])
            found[int(below.player[node])].append(np.arange(first, first + int(below.num_children[node])))
        none = np.zeros(0, dtype=np.int64)
        return np.concatenate([none, *found[0]]), np.concatenate([none, *found[1]])

    def _locate(self, node: int, dealt: Sequence[int]) -> tuple[int, int, NDArray[np.int16] | None]:
        """Finds where a node is stored: level, board on it, and the stored combo of every combo (None: itself)."""
        if not 0 <= node < self.tree.num_nodes:
            raise SpotError(f"expected a node from 0 to {self.tree.num_nodes - 1}, got {node}")
        level = int(self.tree.street[node]) - self._root_street
        if len(dealt) != level:
            raise SpotError(f"node {node} comes after {level} dealt cards, got {len(dealt)}")
        return self._locate_board(dealt)

    def _locate_board(self, dealt: Sequence[int]) -> tuple[int, int, NDArray[np.int16] | None]:
        """As :meth:`_locate`, for all nodes after the cards ``dealt``."""
        runouts = self.cards.runouts
        turn = board = 0
        permutation: NDArray[np.int16] | None = None
        cards = [int(card) for card in dealt]
        for street, card in enumerate(cards, start=self._root_street + 1):
            on_turn = street < RIVER
            index_of = runouts.turn_of if on_turn else runouts.river_of[turn]
            if not 0 <= card < NUM_CARDS or index_of[card] < 0:
                raise SpotError(f"the card {card} cannot be dealt on the board {self.board} {tuple(dealt)}")
            board = int(index_of[card])
            a, b = (int(suit) for suit in (runouts.turn_swap if on_turn else runouts.river_swap[turn])[card])
            solved = int((runouts.turns if on_turn else runouts.rivers)[board])
            if on_turn:
                turn = board
            # The cards that follow live in the world of the card that was solved. The first step there, from a card
            # to another one of its class, leaves every combo in its hand.
            stand_in = _swap_suits(solved, a, b)
            cards[:] = [_swap_suits(card if later == stand_in else later, a, b) for later in cards]
            if a != b:
                swap = combo_permutation(a, b)
                permutation = swap if permutation is None else swap[permutation]
        return len(dealt), board, permutation


def met_weight(weights: Range, board: tuple[int, ...]) -> NDArray[np.float64]:
    """Returns float64[1326]: the weight of the opponent's combos that a combo can meet, 0 where the board takes it."""
    met = disjoint_weight(weights)
    # What is left of sums that cancel is no weight.
    met[met < 1e-9 * weights.sum(dtype=np.float64)] = 0
    return np.where(combo_mask(board), met, 0.0)


def _verify_spot(tree: BettingTree, board: tuple[int, ...], ranges: Sequence[Range]) -> int:
    """Checks that the parts of a spot fit together and returns the street of its root."""
    if not 3 <= len(board) <= 5 or len(set(board)) != len(board) or not all(0 <= card < NUM_CARDS for card in board):
        raise SpotError(f"expected a board of 3 to 5 different card ids, got {board}")
    street = len(board) - 2
    if tree.street[0] != street:
        raise SpotError(f"the tree starts on street {int(tree.street[0])}, a board of {len(board)} cards on {street}")
    if len(ranges) != 2:
        raise SpotError(f"expected two ranges, got {len(ranges)}")
    mask = combo_mask(board)
    for name, weights in zip(("OOP", "IP"), ranges, strict=True):
        if np.shape(weights) != (NUM_COMBOS,):
            raise SpotError(f"expected {NUM_COMBOS} weights as the {name} range, got shape {np.shape(weights)}")
        if not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise SpotError(f"expected weights of at least 0 in the {name} range")
        if not (weights[mask] > 0).any():
            raise SpotError(f"the {name} range is empty: no combo with weight misses the board")
    return street


def _slot_of_node(tree: BettingTree, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Returns int32[tree nodes]: where each node lies in a forest, -1 if it is not there."""
    slots = np.full(tree.num_nodes, -1, dtype=np.int32)
    slots[nodes] = np.arange(len(nodes))
    return slots


def _swap_suits(card: int, a: int, b: int) -> int:
    suit = card & 3
    return card - suit + {a: b, b: a}.get(suit, suit)


def _showdown_tree(street: int) -> BettingTree:
    """Returns a tree without decisions: the board is run out and the hands are compared for one chip each."""
    count = RIVER - street + 1
    kind = np.full(count, NodeKind.DEAL, dtype=np.int8)
    kind[-1] = NodeKind.SHOWDOWN
    action = np.full(count, ActionKind.DEAL, dtype=np.int8)
    action[0] = ActionKind.ROOT
    index = np.arange(count, dtype=np.int32)
    last = index == count - 1
    return BettingTree(
        kind=kind,
        street=(street + index).astype(np.int8),
        player=np.full(count, -1, dtype=np.int8),
        parent=index - 1,
        first_child=np.where(last, -1, index + 1).astype(np.int32),
        num_children=np.where(last, 0, 1).astype(np.int32),
        action=action,
        amount=np.zeros(count, dtype=np.int32),
        committed=np.zeros((count, 2), dtype=np.int32),
        root_pot=2,
        stack=0,
    )
