"""A folder of the search path into which tests install packages."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from hedgehog.cli.main import main
from hedgehog.runtime.extending.registry import forget_packages
from tests.cli.command import Run
from tests.extend import packages
from tests.extend.packages import Install


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder, empty at first; what was imported from it is forgotten at the end."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    paths = [str(folder), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))  # processes of commands find it, too
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
            del sys.modules[name]
    monkeypatch.undo()
    forget_packages()


@pytest.fixture
def install(site: Path) -> Install:
    """Returns a function that installs a package: its name, its entry points by group, its modules."""

    def put(package: str, entry_points: Mapping[str, Mapping[str, str]], modules: Mapping[str, str]) -> None:
        packages.install(site, package, entry_points, modules)
        forget_packages()

    return put


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Returns a function that runs the command line and returns exit code, stdout and stderr."""

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as raised:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return int(raised.value.code or 0), captured.out, captured.err

    return call
