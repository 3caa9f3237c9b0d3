"""What every hand is worth on completed boards, written as 64-bit numbers that can be compared and added.

Hands are grouped by three measures on five board cards:

* RANK: the rank of the hand's seven cards.
* STRENGTH: ``2 * wins + ties`` against the opponent's hands that share no card with it.
* OPP: STRENGTH, and beside it which STRENGTH each of these opponent's hands has, as a multiset (their number by value,
  in no order). Two hands of equal STRENGTH differ in OPP if they block different hands of the opponent.

A later step compares hands over many boards by adding up their numbers. So each value is first mixed: ``mix_bits`` maps
64-bit numbers one to one onto numbers that look random. Equal values stay equal, and sums of mixed numbers, modulo
2^64, stand for multisets: those of different multisets agree with a probability of about 2^-64. RANK and STRENGTH on
one board are exact, because nothing is added there.

Cost of a board: 1,326 evaluations of seven cards, a sort by counting over the rank classes, and two passes over the
hands for wins and ties. Boards are independent and are spread over the threads.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.evaluation._evaluator_kernels import NUM_RANK_CLASSES, EvaluatorTables, rank_combos_kernel
from hedgehog.runtime._random_kernels import mix_bits
from hedgehog.runtime.jit import njit, prange

NUM_CARDS = 52
_SECOND = np.uint64(0x9E3779B97F4A7C15)
"""Added to the hand's own STRENGTH in OPP, so that it is mixed to another number than the STRENGTH of an opponent."""


@njit
def strengths_kernel(
    out: NDArray[np.int32],
    order: NDArray[np.int32],
    num_live: int,
    ranks: NDArray[np.int32],
    cards: NDArray[np.uint8],
    met: NDArray[np.bool_],
) -> None:
    """Writes ``2 * wins + ties`` of every combo that misses the board; other combos keep what they have.

    The combos are walked from the weakest to the strongest, one group of equal rank at a time. On the way ``total`` is
    the number of opponent's combos that are weaker, and ``by_card[c]`` how many of them hold card ``c``. A combo of
    cards ``a`` and ``b`` beats ``total - by_card[a] - by_card[b]`` of them: no weaker combo holds both cards, because
    that would be the combo itself. Ties are counted by the same difference before and after the group is added. So a
    board costs time in proportion to the combos, not to their pairs.

    :param out: (combos,).
    :param order: combos that miss the board, by ascending rank; ``num_live`` of them.
    :param ranks: (combos,) rank of the seven cards; larger is stronger.
    :param cards: (combos, 2) cards of the combos.
    :param met: (combos,) the opponent's combos, each of which counts once.
    """
    total = 0
    by_card = np.zeros(NUM_CARDS, dtype=np.int32)
    start = 0
    while start < num_live:
        end = start
        rank = ranks[order[start]]
        tied = 0
        while end < num_live and ranks[order[end]] == rank:
            combo = order[end]
            out[combo] = 2 * (total - by_card[cards[combo, 0]] - by_card[cards[combo, 1]])
            tied += met[combo]
            end += 1
        # Ties, in three loops: add ``by_card`` as it was before the group, put the group into it, and take off
        # ``by_card`` as it is now. What is left of ``tied`` are the combos of the group without card a or b. The combo
        # itself is under both its cards and thus taken off twice, but is in ``tied`` once: ``met[combo]`` puts it back.
        for k in range(start, end):
            combo = order[k]
            out[combo] += by_card[cards[combo, 0]] + by_card[cards[combo, 1]]
        for k in range(start, end):
            combo = order[k]
            if met[combo]:
                by_card[cards[combo, 0]] += 1
                by_card[cards[combo, 1]] += 1
        for k in range(start, end):
            combo = order[k]
            out[combo] += tied + met[combo] - by_card[cards[combo, 0]] - by_card[cards[combo, 1]]
        total += tied
        start = end


@njit(parallel=True)
def board_values_kernel(
    rank: NDArray[np.uint64],
    strength: NDArray[np.uint64],
    opp: NDArray[np.uint64],
    raw: NDArray[np.int32],
    boards: NDArray[np.uint8],
    own: NDArray[np.bool_],
    met: NDArray[np.bool_],
    hands: NDArray[np.int64],
    cards: NDArray[np.uint8],
    tables: EvaluatorTables,
) -> None:
    """Writes the mixed values of a player's hands on completed boards; 0 where a hand shares a card with the board.

    :param rank: (boards, hands); so are ``strength`` and ``opp``.
    :param raw: (boards, hands) receives ``2 * wins + ties``, -1 where the hand is blocked.
    :param boards: (boards, 5) card ids.
    :param own: (1326,) the combos of the player, as its opponents meet them.
    :param met: (1326,) the combos of the opponent, as the player meets them.
    :param hands: (hands,) the combos whose values are wanted.
    :param cards: (1326, 2) cards of the combos.
    """
    num_combos = len(cards)
    for b in prange(len(boards)):
        ranks = np.empty(num_combos, dtype=np.int32)
        rank_combos_kernel(ranks, boards[b], tables)
        # Sort by counting: starts[r] is where rank r begins in ``order``, and moves on as the rank's combos are put in.
        starts = np.zeros(NUM_RANK_CLASSES + 2, dtype=np.int32)
        for combo in range(num_combos):
            if ranks[combo] >= 0:
                starts[ranks[combo] + 1] += 1
        for r in range(1, len(starts)):
            starts[r] += starts[r - 1]
        num_live = int(starts[-1])
        order = np.empty(num_combos, dtype=np.int32)
        for combo in range(num_combos):
            if ranks[combo] >= 0:
                order[starts[ranks[combo]]] = combo
                starts[ranks[combo]] += 1
        mine = np.full(num_combos, -1, dtype=np.int32)
        theirs = np.full(num_combos, -1, dtype=np.int32)
        strengths_kernel(mine, order, num_live, ranks, cards, met)
        strengths_kernel(theirs, order, num_live, ranks, cards, own)
        # The multiset of the opponent's STRENGTH as a sum over all its combos, and the part of it under each card: the
        # combos that a hand can meet are the sum less the parts under its two cards, plus the combo of these two
        # cards, which is in both.
        total = np.uint64(0)
        by_card = np.zeros(NUM_CARDS, dtype=np.uint64)
        for combo in range(num_combos):
            if met[combo] and ranks[combo] >= 0:
                here = mix_bits(np.uint64(theirs[combo] + 1))
                total += here
                by_card[cards[combo, 0]] += here
                by_card[cards[combo, 1]] += here
        for h in range(len(hands)):
            combo = hands[h]
            raw[b, h] = mine[combo]
            if ranks[combo] < 0:
                rank[b, h] = strength[b, h] = opp[b, h] = np.uint64(0)
                continue
            rank[b, h] = mix_bits(np.uint64(ranks[combo]))
            strength[b, h] = mix_bits(np.uint64(mine[combo] + 1))
            seen = total - by_card[cards[combo, 0]] - by_card[cards[combo, 1]]
            if met[combo]:
                seen += mix_bits(np.uint64(theirs[combo] + 1))
            opp[b, h] = mix_bits(seen ^ mix_bits(_SECOND + np.uint64(mine[combo])))
