"""Strategy packs as they show themselves in a notebook."""

from __future__ import annotations

import math

import numpy as np

from hedgehog.poker.hand_classes import HAND_CLASS_NAMES
from hedgehog.strategies.blueprint_pack import read_blueprint
from hedgehog.strategies.pack import default_packs, open_pack
from tests.shown import check_shown


def test_a_pack_shows_its_manifest() -> None:
    pack = open_pack(default_packs() / "blueprint-5bb")
    tags, text = check_shown(pack)
    assert tags.count("table") == 1
    assert "config.training.iterations" in text
    assert repr(pack).startswith("<StrategyPack: blueprint-5bb, blueprint, 3 arrays, ")
    assert repr(pack.manifest).startswith("<PackManifest: blueprint-5bb, blueprint, 3 arrays, ")
    check_shown(pack.manifest, frames=False)
    [row] = pack.table().records()
    assert row["bytes"] == sum(array.nbytes for array in pack.arrays.values())
    assert row["config.training.iterations"] == pack.manifest.config["training"]["iterations"]
    assert [row[f"config.buckets.{street}"] for street in range(4)] == list(pack.street_buckets())
    axes = pack.plot()
    sizes = [bar.get_width() for bar in axes.patches]
    assert math.isclose(sum(sizes), sum(array.nbytes for array in pack.arrays.values()) / 1e6)


def test_a_blueprint_shows_its_first_decision() -> None:
    blueprint = read_blueprint(open_pack(default_packs() / "blueprint"))
    assert repr(blueprint) == "<BlueprintTable: default-blueprint, 25,915 nodes, buckets 169/200/1000/900>"
    tags, text = check_shown(blueprint)
    assert tags.count("svg") == 2
    assert "r250" in text
    [row] = [one for one in blueprint.table().records() if one["hand"] == "AKo"]
    shares = blueprint.block(0)[HAND_CLASS_NAMES.index("AKo")] / 255
    assert np.allclose([float(row[action] or 0) for action in ("f", "c", "r250", "r700", "r20000")], shares)
    assert blueprint.hand_strategy().styles == ("fold", "call", "raise", "large", "jam")


def test_data_of_a_manifest_is_escaped() -> None:
    manifest = open_pack(default_packs() / "blueprint-5bb").manifest
    odd = manifest.model_copy(update={"config": {"<b>key": "<i>value</i>"}, "quality": {}})
    tags, text = check_shown(odd)
    assert "i" not in tags
    assert tags.count("b") == 1
    assert "config.<b>key" in text
    assert "<i>value</i>" in text
