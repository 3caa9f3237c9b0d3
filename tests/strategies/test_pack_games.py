"""Packs of several stack depths in one folder: which of them is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgehog.analysis.packs.preflop_chart import draw_preflop_chart
from hedgehog.runtime.errors import PackError
from hedgehog.solver.packs.exploit import respond_to_pack
from hedgehog.solver.packs.pack_contents import list_packs
from hedgehog.strategies.manifest import read_manifest
from hedgehog.strategies.pack import default_packs
from hedgehog.strategies.pack_games import depth_of_pack, find_blueprints, pack_of_depth, packs_at
from tests.solver.depth_packs import write_depths


@pytest.fixture(scope="module")
def packs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_depths(tmp_path_factory.mktemp("packs"), 10, 33.5, 150, 300)


def test_a_pack_is_found_by_its_depth(packs: Path) -> None:
    for depth in (10, 33.5, 150, 300):
        assert pack_of_depth(packs, "blueprint", depth) == packs / f"{depth:g}bb"
        assert packs_at(packs, depth) == [packs / f"{depth:g}bb"]
        assert depth_of_pack(read_manifest(packs / f"{depth:g}bb")) == depth
    assert [game.depth for game in find_blueprints(packs)] == [10, 33.5, 150, 300]


def test_without_a_depth_the_nearest_to_the_default_game_is_meant(packs: Path) -> None:
    assert pack_of_depth(packs, "blueprint") == packs / "150bb"  # 200/150 is less than 300/200
    assert pack_of_depth(packs / "10bb", "blueprint") == packs / "10bb"
    assert pack_of_depth(default_packs(), "flops") == default_packs() / "quick-flops"
    assert len(packs_at(packs)) == 4


def test_a_depth_that_is_not_there_is_refused_with_those_that_are(packs: Path) -> None:
    with pytest.raises(PackError, match=r"no blueprint pack for 20 big blinds, only for 10, 33\.5, 150, 300"):
        pack_of_depth(packs, "blueprint", 20)
    with pytest.raises(PackError, match=r"no pack for 20 big blinds, only for 10, 33\.5, 150, 300"):
        packs_at(packs, 20)
    with pytest.raises(PackError, match="for 20 big blinds, only for 10"):
        pack_of_depth(packs / "10bb", "blueprint", 20)
    with pytest.raises(PackError, match="no flop pack of a stack depth"):
        pack_of_depth(packs, "flops")
    with pytest.raises(PackError, match="no blueprint pack of a stack depth"):
        pack_of_depth(default_packs() / "limit-2p", "blueprint", 20)


def test_several_flop_packs_of_a_depth_must_be_named(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).symlink_to(default_packs() / "quick-flops")
    with pytest.raises(PackError, match="2 flop packs for 200 big blinds"):
        pack_of_depth(tmp_path, "flops", 200)
    assert pack_of_depth(tmp_path / "a", "flops", 200) == tmp_path / "a"


def test_lists_charts_and_responses_are_of_the_depth(packs: Path) -> None:
    listed = list_packs(packs).records()
    assert {Path(str(row["folder"])).name: row["depth_bb"] for row in listed} == {
        "10bb": 10,
        "33.5bb": 33.5,
        "150bb": 150,
        "300bb": 300,
    }
    assert [row["depth_bb"] for row in list_packs(default_packs() / "limit-2p").records()] == [None]
    assert "Before the flop, 33.5 big blinds: 33.5bb" in draw_preflop_chart(packs, 33.5)
    assert "Before the flop, 150 big blinds: 150bb" in draw_preflop_chart(packs)
    with pytest.raises(PackError, match="no blueprint pack for 20 big blinds"):
        respond_to_pack(packs, 1, depth=20)
