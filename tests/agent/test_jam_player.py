"""The player jamfold at the ACPC table and in freeze-outs."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.agent.jam_player import ChipStrategy, JamFoldPlayer, verify_short_stacks
from hedgehog.agent.specs import make_player, parse_player_spec
from hedgehog.arena.jam_tables import shipped_folder
from hedgehog.gametheory.tournaments.jam_tables import read_jam_tables
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.cards import COMBO_CARDS, combo_index, parse_cards
from hedgehog.poker.evaluation.equity import equity_vector
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES, HAND_CLASS_SIZES
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.runtime.errors import GamedefError, InputError

DEEP = load_gamedef()
GAME = load_gamedef("holdem.nolimit.2p.10bb")


def seen(betting: str, hand: str, game: GameDef = GAME, board: str = "", hand_id: int = 0) -> MatchState:
    """Returns a state as the player who is to act sees it."""
    state = parse_betting(betting, game)
    held: list[tuple[int, ...]] = [(), ()]
    held[state.acting_position] = tuple(sorted(parse_cards(hand)))
    return MatchState(state.acting_position, hand_id, tuple(held), tuple(parse_cards(board)), state)


@cache
def equity_against_all() -> NDArray[np.float64]:
    """Returns float64[1326]: the equity of every combo before the flop, by counting all boards."""
    return equity_vector(np.ones(1326))


def player_of(game: GameDef = GAME, seed: int = 1) -> JamFoldPlayer:
    player = JamFoldPlayer()
    player.new_match(game, seed)
    return player


@pytest.mark.parametrize(("blinds", "jam", "call"), [(5, 71.48, 62.07), (10, 58.28, 37.38), (15, 45.65, 28.55)])
def test_equilibria_for_chips(blinds: int, jam: float, call: float) -> None:
    found = ChipStrategy(100 * blinds, 50, 100)
    weights = HAND_CLASS_SIZES / 1326
    assert 100 * weights @ found.jam == pytest.approx(jam, abs=0.01)
    assert 100 * weights @ found.call == pytest.approx(call, abs=0.01)


def test_decisions_at_the_table() -> None:
    player = player_of()
    all_in = Action("r", 1000)
    assert player.act(seen("", "AhKd"), math.inf) == all_in
    assert player.act(seen("", "7h2d"), math.inf) == FOLD
    for limp_or_raise, weak in (("c", CALL), ("r200", FOLD), ("r700", FOLD)):
        assert player.act(seen(limp_or_raise, "AhAd"), math.inf) == all_in
        assert player.act(seen(limp_or_raise, "7h2d"), math.inf) == weak
    assert player.act(seen("r1000", "AhKd"), math.inf) == CALL
    assert player.act(seen("r1000", "7h2d"), math.inf) == FOLD
    # After the flop it checks, and folds to bets.
    assert player.act(seen("cc/", "AhKd", board="As Kc 2d"), math.inf) == CALL
    assert player.act(seen("cc/cr200", "AhKd", board="As Kc 2d"), math.inf) == FOLD


def test_mixed_hands_are_drawn_as_often_as_reported() -> None:
    player = player_of()
    strategy = ChipStrategy(1000, 50, 100)
    for betting, chances in (("", strategy.jam), ("r1000", strategy.call), ("c", strategy.over_limp)):
        options = player.strategy(seen(betting, "AhKd"))
        np.testing.assert_allclose(options.probabilities.sum(axis=0), 1)
        np.testing.assert_array_equal(options.probabilities[0], chances[HAND_CLASS])
    marginal = int(np.abs(strategy.jam - 0.5).argmin())
    chance = float(strategy.jam[marginal])
    assert 0.05 < chance < 0.95, HAND_CLASS_NAMES[marginal]
    combo = int(np.flatnonzero(np.equal(HAND_CLASS, marginal))[0])
    cards = tuple(COMBO_CARDS[combo].tolist())
    assert combo_index(*cards) == combo
    state = HandState(GAME)
    drawn = [
        player.act(MatchState(1, hand, ((), cards), (), state.copy()), math.inf).kind == "r" for hand in range(4000)
    ]
    assert np.mean(drawn) == pytest.approx(chance, abs=4 * math.sqrt(chance * (1 - chance) / 4000))
    same = player_of(seed=1).act(MatchState(1, 7, ((), cards), (), state.copy()), math.inf).kind == "r"
    assert same == drawn[7]
    options = player.strategy(seen("cc/", "AhKd", board="As Kc 2d"))
    assert options.actions == [CALL]
    assert options.probabilities[0].sum() == 1176


def test_deep_games_are_refused_in_one_line() -> None:
    player = make_player(parse_player_spec("jamfold"))
    with pytest.raises(GamedefError, match="more than 1 and at most 15 big blinds, got 200"):
        player.new_match(DEEP, 1)
    with pytest.raises(InputError, match="no-limit hold'em with two blinds"):
        verify_short_stacks(load_gamedef("kuhn.limit.2p"))
    with pytest.raises(InputError, match=r"got 1$"):
        verify_short_stacks(replace(GAME, stacks=(100, 1000)))
    verify_short_stacks(replace(GAME, stacks=(1500, 2000)))


def test_strategies_of_the_tournament() -> None:
    player = JamFoldPlayer(read_jam_tables(shipped_folder() / "jamfold_8000_300_600_50.npz"))

    def of_stacks(big: int, small: int) -> GameDef:
        return replace(DEEP, stacks=(big, small), blinds=(min(600, big), 300))

    game = of_stacks(6200, 1800)
    player.new_match(game, 1)
    assert player.act(seen("", "Jh2d", game), math.inf) == Action("r", 1800)
    assert player.act(seen("", "4h3h", game), math.inf) == FOLD
    game = of_stacks(4400, 3600)
    player.new_match(game, 1)
    assert player.act(seen("", "Jh2d", game), math.inf) == FOLD
    assert player.act(seen("", "4h3h", game), math.inf) == Action("r", 3600)
    # A raise to the smaller stack is an all-in, whoever has it.
    game = of_stacks(1500, 6500)
    player.new_match(game, 1)
    assert player.act(seen("r1500", "AhKd", game), math.inf) == CALL
    assert player.act(seen("c", "AhKd", game), math.inf) == Action("r", 1500)
    # The small blind calls all-in where the big blind is all-in already.
    game = of_stacks(450, 7550)
    player.new_match(game, 1)
    assert player.act(seen("", "AhKd", game), math.inf) == CALL


@pytest.mark.slow
@pytest.mark.parametrize(("big", "small"), [(450, 7550), (7550, 450), (350, 350), (600, 600)])
def test_a_stack_within_the_big_blind_is_played_by_its_equity(big: int, small: int) -> None:
    """The button puts in a stack s if it loses less so, on average over all hands and boards, than its 300 chips."""
    game = replace(DEEP, stacks=(big, small), blinds=(min(600, big), 300))
    player = player_of(game)
    stack = min(big, small)
    expected = (2 * equity_against_all() - 1) * stack > -300
    np.testing.assert_array_equal(player.strategy(seen("", "AhKd", game)).probabilities[0], expected)
    assert player.act(seen("", "AhKd", game), math.inf) == CALL


def test_equal_games_in_other_chips_have_equal_strategies() -> None:
    one, other = ChipStrategy(1000, 50, 100), ChipStrategy(20, 1, 2)
    np.testing.assert_array_equal((one.jam, one.call, one.over_limp), (other.jam, other.call, other.over_limp))
