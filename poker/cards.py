"""Cards, boards and hole-card combos as small integers.

A card is ``4 * rank + suit`` with ranks ``2..A`` = 0..12 and suits ``c d h s`` = 0..3. A combo (two hole cards)
is an index 0..1325 in ascending ``(low card, high card)`` order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.errors import CardError

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
NUM_CARDS: Final = 52
NUM_COMBOS: Final = 1326
_CARD_TEXTS: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)
CARD_IDS: Final = {text: card for card, text in enumerate(_CARD_TEXTS)}
"""Card id 0..51 by card text; the texts are those that :func:`format_card` writes."""


def parse_card(text: str) -> int:
    """Returns the id 0..51 of a card such as ``Qh``; rank and suit may be in upper or lower case.

    :raises CardError: if the text is not a card.
    """
    if len(text) == 2:
        rank = RANKS.find(text[0].upper())
        suit = SUITS.find(text[1].lower())
        if rank >= 0 and suit >= 0:
            return 4 * rank + suit
    raise CardError(f"expected a card such as Qh, got {text!r}{ten_hint(text)}")


def ten_hint(text: str) -> str:
    """Returns text to append to a message about a card or hand that cannot be read: how to write a ten, or nothing."""
    return ": write T for a ten" if "10" in text else ""


def format_card(card: int) -> str:
    """Formats a card id as rank and suit, for example ``Qh``."""
    return _CARD_TEXTS[card]


def parse_cards(text: str) -> list[int]:
    """Returns the ids of cards written together or separated by blanks or commas: ``QhJh2c``, ``Qh Jh 2c``.

    :param text: cards of a rank ``23456789TJQKA`` and a suit ``cdhs``; empty for no cards.
    :returns: a number ``4 * rank + suit`` from 0 to 51 for each card, in the order of the text.
    :raises CardError: if a card is malformed or appears twice.
    """
    compact = "".join(text.replace(",", " ").split())
    if len(compact) % 2 or "10" in compact:
        raise CardError(f"expected cards of two characters each, got {text!r}{ten_hint(text)}")
    cards = [parse_card(compact[i : i + 2]) for i in range(0, len(compact), 2)]
    if len(set(cards)) != len(cards):
        raise CardError(f"a card is repeated in {text!r}")
    return cards


def format_cards(cards: Iterable[int], separator: str = "") -> str:
    """Formats card ids in the order given, for example ``QhJh2c``, with a separator between two cards."""
    return separator.join([_CARD_TEXTS[card] for card in cards])


def combo_index(card_a: int, card_b: int) -> int:
    """Returns the index 0..1325 of a combo of two different card ids; their order does not matter."""
    return int(ordered_combo(card_a, card_b) if card_a < card_b else ordered_combo(card_b, card_a))


def ordered_combo(low: Any, high: Any) -> Any:
    """Returns the index of a combo from its lower and its higher card id.

    Kernels compile this function (:mod:`hedgehog.poker._combo_kernels`), so it is plain arithmetic. It also takes
    integer arrays.
    """
    return low * (103 - low) // 2 + high - low - 1


def format_combo(combo: int) -> str:
    """Formats a combo index 0..1325 as two cards, the higher card id first, for example ``AsAh``."""
    low, high = COMBO_CARDS[combo]
    return format_card(int(high)) + format_card(int(low))


def parse_combo(text: str) -> int:
    """Returns the index 0..1325 of a combo such as ``AhKh``; the order of the two cards does not matter.

    :raises CardError: if the text is not two different cards.
    """
    cards = parse_cards(text)
    if len(cards) != 2:
        raise CardError(f"expected two cards such as AhKh, got {text!r}")
    return combo_index(cards[0], cards[1])


def _combo_cards() -> NDArray[np.uint8]:
    low, high = np.triu_indices(NUM_CARDS, 1)
    table = np.stack([low, high], axis=1).astype(np.uint8)
    table.flags.writeable = False
    return table


COMBO_CARDS: Final = _combo_cards()
"""uint8 array of shape (1326, 2): the low and the high card of every combo."""

_WITHOUT_CARD: Final = (np.arange(NUM_CARDS)[:, None, None] != COMBO_CARDS).all(axis=2)
"""bool array of shape (52, 1326): whether a combo does without a card."""


def combo_mask(dead: Iterable[int]) -> NDArray[np.bool_]:
    """Returns a boolean array of shape (1326,): True where the combo holds none of the card ids ``dead``."""
    mask = np.ones(NUM_COMBOS, dtype=np.bool_)
    for card in dead:
        mask &= _WITHOUT_CARD[card]
    return mask
