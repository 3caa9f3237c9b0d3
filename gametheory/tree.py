"""Extensive games: a tree of decisions, chance moves and leaves, with information sets and payoffs.

A game is written as nested nodes (:func:`decision`, :func:`nature`, :func:`leaf`, :func:`extensive_game`), derived from
rules (:mod:`hedgehog.gametheory.rules`), or read from a file (:mod:`hedgehog.gametheory.files`). All three go through
:class:`TreeBuilder`, which checks the game.

A *sequence* of a player is the list of its own actions on a path from the root. In a game with perfect recall all nodes
of an information set have the same sequence of the player who moves there, so a sequence is named by its last action.
Sequence 0 is the empty one. The actions of an information set are consecutive sequences, and the information sets of a
player are ordered by the number of its earlier actions.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.errors import GameError, PerfectRecallError

Number = int | float | Fraction
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CHANCE: Final = -1
LEAF: Final = -2
MAX_NODES: Final = 1_000_000
PROBABILITY_TOLERANCE: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Infoset:
    """An information set: nodes that the player who moves there cannot tell apart."""

    player: int
    name: str
    actions: tuple[str, ...]
    nodes: tuple[int, ...]
    """Numbers of the nodes, ascending."""


class Counts(NamedTuple):
    """The size of an extensive game."""

    nodes: int
    chance: int
    decisions: int
    leaves: int
    infosets: tuple[int, ...]
    """Number of information sets of each player."""
    sequences: tuple[int, ...]
    """Number of sequences of each player, the empty one included."""


class PlayerSequences(NamedTuple):
    """The sequences of one player. Arrays have one element per information set or per sequence, as said."""

    infosets: tuple[int, ...]
    """Numbers of the player's information sets in the game, ordered by the number of own earlier actions."""
    first: Ints
    """Per information set: the sequence of its first action."""
    size: Ints
    """Per information set: number of actions."""
    incoming: Ints
    """Per information set: the sequence that leads to it."""
    parent: Ints
    """Per sequence: the sequence without its last action; 0 for the empty one."""
    levels: tuple[slice, ...]
    """Slices of the information sets with 0, 1, 2, ... own earlier actions."""
    number: int
    """Number of sequences."""


