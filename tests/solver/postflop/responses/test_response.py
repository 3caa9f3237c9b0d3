"""Responses to models on hold'em spots: linear programs, exact best responses, saved solves and model files."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.runtime.errors import InputError, SpotError
from hedgehog.solver.abstraction.solving import solve
from hedgehog.solver.postflop.locks import Lock
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.responses.opponent_model import OpponentModel, model_rows, prepare_for_model, read_model
from hedgehog.solver.postflop.responses.response import ResponseSolver, response_curve
from hedgehog.solver.postflop.solution_files import StoredSolution, save_solve, save_strategy
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import PostflopSpot, parse_spot
from hedgehog.strategies.betting_tree import NodeKind
from tests.reference.sequence_form import game_value
from tests.reference.slow_cfr import Board, SlowGame, best_response_value
from tests.solver.postflop_fixtures import FLOP, RIVER, TURN, average_of, oracle_of
from tests.strategies.provenance import PROVENANCE

RANGES = (
    'range: {oop: "AhKh,AdAs:0.5,KdQd:0.8,KsQs:0.8,7d6d,7s6s,JcTc:0.3",'
    ' ip: "AcKc,AdAs,QdTd:0.6,QsTs:0.6,9h8h,KdKs:0.9"}'
)
LOCKS = (Lock("X", {"X": 0.5, "B50": 0.5}), Lock("B50", {"F": 0.8, "C": 0.2}))


def spot_of(board: str, sizes: tuple[str, ...], extra: str = "") -> PostflopSpot:
    streets = ("flop", "turn", "river")[-len(sizes) :]
    rows = "".join(
        f'  {street}: {{oop: "{text}", ip: "{text}"}}\n' for street, text in zip(streets, sizes, strict=True)
    )
    return parse_spot(f"spot: small\nboard: {board}\npot: 100\nstack: 230\n{RANGES}\nsizes:\n{rows}{extra}")


def doubled(game: SlowGame, player: int, share: float) -> SlowGame:
    """Returns a game in which every hand of a player comes twice: with the model first, then without it."""
    holes, weights = list(game.holes), list(game.weights)
    holes[player] = [*game.holes[player], *game.holes[player]]
    weights[player] = np.concatenate([share * game.weights[player], (1 - share) * game.weights[player]])
    return replace(game, holes=(holes[0], holes[1]), weights=(weights[0], weights[1]), _payoffs={}, _signs={}, _live={})


@pytest.mark.parametrize(
    ("spot", "locks", "player"),
    [
        (RIVER, LOCKS, 0),
        (RIVER, (Lock("", {"X": 0.2, "B50": 0.4, "A230": 0.4}), Lock("X B50", {"C": 1}, hands="AhKh,7d6d")), 1),
        (TURN, (Lock("X", {"X": 0.5, "B100": 0.5}), Lock("X X X", {"X": 1})), 0),
        pytest.param(TURN, (Lock("X X 9c", {"A230": 1}), Lock("", {"X": 1})), 1, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("share", [0.4, 0.9])
@pytest.mark.slow_cases("0.4-spot2-locks2-0")
def test_values_by_linear_programming(
    spot: tuple[str, tuple[str, ...]], locks: tuple[Lock, ...], player: int, share: float
) -> None:
    opponent = 1 - player
    model = OpponentModel(locks)
    free, locked = prepare_for_model(spot_of(*spot), model)
    base = solve(free, 0.05, 2000, threads=1)
    rows = model_rows(model, base, locked, opponent)
    solver = ResponseSolver(free, player, rows, share, threads=1)
    found = solver.solve(0.05, 3000)
    assert found.pct_pot <= 0.05
    averages = (rows, base.averages[1]) if opponent == 0 else (base.averages[0], rows)
    evs = base.root_street_evs() if len(spot[1]) > 1 else ()
    game = oracle_of(spot)
    follows = average_of(StoredSolution(free, averages, evs, 1), game)

    def given(node: int, board: Board) -> NDArray[np.float64] | None:
        if game.tree.player[node] != opponent:
            return None
        known = follows(node, board)
        return np.hstack([known, np.full_like(known, np.nan)])

    value = game_value(doubled(game, opponent, share), given) * (1 if player == 0 else -1)
    low = share * solver.ev_against_model() + (1 - share) * solver.guaranteed_ev()
    high = found.best_response_ev_minus_half_pot[player]
    assert low - 1e-3 <= value <= high + 1e-3
    # Both bounds are within the exploitability.
    assert high - low == pytest.approx(2 * found.exploitability, abs=2e-3)


@pytest.mark.parametrize("spot", [RIVER, TURN])
def test_a_sure_model_gets_a_best_response_and_no_model_the_equilibrium(spot: tuple[str, tuple[str, ...]]) -> None:
    model = OpponentModel((Lock("X", {"X": 1}),))
    free, locked = prepare_for_model(spot_of(*spot), model)
    base = solve(free, 0.02, 3000, threads=1)
    rows = model_rows(model, base, locked, 1)
    game = oracle_of(spot)
    evs = base.root_street_evs() if len(spot[1]) > 1 else ()
    best = best_response_value(game, average_of(StoredSolution(free, (base.averages[0], rows), evs, 1), game), 0)
    value = base.exploitability().ev_minus_half_pot[0]
    points = list(response_curve(free, 0, rows, value, (0, 0.5, 1), lambda one: one.solve(0.02, 3000), threads=1))
    assert points[0].price == pytest.approx(0, abs=0.05)
    assert points[0].found.pct_pot <= 0.02
    assert points[2].gain + value == pytest.approx(best, abs=0.05)
    # Neither gain nor price falls as the model is trusted more.
    for one, other in pairwise(points):
        assert one.gain <= other.gain + 0.05
        assert one.price <= other.price + 0.05


def test_a_free_response_on_a_flop_is_an_equilibrium() -> None:
    """Three streets, with suits that are interchangeable."""
    model = OpponentModel((Lock("X", {"X": 1}),))
    free, locked = prepare_for_model(spot_of(*FLOP), model)
    assert len(free.game.swaps)
    base = solve(free, 1.0, 60, threads=1)
    rows = model_rows(model, base, locked, 1)
    solver = ResponseSolver(free, 0, rows, 0.6, threads=1)
    solver.run(60)
    found = solver.exploitability()
    low = 0.6 * solver.ev_against_model() + 0.4 * solver.guaranteed_ev()
    assert low <= found.best_response_ev_minus_half_pot[0] + 1e-3
    assert found.pct_pot < 1


def test_a_saved_solve_is_a_model(tmp_path: Path) -> None:
    locked_spot = spot_of(*TURN, extra='locks:\n  - {line: X, strategy: {X: 1}, hands: "QdTd"}\n')
    other = PostflopSolver(prepare(locked_spot), threads=1)
    other.run(200)
    save_solve(tmp_path / "solve", other, locked_spot, other.exploitability(), 1.0, PROVENANCE)
    save_strategy(tmp_path / "strategy", other, locked_spot, other.exploitability(), 1.0, PROVENANCE)
    spot = spot_of(*TURN)
    game = oracle_of(TURN)
    expected = average_of(other, game)
    for folder, tolerance in (("solve", 1e-6), ("strategy", 1 / 255)):
        model = read_model(tmp_path / folder, spot, 1)
        free, locked = prepare_for_model(spot, model)
        base = PostflopSolver(free, threads=1)
        rows = model_rows(model, base, locked, 1)
        filled = average_of(StoredSolution(free, (base.averages[0], rows), base.root_street_evs(), 1), game)
        for node in np.flatnonzero(free.tree.player == 1).tolist():
            if free.tree.kind[node] == NodeKind.DECISION:
                for board in [()] if free.tree.street[node] == 2 else [(1,), (7,), (51,)]:
                    live = game.live(1, (*game.board, *board)) > 0
                    one, two = (strategy(node, (*game.board, *board))[:, live] for strategy in (filled, expected))
                    np.testing.assert_allclose(one, two, atol=tolerance)
    with pytest.raises(SpotError, match="the model is of the board Qh Jh 2c 7c, the spot of Qh Jh 2c 7c 5s"):
        read_model(tmp_path / "solve", spot_of(*RIVER), 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("locks: []\n", "at least one lock"),
        ("player: oop\nlocks:\n  - {line: X, strategy: {X: 1}}\n", "expected a model of ip, got one of oop"),
        ("locks:\n  - {line: '', strategy: {X: 1}}\n", "here acts oop, not ip"),
        ("locks:\n  - {line: X, strategy: {X: 0.5}}\n", "sum to 1"),
        ("locks:\n  - {line: Q, strategy: {X: 1}}\n", "'Q'"),
        ("other: 1\n", "other"),
        ("[", "YAML"),
    ],
)
def test_bad_model_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "model.yaml"
    file.write_text(text)
    with pytest.raises(InputError, match=message) as error:
        read_model(file, spot_of(*RIVER), 1)
    assert "\n" not in str(error.value)


def test_bad_models_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SpotError, match="folder of a saved solve"):
        read_model(tmp_path, spot_of(*RIVER), 1)
    with pytest.raises(SpotError, match="without hand abstraction"):
        prepare_for_model(spot_of(*RIVER, extra="abstraction: strength-river\n"), OpponentModel(LOCKS))
    free, _ = prepare_for_model(spot_of(*RIVER), OpponentModel(LOCKS))
    rows = np.ones(free.layout.sizes[1], dtype=np.float32)
    with pytest.raises(SpotError, match=r"from 0 to 1, got 1\.5"):
        ResponseSolver(free, 0, rows, 1.5)
