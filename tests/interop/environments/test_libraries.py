"""The environments under the checks of PettingZoo and Gymnasium, where these are installed."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgehog.agent.specs import ready_player
from hedgehog.poker.acpc.gamedef import load_gamedef, shipped_gamedefs
from hedgehog.runtime.errors import InputError

gymnasium = pytest.importorskip("gymnasium")
pettingzoo = pytest.importorskip("pettingzoo")

PAGE = Path(__file__).parents[3] / "docs" / "environments.md"
CASES = [(name, None) for name in shipped_gamedefs()]
CASES += [(name, "50%,100%,a") for name in shipped_gamedefs() if load_gamedef(name).no_limit]


@pytest.mark.filterwarnings("ignore::UserWarning")  # PettingZoo prefers plain boxes to observations with masks
@pytest.mark.parametrize(("game", "sizes"), CASES)
def test_pettingzoo_accepts_the_environment(game: str, sizes: str | None) -> None:
    from pettingzoo.test import api_test, seed_test

    from hedgehog.interop.environments import PokerAEC

    api_test(PokerAEC(game, sizes), num_cycles=300)
    seed_test(lambda: PokerAEC(game, sizes), num_cycles=20)


@pytest.mark.parametrize(
    "options",
    [
        {"opponent": "call"},
        {"opponent": "default", "game": "holdem.nolimit.2p.1-2.200", "sizes": "50%,100%,a"},
        {"opponent": "random", "game": "holdem.nolimit.3p", "position": 2},
        {"opponent": "solved", "game": "kuhn.limit.2p"},
    ],
)
def test_gymnasium_accepts_the_environment(options: dict[str, Any]) -> None:
    from gymnasium.utils.env_checker import check_env

    from hedgehog.interop.environments import PokerGym

    check_env(PokerGym(**options, repair=True), skip_render_check=True)


@pytest.mark.parametrize("game", ["holdem.nolimit.2p.reverse_blinds", "custom.nolimit.6p.sidepots", "kuhn.limit.3p"])
def test_a_loop_of_pettingzoo(game: str) -> None:
    from hedgehog.interop.environments import PokerAEC

    env = PokerAEC(game, render_mode="ansi")
    rng = np.random.default_rng(3)
    for hand in range(20):
        env.reset(seed=5 if hand == 0 else None)
        total: dict[str, float] = {}
        assert env.render().startswith(f"STATE:{hand}:")
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            assert not truncated
            if terminated:
                total[agent] = reward
                assert not observation["action_mask"].any()
                env.step(None)
                continue
            assert reward == 0
            others = [other for other in env.agents if other != agent]
            assert not any(env.observe(other)["action_mask"].any() for other in others)
            env.step(rng.choice(np.flatnonzero(observation["action_mask"])))
        assert list(total) == env.possible_agents
        assert sum(total.values()) == pytest.approx(0)
        assert any(total.values())


def test_the_examples_of_the_page_run(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        exec(block, names)
    assert capsys.readouterr().out.startswith("STATE:0:")
    assert names["over"]


def test_our_player_in_pettingzoo() -> None:
    from hedgehog.interop.environments import PokerAEC

    env = PokerAEC("holdem.nolimit.2p.50-100.10000")
    player = ready_player("default", env.gamedef)
    env.reset(seed=1)
    steps = 0
    while env.agents:
        over = env.terminations[env.agent_selection]
        env.step(None if over else env.number(player.act(env.view(env.agent_selection), math.inf)))
        steps += 1
    assert steps > 3


def test_illegal_actions_are_refused() -> None:
    from hedgehog.interop.environments import PokerAEC, PokerGym

    env = PokerAEC()
    env.reset(seed=1)
    for action in (None, 2, 150, 20_001, -1):
        with pytest.raises(InputError, match=rf"^player_1: action {action} is not legal after ''$"):
            env.step(action)
    gym = PokerGym("call")
    gym.reset(seed=1)
    with pytest.raises(InputError, match=r"^action 150 is not legal after "):
        gym.step(150)
    with pytest.raises(InputError, match="expected the render mode 'ansi' or None, got 'human'"):
        PokerAEC(render_mode="human")
    with pytest.raises(InputError, match="expected a position from 0 to 1, got 2"):
        PokerGym("call", position=2)


def test_the_learner_moves_on_from_position_to_position() -> None:
    from hedgehog.interop.environments import PokerGym

    env = PokerGym("call", render_mode="ansi")
    for hand in range(4):
        observation, info = env.reset(seed=2 if hand == 0 else None)
        assert env.view().position == hand % 2
        assert env.observation_space.contains(observation)
        assert info["skipped"] == 0
        assert np.array_equal(env.action_masks(), info["action_mask"].astype(bool))
        over, reward = False, 0.0
        while not over:
            _, reward, over, truncated, info = env.step(env.action_space.n - 1)  # all-in
            assert not truncated
        assert abs(reward) in (0, 20_000)
        assert not info["action_mask"].any()
        assert env.render() is not None
        with pytest.raises(InputError, match=r"^the hand is over: call reset\(\)$"):
            env.step(1)


def test_hands_that_end_before_the_learner_acts_are_counted() -> None:
    from hedgehog.interop.environments import PokerGym

    env = PokerGym("fold")
    _, info = env.reset(seed=3)  # in hand 0 the learner has the big blind, and the opponent folds
    assert env.view().position == 1
    assert info["skipped"] == 50
    with pytest.raises(InputError, match="the opponents have ended 1,000 hands before"):
        PokerGym("fold", position=0).reset(seed=3)


def test_seeds_repeat_opponents_too() -> None:
    from hedgehog.interop.environments import PokerGym

    env = PokerGym("random", "holdem.nolimit.3p")

    def hands() -> list[Any]:
        found = []
        for hand in range(10):
            env.reset(seed=7 if hand == 0 else None)
            over = False
            while not over:
                _, reward, over, _, _ = env.step(1)
            found.append((env.view().state.betting_string(), reward))
        return found

    assert hands() == hands()


def test_repaired_actions_are_those_of_the_dealer() -> None:
    from hedgehog.interop.environments import PokerGym

    env = PokerGym("call", repair=True, position=1)
    env.reset(seed=1)
    env.step(150)
    assert env.view().state.betting_string() == "r200c/c"
    env.step(0)
    assert env.view().state.betting_string() == "r200c/cc/c"


@pytest.mark.parametrize(("module", "package"), [("aec", "pettingzoo"), ("duel", "gymnasium")])
def test_a_missing_library_is_one_line(module: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    name = f"hedgehog.interop.environments.{module}"
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=f"needs? {package}, which is not installed here: .*-m pip install {package}$"):
        importlib.import_module(name)
