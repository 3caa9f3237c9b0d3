"""hedgehog.arena.bot_table: matches in compiled code are those of the wire path, byte for byte, in every game."""

from __future__ import annotations

import io
import itertools
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgehog.agent.bots import BOTS
from hedgehog.agent.play_record import PlayRecord
from hedgehog.arena import _table_kernels as kernels
from hedgehog.arena import bot_table
from hedgehog.arena.bot_table import BOT_KINDS, BotMatch, play_bots
from hedgehog.arena.in_process import Seat, play_seating
from hedgehog.arena.table_process import COMPILED_BOTS
from hedgehog.poker.acpc.gamedef import UNLIMITED_STACK, GameDef, parse_gamedef, shipped_gamedefs
from hedgehog.poker.acpc.handlog import format_value, parse_header
from hedgehog.poker.evaluation._showdown_kernels import rank_hand_of_any_size
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.poker.evaluation.showdown import hand_rank
from hedgehog.runtime.errors import MatchError
from tests.dealer.wire import make_bots, play_wire
from tests.golden import HUNL, LOGS, game, read_golden_log
from tests.verification.gamedefs import Family, gamedefs

SEEDS = (0, 1471220049, 4294967295)
NAMES = "ABCDEFGHIJ"
ANY_GAME = Family(chip_free=True)
FEW_PLAYERS = Family(chip_free=True, max_players=4)
"""Ten players without raise limit make hands of thousands of lines."""


def compiled_log(
    gamedef: GameDef, bots: list[str], *, num_hands: int, seed: int, bot_seeds: list[int], fixed: bool = False
) -> tuple[str, BotMatch | None]:
    """Returns the log without header and the result, None if the match broke off."""
    log = io.BytesIO()
    names = list(NAMES[: len(bots)])
    result = None
    try:
        result = play_bots(
            gamedef,
            bots,
            num_hands=num_hands,
            seed=seed,
            bot_seeds=bot_seeds,
            names=names,
            log=log,
            fixed_seats=fixed,
        )
    except MatchError as error:
        assert "nobody has put in a chip" in str(error)  # noqa: PT017  (the log counts whether or not it is raised)
    return log.getvalue().decode(), result


def python_log(gamedef: GameDef, bots: list[str], *, num_hands: int, seed: int, bot_seeds: list[int]) -> str:
    """Returns the log, without header, of the table for Python players."""
    log = io.BytesIO()
    seats = [Seat(player, PlayRecord()) for player in make_bots(bots, gamedef, bot_seeds)]
    play_seating(gamedef, seats, NAMES[: len(bots)], num_hands=num_hands, seed=seed, log=log)
    return log.getvalue().decode()


def assert_same_everywhere(gamedef: GameDef, bots: list[str], *, num_hands: int, seed: int, bot_seed: int) -> None:
    bot_seeds = list(range(bot_seed, bot_seed + len(bots)))
    compiled, result = compiled_log(gamedef, bots, num_hands=num_hands, seed=seed, bot_seeds=bot_seeds)
    wire = play_wire(gamedef, make_bots(bots, gamedef, bot_seeds), NAMES[: len(bots)], num_hands=num_hands, seed=seed)
    assert compiled == wire.log
    assert result is not None
    assert result.totals == tuple(wire.totals)
    assert compiled.endswith(result.score_line + "\n")
    asked = [
        [sum(event.our_turn and event.matchstate.state.round == index for event in seen) for index in range(rounds)]
        for seen, rounds in zip(wire.seen, itertools.repeat(gamedef.num_rounds))
    ]
    assert result.decisions.tolist() == asked
    assert python_log(gamedef, bots, num_hands=num_hands, seed=seed, bot_seeds=bot_seeds) == wire.log


def test_every_benchmark_bot_can_be_played() -> None:
    assert set(BOT_KINDS) == set(COMPILED_BOTS) <= set(BOTS)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", shipped_gamedefs())
@pytest.mark.quick_cases(every=3)
def test_shipped_games_with_random_bots(name: str, seed: int) -> None:
    gamedef = game(name)
    assert_same_everywhere(gamedef, ["random"] * gamedef.num_players, num_hands=25, seed=seed, bot_seed=seed % 1000)


@pytest.mark.parametrize("name", shipped_gamedefs())
def test_shipped_games_with_mixed_bots(name: str) -> None:
    gamedef = game(name)
    draw = random.Random(name)
    for bot_seed in range(4):
        bots = draw.choices(list(BOTS), k=gamedef.num_players)
        assert_same_everywhere(gamedef, bots, num_hands=6, seed=draw.getrandbits(32), bot_seed=bot_seed)


