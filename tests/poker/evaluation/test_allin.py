"""hedgehog.poker.evaluation.allin against enumeration with the slow reference, a second evaluator, and range equity."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray
from phevaluator import evaluate_cards

from hedgehog.poker.acpc.gamedef import parse_gamedef
from hedgehog.poker.acpc.handlog import parse_log_line
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.cards import format_card, parse_cards
from hedgehog.poker.evaluation._allin_kernels import rollout_kernel
from hedgehog.poker.evaluation.allin import (
    expected_payoffs,
    expected_values,
    is_all_in,
    num_known_board_cards,
    rewrite_all_in,
)
from hedgehog.poker.evaluation.equity import range_equity
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.ranges import parse_range
from hedgehog.poker.state import HandState
from hedgehog.runtime.errors import MatchError
from tests.golden import HUNL, LOGS, game, read_golden_log


def logged_hands(log: str) -> list[tuple[HandState, Sequence[Sequence[int]], Sequence[int]]]:
    lines = read_golden_log(log)
    gamedef = game(lines[0].split()[3].removesuffix(".game"))
    hands = [parse_log_line(line, gamedef) for line in lines if line.startswith("STATE:")]
    return [(hand.state, hand.hole_cards, hand.board) for hand in hands]


def boards_to_come(state: HandState, hole_cards: Sequence[Sequence[int]], board: Sequence[int]) -> Iterator[list[int]]:
    """Returns all boards that go on from the cards known at the last action."""
    known = list(board[: num_known_board_cards(state)])
    deck = set(state.gamedef.deck()) - set(known).union(*hole_cards)
    for rest in itertools.combinations(sorted(deck), state.gamedef.total_board_cards - len(known)):
        yield known + list(rest)


def rollout_preflop(state: HandState, hole_cards: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """Enumerates all five-card boards one by one."""
    deck = np.array(sorted(set(range(52)) - set().union(*hole_cards)), dtype=np.uint8)
    hands = np.array([[*cards, 0, 0, 0, 0, 0] for cards in hole_cards], dtype=np.uint8)
    totals = np.zeros(len(hole_cards))
    spent, folded = np.array(state.spent), np.array(state.folded)
    boards = rollout_kernel(totals, hands, deck, spent, folded, 5, evaluator_tables())
    assert boards == comb(len(deck), 5)
    return totals / boards


@pytest.mark.parametrize("log", LOGS)
def test_recorded_all_ins_equal_the_mean_over_all_boards(log: str) -> None:
    """Side pots, folded hands, short decks, one to three hole cards; at most 8 short roll-outs per log."""
    checked = 0
    for state, hole_cards, board in logged_hands(log):
        if not is_all_in(state):
            assert expected_payoffs(state, hole_cards, board) == payoffs(state, hole_cards, board)
            continue
        boards = list(itertools.islice(boards_to_come(state, hole_cards, board), 1001))
        if len(boards) > 1000 or checked == 8:
            continue
        mean = np.mean([payoffs(state, hole_cards, cards) for cards in boards], axis=0)
        assert expected_payoffs(state, hole_cards, board) == pytest.approx(mean, abs=1e-6)
        # Cards that came later do not matter.
        known = board[: num_known_board_cards(state)]
        assert expected_payoffs(state, hole_cards, known) == expected_payoffs(state, hole_cards, board)
        checked += 1
    assert checked >= 8 or not state.gamedef.no_limit


def test_flop_all_in_against_another_evaluator() -> None:
    state = parse_betting("r300c/r20000c//", game(HUNL))
    ours, theirs, flop = parse_cards("9h8h"), parse_cards("AcAd"), parse_cards("7hTc2h")
    total = boards = 0
    for turn, river in itertools.combinations(sorted(set(range(52)) - {*ours, *theirs, *flop}), 2):
        board = [format_card(card) for card in (*flop, turn, river)]
        mine = evaluate_cards(*map(format_card, ours), *board)
        other = evaluate_cards(*map(format_card, theirs), *board)
        total += 20000 * ((mine < other) - (mine > other))  # there a smaller number is better
        boards += 1
    assert boards == 990
    assert expected_payoffs(state, [ours, theirs], flop) == [total / 990, -total / 990]


@pytest.mark.parametrize("hands", ["AhAd KsKc", "AhKh QhJs", "JhTh JsTs"])
@pytest.mark.quick_cases("AhAd KsKc")
def test_preflop_all_in_equals_range_equity(hands: str) -> None:
    ours, theirs = hands.split()
    state = parse_betting("r20000c///", game(HUNL))
    value = 20000 * (2 * range_equity(parse_range(ours), parse_range(theirs)).equity - 1)
    cards = [parse_cards(ours), parse_cards(theirs)]
    assert expected_payoffs(state, cards, []) == pytest.approx([value, -value], abs=1e-6)


def test_preflop_classes_equal_board_by_board_enumeration() -> None:
    """Heads-up and three-way, unequal stacks, with a folded hand whose cards are dead."""
    rng = np.random.default_rng(3)
    for name, bettings in {
        HUNL: ["r20000c///"],
        "custom.nolimit.3p.shortstacks": ["r2348cc///", "cr1500cf///"],
    }.items():
        gamedef = game(name)
        for betting in bettings:
            state = parse_betting(betting, gamedef)
            deal = rng.choice(52, 2 * gamedef.num_players, replace=False)
            hole_cards = [[int(card) for card in pair] for pair in deal.reshape(-1, 2)]
            expected = rollout_preflop(state, hole_cards)
            assert expected_payoffs(state, hole_cards, []) == pytest.approx(expected, abs=1e-6)


def test_suited_hands_that_share_a_suit() -> None:
    """Three flush draws in one suit and a folded fourth card of it: the flush correction at its fullest."""
    state = parse_betting("r2348cc///", game("custom.nolimit.3p.shortstacks"))
    hole_cards = [parse_cards(hand) for hand in ("AhKh", "9h8h", "3h2h")]
    assert expected_payoffs(state, hole_cards, []) == pytest.approx(rollout_preflop(state, hole_cards), abs=1e-6)


def test_a_fold_or_a_last_round_is_no_all_in() -> None:
    gamedef = game(HUNL)
    for betting, all_in in {
        "r300f": False,
        "r20000f": False,
        "cc/cc/cc/r20000c": False,
        "cc/cc/cc/cc": False,
        "cc/cc/r20000c/": True,
    }.items():
        assert is_all_in(parse_betting(betting, gamedef)) == all_in


def test_all_in_without_a_pot_is_refused() -> None:
    text = "GAMEDEF\nnolimit\nnumPlayers = 2\nnumRounds = 2\nstack = 5 0\nblind = 0 0\nfirstPlayer = 1 1\n"
    text += "numSuits = 4\nnumRanks = 13\nnumHoleCards = 1\nnumBoardCards = 0 1\nEND GAMEDEF\n"
    state = parse_betting("c/", parse_gamedef(text))
    assert is_all_in(state)
    with pytest.raises(MatchError, match="no pot"):
        expected_payoffs(state, [[0], [1]], [])


def test_all_in_before_rounds_without_cards() -> None:
    """Nothing can change any more: the expectation is the result."""
    gamedef = replace(game(HUNL), num_board_cards=(0, 5, 0, 0))
    state = parse_betting("cc/r20000c//", gamedef)
    cards = [parse_cards("AhAd"), parse_cards("KsKc")]
    board = parse_cards("2c3c4c8h9h")
    assert is_all_in(state)
    assert expected_payoffs(state, cards, board) == payoffs(state, cards, board) == [20000, -20000]


LOG = [
    "STATE:0:r300c/cc/r600r20000c/:AhAd|KhKd/2c7dTs/3c/4s:20000|-20000:a|b",
    "STATE:1:f:5c5d|8h8d:50|-50:b|a",
    "STATE:2:cc/cc/cc/r20000c:AhAd|KhKd/2c7dTs/3c/4s:20000|-20000:a:c|b",
]


def test_rewritten_log() -> None:
    """Before the river kings have 2 of 44 cards: 20000 * (1 - 2 * 2 / 44) = 18181.818182 for the aces."""
    hands = [parse_log_line(line, game(HUNL)) for line in LOG]
    assert list(map(rewrite_all_in, LOG, hands)) == [
        "STATE:0:r300c/cc/r600r20000c/:AhAd|KhKd/2c7dTs/3c/4s:18181.818182|-18181.818182:a|b",
        *LOG[1:],
    ]
    assert expected_values(hands[0]) == pytest.approx([18181.818182, -18181.818182])


def test_names_with_colons_survive() -> None:
    line = LOG[0].replace(":a|b", ":a:x|b")
    assert rewrite_all_in(line, parse_log_line(line, game(HUNL))).endswith("|-18181.818182:a:x|b")
