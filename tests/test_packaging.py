"""What the wheel holds."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_package_is_typed_for_others() -> None:
    """``py.typed`` tells type checkers that our annotations count; the wheel holds all files of a package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert len(packages) >= 7
    assert [package for package in packages if not (ROOT / package / "py.typed").is_file()] == []
