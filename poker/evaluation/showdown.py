"""Hand ranks for any number of cards, and the chips that every position wins or loses in a finished hand.

The functions serve any ACPC game, with hole cards and boards of any size. For hold'em, the module
:mod:`hedgehog.poker.evaluation.evaluator` is faster.
"""

from __future__ import annotations

from collections.abc import Sequence

from hedgehog.poker.evaluation.hand_categories import CATEGORIES
from hedgehog.poker.state import HandState
from hedgehog.runtime.errors import MatchError

_WHEEL = 0b1_0000_0000_1111  # ace, five, four, three, two
(_HIGH_CARD, _PAIR, _TWO_PAIR, _TRIPS, _STRAIGHT, _FLUSH, _FULL_HOUSE, _QUADS, _STRAIGHT_FLUSH) = range(9)
_RANK_BITS = tuple(1 << (card >> 2) for card in range(52))


def _straight_high(ranks: int) -> int:
    """Returns a mask of the top rank of the best straight in a mask of ranks, or 0; the wheel is five-high."""
    runs = ranks & ranks >> 1 & ranks >> 2 & ranks >> 3 & ranks >> 4
    if runs:
        return _highest(runs, 1) << 4
    return 1 << 3 if ranks & _WHEEL == _WHEEL else 0


def _highest(ranks: int, count: int) -> int:
    """Returns the ``count`` highest bits of a mask (all, if there are fewer)."""
    for _ in range(ranks.bit_count() - count):
        ranks &= ranks - 1
    return ranks


def _value(category: int, ranks: int, kickers: int = 0) -> int:
    """Puts category, ranks and kickers into one number.

    The latter are masks: of two with equally many ranks, the one with the higher ranks is the larger number.
    """
    return category << 26 | ranks << 13 | kickers


def hand_rank(cards: Sequence[int]) -> int:
    """Returns the rank of the best hand of at most five cards that can be made from ``cards``; the larger rank wins.

    With fewer than five cards only pairs, two pairs, trips, quads and high cards count. Compare only ranks of equally
    many cards. The ranks differ from those of :mod:`hedgehog.poker.evaluation.evaluator`.

    :param cards: different card ids, in any order.
    """
    suits = [0, 0, 0, 0]
    for card in cards:
        suits[card & 3] |= _RANK_BITS[card]
    clubs, diamonds, hearts, spades = suits
    ranks = clubs | diamonds | hearts | spades
    twice = clubs & diamonds | hearts & spades | (clubs | diamonds) & (hearts | spades)  # or more often
    value = _repeated_value(suits, ranks, twice) if twice else _value(_HIGH_CARD, _highest(ranks, 5))
    straight = _straight_high(ranks)
    if straight:
        value = max(value, _value(_STRAIGHT, straight))
    if clubs.bit_count() >= 5 or diamonds.bit_count() >= 5 or hearts.bit_count() >= 5 or spades.bit_count() >= 5:
        value = max(value, *map(_flush_value, suits))
    return value


def _repeated_value(suits: Sequence[int], ranks: int, twice: int) -> int:
    """Ranks pairs, two pairs, trips, full houses and quads.

    :param ranks: mask of all ranks.
    :param twice: mask of the ranks that occur at least twice.
    """
    clubs, diamonds, hearts, spades = suits
    thrice = clubs & diamonds & (hearts | spades) | hearts & spades & (clubs | diamonds)
    if not thrice:
        pairs = _highest(twice, 2)
        if pairs & pairs - 1:
            return _value(_TWO_PAIR, pairs, _highest(ranks ^ pairs, 1))
        return _value(_PAIR, pairs, _highest(ranks ^ pairs, 3))
    quads = _highest(clubs & diamonds & hearts & spades, 1)
    if quads:
        return _value(_QUADS, quads, _highest(ranks ^ quads, 1))
    trips = _highest(thrice, 1)
    if twice != trips:
        return _value(_FULL_HOUSE, trips, _highest(twice ^ trips, 1))
    return _value(_TRIPS, trips, _highest(ranks ^ trips, 2))


def _flush_value(suit: int) -> int:
    """Ranks the best flush or straight flush of one suit, 0 if there is none."""
    if suit.bit_count() < 5:
        return 0
    straight = _straight_high(suit)
    return _value(_STRAIGHT_FLUSH, straight) if straight else _value(_FLUSH, _highest(suit, 5))


def hand_name(rank: int) -> str:
    """Returns the name of the category of a rank that :func:`hand_rank` returned, for example ``full house``."""
    return CATEGORIES[rank >> 26]


def payoffs(state: HandState, hole_cards: Sequence[Sequence[int]], board: Sequence[int]) -> list[float]:
    """Returns the chips won (positive) or lost (negative) per position in a finished hand.

    Pots are split evenly and fractions of chips are kept. Floating-point operations are done in the order of the
    official ACPC dealer, so that printed values agree digit by digit.

    :param state: a finished hand.
    :param hole_cards: card ids per position; the hands of folded players may be empty.
    :param board: card ids of all board cards; ignored unless the hand ends in a showdown.
    :raises MatchError: if the hand ends in a showdown in which nobody has put in a chip (on which the official dealer
        crashes).
    """
    assert state.finished
    if not state.is_showdown:
        pot = sum(state.spent)
        return [
            float(-spent if folded else pot - spent) for spent, folded in zip(state.spent, state.folded, strict=True)
        ]
    ranks = [0 if folded else hand_rank([*hand, *board]) for hand, folded in zip(hole_cards, state.folded, strict=True)]
    values = _pay_pots(state.spent, ranks)
    if state.num_folded:
        values = [float(-state.spent[p]) if folded else values[p] for p, folded in enumerate(state.folded)]
    return values


def _pay_pots(spent: Sequence[int], ranks: Sequence[int]) -> list[float]:
    """Pays every position out of every side pot it takes part in, smallest pot first."""
    values = [0.0] * len(spent)
    left = [position for position, amount in enumerate(spent) if amount]
    if len(left) < 2:
        raise MatchError("nobody has put in a chip before the showdown: the game has no pot to play for")
    paid = 0
    while len(left) > 1:
        total = min([spent[position] for position in left])
        best = max([ranks[position] for position in left])
        winners = [position for position in left if ranks[position] == best]
        won = (total - paid) * (len(left) - len(winners)) / len(winners)
        for position in left:
            if ranks[position] == best:
                values[position] += won
            else:
                values[position] -= total - paid
        paid = total
        left = [position for position in left if spent[position] > paid]
    return values
