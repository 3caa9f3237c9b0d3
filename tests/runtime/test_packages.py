"""Packages that few tasks need: every message names a command that installs the package."""

from __future__ import annotations

import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from hedgehog.runtime.errors import GameError, InputError
from hedgehog.runtime.packages import REQUIREMENTS, require

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FOR_DEVELOPERS = ("test", "docs")
OPTIONAL = PROJECT["optional-dependencies"]
EXTRAS = [each for name, extra in OPTIONAL.items() if name not in FOR_DEVELOPERS for each in extra]
_NAME = re.compile(r"[a-z_]+")


def test_the_requirements_are_those_of_the_project() -> None:
    assert list(REQUIREMENTS) == [name[0] for each in EXTRAS if (name := _NAME.match(each))]
    for package, requirement in REQUIREMENTS.items():
        assert requirement == package or requirement in EXTRAS  # an upper bound is not left out
        assert ("<" in requirement) == any("<" in each for each in EXTRAS if each.startswith(package))


@pytest.mark.parametrize("package", REQUIREMENTS)
def test_a_missing_package_names_the_command_that_installs_it(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=f"^this needs {package}, which is not installed here: ") as caught:
        require(package, "this needs")
    command = shlex.split(caught.value.message.partition("here: ")[2])
    assert command == [sys.executable, "-m", "pip", "install", REQUIREMENTS[package]]
    with pytest.raises(GameError):
        require(package, "this needs", GameError)


def test_a_module_with_another_name_than_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(InputError, match=r"^bots need open_spiel, which is not .*-m pip install open_spiel$"):
        require("pyspiel", "bots need")


def test_no_message_or_page_names_this_project_as_a_package_of_an_index() -> None:
    files = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("docs/**/*.py"), ROOT / "README.md"]
    for folder in (ROOT / name for name in ("agent", "analysis", "arena", "cli", "dealer", "explorer", "gametheory")):
        files += folder.rglob("*.py")
    files += [path for name in ("poker", "runtime", "solver", "strategies") for path in (ROOT / name).rglob("*.py")]
    assert len(files) > 300
    named = re.compile(r"install [^`\n]*hedgehog-poker")
    assert [path for path in files if named.search(path.read_text(encoding="utf-8"))] == []
