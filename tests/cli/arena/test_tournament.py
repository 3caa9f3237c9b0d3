"""``hedgehog tournament`` end to end: processes, kill and resume, tables and reports, bad configuration."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hedgehog.agent.registered import ALL_BOTS
from hedgehog.agent.specs import parse_entrant, unique_names
from hedgehog.arena.tournament_file import TournamentConfig
from hedgehog.cli.main import main
from hedgehog.poker.acpc.handlog import verify_log
from hedgehog.runtime.config_file import read_config
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.folder_lock import is_locked
from tests.cli.command import Run, hedgehog
from tests.processes import TOKEN_NAME, no_process_marked, until

HEDGEHOG = [sys.executable, "-m", "hedgehog.cli"]
ROOT = Path(__file__).parents[3]


def write_config(folder: Path, agents: str, *lines: str) -> Path:
    path = folder / "kuhn.yaml"
    path.write_text("\n".join(["game: kuhn.limit.2p", "hands: 40", "seed: 3", *lines, f"agents: {agents}", ""]))
    return path


def logs(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("seating_*.log")}


@pytest.mark.slow
@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
def test_four_players_sit_in_four_rotations(tmp_path: Path) -> None:
    config = tmp_path / "four.yaml"
    config.write_text(
        "game: custom.limit.4p.shortstacks\nhands: 20\nin_process: true\nagents: [call, raise, random, allin, fold]\n"
    )
    done = hedgehog("tournament", "run", config, "--out", tmp_path / "out", "--jobs", 1)
    assert (done.returncode, done.stderr.count("error")) == (0, 0)
    assert "5 matches, 400 hands of custom.limit.4p.shortstacks" in done.stdout
    assert len(logs(tmp_path / "out")) == 5 * 4
    result = json.loads((tmp_path / "out" / "results.json").read_text())
    assert sum(standing["bankroll_chips"] for standing in result["standings"]) == pytest.approx(0, abs=0.01)
    assert "80 (4 seatings of 20)" in (tmp_path / "out" / "report.html").read_text()
    stats = hedgehog("log", "stats", "--pairs", *sorted((tmp_path / "out" / "matches").glob("001*/*.log")))
    assert stats.returncode == 0
    assert "20 duplicate groups" in stats.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("tables_here")
def test_a_killed_tournament_resumes(tmp_path: Path) -> None:
    """SIGKILL in the middle: no process stays, finished matches are kept, and in the end all is as if never killed."""
    agents = "[call, {name: dice, player: random}, random]"
    config, out = write_config(tmp_path, agents), tmp_path / "out"
    command = [*HEDGEHOG, "tournament", "run", str(config), "--out", str(out), "--jobs", "2"]
    token = f"hedgehog-test-{os.getpid()}-{time.monotonic_ns()}"
    deadline = time.monotonic() + 300
    with subprocess.Popen(command, cwd=ROOT, env=os.environ | {TOKEN_NAME: token}) as runner:
        try:
            while not list(out.rglob("match.json")):
                assert time.monotonic() < deadline
                assert runner.poll() is None
                time.sleep(0.01)
            assert is_locked(out)
        finally:
            runner.kill()
    no_process_marked(token)
    until(lambda: not is_locked(out))
    done = [record.parent for record in out.rglob("match.json")]
    before = {path: path.stat().st_mtime_ns for match in done for path in match.iterdir()}
    assert 1 <= len(done) < 3
    assert f"kuhn: interrupted; matches: {len(done)}/3 done" in hedgehog("tournament", "status", out).stdout

    resumed = hedgehog("tournament", "run", config, "--out", out)
    assert resumed.returncode == 0, resumed.stderr
    assert {path: path.stat().st_mtime_ns for path in before} == before
    written = list(out.rglob("seating_*.log"))
    assert len(written) == 6
    for log in written:
        report = verify_log(log)
        assert (report.hands, report.faults) == (40, ())
    assert (
        "kuhn: finished; matches: 3/3 done, 0 begun; 240 of 240 hands" in hedgehog("tournament", "status", out).stdout
    )

    # The same tournament without an interruption, and without sockets.
    whole = hedgehog(
        "tournament",
        "run",
        write_config(tmp_path, agents, "in_process: true"),
        "--out",
        tmp_path / "whole",
        "--jobs",
        1,
    )
    assert whole.returncode == 0, whole.stderr
    assert logs(out) == logs(tmp_path / "whole")
    tables, reference = (text.split("Written")[0] for text in (resumed.stdout, whole.stdout))
    assert tables == reference
    for text in ("kuhn: 3 matches, 240 hands of kuhn.limit.2p", "Row against column", "Bankroll instant run-off"):
        assert text in tables
    links = re.findall(r'href="(matches/[^"]*\.log)"', (out / "report.html").read_text())
    assert sorted(links) == sorted(logs(out))
    assert json.loads((out / "results.json").read_text())["name"] == "kuhn"


@pytest.mark.slow
@pytest.mark.process
def test_a_crash_is_listed_and_the_exit_code_is_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = write_config(tmp_path, "[call, fold, {name: broken, player: \"cmd:sh -c 'echo no legs; exit 3'\"}]")
    done = hedgehog("tournament", "run", config, "--out", tmp_path / "out")
    assert done.returncode == 1
    assert "2 of 3 matches have failed:" in done.stderr
    assert "002_call_vs_broken: seat " in done.stderr
    assert "player broken ended with exit code 3: no legs" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Matches without a result" in done.stdout
    assert "kuhn: 1 matches, 80 hands" in done.stdout
    for command in ("status", "report"):
        with pytest.raises(SystemExit) as ended:
            main(["tournament", command, str(tmp_path / "out")])
        assert ended.value.code == 0
    again = capsys.readouterr().out
    assert "kuhn: finished; matches: 3/3 done (2 failed)" in again
    assert again.endswith(done.stdout[: done.stdout.index("Logs:")])


@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
def test_three_player_tournament(tmp_path: Path) -> None:
    config = write_config(tmp_path, "[call, raise, fold, random]", "in_process: true")
    config.write_text(config.read_text().replace("kuhn.limit.2p", "kuhn.limit.3p").replace("hands: 40", "hands: 12"))
    done = hedgehog("tournament", "run", config, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "4 matches, 288 hands of kuhn.limit.3p" in done.stdout
    assert "player 3" in done.stdout
    assert len(logs(tmp_path / "out")) == 24


def test_interruption_says_how_to_go_on(tmp_path: Path) -> None:
    config, out = write_config(tmp_path, "[call, raise, fold]"), tmp_path / "out"
    config.write_text(config.read_text().replace("hands: 40", "hands: 1000000"))
    token = f"hedgehog-test-{os.getpid()}-{time.monotonic_ns()}"
    command = [*HEDGEHOG, "tournament", "run", str(config), "--out", str(out)]
    deadline = time.monotonic() + 300
    with subprocess.Popen(
        command, cwd=ROOT, env=os.environ | {TOKEN_NAME: token}, stderr=subprocess.PIPE, text=True
    ) as runner:
        try:
            while not any("STATE:5:" in log.read_text() for log in out.rglob("seating_*.log")):
                assert time.monotonic() < deadline
                time.sleep(0.01)
            runner.send_signal(signal.SIGTERM)
            _, stderr = runner.communicate(timeout=30)
        finally:
            runner.kill()
    assert runner.returncode == 128 + signal.SIGTERM
    assert "to go on: the same command again" in stderr
    assert "Traceback" not in stderr
    no_process_marked(token)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("agents: [call, nobody]", r":1: 'agents.1.player': unknown player 'nobody'"),
        ("agents:\n- call\n- cmd:/no/such/bot", r":3: 'agents.1.player': there is no command '/no/such/bot'"),
        ("in_process: true\nagents: [call, 'cmd:true']", r":2: 'agents.1.player': 'cmd:true' is a program of its own"),
        ("agents:\n- call\n- pack:/no/such", r":3: 'agents.1.player': /no/such: no strategy pack here"),
        (
            "agents:\n- call\n- default\ngame: custom.nolimit.2p.oneblind.3hole",
            r":3: 'agents.1.player': the strategy packs are for heads-up no-limit hold'em, and the game is dealt",
        ),
        ("agents: [call]", r":1: 'agents': list should have at least 2 items"),
        ("agents: [call, fold]\ngame: chess", r":2: 'game': no such game definition file 'chess'"),
        ("game: kuhn.limit.3p\nagents: [call, fold]", r":2: 'agents': kuhn.limit.3p.game is for 3 players, got 2"),
        ("stack: 100bb\nagents: [call, fold]\ngame: kuhn.limit.2p", r":3: the key 'game' does not go with 'stack' and"),
        ("agents: [call, fold]\nstack: 1bb", r":2: 'stack': expected a stack above the big blind of 100, got 100"),
        ("stack: 10bb\nblinds: 2/1\nagents: [call, fold]", r":2: 'blinds': expected blinds such as 1/2"),
        ("blinds: 1\nagents: [call, fold]", r":1: 'blinds': expected blinds such as 1/2"),
        ("agents: [call, fold]\nhands: none", r":2: 'hands': input should be a valid integer"),
        ("agents: [call, fold]\nhans: 5", r":2: unknown key 'hans'"),
        ("agents:\n- {player: call, name: 'a:b'}\n- fold", r":2: 'agents.0.player': expected a player name"),
        ("agents:\n- {player: call, name: me}\n- me=fold", r":1: 'agents': the player name 'me' is repeated"),
        ("agents:\n- {player: you=call, name: me}\n- fold", r":2: 'agents.0.player': the agent 'me' is given a second"),
        ("agents:\n- {plaer: call}\n- fold", r":2: unknown key 'agents.0.plaer', did you mean 'player'"),
        ("against: fald\nagents: [call, fold]", r":1: 'against': expected the name of an agent to play against"),
        ("agents: call", r":1: 'agents': input should be a valid list"),
        ("hands: 5", r":1: the key 'agents' is missing"),
        ("agents: [", r":2: not valid YAML"),
    ],
)
def test_bad_configuration_is_one_message_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text + "\n")
    with pytest.raises(SystemExit) as ended:
        main(["tournament", "run", str(path), "--out", str(tmp_path / "out")])
    assert ended.value.code == 2
    assert f"error: {path}{message}" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
@pytest.mark.parametrize(
    ("keys", "game", "stacks"),
    [
        pytest.param("stack: 37.5bb", "holdem.nolimit.2p.50-100.3750", (3750, 3750), marks=pytest.mark.slow),
        ("stack: 300,200\nblinds: 1/2", "holdem.nolimit.2p.1-2.300-200", (300, 200)),
        pytest.param("blinds: 10/20", "holdem.nolimit.2p.10-20.4000", (4000, 4000), marks=pytest.mark.slow),
    ],
)
def test_the_stacks_of_a_tournament(tmp_path: Path, keys: str, game: str, stacks: tuple[int, int]) -> None:
    config, out = tmp_path / "deep.yaml", tmp_path / "out"
    config.write_text(f"{keys}\nhands: 20\nin_process: true\nagents: [allin, raise]\n")
    done = hedgehog("tournament", "run", config, "--out", out, "--jobs", 1)
    assert done.returncode == 0
    assert json.loads((out / "results.json").read_text())["game"] == game
    hands = [line for log in logs(out).values() for line in log.decode().splitlines() if line.startswith("STATE")]
    assert len(hands) == 40
    won = {abs(float(part)) for line in hands for part in line.split(":")[4].split("|")}
    assert max(won) == min(stacks)  # nobody can win more than the smaller stack, and somebody goes all-in
    assert hedgehog("tournament", "run", config, "--out", out, "--jobs", 1).returncode == 0  # it goes on


def test_a_folder_without_a_tournament_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("status", "report"):
        with pytest.raises(SystemExit) as ended:
            main(["tournament", command, str(tmp_path)])
        assert ended.value.code == 2
        assert "tournament.json: cannot read it: No such file or directory" in capsys.readouterr().err


@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
def test_one_against_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = write_config(tmp_path, "[call, raise, fold]", "in_process: true", "against: raise")
    with pytest.raises(SystemExit) as ended:
        main(["tournament", "run", str(config), "--out", str(tmp_path / "out"), "--jobs", "1"])
    assert ended.value.code in (0, None)
    assert sorted(path.name for path in (tmp_path / "out" / "matches").iterdir()) == [
        "001_call_vs_raise",
        "002_raise_vs_fold",
    ]
    assert "2 matches, 160 hands" in capsys.readouterr().out
    assert json.loads((tmp_path / "out" / "results.json").read_text())["failed"] == []


@pytest.mark.slow
def test_a_killed_tournament_goes_on_within_its_seatings(tmp_path: Path) -> None:
    """SIGKILL in the middle of a seating: what was played of it is not played again."""
    config, out = write_config(tmp_path, "[random, {name: dice, player: random}]", "duplicate: false"), tmp_path / "out"
    config.write_text(config.read_text().replace("hands: 40", "hands: 400"))
    command = [*HEDGEHOG, "tournament", "run", str(config), "--out", str(out)]
    token = f"hedgehog-test-{os.getpid()}-{time.monotonic_ns()}"
    deadline = time.monotonic() + 300
    match = out / "matches" / "001_random_vs_dice"
    log = match / "seating_1.log"
    with subprocess.Popen(command, cwd=ROOT, env=os.environ | {TOKEN_NAME: token}) as runner:
        try:
            while not (log.exists() and "STATE:9:" in log.read_text()):
                assert time.monotonic() < deadline
                assert runner.poll() is None
                time.sleep(0.005)
        finally:
            runner.kill()
    no_process_marked(token)
    until(lambda: not is_locked(out))
    before = log.read_text().count("STATE:")
    assert before < 400
    resumed = hedgehog("tournament", "run", config, "--out", out)
    assert resumed.returncode == 0, resumed.stderr
    reports = [json.loads((match / f"seating_1.{name}.json").read_text()) for name in ("random", "dice")]
    assert [report["hands"] for report in reports] == [400 - before] * 2
    assert hedgehog("tournament", "run", config, "--out", tmp_path / "whole").returncode == 0
    assert logs(out) == logs(tmp_path / "whole")


@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
def test_a_folder_of_somebody_else_is_never_touched(tmp_path: Path, run: Run) -> None:
    config, out = write_config(tmp_path, "[call, fold]", "in_process: true"), tmp_path / "out"
    command = ["tournament", "run", str(config), "--out", str(out), "--jobs", "1"]
    out.mkdir()
    (out / "thesis.txt").write_text("mine")
    for option in ([], ["--overwrite"]):
        code, _, err = run(*command, *option)
        assert (code, f"error: {out}: holds 'thesis.txt', which is not part of a tournament" in err) == (2, True)
        assert [path.name for path in out.iterdir()] == ["thesis.txt"]
    (out / "thesis.txt").unlink()
    assert run(*command)[0] == 0
    files = {path for path in out.rglob("*") if path.is_file()}
    assert run(*command)[0] == 0  # goes on: there is nothing to do
    (out / "matches" / "001_call_vs_fold" / "notes.txt").write_text("mine")
    assert run(*command)[0] == 2
    assert {path for path in out.rglob("*") if path.is_file()} == files | {out / "matches/001_call_vs_fold/notes.txt"}
    (out / "matches" / "001_call_vs_fold" / "notes.txt").unlink()

    other = config.read_text().replace("fold", "raise")
    config.write_text(other)
    code, _, err = run(*command)
    assert (code, "this folder holds another plan" in err) == (2, True)
    assert run(*command, "--overwrite")[0] == 0
    assert not list(out.rglob("*fold*"))


@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
def test_status_and_report_as_json(tmp_path: Path, run: Run) -> None:
    config, out = write_config(tmp_path, "[call, fold]", "in_process: true"), tmp_path / "out"
    assert run("tournament", "run", config, "--out", out, "--jobs", "1")[0] == 0
    code, text, err = run("tournament", "status", out, "--json")
    status = json.loads(text)
    assert (code, status["format"], status["state"], status["players"]) == (
        0,
        "hedgehog.tournament-status",
        "finished",
        ["call", "fold"],
    )
    assert (status["hands"], status["total_hands"], [match["done"] for match in status["matches"]]) == (80, 80, [True])
    assert "kuhn: finished" in err
    file = tmp_path / "report.json"
    assert run("tournament", "report", out, "--json", file)[0] == 0
    report = json.loads(file.read_text())
    assert (report["format"], report["seed"], report["game"]) == ("hedgehog.tournament", 3, "kuhn.limit.2p")
    assert {one["agent"]: one["illegal"] for one in report["answers"]} == {"call": 0, "fold": 0}
    assert run("tournament", "report", out, "--json", file)[0] == 2
    assert run("tournament", "report", out, "--json", out / "tournament.json", "--overwrite")[0] == 2  # an input
    assert json.loads(file.read_text()) == report


def test_the_foils_example_is_valid() -> None:
    config = read_config(ROOT / "docs/examples/foils.yaml", TournamentConfig, InputError, "a tournament").model
    assert {agent.player for agent in config.agents} == {"default", *ALL_BOTS}
    assert config.against == "default"


@pytest.mark.parametrize("name", ["three-players", "three-players-published"])
def test_the_examples_for_three_players_are_valid(name: str) -> None:
    config = read_config(ROOT / f"docs/examples/{name}.yaml", TournamentConfig, InputError, "a tournament").model
    assert config.game == "holdem.limit.3p"
    assert len(unique_names([parse_entrant(agent.player) for agent in config.agents])) >= 7


def test_the_example_is_valid() -> None:
    config = read_config(ROOT / "docs/examples/round-robin.yaml", TournamentConfig, InputError, "a tournament").model
    assert [agent.player for agent in config.agents] == ["default", "fold", "call", "raise", "allin", "random"]


@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
def test_the_budget_of_hands_is_part_of_a_tournament(tmp_path: Path, run: Run) -> None:
    config, out = write_config(tmp_path, "[call, fold]", "in_process: true", "think_hand_ms: 40"), tmp_path / "out"
    assert run("tournament", "run", config, "--out", out, "--jobs", "1")[0] == 0
    assert json.loads((out / "tournament.json").read_text())["settings"]["think_hand_ms"] == 40
    config.write_text(config.read_text().replace("think_hand_ms: 40", "think_hand_ms: -1"))
    code, _, err = run("tournament", "run", config, "--out", tmp_path / "other")
    assert (code, "think_hand_ms" in err) == (2, True)
