"""Describes a logged hand in words: players, cards, the betting of every street, the result."""

from __future__ import annotations

from collections.abc import Iterator

from hedgehog.analysis.histories.hand_words import action_words, made_hand, position_names, street_names
from hedgehog.poker.acpc.gamedef import UNLIMITED_STACK
from hedgehog.poker.acpc.handlog import LoggedHand, format_value
from hedgehog.poker.cards import format_cards
from hedgehog.poker.state import Action, HandState
from hedgehog.runtime.errors import one_line


def describe_hand(hand: LoggedHand, title: str) -> Iterator[str]:
    """Yields the lines of text that describe a hand. Sizes of bets and raises are totals on the street.

    :param title: the first line of the text.
    """
    gamedef = hand.state.gamedef
    names = _names(hand)
    width = max(map(len, names))
    yield title
    yield from _players(hand, names, width)
    replay = HandState(gamedef)
    for index, (street, actions) in enumerate(zip(street_names(gamedef), hand.state.actions, strict=False)):
        yield ""
        yield _street_title(hand, street.capitalize(), index, replay)
        for position, action in actions:
            yield f"  {names[position]:<{width}}  {_did(action, replay)}"
            replay.perform(action)
    yield ""
    yield from _result(hand, names, width)


def _names(hand: LoggedHand) -> list[str]:
    """Returns the names of the players in position order, without control characters.

    If a name contains ``|``, numbers are used instead.
    """
    names = [one_line(name) for name in hand.names.split("|")]
    count = hand.state.gamedef.num_players
    return names if len(names) == count else [f"player {position + 1}" for position in range(count)]


def _players(hand: LoggedHand, names: list[str], width: int) -> Iterator[str]:
    gamedef = hand.state.gamedef
    titles = position_names(gamedef)
    posts = [f"posts {blind}" if blind else "" for blind in gamedef.blinds]
    stacks = ["" if stack == UNLIMITED_STACK else f"{stack} chips" for stack in gamedef.stacks]
    columns = [titles, [_cards(cards) or "??" for cards in hand.hole_cards], stacks, posts]
    widths = [max(map(len, column)) for column in columns]
    for position, name in enumerate(names):
        cells = [f"{column[position]:<{width_}}" for column, width_ in zip(columns, widths, strict=True)]
        yield "  ".join([f"  {name:<{width}}", *(cell for cell in cells if cell)]).rstrip()


def _cards(cards: tuple[int, ...]) -> str:
    return format_cards(cards, " ")


def _street_title(hand: LoggedHand, street: str, index: int, replay: HandState) -> str:
    gamedef = hand.state.gamedef
    board = hand.board[: gamedef.board_cards_by(index)]
    earlier = gamedef.board_cards_by(index - 1) if index else 0
    shown = " | ".join(filter(None, (_cards(board[:earlier]), _cards(board[earlier:]))))
    return f"{street}{f' [{shown}]' if shown else ''}, pot {sum(replay.spent)}"


def _did(action: Action, before: HandState) -> str:
    verb, chips, all_in = action_words(action, before)
    to = " to" if verb == "raise" else ""
    return f"{verb}s" + (f"{to} {chips}" if chips else "") + (" and is all-in" if all_in else "")


def _result(hand: LoggedHand, names: list[str], width: int) -> Iterator[str]:
    state = hand.state
    titles = [""] * len(names)
    if state.is_showdown:
        yield f"Showdown, pot {sum(state.spent)}"
        for position, cards in enumerate(hand.hole_cards):
            if not state.folded[position]:
                made = made_hand((*cards, *hand.board)) if cards else ""
                titles[position] = f"{_cards(cards) or '??'}{f', {made}' if made else ''}"
    else:
        yield f"Everybody else folds, pot {sum(state.spent)}"
    amounts = [_signed(value) for value in hand.values]
    widest = max(map(len, amounts))
    for position, name in enumerate(names):
        yield f"  {name:<{width}}  {amounts[position]:>{widest}}  {titles[position]}".rstrip()


def _signed(value: str) -> str:
    """Returns chips won as in the log, with a plus sign for winnings."""
    number = format_value(float(value))
    return number if number.startswith("-") or float(value) == 0 else f"+{number}"
