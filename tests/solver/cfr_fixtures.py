"""Kuhn and Leduc poker for the compiled CFR solver, which knows cards only as numbers that exclude each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from hedgehog.solver.cfr.card_game import BLOCKED, CardGame, CardLevel
from hedgehog.solver.cfr.solver import CfrSolver
from hedgehog.strategies.betting_tree import BettingTree, NodeKind
from tests.reference.slow_cfr import Board, SlowGame, Strategy
from tests.reference.small_games import kuhn, leduc, leduc_rank

KUHN_VALUE = -1 / 18
LEDUC_VALUE = -0.085606
"""Southey et al. 2005; confirmed by linear programming."""


def one_card_game(game: SlowGame) -> CardGame:
    """Returns the card game of the compiled solver for a game of one private card and at most one board card."""
    num_cards = game.deck
    # Every hand has two cards to the solver: the second is a filler that no other hand has.
    cards = np.arange(num_cards)[:, None] + np.array([0, num_cards])
    hands = np.arange(num_cards, dtype=np.int32)
    nobody = np.zeros(0, dtype=np.int32)
    levels = [CardLevel(np.arange(num_cards, dtype=np.int32)[None], nobody, 1.0, ((),))]
    if len(set(game.tree.street)) > 1:
        strengths = np.array([leduc_rank(game.holes[0], (card,)) for card in hands])
        np.fill_diagonal(strengths, BLOCKED)
        parents = np.zeros(num_cards, dtype=np.int32)
        levels.append(CardLevel(strengths.astype(np.int32), parents, 1 / (num_cards - 2), ((),) * num_cards))
    return CardGame(
        cards=cards.astype(np.int32),
        hands=(hands, hands),
        weights=(game.weights[0].astype(np.float32), game.weights[1].astype(np.float32)),
        levels=tuple(levels),
        swaps=np.zeros((0, num_cards), dtype=np.int32),
    )


def kuhn_game() -> CardGame:
    return one_card_game(kuhn())


def leduc_game() -> CardGame:
    return one_card_game(leduc())


def places(game: SlowGame, solver: CfrSolver) -> Iterator[tuple[int, Board, tuple[int, int, int]]]:
    """Yields every decision node and board of a game with the indices under which the compiled solver stores it."""
    for level, forest in enumerate(solver.layout.forests):
        for slot, node in enumerate(forest.nodes.tolist()):
            if game.tree.kind[node] == NodeKind.DECISION:
                for board in range(game.deck if level else 1):
                    yield node, (board,) if level else (), (level, board, slot)


def average_of(game: SlowGame, solver: CfrSolver) -> Strategy:
    """Returns the solver's average strategies in the form of the slow game."""
    where = {(node, board): place for node, board, place in places(game, solver)}
    return lambda node, board: solver.strategy(*where[node, board]).astype(np.float64)


def solve(game: CardGame, tree: BettingTree, iterations: int, algorithm: str = "dcfr") -> tuple[float, float]:
    """Returns the value of the first player and the exploitability, in chips."""
    solver = CfrSolver(game, tree, threads=1, algorithm=algorithm)
    solver.step(iterations)
    pairs = game.num_hands * (game.num_hands - 1)
    values = [float(solver.root_values(player).sum()) / pairs for player in (0, 1)]
    best = [float(solver.root_values(player, best_response=True).sum()) / pairs for player in (0, 1)]
    assert values[0] == pytest.approx(-values[1], abs=1e-5)
    return values[0], (best[0] + best[1]) / 2