class ExtensiveGame:
    """An extensive game with perfect recall. Nodes are numbered in depth-first order; the root is node 0.

    :class:`TreeBuilder` makes and checks it.
    """

    def __init__(  # noqa: PLR0913
        self,
        name: str,
        players: tuple[str, ...],
        *,
        parent: NDArray[np.int64],
        mover: NDArray[np.int64],
        infoset: NDArray[np.int64],
        labels: tuple[str, ...],
        probabilities: tuple[Number, ...],
        payoffs: tuple[tuple[Number, ...], ...],
        infosets: tuple[Infoset, ...],
    ) -> None:
        self.name = name
        self.players = players
        self.parent = parent
        """int64[nodes]: the node before; -1 for the root."""
        self.mover = mover
        """int64[nodes]: the player who moves, :data:`CHANCE` or :data:`LEAF`."""
        self.infoset = infoset
        """int64[nodes]: number of the information set; -1 at chance nodes and leaves."""
        self.labels = labels
        """Per node: name of the action or chance outcome that leads to it; empty for the root."""
        self.probabilities = probabilities
        """Per node: probability of the chance outcome that leads to it, as given; 1 after a decision."""
        self.exact_payoffs = payoffs
        """Per leaf, in the order of the nodes: one payoff per player, as given."""
        self.infosets = infosets
        self.leaves = np.flatnonzero(mover == LEAF)
        """int64[leaves]: the nodes that are leaves."""
        self.payoffs: Floats = np.array(payoffs, dtype=np.float64).reshape(len(self.leaves), len(players))
        """float64[leaves, players]."""

    def __repr__(self) -> str:
        counts = self.counts
        return f"<ExtensiveGame {self.name}: {len(self.players)} players, {counts.nodes} nodes>"

    @cached_property
    def counts(self) -> Counts:
        """The numbers of nodes, information sets and sequences."""
        return Counts(
            nodes=len(self.parent),
            chance=int((self.mover == CHANCE).sum()),
            decisions=int((self.mover >= 0).sum()),
            leaves=len(self.leaves),
            infosets=tuple(len(side.infosets) for side in self.sequences),
            sequences=tuple(side.number for side in self.sequences),
        )

    @cached_property
    def child_lists(self) -> tuple[tuple[int, ...], ...]:
        """Per node: its children in the order of the actions or outcomes."""
        found: list[list[int]] = [[] for _ in self.parent]
        for node, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                found[parent].append(node)
        return tuple(map(tuple, found))

    @cached_property
    def sequences(self) -> tuple[PlayerSequences, ...]:
        """The sequences of each player."""
        return tuple(self._number_sequences(player) for player in range(len(self.players)))

    @cached_property
    def last_infoset_action(self) -> NDArray[np.int64]:
        """int64[players, nodes, 2]: information set and index of each player's last action before a node; -1: none."""
        last = np.full((len(self.players), len(self.parent), 2), -1, dtype=np.int64)
        position = [0] * len(self.parent)
        parents, movers, infosets = self.parent.tolist(), self.mover.tolist(), self.infoset.tolist()
        for node in range(1, len(parents)):
            before = parents[node]
            last[:, node] = last[:, before]
            if movers[before] >= 0:
                last[movers[before], node] = infosets[before], position[before]
            position[before] += 1
        return last

    @cached_property
    def node_sequence(self) -> NDArray[np.int64]:
        """int64[players, nodes]: each player's sequence at a node."""
        found = np.zeros((len(self.players), len(self.parent)), dtype=np.int64)
        start = np.zeros(len(self.infosets), dtype=np.int64)
        for side in self.sequences:
            start[list(side.infosets)] = side.first
        for player in range(len(self.players)):
            infoset, action = self.last_infoset_action[player].T
            found[player] = np.where(infoset >= 0, start[infoset] + action if len(start) else 0, 0)
        return found

    @cached_property
    def leaf_sequence(self) -> NDArray[np.int64]:
        """int64[players, leaves]: each player's sequence at a leaf."""
        return self.node_sequence[:, self.leaves]

    @cached_property
    def chance_reach(self) -> Floats:
        """float64[nodes]: the product of the chance probabilities on the path to a node."""
        reach = np.array([float(p) for p in self.probabilities])
        for node, parent in enumerate(self.parent.tolist()[1:], 1):
            reach[node] *= reach[parent]
        return reach

    @cached_property
    def leaf_chance(self) -> Floats:
        """float64[leaves]: the product of the chance probabilities on the path to a leaf."""
        return self.chance_reach[self.leaves]

    @property
    def scale(self) -> float:
        """The largest absolute payoff, or 1 if all payoffs are 0."""
        return float(np.abs(self.payoffs).max(initial=0.0)) or 1.0

    def constant_sum(self) -> float | None:
        """Returns the sum of the payoffs if it is the same at every leaf (to 1e-9 of the largest payoff), or None."""
        sums = self.payoffs.sum(axis=1)
        return float(sums[0]) if np.ptp(sums) <= 1e-9 * self.scale else None

    def _number_sequences(self, player: int) -> PlayerSequences:
        own = [number for number, infoset in enumerate(self.infosets) if infoset.player == player]
        before = {number: self.last_infoset_action[player, self.infosets[number].nodes[0]] for number in own}
        depth: dict[int, int] = {}
        for number in own:  # an information set comes after those before it, because nodes are in depth-first order
            earlier = int(before[number][0])
            depth[number] = depth[earlier] + 1 if earlier >= 0 else 0
        own.sort(key=lambda number: depth[number])
        size = np.array([len(self.infosets[number].actions) for number in own], dtype=np.int64)
        first = np.concatenate([[1], 1 + np.cumsum(size)]).astype(np.int64)
        start = {number: int(first[row]) for row, number in enumerate(own)}
        incoming = np.array(
            [start[int(before[n][0])] + int(before[n][1]) if before[n][0] >= 0 else 0 for n in own], dtype=np.int64
        )
        depths = np.array([depth[number] for number in own], dtype=np.int64)
        edges = np.searchsorted(depths, np.arange(int(depths.max(initial=-1)) + 2))
        return PlayerSequences(
            infosets=tuple(own),
            first=first[:-1],
            size=size,
            incoming=incoming,
            parent=np.concatenate([[0], np.repeat(incoming, size)]).astype(np.int64),
            levels=tuple(slice(int(a), int(b)) for a, b in pairwise(edges)),
            number=int(first[-1]),
        )


