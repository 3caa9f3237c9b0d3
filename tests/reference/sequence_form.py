"""The value of a small two-player zero-sum card game by linear programming over realisation plans.

Koller, Megiddo and von Stengel, "Fast algorithms for finding randomized strategies in game trees" (1994).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, hstack

from hedgehog.strategies.betting_tree import NodeKind
from tests.reference.slow_cfr import Array, Board, Given, SlowGame


class _Sequences:
    """The sequences of one player with one hand. Column 0 is the empty sequence; the others follow as found."""

    def __init__(self) -> None:
        self.count = 1
        # (column of the parent, columns of the actions, given probabilities (actions, hands) with NaN where free)
        self.decisions: list[tuple[int, range, Array | None]] = []

    def extend(self, parent: int, actions: int, given: Array | None) -> range:
        columns = range(self.count, self.count + actions)
        self.count += actions
        self.decisions.append((parent, columns, given))
        return columns

    def constraints(self, hands: int) -> tuple[csr_array, Array]:
        """Returns the equations that make a vector over (hand, column) a realisation plan for every hand."""
        rows, columns, data, target = [], [], [], []

        def equation(hand: int, entries: list[tuple[int, float]], right: float = 0.0) -> None:
            for column, value in entries:
                rows.append(len(target))
                columns.append(hand * self.count + column)
                data.append(value)
            target.append(right)

        for hand in range(hands):
            equation(hand, [(0, 1.0)], 1.0)
            for parent, children, given in self.decisions:
                if given is None or np.isnan(given[0, hand]):
                    equation(hand, [(parent, -1.0), *((child, 1.0) for child in children)])
                else:
                    for child, probability in zip(children, given[:, hand], strict=True):
                        equation(hand, [(child, 1.0), (parent, -float(probability))])
        return csr_array((data, (rows, columns)), shape=(len(target), hands * self.count)), np.array(target)


def game_value(game: SlowGame, given: Given | None = None, seen: Callable[[Board], Board] | None = None) -> float:
    """Returns the value for player 0 in chips per dealt pair of hands; the game must be zero-sum (no rake).

    :param given: strategies that nobody can deviate from.
    :param seen: what players see of a complete board. Boards of which they see the same have one strategy.
    """
    tree = game.tree
    players = (_Sequences(), _Sequences())
    confused: dict[tuple[int, Board], range] = {}
    terminals: list[tuple[int, int, Array]] = []

    def walk(node: int, board: Board, at: tuple[int, int], chance: float) -> None:
        kind = tree.kind[node]
        if kind == NodeKind.DEAL:
            for card in game.deals(board):
                walk(int(tree.first_child[node]), (*board, card), at, chance * game.deal_probability(board))
        elif kind == NodeKind.DECISION:
            player = int(tree.player[node])
            fixed = given(node, board) if given else None
            key = (node, seen(board) if seen is not None and len(board) == 5 else board)
            if key not in confused:
                confused[key] = players[player].extend(at[player], int(tree.num_children[node]), fixed)
            columns = confused[key]
            for child, column in zip(tree.children(node), columns, strict=True):
                walk(child, board, (column, at[1]) if player == 0 else (at[0], column), chance)
        else:
            weights = np.outer(game.weights[0] * game.live(0, game.board), game.weights[1] * game.live(1, game.board))
            terminals.append((*at, chance * weights * game.payoffs(node, board, 0)))

    walk(0, game.board, (0, 0), 1.0)
    hands = [len(holes) for holes in game.holes]
    rows, columns, data = [], [], []
    for first, second, payoff in terminals:
        own, other = np.nonzero(payoff)
        rows.append(own * players[0].count + first)
        columns.append(other * players[1].count + second)
        data.append(payoff[own, other])
    shape = (hands[0] * players[0].count, hands[1] * players[1].count)
    payoffs = csr_array((np.concatenate(data), (np.concatenate(rows), np.concatenate(columns))), shape=shape)

    # max over own plans x and the opponent's dual values v of f'v, with E x = e and F'v <= A'x.
    own_matrix, own_target = players[0].constraints(hands[0])
    other_matrix, other_target = players[1].constraints(hands[1])
    num_own, num_dual = shape[0], len(other_target)
    result = linprog(
        np.concatenate([np.zeros(num_own), -other_target]),
        A_ub=hstack([-payoffs.T, other_matrix.T]),
        b_ub=np.zeros(shape[1]),
        A_eq=hstack([own_matrix, csr_array((len(own_target), num_dual))]),
        b_eq=own_target,
        bounds=[(0, None)] * num_own + [(None, None)] * num_dual,
        method="highs",
    )
    assert result.status == 0, result.message
    return -float(result.fun) / game.pair_weight
