"""The compiled CFR on games that are not hold'em, against the plain one and published values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from runtime.errors import ResourceError
from solver.cfr.card_game import BLOCKED, CardGame, CardLevel
from solver.cfr.solver import CfrSolver
from strategies.betting_tree import NodeKind
from tests.reference.slow_cfr import Board, SlowCfr, SlowGame, Strategy, best_response_value, hand_values
from tests.reference.small_games import kuhn, leduc, leduc_rank

LEDUC_VALUE = -0.085606  # Southey et al. 2005


def one_card_game(game: SlowGame) -> CardGame:
    """Describes a game of one private card, and at most one board card, for the compiled solver."""
    num_cards = game.deck
    # The second removal card of a hand is its own.
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


def places(game: SlowGame, solver: CfrSolver) -> Iterator[tuple[int, Board, tuple[int, int, int]]]:
    """Yields every decision node and board of a game with where the compiled solver stores it."""
    for level, forest in enumerate(solver.layout.forests):
        for slot, node in enumerate(forest.nodes.tolist()):
            if game.tree.kind[node] == NodeKind.DECISION:
                for board in range(game.deck if level else 1):
                    yield node, (board,) if level else (), (level, board, slot)


@pytest.mark.parametrize("make_game", [kuhn, leduc])
@pytest.mark.parametrize("threads", [1, 2])
def test_steps_like_the_plain_solver(make_game: Callable[[], SlowGame], threads: int) -> None:
    game = make_game()
    game = replace(game, weights=(np.linspace(0.31, 1, game.deck), np.linspace(0.97, 0.23, game.deck)))
    fast = CfrSolver(one_card_game(game), game.tree, threads=threads)
    slow = SlowCfr(game)
    for iteration in range(20):
        # Both start each half iteration from the same regrets: CFR is chaotic, and where all regrets are zero
        # rounding decides the strategy.
        for node, board, place in places(game, fast):
            slow.regret[node, board] = fast.stored_rows(*place, regret=True).astype(np.float64)
            slow.total[node, board] = fast.stored_rows(*place, regret=False).astype(np.float64)
        slow.iteration = iteration
        fast.step(1)
        for player in (0, 1):
            slow.update(player)
            for node, board, place in places(game, fast):
                if game.tree.player[node] != player:
                    continue
                live = [hand for hand in range(game.deck) if hand not in board]
                for regret, table in ((True, slow.regret), (False, slow.total)):
                    found = fast.stored_rows(*place, regret=regret)
                    np.testing.assert_allclose(found[:, live], table[node, board][:, live], rtol=1e-5, atol=1e-5)
                    table[node, board] = found.astype(np.float64)
    for player in (0, 1):
        for best in (False, True):
            expected = hand_values(game, average_of(game, fast), player, best=best)
            np.testing.assert_allclose(fast.root_values(player, best_response=best), expected, atol=1e-5)


def average_of(game: SlowGame, solver: CfrSolver) -> Strategy:
    where = {(node, board): place for node, board, place in places(game, solver)}
    return lambda node, board: solver.strategy(*where[node, board]).astype(np.float64)


def test_kuhn_value() -> None:
    game = kuhn()
    solver = CfrSolver(one_card_game(game), game.tree)
    solver.step(4000)
    values = [solver.root_values(player).sum() / 6 for player in (0, 1)]
    best = [solver.root_values(player, best_response=True).sum() / 6 for player in (0, 1)]
    assert values == pytest.approx([-1 / 18, 1 / 18], abs=1e-4)
    assert -best[1] - 1e-6 <= -1 / 18 <= best[0] + 1e-6
    assert sum(best) < 2e-3


def test_leduc_value_lies_in_its_bracket() -> None:
    game = leduc()
    solver = CfrSolver(one_card_game(game), game.tree)
    solver.step(2000)
    best = [float(solver.root_values(player, best_response=True).sum()) / 30 for player in (0, 1)]
    assert -best[1] <= LEDUC_VALUE <= best[0]
    assert sum(best) < 0.01
    assert float(solver.root_values(0).sum()) / 30 == pytest.approx(LEDUC_VALUE, abs=sum(best))

    average = average_of(game, solver)
    assert best == pytest.approx([best_response_value(game, average, player) for player in (0, 1)], abs=1e-5)


def test_gamma5_schedule_converges_too() -> None:
    game = leduc()
    solver = CfrSolver(one_card_game(game), game.tree, algorithm="gamma5")
    solver.step(2000)
    assert sum(solver.root_values(player, best_response=True).sum() / 30 for player in (0, 1)) < 0.01


def test_refuses_more_memory_than_allowed() -> None:
    game = leduc()
    with pytest.raises(ResourceError, match="GB of memory"):
        CfrSolver(one_card_game(game), game.tree, memory_limit=1000)
