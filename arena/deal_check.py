"""Looks for hands that were dealt in more than one match.

In 2016 some matches of the annual competition were played with a card sequence that earlier matches had used, and
their results had to be withdrawn. Hands repeat by chance, runs of hands do not: two matches share their cards if they
share a *window*, so many consecutive hands that no two windows of the whole tournament are equal by chance.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from arena.seating_log import read_hole_cards
from dealer.cards import CardDealer
from poker.acpc.gamedef import GameDef
from poker.cards import format_cards
from runtime.errors import MatchError

_FALSE_ALARM_BITS: Final = 40
"""The chance that anything is reported where nothing was reused is below 2 to the power of minus this."""


def window_length(gamedef: GameDef, num_hands: int) -> int:
    """Returns how many consecutive hands never repeat by chance.

    :param num_hands: hands that are compared with each other.
    """
    deck = gamedef.num_suits * gamedef.num_ranks
    deals = math.prod(
        math.comb(deck - position * gamedef.num_hole_cards, gamedef.num_hole_cards)
        for position in range(gamedef.num_players)
    )
    pair_bits = 2 * math.log2(max(2, num_hands))
    return math.ceil((pair_bits + _FALSE_ALARM_BITS) / math.log2(deals))


def verify_distinct_seeds(seeds: Mapping[str, int], gamedef: GameDef, hands: int) -> None:
    """Deals the first hands of every match and verifies that no two matches share cards.

    :param seeds: seed of the cards by match.
    :param hands: how many hands of every match to deal.
    :raises MatchError: if two matches share cards.
    """

    def hole_cards(seed: int) -> list[str]:
        dealer = CardDealer(gamedef, seed)
        return ["|".join(map(format_cards, dealer.deal().hole_cards)) for _ in range(hands)]

    _verify(((match, hole_cards(seed)) for match, seed in seeds.items()), gamedef, hands * len(seeds))


def verify_no_reused_deals(logs: Mapping[str, Sequence[Path]], gamedef: GameDef) -> None:
    """Verifies that no two matches were played with the same cards.

    The logs of one match, a duplicate match, have the same cards and are not compared with each other.

    :param logs: logs by match.
    :raises MatchError: if two matches share at least a window of consecutive hands.
    :raises LogError: if a log is malformed.
    """
    deals = [(match, read_hole_cards(path)) for match in logs for path in logs[match]]
    _verify(deals, gamedef, sum(len(hands) for _, hands in deals))


def _verify(deals: Iterable[tuple[str, Sequence[str]]], gamedef: GameDef, num_hands: int) -> None:
    """Compares all windows of hands with windows of other matches.

    Of the matches already seen every ``length``-th window is kept; as all windows of the next match are looked up,
    any run of ``2 * length - 1`` hands that two matches share is found, and any shorter one from the first hand on.
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
