"""Three-player limit matches: over TCP as in one process, and with a player that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hedgehog.poker.acpc.handlog import verify_log
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from tests.agent.limit_pack_fixtures import TWO, write_random_limit_pack
from tests.cli.command import Done, hedgehog
from tests.processes import TOKEN_NAME, no_process_marked, processes_marked, until

HEDGEHOG = [sys.executable, "-m", "hedgehog.cli"]
ROOT = Path(__file__).parents[3]
GAME = ["--game", "holdem.limit.3p", "--no-duplicate"]


def match(*arguments: object) -> Done:
    return hedgehog("match", *GAME, *arguments)


@pytest.mark.process
@pytest.mark.slow
def test_limit_players_play_over_tcp_as_in_one_process(tmp_path: Path) -> None:
    pack = tmp_path / "two"
    write_random_limit_pack(pack, TWO, CardAbstraction.load_or_build({}))
    players = [f"way=limit3p:hbb4?x=3&weights=d&mode=one_folded&pack={pack}", "potodds", "random"]
    arguments = [*players, "--hands", 40, "--seed", 7]
    for folder, options in (("tcp", []), ("here", ["--in-process"])):
        done = match(*arguments, "--out", tmp_path / folder, *options)
        assert done.returncode == 0, done.stderr
        assert "No answer was corrected, illegal or slow." in done.stdout
    logs = [tmp_path / folder / "seating_1.log" for folder in ("tcp", "here")]
    assert logs[0].read_bytes() == logs[1].read_bytes()
    report = verify_log(logs[0])
    assert (report.hands, report.faults) == (40, ())


def player_process(token: str, name: str) -> int | None:
    """Returns the id of the process that plays for a player of a match."""
    for pid in processes_marked(token):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:  # it has just ended
            continue
        if b"play" in words and any(word.endswith(f".{name}.json".encode()) for word in words):
            return pid
    return None


def hands_in(log: Path) -> int:
    return log.read_bytes().count(b"\nSTATE:") if log.exists() else 0


@pytest.mark.slow
def test_a_killed_player_loses_no_hand(tmp_path: Path) -> None:
    """The match names the player; the hands played stay; the same command goes on to the log of an unharmed match."""
    arguments = ["random", "raise", "offtree", "--hands", 200, "--seed", 5]
    out, whole = tmp_path / "out", tmp_path / "whole"
    token = f"hedgehog-test-{os.getpid()}-{time.monotonic_ns()}"
    command = [*HEDGEHOG, "match", *GAME, *map(str, arguments), "--out", str(out)]
    log = out / "seating_1.log"
    with subprocess.Popen(
        command, cwd=ROOT, env=os.environ | {TOKEN_NAME: token}, stderr=subprocess.PIPE, text=True
    ) as runner:
        try:
            until(lambda: hands_in(log) >= 20, 300)
            victim = player_process(token, "raise")
            assert victim is not None
            os.kill(victim, signal.SIGKILL)
            _, error = runner.communicate(timeout=120)
        finally:
            runner.kill()
    no_process_marked(token)
    assert runner.returncode == 1
    assert "raise" in error
    assert "signal" in error.lower() or "killed" in error.lower()
    before = hands_in(log)
    assert 20 <= before < 200
    resumed = match(*arguments, "--out", out, "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert match(*arguments, "--out", whole, "--in-process").returncode == 0
    assert log.read_bytes() == (whole / "seating_1.log").read_bytes()
