"""Freeze-outs with blind levels: rules, true stacks, logs, chips won, several processes."""

from __future__ import annotations

import io
import itertools
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pokerkit import HandHistory

from hedgehog.agent.bots import AllInBot, CallBot, FoldBot, RandomBot
from hedgehog.agent.play_record import PlayRecord
from hedgehog.agent.player import Player
from hedgehog.agent.specs import parse_player_spec
from hedgehog.analysis.histories.conversion import convert_logs, verify_logs
from hedgehog.analysis.histories.hand_files import open_hand_file
from hedgehog.analysis.stats.log_stats import LogStatistics
from hedgehog.arena.freeze_out.batch import FreezeOutTask, play_freeze_outs
from hedgehog.arena.freeze_out.game import FreezeOutGame, PlayedHand, play_game
from hedgehog.arena.freeze_out.logs import FreezeOutFolder, GameLog
from hedgehog.arena.freeze_out.rules import BlindLevel, FreezeOutRules, parse_levels
from hedgehog.arena.freeze_out.tally import PairResult, expected_value
from hedgehog.arena.in_process import Seat
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import LoggedHand, parse_header, read_log, verify_log
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.evaluation.allin import expected_payoffs
from hedgehog.poker.evaluation.evaluator import rank_hand
from hedgehog.poker.state import CALL, Action, HandState
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.engines.opening import open_engine
from hedgehog.runtime.errors import InputError

LEVELS = "10/20x3,15/30x2,25/50"
BLINDS = st.tuples(st.integers(1, 60), st.integers(0, 60)).map(lambda pair: (pair[0], sum(pair)))


@st.composite
def all_rules(draw: st.DrawFn) -> FreezeOutRules:
    earlier = draw(st.lists(st.tuples(BLINDS, st.integers(1, 3)), max_size=3))
    stacks = draw(st.tuples(st.integers(1, 300), st.integers(1, 300)))
    return FreezeOutRules(stacks, draw(BLINDS), tuple(BlindLevel(*blinds, hands) for blinds, hands in earlier))


def rules_of(text: str, stacks: tuple[int, int] = (1500, 1500)) -> FreezeOutRules:
    earlier, blinds = parse_levels(text)
    return FreezeOutRules(stacks, blinds, earlier)


def hands_of(
    rules: FreezeOutRules, players: tuple[Player, Player], seed: int
) -> tuple[FreezeOutGame, list[PlayedHand]]:
    hands: list[PlayedHand] = []
    seats = [Seat(player, PlayRecord()) for player in players]
    found = play_game(rules, seats, button=0, cards=seed, seeds=(seed, seed + 1), on_hand=hands.append, most_hands=200)
    assert not any(seat.record.failures for seat in seats)
    return found, hands


def task_of(rules: FreezeOutRules, folder: FreezeOutFolder | None = None, first: str = "random") -> FreezeOutTask:
    specs = parse_player_spec(first), parse_player_spec("random")
    return FreezeOutTask(specs, ("one", "two"), rules, 7, folder=folder)


def results_of(task: FreezeOutTask, pairs: range, engine: Engine | None = None) -> list[PairResult]:
    return sorted(itertools.chain.from_iterable(block.pairs for block in play_freeze_outs(task, pairs, engine)))


# -- rules -------------------------------------------------------------------------------------------------------


@given(all_rules())
def test_levels_are_read_as_they_are_written(rules: FreezeOutRules) -> None:
    assert rules_of(rules.levels_text, rules.stacks) == rules


def test_every_hand_has_its_level() -> None:
    rules = rules_of(LEVELS)
    blinds = [(rules.level(hand).small, rules.level(hand).big) for hand in range(9)]
    assert blinds == [(10, 20)] * 3 + [(15, 30)] * 2 + [(25, 50)] * 4
    assert rules.deepest == 75
    assert rules.game_name(4, (1400, 1600)) == "holdem.nolimit.2p.15-30.1400-1600"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "blind levels such as 10/20x10"),
        ("10/20,", "number of hands of the level"),
        ("10/20,20/40", "number of hands of the level, such as 10/20x10"),
        ("10/20x0,20/40", "number of hands of the level"),
        ("10/20x5", "the last blind level goes on to the end: expected 10/20"),
        ("10/20x-5,20/40", "blind levels such as"),
        ("10-20", "blind levels such as"),
    ],
)
def test_malformed_levels_are_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_levels(text)


def test_impossible_levels_are_refused() -> None:
    for text in ("20/10x3,10/20", "0/10x3,10/20"):
        with pytest.raises(InputError, match="small blind <= big blind"):
            rules_of(text)
    with pytest.raises(InputError, match="at most 1,000,000,000 chips"):
        FreezeOutRules((600_000_000, 600_000_000))


# -- hands -------------------------------------------------------------------------------------------------------


