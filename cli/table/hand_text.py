"""Cards, chips and actions as people read them, in colour where the terminal has it and in ASCII where it must be.

Sizes are totals on the street, the way people say them at a table; ACPC text has totals over the hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from poker.acpc.betting_line import street_start
from poker.acpc.gamedef import GameDef
from poker.cards import RANKS, SUITS, format_card
from poker.state import Action, HandState
from poker.streets import STREETS

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

    :param symbols: suits as symbols rather than letters.
    """
    name = format_card(card)
    suit = SUITS[card & 3]
    return Text(RANKS[card >> 2] + _SYMBOLS[suit] if symbols else name, style=_COLOURS[suit])


def cards_text(cards: Sequence[int], symbols: bool) -> Text:
    """Returns cards separated by blanks."""
    return Text(" ").join([card_text(card, symbols) for card in cards])


def drawn_cards(groups: Sequence[Sequence[int | None]], symbols: bool) -> list[Text]:
    """Returns three lines of text in which every card is a box.

    :param groups: card ids, None for a card face down; groups stand apart.
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


def street_name(gamedef: GameDef, round_index: int) -> str:
    """Returns the name of a betting round: preflop, flop, turn, river where the game has these."""
    if gamedef.num_rounds == len(STREETS):
        return STREETS[round_index]
    return f"round {round_index + 1}"


def position_name(gamedef: GameDef, position: int) -> str:
    """Returns the name of a position; in two-player games button is who acts last in the last betting round."""
    if gamedef.num_players == 2 and gamedef.num_rounds > 1:
        last = 1 - gamedef.first_positions[-1]
        if gamedef.blinds[0] != gamedef.blinds[1]:
            return "button" if position == last else "big blind"
        return "button" if position == last else "first to act"
    return f"position {position}"


def action_text(action: Action, state: HandState) -> str:
    """Returns an action in words, with the street total of a bet or raise: ``call 200``, ``raise to 600``.

    :param state: before the action.
    """
    position = state.acting_position
    owed = state.max_spent - state.spent[position]
    stack = state.gamedef.stacks[position]
    if action.kind == "f":
        return "fold"
    if action.kind == "c":
        if owed == 0:
            return "check"
        return f"call {min(owed, stack - state.spent[position]):,}" + (" all-in" if state.max_spent >= stack else "")
    bet = state.max_spent == street_start(state)
    if not action.size:
        step = f"{state.gamedef.raise_sizes[state.round]:,}"
        return f"bet {step}" if bet else f"raise by {step}"
    size = f"{action.size - street_start(state):,}"
    return (f"bet {size}" if bet else f"raise to {size}") + (" all-in" if action.size >= stack else "")


def did_text(action: Action, state: HandState) -> str:
    """Returns what somebody did: ``calls 200``, ``raises to 600``; see :func:`action_text`."""
    verb, _, rest = action_text(action, state).partition(" ")
    return f"{verb}s {rest}".rstrip()


def big_blinds(chips: float, gamedef: GameDef) -> str:
    """Formats chips won or lost in big blinds, with a sign: ``+12.5 bb``."""
    return f"{chips / gamedef.big_blind:+,.2f} bb"
