"""The cards of a match, dealt with the random generator and in the order of the official ACPC dealer.

The generator is the Mersenne Twister MT19937, started from one 32-bit seed. numpy's ``RandomState(seed)`` is the same
generator. It is used for nothing but dealing. Therefore the same seed and game give every *position* the same cards,
whatever the players do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgehog.poker.acpc.gamedef import GameDef

_BLOCK = 64
"""Number of hands for which random words are drawn from numpy at a time."""
_SKIPPED = 1 << 14
"""The same for hands that are left out."""


class Deal(NamedTuple):
    """The cards of one hand."""

    hole_cards: tuple[tuple[int, ...], ...]
    """Card ids of the hole cards, one tuple per position."""
    board: tuple[int, ...]
    """Card ids of the whole board, all rounds together."""


class CardDealer:
    """Deals the hands of one match, one after the other."""

    def __init__(self, gamedef: GameDef, seed: int, first_hand: int = 0) -> None:
        """Starts the card stream.

        :param gamedef: the game, which says how many cards are dealt.
        :param seed: seed of the cards, 0 .. 2**32 - 1.
        :param first_hand: number of the hand that is dealt first; the hands before it are left out.
        """
        self._deck = gamedef.deck()
        hole_cards = gamedef.num_players * gamedef.num_hole_cards
        self._hands = [slice(at, at + gamedef.num_hole_cards) for at in range(0, hole_cards, gamedef.num_hole_cards)]
        self._board = slice(hole_cards, None)
        self._cards_left = len(self._deck) - np.arange(hole_cards + gamedef.total_board_cards)
        self._generator = np.random.RandomState(seed)
        skip_hands(self._generator, first_hand, len(self._cards_left))
        self._drawn: list[list[int]] = []  # per hand, next one last: index of each card among those left

    def deal(self) -> Deal:
        """Returns the cards of the next hand, drawn in this order: hole cards by position, then the whole board."""
        if not self._drawn:
            shape = _BLOCK, len(self._cards_left)
            words = self._generator.randint(0, 1 << 32, size=shape, dtype=np.uint32)
            self._drawn = (words % self._cards_left)[::-1].tolist()
        deck = self._deck.copy()
        cards = []
        for index in self._drawn.pop():
            cards.append(deck[index])
            last = deck.pop()
            if index < len(deck):
                deck[index] = last
        return Deal(tuple([tuple(cards[hand]) for hand in self._hands]), tuple(cards[self._board]))


def skip_hands(generator: np.random.RandomState, hands: int, cards: int) -> None:
    """Draws what the cards of some hands take from a generator.

    :param cards: number of cards of a hand.
    """
    for start in range(0, hands, _SKIPPED):
        generator.randint(0, 1 << 32, size=(min(_SKIPPED, hands - start), cards), dtype=np.uint32)


def propose_ports(seed: int, count: int) -> list[int]:
    """Returns the first ``count`` TCP ports that the official ACPC dealer proposes for a seed.

    The ports are ``1024 + random() % 64512`` with glibc's additive feedback generator ``srandom(seed)``.
    """
    word = seed - (1 << 32) if seed >= 1 << 31 else seed
    state = [word or 1]
    for _ in range(30):
        # 16807 * word modulo 2^31 - 1 without overflow (Schrage); C's division truncates towards zero.
        high = int(state[-1] / 127773)
        word = 16807 * (state[-1] - high * 127773) - 2836 * high
        state.append(word + (2**31 - 1) if word < 0 else word)
    state += state[:3]
    for index in range(34, 344 + count):
        state.append((state[index - 31] + state[index - 3]) & 0xFFFFFFFF)
    return [1024 + (word >> 1) % 64512 for word in state[344:]]
