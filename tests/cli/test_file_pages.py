"""The pages on spot files and on configurations of packs name every key, with its default."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from hedgehog.solver.blueprint.config import BlueprintPackConfig, read_blueprint_pack_config
from hedgehog.solver.blueprint.family_config import DepthConfig, read_blueprint_family_config
from hedgehog.solver.blueprint.limit_config import LimitPackConfig, read_limit_pack_config
from hedgehog.solver.examples import example_spots
from hedgehog.solver.flops.refine import RefineConfig
from hedgehog.solver.packs.exact_config import FlopPackFile, read_flop_pack_config
from hedgehog.solver.packs.quick_flops import QuickFlopConfig, read_quick_flop_config
from hedgehog.solver.postflop.spot import _SpotFile, parse_spot

DOCS = Path(__file__).parents[2] / "docs"
SPOTS = (DOCS / "spot-files.md").read_text()
PACKS = (DOCS / "pack-configs.md").read_text() + (DOCS / "flop-configs.md").read_text()
REQUIRED = "required"


def section(title: str) -> str:
    return PACKS.split(f"## {title}\n")[1].split("\n## ")[0]


def documented(text: str, head: str) -> dict[str, str]:
    """Returns the defaults by key from the table with the given first column."""
    table = text.split(f"| {head} | default | meaning |\n")[1].split("\n\n", maxsplit=1)[0]
    rows = [line.split(" | ") for line in table.splitlines()[1:]]
    assert all(len(row) == 3 for row in rows)
    return {row[0].removeprefix("| ").strip("`"): row[1] for row in rows}


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from models_in(part)


def keys_of(model: type[BaseModel]) -> dict[str, str]:
    """Returns the defaults of all keys that hold a value, by their dotted path."""
    found = {}
    for name, field in model.model_fields.items():
        inner = list(models_in(field.annotation))
        for one in inner:
            found |= {f"{name}.{key}": default for key, default in keys_of(one).items()}
        if not inner:
            found[name] = (
                REQUIRED if field.is_required() else default_text(field.get_default(call_default_factory=True))
            )
    return found


def default_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return str(list(value))
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def test_a_spot_file() -> None:
    assert documented(SPOTS, "key") == keys_of(_SpotFile)


@pytest.mark.parametrize(
    ("title", "model"),
    [
        ("Blueprints", BlueprintPackConfig),
        ("Quick flops", QuickFlopConfig),
        ("Exact flops", FlopPackFile),
        ("Limit strategies", LimitPackConfig),
    ],
)
def test_a_pack_configuration(title: str, model: type[BaseModel]) -> None:
    assert documented(section(title), "key") == keys_of(model)


def test_the_keys_of_a_depth() -> None:
    """Those of menu and stop rule stand in the table of blueprints."""
    keys = {key.partition(".")[0] for key in keys_of(DepthConfig)}
    found = documented(section("Blueprints for several depths"), "depth")
    assert {key.removesuffix(".*"): default for key, default in found.items()} == {
        key: REQUIRED if DepthConfig.model_fields[key].is_required() else "none" for key in keys
    }


def test_the_settings_of_the_refinement() -> None:
    settings = {field.name: default_text(field.default) for field in dataclasses.fields(RefineConfig)}
    assert documented(section("Quick flops"), "`refine`") == settings


def test_the_spot_on_the_page_is_one() -> None:
    spot, lines = re.findall(r"```yaml\n(.*?)```", SPOTS, flags=re.DOTALL)
    assert parse_spot(spot).name == "my turn"
    tree = parse_spot(spot[: spot.index("sizes:")] + lines).tree
    assert tree.lines == (("B120", "R300", "A900"), ("X", "B150", "C", "X", "B300"))


def test_the_pack_configurations_on_the_page_are_some(tmp_path: Path) -> None:
    texts = re.findall(r"```yaml\n(.*?)```", PACKS, flags=re.DOTALL)
    readers: list[Any] = [
        read_blueprint_pack_config,
        read_blueprint_family_config,
        read_limit_pack_config,
        read_quick_flop_config,
        read_flop_pack_config,
    ]
    for text, read in zip(texts, readers, strict=True):
        file = tmp_path / "config.yaml"
        file.write_text(text)
        assert read(file).kind in text


def test_the_page_names_every_example() -> None:
    assert [name for name in example_spots() if f"`{name}`" not in SPOTS] == []
    assert len(example_spots()) > 2
