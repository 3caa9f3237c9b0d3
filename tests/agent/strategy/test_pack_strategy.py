"""What the packs alone play: layers, and the same numbers for one combo as for all of them."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from hedgehog.agent.strategy.pack_strategy import BLUEPRINT, PURIFY_BELOW, QUICK, PackStrategy, purified
from hedgehog.agent.strategy.sources import ExactFlops, flop_view, street_start_for_betting
from hedgehog.poker.cards import combo_index, combo_mask, parse_cards
from hedgehog.poker.isomorphism import COMBO_PERMUTATIONS, flop_class, flop_representative
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.strategies.quantize import SCALE
from tests.agent.pack_fixtures import GAME, RandomQuickFlops, random_source, random_table


def strategy_of(classes: range = range(0)) -> PackStrategy:
    source = random_source([RandomQuickFlops(random_table().tree, classes)])
    return PackStrategy(source, ExactFlops(GAME, source.tree, []))


def test_one_combo_gets_the_numbers_of_all_in_random_hands() -> None:
    """Bets of any legal size, on the tree and off it, quick packs for half of the flop classes."""
    strategy = strategy_of(range(0, 1755, 2))
    rng = random.Random(11)
    layers: Counter[str] = Counter()
    mixed = 0
    for _ in range(120):
        deck = rng.sample(range(52), 7)
        combo = combo_index(deck[5], deck[6])
        state = HandState(GAME)
        while not state.finished:
            board = tuple(deck[: (0, 3, 4, 5)[state.round]])
            betting = state.betting_string()
            column = strategy.column(betting, board, combo)
            layer, options = strategy.options(betting, board)
            assert (column.layer, column.actions) == (layer, options.actions)
            assert column.probabilities == options.probabilities[:, combo].tolist()
            np.testing.assert_allclose(options.probabilities.sum(axis=0), combo_mask(board), atol=1e-12)
            assert all(state.can(action) for action in options.actions)
            assert len(set(options.actions)) == len(options.actions)
            layers[layer] += 1
            mixed += len(strategy.place(betting, board).line.shadows) > 1
            action = rng.choices(column.actions, column.probabilities)[0]
            limits = state.raise_range()
            if limits is not None and rng.random() < 0.3:
                action = Action("r", min(limits[1], round(limits[0] * rng.uniform(1, 3))))
            elif action.kind == "f":
                action = CALL
            state.apply(action)
    assert layers[QUICK] > 30
    assert layers[BLUEPRINT] > 100
    assert mixed > 30


def test_quick_rows_are_turned_to_the_suits_of_the_flop() -> None:
    board = tuple(parse_cards("2c9h9d"))
    number, permutation = flop_class(board)
    strategy = strategy_of(range(number, number + 1))
    node = next(
        node
        for node, _ in strategy.blueprint.lines.line("cc/c").shadows
        if RandomQuickFlops(strategy.blueprint.tree, [number]).covers(node, number)
    )
    layer, options = strategy.options("cc/c", board)
    assert layer == QUICK
    live = np.flatnonzero(combo_mask(flop_representative(number))).tolist()
    block = RandomQuickFlops(strategy.blueprint.tree, [number]).block(node, number)
    for combo in (combo_index(*parse_cards("AsKd")), combo_index(*parse_cards("3c2h"))):
        on_representative = int(COMBO_PERMUTATIONS[permutation][combo])
        row = block[live.index(on_representative)].astype(np.float64)
        np.testing.assert_allclose(options.probabilities[:, combo], purified(row), atol=1e-12)
        assert int(flop_view(board).live_index[combo]) == live.index(on_representative)
    assert flop_view(board).live_index[combo_index(*parse_cards("2c3c"))] == -1


def test_a_blueprint_row_is_the_bucket_of_the_combo() -> None:
    strategy = strategy_of()
    layer, options = strategy.options("", ())
    assert layer == BLUEPRINT
    assert [str(action) for action in options.actions] == ["f", "c", "r250", "r20000"]
    for combo in (0, 777, 1325):
        row = random_table().block(0)[combo % 5] / SCALE
        np.testing.assert_allclose(options.probabilities[:, combo], purified(row), atol=1e-12)


def test_the_likelihood_of_an_odd_size_is_the_mixture_of_its_neighbours() -> None:
    strategy = strategy_of()
    lines = strategy.blueprint.lines
    action = Action("r", 777)
    (_, small, weight), (_, large, other) = lines.children(lines.line(""), action)
    rows = strategy.blueprint.rows(0, ()) / SCALE
    found = strategy.likelihood("", (), action)
    assert found is not None
    assert weight + other == pytest.approx(1)
    np.testing.assert_allclose(found, weight * rows[small] + other * rows[large], atol=1e-12)


def test_folds_to_a_tiny_bet_become_calls() -> None:
    strategy = strategy_of()
    board = tuple(parse_cards("2c9h9d"))
    usual, tiny = "r250c/r500", "r250c/r350"  # half the pot, which the tree has, and a fifth of it
    lines = strategy.blueprint.lines
    assert lines.line(usual).folding is None
    folding = lines.line(tiny).folding
    assert folding is not None
    assert folding.kept == pytest.approx((100 / 600) / (250 / 750))
    assert [node for node, _ in lines.line(tiny).shadows] == [node for node, _ in lines.line(usual).shadows]
    rows = strategy.blueprint.rows(lines.line(tiny).shadows[0][0], board) / SCALE
    _, options = strategy.options(tiny, board)
    fold, call = options.actions.index(FOLD), options.actions.index(CALL)
    live = combo_mask(board)
    np.testing.assert_allclose(options.probabilities[fold, live], folding.kept * rows[0, live], atol=PURIFY_BELOW)
    for action, number in ((FOLD, fold), (CALL, call)):
        found = strategy.likelihood(tiny, board, action)
        assert found is not None
        np.testing.assert_allclose(found[live], options.probabilities[number, live], atol=PURIFY_BELOW)


def test_purified_rows_sum_to_one() -> None:
    np.testing.assert_allclose(purified(np.array([0.01, 0.49, 0.5])), [0, 0.49 / 0.99, 0.5 / 0.99])
    np.testing.assert_allclose(purified(np.array([0.01, 0.49, 0.5]), 0.0), [0.01, 0.49, 0.5])
    np.testing.assert_allclose(purified(np.array([0.0, 0.0])), [0.5, 0.5])
    np.testing.assert_allclose(purified(np.array([[1.0, 0.0], [99.0, 0.0]])), [[0, 0.5], [1, 0.5]])


def test_flop_lines_are_found_in_the_blueprint() -> None:
    tree = random_table().tree
    limped = street_start_for_betting(tree, "cc")
    raised = street_start_for_betting(tree, "r250c")
    assert limped is not None
    assert raised is not None
    assert tree.committed[limped].tolist() == [100, 100]
    assert tree.committed[raised].tolist() == [250, 250]
    assert street_start_for_betting(tree, "r260c") is None
    assert street_start_for_betting(tree, "c") is None
