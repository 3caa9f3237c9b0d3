"""The judgement of limit hands: the worked hand, reference sessions, and properties that hold for every hand."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgehog.analysis.judging import _betting_kernels as kernels
from hedgehog.analysis.judging._judge_kernels import BASELINE, BEFORE
from hedgehog.analysis.judging.hands import SeatedHand, limit_betting, verify_game
from hedgehog.analysis.judging.judge import Judge
from hedgehog.analysis.judging.judgement import HandJudgement, hand_judgement
from hedgehog.analysis.judging.roll_out import roll_out_boards
from hedgehog.analysis.judging.settings import PUBLISHED, DivatSettings
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef, parse_gamedef
from hedgehog.poker.evaluation.allin import expected_payoffs
from hedgehog.poker.state import CALL, Action, HandState
from hedgehog.runtime.errors import InputError
from tests.analysis.judging.judging_fixtures import (
    BETTING,
    LIMIT,
    SESSIONS,
    WORKED,
    random_hand,
    seated,
    worked_hand,
)
from tests.reference.exact_roll_out import roll_out

NO_LIMIT = load_gamedef("holdem.nolimit.2p.reverse_blinds")
SHORT = parse_gamedef(
    "GAMEDEF\nlimit\nnumPlayers = 2\nnumRounds = 4\nstack = 95 130\nblind = 10 5\nraiseSize = 10 10 20 20\n"
    "firstPlayer = 2 1 1 1\nmaxRaises = 3 4 4 4\nnumSuits = 4\nnumRanks = 13\nnumHoleCards = 2\n"
    "numBoardCards = 0 3 1 1\nEND GAMEDEF\n"
)


def judged(one: SeatedHand, judge: Judge | None = None) -> HandJudgement:
    return hand_judgement((judge or Judge()).judge([one]), 0, one)


def rounded(values: Sequence[float | None]) -> list[float | None]:
    return [None if value is None else round(value, 4) for value in values]


def test_the_worked_hand() -> None:
    """Every value that the publication prints, to its four decimals."""
    hand = judged(worked_hand())
    streets = hand.streets
    for index, player in enumerate("AB"):
        assert rounded([street.ihr[index] for street in streets]) == WORKED["IHR"][player]
        assert rounded([street.seven_card[index] for street in streets]) == WORKED["7cHR"][player]
    assert [street.aie for street in streets] == pytest.approx(
        [(2 * 1_029_832 + 7_525) / (2 * 1_712_304), 756 / 990, 40 / 44, 0], abs=1e-15
    )
    assert rounded([street.lfat for street in streets]) == WORKED["LFAT"]
    assert [street.actual for street in streets] == ["RrC", "kBrC", "bC", "bRc"]
    assert [street.baseline for street in streets] == ["CrC", "bC", "bF", "bRc"]
    assert rounded([street.round_ev for street in streets]) == WORKED["round_EV"]
    assert rounded([street.fold_equity for street in streets]) == WORKED["fold_equity"]
    assert rounded([street.actual_equity for street in streets]) == WORKED["actual_equity"]
    assert rounded([street.baseline_equity for street in streets]) == WORKED["baseline_equity"]
    assert rounded([street.divat for street in streets]) == WORKED["divat_difference"]
    assert hand.divat == pytest.approx(1.462, abs=5e-4)
    assert hand.result == -11


def test_open_card_betting_of_the_worked_hand() -> None:
    hand = judged(worked_hand())
    assert [street.open_line for street in hand.streets] == [line.lstrip("SsLl") for line in ("CrC", "bC", "bF", "kBf")]
    assert rounded([street.evat for street in hand.streets]) == WORKED["EVAT_difference"]
    assert hand.evat == pytest.approx(WORKED["EVAT_total"], abs=5e-5)


def test_roll_out_equities_of_the_worked_hand() -> None:
    hand = judged(worked_hand(), Judge(roll_out=True))
    preflop, flop, turn, river = hand.streets
    assert preflop.divat_roe == preflop.divat  # all-in equity takes its place
    assert flop.divat_roe is not None
    assert turn.actual_roe == pytest.approx(248 / 44, abs=1e-12)
    assert (round(flop.divat_roe, 4), turn.divat_roe, river.divat_roe) == (0.5232, pytest.approx(28 / 44), 0)
    assert hand.divat_roe == pytest.approx(WORKED["total_ROE_with_AIE_preflop"], abs=5e-5)
    cards, board = worked_hand().hand.hole_cards, worked_hand().hand.board
    for street, known in (("flop", 3), ("turn", 4)):
        expected = WORKED["ROE_after_invested_p"][street]
        chips = [float(amount) for amount in expected]
        values = roll_out(cards, board[:known], chips, [1, 0, 0, 0], BETTING)
        assert rounded(values.tolist()) == list(expected.values())


@pytest.mark.slow
def test_exact_roll_out_before_the_flop() -> None:
    """All flops, turns and rivers; 5,000 random boards agree within four standard errors."""
    expected = WORKED["ROE_after_invested_p"]["preflop"]
    chips = [float(amount) for amount in expected]
    cards = worked_hand().hand.hole_cards
    exact = roll_out(cards, (), chips, [1, 0, 0, 0], BETTING)
    assert rounded(exact.tolist()) == list(expected.values())
    drawn = roll_out_boards(cards, chips, [1, 0, 0, 0], BETTING, 5000, np.random.default_rng(3))
    errors = drawn.std(axis=0, ddof=1) / np.sqrt(len(drawn))
    assert (np.abs(drawn.mean(axis=0) - exact) < 4 * errors).all()


def test_random_boards_before_the_flop_agree_with_exact_values() -> None:
    """The exact values are those of the independent program of the test data."""
    expected = WORKED["ROE_after_invested_p"]["preflop"]
    chips = [float(amount) for amount in expected]
    cards = worked_hand().hand.hole_cards
    drawn = roll_out_boards(cards, chips, [1, 0, 0, 0], BETTING, 2000, np.random.default_rng(1))
    errors = drawn.std(axis=0, ddof=1) / np.sqrt(len(drawn))
    assert (np.abs(drawn.mean(axis=0) - list(expected.values())) < 4 * errors).all()
    hand = judged(worked_hand(), Judge(roll_out=True, preflop_boards=2000, seed=1))
    difference = drawn[:, 2] - drawn[:, 1]
    error = difference.std(ddof=1) / np.sqrt(len(difference))
    assert hand.streets[0].divat_roe is not None
    assert abs(hand.streets[0].divat_roe - 0.3055) < 4 * error
    assert difference.std(ddof=1) == pytest.approx(2.67, abs=0.3)


@pytest.mark.parametrize("session", ["call_vs_raise", "random_vs_random"])
def test_reference_sessions(session: str) -> None:
    """All lines, and all values to 1e-6, of 20 hands each."""
    reference = SESSIONS[session]
    hands = [seated(entry["line"], reference["A"]) for entry in reference["hands"]]
    result = Judge().judge(hands)
    level0 = Judge(DivatSettings(PUBLISHED.streets, preflop_level=0)).judge(hands)
    totals = np.zeros(3)
    for index, entry in enumerate(reference["hands"]):
        hand = hand_judgement(result, index, hands[index])
        assert " / ".join(street.actual for street in hand.streets) == entry["actual"]
        assert " / ".join(str(street.baseline) for street in hand.streets) == entry["baseline"]
        assert " / ".join(str(street.open_line) for street in hand.streets) == entry["evat_baseline"]
        for name in ("lfat", "divat", "evat"):
            values = [getattr(street, name) for street in hand.streets]
            np.testing.assert_allclose(values, entry[name], rtol=0, atol=1e-6)
        assert hand.result == entry["result"]
        totals += [hand.result, hand.divat or 0, hand.evat or 0]
        np.testing.assert_allclose(totals, entry["cumulative_result_divat_evat"], rtol=0, atol=1e-6)
        opened = hand_judgement(level0, index, hands[index]).streets[0].baseline
        assert opened == entry.get("level0", hand.streets[0].baseline)
    assert totals == pytest.approx([reference["totals"][name] for name in ("result", "divat", "evat")], abs=1e-6)
    assert level0.divat.sum() == pytest.approx(reference["totals"]["divat_level0"], abs=1e-6)


@pytest.mark.parametrize("number", [2_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_random_hands_add_up(number: int) -> None:
    """Luck + baseline + skill = result, and B's values are the negatives of A's."""
    source = random.Random(1)
    hands = [random_hand(source) for _ in range(number)]
    own = Judge().judge([SeatedHand(hand, 0) for hand in hands])
    other = Judge().judge([SeatedHand(hand, 1) for hand in hands])
    baseline = (own.column(BASELINE) - own.column(BEFORE)).sum(axis=1)
    total = own.lfat.sum(axis=1) + baseline + own.divat.sum(axis=1)
    np.testing.assert_allclose(total, own.results, rtol=0, atol=1e-9)
    np.testing.assert_allclose(own.lfat.sum(axis=1) + own.betting.sum(axis=1), own.results, rtol=0, atol=1e-9)
    for name in ("lfat", "betting", "divat", "evat"):
        np.testing.assert_allclose(getattr(own, name), -getattr(other, name), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(own.results, -other.results)
    assert (np.abs(own.divat).sum(axis=0) > 0).all()


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from([LIMIT, SHORT]), st.floats(0, 0.3))
def test_values_with_roll_outs_are_zero_sum(source: random.Random, gamedef: GameDef, fold: float) -> None:
    """Also with stacks of 9.5 and 13 small bets, which end in all-ins."""
    hand = random_hand(source, gamedef, fold)
    own, other = (judged(SeatedHand(hand, position), Judge(roll_out=True)) for position in (0, 1))
    assert own.luck + own.betting == pytest.approx(own.result, abs=1e-9)
    for one, two in zip(own.streets, other.streets, strict=True):
        assert one.baseline == str(two.baseline).swapcase()
        assert one.open_line == str(two.open_line).swapcase()
        for name in ("aie", "lfat", "net_before", "actual_equity", "baseline_equity", "actual_roe", "baseline_roe"):
            mine, theirs = getattr(one, name), getattr(two, name)
            if mine is None:
                assert theirs is None
            else:
                assert mine + theirs == pytest.approx(float(name == "aie"), abs=1e-9)


@settings(max_examples=10, deadline=None)
@given(st.randoms(use_true_random=False))
def test_all_in_equity_is_the_mean_over_all_boards(source: random.Random) -> None:
    """On every street, against the expectation of an all-in in hedgehog.poker.evaluation.allin."""
    hand = random_hand(source, fold=0)
    streets = judged(SeatedHand(hand, 0)).streets
    for street, checked in enumerate(("", "cc", "cccc")):
        state = HandState(NO_LIMIT)
        for action in (*(CALL for _ in checked), Action("r", 20_000), CALL):
            state.apply(action)
        won = expected_payoffs(state, hand.hole_cards, hand.board)[0]
        assert 2 * streets[street].aie - 1 == pytest.approx(won / 20_000, abs=1e-12)


def test_a_draw_has_nine_outs() -> None:
    hand = seated("STATE:0:cc/cc/cc/cc:3h2h|AsTs/KsTh7c/Ah/4c:-10|10:A|B", "A")
    assert judged(hand).streets[2].aie == pytest.approx(9 / 44)


def test_pot_odds_and_bets_of_the_baseline() -> None:
    """Ranks of .70 and .90 are worth one and two bets; a fold frequency of 2 / 10 is the river's threshold."""
    line = np.empty(kernels.MAX_LINE, dtype=np.int8)
    strengths = np.array([[0.7, 0.7], [0.9, 0.9]])
    played = []
    for first in (0, 1):
        kernels.play_baseline(line, np.full(2, 2.0), strengths, 1, first, BETTING)
        played.append([int(action) for action in line if action >= 0])
    assert played == [[kernels.BET, kernels.RAISE, kernels.CALL], [kernels.BET, kernels.CALL]]
    for rank, answer in ((0.1999, kernels.FOLD), (0.2001, kernels.CALL)):
        strengths = np.array([[0.7, 0.7], [rank, rank]])
        kernels.play_baseline(line, np.full(2, 4.0), strengths, 3, 0, BETTING)  # a bet of 2 into 8
        assert int(line[1]) == answer


