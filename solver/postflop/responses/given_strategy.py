"""Strategies from anywhere on the betting tree of a spot: of a saved solve, a pack or another program.

A strategy is *given* as a betting tree and rows at its decisions. To be evaluated, or to meet another one, it is placed
on a spot: its rows become a flat array in the order of the spot's layout, as a solver stores averages::

    given = given_solution(open_solution(read_saved_solve("my-solve")))
    prepared = prepare_for_given(spot, [given])
    solver = PostflopSolver(prepared, algorithm="cgh")
    solver.restore(0, {f"average_{name}": place_rows(prepared, given, p) for p, name in enumerate(PLAYERS)})
    print(solver.exploitability())
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, format_cards, format_combo
from hedgehog.poker.streets import RIVER, STREETS
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.cfr.layout import board_block, rows_by_hand
from hedgehog.solver.postflop.cards import boards_on
from hedgehog.solver.postflop.chance import Range
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare
from hedgehog.solver.postflop.queries import goes_on
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.solver.postflop.spot import PLAYERS, PostflopSpot
from hedgehog.solver.postflop.tree import format_action, format_line, line_of
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind

NodeRows = Callable[[int, tuple[int, ...]], NDArray[np.float32]]
"""Returns float32[actions, 1326], the probabilities of the actions at a decision, from the number of its node and the
cards that were dealt after the root board. Combos that the acting player cannot hold may have anything."""


class OwnCount(NamedTuple):
    """A program that counts dealt cards in its own way."""

    program: str
    card_weights: Mapping[int, float]
    """By street, 2 turn and 3 river: the program's weight of one dealt card; ours are 1/45 and 1/44."""


@dataclass(frozen=True, slots=True, eq=False)
class GivenStrategy:
    """A strategy of both players on one board."""

    tree: BettingTree
    """Its betting lines. Nodes may be numbered and actions ordered in any way that :class:`BettingTree` allows."""
    board: tuple[int, ...]
    """Card ids of the board at the root."""
    ranges: tuple[Range, Range]
    """float32[1326] per player: positive where it has a strategy for a combo."""
    rows: NodeRows
    last_street: int = RIVER
    """The last street on which it has rows: 1 flop, 2 turn, 3 river."""
    solution: PostflopSolution | None = None
    """The solve of this program that it is, with averages on all streets."""
    own_count: OwnCount | None = None
    """The program that made it, if it counts dealt cards in its own way."""

    @property
    def is_complete(self) -> bool:
        """Whether it has rows on all streets."""
        return self.last_street == RIVER


def given_solution(solution: PostflopSolution, last_street: int = RIVER) -> GivenStrategy:
    """Returns the average strategies of a solution.

    :param last_street: the last street on which the solution has strategies.
    """
    return GivenStrategy(
        solution.tree,
        tuple(solution.board),
        solution.ranges,
        solution.node_strategy,
        last_street,
        solution if last_street == RIVER else None,
    )


def prepare_for_given(spot: PostflopSpot, strategies: Collection[GivenStrategy]) -> PreparedSpot:
    """Returns a spot on which strategies can be placed: without locks, merged cards and abstraction.

    Suits are interchangeable there if they are in every strategy.
    """
    free = replace(spot, locks=(), abstraction="", tremble=None)
    prepared = prepare(free, merge_cards=False)
    if all(given.solution is not None and _same_suits(prepared, given.solution.spot) for given in strategies):
        return prepared
    return prepare(free, isomorphism=False, merge_cards=False)


def _same_suits(one: PreparedSpot, other: PreparedSpot) -> bool:
    """Returns whether two spots leave out the same cards because their suits are interchangeable."""
    a, b = one.runouts, other.runouts
    pairs = [(getattr(a, name), getattr(b, name)) for name in ("turn_of", "turn_swap", "river_of", "river_swap")]
    return all(len(x) == len(y) and all(map(np.array_equal, x, y)) for x, y in pairs)


