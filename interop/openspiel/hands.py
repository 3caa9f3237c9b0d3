"""What one player of an OpenSpiel state may know, as a match state of ours: the cards of others are never looked at.

The state's history holds the cards of all players, and so does its text. Here the own cards and the board are taken out
of the history by their places in it. In ``repeated_poker`` the dealer's button may move and stacks and blinds may
change; positions are those of our game definitions: heads-up the big blind is position 0, with more players the small
blind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from hedgehog.agent.openspiel.games import action_of_number, card_of_number, gamedef_of, gamedef_of_parameters
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.state import HandState
from hedgehog.runtime.errors import InputError

REPEATED: Final = "repeated_poker"


def game_of(game: Any) -> GameDef:
    """Returns the game definition of ``universal_poker``, or of the hands of ``repeated_poker``.

    :param game: a ``pyspiel.Game``.
    :raises InputError: if the game is another one, or cannot be played by our rules.
    """
    if game.get_type().short_name == REPEATED:
        return _turned(gamedef_of_parameters(game.get_parameters()["universal_poker_game_string"]))[0]
    return _turned(gamedef_of(game))[0]


def _turned(gamedef: GameDef) -> tuple[GameDef, int]:
    """Returns a game in our order of positions, and the position of OpenSpiel's player 0 in it.

    Heads-up, OpenSpiel's player 0 may be the small blind.
    """
    first, second = gamedef.blinds[0], gamedef.blinds[-1]
    if gamedef.num_players != 2 or first >= second or gamedef.first_positions[0] != 0:
        return gamedef, 0
    return (
        _with_positions(
            gamedef,
            stacks=gamedef.stacks[::-1],
            blinds=gamedef.blinds[::-1],
            first_positions=tuple(1 - position for position in gamedef.first_positions),
        ),
        1,
    )


def _with_positions(
    gamedef: GameDef, *, stacks: Sequence[int], blinds: Sequence[int], first_positions: Sequence[int]
) -> GameDef:
    """Returns a game with other stacks, blinds and first players, one per position or round."""
    return GameDef(
        num_players=len(stacks),
        num_rounds=gamedef.num_rounds,
        no_limit=gamedef.no_limit,
        stacks=tuple(stacks),
        blinds=tuple(blinds),
        raise_sizes=gamedef.raise_sizes,
        first_positions=tuple(first_positions),
        max_raises=gamedef.max_raises,
        num_suits=gamedef.num_suits,
        num_ranks=gamedef.num_ranks,
        num_hole_cards=gamedef.num_hole_cards,
        num_board_cards=gamedef.num_board_cards,
    )


def seen_by(state: Any, player: int, hand_id: int = 0) -> MatchState:
    """Returns what a player knows in a state of ``universal_poker`` or ``repeated_poker``.

    The hand need not wait for this player. The cards of the other players are empty.

    :param state: a ``pyspiel.State`` after the deal of the hole cards.
    :param player: OpenSpiel's number of the player.
    :param hand_id: number of the hand, for ``universal_poker``; ``repeated_poker`` counts its hands itself.
    :raises InputError: if the game is another one, or the history is no hand of it.
    """
    game = state.get_game()
    if game.get_type().short_name != REPEATED:
        gamedef, shift = _turned(gamedef_of(game))
        places = [(seat + shift) % gamedef.num_players for seat in range(gamedef.num_players)]
        return _followed(gamedef, list(state.history()), places, player, hand_id)
    parameters = game.get_parameters()["universal_poker_game_string"]
    gamedef, places = _present_hand(state, gamedef_of_parameters(parameters))
    if state.is_terminal():
        raise InputError("the match is over")
    seat = state.player_to_seat(player)
    if seat < 0:
        raise InputError(f"player {player} has lost all chips and is not dealt in")
    history, hands = _last_hand(state, gamedef)
    return _followed(gamedef, history, places, seat, hands - 1)


def _present_hand(state: Any, gamedef: GameDef) -> tuple[GameDef, list[int]]:
    """Returns the game of the hand that is played in ``repeated_poker``, and the position of each seat."""
    stacks = [state.stacks()[state.seat_to_player(seat)] for seat in range(_seats(state))]
    count = len(stacks)
    start = state.big_blind_seat() if count == 2 else state.small_blind_seat()
    places = [(seat - start) % count for seat in range(count)]
    by_position = [stacks[places.index(position)] for position in range(count)]
    blinds = [0] * count
    big, small = places[state.big_blind_seat()], places[state.small_blind_seat()]
    blinds[big] = min(state.big_blind(), by_position[big])
    blinds[small] = min(state.small_blind(), by_position[small])
    before_flop = (big + 1) % count
    first = [before_flop, *[0] * (gamedef.num_rounds - 1)]
    return _with_positions(gamedef, stacks=by_position, blinds=blinds, first_positions=first), places


def _seats(state: Any) -> int:
    """Returns the number of players who are dealt in."""
    return sum(state.player_to_seat(player) >= 0 for player in range(state.num_players()))


def _last_hand(state: Any, gamedef: GameDef) -> tuple[list[int], int]:
    """Returns the part of a history of ``repeated_poker`` that belongs to its last hand, and the number of hands.

    A hand starts with the hole cards of all its players, more cards than any street of the board has.
    """
    dealt = gamedef.num_players * gamedef.num_hole_cards
    if dealt <= max(gamedef.num_board_cards):
        raise InputError("a street of the board has as many cards as all hands: the hands cannot be told apart")
    history = state.full_history()
    start = cards = hands = 0
    for index, move in enumerate(history):
        cards = cards + 1 if move.player < 0 else 0
        if cards >= dealt:
            start = index + 1 - dealt
            hands += cards == dealt
    return [move.action for move in history[start:]], hands


def _followed(gamedef: GameDef, history: list[int], places: list[int], seat: int, hand_id: int) -> MatchState:
    """Follows a hand through the history of its chance outcomes and actions.

    :param places: the position of each of OpenSpiel's seats, in whose order the cards are dealt.
    :param seat: the seat whose cards are seen.
    """
    each = gamedef.num_hole_cards
    dealt = each * gamedef.num_players
    if len(history) < dealt:
        raise InputError("the hole cards have not been dealt yet")
    own = history[seat * each :][:each]
    hole_cards: list[tuple[int, ...]] = [()] * gamedef.num_players
    hole_cards[places[seat]] = tuple(sorted(card_of_number(number, gamedef) for number in own))
    hand = HandState(gamedef)
    board: list[int] = []
    for number in history[dealt:]:
        if len(board) < gamedef.board_cards_by(hand.round):
            board.append(card_of_number(number, gamedef))
        else:
            hand.apply(action_of_number(number, gamedef))
    return MatchState(places[seat], hand_id, tuple(hole_cards), tuple(board), hand)
