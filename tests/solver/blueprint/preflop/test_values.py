"""The values of actions before the flop: against slow walks, direct matches, and games whose values are known."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS
from hedgehog.poker.evaluation.equity import class_equities, class_pairs
from hedgehog.poker.evaluation.evaluator import rank_combos
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES, NUM_HAND_CLASSES
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint._blueprint_kernels import prepare_board_kernel
from hedgehog.solver.blueprint.cards._river_kernels import deal_kernel
from hedgehog.solver.blueprint.preflop._value_kernels import count_range_kernel, preflop_values_kernel
from hedgehog.solver.blueprint.preflop.identity import check_values, preflop_plays
from hedgehog.solver.blueprint.preflop.values import PreflopWalk, exact_figures
from hedgehog.solver.blueprint.program import allocate_scratch
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.strategies.bet_menus import BlueprintMenu
from hedgehog.strategies.betting_tree import BettingTree, NodeKind
from tests.reference.preflop_games import preflop_menu
from tests.reference.slow_blueprint import SlowTrainer
from tests.solver.blueprint_fixtures import PUSH_FOLD, TINY, made_up_abstraction

Floats = NDArray[np.float64]
CARDS = made_up_abstraction()


@cache
def drawn(menu: BlueprintMenu, stack: int, seed: int = 4) -> tuple[BettingTree, Callable[[int], Floats]]:
    """Returns a tree and a strategy of random rows, some of which have actions that are never taken."""
    tree, rng = build_blueprint_tree(menu, stack=stack), np.random.default_rng(seed)
    rows = {}
    for node in np.flatnonzero(tree.kind == NodeKind.DECISION).tolist():
        block = rng.dirichlet(np.ones(tree.num_children[node]), size=CARDS.bucket_counts[int(tree.street[node])])
        block[rng.random(block.shape) < 0.1] = 0
        block[:, 0] += 1 - block.sum(axis=1)
        rows[node] = block.astype(np.float32).astype(np.float64)
    return tree, rows.__getitem__


@cache
def walked(menu: BlueprintMenu, stack: int, chunks: int, seed: int = 1) -> PreflopWalk:
    tree, block = drawn(menu, stack)
    walk = PreflopWalk(tree, block, CARDS, seed)
    for _ in range(chunks):
        walk.walk()
    return walk


def test_a_board_agrees_with_a_slow_walk_of_every_hand_against_every_hand() -> None:
    tree, block = drawn(TINY, 600)
    walk = PreflopWalk(tree, block, CARDS)
    board = np.empty(5, dtype=np.uint8)
    deal_kernel(board, walk.random_state(0))
    preflop_values_kernel(
        walk.state.sums[0], walk.state.products, walk._preflop, walk._scratch, walk._table, walk.program, CARDS.tables,
        walk.figures, 1, walk.random_state(0),
    )  # fmt: skip
    slow = SlowTrainer(tree, CARDS, 0.0)
    for node in slow.regrets:
        slow.regrets[node][:] = block(node)
    for player in (0, 1):  # the second walk must not see what the first one has learnt
        slow._deal(board.tolist())
        ones = np.ones(len(slow.hands))
        slow._walk(0, player, ones, ones)
        for number, node in enumerate(walk.nodes):
            if tree.player[node] == player:
                start, count = int(walk.figures.sum_start[number]), int(walk.figures.num_figures[number])
                found = walk.state.sums[0, start : start + NUM_HAND_CLASSES * count].reshape(NUM_HAND_CLASSES, count)
                values = found[:, : tree.num_children[node]]
                signed = values - (walk.strategy[node] * values).sum(axis=1, keepdims=True)
                learnt = slow.regrets[node] - block(node)
                np.testing.assert_allclose(signed, learnt, atol=2e-4 * np.abs(learnt).max())
        for node in slow.regrets:
            slow.regrets[node][:] = block(node)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_figures_of_a_range_agree_with_counting_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.random(NUM_HAND_CLASSES) * (rng.random(NUM_HAND_CLASSES) < 0.7)
    scratch = allocate_scratch(walked(PUSH_FOLD, 1_000, 0).program)
    board = rng.permutation(52)[:5].astype(np.uint8)
    hands = prepare_board_kernel(scratch, board, CARDS.tables)
    pairs, lead = np.empty(NUM_HAND_CLASSES), np.empty(NUM_HAND_CLASSES)
    count_range_kernel(pairs, lead, np.empty((2, 52)), scratch, weights, hands)
    ranks = rank_combos(board.tolist()).astype(np.int64)
    live = np.flatnonzero(ranks > 0)
    cards, of = COMBO_CARDS[live], HAND_CLASS[live]
    meets = ~(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3)) * weights[of]
    beats = np.sign(ranks[live][:, None] - ranks[live][None, :])
    for found, each in ((pairs, meets.sum(axis=1)), (lead, (meets * beats).sum(axis=1))):
        np.testing.assert_allclose(found, np.bincount(of, each, NUM_HAND_CLASSES), atol=1e-9)


def test_the_known_means_are_those_of_all_boards() -> None:
    """Over sampled boards the figures differ from their means by what the sampling lets expect."""
    walk = walked(PUSH_FOLD, 1_000, 20)
    [number] = [i for i, node in enumerate(walk.nodes) if node == 0]
    found = walk._means(number)[2][:, 2:]
    exact = exact_figures(walk._ranges[0])
    count = int(walk.figures.num_figures[number])
    start = int(walk.figures.product_start[number])
    squares = walk.state.products[start : start + NUM_HAND_CLASSES * count**2].reshape(NUM_HAND_CLASSES, count, count)
    spread = np.sqrt(np.diagonal(squares, axis1=1, axis2=2)[:, 2:] / walk.boards - found**2) / np.sqrt(walk.boards)
    off = (found - exact) / np.where(spread > 0, spread, 1)
    assert np.abs(off).max() < 6
    assert 0.5 < np.sqrt((off**2).mean()) < 1.5


@pytest.mark.parametrize(
    ("menu", "stack"), [(TINY, 600), pytest.param(TINY, 20_000, marks=pytest.mark.slow), (PUSH_FOLD, 500)]
)
def test_losses_add_up_to_a_direct_match(menu: BlueprintMenu, stack: int) -> None:
    walk = walked(menu, stack, 2)
    _, block = drawn(menu, stack)
    found = {name: check_values(walk, block, CARDS, play) for name, play in preflop_plays(walk).items()}
    assert len({round(check.direct) for check in found.values()}) > 2
    for name, check in found.items():
        assert check.by_losses == pytest.approx(check.direct, abs=0.01), name


def exact_values(tree: BettingTree, block: Callable[[int], Floats]) -> dict[int, Floats]:
    """Returns the EV of every action in chips from the decision on, where hands are checked down after the flop."""
    pairs, margins = class_pairs().astype(np.float64), 2 * class_equities() - 1
    found: dict[int, Floats] = {}

    def walk(node: int, me: int, theirs: Floats) -> Floats:
        """Returns chips won, times the opponent's hands that each class meets."""
        kind = tree.kind[node]
        if kind == NodeKind.FOLD:
            lost = float(tree.committed[node, tree.player[node]])
            return np.asarray((-lost if tree.player[node] == me else lost) * (pairs @ theirs))
        if kind in (NodeKind.SHOWDOWN, NodeKind.DEAL):
            return np.asarray(float(tree.committed[node].min()) * ((pairs * margins) @ theirs))
        rows, children = block(node), list(tree.children(node))
        if tree.player[node] != me:
            return np.asarray(sum(walk(child, me, theirs * rows[:, i]) for i, child in enumerate(children)))
        values = np.stack([walk(child, me, theirs) for child in children], axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            found[node] = values / (pairs @ theirs)[:, None] + float(tree.committed[node, me])
        return np.asarray((values * rows).sum(axis=1))

    for player in (0, 1):
        walk(0, player, np.ones(NUM_HAND_CLASSES))
    return found


@pytest.mark.parametrize(("menu", "stack"), [(PUSH_FOLD, 500), (preflop_menu(), 1_000)])
def test_values_are_exact_where_a_raise_is_folded_to_or_called(menu: BlueprintMenu, stack: int) -> None:
    tree, block = drawn(menu, stack)
    exact = exact_values(tree, block)
    for values in walked(menu, stack, 4).values():
        scale = np.abs(exact[values.node]).max()
        np.testing.assert_allclose(values.mean, exact[values.node], atol=1e-4 * scale)
        np.testing.assert_allclose(values.halves, [exact[values.node]] * 2, atol=1e-4 * scale)
        assert values.error_to_best.max() < 1e-4 * scale


def test_values_are_right_within_their_errors() -> None:
    """Raises that may be raised again, and no bets after the flop: the exact values are known."""
    menu = preflop_menu(pot_raises=2)
    tree, block = drawn(menu, 20_000)
    exact = exact_values(tree, block)
    off = []
    for values in walked(menu, 20_000, 6).values():
        best = values.mean.argmax(axis=1)[:, None]
        losses = [np.take_along_axis(each, best, 1) - each for each in (values.mean, exact[values.node])]
        mixed = [each - (block(values.node) * each).sum(axis=1)[:, None] for each in (values.mean, exact[values.node])]
        for (found, known), error in ((losses, values.error_to_best), (mixed, values.error_to_mixed)):
            off.append(((found - known) / np.where(error > 0.1, error, np.inf)).ravel())
    ratios = np.concatenate(off)
    assert 0.8 < np.sqrt((ratios[ratios != 0] ** 2).mean()) < 1.25
    assert np.abs(ratios).max() < 7


def test_errors_are_as_large_as_the_differences_between_two_samples() -> None:
    first, second = (walked(TINY, 2_000, 6, seed).values() for seed in (1, 2))
    off = []
    for one, other in zip(first, second, strict=True):
        best = one.mean.argmax(axis=1)[:, None]
        same = best == other.mean.argmax(axis=1)[:, None]
        losses = [np.take_along_axis(each.mean, best, 1) - each.mean for each in (one, other)]
        error = np.hypot(one.error_to_best, other.error_to_best)
        off.append(
            ((losses[0] - losses[1]) / np.where(error > 1e-3, error, np.inf))[np.broadcast_to(same, error.shape)]
        )
    ratios = np.concatenate(off)
    assert 0.8 < np.sqrt((ratios[ratios != 0] ** 2).mean()) < 1.25


@pytest.mark.slow
def test_the_known_figures_make_the_errors_smaller() -> None:
    walk = walked(TINY, 20_000, 6)
    values = next(found for found in walk.values() if found.node == 0)
    assert values.halves[:, HAND_CLASS_NAMES.index("AA")][:, 0] == pytest.approx(0, abs=0.02)  # a fold
    number = walk.nodes.index(0)
    plain = walk.raw_values(number) / exact_figures(walk._ranges[0])[:, :1] * 1_000 + 50
    assert np.abs(plain[:, 0]).mean() > 0.5  # without them even a fold has an error, because of the blocked hands


def test_values_need_hand_classes_and_boards() -> None:
    with pytest.raises(InputError, match="at least 100 boards"):
        walked(PUSH_FOLD, 500, 0).values()
