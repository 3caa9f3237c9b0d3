"""The compiled solver against the slow one: same regrets, same exact best responses, same value.

The oracle deals every card to every hand, so these games also check suit isomorphism and the merging of cards.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from poker.cards import NUM_COMBOS, combo_index, parse_cards, parse_combo
from solver.postflop.prepared import prepare_tree
from solver.postflop.solver import PostflopSolver
from solver.postflop.tree import TreeConfig, build_postflop_tree
from tests.reference.sequence_form import game_value
from tests.reference.slow_cfr import Array, Board, SlowCfr, SlowGame, Strategy, best_response_value, exploitability
from tests.reference.small_games import holdem, same_sizes


@dataclass(frozen=True)
class Case:
    """A small spot."""

    board: str
    pot: int
    stack: int
    sizes: tuple[str, ...]
    oop: dict[str, float]
    ip: dict[str, float]
    rake: tuple[float, float] = (0.0, 0.0)
    algorithm: str = "dcfr"
    threads: int = 1


def _all(ranks: str, weight: float = 1.0) -> dict[str, float]:
    """Every combo of two different ranks, such as ``AK``."""
    return {f"{ranks[0]}{a}{ranks[1]}{b}": weight for a in "cdhs" for b in "cdhs"}


def _suited(ranks: str, weight: float = 1.0) -> dict[str, float]:
    return {f"{ranks[0]}{suit}{ranks[1]}{suit}": weight for suit in "cdhs"}


def _pairs(rank: str, weight: float = 1.0) -> dict[str, float]:
    return {f"{rank}{a}{rank}{b}": weight for i, a in enumerate("cdhs") for b in "cdhs"[:i]}


CASES = {
    "river": Case(
        "Qh Jh 2c 7d 5s",
        100,
        250,
        ("50%,a/100%",),
        {"AhKh": 1, "QcQd": 0.5, "7s7c": 1, "KdTd": 0.75, "6h5h": 1, "3c2d": 0.1},
        {"AcKc": 1, "JdTd": 1, "QsQc": 0.25, "9h8h": 1, "KdTd": 1, "AhKh": 0.3},
    ),
    "river, paired board, everybody ties": Case(
        "Ah Ad Ac As Kh", 60, 90, ("33%,75%/a",), _pairs("2") | _all("QJ", 0.5), _pairs("3", 0.25) | _all("87")
    ),
    "river, raked": Case(
        "Th 9h 8c 2d 2s", 100, 300, ("50%,a/60%",), _all("AT") | _pairs("9"), _all("QJ", 0.5) | _pairs("8"), (0.05, 7.5)
    ),
    "turn": Case(
        "Qh Jh 2c 7d",
        100,
        180,
        ("50%/a", "75%/a"),
        {"AhKh": 1, "QcQd": 0.5, "KdTd": 0.75, "6h5h": 1},
        {"AcKc": 1, "JdTd": 1, "9h8h": 1, "KdTd": 1, "3s3d": 0.5},
    ),
    "turn, raked, donk-sized calls": Case(
        "Qh Qd 2c 2d", 50, 60, ("50%/a", "a"), _suited("KT") | {"AhAd": 0.25}, _suited("98") | {"JcJs": 1}, (0.1, 4)
    ),
    "turn, monotone board": Case(
        "9c 7c 6c 2c", 100, 100, ("a", "50%"), _suited("AK") | _pairs("8", 0.5), _suited("QJ") | _suited("54", 0.75)
    ),
    "river, merged": Case(
        "Qh Jh 2c 7d 5s",
        100,
        250,
        ("50%,a/100%",),
        _all("AK") | _pairs("T", 0.5) | _all("QT", 0.25),
        _all("KT") | _pairs("A", 0.75) | _all("J9", 0.5),
    ),
    "river, merged, paired board, raked": Case(
        "Th Td 8c 2d 2s", 100, 300, ("50%,a/60%",), _all("AT") | _pairs("9"), _all("AK", 0.5) | _pairs("8"), (0.05, 7.5)
    ),
    "turn, merged": Case(
        "Qh Jh 2c 7d", 100, 180, ("50%/a", "75%/a"), _all("AK") | _pairs("8", 0.5), _all("KT") | _pairs("9")
    ),
    "turn, merged with swapped suits": Case(
        "Qc Jc Qd Jd", 60, 100, ("50%/a", "a"), _all("AK") | _all("T9", 0.5), _all("KT") | _pairs("A")
    ),
    "flop, merged": Case("Qh Jh 2c", 40, 60, ("a", "", ""), _all("AK"), _pairs("T") | _all("A9", 0.5)),
    "flop, monotone board": Case(
        "9c 7c 6c", 100, 100, ("a", "", ""), _suited("AK") | {"8d8h": 1}, _suited("QJ", 0.75) | {"5s4s": 1}
    ),
    "flop, paired board": Case("Qh Qd 2c", 40, 60, ("a", "", "50%"), _suited("AK"), _suited("JT", 0.5) | {"2d2h": 1}),
}


def _cases(slow: str) -> list[object]:
    """Returns all cases; those that start with ``slow`` (thousands of boards in plain Python) for the slow suite."""
    return [pytest.param(name, marks=pytest.mark.slow if name.startswith(slow) else ()) for name in CASES]


def _range(hands: dict[str, float]) -> np.ndarray:
    weights = np.zeros(NUM_COMBOS, dtype=np.float32)
    for name, weight in hands.items():
        weights[parse_combo(name)] = weight
    return weights


def _games(case: Case) -> tuple[PostflopSolver, SlowGame]:
    board = parse_cards(case.board)
    tree = build_postflop_tree(
        TreeConfig(street=len(board) - 2, pot=case.pot, stack=case.stack, sizes=same_sizes(*case.sizes))
    )
    # The slow game leaves combos that hit the board in; they must not matter.
    solver = PostflopSolver(
        prepare_tree(tree, board, (_range(case.oop), _range(case.ip)), rake=case.rake),
        threads=case.threads,
        algorithm=case.algorithm,
    )
    return solver, holdem(tree, case.board, case.oop, case.ip, case.rake)


def _strategy(solver: PostflopSolver, game: SlowGame) -> Strategy:
    """Returns the solver's average strategies in the form of the slow game."""
    columns = [[combo_index(*hole) for hole in game.holes[player]] for player in (0, 1)]

    def strategy(node: int, board: Board) -> Array:
        rows = solver.node_strategy(node, board[len(game.board) :])
        return rows[:, columns[int(solver.tree.player[node])]].astype(np.float64)

    return strategy