def place_rows(
    spot: PreparedSpot, given: GivenStrategy, player: int, rest: NDArray[np.float32] | None = None
) -> NDArray[np.float32]:
    """Returns a player's probabilities in a strategy, float32, flat in the order of the spot's layout.

    Where the strategy has no positive weight for a hand, all actions are equally likely.

    :param spot: the spot, from :func:`prepare_for_given`.
    :param player: 0 for OOP, 1 for IP.
    :param rest: placed rows of another strategy, for the streets that this one lacks.
    :raises SpotError: if the strategy is of another board or betting tree, lacks a hand of the player's range, or lacks
        a street for which there is no ``rest``; the message says which.
    """
    nodes = verify_fit(given, spot.tree, spot.board)
    verify_hands(given, spot.ranges[player], player)
    if not given.is_complete and rest is None:
        raise SpotError(f"has no strategy on the {STREETS[given.last_street + 1]}")
    rows = np.zeros(spot.layout.sizes[player], dtype=np.float32) if rest is None else rest.copy()
    # One combo for each hand.
    combos = spot.combos[player][np.unique(spot.hands[player], return_index=True)[1]]
    same = bool((nodes == np.arange(len(nodes))).all())
    for level in range(given.last_street - spot.street + 1):
        for index, board in enumerate(boards_on(spot.cards.runouts, spot.street + level)):
            dealt = board[len(spot.board) :]
            if same and given.solution is not None:
                by_hand = _rows_of_solution(given.solution, dealt, player, combos)
            else:
                by_hand = _rows_of_nodes(spot, given, nodes, level, dealt, player, combos)
            target = board_block(spot.game, spot.layout, rows, level, index, player)
            padded = np.zeros((len(by_hand), target.shape[0] * LANES), dtype=np.float32)
            padded[:, : by_hand.shape[1]] = by_hand
            target[:] = padded.reshape(len(by_hand), target.shape[0], LANES).transpose(1, 0, 2)
    _normalise(spot, rows, player)
    return rows