@pytest.mark.parametrize("bots", itertools.product(BOTS, repeat=2))
def test_every_pair_heads_up(bots: tuple[str, str]) -> None:
    assert_same_everywhere(game(HUNL), list(bots), num_hands=8, seed=3, bot_seed=11)


@pytest.mark.parametrize("name", LOGS)
def test_golden_cards(name: str) -> None:
    """Callers see every card of every hand; the official dealer's logs show the same ones."""
    lines = read_golden_log(name)
    header = parse_header(lines[0])
    assert header is not None
    gamedef = game(header.game)
    golden = [line.split(":")[3] for line in lines if line.startswith("STATE:")]
    bots = ["call"] * gamedef.num_players
    log, _ = compiled_log(gamedef, bots, num_hands=len(golden), seed=header.seed, bot_seeds=[0] * len(bots))
    ours = [line.split(":")[3] for line in log.splitlines()[:-1]]
    assert len(ours) == len(golden) >= 50
    assert all(mine.startswith(theirs) for mine, theirs in zip(ours, golden, strict=True))


# --- games nobody has thought of --------------------------------------------------------------------------------


@settings(max_examples=25)
@given(gamedefs(FEW_PLAYERS), st.data())
def test_random_games(gamedef: GameDef, data: st.DataObject) -> None:
    kinds = st.one_of(st.just("random"), st.sampled_from(sorted(BOTS)))
    bots = data.draw(st.lists(kinds, min_size=gamedef.num_players, max_size=gamedef.num_players))
    seed, bot_seed = data.draw(st.integers(0, 2**32 - 1)), data.draw(st.integers(0, 2**32))
    fixed = data.draw(st.booleans())
    bot_seeds = [bot_seed + seat for seat in range(len(bots))]
    compiled, result = compiled_log(gamedef, bots, num_hands=5, seed=seed, bot_seeds=bot_seeds, fixed=fixed)
    players = make_bots(bots, gamedef, bot_seeds)
    wire = play_wire(gamedef, players, NAMES[: len(bots)], num_hands=5, seed=seed, fixed=fixed, all_look=False)
    assert compiled == wire.log
    assert (result is None) == ("SCORE" not in compiled)
    # A limit raise of a short stack may lower the bet, and what somebody had put in beyond it may go to nobody.
    if gamedef.no_limit or gamedef.stacks[0] == UNLIMITED_STACK:
        for line in compiled.splitlines():
            values = line.split(":")[1 if line.startswith("SCORE") else 4]
            assert abs(sum(map(float, values.split("|")))) < 1e-4


@pytest.mark.slow
@settings(max_examples=400)
@given(gamedefs(ANY_GAME), st.data())
def test_many_random_games(gamedef: GameDef, data: st.DataObject) -> None:
    test_random_games.hypothesis.inner_test(gamedef, data)  # type: ignore[attr-defined]


def test_a_round_without_raise_limit_ends_at_the_cap() -> None:
    gamedef = parse_gamedef(
        "limit\nnumPlayers = 3\nnumRounds = 2\nblind = 1 2 0\nraiseSize = 2 2\nfirstPlayer = 3 1\n"
        "numSuits = 4\nnumRanks = 13\nnumHoleCards = 2\nnumBoardCards = 0 1\n"
    )
    log, _ = compiled_log(gamedef, ["raise"] * 3, num_hands=1, seed=0, bot_seeds=[0] * 3)
    assert log.split(":")[2] == "r" * 62 + "cc/" + "r" * 62 + "cc"
    assert_same_everywhere(gamedef, ["raise"] * 3, num_hands=3, seed=0, bot_seed=0)


def test_a_hand_without_any_chips_ends_the_match_and_the_log() -> None:
    gamedef = parse_gamedef(
        "nolimit\nnumPlayers = 2\nnumRounds = 1\nstack = 9 9\nblind = 0 0\n"
        "numSuits = 4\nnumRanks = 13\nnumHoleCards = 2\nnumBoardCards = 0\n"
    )
    bots, bot_seeds = ["random", "call"], [7, 0]  # raises in the first hand
    log, result = compiled_log(gamedef, bots, num_hands=50, seed=1, bot_seeds=bot_seeds)
    wire = play_wire(gamedef, make_bots(bots, gamedef, bot_seeds), "AB", num_hands=50, seed=1)
    assert result is None
    assert log == wire.log
    assert log.startswith("STATE:0:")


# --- buffers, threads, names ------------------------------------------------------------------------------------