@pytest.mark.parametrize("name", _cases(slow="flop, paired"))
def test_same_regrets_after_one_iteration(name: str) -> None:
    """Later iterations may part: where nobody goes, rounding decides the sign of a regret."""
    solver, game = _games(CASES[name])
    assert solver.spot.cards.merged or "merged" not in name
    slow = SlowCfr(game)
    solver.run(1)
    slow.step(1)
    compared = 0
    for (node, board), regret in slow.regret.items():
        player = int(solver.tree.player[node])
        clear = (np.abs(regret).max(axis=0) > 1e-3 * game.pair_weight) & (game.live(player, board) > 0)
        columns = [combo_index(*hole) for hole in game.holes[player]]
        rows = solver.node_strategy(node, board[len(game.board) :], current=True)[:, columns]
        assert rows[:, clear] == pytest.approx(slow.current(node, board)[:, clear], abs=1e-3), (node, board)
        compared += int(clear.sum())
    assert compared > len(game.holes[0])


@pytest.mark.parametrize("name", _cases(slow="flop"))
def test_same_exploitability_by_an_independent_best_response(name: str) -> None:
    solver, game = _games(CASES[name])
    solver.run(2 if len(game.board) == 3 else 25)
    strategy = _strategy(solver, game)
    found = solver.exploitability()
    pot = CASES[name].pot
    assert found.pct_pot == pytest.approx(100 * exploitability(game, strategy) / pot, abs=1e-3)
    for player in (0, 1):
        value = best_response_value(game, strategy, player)
        assert found.best_response_ev_minus_half_pot[player] == pytest.approx(value, abs=1e-5 * pot)


@pytest.mark.parametrize(
    "name", ["river", "river, paired board, everybody ties", "turn", "turn, monotone board", "river, merged"]
)
def test_value_by_linear_programming(name: str) -> None:
    solver, game = _games(CASES[name])
    found = solver.solve(0.05, 3000)
    assert found.pct_pot <= 0.05
    value = game_value(game)
    # Each player can be held to the value by an optimal opponent, and can guarantee it by playing optimally.
    assert -found.best_response_ev_minus_half_pot[1] - 1e-4 <= value <= found.best_response_ev_minus_half_pot[0] + 1e-4
    assert found.ev_minus_half_pot[0] == pytest.approx(value, abs=0.001 * CASES[name].pot)


@pytest.mark.parametrize("board", ["9c 7c 6c 2c", "Qh Jh 2c 7h", "Qh Qd 2c 2d"])
def test_isomorphism_changes_nothing(board: str) -> None:
    cards = parse_cards(board)
    ranges = [_range(_suited("AK") | _pairs("8", 0.5) | _all("QJ")), _range(_suited("JT") | _suited("54", 0.75))]
    tree = build_postflop_tree(TreeConfig(street=2, pot=100, stack=300, sizes=same_sizes("75%/a", "50%,a")))
    values = []
    for isomorphism in (True, False):
        solver = PostflopSolver(prepare_tree(tree, cards, ranges, isomorphism=isomorphism), threads=1)
        found = solver.solve(0.02, 2000)
        assert found.pct_pot <= 0.02
        values.append(found.ev_minus_half_pot[0])
    assert values[0] == pytest.approx(values[1], abs=2 * 2 * 0.02)
