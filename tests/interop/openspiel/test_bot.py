"""Our players at OpenSpiel's table: ``evaluate_bots``, reported strategies, and what a bot may not look at."""

from __future__ import annotations

import random

import pyspiel
import pytest

from hedgehog.agent.openspiel.games import spiel_game
from hedgehog.agent.player import Player
from hedgehog.interop.openspiel import kaggle_agent, spiel_bot
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.state import CALL, Action
from hedgehog.runtime.errors import InputError
from tests.interop.openspiel.hidden import HiddenState

KAGGLE = (
    "repeated_poker(max_num_hands={hands},reset_stacks=True,rotate_dealer=True,universal_poker_game_string="
    "universal_poker(betting=nolimit,bettingAbstraction=fullgame,blind=2 1,firstPlayer=2 1 1 1,"
    "numBoardCards=0 3 1 1,numHoleCards=2,numPlayers=2,numRanks=13,numRounds=4,numSuits=4,stack=200 200,"
    "calcOddsNumSims=0))"
)


def at_first_decision(game: pyspiel.Game, rng: random.Random) -> pyspiel.State:
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(rng.choice(state.legal_actions()))
    return state


@pytest.mark.parametrize("name", ["holdem.nolimit.2p.50-100.10000", "holdem.limit.2p.reverse_blinds", "leduc.limit.2p"])
def test_our_player_against_itself_sums_to_zero(name: str) -> None:
    game = spiel_game(load_gamedef(name))
    bots = [spiel_bot("default", game, seed=seed) for seed in (5, 6)]
    values = [pyspiel.evaluate_bots(game.new_initial_state(), bots, seed) for seed in range(25)]
    assert all(sum(value) == 0 for value in values)
    assert len({value[0] for value in values}) > 3
    for bot in bots:
        assert bot.record.decisions >= 25
        assert bot.record.player_errors == bot.record.illegal_actions == 0


def test_bots_act_for_the_player_whose_turn_it_is() -> None:
    game = spiel_game(load_gamedef("holdem.nolimit.2p.50-100.10000"))
    for names, values in ((("fold", "raise"), [-100, 100]), (("raise", "fold"), [50, -50])):
        bots = [spiel_bot(name, game) for name in names]
        assert pyspiel.evaluate_bots(game.new_initial_state(), bots, 3) == values


def test_a_bot_never_sees_the_other_hand() -> None:
    game, rng = spiel_game(load_gamedef("holdem.nolimit.2p.50-100.10000")), random.Random(3)
    bot, checked = spiel_bot("default", game, seed=2), 0
    for _ in range(15):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice(state.legal_actions()))
                continue
            hidden = HiddenState(state, state.current_player())
            action = bot.step(hidden)
            assert action == bot.step(state)
            assert bot.get_policy(hidden) == bot.get_policy(state)
            assert action in state.legal_actions()
            state.apply_action(action)
            checked += 1
        bot.restart()
    assert checked > 30


def test_actions_come_from_the_reported_policy() -> None:
    game = spiel_game(load_gamedef("holdem.nolimit.2p.50-100.10000"))
    bot, state = spiel_bot("default", game), at_first_decision(game, random.Random(8))
    policy = dict(bot.get_policy(state))
    assert bot.provides_policy()
    assert sum(policy.values()) == pytest.approx(1)
    assert set(policy) <= set(state.legal_actions())
    counts = dict.fromkeys(policy, 0)
    for _ in range(400):
        shown, action = bot.step_with_policy(state)
        assert dict(shown) == policy
        counts[action] += 1
        bot.restart_at(state)
    for action, share in policy.items():
        assert counts[action] / 400 == pytest.approx(share, abs=0.1)


def test_players_without_a_reported_strategy() -> None:
    game = spiel_game(load_gamedef("kuhn.limit.2p"))
    assert spiel_bot("solved", game).provides_policy()
    bot, state = spiel_bot("random", game), at_first_decision(game, random.Random(1))
    assert not bot.provides_policy()
    with pytest.raises(InputError, match=r"^the player random does not report its strategy in this game$"):
        bot.step_with_policy(state)


def test_players_that_cannot_play_are_refused() -> None:
    game = spiel_game(load_gamedef("kuhn.limit.2p"))
    with pytest.raises(InputError, match="is a bot of OpenSpiel already"):
        spiel_bot("openspiel:uniform_random", game)
    with pytest.raises(InputError, match="a program of its own"):
        spiel_bot("cmd:./bot", game)
    with pytest.raises(InputError):
        spiel_bot("pack:nowhere", game)


class Watcher(Player):
    """Calls, and notes the betting in which it was not to act."""

    name = "watcher"

    def __init__(self) -> None:
        self.seen: list[tuple[int, str]] = []

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        return CALL

    def observe(self, matchstate: MatchState) -> None:
        assert matchstate.hole_cards[1 - matchstate.position] == ()
        self.seen.append((matchstate.hand_id, matchstate.state.betting_string()))


def test_players_that_observe_are_shown_the_states_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    watcher = Watcher()
    monkeypatch.setattr("hedgehog.interop.openspiel.bot.ready_player", lambda *args, **kwargs: watcher)
    game = pyspiel.load_game(KAGGLE.format(hands=2))
    bot, state = spiel_bot("call", game), game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(state.legal_actions()[-1])
        else:
            state.apply_action(bot.step(state) if state.current_player() == 0 else 1)
    as_big_blind, on_the_button = ["", "cc/c", "cc/cc/c"], ["c", "cc/", "cc/cc/", "cc/cc/cc/"]
    assert watcher.seen == [(0, text) for text in as_big_blind] + [(1, text) for text in on_the_button]


def play_arena(hands: int, agents: list, seed: int) -> tuple[list[float], int]:
    game, rng = pyspiel.load_game(KAGGLE.format(hands=hands)), random.Random(seed)
    state, decisions = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(rng.choice(state.legal_actions()))
            continue
        for player, agent in enumerate(agents):
            observation = {
                "observationString": state.observation_string(player),
                "currentPlayer": state.current_player(),
                "playerId": player,
                "isTerminal": False,
                "serializedGameAndState": pyspiel.serialize_game_and_state(game, state),
            }
            answer = agent(observation, {"strictMode": True})
            assert set(answer) == {"submission"}
            if player == state.current_player():
                chosen = answer["submission"]
                decisions += 1
            else:
                assert answer == {"submission": -1}
        assert chosen in state.legal_actions()
        state.apply_action(chosen)
    return state.returns(), decisions


def test_an_agent_of_kaggles_arena_plays_a_match() -> None:
    values, decisions = play_arena(12, [kaggle_agent("default", seed=1), kaggle_agent("call", seed=2)], 4)
    assert sum(values) == 0
    assert decisions > 24


def test_agents_of_the_arena_wait() -> None:
    agent = kaggle_agent("call")
    assert agent({}, {}) == {"submission": -1}
    assert agent({"isTerminal": True, "serializedGameAndState": "x", "playerId": 0}) == {"submission": -1}
