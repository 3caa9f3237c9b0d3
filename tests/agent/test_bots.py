"""agent.bots: legal and as documented in every shipped game."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest

from agent.bots import BOTS, pot_raise_to
from poker.gamedef import GameDef, read_gamedef, shipped_gamedefs
from poker.matchstate import MatchState, parse_betting
from poker.state import CALL, FOLD, Action, HandState

GAMES = {name: read_gamedef(path) for name, path in shipped_gamedefs().items()}
HUNL = GAMES["holdem.nolimit.2p.reverse_blinds"]
LIMIT = GAMES["holdem.limit.2p.reverse_blinds"]


def view(state: HandState) -> MatchState:
    """What the acting position sees; the bots do not look at cards."""
    return MatchState(state.acting_position, 0, ((),) * state.gamedef.num_players, (), state)


def act(bot: str, betting: str, game: GameDef = HUNL) -> Action:
    return BOTS[bot]().act(view(parse_betting(betting, game)), math.inf)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@pytest.mark.parametrize("bot", BOTS)
def test_every_action_is_legal(bot: str, game: GameDef) -> None:
    """Each bot against random opponents: 30 hands from every shipped game, played to the end."""
    rng = random.Random(f"{bot} {game}")
    player = BOTS[bot]()
    player.new_match(game, 3)
    opponent = BOTS["random"]()
    opponent.new_match(game, 4)
    decisions = 0
    for _ in range(30):
        state = HandState(game)
        ours = rng.randrange(game.num_players)
        while not state.finished:
            actor = player if state.acting_position == ours else opponent
            action = actor.act(view(state), math.inf)
            assert state.can(action)
            decisions += actor is player
            state.apply(action)
    assert decisions >= 10


@pytest.mark.parametrize(
    ("bot", "betting", "expected"),
    [
        ("fold", "", FOLD),
        ("fold", "c", CALL),
        ("fold", "r20000", FOLD),
        ("call", "r20000", CALL),
        # The button calls 50, the pot is then 200, and it adds as much: 100 + 200.
        ("raise", "", Action("r", 300)),
        # 300 against 100: call 200 (pot 600), raise by 600.
        ("raise", "r300", Action("r", 900)),
        ("raise", "r300c/", Action("r", 900)),
        ("raise", "r9000", Action("r", 20000)),
        ("raise", "r20000", CALL),
        ("allin", "", Action("r", 20000)),
        ("allin", "r20000", CALL),
    ],
)
def test_no_limit_actions(bot: str, betting: str, expected: Action) -> None:
    assert act(bot, betting) == expected


@pytest.mark.parametrize("bot", ["raise", "allin"])
def test_limit_raises_have_no_size(bot: str) -> None:
    assert act(bot, "", LIMIT) == Action("r")
    assert act(bot, "rrr", LIMIT) == CALL  # three raises over the blind are the most


def test_pot_raise_is_the_textbook_amount() -> None:
    # 600 into 600 on the flop: the raiser calls (pot 1800) and raises by 1800, with 300 in from before the flop.
    assert pot_raise_to(parse_betting("r300c/r900", HUNL)) == 300 + 600 + 1800


def test_random_bot_frequencies() -> None:
    """6 : 47 : 47 facing a bet, 47 : 47 without one, 6 : 47 facing an all-in; sizes uniform over the legal range."""
    bot = BOTS["random"]()
    bot.new_match(HUNL, 5)
    n = 4000
    for betting, expected in {
        "": {"f": 0.06, "c": 0.47, "r": 0.47},
        "c": {"c": 0.5, "r": 0.5},
        "r20000": {"f": 6 / 53, "c": 47 / 53},
    }.items():
        state = parse_betting(betting, HUNL)
        actions = [bot.act(view(state), math.inf) for _ in range(n)]
        kinds = Counter(action.kind for action in actions)
        assert set(kinds) == set(expected)
        for kind, share in expected.items():
            assert kinds[kind] / n == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / n))
        sizes = [action.size for action in actions if action.kind == "r"]
        if sizes:
            assert sum(sizes) / len(sizes) == pytest.approx(10100, abs=4 * 19800 / math.sqrt(12 * len(sizes)))


def test_random_bot_follows_its_seed() -> None:
    def actions(seed: int) -> list[Action]:
        bot = BOTS["random"]()
        bot.new_match(HUNL, seed)
        return [bot.act(view(HandState(HUNL)), math.inf) for _ in range(20)]

    assert actions(1) == actions(1)
    assert actions(1) != actions(2)