class TreeBuilder:
    """Builds an extensive game node by node, in depth-first order, and checks it.

    :param name: name of the game.
    :param players: names of the players.
    :raises GameError: if there is no player, or two players have the same name.
    """

    def __init__(self, name: str, players: Sequence[str]) -> None:
        if not players or len(set(players)) != len(players):
            raise GameError(f"game {name!r}: expected players with different names, got {list(players)}")
        self._name = name
        self._players = tuple(players)
        self._parent: list[int] = []
        self._mover: list[int] = []
        self._infoset: list[int] = []
        self._labels: list[str] = []
        self._probabilities: list[Number] = []
        self._payoffs: list[tuple[Number, ...]] = []
        self._numbers: dict[Hashable, int] = {}
        self._found: list[tuple[int, str, tuple[str, ...], list[int]]] = []
        self._names: set[tuple[int, str]] = set()

    def add_chance(self, parent: int, label: str = "", probability: Number = 1) -> int:
        """Adds a chance node and returns its number.

        :param parent: number of the node before; -1 for the root.
        :param label: name of the action or outcome that leads to the node.
        :param probability: probability of that outcome if the node before is a chance node.
        """
        return self._add(parent, label, probability, CHANCE, -1)

    def add_leaf(self, parent: int, label: str, probability: Number, payoffs: Sequence[Number]) -> int:
        """Adds a leaf and returns its number.

        :param payoffs: one payoff per player.
        :raises GameError: if a payoff is missing, infinite or no number.
        """
        if len(payoffs) != len(self._players):
            raise GameError(f"game {self._name!r}: expected {len(self._players)} payoffs at a leaf, got {len(payoffs)}")
        for payoff in payoffs:
            if isinstance(payoff, bool) or not isinstance(payoff, (int, float, Fraction, np.number)):
                raise GameError(f"game {self._name!r}: expected a number as payoff, got {payoff!r}")
            if not math.isfinite(payoff):
                raise GameError(f"game {self._name!r}: expected finite payoffs, got {payoff!r}")
        self._payoffs.append(tuple(_plain(payoff) for payoff in payoffs))
        return self._add(parent, label, probability, LEAF, -1)

    def add_decision(
        self,
        parent: int,
        label: str,
        probability: Number,
        player: int,
        key: Hashable,
        *,
        name: str,
        actions: Sequence[str],
    ) -> int:
        """Adds a decision and returns its number.

        :param player: number of the player who moves.
        :param key: what identifies the information set among all of the player.
        :param name: name of the information set; another one of the player with the same name gets ``#2`` behind it.
        :param actions: names of the actions.
        :raises GameError: if actions repeat, or differ from those of another node of the information set.
        """
        options = tuple(actions)
        if len(set(options)) != len(options) or not options:
            raise GameError(f"information set {name!r}: expected different actions, got {list(options)}")
        number = self._numbers.setdefault((player, key), len(self._found))
        if number == len(self._found):
            unique, copies = name, 1
            while (player, unique) in self._names:
                copies += 1
                unique = f"{name}#{copies}"
            self._names.add((player, unique))
            self._found.append((player, unique, options, []))
        known = self._found[number]
        if known[2] != options:
            raise GameError(
                f"information set {known[1]!r} of {self._players[player]!r} has the actions {list(known[2])} at one"
                f" node and {list(options)} at another"
            )
        node = self._add(parent, label, probability, player, number)
        known[3].append(node)
        return node

    def _add(self, parent: int, label: str, probability: Number, mover: int, infoset: int) -> int:
        if len(self._parent) >= MAX_NODES:
            raise GameError(f"game {self._name!r} has more than {MAX_NODES:,} nodes")
        self._parent.append(parent)
        self._mover.append(mover)
        self._infoset.append(infoset)
        self._labels.append(label)
        self._probabilities.append(probability)
        return len(self._parent) - 1

    def finish(self) -> ExtensiveGame:
        """Returns the game.

        :raises GameError: if the tree is empty, an action has no node, or chance probabilities are not positive or do
            not add up to 1.
        :raises PerfectRecallError: if a player forgets what it did or knew.
        """
        if not self._parent:
            raise GameError(f"game {self._name!r} has no node")
        game = ExtensiveGame(
            self._name,
            self._players,
            parent=np.array(self._parent, dtype=np.int64),
            mover=np.array(self._mover, dtype=np.int64),
            infoset=np.array(self._infoset, dtype=np.int64),
            labels=tuple(self._labels),
            probabilities=tuple(self._probabilities),
            payoffs=tuple(self._payoffs),
            infosets=tuple(Infoset(p, name, actions, tuple(nodes)) for p, name, actions, nodes in self._found),
        )
        _verify_children(game)
        verify_perfect_recall(game)
        return game


def verify_perfect_recall(game: ExtensiveGame) -> None:
    """Checks that no player forgets what it did or knew.

    :raises PerfectRecallError: if two nodes of an information set have different own actions before them.
    """
    for infoset in game.infosets:
        before = game.last_infoset_action[infoset.player, list(infoset.nodes)]
        different = np.flatnonzero((before != before[0]).any(axis=1))
        if len(different):
            one, other = (_last_action(game, int(n), int(a)) for n, a in (before[0], before[different[0]]))
            raise PerfectRecallError(
                f"no perfect recall: at information set {infoset.name!r} the player {game.players[infoset.player]!r}"
                f" cannot tell whether its last action was {one} or {other}"
            )


