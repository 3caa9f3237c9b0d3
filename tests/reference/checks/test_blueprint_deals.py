"""The blueprint trainer on whole games with known values: the same walk, no card abstraction.

Published anchors: Kuhn (1950), Leduc (Southey et al. 2005; value by linear programming), and the games of an
open-source solver's notes (Slumbot 2019). Push/fold frequencies are those of published charts, in percent of all hands.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hedgehog.poker.evaluation.equity import class_equities
from hedgehog.poker.hand_classes import HAND_CLASS, NUM_HAND_CLASSES
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.training import TrainingConfig, train_blueprint
from hedgehog.strategies.betting_tree import BettingTree, NodeKind
from tests.reference.blueprint_deals import DealTrainer, lossless_buckets, measure_game, one_bucket_abstraction
from tests.reference.flop_games import flop_card_game, one_bet_tree
from tests.reference.preflop_games import (
    PreflopSolution,
    best_response_bracket,
    preflop_menu,
    preflop_tree,
    two_card_equities,
    two_card_game,
)
from tests.reference.slow_cfr import Array, Board, SlowGame, exploitability
from tests.reference.small_games import kuhn, kuhn_tree, leduc, leduc_tree
from tests.solver.cfr_fixtures import KUHN_VALUE, LEDUC_VALUE, kuhn_game, leduc_game

BIG_BLIND = 100


def _slow_exploitability(slow: SlowGame, trainer: DealTrainer) -> float:
    def strategy(node: int, board: Board) -> Array:
        return trainer.strategy(node, board[0] if board else 0).T.astype(np.float64)

    return exploitability(slow, strategy)


def test_kuhn() -> None:
    trainer = DealTrainer(kuhn_game(), kuhn_tree())
    trainer.run(1_000)
    found = measure_game(trainer.game, trainer.tree, trainer.strategy)
    assert found.low <= KUHN_VALUE <= found.high
    assert found.value == pytest.approx(KUHN_VALUE, abs=1e-3)
    assert found.exploitability < 1e-3
    assert found.exploitability == pytest.approx(_slow_exploitability(kuhn(), trainer), abs=1e-6)


def test_leduc() -> None:
    trainer = DealTrainer(leduc_game(), leduc_tree())
    trainer.run(1_000)
    found = measure_game(trainer.game, trainer.tree, trainer.strategy)
    assert found.low <= LEDUC_VALUE <= found.high
    assert found.value == pytest.approx(LEDUC_VALUE, abs=0.01)
    assert found.exploitability < 0.05
    assert found.exploitability == pytest.approx(_slow_exploitability(leduc(), trainer), abs=1e-5)


def _two_card_solution(tree: BettingTree, sweeps: int) -> PreflopSolution:
    trainer = DealTrainer(two_card_game(), tree)
    trainer.run(sweeps)
    member = np.unique(HAND_CLASS, return_index=True)[1]  # any combo of each class
    decisions = np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.street == 0))
    strategy = {int(node): trainer.strategy(int(node), 0)[member].astype(np.float64) for node in decisions}
    return PreflopSolution(*best_response_bracket(tree, two_card_equities(), strategy), strategy)


def test_two_card_showdown() -> None:
    assert np.unique(lossless_buckets(two_card_game())[0]).size == NUM_HAND_CLASSES
    found = _two_card_solution(preflop_tree(10), 200)
    assert found.value_low <= 34.40
    assert found.value_high >= 34.37
    assert found.value_high - found.value_low < 8


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tree", "low", "high"),
    [(preflop_tree(10), 34.37, 34.40), (preflop_tree(81, jam=False, pot_raises=1), 22.40, 22.41)],
    ids=["limp or jam", "ms0"],
)
def test_two_card_showdown_in_the_published_bracket(tree: BettingTree, low: float, high: float) -> None:
    found = _two_card_solution(tree, 3_000)
    assert found.value_low <= high
    assert found.value_high >= low
    assert found.value_high - found.value_low < 0.6


def _real_board_solution(stack: int, boards: int, *, limp: bool, jam: bool, pot_raises: int = 0) -> PreflopSolution:
    menu = preflop_menu(limp=limp, jam=jam, pot_raises=pot_raises)
    blueprint = train_blueprint(
        TrainingConfig(menu, iterations=boards, stack=stack * BIG_BLIND), one_bucket_abstraction()
    )
    tree = blueprint.tree
    decisions = np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.street == 0))
    strategy = {int(node): blueprint.block(int(node)).astype(np.float64) for node in decisions}
    return PreflopSolution(*best_response_bracket(tree, class_equities(), strategy), strategy)


def test_push_fold_on_random_boards() -> None:
    found = _real_board_solution(10, 4_000, limp=False, jam=True)
    assert found.value_low <= -45.37 <= found.value_high
    assert found.value_high - found.value_low < 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stack", "jam", "call"), [(5, 72.5, 61.8), (8, 62.0, 45.3), (10, 58.28, 37.37), (12, 53.5, 33.0), (15, 46.6, 28.4)]
)
def test_push_fold_frequencies(stack: int, jam: float, call: float) -> None:
    found = _real_board_solution(stack, 12_000, limp=False, jam=True)
    tree = preflop_tree(stack, limp=False)
    assert 100 * found.share(tree, 0, 1) == pytest.approx(jam, abs=2.5)
    assert 100 * found.share(tree, int(tree.first_child[0]) + 1, 1) == pytest.approx(call, abs=2.5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stack", "jam", "pot_raises", "value"), [(10, True, 0, -25.67), (81, False, 1, 51.59)], ids=["limp or jam", "ms0"]
)
def test_limped_games_on_random_boards(stack: int, jam: bool, pot_raises: int, value: float) -> None:
    found = _real_board_solution(stack, 12_000, limp=True, jam=jam, pot_raises=pot_raises)
    assert found.value_low - 0.1 <= value <= found.value_high + 0.1
    assert found.value_high - found.value_low < 10


def _one_card_flop(sweeps: int) -> tuple[float, float]:
    """Returns the bracket of ms1f1 for the button (player 1), in mbb per hand."""
    trainer = DealTrainer(flop_card_game(1), one_bet_tree(81))
    trainer.run(sweeps)
    found = measure_game(trainer.game, trainer.tree, trainer.strategy)
    return -1_000 * found.high / BIG_BLIND, -1_000 * found.low / BIG_BLIND


def test_one_card_flop() -> None:
    low, high = _one_card_flop(30)
    assert low <= 69.89
    assert high >= 70.15
    assert high - low < 150


@pytest.mark.slow
def test_one_card_flop_in_the_published_bracket() -> None:
    low, high = _one_card_flop(1_000)
    assert low <= 70.15
    assert high >= 69.89
    assert high - low < 10


def test_games_the_trainer_does_not_know_are_refused() -> None:
    game = kuhn_game()
    with pytest.raises(InputError, match="weight 1"):
        DealTrainer(replace(game, weights=(game.weights[0], 2 * game.weights[1])), kuhn_tree())
    with pytest.raises(InputError, match="52 cards"):
        DealTrainer(replace(game, cards=game.cards + 50), kuhn_tree())
