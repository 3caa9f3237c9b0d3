"""Bots of the user's in real matches: the examples of docs/examples/bots, ``py:`` players, names."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hedgehog.poker.acpc.handlog import verify_log
from tests.cli import command
from tests.cli.command import Run

ROOT = Path(__file__).parents[3]
BOTS = ROOT / "docs" / "examples" / "bots"
CLIENT = shlex.join([sys.executable, str(BOTS / "client.py")])
CLASS = f"py:{BOTS / 'pair_raiser.py'}:PairRaiser"
BROKEN = """\
from hedgehog.agent.player import Player
from hedgehog.poker.state import CALL, Action

class Moody(Player):
    def act(self, matchstate, deadline):
        if matchstate.hand_id == 1:
            raise RuntimeError("not today")
        return Action("r", 1) if matchstate.hand_id == 2 else CALL

class Mute(Player):
    def act(self, matchstate, deadline):
        return "c"

class Absent(Moody):
    def new_match(self, gamedef, seed):
        raise OSError("no table")

class Quitter(Player):
    def act(self, matchstate, deadline):
        raise SystemExit(0)

class Strategist(Moody):
    def strategy(self, matchstate):
        raise ValueError("no idea")

class Careless(Moody):
    def strategy(self, matchstate):
        import numpy
        from hedgehog.agent import Options
        return Options([CALL], numpy.full((1, 1326), 0.5))
