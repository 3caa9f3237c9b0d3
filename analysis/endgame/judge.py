"""Judges strategies of a turn and its rivers: exact best responses over exact hands, and where they win.

The judge's tree has every betting line that counts (:mod:`hedgehog.analysis.endgame.lines`). The strategies of both
seats are written into the averages of a solver of this tree, whose exact best responses then choose on turn and river.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.endgame.lines import PlayedLines, Row
from hedgehog.analysis.endgame.turns import Turn
from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.cards import NUM_COMBOS
from hedgehog.poker.streets import RIVER, TURN
from hedgehog.solver.cfr.layout import board_block
from hedgehog.solver.postflop.cards import boards_on
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare_tree
from hedgehog.solver.postflop.solution import met_weight
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import (
    StreetSizes,
    TreeConfig,
    build_postflop_tree,
    format_action,
    format_line,
    line_of,
    node_for_line,
)
from hedgehog.strategies.betting_tree import BettingTree, NodeKind

ALGORITHM = "gamma5"


class TurnValue(NamedTuple):
    """The value of a turn under exact play, for position 1; position 0 has the opposite."""

    chips: float
    """Middle of the two bounds, in chips beyond half the pot."""
    bracket: float
    """Half the distance of the bounds."""


def judge_spot(turn: Turn, stack: int, played: PlayedLines, ranges: NDArray[np.float64]) -> PreparedSpot:
    """Returns the spot with all lines that count and nothing else.

    :param stack: chips behind at the start of the turn.
    :param ranges: (2, 1326) weights by position at the start of the turn.
    """
    none = StreetSizes(parse_bet_sizes(""), parse_bet_sizes(""))
    tree = build_postflop_tree(TreeConfig(TURN, turn.pot, stack, (none, none)), played.lines)
    return prepare_tree(tree, turn.board, list(ranges.astype(np.float32)), isomorphism=False, merge_cards=False)


def judge_of(spot: PreparedSpot, played: PlayedLines, threads: int = 1) -> PostflopSolver:
    """Returns a solver whose averages are the strategies of both seats."""
    judge = PostflopSolver(spot, threads=threads)
    tree = spot.tree
    numbers = {board[-1]: number for number, board in enumerate(boards_on(spot.cards.runouts, RIVER))}
    for (line, card), rows in played.rows.items():
        node = node_for_line(tree, line)
        of_actions = np.zeros((int(tree.num_children[node]), NUM_COMBOS), dtype=np.float32)
        for row, child in zip(of_actions, tree.children(node), strict=True):
            row[:] = rows.get(format_action(tree, child), 0)
        _write(judge, node, numbers[card] if card >= 0 else 0, of_actions)
    return judge


def _write(judge: PostflopSolver, node: int, board: int, rows: Row) -> None:
    """Writes the strategy of a decision into the averages of a solver.

    :param board: number of the board on its street.
    :param rows: float32 (actions, 1326).
    """
    spot, player = judge.spot, int(judge.tree.player[node])
    level = int(judge.tree.street[node]) - spot.street
    block = board_block(spot.game, spot.layout, judge.averages[player], level, board, player)
    padded = np.zeros((len(rows), block.shape[0] * block.shape[2]), dtype=np.float32)
    padded[:, spot.hands[player]] = rows[:, spot.combos[player]]
    first = int(spot.layout.forests[level].row[spot.slots[level][node]])
    block[:, first : first + len(rows)] = padded.reshape(len(rows), block.shape[0], -1).transpose(1, 0, 2)


def value_of(spot: PreparedSpot, iterations: int, threads: int = 1) -> TurnValue:
    """Solves the turn exactly and returns its value.

    :param iterations: iterations of the solver.
    """
    solver = PostflopSolver(spot, threads=threads, algorithm=ALGORITHM)
    solver.run(iterations)
    first, second = solver.exploitability().best_response_ev_minus_half_pot
    return TurnValue((second - first) / 2, (second + first) / 2)


def gain_by_line(judge: PostflopSolver, responder: int) -> dict[str, float]:
    """Splits what a best response wins beyond the player's own strategy by where it first leaves this strategy.

    On the turn that is an action, ``X B300``; on the rivers after a line of the turn all of them together, ``X X /``.
    The gain of a place is that of all hands which come there by the player's own strategy, leave it there and respond
    best from then on. No gain is below 0 but for rounding, and their sum is the whole gain.

    :param judge: holds the strategies of both seats, which it has again afterwards.
    :param responder: the seat that responds.
    :returns: by line the chips per hand that comes to the turn, the largest first.
    """
    tree, own = judge.tree, judge.averages[responder].copy()
    turn = [node for node in range(tree.num_nodes) if tree.street[node] == TURN]
    reach = {node: judge.node_reach(responder, node) for node in turn}
    rows = {node: judge.node_strategy(node) for node in turn if tree.kind[node] == NodeKind.DECISION}
    before = {node: judge.node_values(node)[responder] for node in turn if tree.kind[node] == NodeKind.DEAL}
    _change(judge, responder, judge.best_response_table(responder).weights)
    after = {node: judge.node_values(node)[responder] for node in turn}
    gains: dict[str, float] = {}
    for node in turn:
        met = met_weight(judge.node_reach(1 - responder, node), judge.board)
        weight = reach[node] * met / judge.spot.pair_weight
        come = weight > 0
        name = format_line(line_of(tree, node))
        if tree.kind[node] == NodeKind.DEAL:
            gains[f"{name} /"] = float(weight[come] @ (after[node] - before[node])[come])
        elif tree.kind[node] == NodeKind.DECISION and tree.player[node] == responder:
            children = list(tree.children(node))
            values = np.stack([after[child] - _put_in(tree, node, child) for child in children])[:, come]
            best, mean = values.max(axis=0), (rows[node][:, come] * values).sum(axis=0)
            chosen = judge.node_strategy(node)[:, come]
            for child, share in zip(children, chosen, strict=True):
                gains[format_line(line_of(tree, child))] = float((weight[come] * share) @ (best - mean))
    _change(judge, responder, own)
    return dict(sorted(gains.items(), key=lambda item: -item[1]))


def _put_in(tree: BettingTree, node: int, child: int) -> int:
    player = tree.player[node]
    return int(tree.committed[child, player] - tree.committed[node, player])


def _change(judge: PostflopSolver, player: int, weights: NDArray[np.float32]) -> None:
    """Gives a seat another strategy."""
    judge.averages[player][:] = weights
    judge.restore(judge.iterations, judge.state())  # forgets the values of the strategy before
