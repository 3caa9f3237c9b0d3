"""Limit packs on disk: what is written is read back, and parts that do not fit together are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgehog.runtime.errors import PackError
from hedgehog.strategies.limit_pack import find_limit_pack, limit_offsets, pack_tree, read_limit_pack
from hedgehog.strategies.manifest import read_manifest
from hedgehog.strategies.pack import open_pack, write_pack
from tests.agent.limit_pack_fixtures import THREE, TWO, write_random_limit_pack
from tests.solver.blueprint_fixtures import made_up_abstraction


@pytest.mark.parametrize("gamedef", [TWO, THREE], ids=["two players", "three players"])
def test_round_trip(tmp_path: Path, gamedef: Any) -> None:
    table = write_random_limit_pack(tmp_path / "pack", gamedef, made_up_abstraction())
    found = read_limit_pack(find_limit_pack(str(tmp_path), gamedef.num_players))
    assert found.tree.gamedef == gamedef
    with pytest.raises(PackError, match="there is no limit pack for 5 players"):
        find_limit_pack(tmp_path, 5)
    assert found.buckets == (169, 20, 30, 40)
    assert (found.rows == table.rows).all()
    assert (found.reached == table.reached).all()
    for node in range(0, found.tree.num_decisions, 97):
        assert (found.block(node) == table.block(node)).all()


def test_rows_that_do_not_sum_to_one_are_refused(tmp_path: Path) -> None:
    write_random_limit_pack(tmp_path / "pack", TWO, made_up_abstraction())
    pack = open_pack(tmp_path / "pack")
    rows = np.array(pack.arrays["limit_rows"])
    rows[[0, 600_000]] ^= 1
    arrays = {**pack.arrays, "limit_rows": rows}
    write_pack(tmp_path / "other", pack.manifest, arrays)
    with pytest.raises(PackError, match="limit_rows: 2 strategy rows do not sum to one"):
        read_limit_pack(open_pack(tmp_path / "other"))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (lambda manifest, arrays: (manifest, {**arrays, "limit_rows": arrays["limit_rows"][:-1]}), "the game needs"),
        (lambda manifest, arrays: (manifest, {**arrays, "limit_reached": arrays["limit_reached"][1:]}), "one bit"),
        (lambda manifest, arrays: (manifest.model_copy(update={"kind": "blueprint"}), arrays), "expected a limit"),
        (lambda manifest, arrays: (manifest.model_copy(update={"config": {}}), arrays), "expected four counts"),
        (lambda manifest, arrays: (manifest.model_copy(update={"gamedef": "GAMEDEF\n"}), arrays), "no limit strategy"),
    ],
)
def test_parts_that_do_not_fit_are_refused(
    tmp_path: Path, changed: Callable[[Any, dict[str, Any]], tuple[Any, dict[str, Any]]], message: str
) -> None:
    write_random_limit_pack(tmp_path / "pack", TWO, made_up_abstraction())
    pack = open_pack(tmp_path / "pack")
    manifest, arrays = changed(pack.manifest, dict(pack.arrays))
    write_pack(tmp_path / "other", manifest, arrays)
    with pytest.raises(PackError, match=message):
        read_limit_pack(open_pack(tmp_path / "other"))


def test_blocks_fill_the_rows_without_gaps() -> None:
    tree = pack_tree(TWO)
    offsets, first_rows, size = limit_offsets(tree, (169, 200, 200, 200))
    assert (size, int(first_rows[-1])) == (3_315_949, 1_275_352)  # probabilities and infosets of the two-player game
    sizes = np.diff([*offsets, size])
    assert sizes.tolist() == (np.diff(first_rows) * tree.num_actions[: tree.num_decisions]).tolist()


def test_the_kind_is_recorded(tmp_path: Path) -> None:
    write_random_limit_pack(tmp_path / "pack", TWO, made_up_abstraction())
    assert read_manifest(tmp_path / "pack").kind == "limit-blueprint"
