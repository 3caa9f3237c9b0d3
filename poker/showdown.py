"""Hand ranks for any number of cards, and what every position wins or loses in a finished hand.

Small and general: any ACPC game, hole cards and board of any size. For speed in hold'em use :mod:`poker.evaluator`.
"""

from __future__ import annotations

from collections.abc import Sequence

from poker.errors import MatchError
from poker.state import HandState

_WHEEL = 0b1_0000_0000_1111  # ace, five, four, three, two
(_HIGH_CARD, _PAIR, _TWO_PAIR, _TRIPS, _STRAIGHT, _FLUSH, _FULL_HOUSE, _QUADS, _STRAIGHT_FLUSH) = range(9)


def _straight_high(rank_mask: int) -> int:
    """Returns the top rank of the best straight in a mask of ranks, or -1; the wheel is five-high."""
    runs = rank_mask & rank_mask >> 1 & rank_mask >> 2 & rank_mask >> 3 & rank_mask >> 4
    if runs:
        return runs.bit_length() + 3
    return 3 if rank_mask & _WHEEL == _WHEEL else -1


def _pack(category: int, ranks: Sequence[int]) -> int:
    value = category
    for rank in (*ranks, *(-1,) * (5 - len(ranks))):
        value = value << 4 | rank + 1
    return value


def hand_rank(cards: Sequence[int]) -> int:
    """Ranks the best hand of at most five cards that can be made from ``cards``; a larger number wins.

    With fewer than five cards only pairs, two pairs, trips, quads and high cards count. Ranks compare hands made
    from equally many cards.

    :param cards: different card ids, in any order.
    """
    counts = [0] * 13
    suit_masks = [0] * 4
    for card in cards:
        counts[card >> 2] += 1
        suit_masks[card & 3] |= 1 << (card >> 2)
    by_rank = [rank for rank in range(12, -1, -1) if counts[rank]]
    flushes = [mask for mask in suit_masks if mask.bit_count() >= 5]

    straight_flush = max((_straight_high(mask) for mask in flushes), default=-1)
    if straight_flush >= 0:
        return _pack(_STRAIGHT_FLUSH, [straight_flush])
    quads = next((rank for rank in by_rank if counts[rank] == 4), None)
    if quads is not None:
        return _pack(_QUADS, [quads, *[rank for rank in by_rank if rank != quads][:1]])
    trips = next((rank for rank in by_rank if counts[rank] == 3), None)
    pairs = [rank for rank in by_rank if counts[rank] >= 2 and rank != trips]
    if trips is not None and pairs:
        return _pack(_FULL_HOUSE, [trips, pairs[0]])
    if flushes:
        return max(_pack(_FLUSH, [rank for rank in range(12, -1, -1) if mask >> rank & 1][:5]) for mask in flushes)
    straight = _straight_high(sum(1 << rank for rank in by_rank))
    if straight >= 0:
        return _pack(_STRAIGHT, [straight])
    if trips is not None:
        return _pack(_TRIPS, [trips, *[rank for rank in by_rank if rank != trips][:2]])
    if len(pairs) >= 2:
        return _pack(_TWO_PAIR, [*pairs[:2], *[rank for rank in by_rank if rank not in pairs[:2]][:1]])
    if pairs:
        return _pack(_PAIR, [pairs[0], *[rank for rank in by_rank if rank != pairs[0]][:3]])
    return _pack(_HIGH_CARD, by_rank[:5])


def payoffs(state: HandState, hole_cards: Sequence[Sequence[int]], board: Sequence[int]) -> list[float]:
    """Returns the chips won (positive) or lost per position in a finished hand.

    Pots are split evenly and fractions kept; the order of floating-point operations is that of the official dealer,
    so that printed values agree digit by digit.

    :param hole_cards: per position; the hands of folded players may be empty.
    :param board: all board cards of the last round; ignored unless the hand ends in a showdown.
    :raises MatchError: if it is a showdown in which nobody has put in a chip (the official dealer crashes on it).
    """
    assert state.finished
    positions = range(state.gamedef.num_players)
    if not state.is_showdown:
        pot = sum(state.spent)
        return [
            float(-spent if folded else pot - spent) for spent, folded in zip(state.spent, state.folded, strict=True)
        ]
    ranks = [0 if state.folded[p] else hand_rank([*hole_cards[p], *board]) for p in positions]
    if sum(spent > 0 for spent in state.spent) < 2:
        raise MatchError("nobody has put in a chip before the showdown: the game has no pot to play for")
    return [float(-state.spent[p]) if state.folded[p] else _showdown_value(p, state.spent, ranks) for p in positions]


def _showdown_value(position: int, spent: Sequence[int], ranks: Sequence[int]) -> float:
    """Pays one position out of every side pot it takes part in, smallest pot first."""
    left = {p: amount for p, amount in enumerate(spent) if amount > 0}
    value = 0.0
    while position in left:
        size = min(left.values())
        best = max(ranks[p] for p in left)
        if ranks[position] == best:
            winners = sum(ranks[p] == best for p in left)
            value += size * (len(left) - winners) / winners
        else:
            value -= size
        left = {p: amount - size for p, amount in left.items() if amount > size}
    return value
