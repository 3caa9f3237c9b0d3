"""The account of thinking time: limits are kept whatever decisions cost, and time goes where it matters."""

from __future__ import annotations

import random

import pytest

from hedgehog.agent.time_manager import ANSWER_MS, MOST_OF_ACCOUNT, SHORTEST_MS, HandTime, TimeManager
from hedgehog.dealer.clock import HAND_MS, PER_HAND_MS, RESPONSE_MS, Clock, time_limits
from hedgehog.poker.streets import FLOP, RIVER, TURN


def usual() -> float:
    return 0.25


def hand(manager: TimeManager, hand_id: int, *ms: float) -> None:
    manager.begin(hand_id)
    for one in ms:
        manager.charge(one)


def test_default_limits_are_those_of_the_dealer() -> None:
    assert HandTime() == HandTime(PER_HAND_MS, HAND_MS)


@pytest.mark.parametrize(
    ("think_ms", "average_ms", "limit_ms", "message_ms"),
    [
        (1500, PER_HAND_MS, HAND_MS, ANSWER_MS),
        (60_000, PER_HAND_MS, HAND_MS, ANSWER_MS),
        (60_000, 500, 2_000, ANSWER_MS),
        (300, 400, HAND_MS, ANSWER_MS),
        (20, 5, 40, 0),
        (1500, 0, 100, 0),
    ],
)
@pytest.mark.parametrize("hands", [1, 50, 3000])
def test_the_limits_of_the_dealer_are_kept(
    think_ms: int, average_ms: int, limit_ms: int, message_ms: int, hands: int
) -> None:
    """Decisions take up to 1.5 times their budget, and messages take time that only the dealer sees."""
    rng = random.Random(hands)
    manager = TimeManager(think_ms, HandTime(average_ms, limit_ms))
    clock = Clock(time_limits(RESPONSE_MS, limit_ms, average_ms, hands), 1)
    for hand_id in range(hands):
        clock.start_hand()
        manager.begin(hand_id)
        for street in (FLOP, TURN, RIVER):
            for _ in range(rng.randint(0, 4)):
                budget = manager.budget_ms(street, rng.choice([2, 10, 400]), rng.random)
                assert budget == 0 or SHORTEST_MS / 2 < budget <= think_ms
                took = rng.uniform(0.3, 1.5) * budget
                manager.charge(took)
                assert clock.charge(0, int(1000 * (took + message_ms)))
    assert manager.hands == hands


def test_unused_time_is_carried_on() -> None:
    manager = TimeManager(100_000, HandTime(1000))
    hand(manager, 7)
    first = manager.budget_ms(TURN, 10, usual)
    assert 0 < first < 1000
    for hand_id in range(8, 107):
        hand(manager, hand_id)
    assert manager.budget_ms(TURN, 10, usual) > 50 * first
    hand(manager, 107, 89_000)
    assert manager.budget_ms(TURN, 10, usual) < 10 * first


def test_hands_without_a_decision_add_to_the_account() -> None:
    manager = TimeManager(1000, HandTime(1000))
    hand(manager, 3)
    one = manager.account_ms
    hand(manager, 13)
    assert (manager.hands, manager.account_ms) == (11, pytest.approx(11 * one))


def test_a_full_account_gives_every_decision_the_full_time() -> None:
    manager = TimeManager(1500, HandTime())
    for hand_id in range(10):
        hand(manager, hand_id)
    asked: list[float] = []

    def note() -> float:
        asked.append(0)
        return 0.0

    for street in (FLOP, TURN, RIVER):
        for pot_bb in (2, 10, 400):
            assert manager.budget_ms(street, pot_bb, note) == 1500
    assert not asked
    assert manager.report() == {
        "decision_ms": 1500,
        "average_ms": 7000,
        "used_ms": 0.0,
        "hands": 10,
        "shortened": 0,
    }


def test_time_goes_where_it_matters() -> None:
    manager = TimeManager(100_000, HandTime(10_000))
    manager.begin(0)
    by_pot = [manager.budget_ms(TURN, pot_bb, usual) for pot_bb in (3, 10, 40)]
    by_street = [manager.budget_ms(street, 10, usual) for street in (FLOP, TURN, RIVER)]
    by_closeness = [manager.budget_ms(TURN, 10, lambda value=value: value) for value in (0.0, 0.25, 0.6)]
    for budgets in (by_pot, by_street, by_closeness):
        assert budgets == sorted(set(budgets))
    assert manager.budget_ms(RIVER, 400, lambda: 1.0) <= MOST_OF_ACCOUNT * manager.account_ms


def test_a_nearly_empty_account_leads_to_the_packs() -> None:
    manager = TimeManager(1000, HandTime(1000))
    manager.begin(0)
    seen = []
    while manager.account_ms > 1:
        seen.append(manager.budget_ms(RIVER, 10, usual))
        manager.charge(max(50, seen[-1]))
    assert seen == sorted(seen, reverse=True)
    assert len(set(seen)) >= 4  # it thinks less and less
    manager.charge(10_000)
    assert manager.account_ms == 0
    assert manager.budget_ms(RIVER, 400, lambda: 1.0) == 0
    assert manager.shortened == len(seen) + 1


def test_the_limit_of_a_hand_counts_too() -> None:
    manager = TimeManager(5_000, HandTime(7_000, 10_000))
    for hand_id in range(100):
        hand(manager, hand_id)
    manager.charge(8_990)
    assert manager.budget_ms(RIVER, 400, lambda: 1.0) == 0
    manager.begin(100)
    assert manager.budget_ms(RIVER, 10, usual) > 2_000


def test_small_differences_in_measured_times_do_not_count() -> None:
    budgets = set()
    for extra in range(40):
        manager = TimeManager(100_000, HandTime(10_000))
        hand(manager, 0, 1000 + extra)
        budgets.add(manager.budget_ms(TURN, 10, usual))
    assert len(budgets) <= 2
