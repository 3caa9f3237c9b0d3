"""What the wheel holds."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_package_is_typed_for_others() -> None:
    """``py.typed`` tells type checkers that our annotations count; the wheel holds all files of a package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert len(packages) >= 7
    assert [package for package in packages if not (ROOT / package / "py.typed").is_file()] == []


def test_no_lower_layer_starts_the_command_line() -> None:
    """import-linter sees imports alone; the commands of dealers and players are handed down by the command line."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    modules = [path for package in packages if package != "cli" for path in (ROOT / package).rglob("*.py")]
    assert len(modules) > 100
    launches = re.compile(r"""["']-m["'],\s*["']cli""")
    assert launches.search((ROOT / "cli" / "arena" / "running.py").read_text())
    assert [path for path in modules if launches.search(path.read_text())] == []
