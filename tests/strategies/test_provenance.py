"""Provenance never fails, and tells nothing of the machine's folders or of somebody else's repository."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hedgehog.strategies import provenance as module
from hedgehog.strategies.manifest import read_manifest
from hedgehog.strategies.pack import default_packs, find_packs
from hedgehog.strategies.provenance import UNKNOWN, describe_command, provenance


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["pack", "build", "/home/me/a b/x.yaml", "--work", "/tmp/w/two"], "pack build x.yaml --work two"),
        (["pack", "build", "x.yaml", "--work=/tmp/w/two"], "pack build x.yaml --work=two"),
        (["lbr", "pack:/home/me/p", "--blinds", "1/2"], "lbr pack:p --blinds 1/2"),
        (["play", "http://127.0.0.1:80/x", "packs/limit"], "play http://127.0.0.1:80/x packs/limit"),
        (["lbr", "cmd:/home/me/bot --cfg /etc/me/x.cfg"], "lbr 'cmd:bot --cfg x.cfg'"),
        (["solve", "\udcff/river.yaml"], r"solve '\udcff/river.yaml'"),
        (["ask", "two\nlines"], r"ask 'two\nlines'"),
    ],
)
def test_the_command_without_folders_of_the_machine(words: list[str], expected: str) -> None:
    assert describe_command(words) == f"hedgehog {expected}"
    describe_command(words).encode()


def test_without_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert provenance().commit == UNKNOWN


@pytest.mark.skipif(shutil.which("git") is None, reason="no git here")
@pytest.mark.parametrize("inside", [True, False])
def test_a_foreign_repository_is_not_ours(inside: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hedgehog lies in the environment of another project; or git's variables lead to another project."""
    theirs = tmp_path / "theirs"
    git = ["git", "-C", str(theirs), "-c", "user.name=x", "-c", "user.email=x@x"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    theirs.mkdir()
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run([*git, *words], check=True, env=environment)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, env=environment, capture_output=True, text=True)
    if inside:
        place = theirs / "venv" / "strategies" / "provenance.py"
        place.parent.mkdir(parents=True)
        place.touch()
        monkeypatch.setattr(module, "__file__", str(place))
        assert provenance().commit == UNKNOWN
    else:
        monkeypatch.setenv("GIT_DIR", str(theirs / ".git"))
        assert provenance().commit != commit.stdout[:12]


def test_shipped_packs_tell_no_folder_of_a_machine() -> None:
    for pack in find_packs(default_packs()):
        made = read_manifest(pack).provenance
        assert describe_command(made.command.split()[1:]).replace("'", "") == made.command
