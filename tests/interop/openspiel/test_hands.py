"""What a player sees of a state of OpenSpiel: its own cards, the board and the betting, as our match state."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pyspiel
import pytest

from hedgehog.agent.openspiel.games import card_of_number, gamedef_of, legal_numbers, number_of_card, spiel_game
from hedgehog.interop.openspiel.hands import game_of, seen_by
from hedgehog.poker.acpc.gamedef import UNLIMITED_STACK, load_gamedef, shipped_gamedefs
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.cards import format_cards, parse_cards
from hedgehog.runtime.errors import InputError
from tests.interop.openspiel.hidden import HiddenState

UNIVERSAL = (
    "universal_poker(betting=nolimit,bettingAbstraction=fullgame,blind={blinds},firstPlayer={first},"
    "numBoardCards=0 3 1 1,numHoleCards=2,numPlayers={players},numRanks=13,numRounds=4,numSuits=4,stack={stacks},"
    "calcOddsNumSims=0)"
)
HEADS_UP = UNIVERSAL.format(blinds="2 1", first="2 1 1 1", players=2, stacks="40 40")
THREE = UNIVERSAL.format(blinds="1 2 0", first="3 1 1 1", players=3, stacks="40 40 40")
LOADABLE = [
    name
    for name in shipped_gamedefs()
    if load_gamedef(name).no_limit or set(load_gamedef(name).stacks) == {UNLIMITED_STACK}
]


def repeated(inner: str, hands: int, options: str) -> pyspiel.Game:
    text = f"repeated_poker(max_num_hands={hands},{options},universal_poker_game_string={inner})"
    return pyspiel.load_game(text)


def choose(state: pyspiel.State, rng: random.Random) -> int:
    """Mostly checks, calls and small raises, sometimes all-in or a fold."""
    legal = state.legal_actions()
    if state.is_chance_node():
        return rng.choice(legal)
    kind = rng.random()
    return legal[0] if kind < 0.1 else legal[-1] if kind < 0.15 else rng.choice(legal[:3])


def acpc(text: str) -> tuple[str, list[set[str]], set[str]]:
    """Returns betting, hole cards and board of an ACPC state of OpenSpiel."""
    match = re.search(r"STATE:\d+:([^:]*):([^\n]*)", text)
    assert match is not None
    hands, _, board = match[2].partition("/")
    cards = [set(re.findall("..", hand)) for hand in hands.split("|")]
    return match[1], cards, set(re.findall("..", board.replace("/", "")))


@pytest.mark.parametrize("name", LOADABLE)
def test_games_come_back_from_open_spiel(name: str) -> None:
    gamedef = load_gamedef(name)
    assert gamedef_of(spiel_game(gamedef)) == gamedef


@pytest.mark.parametrize("name", LOADABLE)
def test_cards_have_numbers_of_their_own(name: str) -> None:
    gamedef = load_gamedef(name)
    numbers = [number_of_card(card, gamedef) for card in gamedef.deck()]
    assert sorted(numbers) == list(range(len(numbers)))
    assert [card_of_number(number, gamedef) for number in numbers] == gamedef.deck()


def test_other_games_are_refused() -> None:
    with pytest.raises(InputError, match=r"^expected OpenSpiel's game universal_poker, got kuhn_poker$"):
        game_of(pyspiel.load_game("kuhn_poker"))
    with pytest.raises(InputError, match="bettingAbstraction=fullgame, got bettingAbstraction=fcpa"):
        game_of(pyspiel.load_game(HEADS_UP.replace("fullgame", "fcpa")))
    with pytest.raises(InputError, match="ignores the stacks of limit games"):
        spiel_game(load_gamedef("custom.limit.4p.shortstacks"))
    with pytest.raises(InputError, match="the hole cards have not been dealt yet"):
        seen_by(pyspiel.load_game(HEADS_UP).new_initial_state(), 0)


def check_seen(state: Any, seen: MatchState, text: str, player_of: list[int]) -> None:
    """Compares what a player sees with the ACPC state, in which cards are in the order of OpenSpiel's players."""
    betting, hands, board = acpc(text)
    assert seen.state.betting_string() == betting
    assert set(re.findall("..", format_cards(seen.board))) == board
    assert [bool(hand) for hand in seen.hole_cards].count(True) == 1
    own = set(re.findall("..", format_cards(seen.hole_cards[seen.position])))
    assert own == hands[player_of[state.current_player()]]
    assert seen.state.acting_position == seen.position
    assert legal_numbers(seen.state) == state.legal_actions()


