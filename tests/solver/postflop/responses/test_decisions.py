"""Losses in a river solve against numbers of a program that shares no code with Hedgehog (all pairs of hands)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hedgehog.poker.cards import COMBO_CARDS
from hedgehog.solver.postflop.locks import Lock
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.queries import action_evs, view_node
from hedgehog.solver.postflop.responses.decisions import StreetDecisions, expected_loss, river_values
from hedgehog.solver.postflop.solution import met_weight
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import PostflopSpot, read_spot
from hedgehog.solver.postflop.tree import format_action, format_line, line_of
from hedgehog.strategies.betting_tree import NodeKind
from tests.solver.postflop.responses.river_play import SPOT, decisions, play_hands, strategies
from tests.solver.postflop_fixtures import TURN, solver_of

# Hero, strategy of the opponent: losses of uniform, call and all-in, and the value of the best response, in chips.
ANCHORS = {
    (0, "uniform"): (820.097323, 880.609076, 641.158665, 838.410718),
    (0, "call"): (1162.192040, 1130.543272, 1225.489577, 1119.993683),
    (1, "uniform"): (959.317093, 898.805341, 500.068764, 941.003698),
    (1, "call"): (1169.535692, 1201.184460, 1106.238155, 1211.734049),
}
# Iterations: exploitability, then by hero the losses of uniform, call, all-in and the solve's own strategy.
SOLVED = {
    920: (0.099423, (186.005114, 72.846792, 260.635535, 0.104476), (105.621208, 56.084097, 85.075663, 0.094350)),
    220: (0.981364, (185.958074, 81.018079, 256.152093, 0.941815), (105.428352, 57.929513, 83.311500, 1.020922)),
    50: (9.073805, (208.670691, 105.835297, 314.911766, 8.913975), (124.664295, 65.263624, 120.863551, 9.233673)),
}


@pytest.fixture(scope="module")
def spot() -> PostflopSpot:
    return read_spot(SPOT)


@pytest.mark.parametrize(("hero", "villain"), ANCHORS)
def test_against_strategies_of_no_solve(spot: PostflopSpot, hero: int, villain: str) -> None:
    locked = spot
    if villain == "call":
        tree = prepare(spot).tree
        locks = []
        for node in decisions(prepare(spot), 1 - hero):
            token = next(t for c in tree.children(node) if (t := format_action(tree, c)) in ("X", "C"))
            locks.append(Lock(format_line(line_of(tree, node)), {token: 1}))
        locked = replace(spot, locks=tuple(locks))
    solver = PostflopSolver(prepare(locked), threads=1)  # without an iteration, what is not locked is uniform
    *losses, best = ANCHORS[hero, villain]
    found = [expected_loss(solver, hero, rows) for rows in strategies(solver.spot, hero)]
    assert found == pytest.approx(losses, abs=2e-6)  # their last digit
    assert solver.exploitability().best_response_ev_minus_half_pot[hero] == pytest.approx(best, abs=1e-3)


@pytest.fixture(scope="module", params=SOLVED)
def solved(spot: PostflopSpot, request: pytest.FixtureRequest) -> tuple[int, PostflopSolver]:
    solver = PostflopSolver(prepare(spot), threads=1)
    solver.run(request.param)
    return request.param, solver


def test_against_a_solve(solved: tuple[int, PostflopSolver]) -> None:
    iterations, solver = solved
    exploitability, *of_heroes = SOLVED[iterations]
    found = solver.exploitability()
    assert found.exploitability == pytest.approx(exploitability, rel=0.01)
    own = []
    for hero, (*wanted, of_own) in enumerate(of_heroes):
        losses = [expected_loss(solver, hero, rows) for rows in strategies(solver.spot, hero)]
        assert losses == pytest.approx(wanted, rel=2e-4)
        own.append(expected_loss(solver, hero, {n: solver.node_strategy(n) for n in decisions(solver.spot, hero)}))
        assert own[-1] == pytest.approx(of_own, rel=0.01)
    assert sum(own) == pytest.approx(2 * found.exploitability, rel=0.01)


@pytest.mark.parametrize("rake", [(0.0, 0.0), (0.05, 100.0)])
def test_double_precision_is_single_precision_with_more_digits(spot: PostflopSpot, rake: tuple[float, float]) -> None:
    solver = PostflopSolver(prepare(replace(spot, rake_rate=rake[0], rake_cap=rake[1])), threads=1)
    solver.run(30)
    for hero in (0, 1):
        prepared = solver.spot
        single = solver.line_values(hero, best_response=True)[prepared.slots[0]][:, prepared.hands[hero]]
        double = river_values(solver, hero)[:, prepared.combos[hero]]
        assert double == pytest.approx(single, rel=1e-5, abs=0.05)  # the largest are 500,000
        best = solver.exploitability().best_response_ev_minus_half_pot[hero]
        held = solver.ranges[hero][prepared.combos[hero]]
        assert held @ double[0] / prepared.pair_weight == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize("hero", [0, 1])
def test_hands_that_are_played_lose_on_average_what_the_sum_says(spot: PostflopSpot, hero: int) -> None:
    """20 samples of 20,000 hands with each strategy: 95 % intervals hold the sum in 18 of them, and no hand gains."""
    solver = PostflopSolver(prepare(spot), threads=1)
    solver.run(920)
    for number, rows in enumerate(strategies(solver.spot, hero)):
        *_, lost = play_hands(solver, hero, rows, 400_000, seed=number)
        assert lost.min() >= 0
        samples = lost.reshape(20, 20_000)
        half = 1.96 * samples.std(axis=1, ddof=1) / np.sqrt(20_000)
        wanted = SOLVED[920][1 + hero][number]
        assert (abs(samples.mean(axis=1) - wanted) <= half).sum() >= 18
        assert lost.mean() == pytest.approx(wanted, abs=4 * lost.std() / np.sqrt(len(lost)))


@pytest.mark.parametrize("hero", [0, 1])
def test_single_hands_agree_with_the_sum_and_with_the_evs(solved: tuple[int, PostflopSolver], hero: int) -> None:
    _, solver = solved
    street, tree = StreetDecisions(solver, hero), solver.tree
    for node in decisions(solver.spot, hero)[:4]:
        view = view_node(solver, node)
        evs, paid = action_evs(solver, view), float(tree.committed[node, hero])
        for combo in view.hands()[::23].tolist():
            found = street.at(node, combo)
            assert street.all_losses(node)[:, combo] == pytest.approx(found.losses, abs=1e-3, nan_ok=True)
            if found.share == 0:
                assert np.isnan(found.values).all()
                continue
            assert found.values == pytest.approx([street.value(child, combo) for child in found.actions])
            assert found.losses.min() == 0 <= found.baseline
            assert street.value(node, combo) == pytest.approx(found.values.max(), abs=1e-2)
            assert found.strategy @ found.versus == pytest.approx(0, abs=1e-6)
            known = ~np.isnan(evs[:, combo])
            assert found.own_values[known] == pytest.approx(evs[known, combo] - paid, abs=0.05)
            assert 0 <= found.share <= 1
            assert (found.values >= found.own_values - 0.05).all()


def test_a_hand_out_of_the_range_has_no_value(solved: tuple[int, PostflopSolver]) -> None:
    street = StreetDecisions(solved[1], 0)
    missing = next(c for c in range(1326) if c not in set(solved[1].spot.combos[0].tolist()))
    assert np.isnan(street.value(0, missing))


@pytest.mark.slow
def test_the_mean_over_the_cards_is_the_value_before_the_card() -> None:
    """On a turn, for hands that play best on turn and river."""
    solver = solver_of(TURN)
    solver.run(40)
    tree = solver.tree
    for hero in (0, 1):
        street = StreetDecisions(solver, hero)
        deals = [n for n in range(tree.num_nodes) if tree.kind[n] == NodeKind.DEAL and tree.street[n] == 2]
        for node in deals[:2]:
            following = int(tree.first_child[node])
            for combo in solver.spot.combos[hero].tolist()[::4]:
                met = street._met(node)[combo]
                if met <= 0:
                    continue
                # A card comes as often as hands of the opponent leave it.
                live = [c for c in range(52) if c not in solver.board and c not in COMBO_CARDS[combo]]
                reaches = [solver.node_reach(1 - hero, following, (card,)) for card in live]
                left = np.array([met_weight(reach, solver.board)[combo] for reach in reaches])
                after = [street.after_card(following, card, combo) for card in live]
                mean = float(np.where(left > 0, left * np.nan_to_num(after), 0).sum() / left.sum())
                assert mean == pytest.approx(street.value(node, combo), abs=1e-3)