def _last_action(game: ExtensiveGame, infoset: int, action: int) -> str:
    if infoset < 0:
        return "none"
    return f"{game.infosets[infoset].actions[action]!r} at {game.infosets[infoset].name!r}"


def _verify_children(game: ExtensiveGame) -> None:
    for node, children in enumerate(game.child_lists):
        mover = int(game.mover[node])
        labels = tuple(game.labels[child] for child in children)
        if mover >= 0:
            infoset = game.infosets[int(game.infoset[node])]
            if labels != infoset.actions:
                raise GameError(
                    f"information set {infoset.name!r}: expected one node for each of {list(infoset.actions)},"
                    f" got {list(labels)}"
                )
        elif mover == CHANCE:
            verify_chance(labels, [game.probabilities[child] for child in children])


def verify_chance(labels: Sequence[object], probabilities: Sequence[Number]) -> None:
    """Checks the outcomes of a chance move.

    :raises GameError: if there is no outcome, outcomes repeat, a probability is not positive, or the sum is not 1 (to
        1e-12).
    """
    if not labels or len(set(labels)) != len(labels):
        raise GameError(f"expected different outcomes of a chance move, got {list(labels)}")
    for label, probability in zip(labels, probabilities, strict=True):
        if not probability > 0 or not math.isfinite(probability):
            raise GameError(f"chance outcome {label!r}: expected a probability above 0, got {probability!r}")
    floats = any(isinstance(p, float) for p in probabilities)
    total: Number = math.fsum(probabilities) if floats else sum((Fraction(p) for p in probabilities), Fraction(0))
    if not math.isclose(total, 1, rel_tol=0, abs_tol=PROBABILITY_TOLERANCE):
        raise GameError(f"expected chance probabilities that add up to 1, got {float(total)!r}")


def _plain(number: Number) -> Number:
    """Returns a number without numpy's type."""
    return number.item() if isinstance(number, np.generic) else number


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a game that is written as nested nodes. :func:`decision`, :func:`nature` and :func:`leaf` make it."""

    mover: str | None
    """Name of the player who moves; None at chance nodes and leaves."""
    infoset: str
    children: tuple[tuple[str, Number, Node], ...]
    """Label, chance probability (1 at decisions) and node."""
    payoffs: tuple[Number, ...]


def leaf(*payoffs: Number) -> Node:
    """Returns a leaf with one payoff per player, or with x for ``x`` and ``-x`` in a game of two players."""
    return Node(None, "", (), payoffs)


def decision(player: str, infoset: str, actions: Mapping[str, Node]) -> Node:
    """Returns a decision of a player.

    :param infoset: name of the information set; decisions of a player with the same name are one set.
    :param actions: name of each action -> the node that it leads to.
    """
    return Node(player, infoset, tuple((str(label), 1, node) for label, node in actions.items()), ())


def nature(outcomes: Mapping[str, tuple[Number, Node]]) -> Node:
    """Returns a chance move.

    :param outcomes: name of each outcome -> its probability and the node that it leads to.
    """
    return Node(None, "", tuple((str(label), p, node) for label, (p, node) in outcomes.items()), ())


def extensive_game(name: str, players: Sequence[str], root: Node) -> ExtensiveGame:
    """Returns the game that nested nodes describe.

    :param players: names of the players, in the order of the payoffs.
    :raises GameError: if the tree is malformed.
    :raises PerfectRecallError: if a player forgets what it did or knew.
    """
    builder = TreeBuilder(name, players)
    stack: list[tuple[Node, int, str, Number]] = [(root, -1, "", 1)]
    while stack:
        node, parent, label, probability = stack.pop()
        if node.payoffs:
            payoffs = (
                (*node.payoffs, -node.payoffs[0]) if len(node.payoffs) == 1 and len(players) == 2 else node.payoffs
            )
            builder.add_leaf(parent, label, probability, payoffs)
            continue
        if not node.children:
            raise GameError(f"game {name!r}: a node has neither payoffs nor children")
        if node.mover is None:
            number = builder.add_chance(parent, label, probability)
        else:
            if node.mover not in players:
                raise GameError(f"game {name!r}: no player {node.mover!r}: expected one of {list(players)}")
            actions = [label for label, _, _ in node.children]
            number = builder.add_decision(
                parent, label, probability, list(players).index(node.mover), node.infoset,
                name=node.infoset, actions=actions,
            )  # fmt: skip
        stack += [(child, number, label, p) for label, p, child in reversed(node.children)]
    return builder.finish()
