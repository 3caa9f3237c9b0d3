"""The cards of a postflop game as the kernels need them: hands, boards and suit swaps of a :class:`CardGame`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from poker.cards import COMBO_CARDS, NUM_COMBOS, combo_mask
from poker.evaluator import rank_combos
from solver.card_game import BLOCKED, CardGame, CardLevel
from solver.chance import Range, Runouts, combo_permutation

RIVER = 3
# Probability of one turn or river card, given the board before it and two hands that do not hold it.
_CARD_WEIGHT = {2: 1 / 45, 3: 1 / 44}


def swap_pairs(runouts: Runouts) -> list[tuple[int, int]]:
    """Returns the suit swaps that turn a representative card into another one."""
    swaps = np.concatenate([runouts.turn_swap, runouts.river_swap.reshape(-1, 2)])
    return sorted({(min(a, b), max(a, b)) for a, b in np.unique(swaps, axis=0).tolist() if a != b})


def make_card_game(
    runouts: Runouts, root_street: int, ranges: Sequence[Range], pairs: list[tuple[int, int]]
) -> tuple[CardGame, tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Builds what the kernels need to know about the cards; also returns the combos of both players' hands."""
    mask = combo_mask(runouts.board)
    combos = tuple(np.flatnonzero(mask & (weights > 0)) for weights in ranges)
    union = np.union1d(*combos)
    row = np.full(NUM_COMBOS, -1, dtype=np.int32)
    row[union] = np.arange(len(union))

    levels = []
    for street in range(root_street, RIVER + 1):
        boards = boards_on(runouts, street)
        if street == RIVER:
            strengths = np.stack([rank_combos(board) for board in boards])[:, union]
        else:
            strengths = np.stack([np.where(combo_mask(board)[union], 0, BLOCKED) for board in boards])
        parent = np.zeros(len(boards) if street > root_street else 0, dtype=np.int32)
        if street == RIVER and root_street == 1:
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


def boards_on(runouts: Runouts, street: int) -> list[tuple[int, ...]]:
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
