"""A logged hand as a person reads it: players, cards, the betting of every street in words, the result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.stats.log_stats import position_names
from poker.acpc.gamedef import UNLIMITED_STACK, GameDef
from poker.acpc.handlog import LoggedHand, format_value
from poker.cards import format_cards
from poker.showdown import hand_name, hand_rank
from poker.state import Action, HandState
from poker.streets import STREETS

_HOLDEM_BOARD: Final = (0, 3, 1, 1)
_PAIR_OF_DEUCES: Final = (0, 1)
_HOLDEM_STREETS: Final = tuple(street.capitalize() for street in STREETS)


def describe_hand(hand: LoggedHand, title: str) -> Iterator[str]:
    """Yields the lines of a hand, for example ``call   raises to 300``; sizes are totals of the street.

    :param title: the first line.
    """
    gamedef = hand.state.gamedef
    names = _names(hand)
    width = max(map(len, names))
    yield title
    yield from _players(hand, names, width)
    replay = HandState(gamedef)
    ante = len(set(gamedef.blinds)) == 1  # then nobody has bet when the first round starts
    for index, (street, actions) in enumerate(zip(street_names(gamedef), hand.state.actions, strict=False)):
        yield ""
        yield _street_title(hand, street, index, replay)
        before = list(replay.spent) if index or ante else [0] * gamedef.num_players
        for position, action in actions:
            spent, bet, street_bet = replay.spent[position], replay.max_spent, max(before)
            replay.perform(action)
            words = _words(action, replay, position, spent, bet - street_bet, before)
            yield f"  {names[position]:<{width}}  {words}"
    yield ""
    yield from _result(hand, names, width)


def street_names(gamedef: GameDef) -> tuple[str, ...]:
    """Returns what the betting rounds of a game are called: as in hold'em if the board is dealt as there."""
    if gamedef.num_board_cards == _HOLDEM_BOARD[: gamedef.num_rounds] and gamedef.num_rounds > 1:
        return _HOLDEM_STREETS[: gamedef.num_rounds]
    return tuple(f"Round {index + 1}" for index in range(gamedef.num_rounds))


def _names(hand: LoggedHand) -> list[str]:
    """Returns the players in position order; names that contain ``|`` cannot be told apart and become numbers."""
    names = hand.names.split("|")
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


def _words(action: Action, after: HandState, position: int, spent: int, bet: int, before: list[int]) -> str:
    """Says in words what was done.

    :param after: the state after it.
    :param spent: chips the position had put in before it, in the whole hand.
    :param bet: what there was to match in this street before it.
    :param before: chips every position had put in before the street.
    """
    paid = after.spent[position] - spent
    all_in = " and is all-in" if after.spent[position] == after.gamedef.stacks[position] and paid else ""
    if action.kind == "f":
        return "folds"
    if action.kind == "r":
        to = after.spent[position] - max(before)
        return (f"raises to {to}" if bet else f"bets {to}") + all_in
    return (f"calls {paid}" if paid else "checks") + all_in


def _result(hand: LoggedHand, names: list[str], width: int) -> Iterator[str]:
    state = hand.state
    titles = [""] * len(names)
    if state.is_showdown:
        yield f"Showdown, pot {sum(state.spent)}"
        for position, cards in enumerate(hand.hole_cards):
            if not state.folded[position]:
                made = _made_hand((*cards, *hand.board)) if cards else ""
                titles[position] = f"{_cards(cards) or '??'}{f', {made}' if made else ''}"
    else:
        yield f"Everybody else folds, pot {sum(state.spent)}"
    amounts = [_signed(value) for value in hand.values]
    widest = max(map(len, amounts))
    for position, name in enumerate(names):
        yield f"  {name:<{width}}  {amounts[position]:>{widest}}  {titles[position]}".rstrip()


def _made_hand(cards: tuple[int, ...]) -> str:
    """Returns what a hand is called; high cards of fewer than five cards have no name."""
    rank = hand_rank(cards)
    return hand_name(rank) if len(cards) >= 5 or rank >= hand_rank(_PAIR_OF_DEUCES) else ""


def _signed(value: str) -> str:
    """Returns chips won as in the log, with a plus sign for winnings."""
    number = format_value(float(value))
    return number if number.startswith("-") or float(value) == 0 else f"+{number}"
