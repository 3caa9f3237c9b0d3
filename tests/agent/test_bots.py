"""hedgehog.agent.bots and hedgehog.agent.foils: legal and as documented in every shipped game."""

from __future__ import annotations

import contextlib
import math
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgehog.agent.bots import PublicBot, pot_raise_to
from hedgehog.agent.foils import MOST_MIN_BETS, OFF_TREE_POTS
from hedgehog.agent.play_record import PlayRecord
from hedgehog.agent.registered import ALL_BOTS
from hedgehog.arena.in_process import Seat, play_seating
from hedgehog.poker.acpc.gamedef import GameDef, read_gamedef, shipped_gamedefs
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.cards import combo_mask
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.runtime.errors import CardError, MatchError
from tests.verification.gamedefs import Family, gamedefs

GAMES = {name: read_gamedef(path) for name, path in shipped_gamedefs().items()}
HUNL = GAMES["holdem.nolimit.2p.reverse_blinds"]
LIMIT = GAMES["holdem.limit.2p.reverse_blinds"]


def view(state: HandState) -> MatchState:
    """What the acting position sees; the bots do not look at cards."""
    return MatchState(state.acting_position, 0, ((),) * state.gamedef.num_players, (), state)


def act(bot: str, betting: str, game: GameDef = HUNL) -> Action:
    return ALL_BOTS[bot]().act(view(parse_betting(betting, game)), math.inf)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@pytest.mark.parametrize("bot", ALL_BOTS)
def test_every_action_is_legal(bot: str, game: GameDef) -> None:
    """Each bot against random opponents: 30 hands from every shipped game, played to the end."""
    rng = random.Random(f"{bot} {game}")
    player = ALL_BOTS[bot]()
    player.new_match(game, 3)
    opponent = ALL_BOTS["random"]()
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
        ("checkraise", "", CALL),
        ("checkraise", "r300", CALL),
        ("checkraise", "r300c/", CALL),
        # 300 into 600 on the flop: call (pot 1200), raise by 1200; again after a re-raise, to the stack.
        ("checkraise", "r300c/cr600", Action("r", 1800)),
        ("checkraise", "r300c/r600", Action("r", 1800)),
        ("checkraise", "r300c/cr600r1800r7000", Action("r", 20000)),
        ("checkraise", "r300c/r20000", CALL),
        ("checkraise", "r300c/cc/r600", CALL),
        ("minbet", "", Action("r", 200)),
        ("minbet", "r300", Action("r", 500)),
        ("minbet", "r300c/", Action("r", 400)),
        ("minbet", "r300c/r400r500r600r700r800r900r1000", Action("r", 1100)),
        ("minbet", "r300c/r400r500r600r700r800r900r1000r1100", CALL),
    ],
)
def test_no_limit_actions(bot: str, betting: str, expected: Action) -> None:
    assert act(bot, betting) == expected


def test_minimal_raises_come_to_an_end() -> None:
    """Two of them put in 4 raises each before somebody calls, on every street."""
    bot = ALL_BOTS["minbet"]()
    state = HandState(HUNL)
    while not state.finished:
        state.apply(bot.act(view(state), math.inf))
    assert [len(actions) for actions in state.actions] == [2 * MOST_MIN_BETS + 1] * 4


@settings(max_examples=25)
@given(gamedefs(Family(chip_free=True, max_players=4)), st.data())
def test_random_games(gamedef: GameDef, data: st.DataObject) -> None:
    """Whole hands between any bots in games nobody has thought of: no error, no illegal action, nobody waits."""
    kinds = st.sampled_from(sorted(ALL_BOTS))
    bots = data.draw(st.lists(kinds, min_size=gamedef.num_players, max_size=gamedef.num_players))
    seats = []
    for seed, bot in enumerate(bots):
        player = ALL_BOTS[bot]()
        player.new_match(gamedef, seed)
        seats.append(Seat(player, PlayRecord()))
    with contextlib.suppress(MatchError):  # a game without blinds in which nobody bets has no pot to play for
        play_seating(gamedef, seats, "ABCD"[: len(bots)], num_hands=4, seed=data.draw(st.integers(0, 2**32 - 1)))
    for seat in seats:
        assert (seat.record.player_errors, seat.record.illegal_actions) == (0, 0)


