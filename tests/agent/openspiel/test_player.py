"""OpenSpiel's bots and policies as players of our matches."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest

from hedgehog.agent.openspiel.player import SpielPlayer
from hedgehog.agent.specs import parse_player_spec, ready_player, verify_loadable
from hedgehog.arena.play import play_match
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.acpc.matchstate import MatchState, parse_matchstate
from hedgehog.poker.state import Action
from hedgehog.runtime.errors import InputError, MatchError

LIMIT = "holdem.limit.2p.reverse_blinds"
EXAMPLES = Path(__file__).parents[3] / "docs" / "examples" / "bots"
BOTS = '''
import pyspiel
from open_spiel.python.policy import Policy, UniformRandomPolicy

SEEN = []

class Noting(pyspiel.Bot):
    """Calls, and notes what it is told."""
    def __init__(self, player):
        pyspiel.Bot.__init__(self)
        self.player = player
        self.log = []
    def restart(self):
        self.log = ["restart"]
    def inform_action(self, state, player, action):
        self.log.append((player, action))
    def step(self, state):
        SEEN.append((self.player, list(self.log), str(state), state.information_state_string(self.player)))
        return 1

def noting(game, player):
    return Noting(player)

def uniform(game, player):
    return UniformRandomPolicy(game)

def nothing(game, player):
    return None

def fails(game, player):
    raise ValueError("no such thing")

number = 3
'''


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    path = tmp_path / "bots.py"
    path.write_text(BOTS, encoding="utf-8")
    return path


def seen_in(line: str, game: str = "holdem.nolimit.2p.50-100.10000") -> MatchState:
    return parse_matchstate(line, load_gamedef(game))


def test_a_bot_sees_the_table_and_cards_of_others_that_mean_nothing(bots: Path) -> None:
    gamedef = load_gamedef("holdem.nolimit.2p.50-100.10000")
    player = ready_player(f"openspiel:{bots}:noting", gamedef, seed=1)
    view = seen_in("MATCHSTATE:0:4:r300c/cr600:AsKd|/QsJh2h")
    for _ in range(30):
        assert player.act(view, math.inf) == Action("c")
    module = next(module for name, module in sys.modules.items() if name.startswith("bots (") and str(bots) in name)
    others = set()
    assert len(module.SEEN) == 30
    for position, log, text, known in module.SEEN:
        assert position == 0
        assert log[0] == "restart"
        assert [entry for entry in log[1:] if entry[0] == 1] == [(1, 300), (1, 600)]
        assert len([entry for entry in log[1:] if entry[0] < 0]) == 7
        assert "r300c/cr600:AsKd|" in text.replace("KdAs", "AsKd")
        others.add(text.split("|")[1][:4])
        assert "[Private: AsKd]" in known
    assert len(others) > 20
    assert not any(card in hand for hand in others for card in ("As", "Kd", "Qs", "Jh", "2h"))


@pytest.mark.parametrize("game", ["kuhn.limit.2p", "leduc.limit.2p", "holdem.nolimit.2p.10bb", "holdem.nolimit.3p"])
@pytest.mark.parametrize("source", ["uniform_random", "uniform"])
def test_matches(game: str, source: str, bots: Path, tmp_path: Path) -> None:
    spec = "openspiel:uniform_random" if source == "uniform_random" else f"openspiel:{bots}:uniform"
    players = [spec, *["call"] * (load_gamedef(game).num_players - 1)]
    played = play_match(players, game=game, hands=20, seed=3, out=tmp_path / "match")
    for seating in played.seatings:
        for path in seating.reports:
            report = json.loads(path.read_text(encoding="utf-8"))
            assert report["decisions"] > 0
            assert report["player_errors"] == report["illegal_actions"] == 0


def test_the_same_seed_gives_the_same_actions() -> None:
    gamedef = load_gamedef("holdem.nolimit.2p.10bb")
    view = seen_in("MATCHSTATE:1:0::|AsKd", "holdem.nolimit.2p.10bb")

    def actions(seed: int) -> list[Action]:
        player = ready_player("openspiel:uniform_random", gamedef, seed=seed)
        return [player.act(view, math.inf) for _ in range(8)]

    assert actions(1) == actions(1)
    assert actions(1) != actions(2)


def test_parameters_of_registered_bots() -> None:
    gamedef = load_gamedef("holdem.nolimit.2p.10bb")
    view = seen_in("MATCHSTATE:1:0::|2c7d", "holdem.nolimit.2p.10bb")
    for policy, action in (("AlwaysCall", "c"), ("AlwaysFold", "f")):
        spec = f"openspiel:uniform_restricted_actions?policy_name={policy}"
        assert str(ready_player(spec, gamedef).act(view, math.inf)) == action
    with pytest.raises(MatchError, match="SpielError"):
        ready_player("openspiel:uniform_restricted_actions", gamedef)
    with pytest.raises(InputError, match=r"expected openspiel:NAME\?KEY=VALUE"):
        verify_loadable(parse_player_spec("openspiel:uniform_random?seed"))


def test_what_is_no_bot_is_refused(bots: Path) -> None:
    gamedef = load_gamedef("kuhn.limit.2p")
    with pytest.raises(InputError, match=r"has no bot 'alphastar': expected .*uniform_random.*MODULE:FUNC"):
        verify_loadable(parse_player_spec("openspiel:alphastar"))
    with pytest.raises(InputError, match="has no function 'absent'"):
        verify_loadable(parse_player_spec(f"openspiel:{bots}:absent"))
    with pytest.raises(InputError, match="expected a function or a class, 'number'"):
        verify_loadable(parse_player_spec(f"openspiel:{bots}:number"))
    with pytest.raises(InputError, match=r"expected a pyspiel.Bot or a Policy from .*, got NoneType"):
        ready_player(f"openspiel:{bots}:nothing", gamedef)
    with pytest.raises(MatchError, match="ValueError: no such thing"):
        ready_player(f"openspiel:{bots}:fails", gamedef)
    with pytest.raises(InputError, match="ignores the stacks of limit games"):
        ready_player("openspiel:uniform_random", load_gamedef("custom.limit.4p.shortstacks"))


def test_stacks_may_change_from_hand_to_hand() -> None:
    player = ready_player("openspiel:uniform_random", load_gamedef("holdem.nolimit.2p.1-2.40"), seed=2)
    for stack in (40, 10, 25):
        game = f"holdem.nolimit.2p.1-2.{stack}"
        for hand in range(10):
            view = seen_in(f"MATCHSTATE:1:{hand}::|2c7d", game)
            assert view.state.can(player.act(view, math.inf))


@pytest.mark.slow
def test_the_example_searches() -> None:
    """... in decks of four suits, with every hand: OpenSpiel draws unknown cards wrongly in smaller decks."""
    player = SpielPlayer(f"{EXAMPLES / 'ismcts.py'}:search")
    player.warm_up()
    player.new_match(load_gamedef(LIMIT), 1)
    for hand in ("2c2d", "3cAd", "KsTh", "AhAs", "7d8s"):
        assert player.act(seen_in(f"MATCHSTATE:1:0::|{hand}", LIMIT), math.inf) in (
            Action("c"),
            Action("r"),
            Action("f"),
        )
