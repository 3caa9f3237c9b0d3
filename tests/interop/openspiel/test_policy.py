"""Strategies of ours in OpenSpiel's own best responses: equilibria gain nothing to deviate from."""

from __future__ import annotations

import pyspiel
import pytest
from open_spiel.python.algorithms import expected_game_score, exploitability

from hedgehog.agent.openspiel.games import spiel_game
from hedgehog.gametheory.strategies import exploitability as our_exploitability
from hedgehog.interop.openspiel import extensive_game, player_policy, solved_policy
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.runtime.errors import InputError


@pytest.mark.parametrize("text", ["kuhn_poker", "leduc_poker", "goofspiel(num_cards=3,imp_info=True)"])
def test_small_games_of_open_spiel(text: str) -> None:
    game = pyspiel.load_game(text)
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        with pytest.raises(InputError, match="players move in turn"):
            solved_policy(game)
        game = pyspiel.convert_to_turn_based(game)
    policy = solved_policy(game)
    assert exploitability.nash_conv(game, policy) < 1e-8
    assert our_exploitability(policy.tree, policy.profile) < 1e-8


def test_three_players_learn_until_nobody_gains() -> None:
    game = pyspiel.load_game("kuhn_poker(players=3)")
    policy = solved_policy(game)
    assert exploitability.nash_conv(game, policy) < 3e-4


@pytest.mark.parametrize("name", ["kuhn.limit.2p", "leduc.limit.2p"])
def test_the_solved_player_as_a_policy(name: str) -> None:
    game = spiel_game(load_gamedef(name))
    assert exploitability.nash_conv(game, player_policy("solved", game)) < 1e-8


def test_the_value_of_kuhn_poker() -> None:
    game = spiel_game(load_gamedef("kuhn.limit.2p"))
    policy = player_policy("default", game)
    values = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])
    assert values == pytest.approx([-1 / 18, 1 / 18], abs=1e-9)
    solved = solved_policy(pyspiel.load_game("kuhn_poker"))
    assert extensive_game(solved.game).counts == solved.tree.counts
    assert len(solved.tree.infosets) == 12


def test_a_policy_of_no_limit_hold_em() -> None:
    game = spiel_game(load_gamedef("holdem.nolimit.2p.50-100.10000"))
    policy, state = player_policy("default", game), game.new_initial_state()
    for card in (0, 5, 48, 51):
        state.apply_action(card)
    shares = policy.action_probabilities(state)
    assert sum(shares.values()) == pytest.approx(1)
    assert shares.get(0, 0) == 0  # aces do not fold
    with pytest.raises(InputError, match="does not report its strategy"):
        player_policy("random", game)
