"""The page of extension points names every registry, and its examples are short."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

from hedgehog.runtime.extending.registry import Registry
from hedgehog.runtime.packages import PACKAGES
from tests.extend.packages import EXAMPLES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text()


def test_the_page_has_every_registry_with_its_group() -> None:
    sources = [file.read_text() for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    groups = {group for text in sources for group in re.findall(r'= Registry\(\s*"(hedgehog\.\w+)"', text)}
    rows = re.findall(
        r"^\| [^|]+ \| `(hedgehog\.\w+)` \| `(hedgehog\.[\w.]+)` \|.*\((examples/extend/\w+\.py)\) \|", PAGE, re.M
    )
    assert len(groups) == 7
    assert {group for group, _, _ in rows} == groups
    for group, where, example in rows:
        module, _, name = where.rpartition(".")
        registry = getattr(importlib.import_module(module), name)
        assert isinstance(registry, Registry)
        assert registry.group == group
        assert f'project.entry-points."{group}"' in (ROOT / "docs" / example).read_text()


def test_our_parts_can_all_be_used() -> None:
    for where in re.findall(r"\| `hedgehog\.\w+` \| `(hedgehog\.[\w.]+)` \|", PAGE):
        module, _, name = where.rpartition(".")
        registry = getattr(importlib.import_module(module), name)
        assert registry.own_names
        for own in registry.own_names:
            registry.verify(own)
            assert registry[own] is registry[own]


def test_examples_are_short() -> None:
    examples = sorted(EXAMPLES.glob("*.py"))
    assert len(examples) == 7
    for example in examples:
        assert len(example.read_text().splitlines()) < 60
