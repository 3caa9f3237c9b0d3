"""Hand ranks for any number of cards, and what every position wins or loses in a finished hand.

Small and general: any ACPC game, hole cards and board of any size. For speed in hold'em use :mod:`poker.evaluator`.
"""

from __future__ import annotations

from collections.abc import Sequence

from poker.errors import MatchError
from poker.state import HandState

_WHEEL = 0b1_0000_0000_1111  # ace, five, four, three, two
(_HIGH_CARD, _PAIR, _TWO_PAIR, _TRIPS, _STRAIGHT, _FLUSH, _FULL_HOUSE, _QUADS, _STRAIGHT_FLUSH) = range(9)
_RANK_BITS = tuple(1 << (card >> 2) for card in range(52))


def _straight_high(ranks: int) -> int:
    """Returns a mask of the top rank of the best straight in a mask of ranks, or 0; the wheel is five-high."""
    runs = ranks & ranks >> 1 & ranks >> 2 & ranks >> 3 & ranks >> 4
    if runs:
        return _top(runs) << 4
    return 1 << 3 if ranks & _WHEEL == _WHEEL else 0


def _top(ranks: int) -> int:
    """Returns the highest bit of a mask, or 0 if it is empty."""
    return 1 << ranks.bit_length() >> 1


def _highest(ranks: int, count: int) -> int:
    """Returns the ``count`` highest bits of a mask (all, if there are fewer)."""
    for _ in range(ranks.bit_count() - count):
        ranks &= ranks - 1
    return ranks


def hand_rank(cards: Sequence[int]) -> int:
    """Ranks the best hand of at most five cards that can be made from ``cards``; a larger number wins.

    The number consists of the category, the ranks that make it up and the kickers, the latter two as masks of ranks:
    of two masks with equally many bits, the one with the higher ranks is the larger number. With fewer than five
    cards only pairs, two pairs, trips, quads and high cards count. Ranks compare hands made from equally many cards.

    :param cards: different card ids, in any order.
    """
    suits = [0, 0, 0, 0]
    for card in cards:
        suits[card & 3] |= _RANK_BITS[card]
    clubs, diamonds, hearts, spades = suits
    ranks = clubs | diamonds | hearts | spades
    twice = clubs & diamonds | hearts & spades | (clubs | diamonds) & (hearts | spades)  # at least
    flushes = [suit for suit in suits if suit.bit_count() >= 5] if len(cards) >= 5 else []

    straight_flush = max(map(_straight_high, flushes), default=0)
    if straight_flush:
        return _value(_STRAIGHT_FLUSH, straight_flush)
    thrice = clubs & diamonds & (hearts | spades) | hearts & spades & (clubs | diamonds) if twice else 0
    if thrice:
        quads = _top(clubs & diamonds & hearts & spades)
        if quads:
            return _value(_QUADS, quads, _top(ranks ^ quads))
        trips = _top(thrice)
        if twice != trips:
            return _value(_FULL_HOUSE, trips, _top(twice ^ trips))
    if flushes:
        return _value(_FLUSH, max(_highest(flush, 5) for flush in flushes))
    straight = _straight_high(ranks)
    if straight:
        return _value(_STRAIGHT, straight)
    if thrice:
        return _value(_TRIPS, thrice, _highest(ranks ^ thrice, 2))
    if not twice:
        return _value(_HIGH_CARD, _highest(ranks, 5))
    pairs = _highest(twice, 2)
    if pairs.bit_count() == 2:
        return _value(_TWO_PAIR, pairs, _top(ranks ^ pairs))
    return _value(_PAIR, pairs, _highest(ranks ^ pairs, 3))


def _value(category: int, ranks: int, kickers: int = 0) -> int:
    return category << 26 | ranks << 13 | kickers


def payoffs(state: HandState, hole_cards: Sequence[Sequence[int]], board: Sequence[int]) -> list[float]:
    """Returns the chips won (positive) or lost per position in a finished hand.

    Pots are split evenly and fractions kept; the order of floating-point operations is that of the official dealer,
    so that printed values agree digit by digit.

    :param hole_cards: per position; the hands of folded players may be empty.
    :param board: all board cards of the last round; ignored unless the hand ends in a showdown.
    :raises MatchError: if it is a showdown in which nobody has put in a chip (the official dealer crashes on it).
    """
    assert state.finished
    if not state.is_showdown:
        pot = sum(state.spent)
        return [
            float(-spent if folded else pot - spent) for spent, folded in zip(state.spent, state.folded, strict=True)
        ]
    if sum(spent > 0 for spent in state.spent) < 2:
        raise MatchError("nobody has put in a chip before the showdown: the game has no pot to play for")
    ranks = [0 if folded else hand_rank([*hand, *board]) for hand, folded in zip(hole_cards, state.folded, strict=True)]
    won = _pay_pots(state.spent, ranks)
    return [float(-state.spent[p]) if folded else won[p] for p, folded in enumerate(state.folded)]


def _pay_pots(spent: Sequence[int], ranks: Sequence[int]) -> list[float]:
    """Pays every position out of every side pot it takes part in, smallest pot first."""
    values = [0.0] * len(spent)
    paid = 0
    while left := [position for position, amount in enumerate(spent) if amount > paid]:
        total = min([spent[position] for position in left])
        best = max([ranks[position] for position in left])
        winners = sum([ranks[position] == best for position in left])
        for position in left:
            if ranks[position] == best:
                values[position] += (total - paid) * (len(left) - winners) / winners
            else:
                values[position] -= total - paid
        paid = total
    return values
