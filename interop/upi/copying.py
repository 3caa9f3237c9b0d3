"""Copies average strategies into a solver of the same betting tree that stores other boards or hands."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.cfr.layout import board_block, rows_by_hand
from hedgehog.solver.postflop.cards import boards_on
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.solver.postflop.solver import PostflopSolver


def copy_averages(old: PostflopSolution, new: PostflopSolver) -> None:
    """Gives a new solver the average strategies of a solution at every decision, but where its own locks decide.

    Locks say which suits and cards may be treated alike, so two solves of one tree may store other boards and hands.

    :param old: strategies for the same board, ranges and betting tree.
    :param new: a solver, whose averages are replaced. Its regrets stay.
    """
    spot = new.spot
    state = new.state()
    for level in range(len(spot.game.levels)):
        for number, board in enumerate(boards_on(spot.cards.runouts, spot.street + level)):
            for player, name in enumerate(("average_oop", "average_ip")):
                block = board_block(spot.game, spot.layout, state[name], level, number, player)
                rows = _rows_on(old, new, board, player)
                _impose_locks(new, rows, level, number, player)
                padded = np.zeros((len(rows), block.shape[0] * LANES), dtype=np.float32)
                padded[:, : rows.shape[1]] = rows
                block[:] = padded.reshape(len(rows), block.shape[0], LANES).transpose(1, 0, 2)
    new.restore(old.iterations, state)


def _rows_on(old: PostflopSolution, new: PostflopSolver, board: tuple[int, ...], player: int) -> NDArray[np.float32]:
    """Returns float32[rows, hands of ``new``]: what ``old`` has stored for a player on one board."""
    before, after = old.spot, new.spot
    dealt = board[len(after.board) :]
    level, number, permutation = before.locate_board(dealt)
    block = board_block(before.game, before.layout, old.averages[player], level, number, player)
    stored = rows_by_hand(before.game, block, player)
    by_combo = np.zeros((len(stored), NUM_COMBOS), dtype=np.float32)
    by_combo[:, before.combos[player]] = stored[:, before.hands[player]]
    if permutation is not None:
        by_combo = by_combo[:, permutation]
    # Any live combo of a hand has the strategy of the hand.
    live = combo_mask(dealt)[after.combos[player]]
    rows = np.zeros((len(stored), len(after.game.hands[player])), dtype=np.float32)
    rows[:, after.hands[player][live]] = by_combo[:, after.combos[player][live]]
    return rows


def _impose_locks(new: PostflopSolver, rows: NDArray[np.float32], level: int, number: int, player: int) -> None:
    tree, forest = new.tree, new.spot.layout.forests[level]
    for lock in reversed(new.spot.board_locks):  # the first lock of a hand decides
        if tree.player[lock.node] != player or tree.street[lock.node] - tree.street[0] != level:
            continue
        if number in lock.boards:
            first = int(forest.row[new.spot.slots[level][lock.node]])
            given = lock.strategy >= 0
            part = rows[first : first + len(given)]
            part[given] = lock.strategy[given]
