"""Names streets, positions, actions and made hands in words, for hand histories and for the table on the screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.evaluation.showdown import hand_name, hand_rank
from hedgehog.poker.state import Action, HandState
from hedgehog.poker.streets import STREETS

_HOLDEM_BOARD: Final = (0, 3, 1, 1)
_PAIR_OF_DEUCES: Final = (0, 1)


class ActionWords(NamedTuple):
    """An action in the words used at a table."""

    verb: Literal["fold", "check", "call", "bet", "raise"]
    chips: int
    """Chips: for a call what it adds to the pot, for a bet or raise the total on the street, else 0."""
    all_in: bool
    """Whether the action takes the last chip of the stack."""


def action_words(action: Action, state: HandState) -> ActionWords:
    """Returns an action in words.

    :param state: the state of the hand before the action.
    """
    gamedef, position = state.gamedef, state.acting_position
    stack = gamedef.stacks[position]
    if action.kind == "f":
        return ActionWords("fold", 0, False)
    if action.kind == "c":
        owed = min(state.max_spent, stack) - state.spent[position]
        return ActionWords("call" if owed else "check", owed, owed > 0 and state.max_spent >= stack)
    antes = state.round == 0 and len(set(gamedef.blinds)) == 1  # antes are no bets, blinds are
    start = gamedef.big_blind if antes else state.round_start
    total = action.size or min(state.max_spent + gamedef.raise_sizes[state.round], stack)
    return ActionWords("bet" if state.max_spent == start else "raise", total - start, total >= stack)


def amount_text(chips: float, big_blind: int = 0) -> str:
    """Returns an amount in chips, or in big blinds: ``1,200``, ``2.5 BB``.

    :param big_blind: chips of a big blind; 0: the amount is told in chips.
    """
    if not big_blind:
        return f"{chips:,.0f}"
    return f"{chips / big_blind:,.2f}".rstrip("0").rstrip(".") + " BB"


def action_text(action: Action, state: HandState, big_blind: int = 0) -> str:
    """Returns an action in words, with the street total of a bet or raise: ``call 200``, ``raise to 600``.

    :param state: state before the action.
    :param big_blind: as for :func:`amount_text`.
    """
    verb, chips, all_in = action_words(action, state)
    to = " to" if verb == "raise" else ""
    return verb + (f"{to} {amount_text(chips, big_blind)}" if chips else "") + (" all-in" if all_in else "")


def did_text(action: Action, state: HandState, big_blind: int = 0) -> str:
    """Returns an action in the third person, with the street total of a bet or raise: ``raises to 600``.

    :param state: state before the action.
    :param big_blind: as for :func:`amount_text`.
    """
    verb, _, rest = action_text(action, state, big_blind).partition(" ")
    return f"{verb}s {rest}".rstrip()


def hand_story(
    state: HandState, board: Sequence[int], big_blind: int = 0
) -> Iterator[tuple[str, tuple[int, ...], str]]:
    """Yields each street of a hand: its name, the cards dealt on it, and what was done.

    :param board: card ids of the board so far.
    :param big_blind: as for :func:`amount_text`.
    """
    gamedef = state.gamedef
    replay = HandState(gamedef)
    for street, actions in enumerate(state.actions):
        done = []
        for position, action in actions:
            done.append(f"{position_name(gamedef, position)} {did_text(action, replay, big_blind)}")
            replay.perform(action)
        dealt = board[gamedef.board_cards_by(street) - gamedef.num_board_cards[street] : gamedef.board_cards_by(street)]
        yield street_names(gamedef)[street], tuple(dealt), ", ".join(done)


def street_names(gamedef: GameDef) -> tuple[str, ...]:
    """Returns the names of the betting rounds of a game, which are those of hold'em if the board is dealt alike."""
    if gamedef.num_board_cards == _HOLDEM_BOARD[: gamedef.num_rounds] and gamedef.num_rounds > 1:
        return STREETS[: gamedef.num_rounds]
    return tuple(f"round {index + 1}" for index in range(gamedef.num_rounds))


def position_names(gamedef: GameDef) -> list[str]:
    """Returns the names of the positions of a game, by their blinds if these differ, else by number."""
    titles = [f"position {position + 1}" for position in range(gamedef.num_players)]
    posted = sorted({blind for blind in gamedef.blinds if blind}, reverse=True)
    for size, title in zip(posted, ("big blind", "small blind"), strict=False):
        if gamedef.blinds.count(size) == 1:
            titles[gamedef.blinds.index(size)] = title
    if gamedef.num_players > 2 and gamedef.blinds[-1] == 0:
        titles[-1] = "button"
    return titles


def position_name(gamedef: GameDef, position: int) -> str:
    """Returns the name of a position. With two players the button acts last in the last betting round."""
    if gamedef.num_rounds == 1 or gamedef.num_players > 2:
        return position_names(gamedef)[position]
    if position != gamedef.first_positions[-1]:
        return "button"
    return "big blind" if gamedef.blinds[0] != gamedef.blinds[1] else "first to act"


def made_hand(cards: tuple[int, ...]) -> str:
    """Returns the name of a made hand; empty for fewer than five cards without a pair."""
    rank = hand_rank(cards)
    return hand_name(rank) if len(cards) >= 5 or rank >= hand_rank(_PAIR_OF_DEUCES) else ""