"""


def hedgehog(folder: Path, *arguments: object, more_path: Path | str = "") -> subprocess.CompletedProcess[str]:
    """Runs the command line in a folder as its console script does: the folder itself is not on the path."""
    words = [sys.executable, "-P", "-m", "hedgehog.cli", *map(str, arguments)]
    path = os.pathsep.join(filter(None, [str(ROOT), str(more_path), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": path}
    return subprocess.run(words, capture_output=True, text=True, timeout=120, cwd=folder, env=environment, check=False)


def match(folder: Path, *arguments: object) -> tuple[dict[str, Any], list[Path]]:
    """Plays a match into ``folder/out``; returns its JSON and its logs, which must be sound."""
    done = hedgehog(folder, "match", *arguments, "--out", folder / "out", "--json", folder / "result.json")
    assert done.returncode == 0, done.stderr
    logs = sorted((folder / "out").glob("seating_?.log"))
    assert logs
    for log in logs:
        assert verify_log(log).faults == ()
    result: dict[str, Any] = json.loads((folder / "result.json").read_text())
    return result, logs


@pytest.mark.slow
@pytest.mark.process
def test_the_examples_play_alike(tmp_path: Path) -> None:
    """The client with sockets of its own and the class, over TCP and in process, answer every state in the same way."""
    logs = []
    for folder, player, options in (
        ("client", f"cmd:{CLIENT}", ()),
        ("class", CLASS, ()),
        ("table", CLASS, ("--in-process",)),
    ):
        out = tmp_path / folder / "out"
        words = (f"me={player}", "house=random", "--hands", 60, "--seed", 4, "--jobs", 1, *options)
        done = command.hedgehog("match", *words, "--out", out)
        assert done.returncode == 0, done.stderr
        played = sorted(out.glob("seating_?.log"))
        assert [verify_log(log).faults for log in played] == [(), ()]
        logs.append([log.read_bytes() for log in played])
    assert logs[0] == logs[1] == logs[2]
    assert logs[0][0].count(b"r") > 60
    # The client's actions are all legal: the dealer had nothing to correct.
    assert "WARNING" not in (tmp_path / "client" / "out" / "seating_1.dealer.err").read_text()
    report = json.loads((tmp_path / "class" / "out" / "seating_1.me.json").read_text())
    assert report["player"] == {"hands_seen": 60}
    assert (report["player_errors"], report["illegal_actions"]) == (0, 0)


def test_a_module_of_the_current_folder(tmp_path: Path) -> None:
    """Other modules there, whatever they are called, are not imported by anybody."""
    (tmp_path / "mybot.py").write_text((BOTS / "pair_raiser.py").read_text())
    for name in ("numpy", "random", "click", "agent", "poker", "queue"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong module')\n")
    match(tmp_path, "me=py:mybot:PairRaiser", "house=call", "--hands", 3, "--no-duplicate")
    log = (tmp_path / "out" / "seating_1.log").read_text()
    assert log.splitlines()[-1].endswith(":me|house")


@pytest.mark.slow
def test_a_module_of_the_python_path(tmp_path: Path) -> None:
    (tmp_path / "mine" / "bots").mkdir(parents=True)
    (tmp_path / "mine" / "bots" / "pairs.py").write_text((BOTS / "pair_raiser.py").read_text())
    (tmp_path / "elsewhere").mkdir()
    done = hedgehog(
        tmp_path / "elsewhere",
        *("match", "py:bots.pairs:PairRaiser", "call", "--hands", 3, "--no-duplicate", "--out", "out"),
        more_path=tmp_path / "mine",
    )
    assert done.returncode == 0, done.stderr
    log = (tmp_path / "elsewhere" / "out" / "seating_1.log").read_text()
    assert log.splitlines()[-1].endswith(":py_PairRaiser|call")


@pytest.mark.slow
def test_errors_at_play_time_name_the_player(tmp_path: Path) -> None:
    (tmp_path / "moody.py").write_text(BROKEN)
    for folder, options in (("tcp", ()), ("table", ("--in-process",))):
        out = tmp_path / folder
        done = hedgehog(
            tmp_path, "match", "me=py:moody:Moody", "house=call", "--hands", 4, "--no-duplicate", "--out", out, *options
        )
        assert done.returncode == 0, done.stderr
        report = json.loads((out / "seating_1.me.json").read_text())
        assert report["player_errors"] > 0
        assert report["illegal_actions"] > 0
        output = out / ("seating_1.table.err" if options else "seating_1.me.out")
        failed = f"{report['player_errors']} times {tmp_path}/moody.py:7: act() failed: RuntimeError: not today"
        illegal = f"{report['illegal_actions']} times illegal action 'r1'"
        (shown,) = [line for line in done.stdout.splitlines() if line.startswith("me: ")]
        assert failed in shown
        assert illegal in shown
        assert shown.endswith(f" (see {output})")
        said = output.read_text()
        player = "me" if options else "py_Moody"
        assert f"act() of player {player} failed at " in said
        assert 'moody.py", line 7' in said
        assert "RuntimeError: not today" in said
        assert "illegal action 'r1' at " in said


@pytest.mark.parametrize(
    ("players", "message"),
    [
        (("py:nosuch:Bot", "call"), "cannot import 'nosuch': ModuleNotFoundError: No module named 'nosuch'"),
        (("py:nobot:Bot", "call"), "nobot.py: player 'py:nobot:Bot': has no class 'Bot'"),
        (
            ("py:nobot:Thing", "call"),
            "nobot.py: player 'py:nobot:Thing': expected Thing to be a class derived from hedgehog.agent.player.Player",
        ),
        (("py:nobot", "call"), "expected py:MODULE:CLASS or py:FILE.py:CLASS, got 'py:nobot'"),
        (("a b=call", "call"), "expected a player name of up to 64 letters, digits and _ . + -, got 'a b'"),
        (("a|b=call", "call"), "expected a player name of up to 64 letters, digits and _ . + -, got 'a|b'"),
        (("me=call", "me=fold"), "the player name 'me' is repeated"),
    ],
)
@pytest.mark.parametrize("options", [(), ("--in-process",)])
def test_nothing_is_started_with_a_bad_player(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    players: tuple[str, ...],
    message: str,
    options: tuple[str, ...],
) -> None:
    (tmp_path / "nobot.py").write_text("class Thing: pass\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.delitem(sys.modules, "nobot", raising=False)
    code, out, error = run("match", *players, "--hands", "2", "--out", tmp_path / "out", *options)
    assert (code, out) == (2, "")
    assert message in error
    assert len(error.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_play_refuses_a_bad_class_before_it_connects(tmp_path: Path) -> None:
    done = hedgehog(tmp_path, "play", "127.0.0.1", 1, "--player", "py:nosuch:Bot", "--connect-timeout", 1)
    assert done.returncode == 2
    assert done.stderr == "error: cannot import 'nosuch': ModuleNotFoundError: No module named 'nosuch'\n"


@pytest.mark.process
def test_classes_in_a_tournament(tmp_path: Path) -> None:
    config = tmp_path / "mine.yaml"
    config.write_text(
        f"hands: 10\nin_process: true\nagents:\n  - call\n  - house=fold\n  - {{name: mine, player: '{CLASS}'}}\n"
    )
    done = command.hedgehog("tournament", "run", config, "--out", tmp_path / "out", "--jobs", 1)
    assert done.returncode == 0, done.stderr
    assert [agent for agent in ("call", "house", "mine") if agent not in done.stdout] == []
    config.write_text(config.read_text().replace("PairRaiser", "Nobody"))
    done = command.hedgehog("tournament", "run", config, "--out", tmp_path / "out2")
    assert done.returncode == 2
    assert f"{config}:6: " in done.stderr
    assert "has no class 'Nobody', but PairRaiser" in done.stderr


def test_a_class_that_tells_its_strategy_meets_local_best_response(tmp_path: Path) -> None:
    (tmp_path / "teller.py").write_text(
        "from hedgehog.agent.bots import CallBot\n\nclass Teller(CallBot):\n    name = 'teller'\n"
    )
    player = f"py:{tmp_path}/teller.py:Teller"
    done = command.hedgehog("lbr", f"me={player}", "--hands", 4, "--setting", "fc", "--jobs", 1)
    assert done.returncode == 0, done.stderr
    assert "local best response against me, seed 1" in done.stdout
    done = command.hedgehog("lbr", CLASS, "--hands", 20, "--jobs", 1)
    assert done.returncode == 2
    assert "does not report its strategy" in done.stderr


@pytest.mark.parametrize(
    "options", [pytest.param((), marks=pytest.mark.slow), ("--in-process",)], ids=["tcp", "in-process"]
)
@pytest.mark.parametrize(
    ("player", "message"),
    [
        ("Absent", "moody.py:16: the player cannot start: OSError: no table"),
        ("Quitter", "moody.py:20: the player has ended the program: SystemExit: 0"),
        ("Mute", "expected an Action from player"),
    ],
)
@pytest.mark.quick_cases("Absent-moody.py:16: the player cannot start: OSError: no table-in-process")
def test_a_class_that_ends_the_match_is_named_with_its_cause(
    tmp_path: Path, player: str, message: str, options: tuple[str, ...]
) -> None:
    (tmp_path / "moody.py").write_text(BROKEN)
    done = hedgehog(
        tmp_path, "match", f"me=py:moody:{player}", "call", "--hands", 2, "--no-duplicate", "--out", "out", *options
    )
    (error,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert done.returncode == 1
    assert "seat 1" in error
    assert "player me" in error
    assert message in error
    assert player != "Mute" or "got 'c'" in error
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        "lbr {} --hands 4 --jobs 1",
        pytest.param("lbr {} --hands 4 --jobs 2", marks=pytest.mark.slow),
        "audit {} --boards 1",
    ],
)
@pytest.mark.parametrize(
    ("player", "message"),
    [
        ("Absent", "does not report its strategy"),
        ("Strategist", "moody.py:24: strategy() failed: ValueError: no idea"),
        ("Careless", "expected the probabilities of every possible hand to sum to one, got 0.5"),
    ],
)
def test_a_strategy_that_fails_is_named(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, words: str, player: str, message: str
) -> None:
    (tmp_path / "moody.py").write_text(BROKEN)
    monkeypatch.chdir(tmp_path)
    code, _, stderr = run(*words.format(f"py:moody.py:{player}").split())
    (error,) = [line for line in stderr.splitlines() if line.startswith("error: ")]
    assert code in (1, 2)
    assert message in error
    assert "Traceback" not in stderr
