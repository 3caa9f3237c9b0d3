"""Tables of preflop values: the format, the blueprint they belong to, and what the shipped ones say."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hedgehog.poker.evaluation.equity import class_equities, class_pairs
from hedgehog.poker.hand_classes import HAND_CLASS_NAMES, HAND_CLASS_SIZES, NUM_HAND_CLASSES
from hedgehog.runtime.errors import PackError
from hedgehog.strategies.betting_tree import ActionKind, betting_token
from hedgehog.strategies.blueprint_pack import BlueprintTable, read_blueprint
from hedgehog.strategies.manifest import read_manifest
from hedgehog.strategies.pack import default_packs, find_packs, open_pack, write_pack
from hedgehog.strategies.preflop_values import (
    KIND,
    PER_BB,
    NodeValues,
    PreflopValues,
    encode_values,
    preflop_decisions,
    preflop_values_beside,
    read_preflop_values,
)

SHIPPED = [folder.name for folder in find_packs(default_packs()) if read_manifest(folder).kind == "blueprint"]


@cache
def blueprint(name: str) -> BlueprintTable:
    return read_blueprint(open_pack(default_packs() / name))


@cache
def shipped(name: str) -> PreflopValues:
    found = preflop_values_beside(default_packs() / name, blueprint(name))
    assert found is not None
    return found


def row(values: NodeValues, hand: str) -> list[float]:
    return [float(ev) for ev in values.ev[HAND_CLASS_NAMES.index(hand)]]


def test_every_shipped_blueprint_has_a_table() -> None:
    tables = [folder for folder in find_packs(default_packs()) if read_manifest(folder).kind == KIND]
    assert len(tables) == len(SHIPPED) > 10
    for folder in tables:
        assert sum(file.stat().st_size for file in folder.iterdir()) < 300_000


@pytest.mark.parametrize("name", SHIPPED)
def test_the_blueprints_own_mix_neither_wins_nor_loses(name: str) -> None:
    found = shipped(name)
    assert list(found.nodes) == preflop_decisions(found.blueprint.tree).tolist()
    for values in found.nodes.values():
        rows = found.blueprint.block(values.node) / 255
        off = (rows * (values.ev - values.mixed[:, None])).sum(axis=1)
        known = ~np.isnan(off)
        assert np.abs(off[known]).max(initial=0) < 1e-3
        assert (known == (values.share > 0)).all()
        if found.blueprint.tree.action[found.blueprint.tree.first_child[values.node]] == ActionKind.FOLD:
            assert np.abs(values.ev[known, 0]).max(initial=0) < 2e-3


def test_the_button_of_200_big_blinds() -> None:
    values = shipped("blueprint").nodes[0]
    losses = {hand: float(values.mixed[HAND_CLASS_NAMES.index(hand)]) for hand in ("AA", "72o", "T9s")}
    assert losses["AA"] == pytest.approx(9.8, abs=0.5)
    assert losses["72o"] == pytest.approx(0, abs=0.001)
    assert losses["T9s"] == pytest.approx(1.4, abs=0.5)
    assert (values.share == 1).all()
    assert float(values.error_to_best.mean()) < 0.06
    # Worth is what the blueprint does: the best action is never far better than its own mix.
    assert (values.best - values.mixed).max() < 0.3
    assert row(values, "AA")[2] > row(values, "KK")[2] > row(values, "QQ")[2] > row(values, "JJ")[2]


@pytest.mark.parametrize("name", ["blueprint-5bb", "blueprint-10bb", "blueprint-20bb", "blueprint"])
def test_all_ins_have_the_exact_value_of_the_strategy_that_answers(name: str) -> None:
    """An open-jam wins the blind of who folds, and a showdown against who calls, counted over all boards."""
    found = shipped(name)
    table = found.blueprint
    tree, jam = table.tree, table.tree.children(0)[-1]
    stack, big_blind = tree.stack, int(tree.committed[0].max())
    assert betting_token(tree, jam) == f"r{stack}"
    calls = table.block(jam)[:, 1] / 255
    pairs, margins = class_pairs().astype(np.float64), 2 * class_equities() - 1
    won = (pairs @ (1 - calls)) * big_blind + (pairs * margins) @ calls * stack
    exact = won / pairs.sum(axis=1) + big_blind / 2
    np.testing.assert_allclose(found.nodes[0].ev[:, -1], exact / big_blind, atol=stack / big_blind * 2e-5 + 1e-3)


def test_five_big_blinds_give_the_button_at_least_what_jam_or_fold_does() -> None:
    """No answers to a jam hold the button below the value of the game in which he may only jam or fold."""
    from hedgehog.arena.jam_tables import holdem_tables
    from hedgehog.gametheory.tournaments.jam_fold import Structure, chip_stage

    value = chip_stage(holdem_tables(), Structure(1_000, 50, 100, step=50), 500).value / 100
    found = shipped("blueprint-5bb").nodes[0]
    jam_or_fold = np.maximum(0, found.ev[:, -1]) @ HAND_CLASS_SIZES / HAND_CLASS_SIZES.sum() - 0.5
    mixed = found.mixed @ HAND_CLASS_SIZES / HAND_CLASS_SIZES.sum() - 0.5
    assert jam_or_fold == pytest.approx(value, abs=0.02)
    assert jam_or_fold > value - 1e-4
    assert mixed > value - 0.01


@settings(max_examples=20)
@given(
    arrays(np.int32, (2, NUM_HAND_CLASSES, 3), elements=st.integers(-3_000_000, 3_000_000)),
    st.lists(st.integers(0, NUM_HAND_CLASSES - 1), max_size=5),
)
def test_what_is_written_is_read(whole: np.ndarray, unknown: list[int]) -> None:
    import lzma

    blocks = [block / PER_BB for block in whole]
    for block in blocks:
        block[unknown] = np.nan
    data = encode_values([blocks] * 4)
    planes = np.frombuffer(lzma.decompress(data.tobytes()), np.uint8).reshape(4, 4, -1)
    numbers = sum(planes[:, byte].astype(np.int64) << 8 * byte for byte in range(4))
    expected = np.concatenate([block.ravel() for block in blocks])
    missing = np.isnan(expected)
    for table in np.where(numbers >= 1 << 31, numbers - (1 << 32), numbers):
        assert (table[~missing] == np.rint(expected[~missing] * PER_BB)).all()
        assert (table[missing] == -(1 << 31)).all()


def test_the_best_action_is_chosen_on_one_half_and_valued_on_the_other() -> None:
    halves = np.zeros((2, NUM_HAND_CLASSES, 2))
    halves[:, 0] = [[3, 1], [2, 5]]  # the halves disagree
    halves[:, 1] = [[3, 1], [5, 2]]
    halves[:, 2] = np.nan
    ev, difference = halves.mean(axis=0), (halves[0] - halves[1]) / 2
    zeros = np.zeros_like(ev)
    values = NodeValues(0, zeros, ev, difference, zeros, zeros, zeros[:, 0])
    assert values.best[:2].tolist() == [(2 + 1) / 2, (3 + 5) / 2]
    assert np.isnan(values.best[2])


def test_a_table_of_another_blueprint_is_refused() -> None:
    pack = open_pack(default_packs() / "preflop-values-5bb")
    with pytest.raises(PackError, match=r"the pack 'blueprint-5bb-values' belongs to another blueprint"):
        read_preflop_values(pack, blueprint("blueprint-7bb"))
    with pytest.raises(PackError, match="expected a pack of preflop values"):
        read_preflop_values(open_pack(default_packs() / "blueprint-5bb"), blueprint("blueprint-5bb"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (np.arange(100, dtype=np.uint8), "values_data is damaged"),
        (encode_values([[np.zeros((NUM_HAND_CLASSES, 2))]] * 4), "does not hold"),
        (encode_values([[np.zeros((NUM_HAND_CLASSES, 90))]] * 4), "does not hold"),
    ],
)
def test_a_damaged_table_is_refused(tmp_path: Path, data: np.ndarray, message: str) -> None:
    source = open_pack(default_packs() / "preflop-values-5bb")
    write_pack(tmp_path / "values", source.manifest, {"values_data": data})
    with pytest.raises(PackError, match=message):
        read_preflop_values(open_pack(tmp_path / "values"), blueprint("blueprint-5bb"))


def test_a_blueprint_alone_has_no_table(tmp_path: Path) -> None:
    (tmp_path / "blueprint").symlink_to(default_packs() / "blueprint-5bb", target_is_directory=True)
    assert preflop_values_beside(tmp_path / "none" / "blueprint", blueprint("blueprint-5bb")) is None
    values = preflop_values_beside(tmp_path / "blueprint", blueprint("blueprint-5bb"))
    assert values is not None  # it lies beside the folder that the link leads to