def _rows_of_solution(
    solution: PostflopSolution, dealt: tuple[int, ...], player: int, combos: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Returns float32[rows, combos]: a player's averages on one board, in the order of the rows of the layout."""
    column = np.zeros(NUM_COMBOS, dtype=np.int64)
    column[solution.spot.combos[player]] = solution.spot.hands[player]
    level, stored, permutation = solution.spot.locate_board(dealt)
    held = combos if permutation is None else permutation[combos]
    block = board_block(solution.spot.game, solution.spot.layout, solution.averages[player], level, stored, player)
    return rows_by_hand(solution.spot.game, block, player)[:, column[held]]


def _rows_of_nodes(
    spot: PreparedSpot,
    given: GivenStrategy,
    nodes: NDArray[np.int32],
    level: int,
    dealt: tuple[int, ...],
    player: int,
    combos: NDArray[np.int64],
) -> NDArray[np.float32]:
    """Returns what :func:`_rows_of_solution` does, asked for node by node.

    :param nodes: the strategy's node for each node of the spot.
    """
    tree = spot.tree
    found = np.zeros((spot.layout.forests[level].num_rows[player], len(combos)), dtype=np.float32)
    for node, first in player_rows(spot, level, player):
        children = np.array(tree.children(node))
        order = nodes[children] - given.tree.first_child[nodes[node]]
        found[first : first + len(children)] = given.rows(int(nodes[node]), dealt)[order][:, combos]
    return found


def player_rows(spot: PreparedSpot, level: int, player: int) -> Iterator[tuple[int, int]]:
    """Yields a player's decisions on a level of the layout: the node and its first row."""
    forest = spot.layout.forests[level]
    slots = np.flatnonzero((forest.row >= 0) & (spot.tree.player[forest.nodes] == player))
    yield from zip(forest.nodes[slots].tolist(), forest.row[slots].tolist(), strict=True)


def level_blocks(spot: PreparedSpot, flat: NDArray[np.float32], level: int, player: int) -> NDArray[np.float32]:
    """Returns a view of a player's rows on a level, float32[boards, blocks, rows, 16 hands]."""
    blocks, rows = spot.game.num_blocks(player), spot.layout.forests[level].num_rows[player]
    boards, start = spot.game.num_boards(level), spot.layout.bases[level][player]
    return flat[start : start + boards * blocks * rows * LANES].reshape(boards, blocks, rows, LANES)


def _normalise(spot: PreparedSpot, flat: NDArray[np.float32], player: int) -> None:
    """Turns weights into probabilities, in place."""
    for level in range(len(spot.layout.forests)):
        blocks = level_blocks(spot, flat, level, player)
        for node, first in player_rows(spot, level, player):
            rows = blocks[:, :, first : first + int(spot.tree.num_children[node])]
            np.maximum(rows, 0, out=rows)
            total = rows.sum(axis=2, keepdims=True)
            uniform = np.float32(1 / rows.shape[2])
            rows[:] = np.where(total > 0, rows / np.where(total > 0, total, 1), uniform)


def verify_fit(given: GivenStrategy, tree: BettingTree, board: Sequence[int]) -> NDArray[np.int32]:
    """Checks that a strategy is of a spot's board and betting tree, and returns its node for each node of the spot.

    :param tree: the betting tree of the spot.
    :param board: card ids of the spot's board.
    :returns: int32[nodes of the spot's tree], -1 on streets that the strategy lacks and after a called all-in.
    :raises SpotError: if not; the message names the first line at which the trees differ.
    """
    other = given.tree
    if tuple(given.board) != tuple(board):
        raise SpotError(f"is of the board {format_cards(given.board, ' ')}, the spot of {format_cards(board, ' ')}")
    own, theirs = ((each.pot(0), each.stack - int(each.committed[0].max())) for each in (tree, other))
    if own != theirs:
        raise SpotError(f"has {theirs[0]:,} in the pot and {theirs[1]:,} behind, the spot {own[0]:,} and {own[1]:,}")
    found = np.full(tree.num_nodes, -1, dtype=np.int32)
    found[0] = 0
    # Parents have lower numbers than their children.
    for node in np.flatnonzero(tree.num_children > 0).tolist():
        match = int(found[node])
        if match < 0 or tree.street[node] > given.last_street:
            continue
        if tree.kind[node] == NodeKind.DEAL and tree.street[node] == given.last_street:
            continue
        if not (goes_on(tree, node) or goes_on(other, match)):
            continue  # the rest of the board may be dealt or not
        mine = {_action(tree, child): child for child in tree.children(node)}
        its = {_action(other, child): child for child in other.children(match)}
        if mine.keys() != its.keys() or tree.kind[node] != other.kind[match]:
            raise SpotError(_difference(tree, node, other, match))
        for action, child in mine.items():
            found[child] = its[action]
    return found


def _action(tree: BettingTree, node: int) -> tuple[int, int]:
    """Returns what tells the action that leads to a node from its siblings: all bets, raises and all-ins by amount."""
    kind = min(int(tree.action[node]), int(ActionKind.BET)) if tree.action[node] != ActionKind.DEAL else -1
    return kind, int(tree.amount[node]) if kind == ActionKind.BET else 0


def _difference(tree: BettingTree, node: int, other: BettingTree, match: int) -> str:
    """Returns a sentence on a decision at which two trees differ."""
    line = format_line(line_of(tree, node))
    where = f"after {line!r}" if line else "at the first decision"
    its, mine = (_offers(*place) for place in ((other, match), (tree, node)))
    return f"is of another betting tree: {where} it has {its}, the spot {mine}"


def _offers(tree: BettingTree, node: int) -> str:
    if tree.kind[node] != NodeKind.DECISION:
        return "a card" if tree.kind[node] == NodeKind.DEAL else "the end of the betting"
    return " ".join(format_action(tree, child) for child in tree.children(node))


def verify_hands(given: GivenStrategy, weights: Range, player: int) -> None:
    """Checks that a strategy has every hand of a player's range.

    :param weights: float32[1326], the range of the spot.
    :raises SpotError: if not; the message names a hand that is missing.
    """
    missing = np.flatnonzero((weights > 0) & ~(given.ranges[player] > 0))
    if len(missing):
        hand, number = format_combo(int(missing[0])), len(missing)
        raise SpotError(f"lacks {number:,} of the spot's hands of {PLAYERS[player]}, such as {hand}")
