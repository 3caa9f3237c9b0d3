"""Plays freeze-outs between two players inside one process, hand by hand.

The button alternates every hand. A player with less than a blind posts what it has. If a player is all-in with the
blinds and nobody has a decision, the cards are dealt without betting. Games come in pairs with equal cards for each
position; the players exchange the first button.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Final, NamedTuple

import numpy as np

from hedgehog.agent.play_record import starting
from hedgehog.arena.freeze_out.rules import FreezeOutRules
from hedgehog.arena.in_process import Seat, TableHand
from hedgehog.dealer.cards import CardDealer, Deal
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import CALL, HandState

_load_game: Final = cache(load_gamedef)
MOST_HANDS: Final = 1000
"""After this number of hands a game ends, and the share of the chips counts."""


class PlayedHand(NamedTuple):
    """A finished hand of a freeze-out; all sequences are in position order: the big blind, then the button."""

    number: int
    """Number of the hand in its game, from 0."""
    order: tuple[int, int]
    """The players, 0 or 1."""
    state: HandState
    deal: Deal
    values: tuple[int, int]
    """Chips won."""

    @property
    def board(self) -> tuple[int, ...]:
        """The board cards of the rounds reached."""
        return self.deal.board[: self.state.gamedef.board_cards_by(self.state.round)]


OnHand = Callable[[PlayedHand], None]


class FreezeOutGame(NamedTuple):
    """The result of one game, seen by the first player."""

    share: float
    """1 if it won all chips, 0 if it lost them; after :data:`MOST_HANDS` hands the share that it has."""
    hands: int


class FreezeOutPair(NamedTuple):
    """Two games with equal cards."""

    first: FreezeOutGame
    """The game in which the first player has the small blind in the first hand."""
    second: FreezeOutGame
    """The game in which the second player has it."""


def card_seed(seed: int, pair: int) -> int:
    """Returns the seed of the cards of both games of a pair."""
    return _words(seed, pair)[0]


def _words(seed: int, pair: int) -> list[int]:
    words: list[int] = np.random.SeedSequence([seed, pair]).generate_state(5).tolist()
    return words


def play_pair(
    rules: FreezeOutRules,
    seats: Sequence[Seat],
    seed: int,
    pair: int,
    on_hand: Callable[[int, PlayedHand], None] | None = None,
) -> FreezeOutPair:
    """Returns the results of two games with equal cards.

    :param rules: chips and blinds.
    :param seats: the two players. ``new_match`` is called for every hand, with the game of that hand.
    :param seed: seed of all games.
    :param pair: number of the pair.
    :param on_hand: called with the number of the game, 0 or 1, and every finished hand.
    """
    words = _words(seed, pair)
    games = [
        play_game(
            rules,
            seats,
            button=button,
            cards=words[0],
            seeds=words[1 + 2 * button : 3 + 2 * button],
            on_hand=None if on_hand is None else partial(on_hand, button),
        )
        for button in (0, 1)
    ]
    return FreezeOutPair(*games)


def play_game(
    rules: FreezeOutRules,
    seats: Sequence[Seat],
    *,
    button: int,
    cards: int,
    seeds: Sequence[int],
    on_hand: OnHand | None = None,
    most_hands: int | None = None,
) -> FreezeOutGame:
    """Plays one game and returns its result.

    :param rules: chips and blinds.
    :param seats: the two players. ``new_match`` is called for every hand, with the game of that hand.
    :param button: the player, 0 or 1, who has the button and the small blind in the first hand.
    :param cards: seed of the cards, 0 .. 2**32 - 1.
    :param seeds: seeds of the players.
    :param on_hand: called with every finished hand.
    :param most_hands: number of hands after which the game ends; None for :data:`MOST_HANDS`.
    """
    dealer = CardDealer(_load_game(), cards)
    stacks = list(rules.stacks)
    hands = 0
    while min(stacks) > 0 and hands < (most_hands or MOST_HANDS):
        small = (button + hands) % 2
        order = (1 - small, small)  # position 0 has the big blind
        played = _play_hand(
            rules, [stacks[p] for p in order], hands, order, dealer.deal(), [seats[p] for p in order],
            [(seeds[p] + hands) & 0xFFFFFFFF for p in order],
        )  # fmt: skip
        for player, value in zip(order, played.values, strict=True):
            stacks[player] += value
        hands += 1
        if on_hand is not None:
            on_hand(played)
    return FreezeOutGame(stacks[0] / rules.total, hands)


def _play_hand(
    rules: FreezeOutRules,
    stacks: Sequence[int],
    number: int,
    order: tuple[int, int],
    deal: Deal,
    seats: Sequence[Seat],
    seeds: Sequence[int],
) -> PlayedHand:
    """Plays a hand.

    :param stacks: chips before the blinds, of the big blind and the small blind, as all sequences here.
    :param seeds: seeds of the players for this hand.
    """
    gamedef = rules.game(number, stacks)
    hand = TableHand(gamedef, number, deal, seats)
    state = hand.state
    undecided = not nobody_decides(state)
    for seat, seed in zip(seats, seeds, strict=True):
        if undecided or seat.observes:
            with starting():
                seat.player.new_match(gamedef, seed)
    if not undecided and not state.finished:
        state.apply(CALL)  # who still has chips cannot bet them; in the notation of the ACPC it checks
    while not state.finished:
        hand.step()
    hand.show_end()
    big, small = payoffs(state, *deal)  # whole chips: each of two players who split gets its own back
    return PlayedHand(number, order, state, deal, (round(big), round(small)))


def nobody_decides(state: HandState) -> bool:
    """Tells whether a hand that begins is over but for the cards: a blind is all that both players can put in."""
    acting = state.acting_position
    return state.finished or (
        state.spent[acting] == state.max_spent
        and all(
            spent == stack
            for position, (spent, stack) in enumerate(zip(state.spent, state.gamedef.stacks, strict=True))
            if position != acting
        )
    )
