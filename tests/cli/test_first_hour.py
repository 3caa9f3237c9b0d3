"""A newcomer's first hour, from an empty folder: own spot, own bot, own pack, a question, ten hands against the bot.

``make release-check`` runs this from the wheel and from the sdist: HEDGEHOG_COMMAND is then the ``hedgehog`` of an
environment in which one of them is installed.

The rows of docs/commands.md are run by test_commands_page.py. Everything here happens in one folder, in the order in
which a person would do it; a file of the person's that is in the way survives. The last command has a terminal.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hedgehog.poker.acpc.handlog import verify_log
from hedgehog.strategies.pack import default_packs
from tests.cli import command
from tests.terminal import Terminal

ROOT = Path(__file__).parents[2]
INSTALLED = os.environ.get("HEDGEHOG_COMMAND")
THESIS = "three years of work\n"

BOT = """
from hedgehog.agent.player import Player
from hedgehog.poker.state import CALL

class Caller(Player):
    name = "my-caller"

    def act(self, matchstate, deadline):
        return CALL
"""
PACK = """\
kind: flops
name: my-flops
blueprint: my-packs/blueprint
target_pct: 100
max_iterations: 2
lines:
  - name: four_bet
    betting: r250r850r2125c
    flop: {oop: "a", ip: "a"}
    turn: {oop: "a", ip: "a"}
    river: {oop: "a", ip: "a"}
flops: [7d 7c 7h]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "thesis.txt").write_text(THESIS)
    return tmp_path


def hedgehog(folder: Path, *words: str, code: int = 0) -> str:
    """Runs a command in a folder and returns its output, or its error message."""
    if INSTALLED:
        done: subprocess.CompletedProcess[str] | command.Done = subprocess.run(
            [INSTALLED, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=1200
        )
    else:
        done = command.hedgehog(*words, folder=folder)
    assert done.returncode == code, (words, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    assert all(len(line) <= 80 for line in done.stdout.splitlines() if "│" in line), done.stdout
    return done.stderr if code else done.stdout


@pytest.mark.slow
def test_the_first_hour(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.delitem(sys.modules, "mybot", raising=False)
    solve_an_own_spot(folder)
    plug_an_own_bot_in(folder)
    build_an_own_pack_and_ask_it(folder)
    play_ten_hands(folder)
    assert (folder / "thesis.txt").read_text() == THESIS


def solve_an_own_spot(folder: Path) -> None:
    spot = folder / "my.yaml"
    spot.write_text(hedgehog(folder, "solve", "--example", "river").replace("pot: 1000", "pott: 600"))
    assert "my.yaml:7: unknown key 'pott', did you mean 'pot'?" in hedgehog(folder, "solve", "my.yaml", code=2)
    spot.write_text(spot.read_text().replace("pott", "pot"))
    solve = ("solve", "my.yaml", "--target-pct", "1", "--threads", "1", "--save", "my-solve")
    assert "exists already" in hedgehog(folder, *solve, "--json", "thesis.txt", code=2)
    assert "pot 600, stack 4,500" in hedgehog(folder, *solve, "--json", "my.json")
    document = json.loads((folder / "my.json").read_text())
    assert document["format"] == "hedgehog.solution"
    assert document["exploitability_pct_pot"] <= 1

    (root,) = json.loads(hedgehog(folder, "query", "my-solve", "--filter", "set+", "--json"))["lines"]
    assert {hand["hand"] for hand in root["hands"]} >= {"QsQd", "JsJd", "7s7h"}
    assert all(hand["ev"] > 600 for hand in root["hands"])  # sets win more than what is in the pot
    hedgehog(folder, "query", "my-solve", "--html", "page.html")
    page = (folder / "page.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "://" not in page.replace("http://www.w3.org/2000/svg", "")  # it needs no network


def plug_an_own_bot_in(folder: Path) -> None:
    (folder / "mybot.py").write_text(BOT)
    match = ("match", "me=py:mybot:Caller", "house=raise", "--hands", "20", "--seed", "1", "--out", "my-match")
    printed = hedgehog(folder, *match, "--json", "result.json")
    assert "No answer was corrected, illegal or slow" in " ".join(printed.split())
    result = json.loads((folder / "result.json").read_text())
    assert (result["names"], result["pairs"]) == (["me", "house"], 20)
    assert sum(result["mbb_per_hand"]) == pytest.approx(0, abs=1e-6)
    assert "--resume" in hedgehog(folder, *match, code=2)  # a second time: nothing is replaced
    logs = sorted(str(path) for path in (folder / "my-match").glob("*.log"))
    shown = hedgehog(folder, "log", "show", logs[0], "--hand", "3")
    assert "me     calls" in shown
    assert "Showdown, pot" in shown
    frequencies = hedgehog(folder, "log", "stats", "--pairs", *logs)
    assert "VPIP" in frequencies


def build_an_own_pack_and_ask_it(folder: Path) -> None:
    shutil.copytree(shipped_packs(folder) / "blueprint", folder / "my-packs" / "blueprint")
    (folder / "pack.yaml").write_text(PACK)
    build = ("pack", "build", "pack.yaml", "--threads", "1")
    assert "holds 'my.json'" in hedgehog(folder, *build, "--out", "../" + folder.name, code=2)
    hedgehog(folder, *build, "--out", "my-packs/flops", "--work", "my-work")
    assert "2 packs, 0 faults" in hedgehog(folder, "pack", "verify", "my-packs")
    asked = ("--line", "r250r850r2125c", "--board", "7d 7c 7h", "--hand", "AhKd", "--think-ms", "0")
    answer = json.loads(hedgehog(folder, "ask", "--player", "pack:my-packs", *asked, "--json"))
    assert answer["layer"] == "exact"
    assert sum(action["probability"] for action in answer["actions"]) == pytest.approx(1)


def shipped_packs(folder: Path) -> Path:
    """Returns the folder of the packs that come with the Hedgehog that runs."""
    if not INSTALLED:
        return default_packs()
    code = "import hedgehog; print(hedgehog.default_packs())"
    python = Path(INSTALLED).with_name("python")
    done = subprocess.run([python, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())


def play_ten_hands(folder: Path) -> None:
    hedgehog = [INSTALLED] if INSTALLED else [sys.executable, "-m", "hedgehog.cli"]
    words = [*hedgehog, "play-here", "--think-ms", "0", "--hands", "10", "--seed", "1"]
    paths = {} if INSTALLED else {"PYTHONPATH": str(ROOT)}
    with Terminal([*words, "--log", "mine.log"], env=paths, cwd=str(folder)) as terminal:
        terminal.wait_for("> ")
        terminal.type("?")
        for _ in range(200):  # calls and checks until the ten hands are over
            if "\n> " not in terminal.wait_for("\n> ", "Log: "):
                break
            terminal.type("c")
        assert terminal.wait() == 0
    report = verify_log(folder / "mine.log")
    assert (report.hands, report.faults) == (10, ())
