"""Training of limit strategies: the same game twice described, walks against plain recursion, checkpoints, reach."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.evaluation.evaluator import rank_hand
from hedgehog.poker.limit_betting import NO_CHILD, LimitTree
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint._external_sampling_kernels import (
    CALLS,
    RAISES,
    SampledTree,
    deal_buckets_kernel,
    sampled_walk_kernel,
)
from hedgehog.solver.blueprint.cards._river_kernels import deal_kernel
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.exploit import respond
from hedgehog.solver.blueprint.external_sampling import (
    allocate_sampled_scratch,
    longest_walk,
    sampled_limit_tree,
    sampled_tree,
)
from hedgehog.solver.blueprint.limit_game import decision_nodes, limit_menu, limit_stack
from hedgehog.solver.blueprint.limit_training import (
    LimitTraining,
    bucket_frequencies,
    current_rows,
    limit_trainer,
    train_limit,
)
from hedgehog.solver.blueprint.program import CHIPS_PER_UNIT, compile_tree
from hedgehog.solver.blueprint.trainer import TrainingFiles, read_checkpoint_status, run_training
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.strategies.limit_pack import pack_tree
from tests.reference.preflop_games import best_response_bracket
from tests.solver.blueprint_fixtures import PUSH_FOLD, made_up_abstraction

TWO = load_gamedef("holdem.limit.2p.reverse_blinds")
THREE = load_gamedef("holdem.limit.3p")
BUCKETS = (169, 20, 30, 40)


@pytest.fixture(scope="module")
def abstraction() -> CardAbstraction:
    return made_up_abstraction()


def test_the_menu_of_fixed_sizes_is_the_limit_game() -> None:
    tree = build_blueprint_tree(limit_menu(TWO), (5, 10), limit_stack(TWO))
    limit = pack_tree(TWO)
    nodes = decision_nodes(limit, tree)
    assert sorted(nodes) == np.flatnonzero(tree.kind == 0).tolist()
    by_menu = sampled_tree(tree, compile_tree(tree, BUCKETS))
    by_rules, size = sampled_limit_tree(limit, BUCKETS)
    decisions = limit.num_decisions
    assert np.allclose(by_menu.cost[nodes], by_rules.cost[:decisions])
    assert (by_menu.num_children[nodes] == by_rules.num_children[:decisions]).all()
    assert (tree.player[nodes] == limit.player[:decisions]).all()
    assert size == compile_tree(tree, BUCKETS).table_size
    assert longest_walk(by_menu) == longest_walk(by_rules)
    for name in ("pot", "active"):  # ends of hands, in whatever order
        assert sorted(getattr(by_menu, name)[tree.num_children == 0]) == sorted(getattr(by_rules, name)[decisions:])


def _values(
    tree: LimitTree, node: int, learner: int, choice: NDArray[np.int64], shares: NDArray[np.float32]
) -> tuple[float, dict[int, NDArray[np.float64]]]:
    """Returns by plain recursion what the learner wins from a node on, in chips, and his regrets on the way.

    :param choice: the action that every player takes at each decision, among the legal ones.
    """
    if node >= tree.num_decisions:
        return float(shares[tree.active[node], learner]) * int(tree.pot[node]), {}
    legal = [number for number, child in enumerate(tree.child[node]) if child != NO_CHILD]
    size = tree.gamedef.raise_sizes[tree.street[node]]
    cost = [(0, int(tree.to_call[node]), int(tree.to_call[node]) + size)[number] for number in legal]
    if tree.player[node] != learner:
        return _values(tree, int(tree.child[node, legal[choice[node]]]), learner, choice, shares)
    values = np.zeros(len(legal))
    regrets: dict[int, NDArray[np.float64]] = {}
    for place, number in enumerate(legal):
        value, below = _values(tree, int(tree.child[node, number]), learner, choice, shares)
        values[place] = value - cost[place]
        for other, regret in below.items():
            regrets[other] = regrets.get(other, 0.0) + regret
    chosen = float(values[choice[node]])
    regrets[node] = regrets.get(node, 0.0) + values - chosen
    return chosen, regrets


@pytest.mark.parametrize("gamedef", [TWO, THREE], ids=["two players", "three players"])
def test_walks_of_pure_strategies_add_the_exact_regrets(gamedef: object, abstraction: CardAbstraction) -> None:
    tree = pack_tree(gamedef)  # type: ignore[arg-type]
    sampled, size = sampled_limit_tree(tree, BUCKETS)
    scratch = allocate_sampled_scratch(sampled)
    rng, state = np.random.default_rng(2), np.array([9], dtype=np.uint64)
    # Many folds would end most walks at once.
    choice = np.array([rng.integers(1 if n > 2 else 0, n) for n in tree.num_actions[: tree.num_decisions]])
    regrets = _pure(sampled, size, choice)
    for _ in range(3):
        deal_kernel(scratch.cards, state)
        deal_buckets_kernel(scratch, sampled, abstraction.tables)
        _check_shares(scratch.cards.tolist(), scratch.shares, sampled.num_players)
        for learner in range(sampled.num_players):
            after, sums = regrets.copy(), np.zeros(size, dtype=np.float32)
            sampled_walk_kernel(after, sums, scratch, sampled, learner, 0.0, state)
            _, expected = _values(tree, 0, learner, choice, scratch.shares)
            _check_regrets(after - regrets, expected, sampled, scratch.buckets[learner])
            assert sums.max() >= 1.0 if tree.merged else sums.max() == 1.0  # several lines lead to merged streets


@pytest.mark.parametrize("habit", [RAISES, CALLS])
def test_walks_against_habits(habit: int, abstraction: CardAbstraction) -> None:
    tree = pack_tree(THREE)
    sampled, size = sampled_limit_tree(tree, BUCKETS)
    scratch = allocate_sampled_scratch(sampled)
    rng, state = np.random.default_rng(4), np.array([3], dtype=np.uint64)
    decisions = slice(0, tree.num_decisions)
    own = np.array([rng.integers(0, n) for n in tree.num_actions[decisions]])
    last_legal = tree.num_actions[decisions] - 1
    call = (tree.child[decisions, 0] != NO_CHILD).astype(np.int64)
    regrets = _pure(sampled, size, own)
    for learner in range(3):
        deal_kernel(scratch.cards, state)
        deal_buckets_kernel(scratch, sampled, abstraction.tables)
        scratch.habits[:] = habit
        after, sums = regrets.copy(), np.zeros(size, dtype=np.float32)
        sampled_walk_kernel(after, sums, scratch, sampled, learner, 0.0, state)
        others = last_legal if habit == RAISES else call
        choice = np.where(tree.player[decisions] == learner, own, others)
        _, expected = _values(tree, 0, learner, choice, scratch.shares)
        _check_regrets(after - regrets, expected, sampled, scratch.buckets[learner])
        assert not sums.any()


@pytest.mark.slow
def test_simple_opponents_leave_the_average_of_the_others(abstraction: CardAbstraction) -> None:
    config = LimitTraining(THREE, iterations=8_000, algorithm="external", simple_share=0.5)
    trainer = limit_trainer(config, abstraction)
    run_training(trainer, TrainingFiles(), None, 5.0)
    # Each deal has a walk of every learner, so the others reach the button's first decision twice in it.
    at_root = trainer.sums[trainer.sampled.start[0] :][: 3 * int(trainer.sampled.width[0])].sum()
    assert at_root == pytest.approx(2 * trainer.average_weight(), rel=0.03)
    for bad, gamedef in ((1.0, THREE), (-0.1, THREE), (0.1, TWO)):
        with pytest.raises(InputError, match="simple opponents"):
            LimitTraining(gamedef, iterations=1, algorithm="external", simple_share=bad)


def _pure(sampled: SampledTree, size: int, choice: NDArray[np.int64]) -> NDArray[np.float32]:
    """Returns regrets with which every player takes a given action at each decision, with all hands."""
    regrets = np.zeros(size, dtype=np.float32)
    for node, action in enumerate(choice.tolist()):
        start, width = int(sampled.start[node]), int(sampled.width[node])
        regrets[start + action * width : start + (action + 1) * width] = 1e-6
    return regrets


def _check_regrets(
    added: NDArray[np.float32],
    expected: dict[int, NDArray[np.float64]],
    sampled: SampledTree,
    buckets: NDArray[np.int64],
) -> None:
    """Checks that a walk has added the expected regrets to the rows of a hand, and nothing else."""
    found = added * CHIPS_PER_UNIT
    for node, regret in expected.items():
        at = _place(sampled, node, buckets)
        width = int(sampled.width[node])
        assert found[at : at + len(regret) * width : width] == pytest.approx(regret, abs=0.05)
        found[at : at + len(regret) * width : width] = 0
    assert not found.any()


def _place(sampled: SampledTree, node: int, buckets: NDArray[np.int64]) -> int:
    return int(sampled.start[node] + buckets[sampled.street[node]])


def _check_shares(cards: list[int], shares: NDArray[np.float32], players: int) -> None:
    ranks = [rank_hand([*cards[:5], *cards[5 + 2 * p : 7 + 2 * p]]) for p in range(players)]
    for active in range(1, 1 << players):
        inside = [p for p in range(players) if active >> p & 1]
        best = max(ranks[p] for p in inside)
        winners = [p for p in inside if ranks[p] == best]
        assert shares[active].tolist() == pytest.approx(
            [1 / len(winners) if p in winners else 0.0 for p in range(players)]
        )


@pytest.mark.slow
def test_three_player_training_resumes_to_the_same_rows(abstraction: CardAbstraction, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint.npz"
    config = LimitTraining(THREE, iterations=40_000, algorithm="external")
    straight = train_limit(config, abstraction)
    half = LimitTraining(THREE, iterations=20_000, algorithm="external")
    train_limit(half, abstraction, TrainingFiles(checkpoint))
    assert read_checkpoint_status(checkpoint).iterations == 20_000
    resumed = train_limit(config, abstraction, TrainingFiles(checkpoint))
    assert (resumed.rows == straight.rows).all()
    assert (resumed.reach == straight.reach).all()
    for node in range(0, straight.tree.num_decisions, 501):
        assert straight.block(node).sum(axis=1) == pytest.approx(np.ones(len(straight.block(node))), abs=1e-5)
    other = LimitTraining(THREE, iterations=40_000, algorithm="external", seed=2)
    with pytest.raises(InputError, match="another training: seed is 1, expected 2"):
        train_limit(other, abstraction, TrainingFiles(checkpoint))


@pytest.mark.parametrize("algorithm", ["pcs", "external"])
@pytest.mark.quick_cases("pcs")
def test_the_first_decision_is_reached_always(abstraction: CardAbstraction, algorithm: str) -> None:
    trained = train_limit(LimitTraining(TWO, iterations=20, algorithm=algorithm), abstraction)
    rows = 169
    # The big blind, too, meets every hand after a raise, and each of his hands has reach 1 there.
    assert trained.reach[:rows].mean() > 0.85
    raised = trained.tree.index("r")
    start = 169 * raised
    assert trained.reach[start : start + rows].mean() > (0.85 if algorithm == "pcs" else 0.1)
    assert 0 <= trained.reach.min() <= trained.reach.max() <= 1


def test_rows_without_visits_are_played_by_their_regrets() -> None:
    regrets = np.array([[-1, 3, 1], [-1, -2, 0], [0, 0, 5]], dtype=np.float32)
    assert current_rows(regrets, 1).tolist() == [[0, 0.75, 0.25], [0, 1, 0], [0, 0, 1]]
    assert regrets.tolist() == [[-1, 3, 1], [-1, -2, 0], [0, 0, 5]]


def test_frequencies_of_buckets_sum_to_one(abstraction: CardAbstraction) -> None:
    frequencies = bucket_frequencies(abstraction, boards=20)
    assert [len(street) for street in frequencies] == list(BUCKETS)
    assert [street.sum() for street in frequencies] == pytest.approx([1.0] * 4, abs=0.01)


def test_responses_to_a_push_fold_strategy_win_what_an_exact_response_wins(abstraction: CardAbstraction) -> None:
    from hedgehog.poker.evaluation.equity import class_equities

    tree = build_blueprint_tree(PUSH_FOLD, stack=1_000)
    nodes = [int(node) for node in np.flatnonzero(tree.kind == 0)]
    strategy = {node: np.full((169, int(tree.num_children[node])), 0.5) for node in nodes}
    low, high = best_response_bracket(tree, class_equities(), strategy)
    (early, late) = respond(tree, lambda node: strategy[node], abstraction, [20, 1_500], fresh=1_500)
    assert (early.boards, late.boards) == (20, 1_500)
    found, error = late.exploitability.mbb_per_hand, late.exploitability.standard_error
    exact = (high - low) / 2
    assert 0.9 * exact - 4 * error < found < exact + 4 * error


@pytest.mark.parametrize(
    ("game", "algorithm", "message"),
    [
        ("holdem.nolimit.2p.reverse_blinds", "pcs", "limit hold'em for two or three players"),
        ("kuhn.limit.2p", "external", "limit hold'em for two or three players"),
        ("holdem.limit.3p", "pcs", "external sampling only"),
    ],
)
def test_other_games_and_trainers_are_refused(game: str, algorithm: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        LimitTraining(load_gamedef(game), iterations=1, algorithm=algorithm)


def test_the_trainer_of_two_players_is_that_of_blueprints(abstraction: CardAbstraction) -> None:
    trainer = limit_trainer(LimitTraining(TWO, iterations=1), abstraction)
    assert trainer.identity()["blinds"] == [5, 10]
