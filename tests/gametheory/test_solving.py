"""Values and strategies: published numbers, OpenSpiel, nashpy, pygambit, and random games."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pyspiel
import pytest
from hypothesis import HealthCheck, event, given, settings
from open_spiel.python.algorithms import exploitability as spiel_exploitability
from open_spiel.python.policy import Policy

from hedgehog.gametheory.cfr import GameCfr, algorithm_names
from hedgehog.gametheory.examples import EXAMPLES
from hedgehog.gametheory.files import exact_value
from hedgehog.gametheory.induction import backward_induction
from hedgehog.gametheory.normal_games import (
    count_pure_strategies,
    matrix_game,
    normal_form,
    normal_form_game,
    pure_equilibria,
    pure_strategies,
    solve_matrix,
)
from hedgehog.gametheory.sequence_form import payoff_matrix, solve_sequence_form
from hedgehog.gametheory.strategies import (
    best_response,
    describe,
    expected_payoffs,
    exploitability,
    gains,
    uniform_profile,
)
from hedgehog.gametheory.tree import ExtensiveGame, decision, extensive_game, leaf, nature
from hedgehog.runtime.errors import GameError, MemoryShortageError, SpotError
from tests.gametheory.random_games import GAMES

VALUES = [
    ("matching-pennies", {}, 0.0),
    ("rock-paper-scissors", {}, 0.0),
    ("jqk", {}, 1 / 18),
    ("jqk", {"noraise_pays_zero": True}, 1 / 3),
    ("jqk", {"n": 4}, 1 / 12),
    ("jqk", {"n": 5}, 1 / 12),
    ("jqk", {"n": 13}, 0.0982905983),
    ("kuhn", {}, -1 / 18),
    ("kuhn", {"n": 4}, -1 / 24),
    ("kuhn", {"n": 5}, -1 / 15),
    ("kuhn", {"n": 8}, -1 / 16),
    ("kuhn", {"n": 13}, -0.0641025641),
    ("leduc", {}, -0.0856064241),
    ("nim", {"heaps": (1, 2)}, 1.0),
    ("nim", {"heaps": (2, 2)}, -1.0),
    ("nim", {}, -1.0),
    ("backward", {}, 2.75),
]


@pytest.mark.parametrize(("name", "parameters", "value"), VALUES)
def test_values_of_the_shipped_games(name: str, parameters: dict[str, Any], value: float) -> None:
    game = EXAMPLES[name].build(**parameters)
    solution = solve_sequence_form(game)
    assert solution.value == pytest.approx(value, abs=1e-10)
    assert solution.gap <= 1e-9 * game.scale
    assert max(solution.gains) <= 1e-8 * game.scale
    assert expected_payoffs(game, solution.profile)[0] == pytest.approx(value, abs=1e-9)


@pytest.mark.slow
def test_kuhn_with_a_whole_deck() -> None:
    game = EXAMPLES["kuhn"].build(n=52)
    assert game.counts.nodes == 23_921
    assert solve_sequence_form(game).value == pytest.approx(-0.0575037707, abs=1e-10)


def strategy(game: ExtensiveGame, profile: Any) -> dict[tuple[str, str], dict[str, float]]:
    return {(row.player, row.infoset): row.actions for row in describe(game, profile)}


def test_the_equilibrium_of_jqk() -> None:
    game = EXAMPLES["jqk"].build()
    found = strategy(game, solve_sequence_form(game).profile)
    assert found["p1", "J"]["raise"] == pytest.approx(1 / 3)
    assert found["p1", "Q"]["raise"] == pytest.approx(0)
    assert found["p1", "K"]["raise"] == pytest.approx(1)
    assert found["p2", "Q raise"]["call"] == pytest.approx(1 / 3)
    assert found["p2", "J raise"]["call"] == pytest.approx(0)
    assert found["p2", "K raise"]["call"] == pytest.approx(1)


def test_the_number_of_pure_strategies() -> None:
    kuhn, jqk = EXAMPLES["kuhn"].build(), EXAMPLES["jqk"].build()
    assert normal_form(kuhn).matrix.shape == (27, 64)
    assert 27 * 64 == 1728
    assert normal_form(kuhn, reduced=False).matrix.shape == (64, 64)
    assert normal_form(jqk).matrix.shape == (8, 8)
    assert payoff_matrix(kuhn).nnz == 30
    for game, player, reduced in product((kuhn, jqk, EXAMPLES["backward"].build()), (0, 1), (False, True)):
        listed = pure_strategies(game, player, reduced=reduced)[1]
        assert count_pure_strategies(game, player, reduced=reduced) == len(listed) == len(set(listed))
    leduc = EXAMPLES["leduc"].build()
    with pytest.raises(GameError, match="game 'leduc': 'p1' has too many pure strategies to list"):
        normal_form(leduc)
    with pytest.raises(GameError, match="'p2' has too many pure strategies to list"):
        pure_strategies(leduc, 1)
    for game in (kuhn, jqk):
        value = solve_sequence_form(game).value
        assert solve_matrix(normal_form(game)).value == pytest.approx(value, abs=1e-12)
        assert solve_matrix(normal_form(game, reduced=False)).value == pytest.approx(value, abs=1e-12)


def test_rock_paper_scissors() -> None:
    matrix = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
    form = matrix_game(matrix, ("scissors", "rock", "paper"), ("scissors", "rock", "paper"))
    solution = solve_matrix(form)
    np.testing.assert_allclose([solution.row, solution.column], np.full((2, 3), 1 / 3))
    assert solution.value == pytest.approx(0)
    assert pure_equilibria(form) == []
    tree = normal_form(EXAMPLES["rock-paper-scissors"].build())
    np.testing.assert_array_equal(tree.matrix, matrix)


def test_pure_equilibria_of_the_prisoners_dilemma() -> None:
    form = normal_form_game([[[-1, -3], [0, -2]], [[-1, 0], [-3, -2]]], [("silent", "talk"), ("silent", "talk")])
    assert pure_equilibria(form) == [(1, 1)]
    with pytest.raises(GameError, match="zero-sum"):
        solve_matrix(form)


def test_the_printed_variant_of_jqk_has_the_printed_pure_equilibrium() -> None:
    form = normal_form(EXAMPLES["jqk"].build(noraise_pays_zero=True))
    row = form.actions[0].index("J: not, Q: not, K: raise")
    column = form.actions[1].index("Q raise: fold, K raise: call, J raise: fold")
    assert (row, column) in pure_equilibria(form)
    assert form.matrix[row, column] == pytest.approx(1 / 3)


@pytest.mark.parametrize("seed", range(20))
def test_matrices_against_nashpy(seed: int) -> None:
    nashpy = pytest.importorskip("nashpy", reason="nashpy is not installed")
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-9, 10, size=(rng.integers(2, 6), rng.integers(2, 6)))
    row, column = nashpy.Game(matrix, -matrix).linear_program()
    assert solve_matrix(matrix).value == pytest.approx(row @ matrix @ column, abs=1e-7)


def test_trembles_move_the_value_a_little() -> None:
    game = EXAMPLES["kuhn"].build()
    for tremble in (0.1, 0.01, 0.001):
        solution = solve_sequence_form(game, tremble=tremble)
        assert abs(solution.value + 1 / 18) < 3 * tremble
        for row in describe(game, solution.profile):
            assert row.reached
            assert min(row.actions.values()) >= tremble * (1 - 1e-6)
    with pytest.raises(GameError, match=r"tremble from 0 to 0\.5"):
        solve_sequence_form(game, tremble=0.6)


def test_unreached_information_sets_are_uniform_and_marked() -> None:
    again = decision("p1", "after b", {"x": leaf(-1), "y": leaf(-2)})
    game = extensive_game("dominated start", ("p1", "p2"), decision("p1", "start", {"a": leaf(1), "b": again}))
    rows = {row.infoset: row for row in describe(game, solve_sequence_form(game).profile)}
    assert rows["start"].reached
    assert not rows["after b"].reached
    assert rows["after b"].actions == {"x": 0.5, "y": 0.5}


def test_backward_induction() -> None:
    game = EXAMPLES["backward"].build()
    solution = backward_induction(game)
    assert solution.values[0].tolist() == [2.75, -2.75]
    found = strategy(game, solution.profile)
    assert found["p1", "start"]["R"] == 1
    assert found["p2", "R"]["m"] == 1
    assert gains(game, solution.profile).tolist() == [0, 0]
    with pytest.raises(GameError, match="no perfect information: information set 'J'"):
        backward_induction(EXAMPLES["jqk"].build())


@pytest.mark.parametrize("heaps", [(1, 2), (2, 2), (1, 2, 3), (3, 3), (1, 1, 2)])
def test_nim_by_induction_is_nim_by_the_rule_of_bouton(heaps: tuple[int, ...]) -> None:
    game = EXAMPLES["nim"].build(heaps=heaps)
    xor = 0
    for heap in heaps:
        xor ^= heap
    value = 1 if xor else -1
    assert backward_induction(game).values[0, 0] == value
    assert solve_sequence_form(game).value == pytest.approx(value)


def test_games_without_constant_sum_are_refused() -> None:
    game = extensive_game("general", ("a", "b"), decision("a", "s", {"x": leaf(1, 1), "y": leaf(0, 0)}))
    with pytest.raises(GameError, match="no constant sum"):
        solve_sequence_form(game)
    three = extensive_game("three", ("a", "b", "c"), decision("a", "s", {"x": leaf(1, 1, 1), "y": leaf(0, 0, 0)}))
    with pytest.raises(GameError, match="3 players"):
        solve_sequence_form(three)
    assert best_response(three, uniform_profile(three), 0).value == 1


def test_constant_sums_other_than_zero() -> None:
    root = nature({"h": (0.5, decision("a", "s", {"x": leaf(7, 3), "y": leaf(2, 8)})), "t": (0.5, leaf(4, 6))})
    game = extensive_game("ten chips", ("a", "b"), root)
    assert solve_sequence_form(game).value == pytest.approx(5.5)
    solver = GameCfr(game)
    solver.step(100)
    assert solver.bracket() == pytest.approx((5.5, 5.5))


def test_memory_is_estimated_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgehog.gametheory.sequence_form.available_memory", lambda: 1000.0)
    monkeypatch.setattr("hedgehog.gametheory.cfr.available_memory", lambda: 1000.0)
    game = EXAMPLES["leduc"].build()
    with pytest.raises(MemoryShortageError):
        solve_sequence_form(game)
    with pytest.raises(MemoryShortageError):
        GameCfr(game)


class OurPolicy(Policy):  # type: ignore[misc]
    """Our strategies as a policy of OpenSpiel's Kuhn or Leduc poker."""

    def __init__(self, game: Any, ours: ExtensiveGame, profile: Any, actions: tuple[str, ...]) -> None:
        super().__init__(game, [0, 1])
        self.found = strategy(ours, profile)
        self.ranks = ("J", "Q", "K")
        self.actions = actions

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        player = state.current_player()
        leduc = self.actions[0] == "fold"
        seen: list[str] = []
        replay = state.get_game().new_initial_state()
        bets, deals = 0, 0
        for action in state.history():
            if replay.is_chance_node():
                if deals in (player, 2):
                    seen.append(self.ranks[action // 2 if leduc else action])
                deals += 1
                bets = 0
            else:
                name, bets = self.name(action, bets)
                seen.append(name)
            replay.apply_action(action)
        row = self.found[f"p{player + 1}", " ".join(seen)]
        return {action: row[self.name(action, bets)[0]] for action in state.legal_actions()}

    def name(self, action: int, bets: int) -> tuple[str, int]:
        if self.actions[0] == "fold":
            return (("fold", "call" if bets else "check", "raise" if bets else "bet")[action], bets + (action == 2))
        return (("check", "bet")[action] if not bets else ("fold", "call")[action], bets + action)


@pytest.mark.parametrize(("name", "actions"), [("kuhn", ("pass", "bet")), ("leduc", ("fold", "call", "raise"))])
def test_open_spiel_finds_no_gain_against_our_strategies(name: str, actions: tuple[str, ...]) -> None:
    ours = EXAMPLES[name].build()
    theirs = pyspiel.load_game(f"{name}_poker")
    equilibrium = OurPolicy(theirs, ours, solve_sequence_form(ours).profile, actions)
    assert spiel_exploitability.nash_conv(theirs, equilibrium) < 1e-8
    uniform = OurPolicy(theirs, ours, uniform_profile(ours), actions)
    measured = spiel_exploitability.nash_conv(theirs, uniform)
    assert measured == pytest.approx(2 * exploitability(ours, uniform_profile(ours)), abs=1e-9)


@pytest.mark.parametrize("algorithm", [*algorithm_names(), "cfr:average=new", "cfr-new:simultaneous=yes", "cgh:c=2"])
@pytest.mark.quick_cases("dcfr", "cfr-new:simultaneous=yes", "cfr:average=new", "cgh:c=2", "pcfr+")
def test_the_cfr_family_brackets_the_value_of_leduc(algorithm: str) -> None:
    game = EXAMPLES["leduc"].build()
    solver = GameCfr(game, algorithm)
    before = math.inf
    for _ in range(2):
        solver.step(100)
        low, high = solver.bracket()
        assert low <= -0.0856064241 <= high
        assert solver.exploitability() == pytest.approx((high - low) / 2)
        assert solver.exploitability() < before
        before = solver.exploitability()
    assert before < 0.15


def test_cfr_runs_to_a_target_and_names_its_algorithms() -> None:
    solver = GameCfr(EXAMPLES["kuhn"].build(), "cfr:simultaneous=yes")
    reports: list[int] = []
    reached = solver.run(target=0.01, iterations=2000, report=lambda done, _: reports.append(done))
    assert reached <= 0.01
    assert reports == list(range(50, solver.iteration + 1, 50))
    with pytest.raises(GameError, match="does not solve extensive games"):
        GameCfr(EXAMPLES["kuhn"].build(), "outcome")
    with pytest.raises(SpotError, match="unknown algorithm"):
        GameCfr(EXAMPLES["kuhn"].build(), "nosuch")


def check_random_game(game: ExtensiveGame) -> None:
    solution = solve_sequence_form(game)
    assert solution.gap <= 1e-8
    assert max(solution.gains) <= 1e-8 * game.scale
    if math.prod(count_pure_strategies(game, player) for player in (0, 1)) < 20_000:
        assert solve_matrix(normal_form(game)).value == pytest.approx(solution.value, abs=1e-7)
    else:
        event("no normal form")
    solver = GameCfr(game)
    solver.step(30)
    low, high = solver.bracket()
    assert low - 1e-9 <= solution.value <= high + 1e-9


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(game=GAMES)
def test_random_games(game: ExtensiveGame) -> None:
    check_random_game(game)


@pytest.mark.slow
@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(game=GAMES)
def test_a_thousand_random_games(game: ExtensiveGame) -> None:
    check_random_game(game)


@pytest.fixture
def pygambit() -> Any:
    return pytest.importorskip("pygambit", reason="pygambit (extra efg) is not installed")


@pytest.mark.parametrize(
    ("name", "value"), [("jqk", Fraction(1, 18)), ("kuhn", Fraction(-1, 18)), ("matching-pennies", Fraction(0))]
)
def test_exact_values_by_pygambit(pygambit: Any, name: str, value: Fraction) -> None:
    assert exact_value(EXAMPLES[name].build()) == value


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(game=GAMES)
def test_random_games_by_pygambit(pygambit: Any, game: ExtensiveGame) -> None:
    assert float(exact_value(game)) == pytest.approx(solve_sequence_form(game).value, abs=1e-8)