class Witness(RandomBot):
    """A random bot that notes the games that it is told of and those that it decides in."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[GameDef] = []
        self.decided: list[GameDef] = []

    def new_match(self, gamedef: GameDef, seed: int) -> None:
        super().new_match(gamedef, seed)
        self.told.append(gamedef)

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        self.decided.append(matchstate.state.gamedef)
        return super().act(matchstate, deadline)


@settings(max_examples=60, deadline=None)
@given(all_rules(), st.integers(0, 2**31))
def test_hands_follow_the_rules_of_a_table(rules: FreezeOutRules, seed: int) -> None:
    """Stacks, blinds and results of every hand are computed anew from the cards and the chips put in."""
    witness = Witness()
    found, hands = hands_of(rules, (witness, RandomBot()), seed)
    stacks = list(rules.stacks)
    told = iter(witness.told)
    for number, hand in enumerate(hands):
        level = rules.level(number)
        button = number % 2
        assert hand.order == (1 - button, button)
        big, small = hand.order
        game = hand.state.gamedef
        assert game.stacks == (stacks[big], stacks[small])
        assert game.blinds[0] == min(level.big, stacks[big])
        assert game.blinds[1] == min(level.small, stacks[small], game.blinds[0])
        if min(stacks) > level.small:
            assert next(told) == game
        else:  # the blinds are all that both can put in
            assert hand.state.betting_string() in ("c///", "///")
        risk = min(hand.state.spent)
        if hand.state.is_showdown:
            ours, theirs = (rank_hand([*cards, *hand.deal.board]) for cards in hand.deal.hole_cards)
            won = risk * (int(ours > theirs) - int(ours < theirs))
        else:
            won = risk * (-1 if hand.state.folded[0] else 1)
        assert hand.values == (won, -won)
        stacks[big] += won
        stacks[small] -= won
    assert next(told, None) is None
    assert set(witness.decided) <= set(witness.told)
    assert found == (stacks[0] / rules.total, len(hands))
    assert min(stacks) == 0 or len(hands) == 200


def test_folding_loses_the_blinds_of_the_levels() -> None:
    rules = rules_of("10/20x3,50/100", (1500, 1500))
    _, hands = hands_of(rules, (FoldBot(), AllInBot()), 3)
    assert [hand.values[hand.order.index(0)] for hand in hands[:6]] == [-10, -20, -10, -100, -50, -100]


# -- logs --------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(all_rules(), st.integers(0, 2**31))
def test_logs_name_the_game_of_every_hand(
    tmp_path_factory: pytest.TempPathFactory, rules: FreezeOutRules, seed: int
) -> None:
    found, hands = hands_of(rules, (RandomBot(), RandomBot()), seed)
    log = GameLog(rules, ("one", "two"))
    for hand in hands:
        log.add(hand)
    path = tmp_path_factory.mktemp("logs") / "pair_1_1.log"
    path.write_text(log.text("pair_1_1", seed))
    report = verify_log(path)
    assert (report.hands, report.faults) == (found.hands, ())
    read = list(open_hand_file(path).hands())
    assert [entry.gamedef for entry in read] == [hand.state.gamedef for hand in hands]
    headers = [parse_header(line) for line in read_log(path) if line.startswith("#")]
    assert {(one.match, one.hands, one.seed) for one in headers if one} == {("pair_1_1", found.hands, seed)}
    assert all(one != other for one, other in itertools.pairwise(headers))
    statistics = LogStatistics()
    file = open_hand_file(path)
    for entry in file.hands():
        statistics.add(file, entry)
    assert statistics.results()[0].hands == found.hands


@settings(max_examples=15, deadline=None)
@given(all_rules(), st.integers(0, 2**31))
def test_logs_become_phh_and_come_back(
    tmp_path_factory: pytest.TempPathFactory, rules: FreezeOutRules, seed: int
) -> None:
    """Blinds that are short, equal or all that both have included; pokerkit plays every hand to the same stacks."""
    log, folder = GameLog(rules, ("one", "two")), tmp_path_factory.mktemp("logs")
    found, hands = hands_of(rules, (RandomBot(), RandomBot()), seed)
    for hand in hands:
        log.add(hand)
    path, phh, back = folder / "pair_1_1.log", folder / "hands.phhs", folder / "back.log"
    path.write_text(log.text("pair_1_1", seed))
    assert convert_logs([path], "phh", phh) == found.hands
    histories = list(HandHistory.load_all(io.BytesIO(phh.read_bytes())))
    for history, hand in zip(histories, hands, strict=True):
        *_, end = history
        stacks = (stack + value for stack, value in zip(history.starting_stacks, hand.values, strict=True))
        assert list(map(float, end.stacks)) == pytest.approx(list(map(float, stacks)))
    ((_, report),) = verify_logs([phh])
    assert (report.hands, report.faults) == (found.hands, ())
    assert convert_logs([phh], "acpc", back) == found.hands
    assert back.read_text() == path.read_text()
    assert convert_logs([path], "acpc", folder / "split", split=True) == found.hands
    assert all(report.faults == () for _, report in verify_logs([folder / "split"]))


def test_a_wrong_stack_in_a_log_is_a_fault(tmp_path: Path) -> None:
    rules = rules_of(LEVELS)
    _, hands = hands_of(rules, (AllInBot(), CallBot()), 1)
    log = GameLog(rules, ("one", "two"))
    for hand in hands:
        log.add(hand)
    path = tmp_path / "pair_1_1.log"
    path.write_text(log.text("pair_1_1", 1).replace("10-20.1500 ", "10-20.1400-1600 ", 1))
    assert verify_log(path).faults


# -- chips -------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 51), min_size=9, max_size=9, unique=True), st.integers(1, 500), st.integers(1, 500))
@settings(max_examples=10, deadline=None)
def test_an_all_in_before_the_flop_counts_as_all_boards_do(cards: list[int], first: int, second: int) -> None:
    hole_cards = (tuple(cards[:2]), tuple(cards[2:4]))
    state = FreezeOutRules((first, second), (600, 700)).game(0, (first, second))
    hand = HandState(state)
    if not hand.finished:
        hand.apply(CALL)
    expected = expected_payoffs(hand, hole_cards, cards[4:])
    for position in (0, 1):
        assert expected_value(hand, hole_cards, cards[4:], 99.0, position) == pytest.approx(expected[position])


def test_chips_won_are_those_of_the_logs(tmp_path: Path) -> None:
    rules = rules_of("10/20x3,15/30x2,25/50", (300, 200))
    folder = FreezeOutFolder(tmp_path / "out", {"a": 1})
    folder.begin()
    played = results_of(task_of(rules, folder), range(12))
    for pair in played:
        chips = adjusted = 0.0
        for game in (0, 1):
            for entry in open_hand_file(folder.log(pair.pair, game)).hands():
                hand: LoggedHand = entry.hand
                position = hand.names.split("|").index("one")
                big = rules.level(hand.hand_id).big
                chips += float(hand.values[position]) / big
                adjusted += expected_payoffs(hand.state, hand.hole_cards, hand.board)[position] / big
        assert pair.big_blinds == pytest.approx(chips)
        assert pair.adjusted == pytest.approx(adjusted)


def test_with_fixed_blinds_the_chips_say_who_has_won() -> None:
    rules = FreezeOutRules((700, 500), (10, 20))
    for pair in results_of(task_of(rules), range(20)):
        won = sum(game.share * rules.total - 700 for game in pair.games) / 20
        assert pair.big_blinds == pytest.approx(won)


# -- many games --------------------------------------------------------------------------------------------------


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("cluster", [False, True])
def test_the_engine_does_not_matter(tmp_path: Path, cluster: bool) -> None:
    rules = rules_of(LEVELS, (400, 300))
    ways: list[tuple[str, int, str | None]] = [("one", 1, None), ("two", 2, None)]
    if cluster and find_spec("distributed") is not None:
        ways.append(("dask", 1, "local:2"))
    results, texts = [], []
    for name, workers, dask in ways:
        folder = FreezeOutFolder(tmp_path / name, {"a": 1})
        folder.begin()
        with open_engine(workers, dask, in_process=True) as engine:
            results.append(results_of(task_of(rules, folder), range(60), engine))
        texts.append({path.name: path.read_bytes() for path in folder.path.iterdir()})
    assert all(result == results[0] for result in results)
    assert all(text == texts[0] for text in texts)
    assert len(texts[0]) == 121


def test_a_folder_goes_on_where_it_stopped(tmp_path: Path) -> None:
    rules = rules_of(LEVELS, (400, 300))
    folder = FreezeOutFolder(tmp_path, {"seed": 7})
    folder.begin()
    played = results_of(task_of(rules, folder), range(4))
    again = FreezeOutFolder(tmp_path, {"seed": 7}, resume=True)
    assert [again.read(pair, rules, ("one", "two")) for pair in range(4)] == played
    assert again.read(4, rules, ("one", "two")) is None
    broken = folder.log(1, 0)
    whole = broken.read_text()
    for text in (whole[:-40], whole.replace("STATE:0:", "STATE:1:", 1), whole.replace("|one", "|uno"), ""):
        broken.write_text(text)
        assert again.read(1, rules, ("one", "two")) is None
    with pytest.raises(InputError, match="seed is 7 there and 8 here"):
        FreezeOutFolder(tmp_path, {"seed": 8}, resume=True)
    with pytest.raises(InputError, match="--resume goes on with it, --overwrite replaces it"):
        FreezeOutFolder(tmp_path, {"seed": 7})
    FreezeOutFolder(tmp_path, {"seed": 8}, overwrite=True).begin()
    assert [path.name for path in tmp_path.iterdir()] == ["freezeouts.json"]


def test_levels_change_who_wins() -> None:
    """Against a player who always folds, high blinds are worth more: games are shorter."""
    low = results_of(task_of(rules_of("1/2"), first="fold"), range(5))
    high = results_of(task_of(rules_of("1/2x4,200/400"), first="fold"), range(5))
    assert np.mean([pair.hands for pair in high]) < np.mean([pair.hands for pair in low])
