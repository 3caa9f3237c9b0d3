"""Freeze-outs between two players inside one process: the stacks go on from hand to hand, the winner takes all.

The button alternates every hand. A player with less than a blind posts what he has. If a player is all-in with the
blinds and nobody has a decision, the cards are dealt without betting. Games come in pairs with equal cards for each
position; the players exchange the first button.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from hedgehog.agent.play_record import starting
from hedgehog.arena.in_process import Seat, TableHand
from hedgehog.dealer.cards import CardDealer, Deal
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.evaluation.showdown import hand_rank, payoffs
from hedgehog.runtime.errors import InputError

_load_game = cache(load_gamedef)
MOST_HANDS: Final = 1000
"""After this number of hands a game ends, and the share of the chips counts."""


@dataclass(frozen=True, slots=True)
class FreezeOutRules:
    """Chips and blinds of a freeze-out."""

    stacks: tuple[int, int] = (4000, 4000)
    """Chips of the two players before the first hand."""
    blinds: tuple[int, int] = (300, 600)
    """Small and big blind."""

    def __post_init__(self) -> None:
        small, big = self.blinds
        if min(*self.stacks, small) <= 0 or big < small:
            raise InputError(
                f"expected stacks and blinds above 0, and small blind <= big blind, got stacks of"
                f" {self.stacks[0]} and {self.stacks[1]} and blinds of {small} and {big}"
            )

    @property
    def total(self) -> int:
        """Chips of both players together."""
        return sum(self.stacks)


class FreezeOutGame(NamedTuple):
    """The result of one game, seen by the first player."""

    share: float
    """1 if he won all chips, 0 if he lost them; after :data:`MOST_HANDS` hands the share that he has."""
    hands: int


class FreezeOutPair(NamedTuple):
    """Two games with equal cards."""

    first: FreezeOutGame
    """The game in which the first player has the small blind in the first hand."""
    second: FreezeOutGame
    """The game in which the second player has it."""


def play_pair(rules: FreezeOutRules, seats: Sequence[Seat], seed: int, pair: int) -> FreezeOutPair:
    """Returns the results of two games with equal cards.

    :param rules: chips and blinds.
    :param seats: the two players. ``new_match`` is called for every hand, with the game of that hand.
    :param seed: seed of all games.
    :param pair: number of the pair.
    """
    words = np.random.SeedSequence([seed, pair]).generate_state(5).tolist()
    games = [_play(rules, seats, button, words[0], words[1 + 2 * button : 3 + 2 * button]) for button in (0, 1)]
    return FreezeOutPair(*games)


def _play(
    rules: FreezeOutRules, seats: Sequence[Seat], button: int, card_seed: int, seeds: Sequence[int]
) -> FreezeOutGame:
    """Returns the result of one game, in which the player ``button`` has the small blind in the first hand."""
    gamedef = _load_game()
    cards = CardDealer(gamedef, card_seed)
    stacks = list(rules.stacks)
    hands = 0
    while min(stacks) > 0 and hands < MOST_HANDS:
        small = (button + hands) % 2
        order = (1 - small, small)  # position 0 has the big blind
        values = _play_hand(rules, gamedef, [stacks[p] for p in order], hands, cards.deal(), [seats[p] for p in order],
                            [(seeds[p] + hands) & 0xFFFFFFFF for p in order])  # fmt: skip
        for player, value in zip(order, values, strict=True):
            stacks[player] += value
        hands += 1
    return FreezeOutGame(stacks[0] / rules.total, hands)


def _play_hand(
    rules: FreezeOutRules,
    gamedef: GameDef,
    stacks: Sequence[int],
    hand_id: int,
    deal: Deal,
    seats: Sequence[Seat],
    seeds: Sequence[int],
) -> list[int]:
    """Returns the chips that the big blind and the small blind win.

    :param stacks: chips before the blinds, of the big blind and the small blind, as all sequences here.
    :param seeds: seeds of the players for this hand.
    """
    small, big = rules.blinds
    if min(stacks) <= small:  # who has the big blind has put in as much as the other one can
        risk = min(stacks)
        own, other = (hand_rank([*hole_cards, *deal.board]) for hole_cards in deal.hole_cards)
        won = risk * ((own > other) - (own < other))
        return [won, -won]
    now = replace(gamedef, stacks=tuple(stacks), blinds=(min(big, stacks[0]), small))
    for seat, seed in zip(seats, seeds, strict=True):
        with starting():
            seat.player.new_match(now, seed)
    hand = TableHand(now, hand_id, deal, seats)
    while not hand.state.finished:
        hand.step()
    hand.show_end()
    return [round(value) for value in payoffs(hand.state, *deal)]
