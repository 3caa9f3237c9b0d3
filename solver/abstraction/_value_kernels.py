"""Values of all hands on completed boards, as 64-bit numbers that are equal exactly when the values are equal.

RANK is the rank of seven cards. STRENGTH is ``2 * wins + ties`` against the opponents that share no card with the hand.
OPP is STRENGTH together with the multiset of the STRENGTH of these opponents, each against everything that it can meet.
Every value is mixed by a bijection of 64-bit numbers, and multisets are sums of mixed numbers modulo 2^64. RANK and
STRENGTH are therefore compared exactly. Two different multisets have equal sums with a probability of about 2^-64.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.evaluation._evaluator_kernels import NUM_RANK_CLASSES, EvaluatorTables, rank_combos_kernel
from hedgehog.runtime._random_kernels import mix_bits
from hedgehog.runtime.jit import njit, prange

NUM_CARDS = 52
_SECOND = np.uint64(0x9E3779B97F4A7C15)


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

    :param out: (combos,).
    :param order: combos that miss the board, by ascending rank; ``num_live`` of them.
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
        # Ties: what the cards of this rank add, less what shares a card; the combo itself was taken off twice.
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
    :param own: (1326,) the combos of the player, as his opponents meet them.
    :param met: (1326,) the combos of the opponent, as the player meets them.
    :param hands: (hands,) the combos whose values are wanted.
    :param cards: (1326, 2) cards of the combos.
    """
    num_combos = len(cards)
    for b in prange(len(boards)):
        ranks = np.empty(num_combos, dtype=np.int32)
        rank_combos_kernel(ranks, boards[b], tables)
        # Sort by counting.
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
