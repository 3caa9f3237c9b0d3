"""The betting tree: every public betting line as flat arrays, without cards.

The postflop solver (whose trees start on flop, turn or river), the blueprint (whose tree starts preflop) and the
strategy packs all use the type :class:`BettingTree`. :mod:`hedgehog.solver.postflop.tree` and
:mod:`hedgehog.solver.blueprint.tree` build the trees.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

OOP: Final = 0
"""Player 0 acts first on every postflop street (ACPC position 0, the big blind of reverse-blinds hold'em)."""
IP: Final = 1
"""Player 1 acts last on every postflop street and first preflop (ACPC position 1, the button)."""


class NodeKind(IntEnum):
    """What happens at a node."""

    DECISION = 0
    """A player acts; the node has one child per legal abstract action."""
    FOLD = 1
    """The end of the hand by a fold of ``player``; the node has no child."""
    SHOWDOWN = 2
    """The end of the betting; the rest of the board is dealt and the hands are compared. The node has no child."""
    DEAL = 3
    """Board cards of the next street are dealt; the node has one child, the first node of that street."""


class ActionKind(IntEnum):
    """The kind of the action that led to a node, in the order in which the children of a decision are sorted."""

    ROOT = -1
    FOLD = 0
    CHECK = 1
    CALL = 2
    BET = 3
    RAISE = 4
    ALL_IN = 5
    DEAL = 6


@dataclass(frozen=True, slots=True)
class BettingTree:
    """A betting tree as flat arrays over its ``N`` nodes, which stand for betting lines.

    Node 0 is the root. A parent has a lower number than its children, and siblings have consecutive numbers.
    Siblings are ordered fold < check < call < bets ascending < raises ascending < all-in.
    """

    kind: NDArray[np.int8]
    """(N,) :class:`NodeKind`."""
    street: NDArray[np.int8]
    """(N,) 0 preflop, 1 flop, 2 turn, 3 river; a DEAL node carries the street that has just ended."""
    player: NDArray[np.int8]
    """(N,) the player who acts at a DECISION node or has folded at a FOLD node; -1 elsewhere."""
    parent: NDArray[np.int32]
    """(N,) parent node, -1 at the root."""
    first_child: NDArray[np.int32]
    """(N,) first child node, -1 at terminals; the other children have the numbers that follow it."""
    num_children: NDArray[np.int32]
    """(N,) number of children, 0 at terminals."""
    action: NDArray[np.int8]
    """(N,) :class:`ActionKind` of the action that led to the node."""
    amount: NDArray[np.int32]
    """(N,) chips that the player who took ``action`` has put in on the street after it; 0 for fold, check and deal."""
    committed: NDArray[np.int32]
    """(N, 2) chips that each player has put in since the root, blinds included if the root is preflop."""
    root_pot: int
    """Chips in the pot at the root that ``committed`` does not count; 0 if the root is preflop."""
    stack: int
    """Chips each player can commit in total after the root."""

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return len(self.kind)

    def children(self, node: int) -> range:
        """Returns the child nodes of ``node`` in action order."""
        first = int(self.first_child[node])
        return range(first, first + int(self.num_children[node]))

    def pot(self, node: int) -> int:
        """Returns all chips in the middle at ``node``, an uncalled bet included."""
        return self.root_pot + int(self.committed[node, 0]) + int(self.committed[node, 1])


NODE_TYPES: Final[dict[str, type[np.integer[Any]]]] = {
    "kind": np.int8,
    "street": np.int8,
    "player": np.int8,
    "parent": np.int32,
    "first_child": np.int32,
    "num_children": np.int32,
    "action": np.int8,
    "amount": np.int32,
}
"""Name -> type of the arrays of a :class:`BettingTree` with one number per node."""


class TreeBuilder:
    """Collects nodes one by one and turns them into a :class:`BettingTree`; subclasses add the betting rules."""

    def __init__(self) -> None:
        self.kind: list[int] = []
        self.street: list[int] = []
        self.player: list[int] = []
        self.parent: list[int] = []
        self.first_child: list[int] = []
        self.num_children: list[int] = []
        self.action: list[int] = []
        self.amount: list[int] = []
        self.committed: list[tuple[int, int]] = []

    def add(
        self, kind: int, street: int, player: int, parent: int, action: int, amount: int, committed: tuple[int, int]
    ) -> int:
        """Appends a node without children and returns its number.

        The parameters are the entries of the node in the arrays of :class:`BettingTree`.
        """
        self.kind.append(kind)
        self.street.append(street)
        self.player.append(player)
        self.parent.append(parent)
        self.first_child.append(-1)
        self.num_children.append(0)
        self.action.append(action)
        self.amount.append(amount)
        self.committed.append(committed)
        return len(self.kind) - 1

    def finish(self, root_pot: int, stack: int) -> BettingTree:
        """Returns the betting tree of all nodes added so far.

        :param root_pot: chips in the pot at the root that ``committed`` does not count.
        :param stack: chips each player can commit in total after the root.
        """
        return BettingTree(
            **{name: np.array(getattr(self, name), dtype=dtype) for name, dtype in NODE_TYPES.items()},
            committed=np.array(self.committed, dtype=np.int32),
            root_pot=root_pot,
            stack=stack,
        )


def keep_nodes(tree: BettingTree, kept: NDArray[np.integer[Any]]) -> BettingTree:
    """Returns a tree of some nodes of a tree, which are renumbered; parents and children that are not kept become -1.

    Chips are still counted from the root of the whole tree: ``committed``, ``root_pot`` and ``stack`` are unchanged.

    :param kept: ascending node numbers. Of the children of a node all or none are kept; ``num_children`` stays.
    """
    new = np.full(tree.num_nodes + 1, -1, dtype=np.int32)  # the extra slot maps -1 to -1
    new[kept] = np.arange(len(kept))
    nodes: dict[str, Any] = {name: getattr(tree, name)[kept] for name in (*NODE_TYPES, "committed")}
    return replace(tree, **nodes | {name: new[nodes[name]] for name in ("parent", "first_child")})


def subtree(tree: BettingTree, root: int) -> tuple[BettingTree, NDArray[np.int32]]:
    """Returns the part of a tree below a node, which becomes the root, as a tree of its own.

    Chips are still counted from the root of the whole tree: ``committed``, ``root_pot`` and ``stack`` are unchanged.

    :returns: the smaller tree, and int32 (its nodes,) the number in ``tree`` of each of its nodes.
    """
    generations = [np.array([root], dtype=np.int64)]
    while len(parents := generations[-1]):
        first, count = tree.first_child[parents].astype(np.int64), tree.num_children[parents]
        starts = np.repeat(first - np.cumsum(count) + count, count)
        generations.append(starts + np.arange(len(starts)))
    old = np.sort(np.concatenate(generations)).astype(np.int32)
    return keep_nodes(tree, old), old


def depth_of_tree(tree: BettingTree) -> float:
    """Returns the stacks of a tree that starts preflop, in big blinds."""
    return tree.stack / int(tree.committed[0].max())


def betting_token(tree: BettingTree, child: int) -> str:
    """Returns the action that leads to ``child`` in ACPC notation; a raise is a total over the hand, as in ``r250``."""
    kind = tree.action[child]
    if kind == ActionKind.FOLD:
        return "f"
    if kind in (ActionKind.CHECK, ActionKind.CALL):
        return "c"
    return f"r{tree.committed[child, tree.player[tree.parent[child]]]}"


def betting_text(tree: BettingTree, node: int) -> str:
    """Returns the betting that leads to a node in ACPC notation, but without slashes between streets: ``r250c``."""
    tokens: list[str] = []
    while node:
        if tree.action[node] != ActionKind.DEAL:
            tokens.append(betting_token(tree, node))
        node = int(tree.parent[node])
    return "".join(reversed(tokens))