def test_the_log_does_not_depend_on_buffer_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    bots, bot_seeds = ["random"] * 6, list(range(6))
    gamedef = game("custom.nolimit.6p.sidepots")
    whole, _ = compiled_log(gamedef, bots, num_hands=300, seed=5, bot_seeds=bot_seeds)
    monkeypatch.setattr(bot_table, "_TEXT_BYTES", 1)  # room for the longest line, at least one hand at a time
    monkeypatch.setattr(bot_table, "HANDS_PER_CALL", 7)
    seen: list[int] = []
    log = io.BytesIO()
    result = play_bots(
        gamedef,
        bots,
        num_hands=300,
        seed=5,
        bot_seeds=bot_seeds,
        names=list(NAMES[:6]),
        log=log,
        on_progress=lambda hands, chips: seen.append(hands),
    )
    assert log.getvalue().decode() == whole
    assert seen == sorted(seen)
    assert len(seen) >= 300 / 7
    assert seen[-1] == 300
    without_log = play_bots(gamedef, bots, num_hands=300, seed=5, bot_seeds=bot_seeds)
    assert without_log.totals == result.totals
    assert without_log.score_line.endswith(":random|random|random|random|random|random")


def test_matches_in_threads_do_not_disturb_each_other() -> None:
    def play(seed: int) -> tuple[float, ...]:
        return play_bots(game(HUNL), ["random", "random"], num_hands=5000, seed=seed, bot_seeds=[seed, seed + 1]).totals

    alone = [play(seed) for seed in range(6)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(play, range(6))) == alone


def test_odd_names_are_written_byte_for_byte() -> None:
    log = io.BytesIO()
    play_bots(game(HUNL), ["fold", "call"], num_hands=2, seed=1, bot_seeds=[0, 0], names=["x|y:z \udcff", "ü"], log=log)
    first, second, score, end = log.getvalue().split(b"\n")
    assert first.endswith(b":x|y:z \xff|\xc3\xbc")
    assert second.endswith(b":\xc3\xbc|x|y:z \xff")
    assert score.endswith(b":x|y:z \xff|\xc3\xbc")
    assert end == b""


# --- kernels ----------------------------------------------------------------------------------------------------


def python_state(generator: random.Random) -> np.ndarray:
    return np.array([generator.getstate()[1]], dtype=np.uint32)


def test_random_numbers_are_those_of_python() -> None:
    generator = random.Random(2**40 + 7)
    rngs = python_state(generator)
    for count in [1, 2, 3, 5, 19_801, 2**16, 2**31, 2**32 - 1, *range(1, 300)]:
        assert kernels.random_below(rngs, 0, count) == generator.randint(0, count - 1)
        assert kernels.random_unit(rngs, 0) == generator.random()
    assert python_state(generator).tolist() == rngs.tolist()


@pytest.mark.parametrize("num_cards", range(1, 11))
def test_hands_of_any_size_are_ordered_as_in_the_showdown_rules(num_cards: int) -> None:
    generator = np.random.default_rng(num_cards)
    counts, masks = np.empty(13, dtype=np.int8), np.empty(4, dtype=np.int64)
    ranked = []
    for deck_size in (52, 40, 20):  # the short decks make straights, flushes and quads
        for _ in range(700):
            suit_major = generator.choice(deck_size, num_cards, replace=False)
            cards = np.array([4 * (12 - card // 4) + card % 4 for card in suit_major], dtype=np.uint8)
            ours = rank_hand_of_any_size(cards, counts, masks, evaluator_tables())
            ranked.append((ours, hand_rank(cards.tolist())))
    assert min(ours for ours, _ in ranked) >= 0  # a folded hand has -1
    ranked.sort()
    for (ours, theirs), (next_ours, next_theirs) in itertools.pairwise(ranked):
        assert (ours == next_ours, ours < next_ours) == (theirs == next_theirs, theirs < next_theirs)


def written_value(value: float) -> str:
    text = np.zeros(40, dtype=np.uint8)
    end = kernels.put_value(text, 0, value)
    return text[:end].tobytes().decode()


@given(
    st.one_of(
        st.builds(lambda chips, lost, winners: chips * lost / winners, *[st.integers(-(2**31), 2**31)] * 2,
                  st.integers(1, 10)).filter(lambda value: abs(value) < 2**53),
        st.builds(lambda millionths: millionths / 2e6, st.integers(-(10**9), 10**9)),
        st.builds(lambda eighths: eighths / 2**20, st.integers(-(2**40), 2**40)),
        st.floats(-(2.0**53) + 1, 2.0**53 - 1).filter(lambda value: value != 0 or str(value) == "0.0"),
    )
)  # fmt: skip
def test_values_are_written_as_python_formats_them(value: float) -> None:
    assert written_value(value) == format_value(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (100.0, "100"), (-18205 - 5 / 6, "-18205.833333"), (0.9999996, "1"), (-1e-9, "-0"),
     (0.5**7, "0.007812"), (3 * 0.5**7, "0.023438"), (2.0**31 / 3, "715827882.666667")],
)  # fmt: skip
def test_values(value: float, text: str) -> None:
    assert written_value(value) == text
