"""The players potodds and mcsim."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from hedgehog.agent.limit.bots.pot_odds import PotOddsBot
from hedgehog.agent.limit.bots.run_outs import RunOuts, preflop_moments
from hedgehog.agent.limit.bots.simulation_bot import PRIOR, SimulationBot, best_action
from hedgehog.agent.specs import make_player, ready_player
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.cards import combo_index, combo_mask, parse_cards
from hedgehog.poker.evaluation.equity import range_equity
from hedgehog.poker.evaluation.matchups import class_strengths
from hedgehog.poker.evaluation.strength import hand_strength
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, HandState
from hedgehog.runtime.errors import InputError

TWO, THREE = load_gamedef("holdem.limit.2p.reverse_blinds"), load_gamedef("holdem.limit.3p")


def view(gamedef: GameDef, betting: str, hand: str, board: str = "", hand_id: int = 0) -> MatchState:
    state = parse_betting(betting, gamedef)
    own = tuple(parse_cards(hand))
    hole_cards = tuple(own if p == state.acting_position else () for p in range(gamedef.num_players))
    return MatchState(state.acting_position, hand_id, hole_cards, tuple(parse_cards(board)), state)


def test_equities_against_one_hand_are_the_hand_strengths() -> None:
    outs = RunOuts()
    assert preflop_moments()[:, 0] == pytest.approx(class_strengths(), abs=1e-3)
    rng = random.Random(1)
    for size, error in ((3, 2e-3), (4, 1e-12), (5, 1e-12)):
        for _ in range(8):
            low, high = sorted(rng.sample(range(52), 2))
            board = tuple(rng.sample([card for card in range(52) if card not in (low, high)], size))
            assert outs.equity((low, high), board, 1) == pytest.approx(
                hand_strength((low, high), board).seven_card, abs=error
            )


def test_powers_of_equities_are_means_over_final_boards() -> None:
    outs = RunOuts()
    hand, board = tuple(sorted(parse_cards("AhKd"))), tuple(parse_cards("Ks7h2c9d"))
    rest = [card for card in range(52) if card not in (*hand, *board)]
    squares = [hand_strength(hand, [*board, card]).ihr ** 2 for card in rest]
    assert outs.equity(hand, board, 2) == pytest.approx(np.mean(squares))
    of_all = outs.equities(board, 2)
    assert of_all[combo_index(*hand)] == pytest.approx(np.mean(squares))
    assert np.isnan(of_all).tolist() == (~combo_mask(board)).tolist()


@pytest.mark.parametrize(
    ("gamedef", "betting", "hand", "board", "expected"),
    [
        (THREE, "r", "7h2c", "", FOLD),  # 10.7 % against two hands, 27 % needed
        (THREE, "", "AhAd", "", LIMIT_RAISE),
        (THREE, "rrr", "AhAd", "", CALL),  # no raise is left
        (THREE, "cc", "7h2c", "", CALL),  # nothing to call
        (THREE, "ccc/r", "9h8c", "AsKsQd", FOLD),
        (TWO, "cc/", "9h8c", "AsKsQd", CALL),
        (TWO, "cc/r", "AhKd", "AsKs2d", LIMIT_RAISE),
        (TWO, "cc/cc/cc/r", "9h8c", "AsKsQd2d2c", FOLD),
    ],
)
def test_pot_odds_decide(gamedef: GameDef, betting: str, hand: str, board: str, expected: object) -> None:
    bot = ready_player("potodds", gamedef)
    state = view(gamedef, betting, hand, board)
    assert bot.act(state, math.inf) == expected
    assert isinstance(bot, PotOddsBot)
    options = bot.strategy(state)
    low, high = sorted(state.hole_cards[state.position])
    column = options.probabilities[:, combo_index(low, high)]
    assert [action for action, share in zip(options.actions, column, strict=True) if share] == [expected]
    assert options.probabilities.sum(axis=0) == pytest.approx(combo_mask(state.board).astype(float))


@pytest.mark.parametrize("board", ["", "AsKsQd", "AsKsQd2d", "AsKsQd2d2c"])
def test_reported_and_played_actions_agree(board: str) -> None:
    bot = ready_player("potodds", THREE)
    assert isinstance(bot, PotOddsBot)
    betting = {0: "", 6: "ccc/r", 8: "ccc/ccc/r", 10: "ccc/ccc/ccc/r"}[len(board)]
    options = bot.strategy(view(THREE, betting, "2s3s", board))
    rng = random.Random(2)
    deck = [card for card in range(52) if card not in parse_cards(board)]
    for _ in range(40):
        low, high = sorted(rng.sample(deck, 2))
        state = view(THREE, betting, "2s3s", board)
        state = state._replace(hole_cards=tuple((low, high) if hand else () for hand in state.hole_cards))
        column = options.probabilities[:, combo_index(low, high)].tolist()
        assert options.actions[column.index(1.0)] == bot.act(state, math.inf)


@pytest.mark.parametrize("spec", ["potodds", "mcsim"])
@pytest.mark.parametrize("name", ["kuhn.limit.3p", "custom.limit.4p.shortstacks"])
def test_other_games_are_refused(spec: str, name: str) -> None:
    with pytest.raises(InputError, match="plays hold'em with two or three players only"):
        make_player(spec).new_match(load_gamedef(name), 0)


def test_the_simulation_knows_exact_equities_without_weights() -> None:
    bot = SimulationBot()
    bot.warm_up()
    hand, board = parse_cards("AhAd"), parse_cards("Ks7h2c")
    weights = combo_mask([*hand, *board]).astype(np.float64)[np.newaxis]
    means = [bot._pot_share(weights, tuple(hand), tuple(board), number / 40) for number in range(40)]
    own = np.zeros(1326, dtype=np.float32)
    own[combo_index(*sorted(hand))] = 1
    exact = range_equity(own, np.ones(1326, dtype=np.float32), board).equity
    assert np.mean(means) == pytest.approx(exact, abs=4 * 0.4 / math.sqrt(40 * 200))


def test_the_simulation_counts_the_actions_of_each_player() -> None:
    bot = ready_player("mcsim", THREE)
    assert isinstance(bot, SimulationBot)
    for hand_id in range(3):
        state = parse_betting("rff", THREE)
        bot.observe(MatchState(0, hand_id, ((), (), ()), (), state))
    # The button raises and both blinds fold, in each hand another seat: everybody has done both.
    assert (bot._counts[:, 0] - np.array(PRIOR)).tolist() == [[2, 0, 1]] * 3
    assert (bot._counts[:, 1:] == np.array(PRIOR)).all()


def test_weights_follow_actions() -> None:
    bot = SimulationBot()
    bot.warm_up()
    weights = np.ones(1326)
    bot._weigh(weights, (), "r", 0.1, 0.4)
    aces, trash = (combo_index(*sorted(parse_cards(text))) for text in ("AhAd", "7h2c"))
    assert (weights[aces], weights[trash]) == (1, 0.15)
    bot._weigh(weights, (), "c", 0.1, 0.4)
    assert weights[aces] == 0.4
    assert np.mean(weights == 1) == 0
    assert 0.3 < np.mean(weights == 0.15) < 0.6


def test_values_of_actions() -> None:
    state = parse_betting("r", THREE)  # 35 chips in the pot, the small blind owes 15
    assert best_action(state, 0, 0.29, [0.0, 0.0]) == FOLD
    assert best_action(state, 0, 0.31, [0.0, 0.0]) == CALL
    assert best_action(state, 0, 0.5, [0.0, 0.0]) == LIMIT_RAISE
    assert best_action(state, 0, 0.0, [0.95, 0.95]) == LIMIT_RAISE
    free = HandState(THREE)
    free.apply(CALL)
    free.apply(CALL)
    assert best_action(free, 1, 0.0, [0.1, 0.1]) == CALL
