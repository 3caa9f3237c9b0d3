"""Solves one heads-up spot from the flop, turn or river on, with exact hands.

::

    solver = PostflopSolver(tree, board, (oop_range, ip_range))
    solver.run(200)
    print(solver.exploitability().pct_pot)
    probabilities = solver.node_strategy(node, dealt=(turn_card,))  # float32[actions, 1326]

Nodes are those of the :class:`~strategies.betting_tree.BettingTree`; ``dealt`` names the cards dealt after the root
board on the way to the node. Interchangeable cards are solved once (:mod:`solver.chance`); queries accept any card.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poker.cards import COMBO_CARDS, NUM_CARDS, NUM_COMBOS, combo_mask
from poker.errors import SpotError
from poker.evaluator import rank_combos
from poker.ranges import disjoint_weight
from solver.algorithms import Algorithm
from solver.card_game import BLOCKED, CardGame, CardLevel
from solver.cfr import CfrSolver, Storage
from solver.chance import Runouts, build_runouts, combo_permutation
from solver.programs import Rake
from strategies.betting_tree import ActionKind, BettingTree, NodeKind

Range = NDArray[np.float32]
Progress = Callable[[int], None]

_RIVER = 3
# Probability of one turn or river card, given the board before it and two hands that do not hold it.
_CARD_WEIGHT = {2: 1 / 45, 3: 1 / 44}
# Iterations run without looking at the clock; the time between looks also bounds how late a deadline is noticed.
_SECONDS_PER_CHUNK = 0.02


class Exploitability(NamedTuple):
    """How far the average strategies are from equilibrium; in chips except ``pct_pot``."""

    exploitability: float
    """Half the sum of what the two best responses gain."""
    pct_pot: float
    """The same in percent of the pot at the root."""
    best_response_ev: tuple[float, float]
    """What each player's best response earns against the other's average, less half the root pot."""
    ev: tuple[float, float]
    """What the average strategies earn against each other, less half the root pot."""


class PostflopSolver:
    """One spot being solved by discounted CFR.

    :param tree: betting lines from the street of the board on.
    :param board: three to five card ids.
    :param ranges: float32[1326] weights of OOP and IP.
    :param rake: (rate, cap in chips): the house takes ``min(rate * pot, cap)`` from every pot.
    :param threads: None: all of numba's threads, but one on the river, where handing work over costs too much.
    :param storage: precision of what is stored; ``f16`` needs half the memory.
    :param algorithm: or the text of one, see :mod:`solver.algorithms`.
    :param isomorphism: deal interchangeable cards once.
    :raises SpotError: if board, ranges or tree do not fit together, or the text names no algorithm.
    :raises ResourceError: if the machine has not enough free memory.
    """

    def __init__(
        self,
        tree: BettingTree,
        board: Sequence[int],
        ranges: Sequence[Range],
        *,
        rake: tuple[float, float] = (0.0, 0.0),
        threads: int | None = None,
        storage: Storage = "f32",
        algorithm: Algorithm | str = "dcfr",
        isomorphism: bool = True,
    ) -> None:
        self.tree = tree
        self.board = tuple(int(card) for card in board)
        self._root_street = _verify_spot(tree, self.board, ranges)
        self.runouts = build_runouts(self.board, ranges, isomorphism=isomorphism)
        self._swap_pairs = _swap_pairs(self.runouts)
        self._game, self._combos = _card_game(self.runouts, self._root_street, ranges, self._swap_pairs)
        self.ranges = tuple(self._spread(player, self._game.weights[player]) for player in (0, 1))
        self._pairs = disjoint_weight(self.ranges[1]) @ self.ranges[0].astype(np.float64)
        if self._pairs <= 0:
            raise SpotError("the two ranges cannot be dealt together: every pair of hands shares a card")
        self._cfr = CfrSolver(
            self._game,
            tree,
            rake=Rake(*rake),
            threads=threads or (1 if self._root_street == _RIVER else None),
            storage=storage,
            algorithm=algorithm,
            memory_limit=_available_memory(),
        )
        self._slots = [_slot_of_node(tree, forest.nodes) for forest in self._cfr.layout.forests]
        self._street_values: dict[int, tuple[int, NDArray[np.float32]]] = {}

    @property
    def iterations(self) -> int:
        """Iterations run so far."""
        return self._cfr.iteration

    @property
    def algorithm(self) -> Algorithm:
        """What is being run."""
        return self._cfr.algorithm

    @property
    def memory_bytes(self) -> int:
        """Bytes held by regrets, averages, board tables and scratch."""
        return self._cfr.memory_bytes

    def run(self, iterations: int, deadline: float | None = None, progress: Progress | None = None) -> int:
        """Continues for at most ``iterations`` iterations and returns how many were run.

        :param deadline: value of ``time.monotonic()`` at which to stop; one iteration is the least that is run.
        :param progress: called now and then with the number of iterations done so far.
        """
        done = 0
        chunk = 1
        while done < iterations:
            chunk = min(chunk, iterations - done)
            start = time.monotonic()
            self._cfr.step(chunk)
            now = time.monotonic()
            done += chunk
            if progress is not None:
                progress(self.iterations)
            seconds = max(now - start, 1e-6) / chunk
            budget = _SECONDS_PER_CHUNK
            if deadline is not None:
                if now + seconds > deadline:
                    break
                budget = min(budget, deadline - now)
            chunk = max(1, min(int(budget / seconds), 2 * chunk))
        return done

    def solve(
        self,
        target_pct_pot: float,
        max_iterations: int,
        *,
        check_every: int = 10,
        deadline: float | None = None,
        progress: Callable[[int, Exploitability], None] | None = None,
    ) -> Exploitability:
        """Runs until the exploitability, checked every ``check_every`` iterations, is at most the target."""
        while True:
            wanted = min(check_every, max_iterations - self.iterations)
            stopped = wanted <= 0 or self.run(wanted, deadline) < wanted
            found = self.exploitability()
            if progress is not None:
                progress(self.iterations, found)
            if stopped or found.pct_pot <= target_pct_pot or self.iterations >= max_iterations:
                return found

    def exploitability(self) -> Exploitability:
        """Returns the exploitability of the average strategies by exact best responses (about two iterations)."""
        ev = (self._root_ev(0, best_response=False), self._root_ev(1, best_response=False))
        best = (self._root_ev(0, best_response=True), self._root_ev(1, best_response=True))
        chips = (best[0] - ev[0] + best[1] - ev[1]) / 2
        return Exploitability(chips, 100 * chips / self.tree.root_pot, best, ev)

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
        rows = self._cfr.strategy(level, board, int(self._slots[level][node]), current=current)
        strategy = np.full((len(rows), NUM_COMBOS), 1 / len(rows), dtype=np.float32)
        strategy[:, self._combos[player]] = rows
        return strategy if permutation is None else strategy[:, permutation]

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

    def node_values(self, node: int = 0) -> NDArray[np.float32]:
        """Returns float32[2, 1326]: per player and combo the EV of the average strategies from a root-street node on.

        EV is chips received at the end less chips put in after the node. It is NaN for combos the player cannot hold
        and where no combo of the opponent that he could meet reaches the node.

        :raises SpotError: if the node is not on the street of the root.
        """
        slot = int(self._slots[0][node])
        if slot < 0:
            raise SpotError(f"node {node} is not on the street of the root")
        values = np.full((2, NUM_COMBOS), np.nan, dtype=np.float32)
        for player in (0, 1):
            combos = self._combos[player]
            met = disjoint_weight(self.node_reach(1 - player, node))[combos]
            won = np.where(met > 0, self._root_street_values(player)[slot] / np.where(met > 0, met, 1), np.nan)
            values[player, combos] = won + self.tree.root_pot / 2 + float(self.tree.committed[node, player])
        return values

    def root_equity(self) -> NDArray[np.float32]:
        """Returns float32[2, 1326]: showdown equity against the opponent's range over all run-outs, ties half.

        NaN for combos the player cannot hold or that meet no combo of the opponent.
        """
        showdown = CfrSolver(self._game, _showdown_tree(self._root_street))
        equity = np.full((2, NUM_COMBOS), np.nan, dtype=np.float32)
        for player in (0, 1):
            combos = self._combos[player]
            met = disjoint_weight(self.ranges[1 - player])[combos]
            won = showdown.root_values(player)
            equity[player, combos] = np.where(met > 0, (won / np.where(met > 0, met, 1) + 1) / 2, np.nan)
        return equity

    def _spread(self, player: int, values: NDArray[np.float32]) -> NDArray[np.float32]:
        full = np.zeros(NUM_COMBOS, dtype=np.float32)
        full[self._combos[player]] = values
        return full

    def _root_ev(self, player: int, *, best_response: bool) -> float:
        values = self._cfr.root_values(player, best_response=best_response).astype(np.float64)
        return float(values @ self._game.weights[player].astype(np.float64) / self._pairs)

    def _root_street_values(self, player: int) -> NDArray[np.float32]:
        stored = self._street_values.get(player)
        if stored is None or stored[0] != self.iterations:
            stored = (self.iterations, self._cfr.street_values(player))
            self._street_values[player] = stored
        return stored[1]

    def _locate(self, node: int, dealt: Sequence[int]) -> tuple[int, int, NDArray[np.int16] | None]:
        """Finds where a node is stored: level, board on it, and the stored combo of every combo (None: itself)."""
        if not 0 <= node < self.tree.num_nodes:
            raise SpotError(f"expected a node from 0 to {self.tree.num_nodes - 1}, got {node}")
        level = int(self.tree.street[node]) - self._root_street
        if len(dealt) != level:
            raise SpotError(f"node {node} comes after {level} dealt cards, got {len(dealt)}")
        runouts = self.runouts
        turn = board = 0
        permutation: NDArray[np.int16] | None = None
        cards = [int(card) for card in dealt]
        for street, card in enumerate(cards, start=self._root_street + 1):
            on_turn = street < _RIVER
            index_of = runouts.turn_of if on_turn else runouts.river_of[turn]
            if not 0 <= card < NUM_CARDS or index_of[card] < 0:
                raise SpotError(f"the card {card} cannot be dealt on the board {self.board} {tuple(dealt)}")
            board = int(index_of[card])
            a, b = (int(suit) for suit in (runouts.turn_swap if on_turn else runouts.river_swap[turn])[card])
            if on_turn:
                turn = board
            if a != b:
                swap = combo_permutation(a, b)
                permutation = swap if permutation is None else swap[permutation]
                # The cards that follow live in the world of the representative.
                cards[:] = [_swap_suits(later, a, b) for later in cards]
        return level, board, permutation


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


def _swap_pairs(runouts: Runouts) -> list[tuple[int, int]]:
    """Returns the suit swaps that turn a representative card into another one."""
    swaps = np.concatenate([runouts.turn_swap, runouts.river_swap.reshape(-1, 2)])
    return sorted({(min(a, b), max(a, b)) for a, b in np.unique(swaps, axis=0).tolist() if a != b})


def _card_game(
    runouts: Runouts, root_street: int, ranges: Sequence[Range], pairs: list[tuple[int, int]]
) -> tuple[CardGame, tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Builds what the kernels need to know about the cards; also returns the combos of both players' hands."""
    mask = combo_mask(runouts.board)
    combos = tuple(np.flatnonzero(mask & (weights > 0)) for weights in ranges)
    union = np.union1d(*combos)
    row = np.full(NUM_COMBOS, -1, dtype=np.int32)
    row[union] = np.arange(len(union))

    levels = []
    for street in range(root_street, _RIVER + 1):
        boards = _boards_on(runouts, street)
        if street == _RIVER:
            strengths = np.stack([rank_combos(board) for board in boards])[:, union]
        else:
            strengths = np.stack([np.where(combo_mask(board)[union], 0, BLOCKED) for board in boards])
        parent = np.zeros(len(boards) if street > root_street else 0, dtype=np.int32)
        if street == _RIVER and root_street == 1:
            parent = np.repeat(np.arange(runouts.num_turns, dtype=np.int32), np.diff(runouts.first_river))
        levels.append(
            CardLevel(
                strengths=strengths.astype(np.int32),
                parent=parent,
                weight=1.0 if street == root_street else _CARD_WEIGHT[street],
                swaps=_twins(runouts, street, len(boards), pairs),
            )
        )
    game = CardGame(
        cards=COMBO_CARDS[union].astype(np.int32),
        hands=(row[combos[0]], row[combos[1]]),
        weights=(
            np.asarray(ranges[0][combos[0]], dtype=np.float32),
            np.asarray(ranges[1][combos[1]], dtype=np.float32),
        ),
        levels=tuple(levels),
        swaps=np.array([row[combo_permutation(a, b)[union]] for a, b in pairs], dtype=np.int32).reshape(-1, len(union)),
    )
    return game, (combos[0], combos[1])


