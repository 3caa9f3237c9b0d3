"""The external-sampling trainer: its deals and buckets, known equilibria, and the same files as the other trainer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hedgehog.poker.cards import combo_index
from hedgehog.poker.evaluation.equity import class_equities
from hedgehog.poker.evaluation.evaluator import rank_hand
from hedgehog.poker.hand_classes import HAND_CLASS_NAMES, HAND_CLASS_SIZES
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint._external_sampling_kernels import deal_buckets_kernel
from hedgehog.solver.blueprint.cards._river_kernels import deal_kernel
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.external_sampling import allocate_sampled_scratch, sampled_tree
from hedgehog.solver.blueprint.program import compile_tree
from hedgehog.solver.blueprint.table import Blueprint
from hedgehog.solver.blueprint.trainer import TrainingFiles
from hedgehog.solver.blueprint.training import TrainingConfig, train_blueprint
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.strategies.bet_menus import BlueprintMenu
from tests.reference.preflop_games import best_response_bracket
from tests.solver.blueprint_fixtures import PUSH_FOLD, TINY, made_up_abstraction, of_checkpoint


@pytest.fixture(scope="module")
def abstraction() -> CardAbstraction:
    return made_up_abstraction()


def test_deals_have_the_buckets_of_the_abstraction(abstraction: CardAbstraction) -> None:
    tree = build_blueprint_tree(TINY)
    sampled = sampled_tree(tree, compile_tree(tree, abstraction.bucket_counts))
    scratch = allocate_sampled_scratch(sampled)
    rng_state = np.array([3], dtype=np.uint64)
    for _ in range(40):
        deal_kernel(scratch.cards, rng_state)
        cards = [int(card) for card in scratch.cards]
        assert len(set(cards)) == 9
        deal_buckets_kernel(scratch, sampled, abstraction.tables)
        hands = (cards[5:7], cards[7:9])
        ranks = [rank_hand([*cards[:5], *hand]) for hand in hands]
        better = np.sign(ranks[0] - ranks[1])
        assert scratch.shares[1:].tolist() == [[1, 0], [0, 1], [(1 + better) / 2, (1 - better) / 2]]
        for player, (first, second) in enumerate(hands):
            for street, known in enumerate((0, 3, 4, 5)):
                expected = abstraction.buckets(street, cards[:known])[combo_index(first, second)]
                assert scratch.buckets[player, street] == expected


@pytest.mark.slow
def test_push_fold_at_ten_big_blinds(abstraction: CardAbstraction) -> None:
    result = train_blueprint(
        TrainingConfig(PUSH_FOLD, iterations=1_000_000, stack=1_000, algorithm="external"), abstraction
    )
    jam = float(HAND_CLASS_SIZES @ result.block(0)[:, 1] / HAND_CLASS_SIZES.sum())
    call = float(HAND_CLASS_SIZES @ result.block(result.tree.children(0)[1])[:, 1] / HAND_CLASS_SIZES.sum())
    # Exactly 58.3 % and 37.4 % (test_preflop_games); sampled hands leave some noise.
    assert jam == pytest.approx(0.583, abs=0.03)
    assert call == pytest.approx(0.374, abs=0.03)
    jams = dict(zip(HAND_CLASS_NAMES, result.block(0)[:, 1], strict=True))
    assert min(jams["AA"], jams["88"], jams["AKo"], jams["A9o"]) > 0.98
    assert max(jams["72o"], jams["32o"]) < 0.05


@pytest.mark.slow
@pytest.mark.parametrize(("limp", "value"), [(False, -45.37), (True, -25.67)], ids=["push/fold", "limp or jam"])
def test_values_of_preflop_games(abstraction: CardAbstraction, limp: bool, value: float) -> None:
    menu = BlueprintMenu(
        opens=(),
        isolations=(),
        reraises=((),),
        bets=((), (), ()),
        raises=(((),), ((),), ((),)),
        caps=(1, 0, 0, 0),
        limp=limp,
    )
    result = train_blueprint(TrainingConfig(menu, iterations=4_000_000, stack=1_000, algorithm="external"), abstraction)
    low, high = best_response_bracket(
        result.tree, class_equities(), {node: result.block(node) for node in preflop_decisions(result)}
    )
    assert low < value < high
    assert high - low < 10.0


def preflop_decisions(blueprint: Blueprint) -> list[int]:
    return [int(n) for n in np.flatnonzero((blueprint.tree.street == 0) & (blueprint.offsets >= 0))]


def test_deterministic_resumable_and_downstream(abstraction: CardAbstraction, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint.npz"
    straight = train_blueprint(TrainingConfig(TINY, iterations=40_000, algorithm="external"), abstraction)
    train_blueprint(
        TrainingConfig(TINY, iterations=20_000, algorithm="external"), abstraction, TrainingFiles(checkpoint)
    )
    resumed = train_blueprint(
        TrainingConfig(TINY, iterations=40_000, algorithm="external"), abstraction, TrainingFiles(checkpoint)
    )
    assert (resumed.rows == straight.rows).all()
    config = TrainingConfig(TINY, iterations=40_000, algorithm="external")
    assert (of_checkpoint(checkpoint, config, abstraction).rows == straight.rows).all()
    assert straight.training["algorithm"] == "external"
    assert straight.block(0).sum(axis=1) == pytest.approx(np.ones(169), abs=1e-5)
    with pytest.raises(InputError, match="another training: algorithm is 'external', expected 'pcs'"):
        train_blueprint(TrainingConfig(TINY, iterations=40), abstraction, TrainingFiles(checkpoint))
    both = train_blueprint(TrainingConfig(TINY, iterations=40_000, algorithm="external", threads=2), abstraction)
    shares = [HAND_CLASS_SIZES @ b.block(0) / HAND_CLASS_SIZES.sum() for b in (both, straight)]
    assert shares[0] == pytest.approx(shares[1], abs=0.15)


def test_unknown_algorithm_is_refused(abstraction: CardAbstraction) -> None:
    with pytest.raises(InputError, match="unknown algorithm 'magic', expected pcs or external"):
        train_blueprint(TrainingConfig(TINY, iterations=20, algorithm="magic"), abstraction)
