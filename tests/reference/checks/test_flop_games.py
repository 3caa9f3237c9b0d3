"""Whole games with a flop against published values: the games ms1f1 and ms1f3 of Slumbot 2019, an open-source solver.

Both games are 81 big blinds deep with one pot-size bet per street. The published brackets of their values come from
best responses that Slumbot computed.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_mask, parse_cards
from hedgehog.poker.evaluation.evaluator import rank_hand
from hedgehog.poker.isomorphism import INVERSE_PERMUTATIONS, board_classes, permute_cards
from hedgehog.solver.cfr.card_game import BLOCKED, CardGame
from hedgehog.solver.cfr.solver import CfrSolver
from hedgehog.strategies.betting_tree import NodeKind
from tests.reference.flop_games import flop_card_game, one_bet_tree, rank_few_cards, solve_flop_game


def _ranked(*hands: str) -> list[str]:
    """Returns hands from the weakest to the strongest."""
    keys = rank_few_cards(np.array([parse_cards(hand) for hand in hands], dtype=np.int64))
    return [hands[i] for i in np.argsort(keys, kind="stable")]


def test_three_cards_rank_without_straights_and_flushes() -> None:
    ascending = ["4c3d2h", "KsQsJs", "AhKdQc", "2c2d3h", "2c2dAh", "KcKd3s", "AcAdKh", "2c2d2h", "AcAdAh"]
    assert _ranked(*reversed(ascending)) == ascending


def test_five_cards_rank_like_the_evaluator() -> None:
    rng = np.random.default_rng(1)
    hands = [rng.choice(52, 5, replace=False) for _ in range(3_000)]
    rare = [
        "AcKcQcJcTc",
        "5h4h3h2hAh",
        "6h5h4h3h2h",
        "5h4d3h2hAs",
        "AcAdAhAsKc",
        "AcAdAhKsKc",
        "AcKcQcJc9c",
        "2c2d2h3s3c",
    ]
    hands += [np.array(parse_cards(hand)) for hand in rare]
    keys = rank_few_cards(np.array(hands, dtype=np.int64))
    ranks = np.array([rank_hand(hand.tolist()) for hand in hands])
    assert (np.unique(keys, return_inverse=True)[1] == np.unique(ranks, return_inverse=True)[1]).all()


def test_one_bet_tree() -> None:
    tree = one_bet_tree(81)
    assert tree.num_nodes == 37
    assert {float(pot) for pot in tree.committed[tree.kind == NodeKind.SHOWDOWN].max(axis=1)} == {100, 300, 900}
    assert set(tree.street.tolist()) == {2, 3}
    for node in range(1, tree.num_nodes):
        assert node in tree.children(int(tree.parent[node]))


@pytest.mark.slow
def test_twins_of_flops_are_the_flops_of_their_class() -> None:
    game = flop_card_game(3)
    level = game.levels[1]
    classes = board_classes(3)
    assert 1755 == len(level.strengths) == len(level.swaps)
    assert sum(1 + len(twins) for twins in level.swaps) == 22_100
    for number in range(0, 1755, 97):
        flop = classes.representatives[number].tolist()
        found = {frozenset(flop)}
        for twin in level.swaps[number]:
            # The permutation leads from the twin to the representative.
            board = permute_cards(flop, int(INVERSE_PERMUTATIONS[twin]))
            live = combo_mask(board)
            assert ((level.strengths[number][game.swaps[twin]] == BLOCKED) == ~live).all()
            found.add(frozenset(board))
        assert len(found) == classes.multiplicities[number]


def _all_flops(game: CardGame) -> CardGame:
    """Returns the one-card game with all 52 flops instead of the 13 clubs that stand for them."""
    strengths = np.empty((52, NUM_COMBOS), dtype=np.int32)
    for card, row in enumerate(strengths):
        row[:] = BLOCKED
        live = combo_mask([card])
        hands = np.column_stack([COMBO_CARDS[live], np.full(np.count_nonzero(live), card)]).astype(np.int64)
        row[live] = np.unique(rank_few_cards(hands), return_inverse=True)[1]
    flops = replace(game.levels[1], strengths=strengths, parent=np.zeros(52, dtype=np.int32), swaps=((),) * 52)
    return replace(game, levels=(game.levels[0], flops), swaps=game.swaps[:0])


def test_isomorphic_flops_are_only_a_short_cut() -> None:
    game = flop_card_game(1)
    solvers = [CfrSolver(cards, one_bet_tree(81)) for cards in (game, _all_flops(game))]
    for best_response in (False, True):
        for player in (0, 1):
            uniform = [solver.root_values(player, best_response=best_response) for solver in solvers]
            np.testing.assert_allclose(uniform[0], uniform[1], rtol=1e-5, atol=0.5)


def test_one_card_flop() -> None:
    found = solve_flop_game(1, 81, [40, 160])
    assert found[1].exploitability < found[0].exploitability / 3
    assert found[1].exploitability < 2.86  # published after 200 iterations
    assert found[1].low <= 69.89
    assert found[1].high >= 70.15


@pytest.mark.slow
def test_one_card_flop_in_the_published_bracket() -> None:
    (found,) = solve_flop_game(1, 81, [2_000])
    assert 69.89 <= found.low <= found.high <= 70.15
    assert found.exploitability <= 0.13


@pytest.mark.slow
def test_three_card_flop_in_the_published_bracket() -> None:
    (found,) = solve_flop_game(3, 81, [200])
    assert 154.57 <= found.low <= found.high <= 157.43
    assert found.exploitability <= 1.43