def test_settling_a_pot() -> None:
    """All-in equity .25, pot 10, 5 invested: -2.5."""
    assert kernels.settle(np.array([5.0, 5.0]), -1, 0.25) == -2.5
    assert kernels.settle(np.array([5.0, 7.0]), 0, 0.25) == -5
    assert kernels.settle(np.array([5.0, 7.0]), -1, 1.0) == 5


def best_value(chips: Sequence[float], actor: int, raises: int, acted: int, aie: float, street: int) -> float:
    """The value of open-card betting by plain recursion over the limit tree."""
    high = max(chips)
    sign = 1 - 2 * actor
    options = []
    moved = list(chips)
    if raises < 4 - int(street == 0):
        moved[actor] = high + BETTING.bets[street]
        options.append(best_value(moved, 1 - actor, raises + 1, acted + 1, aie, street))
    if chips[actor] < high:
        options.append(-chips[0] if actor == 0 else chips[1])
    moved = list(chips)
    moved[actor] = high
    ended = acted > 0
    options.append(high * (2 * aie - 1) if ended else best_value(moved, 1 - actor, raises, 1, aie, street))
    return sign * max(sign * option for option in options)


@pytest.mark.parametrize("street", range(4))
def test_open_card_betting_against_plain_recursion(street: int) -> None:
    line = np.empty(kernels.MAX_LINE, dtype=np.int8)
    for first in (0, 1):
        for aie in (0.0, 0.1, 0.25, 0.4, 0.5, 0.55, 0.7, 0.9, 1.0):
            chips = np.full(2, 3.0)
            if street == 0:
                chips[first], chips[1 - first] = 0.5, 1.0
            expected = best_value(chips.tolist(), first, 0, 0, aie, street)
            assert kernels.play_open(line, chips, aie, street, first, BETTING) == pytest.approx(expected, abs=1e-12)