@pytest.mark.parametrize(
    "text",
    [
        HEADS_UP,
        UNIVERSAL.format(blinds="1 2", first="1 2 2 2", players=2, stacks="30 50"),
        THREE,
        UNIVERSAL.format(blinds="1 2 0 0 0 0", first="3 1 1 1 1 1", players=6, stacks="40 9 3 40 25 60"),
    ],
)
def test_hands_of_universal_poker(text: str) -> None:
    game, rng = pyspiel.load_game(text), random.Random(text)
    for _ in range(40):
        state = game.new_initial_state()
        while not state.is_terminal():
            if not state.is_chance_node():
                player = state.current_player()
                seen = seen_by(state, player, 7)
                assert seen == seen_by(HiddenState(state, player), player, 7)._replace(state=seen.state)
                assert seen.hand_id == 7
                check_seen(state, seen, str(state), list(range(game.num_players())))
            state.apply_action(choose(state, rng))


def test_heads_up_the_big_blind_is_position_0_wherever_open_spiel_seats_it() -> None:
    usual = pyspiel.load_game(HEADS_UP)
    turned = pyspiel.load_game(UNIVERSAL.format(blinds="1 2", first="1 2 2 2", players=2, stacks="30 50"))
    assert game_of(usual).blinds == game_of(turned).blinds == (2, 1)
    assert game_of(turned).stacks == (50, 30)
    state = turned.new_initial_state()
    for card in (0, 1, 2, 3):
        state.apply_action(card)
    seen = seen_by(state, 0)
    assert (seen.position, seen.hole_cards) == (1, ((), tuple(parse_cards("2c2d"))))


@pytest.mark.parametrize(
    ("inner", "options"),
    [
        (HEADS_UP, "reset_stacks=True,rotate_dealer=True"),
        (HEADS_UP, "reset_stacks=True,rotate_dealer=False"),
        (HEADS_UP, "reset_stacks=False,rotate_dealer=True"),
        (HEADS_UP, "reset_stacks=False,rotate_dealer=True,blind_schedule=2:1/2;2:2/4;100:3/6"),
        (THREE, "reset_stacks=True,rotate_dealer=True"),
        (THREE, "reset_stacks=False,rotate_dealer=True"),
    ],
)
def test_hands_of_repeated_poker(inner: str, options: str) -> None:
    game, rng = repeated(inner, 12, options), random.Random(options)
    positions = set()
    for _ in range(8):
        state = game.new_initial_state()
        while not state.is_terminal():
            if not state.is_chance_node():
                told = json.loads(str(state))
                player = state.current_player()
                seen = seen_by(state, player)
                hidden = HiddenState(state, player)
                hidden._dealt = 2 * sum(state.player_to_seat(other) >= 0 for other in range(game.num_players()))
                assert seen == seen_by(hidden, player)._replace(state=seen.state)
                inside = json.loads(told["current_universal_poker_json"])
                seats = [state.player_to_seat(other) for other in range(game.num_players())]
                check_seen(state, seen, inside["acpc_state"], seats)
                assert seen.hand_id == told["hand_number"]
                gamedef = seen.state.gamedef
                assert gamedef.stacks[seen.position] == inside["starting_stacks"][seats[player]]
                assert gamedef.blinds[seen.position] == inside["blinds"][seats[player]]
                positions.add((player, seen.position))
            state.apply_action(choose(state, rng))
    rotates = "rotate_dealer=True" in options
    assert len(positions) == game.num_players() ** (2 if rotates else 1)


def test_a_player_without_chips_sees_nothing() -> None:
    game, rng = repeated(THREE, 30, "reset_stacks=False,rotate_dealer=True"), random.Random(1)
    state = game.new_initial_state()
    while not state.is_terminal():
        if not state.is_chance_node():
            out = [player for player in range(3) if state.player_to_seat(player) < 0]
            if out:
                with pytest.raises(InputError, match=rf"^player {out[0]} has lost all chips"):
                    seen_by(state, out[0])
                return
        legal = state.legal_actions()
        quick = not state.is_chance_node() and rng.random() < 0.3
        state.apply_action(legal[-1] if quick else rng.choice(legal[:52]) if state.is_chance_node() else legal[0])
    raise AssertionError("nobody has lost all chips")


def test_the_hidden_state_hides() -> None:
    state = pyspiel.load_game(HEADS_UP).new_initial_state()
    for card in (0, 1, 2, 3):
        state.apply_action(card)
    hidden = HiddenState(state, 1)
    assert hidden.history()[2:] == [2, 3]
    assert 0 not in hidden.history()
    assert parse_betting("", game_of(state.get_game())).acting_position == 1
