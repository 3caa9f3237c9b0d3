"""``hedgehog match`` and its folder: an interrupted seating goes on after its last hand, nothing is overwritten."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hedgehog.cli.main import main
from hedgehog.runtime.folder_lock import is_locked
from tests.cli.command import Run, hedgehog
from tests.processes import TOKEN_NAME, no_process_marked, until

HEDGEHOG = [sys.executable, "-m", "hedgehog.cli"]
ROOT = Path(__file__).parents[3]
KUHN = ["--game", "kuhn.limit.2p"]


def hands_in(log: Path) -> int:
    return log.read_bytes().count(b"\nSTATE:") if log.exists() else 0


def interrupt(out: Path, logs: str, hands: int, number: int, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Starts a match, sends a signal once each log holds some hands, and returns when none of its processes is left."""
    token = f"hedgehog-test-{os.getpid()}-{time.monotonic_ns()}"
    command = [*HEDGEHOG, "match", *map(str, arguments), "--out", str(out)]
    deadline = time.monotonic() + 300
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | {TOKEN_NAME: token},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as runner:
        try:
            while any(hands_in(out / log) < hands for log in logs.split()):
                assert time.monotonic() < deadline
                assert runner.poll() is None
                time.sleep(0.002)
            runner.send_signal(number)
            stdout, stderr = runner.communicate(timeout=60)
        finally:
            runner.kill()
    no_process_marked(token)
    until(lambda: not is_locked(out))
    return subprocess.CompletedProcess(command, runner.returncode, stdout, stderr)


