"""Jam or fold: published figures of one hand and of the tournament, and what must hold for any structure."""

from __future__ import annotations

import numpy as np
import pytest

from hedgehog.gametheory.examples import jam_fold_hand
from hedgehog.gametheory.sequence_form import solve_sequence_form
from hedgehog.gametheory.tournaments.freeze_out import exact_freeze_out
from hedgehog.gametheory.tournaments.jam_fold import Structure, chip_stage, solve_bound, solve_tournament
from hedgehog.gametheory.tournaments.jam_stages import HandTables, hand_tables, solve_big_blind, solve_small_blind
from hedgehog.poker.evaluation.equity import class_equities, class_outcomes
from hedgehog.poker.evaluation.matchups import MATCHUP_BOARDS
from hedgehog.poker.hand_classes import HAND_CLASS_NAMES
from hedgehog.runtime.errors import GameError


@pytest.fixture(scope="module")
def tables() -> HandTables:
    counts = class_outcomes()
    return hand_tables(HAND_CLASS_NAMES, counts.wins, counts.pairs, MATCHUP_BOARDS)


def mixed(tables: HandTables, chances: np.ndarray) -> dict[str, float]:
    return {tables.names[i]: round(float(p), 4) for i, p in enumerate(chances) if 1e-6 < p < 1 - 1e-6}


def test_the_tables_of_hands(tables: HandTables) -> None:
    counts = class_outcomes()
    assert counts.pairs.sum() == 1326 * 1225
    assert MATCHUP_BOARDS == 1_712_304
    equity = tables.win + tables.tie / 2
    np.testing.assert_allclose(equity, class_equities(), atol=1e-14)

    def against_all(name: str) -> float:
        row = HAND_CLASS_NAMES.index(name)
        return float(tables.dealt[row] @ equity[row] / tables.weights[row])

    assert against_all("AA") == pytest.approx(0.852037, abs=5e-7)
    assert against_all("32o") == pytest.approx(0.323032, abs=5e-7)
    assert against_all("AKs") == pytest.approx(0.670446, abs=5e-7)
    assert against_all("76s") == pytest.approx(0.453718, abs=5e-7)
    assert equity[HAND_CLASS_NAMES.index("AA"), HAND_CLASS_NAMES.index("KK")] == pytest.approx(0.819461, abs=5e-7)
    assert equity[HAND_CLASS_NAMES.index("AKs"), HAND_CLASS_NAMES.index("76s")] == pytest.approx(0.610585, abs=5e-7)


def test_one_hand_for_chips(tables: HandTables) -> None:
    hand = chip_stage(tables, Structure(), 4000)
    assert hand.value == pytest.approx(14.566165, abs=1e-5)
    assert mixed(tables, hand.jam) == {"86o": 0.5689}
    assert mixed(tables, hand.call) == {"T8o": 0.641}
    assert 0.5 + hand.value / 8000 == pytest.approx(0.501821, abs=5e-7)
    short = chip_stage(tables, Structure(), 3600)
    assert short.value == pytest.approx(22.895, abs=1e-3)
    assert mixed(tables, short.jam) == {"86o": 0.9904}
    assert mixed(tables, short.call) == {"98o": 0.9991}
    assert tables.weights @ short.jam == pytest.approx(0.6832, abs=5e-5)
    assert tables.weights @ short.call == pytest.approx(0.5445, abs=5e-5)


