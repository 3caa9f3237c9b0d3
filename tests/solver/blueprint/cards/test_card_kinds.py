"""Kinds of turn and river buckets: features against brute force, tables of 16 bits, names and digests."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hedgehog.poker._isomorphism_kernels import board_index_kernel
from hedgehog.poker.cards import COMBO_CARDS, combo_mask, parse_cards, parse_combo
from hedgehog.poker.evaluation.evaluator import evaluator_tables, rank_combos
from hedgehog.poker.hand_classes import HAND_CLASS
from hedgehog.poker.isomorphism import BINOMIALS, COMBO_PERMUTATIONS, board_classes, permute_cards
from hedgehog.solver.blueprint.cards import card_tables
from hedgehog.solver.blueprint.cards._abstraction_kernels import features_kernel, river_bins_kernel
from hedgehog.solver.blueprint.cards._river_kernels import (
    BLOCKER_SCALE,
    NUM_GROUPS,
    RIVER_SCALE,
    RiverBuckets,
    river_features_kernel,
    sort_combos_kernel,
)
from hedgehog.solver.blueprint.cards.card_abstraction import BLOCKED, CardAbstraction
from hedgehog.solver.blueprint.cards.card_config import CardConfig, parse_card_config
from hedgehog.solver.blueprint.cards.card_tables import abstraction_tables, equity_levels
from tests.solver.blueprint_fixtures import made_up_abstraction

BOARDS = ["QhJh2c7d5s", "AsAdAhAc2d", "9h8h7h6h2s", "TsJsQsKsAs"]


@pytest.fixture(scope="module", params=["ochs", "blockers"])
def abstraction(request: pytest.FixtureRequest) -> CardAbstraction:
    """Made-up flops and turns with real river buckets of a small sample."""
    made_up = made_up_abstraction(turn=300)
    config = CardConfig(20, 300, 50, river_features=request.param)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(card_tables, "SAMPLE_SIZE", 4_000)
        patch.setattr(card_tables, "SAMPLE_BOARDS", {5: 400})
        patch.setattr(card_tables, "HISTOGRAM_BOARDS", 100)
        river = card_tables._build_river(config, lambda _: None)
        assert (card_tables._build_river(config, lambda _: None) == river).all()
    boards = np.concatenate([made_up.tables.flop, made_up.tables.turn])
    return CardAbstraction(config, abstraction_tables(config, boards, river), "made up")


def features_of(board: list[int], river: RiverBuckets) -> np.ndarray:
    order, counts, features = np.empty(1326, np.int32), np.empty(7_464, np.int32), np.zeros((1326, 9), np.int32)
    ranks = rank_combos(board).astype(np.int32)
    number = sort_combos_kernel(order, counts, ranks)
    river_features_kernel(features, order, ranks, COMBO_CARDS, number, river)
    return features


def strength_groups(ranks: np.ndarray) -> np.ndarray:
    """The group of every combo on the board, from the number of better hands."""
    live = ranks > 0
    count = np.count_nonzero(live)
    better = np.array([np.count_nonzero(ranks[live] > rank) for rank in ranks])
    bounds = [count >> shift for shift in (6, 5, 4, 3, 2, 1)]
    groups = np.searchsorted(bounds, better, side="right")
    return np.where(4 * better >= 3 * count, 7, groups)


@pytest.mark.parametrize("text", BOARDS)
def test_river_features(abstraction: CardAbstraction, text: str) -> None:
    board = parse_cards(text)
    ranks = rank_combos(board).astype(np.int64)
    ochs = abstraction.config.river_features == "ochs"
    groups = abstraction.tables.river.groups if ochs else strength_groups(ranks)
    features = features_of(board, abstraction.tables.river)
    for combo in np.flatnonzero(combo_mask(board))[::53]:
        others = combo_mask([*board, *COMBO_CARDS[combo].tolist()])
        points = 2 * (ranks < ranks[combo]) + (ranks == ranks[combo])
        assert features[combo, 0] == points[others].sum() * RIVER_SCALE // (2 * 990)
        for group in range(NUM_GROUPS):
            of_group = others & (groups == group)
            number = np.count_nonzero(of_group)
            if ochs:
                expected = points[of_group].sum() * RIVER_SCALE // (2 * max(number, 1))
            else:
                expected = number * BLOCKER_SCALE // 990
            assert features[combo, 1 + group] == expected


def test_groups_of_hole_cards_are_classes_by_strength(abstraction: CardAbstraction) -> None:
    groups = abstraction.tables.river.groups
    assert set(groups.tolist()) == set(range(NUM_GROUPS))
    assert all(len(np.unique(groups[hand_class == HAND_CLASS])) == 1 for hand_class in range(169))
    strong, weak = groups[parse_combo("AsAh")], groups[parse_combo("3s2h")]
    assert (strong, weak) == (NUM_GROUPS - 1, 0)


def test_blockers_part_hands_of_equal_equity() -> None:
    """On a board with three hearts, the ace of hearts leaves the opponent fewer flushes than the ace of spades."""
    river = equity_levels(10)._replace(kind=2)
    board = parse_cards("KhJh2h7c5s")
    features = features_of(board, river)
    with_heart, without = features[parse_combo("AhQc")], features[parse_combo("AsQc")]
    assert abs(int(with_heart[0]) - int(without[0])) < RIVER_SCALE // 20
    assert with_heart[1:4].sum() < 0.9 * without[1:4].sum()


@pytest.mark.parametrize("text", BOARDS)
def test_suits_and_single_combos(abstraction: CardAbstraction, text: str) -> None:
    board = parse_cards(text)
    buckets = abstraction.buckets(3, board)
    live = combo_mask(board)
    assert (buckets[~live] == BLOCKED).all()
    assert buckets[live].max() < 50
    for combo in np.flatnonzero(live)[::71].tolist():
        assert abstraction.bucket(3, board, combo) == buckets[combo]
    for permutation in (5, 17):
        relabelled = abstraction.buckets(3, permute_cards(board, permutation))
        assert (relabelled[COMBO_PERMUTATIONS[permutation]] == buckets).all()


def test_buckets_rise_with_the_equity(abstraction: CardAbstraction) -> None:
    centres = abstraction.tables.river.centres
    assert (np.diff(centres.points[np.argsort(centres.numbers), 0]) >= 0).all()


def test_turn_tables_of_sixteen_bits() -> None:
    abstraction = made_up_abstraction(turn=300)
    assert abstraction.tables.turn.dtype == np.uint16
    board = parse_cards("QhJh2c7d")
    for street in (1, 2):
        buckets = abstraction.buckets(street, board[: street + 2])
        live = combo_mask(board[: street + 2])
        assert (buckets[~live] == BLOCKED).all()
        assert buckets[live].max() < abstraction.bucket_counts[street]
        for combo in np.flatnonzero(live)[::97].tolist():
            assert abstraction.bucket(street, board[: street + 2], combo) == buckets[combo]
    assert abstraction.buckets(2, board).max(where=combo_mask(board), initial=0) > 255


def test_potential_features_are_quantiles_of_the_cubed_equity() -> None:
    """On a turn, against the equities of all rivers by brute force."""
    board = parse_cards("QhJh2c7d")
    classes = board_classes(5)
    bins = np.full((len(classes.representatives), 1326), 255, dtype=np.uint8)
    rivers = [card for card in range(52) if card not in board]
    for river in rivers:
        index = board_index_kernel(np.array([*board, river], dtype=np.uint8), BINOMIALS)
        number = int(classes.class_of[index])
        arguments = (classes.representatives, 250, COMBO_CARDS, evaluator_tables(), number, number + 1)
        river_bins_kernel(bins, *arguments)
    features = np.empty((1326, 23), dtype=np.int32)
    scratch = np.empty((1326, 251), dtype=np.int32)
    features_kernel(features, scratch, np.array(board, dtype=np.uint8), bins, classes, COMBO_PERMUTATIONS, BINOMIALS)
    levels = made_up_abstraction(river=250)
    reached = np.array([levels.buckets(3, [*board, river]) for river in rivers])
    for hand in ("AhKh", "QsQd", "Ts9s", "7s4d", "3s3c"):
        combo = parse_combo(hand)
        of_hand = np.sort(reached[reached[:, combo] != BLOCKED, combo].astype(np.int64))
        assert len(of_hand) == 46  # 23 quantiles: the middle of each 23rd is the first of two
        assert features[combo].tolist() == (4096 * (2 * of_hand[::2] + 1) ** 3 // 500**3).tolist()


def test_features_that_are_default_are_not_written() -> None:
    """Packs and checkpoints from before the choice stay valid."""
    assert CardConfig(turn=250).to_dict() == {"flop": 200, "turn": 250, "river": 200, "seed": 1}
    chosen = CardConfig(turn=1_000, turn_features="potential", river_features="ochs")
    assert parse_card_config(chosen.to_dict()) == chosen


def test_both_files_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_up = made_up_abstraction(20, 250)
    built: list[str] = []

    def boards(config: CardConfig, say: object, threads: int) -> np.ndarray:
        built.append("boards")
        return np.concatenate([made_up.tables.flop, made_up.tables.turn])

    def river(config: CardConfig, say: object) -> np.ndarray:
        built.append("river")
        return np.arange(169 + config.river * 9, dtype=np.int32)

    monkeypatch.setattr(card_tables, "SHIPPED", tmp_path)
    monkeypatch.setattr(card_tables, "_build", boards)
    monkeypatch.setattr(card_tables, "_build_river", river)
    plain = CardAbstraction.load_or_build(CardConfig(), folder=tmp_path)
    digests = {plain.digest}
    for features in ("ochs", "blockers", "ochs"):
        digests.add(CardAbstraction.load_or_build(CardConfig(river_features=features), folder=tmp_path).digest)
    # Equal centres, but the kinds have files of their own; the boards are shared.
    assert built == ["boards", "river", "river"]
    assert len(digests) == 2
    assert len(list(tmp_path.glob("*.npy"))) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("config", "digest"),
    [
        (CardConfig(), "a7af4c57ef69c9fee057180a5fc2a892"),
        (CardConfig(turn=1_000, turn_features="potential"), "75b3c06a5ecd6b1ee02f58381b9b01d8"),
        (CardConfig(river=1_000, river_features="ochs"), "856f279dc675398a2aca27cb509e55e5"),
        (CardConfig(river=1_000, river_features="blockers"), "ebbd58a973fcab74c3f9089ef34fa525"),
    ],
)
def test_tables_are_the_same_on_every_machine(
    config: CardConfig, digest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(card_tables, "SHIPPED", tmp_path)  # what is shipped is not built
    assert CardAbstraction.load_or_build(config, folder=tmp_path).digest == digest
