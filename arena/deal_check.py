"""Verifies that no two matches of a tournament were dealt the same cards.

In 2016 some matches of the Annual Computer Poker Competition were played with a card sequence that earlier matches had
used, and their results had to be withdrawn. A single hand repeats by chance, a long run of hands does not. A *window*
is a run of consecutive hands, long enough that no two windows of a tournament are equal by chance. Two matches share
their cards if they share a window.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from hedgehog.arena.seating_log import read_hole_cards
from hedgehog.dealer.cards import CardDealer
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.cards import format_cards
from hedgehog.runtime.errors import MatchError

_FALSE_ALARM_BITS: Final = 40
"""The probability of a false report in a tournament is below 2 to the power of minus this number."""


def window_length(gamedef: GameDef, num_hands: int) -> int:
    """Returns how many consecutive hands make a window, a run of hands that does not repeat by chance.

    :param num_hands: number of hands that are compared with each other.
    """
    deck = gamedef.num_suits * gamedef.num_ranks
    deals = math.prod(
        math.comb(deck - position * gamedef.num_hole_cards, gamedef.num_hole_cards)
        for position in range(gamedef.num_players)
    )
    pair_bits = 2 * math.log2(max(2, num_hands))
    return math.ceil((pair_bits + _FALSE_ALARM_BITS) / math.log2(deals))


def verify_distinct_seeds(seeds: Mapping[str, int], gamedef: GameDef, hands: int) -> None:
    """Verifies before play that no two matches will share cards, by dealing the first hands of every match.

    :param seeds: name of each match -> seed of its cards.
    :param gamedef: the game of all matches.
    :param hands: number of hands of every match to deal.
    :raises MatchError: if two matches share cards.
    """

    def hole_cards(seed: int) -> list[str]:
        dealer = CardDealer(gamedef, seed)
        return ["|".join(map(format_cards, dealer.deal().hole_cards)) for _ in range(hands)]

    _verify(((match, hole_cards(seed)) for match, seed in seeds.items()), gamedef, hands * len(seeds))


def verify_no_reused_deals(logs: Mapping[str, Sequence[Path]], gamedef: GameDef) -> None:
    """Verifies from the logs that no two matches were played with the same cards.

    The logs of one duplicate match have the same cards. They are not compared with each other.

    :param logs: name of each match -> its logs.
    :param gamedef: the game of all matches.
    :raises MatchError: if two matches share a run of consecutive hands too long to be chance.
    :raises LogError: if a log is malformed.
    """
    deals = [(match, read_hole_cards(path)) for match in logs for path in logs[match]]
    _verify(deals, gamedef, sum(len(hands) for _, hands in deals))


def _verify(deals: Iterable[tuple[str, Sequence[str]]], gamedef: GameDef, num_hands: int) -> None:
    """Compares all windows of every match with windows of the matches before it.

    Of the matches before, every ``length``-th window is kept, starting with hand 0. All windows of the next match are
    looked up. So every shared run of ``2 * length - 1`` hands is found, and every shared run of ``length`` hands that
    starts with hand 0 of the earlier match.
    """
    length = window_length(gamedef, num_hands)
    seen: dict[tuple[str, ...], tuple[str, int]] = {}
    for match, group in itertools.groupby(deals, key=lambda item: item[0]):
        own: dict[tuple[str, ...], tuple[str, int]] = {}
        for _, hands in group:
            for first in range(len(hands) - length + 1):
                window = tuple(hands[first : first + length])
                if window in seen:
                    other, other_first = seen[window]
                    raise MatchError(
                        f"matches {other} and {match} were dealt the same cards: hands {other_first} to "
                        f"{other_first + length - 1} of the one are hands {first} to {first + length - 1} of the other"
                    )
                if first % length == 0:
                    own.setdefault(window, (match, first))
        seen.update(own)
