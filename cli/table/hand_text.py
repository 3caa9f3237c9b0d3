"""Formats cards and chips for people, in colour and with suit symbols if the terminal has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.cards import RANKS, SUITS, format_card

_SYMBOLS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_COLOURS: Final = {"c": "green", "d": "bright_blue", "h": "bright_red", "s": "bold"}
_UNICODE_BOX: Final = ("╭────╮", "│", "╰────╯")
_ASCII_BOX: Final = ("+----+", "|", "+----+")


def has_suit_symbols(console: Console) -> bool:
    """Tells whether the terminal's encoding has the symbols of the suits and the lines of the cards."""
    try:
        "".join([*_SYMBOLS.values(), *_UNICODE_BOX]).encode(console.encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def card_text(card: int, symbols: bool) -> Text:
    """Returns a card as rank and coloured suit.

    :param card: card id, 0 to 51.
    :param symbols: show the suit as a symbol instead of a letter.
    """
    name = format_card(card)
    suit = SUITS[card & 3]
    return Text(RANKS[card >> 2] + _SYMBOLS[suit] if symbols else name, style=_COLOURS[suit])


def cards_text(cards: Sequence[int], symbols: bool) -> Text:
    """Returns cards separated by blanks."""
    return Text(" ").join([card_text(card, symbols) for card in cards])


def drawn_cards(groups: Sequence[Sequence[int | None]], symbols: bool) -> list[Text]:
    """Returns three lines of text in which every card is drawn as a box.

    :param groups: card ids, None for a card face down. There is a gap between groups.
    :param symbols: show suits and boxes with symbols instead of ASCII characters.
    """
    top, side, bottom = _UNICODE_BOX if symbols else _ASCII_BOX
    gap = "    "
    rows = [Text(), Text(), Text()]
    for number, group in enumerate(groups):
        for row in rows:
            row.append(gap if number else "")
        for card in group:
            rows[0].append(top, style="dim")
            rows[1].append(f"{side} ", style="dim")
            rows[1].append_text(Text("??", style="dim") if card is None else card_text(card, symbols))
            rows[1].append(f" {side}", style="dim")
            rows[2].append(bottom, style="dim")
    return rows


def big_blinds(chips: float, gamedef: GameDef) -> str:
    """Formats chips won or lost in big blinds, with a sign: ``+12.5 bb``."""
    return f"{chips / gamedef.big_blind:+,.2f} bb"
