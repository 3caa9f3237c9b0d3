"""Intervals and false discoveries of leaks against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hedgehog.analysis.grading.hand import GradedHand
from hedgehog.analysis.grading.leaks import bootstrap_means, discoveries, find_leaks
from tests.analysis.grading.graded_hands import graded_hand


@pytest.mark.parametrize("seed", [1, 2])
def test_intervals_are_those_of_scipy(seed: int) -> None:
    """Skewed losses, most of them 0, as real ones are."""
    rng = np.random.default_rng(seed)
    values = np.where(rng.random(400) < 0.9, 0.0, rng.exponential(3, 400))
    low, high, p_values = bootstrap_means(values[:, None], 9999, seed)
    theirs = stats.bootstrap((values,), np.mean, n_resamples=9999, method="BCa", rng=seed).confidence_interval
    spread = theirs.high - theirs.low
    assert low[0] == pytest.approx(theirs.low, abs=0.04 * spread)
    assert high[0] == pytest.approx(theirs.high, abs=0.04 * spread)
    assert p_values[0] == pytest.approx(1e-4)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_discoveries_are_those_of_scipy(p_values: list[float]) -> None:
    numbers = np.array(p_values)
    adjusted = stats.false_discovery_control(numbers)
    clear = abs(adjusted - 0.05) > 1e-9
    assert (discoveries(numbers) == (adjusted <= 0.05))[clear].all()


def test_a_planted_leak_comes_first_and_a_sound_player_has_none() -> None:
    """He loses 1 BB at every tenth river bet that he faces; elsewhere what the grader charges him is what he loses."""
    rng = np.random.default_rng(5)
    leaky, sound = [], []
    for number in range(600):
        noise = float(rng.exponential(0.05))
        facing = "bet < 85 %" if number % 3 else "first"
        planted = 1.0 if number % 30 == 1 else 0.0
        leaky.append(graded_hand(number, facing, noise + planted, 0.05))
        sound.append(graded_hand(number, facing, noise, 0.05))
    first, *others = find_leaks(leaky)
    assert "bet < 85 %" in first.kind
    assert first.low > 0
    assert first.found
    assert first.mbb_per_hand == pytest.approx(1000 * 20 / 600, rel=0.3)
    assert not any(one.found for one in others if "first" in one.kind)
    assert not any(one.found for one in find_leaks(sound))
    assert find_leaks(sound, min_decisions=601) == []


def mixed_hand(number: int, action: str) -> GradedHand:
    """Returns a hand in which our player calls two times in three, which loses nothing, and else folds, for 0.3 BB."""
    loss = 0.3 if action == "fold" else 0.0
    hand = graded_hand(number, "bet < 85 %", loss, 0.1)
    [decision] = hand.decisions
    decision.action, decision.to_call_bb = action, 5.0
    decision.actions = {"F": (0.0, 1 / 3), "C": (0.3, 2 / 3)}
    return hand


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.quick_cases("0")
def test_a_player_who_mixes_as_ours_has_no_leak_by_action(seed: int) -> None:
    """Whoever folds as often as our player is not charged for his folds; whoever always folds is."""
    rng = np.random.default_rng(seed)
    sound = [mixed_hand(number, "fold" if rng.random() < 1 / 3 else "call") for number in range(900)]
    assert not any(leak.found for leak in find_leaks(sound))
    first, *_ = find_leaks([mixed_hand(number, "fold") for number in range(900)])
    assert first.kind.endswith("bet < 85 %: fold") or first.kind.endswith("bet < 85 %")
    assert first.found
    assert first.mbb_per_hand == pytest.approx(1000 * (0.3 - 0.1))


PLACES = ("first", "limp", "checked to", "bet < 40 %", "bet < 85 %", "bet < 170 %")


def sparse_hands(rng: np.random.Generator, folds: float) -> list[GradedHand]:
    """Returns hands at six places; in one of six our player folds two times in five, which costs from 0.02 to 2 BB.

    :param folds: how often the player folds there.
    """
    hands = []
    for number in range(240):
        loss = 0.0 if number % 6 else float(rng.exponential(0.4)) + 0.02
        fold = not loss or rng.random() < folds
        hand = graded_hand(number, PLACES[number // 6 % 6], loss if fold else 0.0, 0.4 * loss)
        [decision] = hand.decisions
        decision.action, decision.to_call_bb = "fold" if fold else "call", 5.0
        decision.actions = {"F": (0.0, 0.4), "C": (loss, 0.6)} if loss else {"F": (0.0, 1.0), "C": (-1.0, 0.0)}
        hands.append(hand)
    return hands


@pytest.mark.slow
def test_few_decisions_do_not_make_false_discoveries() -> None:
    """Of players who mix as ours, at places with seven telling decisions each, at most 5 % have any leak.

    Whoever always folds has leaks.
    """
    rng = np.random.default_rng(11)
    accused = sum(any(one.found for one in find_leaks(sparse_hands(rng, 0.4))) for _ in range(30))
    assert accused <= 4  # 5 % of 30 and twice the standard error
    assert all(any(one.found for one in find_leaks(sparse_hands(rng, 1.0))) for _ in range(4))


@pytest.mark.parametrize(
    ("token", "to_call", "kind", "words"),
    [
        ("f", 1.0, "fold", "fold"),
        ("c", 1.0, "call", "call"),
        ("c", 0.0, "check", "check"),
        ("C", 195.0, "all-in", "call"),
        ("r700", 1.0, "raise", "raise to 7 BB"),
        ("r20000", 0.0, "all-in", "raise to 200 BB"),
        ("B300", 0.0, "bet", "bet 3 BB"),
        ("R900", 3.0, "raise", "raise to 9 BB"),
        ("A19500", 3.0, "all-in", "all-in to 195 BB"),
        ("X", 0.0, "check", "check"),
    ],
)
def test_actions_in_words(token: str, to_call: float, kind: str, words: str) -> None:
    [decision] = graded_hand(1, "first", 0.0, 0.0).decisions
    decision.big_blind, decision.to_call_bb = 100, to_call
    assert (decision.kind_of(token), decision.named(token)) == (kind, words)
