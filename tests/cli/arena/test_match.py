"""``hedgehog match`` and ``hedgehog play`` end to end: processes, TCP, result, exit codes, interruption."""

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
from typing import Any

import pytest

from hedgehog.cli.first_launch import ANNOUNCEMENT
from hedgehog.cli.main import main
from hedgehog.poker.acpc.handlog import verify_log
from hedgehog.runtime.folder_lock import is_locked
from tests.cli.command import Run
from tests.processes import TOKEN_NAME, no_process_marked, processes_marked, until

HEDGEHOG = [sys.executable, "-m", "hedgehog.cli"]
ROOT = Path(__file__).parents[3]
PACKS = ROOT / "strategies" / "packs"
THREE_CARDS = "custom.nolimit.2p.oneblind.3hole"


def hedgehog(*arguments: object, **environment: object) -> subprocess.CompletedProcess[str]:
    command = [*HEDGEHOG, *map(str, arguments)]
    variables = os.environ | {name: str(value) for name, value in environment.items()}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT, env=variables, check=False)


def match(out: Path, *arguments: object) -> dict[str, Any]:
    """Plays a match into ``out``, checks its logs and returns its JSON. Dealer and players are processes over TCP."""
    with pytest.raises(SystemExit) as ended:
        main(["match", *map(str, arguments), "--jobs", "1", "--out", str(out), "--json", str(out / "result.json")])
    assert not ended.value.code
    result: dict[str, Any] = json.loads((out / "result.json").read_text())
    for log in result["logs"]:
        assert verify_log(log).faults == ()
    return result


def without_times(result: dict[str, Any]) -> dict[str, Any]:
    """Returns what does not depend on where and how fast the match was played."""
    answers = [{key: one[key] for key in ("agent", "illegal", "late", "errors")} for one in result["answers"]]
    return result | {"logs": [], "answers": answers}


def chips_won(log: str, name: str) -> list[float]:
    """Returns what a player won in every hand of a log."""
    fields = [line.split(":") for line in Path(log).read_text().splitlines() if line.startswith("STATE:")]
    return [float(values.split("|")[names.split("|").index(name)]) for *_, values, names in fields]


@pytest.mark.process
def test_call_against_call_is_zero_in_every_pair(tmp_path: Path) -> None:
    result = match(tmp_path, "call", "call", "--hands", 25, "--seed", 11)
    assert result["players"] == ["call", "call"]
    assert (result["hands"], result["pairs"]) == (50, 25)
    assert result["mbb_per_hand"] == [0, 0]
    assert result["ci95"] == [None, None]  # equal values have no interval
    first, second = (chips_won(log, "call") for log in result["logs"])
    assert [a + b for a, b in zip(first, second, strict=True)] == [0] * 25
    assert any(first)


@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
def test_fold_against_raise_loses_its_blinds(tmp_path: Path) -> None:
    """``fold`` gives up the big blind or the small blind in turn: 100 or 50 chips, 750 mbb per hand, never varying."""
    result = match(tmp_path, "fold", "raise", "--hands", 10, "--seed", 2**32 - 1, "--in-process")
    assert result["mbb_per_hand"] == [-750, 750]
    assert result["ci95"] == [None, None]
    statistics = result["statistics"]
    assert statistics["all_in_adjusted"] == [-750, 750]
    assert statistics["effective_hands"] == [None, None]  # all pairs are equal
    assert all(low <= mean <= high for (low, high), mean in zip(statistics["anytime95"], [-750, 750], strict=True))
    for log in result["logs"]:
        assert sorted(chips_won(log, "fold")) == [-100] * 5 + [-50] * 5


@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
def test_three_players_six_seatings(tmp_path: Path) -> None:
    result = match(tmp_path, "call", "random", "fold", "--game", "kuhn.limit.3p", "--hands", 6, "--in-process")
    assert len(result["logs"]) == 6
    assert (result["hands"], result["pairs"]) == (36, 6)
    assert sum(result["mbb_per_hand"]) == pytest.approx(0)
    for player, name in enumerate(result["players"]):
        total = sum(sum(chips_won(log, name)) for log in result["logs"])
        assert result["mbb_per_hand"][player] == pytest.approx(1000 * total / 36)  # the blinds are 1 chip