# --- what they report -------------------------------------------------------------------------------------------

BETTINGS = ["", "r250", "r20000", "r250c/", "r250c/cr500", "r250c/r500r750", "r250c/cc/r20000", "cc/cc/cc/"]


@pytest.mark.parametrize("betting", BETTINGS)
@pytest.mark.parametrize("bot", [name for name in ALL_BOTS if name != "random"])
def test_reported_strategies_are_those_played(bot: str, betting: str) -> None:
    player = ALL_BOTS[bot]()
    assert isinstance(player, PublicBot)
    player.new_match(HUNL, 1)
    state = parse_betting(betting, HUNL)
    board = (0, 5, 10, 15, 20)[: (0, 3, 4, 5)[state.round]]
    matchstate = view(state)._replace(board=board)
    reported = player.strategy(matchstate)
    live = combo_mask(board)
    assert reported.probabilities.shape == (len(reported.actions), 1326)
    assert len(set(reported.actions)) == len(reported.actions)
    assert all(state.can(action) for action in reported.actions)
    assert (reported.probabilities > 0).sum() == live.sum() * len(reported.actions)
    assert reported.probabilities[:, live].sum(axis=0) == pytest.approx(1)
    combo = int(live.argmax())
    n = 3000
    played = Counter(player.act(matchstate, math.inf) for _ in range(n))
    assert set(played) <= set(reported.actions)
    for action, share in zip(reported.actions, reported.probabilities[:, combo], strict=True):
        assert played[action] / n == pytest.approx(share, abs=4.5 * math.sqrt(share * (1 - share) / n))


def test_off_tree_rates_and_sizes() -> None:
    assert OFF_TREE_POTS[0] == pytest.approx(0.05)
    assert OFF_TREE_POTS[55] == pytest.approx(108.99, abs=0.01)
    bot = ALL_BOTS["offtree"]()
    assert isinstance(bot, PublicBot)

    def rates(betting: str) -> dict[str, float]:
        shares: Counter[str] = Counter()
        for action, share in bot.mixture(parse_betting(betting, HUNL)):
            shares[action.kind] += share
        return pytest.approx(dict(shares))

    assert rates("r300") == {"f": 0.2, "c": 0.5, "r": 0.3}
    assert rates("r300c/") == {"c": 0.5, "r": 0.5}
    assert rates("r20000") == {"f": 2 / 7, "c": 5 / 7}
    sizes = dict(bot.mixture(parse_betting("r300c/", HUNL)))
    assert sizes[Action("r", 400)] == pytest.approx(0.5 * 9 / 56)  # 600 * 0.05 * 1.15^8 = 92, the next one is 106
    assert sizes[Action("r", 406)] == pytest.approx(0.5 / 56)
    assert sizes[Action("r", 20000)] == pytest.approx(0.5 * sum(600 * pots > 19699 for pots in OFF_TREE_POTS) / 56)


def test_strategies_are_for_two_cards_from_a_whole_deck() -> None:
    with pytest.raises(CardError, match="two hole cards from 52 cards"):
        ALL_BOTS["call"]().strategy(view(HandState(GAMES["kuhn.limit.2p"])))  # type: ignore[attr-defined]


@pytest.mark.parametrize("bot", ["raise", "allin"])
def test_limit_raises_have_no_size(bot: str) -> None:
    assert act(bot, "", LIMIT) == Action("r")
    assert act(bot, "rrr", LIMIT) == CALL  # three raises over the blind are the most


def test_pot_raise_is_the_textbook_amount() -> None:
    # 600 into 600 on the flop: the raiser calls (pot 1800) and raises by 1800, with 300 in from before the flop.
    assert pot_raise_to(parse_betting("r300c/r900", HUNL)) == 300 + 600 + 1800


def test_random_bot_frequencies() -> None:
    """6 : 47 : 47 facing a bet, 47 : 47 without one, 6 : 47 facing an all-in; sizes uniform over the legal range."""
    bot = ALL_BOTS["random"]()
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
        bot = ALL_BOTS["random"]()
        bot.new_match(HUNL, seed)
        return [bot.act(view(HandState(HUNL)), math.inf) for _ in range(20)]

    assert actions(1) == actions(1)
    assert actions(1) != actions(2)