@pytest.mark.parametrize(
    ("blinds", "value", "jam", "call", "bound"),
    [(5, 56.201, 71.48, 62.07, -76.518), (10, -45.371, 58.28, 37.38, -219.175), (15, -127.227, 45.65, 28.55, -360.523)],
)
def test_equal_stacks_for_chips(
    tables: HandTables, blinds: int, value: float, jam: float, call: float, bound: float
) -> None:
    chips = 2.0 * blinds
    showdown = tables.showdown(chips, 0, -chips)
    small = solve_small_blind(tables, fold=-1, steal=2, showdown=showdown)
    assert 500 * small.value == pytest.approx(value, abs=1e-3)
    assert 100 * tables.weights @ small.jam == pytest.approx(jam, abs=0.01)
    assert 100 * tables.weights @ small.call == pytest.approx(call, abs=0.01)
    big = solve_big_blind(tables, walk=1, give_up=-2, steal=2, showdown=showdown)
    assert 500 * big.value == pytest.approx(bound, abs=1e-3)
    np.testing.assert_allclose(big.opponent.sum(axis=1), 1)


def test_j2o_and_43s_swap_between_1800_and_3600(tables: HandTables) -> None:
    jams = {
        (hand, stack): chip_stage(tables, Structure(), stack).jam[HAND_CLASS_NAMES.index(hand)]
        for hand in ("J2o", "43s")
        for stack in (1800, 3600)
    }
    assert jams == {("J2o", 1800): 1, ("43s", 1800): 0, ("J2o", 3600): 0, ("43s", 3600): 1}


def test_a_small_tournament(tables: HandTables) -> None:
    shape = Structure(total=3000, small=300, big=600, step=300)
    tournament = solve_tournament(tables, shape)
    assert [shape.kind(stack) for stack in shape.stacks] == ["all-in", "one", *["both"] * 5, "one", "all-in"]
    for stack, stage in tournament.stages.items():
        assert sum(stage.after.values()) == pytest.approx(1)
        assert set(stage.after) <= set(range(0, 3001, 300))
        # The value is that of the next states, where the opponent has the small blind.
        later = {s: 1 - tournament.value(3000 - s) for s in stage.after}
        assert stage.value == pytest.approx(sum(p * later[s] for s, p in stage.after.items()), abs=1e-12)
        assert 0 < tournament.value(stack) < 1
    values = [tournament.value(stack) for stack in range(0, 3001, 300)]
    assert values == sorted(values)
    bound = solve_bound(tables, shape)
    for stack in shape.stacks:
        assert -1e-12 <= bound.loss(stack) < 0.03
        assert bound.small[stack].value <= tournament.value(stack) + 1e-12
        assert bound.big[stack].value <= 1 - tournament.value(3000 - stack) + 1e-12


def test_exact_freeze_outs_of_a_small_tournament(tables: HandTables) -> None:
    shape = Structure(total=3000, small=300, big=600, step=300)
    tournament, bound = solve_tournament(tables, shape), solve_bound(tables, shape)
    for stack in shape.stacks:
        with_button, without = tournament.value(stack), 1 - tournament.value(3000 - stack)
        same = exact_freeze_out(tables, tournament, "jamfold", stack)
        assert same.wins == pytest.approx((with_button, without), abs=1e-12)
        # An equilibrium guarantees its value against every player who jams or folds.
        other = exact_freeze_out(tables, tournament, "allin", stack)
        assert other.wins[0] >= with_button - 1e-12
        assert other.wins[1] >= without - 1e-12
        assert min(other.hands) >= 1
        assert max(other.hands) < 4
        limps = exact_freeze_out(tables, tournament, "call", stack, bound=bound)
        assert limps.wins[0] == pytest.approx(with_button, abs=0.1)
    with pytest.raises(GameError, match="no opponent 'random'"):
        exact_freeze_out(tables, tournament, "random", 1500)
    with pytest.raises(GameError, match="replies to limps are needed"):
        exact_freeze_out(tables, tournament, "call", 1500)


@pytest.mark.slow
def test_exact_freeze_outs_from_equal_stacks(tables: HandTables) -> None:
    tournament, bound = solve_tournament(tables), solve_bound(tables)
    known = {
        "jamfold": ((0.500311, 0.499689), (3.73, 3.73)),
        "allin": ((0.525470, 0.514282), (2.07, 2.47)),
        "call": ((0.533506, 0.535047), (1.91, 1.76)),
    }
    for opponent, (wins, hands) in known.items():
        found = exact_freeze_out(tables, tournament, opponent, 4000, bound=bound)
        assert found.wins == pytest.approx(wins, abs=5e-7)
        assert found.hands == pytest.approx(hands, abs=5e-3)


