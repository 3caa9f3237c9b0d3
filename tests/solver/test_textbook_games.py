"""Kuhn and Leduc poker through the compiled solver: the kernels know cards only as numbers that exclude each other."""

from __future__ import annotations

import numpy as np
import pytest

from poker.cards import NUM_COMBOS, parse_cards, parse_combo
from solver.cfr.card_game import BLOCKED, CardGame, CardLevel
from solver.cfr.solver import CfrSolver
from solver.postflop.prepared import prepare_tree
from solver.postflop.solver import PostflopSolver
from strategies.betting_tree import BettingTree
from tests.reference.slow_cfr import Array, Board, SlowGame, exploitability
from tests.reference.small_games import kuhn, kuhn_tree, leduc, leduc_tree

KUHN_VALUE = -1 / 18
LEDUC_VALUE = -0.085606
NO_SWAPS: tuple[tuple[int, ...], ...] = ((),)


def one_card_game(num_cards: int, levels: tuple[CardLevel, ...]) -> CardGame:
    """Returns a game in which both players hold one of the same cards; the second removal cards are fillers."""
    hands = np.arange(num_cards, dtype=np.int32)
    return CardGame(
        cards=np.stack([hands, hands + num_cards], axis=1).astype(np.int32),
        hands=(hands, hands),
        weights=(np.ones(num_cards, dtype=np.float32), np.ones(num_cards, dtype=np.float32)),
        levels=levels,
        swaps=np.zeros((0, num_cards), dtype=np.int32),
    )


def kuhn_game() -> CardGame:
    strengths = np.arange(3, dtype=np.int32)[None]
    return one_card_game(3, (CardLevel(strengths, np.zeros(0, dtype=np.int32), 1.0, NO_SWAPS),))


def leduc_game() -> CardGame:
    """Six boards of one card; its holders are blocked, a pair with it beats the rest."""
    cards = np.arange(6)
    ranks = cards // 2
    strengths = np.where(ranks[:, None] == ranks, ranks + 3, ranks)
    strengths[cards, cards] = BLOCKED
    first = CardLevel(np.zeros((1, 6), dtype=np.int32), np.zeros(0, dtype=np.int32), 1.0, NO_SWAPS)
    second = CardLevel(strengths.astype(np.int32), np.zeros(6, dtype=np.int32), 1 / 4, NO_SWAPS * 6)
    return one_card_game(6, (first, second))


def solve(game: CardGame, tree: BettingTree, iterations: int, algorithm: str = "dcfr") -> tuple[float, float]:
    """Returns the value of the first player and the exploitability, in chips."""
    solver = CfrSolver(game, tree, threads=1, algorithm=algorithm)
    solver.step(iterations)
    pairs = game.num_hands * (game.num_hands - 1)
    values = [float(solver.root_values(player).sum()) / pairs for player in (0, 1)]
    best = [float(solver.root_values(player, best_response=True).sum()) / pairs for player in (0, 1)]
    assert values[0] == pytest.approx(-values[1], abs=1e-5)
    return values[0], (best[0] + best[1]) / 2


def test_kuhn() -> None:
    value, exploitability_ = solve(kuhn_game(), kuhn_tree(), 2000)
    assert value == pytest.approx(KUHN_VALUE, abs=1e-3)
    assert 0 <= exploitability_ < 1e-3


def test_leduc() -> None:
    value, exploitability_ = solve(leduc_game(), leduc_tree(), 2000)
    assert value == pytest.approx(LEDUC_VALUE, abs=2e-3)
    assert 0 <= exploitability_ < 2e-3


@pytest.mark.parametrize(
    ("slow", "fast", "tree"), [(kuhn(), kuhn_game(), kuhn_tree()), (leduc(), leduc_game(), leduc_tree())]
)
def test_exploitability_by_an_independent_best_response(slow: SlowGame, fast: CardGame, tree: BettingTree) -> None:
    solver = CfrSolver(fast, tree, threads=1)
    solver.step(30)
    forests = solver.layout.forests

    def strategy(node: int, board: Board) -> Array:
        level = len(board)
        (slot,) = np.flatnonzero(forests[level].nodes == node)
        return solver.strategy(level, board[0] if board else 0, int(slot)).astype(np.float64)

    pairs = fast.num_hands * (fast.num_hands - 1)
    best = [float(solver.root_values(player, best_response=True).sum()) / pairs for player in (0, 1)]
    assert (best[0] + best[1]) / 2 == pytest.approx(exploitability(slow, strategy), abs=1e-5)


def test_kuhn_as_a_river_spot() -> None:
    """One combo each of aces, kings and queens for both: nobody holds what the other holds."""
    hands = np.zeros(NUM_COMBOS, dtype=np.float32)
    hands[[parse_combo(name) for name in ("QcQd", "KcKd", "AcAd")]] = 1
    solver = PostflopSolver(prepare_tree(kuhn_tree(), parse_cards("2c3d5h7s9c"), (hands, hands)), threads=1)
    found = solver.solve(0.05, 5000)
    assert found.pct_pot <= 0.05
    assert found.ev_minus_half_pot[0] == pytest.approx(KUHN_VALUE, abs=2e-3)