@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
def test_equal_seeds_give_equal_matches(tmp_path: Path) -> None:
    logs = []
    for folder, seed in (("a", 3), ("b", 3), ("c", 4)):
        (tmp_path / folder).mkdir()
        result = match(
            tmp_path / folder, "random", "random", "--hands", 10, "--seed", seed, "--no-duplicate", "--in-process"
        )
        assert (result["hands"], result["pairs"]) == (10, 0)
        logs.append(Path(result["logs"][0]).read_text().splitlines()[4:])
    assert logs[0] == logs[1] != logs[2]


@pytest.mark.process
@pytest.mark.slow
def test_the_tables_name_players_and_decision_times(tmp_path: Path, run: Run) -> None:
    code, out, _ = run("match", "allin", "call", "--hands", "4", "--out", tmp_path)
    assert code == 0
    for text in ("8 hands, 4 duplicate pairs", "allin", "95 % interval", "preflop", "p99 ms", str(tmp_path)):
        assert text in out
    report = json.loads((tmp_path / "seating_1.allin.json").read_text())
    assert report["decisions"] == report["decision_ms"]["preflop"]["n"] == 4
    assert report["player_errors"] == report["illegal_actions"] == report["late_actions"] == 0


@pytest.mark.process
def test_an_external_command_plays(tmp_path: Path) -> None:
    command = shlex.join([*HEDGEHOG, "play", "--player", "call"])
    result = match(tmp_path, f"cmd:{command}", "fold", "--hands", 6)
    assert result["players"] == [f"cmd:{command}", "fold"]
    assert not list(tmp_path.glob("*cmd_*.json"))


