"""Hands and menus of the environments, without PettingZoo and Gymnasium, beside OpenSpiel's ``universal_poker``."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.agent.openspiel.games import number_of_card, spiel_game
from hedgehog.dealer.cards import CardDealer
from hedgehog.interop.environments.features import Features
from hedgehog.interop.environments.menus import EverySize, SizeMenu, menu_of
from hedgehog.interop.environments.table import Hands
from hedgehog.poker.acpc.gamedef import UNLIMITED_STACK, GameDef, load_gamedef, parse_gamedef, shipped_gamedefs
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.cards import NUM_CARDS
from hedgehog.poker.state import Action, HandState
from hedgehog.runtime.errors import InputError, MatchStateError

LOADABLE = [
    name
    for name in shipped_gamedefs()
    if load_gamedef(name).no_limit or set(load_gamedef(name).stacks) == {UNLIMITED_STACK}
]
HISTORIES = 500
DEFAULT = load_gamedef()


def play_beside_open_spiel(gamedef: GameDef, hands: int, seed: int) -> int:
    """Plays random hands here and in OpenSpiel, with the same cards; returns the number of decisions."""
    theirs, menu, rng = spiel_game(gamedef), EverySize(gamedef), random.Random(seed)
    table, decisions = Hands(gamedef), 0
    for number in range(hands):
        table.start(seed if number == 0 else None)
        deal = table.playing.deal
        cards = [card for hand in deal.hole_cards for card in hand] + list(deal.board)
        undealt = [number_of_card(card, gamedef) for card in reversed(cards)]
        other = theirs.new_initial_state()
        while True:
            while other.is_chance_node():
                other.apply_action(undealt.pop())
            state = table.playing.state
            if other.is_terminal():
                break
            legal = other.legal_actions()
            mask = menu.mask(state)
            assert np.flatnonzero(mask).tolist() == legal, (state, legal)
            assert state.acting_position == other.current_player()
            chosen = rng.choice([legal[0], 1, 1, 1, *legal[:4], legal[-1], rng.choice(legal)])
            action = menu.legal(chosen, state)
            assert action is not None
            assert menu.number(action, state) == chosen
            table.act(action)
            other.apply_action(chosen)
            decisions += 1
        assert state.finished
        assert not menu.mask(state).any()
        assert table.payoffs() == pytest.approx(other.returns(), abs=1e-6)
    return decisions


@pytest.mark.parametrize("name", LOADABLE)
def test_random_hands_are_those_of_open_spiel(name: str) -> None:
    assert play_beside_open_spiel(load_gamedef(name), 60, 1) > 60


@pytest.mark.slow
@pytest.mark.parametrize("name", LOADABLE)
def test_five_hundred_random_hands_are_those_of_open_spiel(name: str) -> None:
    assert play_beside_open_spiel(load_gamedef(name), HISTORIES, 2) > HISTORIES


@pytest.mark.parametrize("players", [2, 5, 10])
def test_two_to_ten_players(players: int) -> None:
    blinds = " ".join(["1", "2", *["0"] * (players - 2)])
    stacks = " ".join(str(20 + 7 * position) for position in range(players))
    first = 1 if players == 2 else 3
    text = (
        f"GAMEDEF\nnolimit\nnumPlayers = {players}\nnumRounds = 4\nstack = {stacks}\nblind = {blinds}\n"
        f"firstPlayer = {first} 1 1 1\nnumSuits = 4\nnumRanks = 13\nnumHoleCards = 2\nnumBoardCards = 0 3 1 1\n"
    )
    assert play_beside_open_spiel(parse_gamedef(text), 60, players) > 60


def test_seeds_deal_the_hands_of_the_dealer() -> None:
    table, dealer = Hands(DEFAULT), CardDealer(DEFAULT, 9)
    for number in range(3):
        table.start(9 if number == 0 else None)
        assert table.playing.deal == dealer.deal()
        assert table.hand_id == number
    with pytest.raises(InputError, match="expected a seed from 0 to 4294967295, got -1"):
        table.start(-1)
    with pytest.raises(InputError, match="call reset"):
        Hands(DEFAULT).view(0)


def test_a_view_has_the_own_cards_alone() -> None:
    table = Hands(DEFAULT)
    table.start(4)
    assert [bool(hand) for hand in table.view(1).hole_cards] == [False, True]
    assert table.view(0).board == ()
    with pytest.raises(MatchStateError, match="illegal action"):
        table.act(Action("r", 101))
    assert table.text().startswith("STATE:0::")


@pytest.mark.parametrize(
    ("betting", "legal"),
    [
        ("", {0: "f", 1: "c", 2: "r200", 4: "r300", 5: "r20000"}),  # half a pot is 200, as is a raise to 2x
        ("r300", {0: "f", 1: "c", 2: "r600", 4: "r900", 5: "r20000"}),
        ("r300c/", {1: "c", 2: "r600", 4: "r900", 5: "r20000"}),
        ("r300c/r900", {0: "f", 1: "c", 2: "r1800", 3: "r1500", 4: "r2700", 5: "r20000"}),
        ("r20000", {0: "f", 1: "c"}),
        ("r300c/cr12000", {0: "f", 1: "c", 2: "r20000"}),  # the smallest raise is more than a pot
        ("r300f", {}),
    ],
)
def test_a_menu_of_sizes(betting: str, legal: dict[int, str]) -> None:
    menu = SizeMenu(DEFAULT, "50%,2x,100%,a")
    state = parse_betting(betting, DEFAULT)
    found = {number: str(action) for number in range(-1, 9) if (action := menu.legal(number, state)) is not None}
    assert found == legal
    assert np.flatnonzero(menu.mask(state)).tolist() == list(legal)
    for number, text in legal.items():
        assert menu.number(Action(text[0], int(text[1:] or 0)), state) == number


def test_chips_are_added_to_the_bet_faced() -> None:
    menu = SizeMenu(DEFAULT, "500c")
    assert menu.legal(2, parse_betting("r300c/r900", DEFAULT)) == Action("r", 1400 + 100)
    assert menu.legal(2, parse_betting("r300c/c", DEFAULT)) == Action("r", 800)
    assert menu.names() == ["fold", "call", "500c"]
    with pytest.raises(InputError, match="the menu 500c does not have r600 here"):
        menu.number(Action("r", 600), parse_betting("r300c/c", DEFAULT))


@pytest.mark.parametrize(
    ("game", "sizes", "message"),
    [
        ("holdem.limit.2p.reverse_blinds", "a", "a limit game has one size"),
        ("holdem.nolimit.2p.reverse_blinds", "", "expected sizes such as 50%,100%,a, got none"),
        ("holdem.nolimit.2p.reverse_blinds", "50%,2e", "expected sizes such as 50%, 2.5x, 100c or a, got '2e'"),
        ("holdem.nolimit.2p.reverse_blinds", "20c3r", "expected sizes such as 50%, 2.5x, 100c or a, got '20c3r'"),
        ("holdem.nolimit.2p.reverse_blinds", "half", "expected a bet size such as"),
        ("holdem.nolimit.2p.1000-2000.4000000", None, "a game with stacks of 4,000,000 chips has too many sizes"),
    ],
)
def test_what_is_no_menu_is_refused(game: str, sizes: str | None, message: str) -> None:
    with pytest.raises(InputError) as caught:
        menu_of(load_gamedef(game), sizes)
    assert message in str(caught.value)


def test_a_game_without_blinds_has_a_menu_alone() -> None:
    text = "GAMEDEF\nnolimit\nnumPlayers = 2\nnumRounds = 1\nstack = 9 9\nblind = 0 0\nnumSuits = 4\nnumRanks = 13\n"
    gamedef = parse_gamedef(text + "numHoleCards = 1\nnumBoardCards = 0\nEND GAMEDEF\n")
    with pytest.raises(InputError, match="a raise to 1 chip would have the number of a call"):
        menu_of(gamedef, None)
    assert menu_of(gamedef, "a").legal(2, HandState(gamedef)) == Action("r", 9)


@given(st.data())
def test_vectors_lie_in_their_space_and_tell_hands_apart(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(shipped_gamedefs())))
    gamedef = load_gamedef(name)
    features, menu, table = Features(gamedef), EverySize(gamedef), Hands(gamedef)
    table.start(data.draw(st.integers(0, 99)))
    told: dict[bytes, tuple[str, int]] = {}
    for _ in range(200):
        for position in range(gamedef.num_players):
            seen = table.view(position)
            vector = features.vector(seen)
            assert vector.shape == (features.length,)
            assert vector.dtype == np.float32
            assert vector.min() >= 0
            assert vector.max() <= 1
            assert np.flatnonzero(vector[:NUM_CARDS]).tolist() == sorted(seen.hole_cards[position])
            assert np.flatnonzero(vector[NUM_CARDS : 2 * NUM_CARDS]).tolist() == sorted(seen.board)
            what = (seen.state.betting_string(), position)
            assert told.setdefault(vector.tobytes(), what) == what
        state = table.playing.state
        if state.finished:
            break
        legal = np.flatnonzero(menu.mask(state)).tolist()
        action = menu.legal(data.draw(st.sampled_from([1, 1, legal[-1], *legal[:3]])), state)
        assert action is not None
        table.act(action)


def test_the_cards_of_others_do_not_change_a_vector() -> None:
    features = Features(DEFAULT)
    state = parse_betting("r300c/", DEFAULT)
    seen = MatchState(0, 0, ((4, 9), ()), (0, 1, 2), state)
    shown = seen._replace(hole_cards=((4, 9), (50, 51)), hand_id=8)
    assert features.vector(seen).tobytes() == features.vector(shown).tobytes()