def _boards_on(runouts: Runouts, street: int) -> list[tuple[int, ...]]:
    """Returns the boards that are solved on a street."""
    flop = runouts.board[:3]
    if street == 1:
        return [flop]
    turns = [(*flop, int(turn)) for turn in runouts.turns]
    if street == 2:
        return turns
    first = runouts.first_river
    return [(*four, int(river)) for t, four in enumerate(turns) for river in runouts.rivers[first[t] : first[t + 1]]]


def _twins(runouts: Runouts, street: int, num_boards: int, pairs: list[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """Returns per board of a street the suit swaps (indices into ``pairs``) of the cards it stands for."""
    twins: list[list[int]] = [[] for _ in range(num_boards)]
    if street > 1:
        index_of = runouts.turn_of[None] if street == 2 else runouts.river_of
        swap = runouts.turn_swap[None] if street == 2 else runouts.river_swap
        for above, card in np.argwhere((index_of >= 0) & (swap[..., 0] != swap[..., 1])):
            a, b = sorted(swap[above, card].tolist())
            twins[index_of[above, card]].append(pairs.index((a, b)))
    return tuple(tuple(board) for board in twins)


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
    count = _RIVER - street + 1
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


def _available_memory() -> float:
    """Returns the bytes the machine can still give, infinity where it does not tell."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            fields = dict(line.split(":", 1) for line in file)
        return 1024.0 * int(fields["MemAvailable"].split()[0])
    except (OSError, KeyError, ValueError):
        return math.inf
