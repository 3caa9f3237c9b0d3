"""Kernels that build action-sequence trees, walk hands through them, and count."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.jit import njit

NO_NODE: Final = -1
EDGES: Final = 3
"""Fold, check or call, raise: the possible children of a node, in this order."""
ROOT_KIND: Final = 255


class Nodes(NamedTuple):
    """The nodes of a tree with room for more; the root is node 0."""

    children: NDArray[np.int32]
    """(C, 3) the child after fold, check or call, and raise; -1 where there is none."""
    parent: NDArray[np.int32]
    """(C,) the node above; -1 at the root."""
    kind: NDArray[np.uint8]
    """(C,) 0 fold, 1 check or call, 2 raise; 255 at the root."""
    round: NDArray[np.uint8]
    """(C,) round of the action that leads here; at the root 0."""
    seat: NDArray[np.uint8]
    """(C,) who took the action that leads here: 0 big blind, 1 small blind; at the root 0."""
    round_raises: NDArray[np.uint8]
    """(C,) bets and raises in the round, this one included; the big blind does not count."""
    hand_raises: NDArray[np.uint8]
    """(C,) bets and raises in the hand, this one included."""
    hands: NDArray[np.uint32]
    """(C,) number of hands that came here."""
    pot: NDArray[np.float64]
    """(C,) sum over these hands of the pot before the action that leads here, in big blinds."""


@njit(cache=True)
def build_tree_kernel(nodes: Nodes, rounds: int, per_round: int, total: int) -> int:
    """Builds the whole action-sequence tree breadth-first. Returns its number of nodes.

    :param nodes: columns with room for all nodes, ``children`` filled with -1, the root in row 0.
    :param rounds: number of betting rounds.
    :param per_round: raises allowed in a round; the big blind counts as one of them before the flop.
    :param total: raises allowed in the hand.
    """
    count = 1
    node = 0
    while node < count:
        kind = nodes.kind[node]
        street = int(nodes.round[node])
        raises = int(nodes.round_raises[node])
        actor = 1
        over = kind == 0
        acted = kind != ROOT_KIND
        if acted and not over:
            # A call closes the round unless it is the round's first action.
            first = _is_first(nodes, node)
            actor = 1 - int(nodes.seat[node])
            if kind == 1 and not first:
                if street + 1 >= rounds:
                    over = True
                street += 1
                raises = 0
                actor = 0
                acted = False
        if not over:
            for edge in range(EDGES):
                blind = 1 if street == 0 else 0
                if edge == 2 and (raises + blind >= per_round or int(nodes.hand_raises[node]) >= total):
                    continue
                _add(nodes, count, node, edge, street, actor, raises)
                count += 1
        node += 1
    return count


@njit(cache=True, inline="always")
def _is_first(nodes: Nodes, node: int) -> bool:
    """Returns True if the action that leads to a node is the first one of its round."""
    parent = nodes.parent[node]
    return bool(parent == 0 or nodes.round[parent] != nodes.round[node])


@njit(cache=True, inline="always")
def _add(nodes: Nodes, node: int, parent: int, edge: int, street: int, actor: int, raises: int) -> None:
    """Adds a node, whose row is as :func:`allocate_nodes` made it, below ``parent``."""
    more = 1 if edge == 2 else 0
    nodes.children[parent, edge] = node
    nodes.parent[node] = parent
    nodes.kind[node] = edge
    nodes.round[node] = street
    nodes.seat[node] = actor
    nodes.round_raises[node] = min(raises + more, 255)
    nodes.hand_raises[node] = min(int(nodes.hand_raises[parent]) + more, 255)


@njit(cache=True)
def walk_kernel(
    node_of_action: NDArray[np.int32],
    nodes: Nodes,
    count: int,
    first_action: NDArray[np.int64],
    kind: NDArray[np.uint8],
    street: NDArray[np.uint8],
    seat: NDArray[np.uint8],
    ordinal: NDArray[np.uint8],
    pot: NDArray[np.float64],
    grow: bool,
) -> tuple[int, int]:
    """Walks hands down a tree and counts them at its nodes. A hand stops at the first action without a child.

    :param node_of_action: (M,) becomes the node to which each action leads, -1 if it has none.
    :param nodes: the tree; with ``grow``, there is room for M more nodes.
    :param count: number of nodes of the tree.
    :param first_action: (N + 1,) row of the first action of each hand.
    :param kind: (M,) 0 fold, 1 check, 2 call, 3 bet or raise.
    :param street: (M,) round of each action.
    :param seat: (M,) seat of each action.
    :param ordinal: (M,) raises in the round before each action.
    :param pot: (M,) pot before each action in big blinds.
    :param grow: whether nodes are added for actions without a child.
    :returns: number of nodes afterwards, number of hands that left the tree.
    """
    uncovered = 0
    for hand in range(first_action.size - 1):
        node = 0
        nodes.hands[0] += 1
        for action in range(first_action[hand], first_action[hand + 1]):
            if node < 0:
                node_of_action[action] = NO_NODE
                continue
            edge = 0 if kind[action] == 0 else 1 if kind[action] < 3 else 2
            child = nodes.children[node, edge]
            if child < 0 and grow:
                child = count
                _add(nodes, child, node, edge, int(street[action]), int(seat[action]), int(ordinal[action]))
                count += 1
            node_of_action[action] = child
            if child < 0:
                uncovered += 1
            else:
                nodes.hands[child] += 1
                nodes.pot[child] += pot[action]
            node = child
    return count, uncovered
