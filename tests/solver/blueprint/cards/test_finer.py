"""Parts of buckets: every part belongs to its bucket, and responses over parts find what buckets lose."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgehog.poker.cards import parse_cards
from hedgehog.poker.isomorphism import NUM_BOARD_CLASSES
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.cards import card_tables, finer
from hedgehog.solver.blueprint.cards._abstraction_kernels import BLOCKED, largest_value, river_buckets_kernel
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.cards.card_config import CardConfig
from hedgehog.solver.blueprint.cards.card_tables import abstraction_tables
from hedgehog.solver.blueprint.cards.finer import FinerBuckets, finer_buckets, most_parts
from hedgehog.solver.blueprint.exploit import respond
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.strategies.bet_menus import BlueprintMenu
from tests.solver.blueprint_fixtures import made_up_abstraction

ROWS = 12
BOARDS = ["QhJh2c7d5s", "AsAdAhAc2d", "9h8h7h6h2s"]
RIVER_BETS = BlueprintMenu(
    opens=(), isolations=(), reraises=((),), bets=((), (), (1.0,)), raises=(((),), ((),), ((),)), caps=(1, 1, 1, 1)
)


@pytest.fixture(autouse=True)
def small_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random run-outs, few boards in the sample, and parts on the first boards of each street only."""

    def first_rows(_threads: int, kernel: Callable[..., None], table: np.ndarray, *arguments: Any) -> None:
        table[:] = BLOCKED
        kernel(table, *arguments, 0, ROWS)

    def made_up_bins(num_bins: int, _threads: int) -> np.ndarray:
        shape = (NUM_BOARD_CLASSES[5], 1326)
        return np.random.default_rng(num_bins).integers(0, num_bins, size=shape, dtype=np.uint8)

    monkeypatch.setattr(finer, "over_parts", first_rows)
    monkeypatch.setattr(finer, "river_bins", made_up_bins)
    monkeypatch.setattr(finer, "SAMPLE_BOARDS", {3: 4, 4: 20, 5: 20})


def of_river(features: str) -> CardAbstraction:
    """Made-up flops and turns with river buckets of a kind."""
    made_up = made_up_abstraction()
    if features == "equity":
        return made_up
    config = CardConfig(20, 30, 40, river_features=features)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(card_tables, "SAMPLE_SIZE", 2_000)
        patch.setattr(card_tables, "SAMPLE_BOARDS", {5: 200})
        patch.setattr(card_tables, "HISTOGRAM_BOARDS", 50)
        river = card_tables._build_river(config, lambda _: None)
    boards = np.concatenate([made_up.tables.flop, made_up.tables.turn])
    return CardAbstraction(config, abstraction_tables(config, boards, river), f"made up {features}")


@pytest.mark.parametrize(
    "features", [*(pytest.param(one, marks=pytest.mark.slow) for one in ("equity", "ochs")), "blockers"]
)
def test_a_part_belongs_to_its_bucket(tmp_path: Path, features: str) -> None:
    coarse = of_river(features)
    fine = finer_buckets(coarse, 3, folder=tmp_path, threads=1)
    assert fine.bucket_counts == (169, 60, 90, 120)
    for parts, buckets in ((fine.tables.flop, coarse.tables.flop), (fine.tables.turn, coarse.tables.turn)):
        held = buckets[:ROWS] != largest_value(buckets)
        assert (parts[:ROWS][~held] == BLOCKED).all()
        assert (parts[:ROWS][held] // 3 == buckets[:ROWS][held]).all()
        assert len(np.unique(parts[:ROWS][held] % 3)) == 3
    seen = set()
    for text in BOARDS:
        board = np.array(parse_cards(text), dtype=np.uint8)
        parts, buckets = np.empty(1326, np.uint16), np.empty(1326, np.uint16)
        river_buckets_kernel(parts, board, fine.tables)
        river_buckets_kernel(buckets, board, coarse.tables)
        held = buckets != BLOCKED
        assert (parts[~held] == BLOCKED).all()
        assert (parts[held] // 3 == buckets[held]).all()
        seen |= set(np.unique(parts[held] % 3).tolist())
    assert seen == {0, 1, 2}


def test_parts_are_kept_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = finer_buckets(made_up_abstraction(), 2, folder=tmp_path, threads=1)
    monkeypatch.setattr(finer, "over_parts", None)  # nothing is cut again
    again = finer_buckets(made_up_abstraction(), 2, folder=tmp_path, threads=1)
    assert (first.tables.turn == again.tables.turn).all()


@pytest.mark.parametrize("parts", [1, 0, 1639])
def test_numbers_of_parts_out_of_range_are_refused(tmp_path: Path, parts: int) -> None:
    assert most_parts(made_up_abstraction()) == 1638
    with pytest.raises(InputError, match="expected 2 to 1638 parts"):
        finer_buckets(made_up_abstraction(), parts, folder=tmp_path)


def test_a_response_over_parts_finds_what_buckets_lose() -> None:
    """The strategy always calls, and its only river bucket hides from a response over buckets what it holds there."""
    coarse = made_up_abstraction(1, 1, 1)
    tables = coarse.tables._replace(river=card_tables.equity_levels(20))
    # One part before the river is enough: the made-up parts of flop and turn are all the first of twenty.
    flop, turn = (np.where(table == 255, BLOCKED, 0).astype(np.uint16) for table in (tables.flop, tables.turn))
    for table in (flop, turn):
        table.flags.writeable = False
    fine = FinerBuckets(20, tables._replace(flop=flop, turn=turn), (169, 20, 20, 20))
    tree = build_blueprint_tree(RIVER_BETS, stack=2_000)

    def always_call(node: int) -> np.ndarray:
        rows = np.zeros((coarse.bucket_counts[tree.street[node]], tree.num_children[node]))
        rows[:, 1 if tree.committed[node, 0] != tree.committed[node, 1] else 0] = 1
        return rows

    won = [respond(tree, always_call, buckets, [600], fresh=600)[0].exploitability for buckets in (coarse, fine)]
    assert won[1].mbb_per_hand - won[0].mbb_per_hand > 4 * (won[0].standard_error + won[1].standard_error)