def assert_goes_on(tmp_path: Path, seatings: int, hands: int, *arguments: object) -> None:
    """Kills a match in its last seating, goes on, and compares it with one that was never interrupted."""
    arguments = (*arguments, "--hands", hands, "--seed", 9, "--jobs", 1)
    if seatings == 1:
        arguments = (*arguments, "--no-duplicate")
    out, whole = tmp_path / "out", tmp_path / "whole"
    last = f"seating_{seatings}"
    interrupt(out, f"{last}.log", 5, signal.SIGKILL, *arguments)
    before = hands_in(out / f"{last}.log")
    assert 5 <= before < hands
    resumed = hedgehog("match", *arguments, "--out", out, "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert "anew" not in resumed.stderr
    # What is played in one process has the logs of what is played over TCP (test_match.py).
    assert hedgehog("match", *arguments, "--out", whole, "--in-process").returncode == 0
    for number in range(1, seatings + 1):
        log = f"seating_{number}.log"
        assert (out / log).read_bytes() == (whole / log).read_bytes()
    reports = [json.loads(path.read_text()) for path in out.glob(f"{last}.*.json")]
    assert [report["hands"] for report in reports] == [hands - before] * 2  # the others were not played again
    note = "Times and layers since the interruption only"
    assert note in resumed.stdout.replace("\n", " ")
    total = seatings * hands
    assert f"{total - before:,} of {total:,} hands" in resumed.stdout.replace("\n", " ")


@pytest.mark.slow
@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
def test_bots_go_on_over_tcp(tmp_path: Path) -> None:
    """Both draw their random numbers from one stream over the whole match."""
    assert_goes_on(tmp_path, 2, 200, "random", "offtree")


@pytest.mark.slow
@pytest.mark.process
def test_our_player_goes_on_over_tcp(tmp_path: Path) -> None:
    assert_goes_on(tmp_path, 1, 60, "default", "random", "--think-ms", 0)


@pytest.mark.slow
@pytest.mark.process
def test_our_player_goes_on_in_one_process(tmp_path: Path) -> None:
    assert_goes_on(tmp_path, 1, 600, "default", "offtree", "--think-ms", 0, "--in-process")


EXTERNAL = "cmd:" + shlex.join([*HEDGEHOG, "play", "--player", "call", "--game", "kuhn.limit.2p"])


@pytest.mark.slow
@pytest.mark.usefixtures("tables_here")
def test_a_player_that_may_remember_starts_anew_unless_told(tmp_path: Path) -> None:
    arguments = [EXTERNAL, "random", *KUHN, "--hands", 300, "--seed", 3, "--jobs", 1, "--no-duplicate"]
    whole = tmp_path / "whole"
    # What is played in one process has the logs of what is played over TCP (test_match.py).
    assert hedgehog("match", "cmd_python=call", *arguments[1:], "--in-process", "--out", whole).returncode == 0
    stopped = tmp_path / "stopped"
    interrupted = interrupt(stopped, "seating_1.log", 20, signal.SIGINT, *arguments)
    assert interrupted.returncode == 130
    before = hands_in(stopped / "seating_1.log")
    assert before < 300
    for option, first_hand in (("--resume-external", True), ("--resume", False)):
        out = tmp_path / option
        shutil.copytree(stopped, out)
        resumed = hedgehog("match", *arguments, "--out", out, "--resume", option)
        assert resumed.returncode == 0, resumed.stderr
        anew = f"played anew: seating 1 ({before:,} hands): cmd_python may remember the hands before"
        assert (anew in resumed.stderr) is not first_hand
        assert json.loads((out / "seating_1.random.json").read_text())["hands"] == 300 - before * first_hand
        assert (out / "seating_1.log").read_bytes() == (whole / "seating_1.log").read_bytes()


@pytest.mark.slow
def test_an_interruption_shows_interim_results(tmp_path: Path) -> None:
    arguments = ["fold", "raise", *KUHN, "--hands", 100_000, "--jobs", 2]
    out = tmp_path / "out"
    done = interrupt(out, "seating_1.log seating_2.log", 30, signal.SIGINT, *arguments)
    assert done.returncode == 130
    hands = [hands_in(out / f"seating_{number}.log") for number in (1, 2)]
    title = (
        f"Interim, {sum(hands):,} hands played. Winnings over {2 * min(hands):,} hands, {min(hands):,} duplicate pairs"
    )
    assert title in " ".join(done.stdout.split())
    assert "95 % interval" in done.stdout
    assert f"to go on: the same command with --out {out} --resume" in done.stderr

    one = interrupt(tmp_path / "one", "seating_1.log", 30, signal.SIGTERM, *arguments[:-1], 1)
    assert one.returncode == 143
    assert "no complete group of the same cards yet: fold -" in one.stderr


@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
def test_a_folder_with_a_match_is_gone_on_with_replaced_or_refused(tmp_path: Path, run: Run) -> None:
    out = tmp_path / "out"
    arguments = ["match", "call", "random", *KUHN, "--hands", "5", "--in-process", "--jobs", "1", "--out", str(out)]
    assert run(*arguments)[0] == 0
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in out.iterdir()}

    code, _, err = run(*arguments)
    assert (code, err) == (
        2,
        f"error: {out}: holds a match already: --resume goes on with it, --overwrite replaces it\n",
    )
    code, _, err = run(*arguments, "--resume", "--seed", "1")
    assert code == 2
    assert "this folder holds another plan: seed is 0 there and 1 here" in err
    assert run(*arguments, "--resume", "--overwrite")[0] == 2
    assert run(*arguments, "--resume")[0] == 0
    assert {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in out.iterdir()} == before

    # Replaced by a match of other players, of which there are fewer files: nothing of the old one is left.
    assert run("match", "fold", "call", *KUHN, "--hands", "5", "--out", out, "--overwrite", "--no-duplicate")[0] == 0
    assert not list(out.glob("*random*")) + list(out.glob("seating_2*")) + list(out.glob("*table*"))