@pytest.mark.slow
def test_the_tournament_of_8000_chips(tables: HandTables) -> None:
    tournament = solve_tournament(tables)
    published = {50: 0.0062, 600: 0.0753, 1800: 0.2276, 3600: 0.4520, 4000: 0.500311, 6000: 0.7536}
    for stack, value in published.items():
        assert tournament.value(stack) == pytest.approx(value, abs=5e-7 if stack == 4000 else 5.1e-5)
    assert tournament.rounds == 4
    stage = tournament.stages[4000]
    assert stage.jam is not None
    assert stage.reply is not None
    assert mixed(tables, stage.jam) == {"65o": 0.1332}
    assert mixed(tables, stage.reply) == {"T8o": 0.2881}
    assert tables.weights @ stage.jam == pytest.approx(0.6694, abs=5e-5)
    assert tables.weights @ stage.reply == pytest.approx(0.5019, abs=5e-5)
    jams = {
        hand: [
            stack
            for stack, one in tournament.stages.items()
            if one.jam is not None and one.jam[HAND_CLASS_NAMES.index(hand)] >= 0.5
        ]
        for hand in ("J2o", "43s")
    }
    assert jams["J2o"] == [*range(350, 2801, 50), *range(5250, 7651, 50)]
    intervals = [(350, 1200), (2500, 2650), (2750, 2750), (2900, 5150), (5350, 5550), (6700, 7650)]
    assert jams["43s"] == [stack for low, high in intervals for stack in range(low, high + 1, 50)]


@pytest.mark.slow
def test_the_bound_against_any_opponent(tables: HandTables) -> None:
    bound = solve_bound(tables)
    assert bound.greatest_loss() == (4000, pytest.approx(0.013848, abs=5e-7))
    assert bound.small[4000].value == pytest.approx(0.495981, abs=5e-7)
    assert bound.big[4000].value == pytest.approx(0.490171, abs=5e-7)
    assert bound.small[3600].value == pytest.approx(0.447387, abs=5e-7)
    assert bound.loss(3600) == pytest.approx(0.011460, abs=1e-6)
    assert bound.small[4000].jam is not None
    assert mixed(tables, bound.small[4000].jam) == {"52s": 0.4641}


@pytest.mark.slow
def test_the_tree_of_one_hand(tables: HandTables) -> None:
    hand = jam_fold_hand(HAND_CLASS_NAMES, class_outcomes().pairs, class_equities()).build(stack=4000)
    assert hand.counts[:4] == (142_975, 170, 57_122, 85_683)
    assert hand.counts.infosets == (169, 169)
    assert hand.counts.sequences == (339, 339)
    assert solve_sequence_form(hand).value == pytest.approx(14.566165, abs=1e-5)


def test_bad_structures_and_stacks_are_refused(tables: HandTables) -> None:
    with pytest.raises(GameError, match="multiples of 50"):
        Structure(total=8010)
    with pytest.raises(GameError, match="more chips than the big blind"):
        Structure(total=600)
    with pytest.raises(GameError, match="stack of 50 to 7950"):
        chip_stage(tables, Structure(), 8000)
    with pytest.raises(GameError, match="all-in with the blind"):
        chip_stage(tables, Structure(), 600)
    with pytest.raises(GameError, match="tables of shape"):
        hand_tables(("A",), np.zeros((2, 2), dtype=int), np.ones((2, 2), dtype=int), 1)
    with pytest.raises(GameError, match="at most one winner"):
        hand_tables(("A",), np.array([[2]]), np.array([[1]]), 1)