def test_no_limit_hands_have_luck_and_betting_alone() -> None:
    source = random.Random(2)
    hands = [random_hand(source, NO_LIMIT) for _ in range(500)]
    own = Judge().judge([SeatedHand(hand, 0) for hand in hands])
    np.testing.assert_allclose(own.lfat.sum(axis=1) + own.betting.sum(axis=1), own.results, rtol=0, atol=1e-6)
    one = hand_judgement(own, 0, SeatedHand(hands[0], 0))
    assert (one.divat, one.evat, one.baseline, one.divat_roe) == (None, None, None, None)
    assert one.streets[0].baseline is None


def test_what_cannot_be_judged() -> None:
    with pytest.raises(InputError, match="heads-up hold'em"):
        verify_game(load_gamedef("kuhn.limit.2p"))
    with pytest.raises(InputError, match="of limit or of no-limit"):
        Judge().judge([worked_hand(), SeatedHand(random_hand(random.Random(1), NO_LIMIT), 0)])
    hidden = worked_hand().hand
    cards = (hidden.hole_cards[0], ())
    hand = type(hidden)(0, hidden.state, cards, hidden.board, hidden.values, hidden.names)
    with pytest.raises(InputError, match="hole cards"):
        Judge().judge([SeatedHand(hand, 0)])


def test_settings_change_the_baseline() -> None:
    """A baseline that never bets checks everything down."""
    never = tuple(type(policy)(policy.fold_offset, (2.0, 2.0, 2.0, 2.0)) for policy in PUBLISHED.streets)
    hand = judged(worked_hand(), Judge(DivatSettings((never[0], never[1], never[2], never[3]))))
    assert [street.baseline for street in hand.streets] == ["Ck", "kK", "kK", "kK"]
    assert limit_betting(LIMIT, PUBLISHED).cap == np.inf