FOLD_AGAINST_CALL = ["match", "call", "fold", *KUHN, "--hands", "2", "--in-process", "--jobs", "1", "--out"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished match of :data:`FOLD_AGAINST_CALL`."""
    out = tmp_path_factory.mktemp("finished") / "out"
    with pytest.raises(SystemExit) as raised:
        main([*FOLD_AGAINST_CALL, str(out)])
    assert not raised.value.code
    return out


@pytest.mark.process
@pytest.mark.parametrize("option", ["--overwrite", "--resume", ""])
@pytest.mark.parametrize("theirs", ["thesis.txt", "seating_chart.json", "logs/seating_1.log", "folder/"])
def test_a_folder_with_anything_else_is_refused(
    finished: Path, tmp_path: Path, run: Run, option: str, theirs: str
) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    arguments = [*FOLD_AGAINST_CALL, str(out)]
    file = out / theirs
    if theirs.endswith("/"):
        file.mkdir()
    else:
        file.parent.mkdir(exist_ok=True)
        file.write_text("mine")
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    code, _, err = run(*arguments, *filter(None, [option]))
    assert code == 2
    assert "which is not part of a match" in err
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    assert file.exists()


@pytest.mark.process
def test_files_of_a_match_without_its_plan_are_not_gone_on_with(finished: Path, tmp_path: Path, run: Run) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    (out / "match.plan").unlink()
    log = (out / "seating_1.log").read_bytes()
    code, _, err = run(*FOLD_AGAINST_CALL, out, "--resume")
    assert (code, "holds files of a match, but not its match.plan" in err) == (2, True)
    assert (out / "seating_1.log").read_bytes() == log


@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
def test_two_matches_in_one_second_have_folders_of_their_own(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("hedgehog.arena.match_folder.time.strftime", lambda text: "20260101-000000")
    for _ in range(3):
        assert run("match", "call", "fold", *KUHN, "--hands", "2", "--in-process", "--no-duplicate")[0] == 0
    names = sorted(path.name for path in (tmp_path / "runs").iterdir())
    assert names == ["20260101-000000", "20260101-000000-2", "20260101-000000-3"]


@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
def test_json_may_lie_in_the_folder_of_the_match(tmp_path: Path, run: Run) -> None:
    out = tmp_path / "out"
    arguments = ["match", "call", "fold", *KUHN, "--hands", "2", "--in-process", "--jobs", "1", "--out", str(out)]
    json_file = str(out / "result.json")
    assert run(*arguments, "--json", json_file)[0] == 0
    assert run(*arguments, "--json", json_file, "--resume")[0] == 2  # the file is there
    assert run(*arguments, "--json", json_file, "--overwrite")[0] == 0
    code, out_text, err = run(*arguments[:-1], str(tmp_path / "b"), "--json")
    assert code == 0
    result = json.loads(out_text)  # and nothing else
    assert (result["format"], result["players"], result["names"]) == ("hedgehog.match", *[["call", "fold"]] * 2)
    assert "Winnings over 4 hands" in err


BAD_BOT = """
import socket, sys
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef
from hedgehog.poker.acpc.matchstate import parse_matchstate
game = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))
connection = socket.create_connection((sys.argv[-2], int(sys.argv[-1])), timeout=30)
connection.sendall(b"VERSION:2.0.0\\r\\n")
answers = [":q", ":r1", ":c", ":r99999", ":c", ":f"]
for line in connection.makefile():
    view = parse_matchstate(line.strip(), game)
    if not view.state.finished and view.state.acting_position == view.position:
        connection.sendall(f"{line.strip()}{answers[view.hand_id % 6]}\\r\\n".encode())
"""


@pytest.mark.process
def test_bad_answers_are_counted_and_shown(tmp_path: Path) -> None:
    bot = tmp_path / "bad.py"
    bot.write_text(BAD_BOT)
    command = f"cmd:env PYTHONPATH={ROOT} {sys.executable} {bot}"
    arguments = [command, "call", "--hands", 6, "--no-duplicate", "--out", tmp_path / "out"]
    done = hedgehog("match", *arguments, "--json", tmp_path / "result.json")
    assert done.returncode == 0, done.stderr
    bad, call = json.loads((tmp_path / "result.json").read_text())["answers"]
    assert (bad["agent"], call["agent"]) == ("cmd_env", "call")
    assert bad["illegal"] >= 1
    assert bad["corrected"] >= 2
    assert (call["illegal"], call["corrected"], call["slow"]) == (0, 0, 0)
    assert bad["p50_ms"] > 0  # an external bot is timed, too
    warnings = (tmp_path / "out" / "seating_1.dealer.err").read_text()
    assert warnings.count("WARNING: ") == bad["illegal"] + bad["corrected"]
    assert "WARNING: invalid action, changed to call (seat 1, cmd_env, hand 0: 'MATCHSTATE:" in warnings
    shown = " ".join(done.stdout.split())
    assert f"cmd_env │ {bad['corrected']} │ {bad['illegal']} │ 0 │ 0 │" in shown
    assert "cmd_env, seating_1 hand 0: invalid action, changed to call: 'MATCHSTATE:" in shown


@pytest.mark.process
def test_a_client_that_never_connects_is_named(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = hedgehog(
        "match", "fold", "cmd:sh -c 'sleep 300'", *KUHN, "--hands", 5, "--out", out, "--t-start", 3000, "--jobs", 1
    )
    assert done.returncode == 1
    for text in (
        "seat 2, cmd_sh: not connected within 3 s",
        "player cmd_sh was still running",
        str(out / "seating_1.cmd_sh.out"),
    ):
        assert text in done.stderr
    assert "Traceback" not in done.stderr
