"""Judged hands of three players: what they are worth adds up, and means over cards are those of an enumeration."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from hedgehog.analysis.judging._betting_kernels import MAX_LINE, NO_ACTION, play_baseline
from hedgehog.analysis.judging.hands import limit_betting
from hedgehog.analysis.judging.settings import PUBLISHED
from hedgehog.analysis.stats.estimate import mean_estimate
from hedgehog.analysis.three_players.baseline import Rules, Strengths, baseline_line, players_left, settle
from hedgehog.analysis.three_players.judging import ThreePlayerJudge, all_in_shares
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.acpc.handlog import parse_log_line
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.evaluation.showdown import hand_rank
from hedgehog.poker.evaluation.strength import hand_strength
from hedgehog.poker.state import Action, HandState
from hedgehog.runtime.errors import InputError
from tests.analysis.judging.judging_fixtures import random_hand

THREE = load_gamedef("holdem.limit.3p")
HANDS = [parse_cards(text) for text in ("AhKh", "7c7d", "2s3s")]
RULES = Rules(10, PUBLISHED)


def state_after(betting: str) -> HandState:
    """Returns the state of the three-player game after fold, call and raise actions."""
    state = HandState(THREE)
    for letter in betting:
        state.apply(Action(letter))
    return state


class SquaredEquity:
    """Stands for the table of equities against two hands, which takes half a minute to build."""

    def equity(self, hole_cards: tuple[int, ...], board: tuple[int, ...], opponents: int) -> float:
        return hand_strength(hole_cards, board).seven_card ** opponents


@pytest.fixture
def judge() -> ThreePlayerJudge:
    found = ThreePlayerJudge()
    found.__dict__["run_outs"] = SquaredEquity()
    return found


def test_shares_on_the_turn_are_those_of_an_enumeration() -> None:
    board = parse_cards("Qs7h2h3c")
    left = [card for card in range(52) if card not in {*board, *sum(map(tuple, HANDS), ())}]
    expected = np.zeros(3)
    pair = np.zeros(3)
    for river in left:
        ranks = [hand_rank((*hand, *board, river)) for hand in HANDS]
        for wins, players in ((expected, (0, 1, 2)), (pair, (0, 2))):
            best = [player for player in players if ranks[player] == max(ranks[each] for each in players)]
            wins[best] += 1 / len(best)
    shares = all_in_shares(HANDS, board)
    assert shares[0b111] == pytest.approx(expected / len(left))
    assert shares[0b101] == pytest.approx(pair / len(left))
    assert shares[0b010].tolist() == [0, 1, 0]


def test_luck_of_the_next_card_is_zero_on_average() -> None:
    """Enumerated: the mean of the shares over all turns is the share on the flop, for every set of players."""
    flop = parse_cards("Qs7h2h")
    left = [card for card in range(52) if card not in {*flop, *sum(map(tuple, HANDS), ())}]
    mean = np.mean([all_in_shares(HANDS, (*flop, card)) for card in left], axis=0)
    assert mean == pytest.approx(all_in_shares(HANDS, flop))


def test_shares_before_the_flop_are_near_the_mean_of_many_flops() -> None:
    rng = np.random.default_rng(1)
    left = [card for card in range(52) if card not in set(sum(map(tuple, HANDS), ()))]
    flops = [all_in_shares(HANDS, rng.choice(left, 3, replace=False).tolist())[7] for _ in range(1000)]
    error = np.std(flops, axis=0) / np.sqrt(len(flops))
    assert np.all(np.abs(np.mean(flops, axis=0) - all_in_shares(HANDS, ())[7]) < 4 * error + 0.02)


def test_parts_add_up_and_luck_has_a_mean_of_zero(judge: ThreePlayerJudge) -> None:
    rng = random.Random(4)
    luck = []
    for _ in range(120):
        hand = random_hand(rng, THREE)
        judged = judge.judge(hand)
        parts = judged.parts()
        assert parts.sum(axis=(0, 1)) == pytest.approx(judged.result)
        assert parts.sum(axis=2).sum(axis=1) == pytest.approx(0, abs=1e-9)
        assert parts[:, 2:].sum(axis=1) == pytest.approx(np.array([street.divat for street in judged.streets]))
        assert parts[:, 0].sum(axis=1) == pytest.approx(0, abs=1e-9)
        luck.append(parts[:, 0].sum(axis=0))
    for position in range(3):
        found = mean_estimate([one[position] for one in luck], 0.999)
        assert found.low < 0 < found.high


def test_seats_do_not_matter() -> None:
    """The shares of a player are the same wherever the others sit."""
    board = parse_cards("Qs7h2h")
    for order in permutations(range(3)):
        shares = all_in_shares([HANDS[player] for player in order], board)
        assert shares[7] == pytest.approx(all_in_shares(HANDS, board)[7][list(order)])


@pytest.mark.parametrize("street", [1, 2, 3])
def test_with_one_opponent_the_baseline_is_that_of_two_players(street: int) -> None:
    betting = limit_betting(load_gamedef("holdem.limit.2p.reverse_blinds"), PUBLISHED)
    rng = np.random.default_rng(street)
    shares = all_in_shares(HANDS, parse_cards("Qs7h2h"))
    for _ in range(200):
        ranks = rng.random((2, 2))
        line, chips = np.empty(MAX_LINE, dtype=np.int8), np.array([3.0, 3.0])
        folder = play_baseline(line, chips, ranks, street, 0, betting)
        equities = [(float(ranks[player, 1]), 0.0) for player in (0, 1)]
        strengths = Strengths((*ranks[:, 0].tolist(), 0.0), (*equities, (0.0, 0.0)), shares)
        # The button folds, and both blinds have three small bets in the pot.
        found, end = baseline_line(state_after("frrc" + "cc" * (street - 1)), street, strengths, RULES)
        assert found == "".join("fkcbr"[action] for action in line if action != NO_ACTION)
        assert end.spent == [*(10 * chips).tolist(), 0]
        assert players_left(end) == 0b011 & ~(1 << folder if folder >= 0 else 0)


def test_a_round_of_three_ends_when_everybody_has_answered() -> None:
    shares = all_in_shares(HANDS, parse_cards("Qs7h2h"))
    strong = Strengths((0.99,) * 3, ((0.99, 0.98),) * 3, shares)
    line, end = baseline_line(state_after("rcc"), 1, strong, RULES)
    assert line == "brrrcc"
    assert end.spent == [60, 60, 60]
    weak = Strengths((0.1,) * 3, ((0.1, 0.01),) * 3, shares)
    line, end = baseline_line(state_after(""), 0, weak, RULES)
    assert line == "ff"
    assert settle(end, shares, RULES).tolist() == [-0.5, 0.5, 0]


def test_other_games_and_hidden_cards_are_refused(judge: ThreePlayerJudge) -> None:
    hand = parse_log_line("STATE:7:ff:AhKh|7c7d|2s3s:-5|5|0:a|b|c", THREE)
    assert judge.judge(hand).result.tolist() == [-0.5, 0.5, 0]
    with pytest.raises(InputError, match="hole cards of all"):
        judge.judge(replace(hand, hole_cards=((), *hand.hole_cards[1:])))
    with pytest.raises(InputError, match="limit hold'em alone"):
        judge.judge(random_hand(random.Random(1), load_gamedef("holdem.nolimit.2p.reverse_blinds")))
