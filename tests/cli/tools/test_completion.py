"""``hedgehog completion``: what the scripts for bash, zsh and fish offer."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from hedgehog.agent.registered import ALL_BOTS
from hedgehog.cli.main import _COMMANDS
from hedgehog.poker.acpc.gamedef import shipped_gamedefs

ROOT = Path(__file__).parents[3]
SHELLS = ("bash", "zsh", "fish")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a bot, and a command ``hedgehog`` on the path of :func:`environment`."""
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "hedgehog"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m hedgehog.cli "$@"\n')
    command.chmod(0o755)
    place = tmp_path / "place"
    (place / "mypacks").mkdir(parents=True)
    (place / "mybot.py").write_text("class Bot: pass\nclass Better: pass\nraise SystemExit('it was run')\n")
    (place / "notes.txt").write_text("")
    return place


def environment(folder: Path) -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return os.environ | {"PATH": f"{folder.parent / 'bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": path}


@cache
def printed(shell: str) -> str:
    """Returns the script for a shell."""
    command = [sys.executable, "-P", "-m", "hedgehog.cli", "completion", shell]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT, check=True).stdout


def bash(folder: Path, line: str) -> list[str]:
    """Returns what bash replaces the last word of a line by: a word starts behind the last ``:`` or ``=``."""
    script = """
        compopt() { printf '%s\\n' "$2" >&2; }
        eval "$2"
        COMP_LINE=$1 COMP_POINT=${#1}
        _hedgehog_completion hedgehog
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script, "test", line, printed("bash")],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=folder,
        env=environment(folder),
        check=True,
    )
    assert "Traceback" not in done.stderr
    return [*done.stdout.split(), *(f"<{option}>" for option in done.stderr.split("\n") if option)]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("hedgehog tour", ["tournament"]),
        pytest.param("hedgehog log sho", ["show"], marks=pytest.mark.slow),
        ("hedgehog log stats --overw", ["--overwrite"]),
        ("hedgehog match ch", ["checkraise"]),
        pytest.param("hedgehog match default me=ch", ["checkraise"], marks=pytest.mark.slow),
        ("hedgehog match me=default pack:my", ["mypacks/", "<nospace>"]),
        ("hedgehog match py:", ["mybot:", "mypacks/", "<nospace>", "<nospace>"]),
        pytest.param("hedgehog match me=py:mybot:B", ["Bot", "Better"], marks=pytest.mark.slow),
        pytest.param("hedgehog match py:mybot.py:Be", ["Better"], marks=pytest.mark.slow),
        pytest.param('hedgehog match "pack:my', ["pack:mypacks/", "<nospace>"], marks=pytest.mark.slow),
        ("hedgehog match a b --game kuhn", ["kuhn.limit.2p", "kuhn.limit.3p"]),
        pytest.param("hedgehog match a b --game ./", ["<default>"], marks=pytest.mark.slow),
        pytest.param("hedgehog log show no", ["<default>"], marks=pytest.mark.slow),
        ("hedgehog play localhost 1 --player of", ["offtree"]),
        ("hedgehog nosuch x", []),
    ],
)
def test_bash(folder: Path, line: str, offered: list[str]) -> None:
    assert bash(folder, line) == offered


def test_everything_is_offered(folder: Path) -> None:
    assert bash(folder, "hedgehog ") == list(_COMMANDS)
    assert set(bash(folder, "hedgehog match ")) >= {*ALL_BOTS, "default", "pack:", "cmd:", "py:"}
    assert bash(folder, "hedgehog match call call --game ") == list(shipped_gamedefs())


@pytest.mark.parametrize("shell", ["zsh", "fish"])
@pytest.mark.parametrize(("words", "offered"), [("ma", "match"), ("match me=py:mybot:Be", "me=py:mybot:Better")])
def test_answers_to_the_other_shells(folder: Path, shell: str, words: str, offered: str) -> None:
    """The completions that the scripts of zsh and fish get."""
    typed = ["hedgehog", *words.split()]
    cword = typed[-1] if shell == "fish" else str(len(typed) - 1)
    asked = {"COMP_WORDS": " ".join(typed), "COMP_CWORD": cword, "_HEDGEHOG_COMPLETE": f"{shell}_complete"}
    done = subprocess.run(
        ["hedgehog"],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=folder,
        env=environment(folder) | asked,
        check=True,
    )
    assert re.split("[,\t\n]", done.stdout)[:2] == ["plain", offered]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_accepts_its_script(tmp_path: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    assert "_HEDGEHOG_COMPLETE" in printed(shell)
    (tmp_path / "script").write_text(printed(shell))
    subprocess.run([shell, "-n", str(tmp_path / "script")], check=True, timeout=60)