@pytest.mark.process
@pytest.mark.parametrize("game", ["leduc.limit.2p", "holdem.limit.3p", "custom.nolimit.3p.shortstacks"])
@pytest.mark.slow_cases("holdem.limit.3p")
def test_bots_finish_a_match_in_other_games(tmp_path: Path, game: str) -> None:
    players = ["random", "raise", "random"][: 3 if "3p" in game else 2]
    result = match(tmp_path, *players, "--game", game, "--hands", 8, "--no-duplicate")
    assert sum(result["mbb_per_hand"]) == pytest.approx(0, abs=1e-6)
    reports = [json.loads(path.read_text()) for path in tmp_path.glob("seating_1.*.json")]
    assert [report["illegal_actions"] for report in reports] == [0] * len(players)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["call", "nonsense"], "unknown player 'nonsense'"),
        (["call"], "the game is for 2 players, got 1"),
        (["call", "call", "call"], "the game is for 2 players, got 3"),
        (["call", "call", "--game", "chess"], "no such game definition file 'chess'"),
        (["call", "call", "--seed", "4294967296"], "--seed"),
        (["call", "call", "--jobs", "0"], "--jobs"),
        (["call", "cmd:true", "--in-process"], "'cmd:true' is a program of its own"),
        (["call"] * 3 + ["--game", "custom.limit.4p.shortstacks"], "the game is for 4 players, got 3"),
        (["call", "call", "--json", str(ROOT / "README.md" / "x.json")], "README.md is not a folder"),
        (["call", "call", "--json", str(ROOT)], "is a folder, expected a file to write"),
        (["call", "call", "--out", str(ROOT / "README.md" / "x")], "README.md is not a folder"),
        (["call", "pack:/no/such"], "/no/such: player 'pack:/no/such': no strategy pack here"),
        (["call", "pack:/no/such", "--in-process"], "/no/such: player 'pack:/no/such': no strategy pack here"),
        (["call", f"pack:{PACKS / 'quick-flops'}"], "there is no blueprint pack"),
        (["default", "call", "--game", THREE_CARDS], "the game is dealt from 4 suits of 8 ranks with 3 hole cards"),
        (["default", "call", "--game", THREE_CARDS, "--in-process"], "are for heads-up no-limit hold'em"),
        (["call", "cmd:/no/such/bot --fast"], "there is no command '/no/such/bot'"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["match", "--out", str(tmp_path), *arguments])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_failing_player_is_exit_code_1(tmp_path: Path) -> None:
    done = hedgehog("match", "call", "cmd:sh -c 'echo broken; exit 3'", "--out", tmp_path)
    assert done.returncode == 1
    assert "player cmd_sh ended with exit code 3: broken" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("number", "exit_code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), pytest.param(signal.SIGHUP, 129, marks=pytest.mark.slow)],
)
@pytest.mark.quick_cases("2-130")
def test_interruption_leaves_no_process(tmp_path: Path, number: int, exit_code: int) -> None:
    token = f"hedgehog-test-{os.getpid()}-{time.monotonic_ns()}"
    command = [*HEDGEHOG, "match", "call", "random", "--hands", "1000000", "--jobs", "2", "--out", str(tmp_path)]
    with subprocess.Popen(
        command, cwd=ROOT, env=os.environ | {TOKEN_NAME: token}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as runner:
        try:
            for log in (tmp_path / "seating_1.log", tmp_path / "seating_2.log"):
                wait_for(log, "STATE:5:", runner)
            until(lambda: len(processes_marked(token)) == 8)  # runner, guardian; twice a dealer and two players
            runner.send_signal(number)
            _, stderr = runner.communicate(timeout=60)
        finally:
            runner.kill()
    assert runner.returncode == exit_code
    assert b"Traceback" not in stderr
    assert f"to go on: the same command with --out {tmp_path} --resume".encode() in stderr
    no_process_marked(token)


def wait_for(log: Path, text: str, runner: subprocess.Popen[bytes]) -> None:
    """Waits until a log that a running command writes holds ``text``."""
    deadline = time.monotonic() + 300
    while not (log.exists() and text in log.read_text()):
        assert time.monotonic() < deadline
        assert runner.poll() is None
        time.sleep(0.01)


@pytest.mark.usefixtures("tables_here")
def test_a_killed_match_leaves_no_process_and_resumes(tmp_path: Path) -> None:
    token = f"hedgehog-test-{os.getpid()}-{time.monotonic_ns()}"
    arguments = ["random", "random", "--game", "kuhn.limit.2p", "--hands", 400, "--seed", 9]
    out = tmp_path / "killed"
    with subprocess.Popen(
        [*HEDGEHOG, "match", *map(str, arguments), "--jobs", "1", "--out", str(out)],
        cwd=ROOT,
        env=os.environ | {TOKEN_NAME: token},
    ) as runner:
        try:
            wait_for(out / "seating_2.log", "STATE:5:", runner)
        finally:
            runner.kill()
    no_process_marked(token)
    until(lambda: not is_locked(out))
    assert "SCORE" not in (out / "seating_2.log").read_text()
    kept = (out / "seating_1.log").stat()
    resumed = match(out, *arguments, "--resume")
    assert (out / "seating_1.log").stat().st_mtime_ns == kept.st_mtime_ns
    (tmp_path / "whole").mkdir()
    whole = match(tmp_path / "whole", *arguments, "--in-process")
    assert without_times(resumed) == without_times(whole)
    for ours, theirs in zip(resumed["logs"], whole["logs"], strict=True):
        assert Path(ours).read_bytes() == Path(theirs).read_bytes()


@pytest.mark.slow
@pytest.mark.process
def test_in_process_gives_the_same_logs(tmp_path: Path) -> None:
    arguments = ["random", "raise", "--hands", 30, "--seed", 5]
    results = []
    for folder, option in (("tcp", []), ("in-process", ["--in-process"])):
        (tmp_path / folder).mkdir()
        results.append(match(tmp_path / folder, *arguments, *option))
    over_tcp, in_process = results
    assert without_times(over_tcp) == without_times(in_process)
    for ours, theirs in zip(in_process["logs"], over_tcp["logs"], strict=True):
        assert Path(ours).read_bytes() == Path(theirs).read_bytes()
    reports = [json.loads((tmp_path / folder / "seating_2.raise.json").read_text()) for folder in ("tcp", "in-process")]
    assert reports[0]["decisions"] == reports[1]["decisions"] > 0


def test_a_damaged_pack_is_found_before_anything_starts(tmp_path: Path, run: Run) -> None:
    pack = tmp_path / "pack"
    shutil.copytree(PACKS / "blueprint", pack)
    rows = next(pack.glob("*rows*"))
    data = bytearray(rows.read_bytes())
    data[len(data) // 2] ^= 1
    rows.write_bytes(data)
    for option in ([], ["--in-process"]):
        code, _, err = run("match", "call", f"pack:{pack}", "--out", tmp_path / "out", *option)
        assert (code, err.count("\n"), "checksum differs" in err) == (2, 1, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
def test_four_players_rotate(tmp_path: Path) -> None:
    result = match(tmp_path, *["call"] * 4, "--game", "custom.limit.4p.shortstacks", "--hands", 2, "--in-process")
    assert len(result["logs"]) == 4
    assert (result["hands"], result["pairs"]) == (8, 2)
    assert result["mbb_per_hand"] == [0, 0, 0, 0]


def test_play_says_when_there_is_no_dealer(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    done = hedgehog("play", "127.0.0.1", 1, "--player", "call", "--connect-timeout", 1, "--report", report)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "waiting 1 s at most for a dealer at 127.0.0.1 port 1",
        "error: cannot connect to 127.0.0.1 port 1: Connection refused (1 s waited)",
    ]
    assert json.loads(report.read_text())["hands"] == 0


def test_the_first_launch_says_that_it_compiles(tmp_path: Path) -> None:
    command = ("play", "127.0.0.1", 1, "--player", f"pack:{tmp_path}/none", "--connect-timeout", 1)
    done = hedgehog(*command, NUMBA_CACHE_DIR=tmp_path / "cache")
    assert done.returncode == 2
    first, second = done.stderr.splitlines()
    assert first == ANNOUNCEMENT
    assert second.startswith(f"error: {tmp_path}/none: no strategy pack")


@pytest.mark.process
@pytest.mark.parametrize("position", ["", "2"])
@pytest.mark.quick_cases("")
def test_startme_plays_with_a_log_of_every_line(tmp_path: Path, position: str) -> None:
    """The shim passes HOST, PORT and options on, and takes the position that the official server names, too."""
    log = tmp_path / "client.log"
    wrapper = tmp_path / "bot.sh"
    wrapper.write_text(f'exec "{ROOT / "startme.sh"}" "$@" {position} --player call --log "{log}"\n')
    match(tmp_path / "out", f"cmd:sh {shlex.quote(str(wrapper))}", "fold", "--hands", 3, "--no-duplicate")
    text = log.read_text()
    assert "connected to 127.0.0.1" in text
    assert text.count("<< b'MATCHSTATE:") >= 6
    assert ":c\\r\\n" in text


def test_trivial_bots_do_not_import_numba() -> None:
    code = """
import sys
import hedgehog.cli.arena.match, hedgehog.cli.arena.play
from hedgehog.agent.specs import make_player, parse_player_spec
make_player(parse_player_spec("random"), seed=0, think_ms=0, threads=None)
sys.exit("numba" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60, check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.process
def test_our_player_reports_its_budget_and_the_match_is_resumed_with_the_same(tmp_path: Path, run: Run) -> None:
    command = ("default", "call", "--hands", 6, "--seed", 2, "--think-ms", 60, "--in-process")
    result = match(tmp_path / "m", *command, "--think-hand-ms", 40)
    ours, bot = result["answers"]
    assert ours["allowed_hand_ms"] == 40
    assert ours["hand_ms"] > 0
    assert ours["shortened"] > 0
    assert (bot["allowed_hand_ms"], bot["shortened"]) == (None, 0)
    (tmp_path / "m" / "result.json").unlink()
    refused = run("match", *command, "--think-hand-ms", "50", "--out", tmp_path / "m", "--resume")
    assert refused[0] == 2
    assert "think_hand_ms" in refused[2]
