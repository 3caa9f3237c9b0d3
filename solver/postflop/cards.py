"""The cards of a postflop game as the kernels need them: hands, boards and suit swaps of a :class:`CardGame`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import combo_mask
from hedgehog.poker.evaluation.evaluator import rank_combos
from hedgehog.poker.streets import RIVER
from hedgehog.solver.cfr.card_game import BLOCKED, CardGame, CardLevel
from hedgehog.solver.postflop.chance import Range, Runouts, combo_permutation
from hedgehog.solver.postflop.merging import MergedCards, count_copies

Combos = NDArray[np.int64]

# Probability of one turn or river card, given the board before it and two hands that do not hold it.
_CARD_WEIGHT = {2: 1 / 45, 3: 1 / 44}


def make_card_game(
    cards: MergedCards, root_street: int, ranges: Sequence[Range]
) -> tuple[CardGame, tuple[Combos, Combos], tuple[Combos, Combos]]:
    """Returns the card game of a spot, each player's combos, and the index of each combo in the list of its hands.

    :param cards: the hands that are kept and the cards that are dealt.
    :param root_street: street of the root, 1 flop to 3 river.
    :param ranges: float32[1326] weights of OOP and IP.
    """
    runouts = cards.runouts
    mask = combo_mask(runouts.board)
    combos = tuple(np.flatnonzero(mask & (weights > 0)) for weights in ranges)
    hands, weights, places = [], [], []
    for player in (0, 1):
        found, first, place = np.unique(cards.hand_of[combos[player]], return_index=True, return_inverse=True)
        hands.append(found.astype(np.int32))
        weights.append(np.asarray(ranges[player][combos[player][first]], dtype=np.float32))
        places.append(place)
    # All combos, hand by hand, and where each hand begins.
    union = np.flatnonzero(cards.hand_of >= 0)
    union = union[np.argsort(cards.hand_of[union], kind="stable")]
    start = np.searchsorted(cards.hand_of[union], np.arange(len(cards.hands)))

    pairs = _swap_pairs(runouts)
    levels = []
    for street in range(root_street, RIVER + 1):
        boards = boards_on(runouts, street)
        if street == RIVER:
            strengths = np.stack([rank_combos(board) for board in boards])[:, union]
        else:
            strengths = np.stack([np.where(combo_mask(board)[union], 0, BLOCKED) for board in boards])
        if cards.merged:
            # The combos of a hand that miss the board are equally strong.
            strengths = np.maximum.reduceat(strengths, start, axis=1)
        parent = np.zeros(len(boards) if street > root_street else 0, dtype=np.int32)
        if street == RIVER and root_street == 1:
            parent = np.repeat(np.arange(runouts.num_turns, dtype=np.int32), np.diff(runouts.first_river))
        levels.append(
            CardLevel(
                strengths=strengths.astype(np.int32),
                parent=parent,
                weight=1.0 if street == root_street else _CARD_WEIGHT[street],
                swaps=_twins(cards, street, len(boards), pairs),
                copies=count_copies(cards, boards) if cards.merged else None,
            )
        )
    swaps = [cards.hand_of[combo_permutation(a, b)[union[start]]] for a, b in pairs]
    game = CardGame(
        cards=cards.hands,
        hands=(hands[0], hands[1]),
        weights=(weights[0], weights[1]),
        levels=tuple(levels),
        swaps=np.array(swaps, dtype=np.int32).reshape(-1, len(cards.hands)),
    )
    return game, (combos[0], combos[1]), (places[0], places[1])


def boards_on(runouts: Runouts, street: int) -> list[tuple[int, ...]]:
    """Returns the boards that are solved on a street (1 flop to 3 river), as card ids."""
    flop = runouts.board[:3]
    if street == 1:
        return [flop]
    turns = [(*flop, int(turn)) for turn in runouts.turns]
    if street == 2:
        return turns
    first = runouts.first_river
    return [(*four, int(river)) for t, four in enumerate(turns) for river in runouts.rivers[first[t] : first[t + 1]]]


def _swap_pairs(runouts: Runouts) -> list[tuple[int, int]]:
    """Returns the suit swaps that turn a representative card into another one."""
    swaps = np.concatenate([runouts.turn_swap, runouts.river_swap.reshape(-1, 2)])
    return sorted({(min(a, b), max(a, b)) for a, b in np.unique(swaps, axis=0).tolist() if a != b})


def _twins(
    cards: MergedCards, street: int, num_boards: int, pairs: list[tuple[int, int]]
) -> tuple[tuple[int, ...], ...]:
    """Returns per board of a street the suit swaps (indices into ``pairs``) of the classes of cards it stands for."""
    twins: list[list[int]] = [[] for _ in range(num_boards)]
    if street > 1:
        runouts = cards.runouts
        index_of = runouts.turn_of[None] if street == 2 else runouts.river_of
        swap = runouts.turn_swap[None] if street == 2 else runouts.river_swap
        seen = set()
        for above, card in np.argwhere((index_of >= 0) & (swap[..., 0] != swap[..., 1])).tolist():
            twin = above, int(cards.classes[card])
            if twin not in seen:
                seen.add(twin)
                a, b = sorted(swap[above, card].tolist())
                twins[index_of[above, card]].append(pairs.index((a, b)))
    return tuple(tuple(board) for board in twins)
