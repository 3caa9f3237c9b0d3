"""``hedgehog dealer``: arguments, output, files and exit status, as a process of its own where clients are needed."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hedgehog.cli.main import main
from tests.dealer.scripted import TEST_TIMEOUT_S, Client, run_client, script_client
from tests.golden import HUNL, read_scenarios

SCENARIOS = {scenario["name"]: scenario for scenario in read_scenarios()}
HEADER = "# name/game/hands/seed m kuhn.limit.2p.game 3 1\n#--t_response 600000\n#--t_hand 600000\n#--t_per_hand 7000\n"


class Finished:
    """A dealer process that has ended."""

    def __init__(self, returncode: int, stdout: str, stderr: str) -> None:
        self.returncode = returncode
        self.stdout = stdout
        self.stderr = stderr


def start_dealer(folder: Path, arguments: list[str]) -> subprocess.Popen[bytes]:
    """Starts the dealer as a process in ``folder``; the caller ends it."""
    command = [sys.executable, "-c", "from hedgehog.cli.main import main; main()", "dealer", *arguments]
    environment = {"PYTHONPATH": str(Path(__file__).parents[3])}
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run_dealer(folder: Path, arguments: list[str], clients: list[Client]) -> Finished:
    """Runs the dealer as a process in ``folder`` with clients over loopback."""
    process = start_dealer(folder, arguments)
    assert process.stdout is not None
    try:
        ports = process.stdout.readline()

        async def play() -> None:
            pairs = zip(map(int, ports.split()), clients, strict=False)
            await asyncio.gather(*(run_client(port, client) for port, client in pairs))

        asyncio.run(asyncio.wait_for(play(), TEST_TIMEOUT_S))
        out, err = process.communicate(timeout=TEST_TIMEOUT_S)
    finally:
        process.kill()
        process.wait()
    return Finished(process.returncode, (ports + out).decode(), err.decode("latin-1"))


def run_in_process(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(["dealer", *arguments])
    assert isinstance(caught.value.code, int)
    return caught.value.code


def without_times(text: str) -> str:
    return re.sub(r"\d+\.\d{6}", "<TIME>", text)


@pytest.mark.parametrize(
    "name",
    [
        "opt:quiet",
        "opt:times_in_header",
        "opt:seed_negative_after_dashdash",
        "opt:name_with_odd_chars",
        "version:garbage",
        "conn:acting_disconnects",
        "tlog:write",
        "tlog:resume_finished",
        "tlog:wrong_hand_id",
        "tlog:garbage",
    ],
)
@pytest.mark.quick_cases(every=3)
def test_golden_scenarios(name: str, tmp_path: Path) -> None:
    scenario: dict[str, Any] = SCENARIOS[name]
    for file, text in scenario.get("files_before", {}).items():
        (tmp_path / file).write_text(text)
    clients = [script_client(client["transcript"]) for client in scenario["clients"]]
    finished = run_dealer(tmp_path, scenario["argv"][1:], clients)
    assert finished.returncode == scenario["exit"]
    assert finished.stdout.splitlines()[1:] == scenario["stdout"].splitlines()[1:]
    messages = [re.sub(r" at \d+\.\d{6}", " at <TIME>", line) for line in finished.stderr.splitlines()]
    assert messages == scenario["stderr"].splitlines()
    for file, text in scenario["files_after"].items():
        assert without_times((tmp_path / file).read_text()) == without_times(text)


def test_a_killed_client_leaves_a_finished_log(tmp_path: Path) -> None:
    script = [("C", "VERSION:2.0.0\r\n"), ("S", "MATCHSTATE:0:0::Ks|\r\n"), ("C", "MATCHSTATE:0:0::Ks|:c\r\n")]
    patient = [
        *[("C", "VERSION:2.0.0\r\n"), ("S", "MATCHSTATE:1:0::|As\r\n"), ("S", "MATCHSTATE:1:0:c:|As\r\n")],
        *[("C", "MATCHSTATE:1:0:c:|As:c\r\nMATCHSTATE:0:1::Qs|:c\r\n"), ("S", "MATCHSTATE:1:0:cc:Ks|As\r\n")],
        *[("S", "MATCHSTATE:0:1::Qs|\r\n"), ("S", "MATCHSTATE:0:1:c:Qs|\r\n")],
    ]
    clients = [script_client([*script, ("close", "")]), script_client(patient)]
    finished = run_dealer(tmp_path, ["m", "kuhn.limit.2p.game", "3", "1", "A", "B", "-q"], clients)
    assert finished.returncode == 1
    assert finished.stderr.startswith(HEADER + "ERROR: could not get action from seat 1\n")
    assert (tmp_path / "m.log").read_text() == HEADER + "STATE:0:cc:Ks|As:-1|1:A|B\n"


def test_append_and_no_log(tmp_path: Path) -> None:
    scenario = SCENARIOS["opt:quiet"]
    log = scenario["files_after"]["m.log"]
    for extra, expected in ((["-a"], log), (["-a"], log + log), (["-l"], log + log), (["-l", "-L"], log)):
        clients = [script_client(client["transcript"]) for client in scenario["clients"]]
        assert run_dealer(tmp_path, [*extra, *scenario["argv"][1:]], clients).returncode == 0
        assert (tmp_path / "m.log").read_text() == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument 'MATCH'"),
        (["m", HUNL, "5", "1", "A"], f"{HUNL} needs 2 player names, got 1"),
        (["m", "nosuch.game", "5", "1", "A", "B"], "no such game definition file 'nosuch.game'"),
        (["m", HUNL, "abc", "1", "A", "B"], "invalid number of hands abc"),
        (["m", HUNL, "0", "1", "A", "B"], "invalid number of hands 0"),
        (["m", HUNL, "5", "abc", "A", "B"], "invalid random number seed abc"),
        (["m", HUNL, "5", "-1", "A", "B"], "No such option"),
        (["m", HUNL, "5", "1", "A", "B", "--foo"], "No such option"),
        (["m", HUNL, "5", "1", "A", "B", "-p", "1;2"], "bad port string 1;2"),
        (["m", HUNL, "5", "1", "A", "B", "-p", "65536"], "bad port string 65536"),
        (["m", HUNL, "5", "1", "A", "B", "--t_response", "x"], "could not get response timeout from x"),
        (["m", HUNL, "5", "1", "A", "B", "--t_hand", "-1"], "could not get player hand timeout from -1"),
        (["nodir/m", HUNL, "5", "1", "A", "B"], "could not open log file nodir/m.log"),
    ],
)
def test_bad_usage(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_in_process(*arguments) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""
    assert list(tmp_path.iterdir()) == []


def test_long_options_may_be_abbreviated_and_numbers_followed_by_junk(tmp_path: Path) -> None:
    arguments = [
        "m",
        "kuhn.limit.2p.game",
        "3x",
        "4294967297",
        "A",
        "B",
        "ignored",
        "--t_r",
        "12ms",
        "--start=20",
        "-q",
    ]
    finished = run_dealer(tmp_path, arguments, [])
    assert finished.returncode == 1
    assert finished.stderr == (
        HEADER.replace("600000", "12", 1) + "ERROR: timed out waiting for seat 1 to connect\n"
    )  # the seed has wrapped to 1, the seventh argument is ignored


def test_a_full_disk_fails_the_match(tmp_path: Path) -> None:
    (tmp_path / "m.log").symlink_to("/dev/full")
    finished = run_dealer(tmp_path, ["m", "kuhn.limit.2p.game", "3", "1", "A", "B"], [])
    assert finished.returncode == 1
    assert finished.stderr == "ERROR: could not write m.log (No space left on device)\n"


def test_interrupted_while_waiting(tmp_path: Path) -> None:
    process = start_dealer(tmp_path, ["m", "kuhn.limit.2p.game", "3", "1", "A", "B"])
    try:
        assert process.stdout is not None
        assert len(process.stdout.readline().split()) == 2
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=TEST_TIMEOUT_S)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert err.decode().split() == [*HEADER.split(), "interrupted"]
    assert (tmp_path / "m.log").read_text() == HEADER


def test_malformed_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.game").write_text("numRounds = 4\nnumPlayers = 1\n")
    assert run_in_process("m", "bad.game", "5", "1", "A", "B") == 2
    assert capsys.readouterr().err == "error: bad.game: invalid number of players: 1\n"


def test_starting_does_not_import_numba(tmp_path: Path) -> None:
    program = (
        "import sys; from hedgehog.cli.main import cli; cli.get_command(None, 'dealer');"
        "sys.exit(any(name in sys.modules for name in ('numba', 'pydantic', 'hedgehog.solver')))"
    )
    root = Path(__file__).parents[3]
    result = subprocess.run([sys.executable, "-c", program], cwd=root, timeout=TEST_TIMEOUT_S, check=False)
    assert result.returncode == 0


def caller() -> Client:
    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"VERSION:2.0.0\r\n")
        while line := (await reader.readline()).decode():
            _, position, _, betting, _ = line.split(":")
            if len(betting) == int(position) and betting in ("", "c"):
                writer.write(f"{line.rstrip()}:c\r\n".encode())

    return play


def test_going_on_after_the_last_whole_hand(tmp_path: Path) -> None:
    arguments = ["m", "kuhn.limit.2p", "3", "1", "A", "B", "-q", "--answers", "m.answers"]
    assert run_dealer(tmp_path, arguments, [caller(), caller()]).returncode == 0
    log = tmp_path / "m.log"
    whole = log.read_text()
    head = whole[: whole.index("STATE:")]
    first = whole.splitlines()[4]
    for kept in (head + first + "\nSTATE:1:c", head, whole[: whole.index("SCORE")]):
        log.write_text(kept)
        done = run_dealer(tmp_path, [*arguments, "--go-on"], [caller(), caller()])
        assert (done.returncode, log.read_text()) == (0, whole)
        assert done.stdout.splitlines()[1] == whole.splitlines()[-1]
    for spoiled, code in (
        (whole, 2),  # finished
        (whole[: whole.index("SCORE")].replace(" 3 1\n", " 3 2\n"), 2),
        (head + first.replace("Ks|As", "As|Ks") + "\n", 1),
        (head + first.replace("STATE:0:", "STATE:1:") + "\n", 1),
    ):
        log.write_text(spoiled)
        process = start_dealer(tmp_path, [*arguments, "--go-on"])
        out, err = process.communicate(timeout=TEST_TIMEOUT_S)
        assert (process.returncode, out, b"Traceback" in err) == (code, b"", False)
        assert log.read_text() == spoiled


@pytest.mark.parametrize(
    "option", ["-q", *(pytest.param(one, marks=pytest.mark.slow) for one in ("-T", "-a", "--go-on"))]
)
def test_two_dealers_of_one_match_in_one_folder(tmp_path: Path, option: str) -> None:
    """The second one is refused, and changes nothing."""
    arguments = ["m", "kuhn.limit.2p", "3", "1", "A", "B"]
    first = start_dealer(tmp_path, [*arguments, "-q"])
    try:
        assert first.stdout is not None
        assert first.stdout.readline()  # the ports: its log is open
        log = (tmp_path / "m.log").read_text()
        second = start_dealer(tmp_path, [*arguments, option])
        out, err = second.communicate(timeout=TEST_TIMEOUT_S)
        message = "error: another dealer is writing log file m.log: expected another MATCH or folder\n"
        assert (second.returncode, out, err.decode()) == (2, b"", message)
        assert (tmp_path / "m.log").read_text() == log
    finally:
        first.kill()
        first.communicate()
    ended = start_dealer(tmp_path, [*arguments, "--start_timeout", "1"])  # the lock has ended with the dealer
    assert ended.wait(TEST_TIMEOUT_S) == 1
    ended.communicate()


def test_going_on_needs_the_log_alone(capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("-a", "-T", "-l"):
        assert run_in_process("m", "kuhn.limit.2p", "3", "1", "A", "B", "--go-on", option) == 2
        assert "--go-on needs the match log" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "defaults"),
    [
        (["dealer"], {"--t_response": 600000, "--t_hand": 600000, "--t_per_hand": 7000, "--start_timeout": -1}),
        (["match"], {"--t-response": 600000, "--t-hand": 600000, "--t-per-hand": 7000, "--t-start": 1800000}),
        (["match"], {"--t-version": 60000}),
        (["tournament", "run"], {"t_response": 600000, "t_hand": 600000, "t_per_hand": 7000, "t_start": 1800000}),
        (["tournament", "run"], {"t_version": 60000}),
    ],
)
def test_the_help_says_the_defaults_of_the_time_limits(
    capsys: pytest.CaptureFixture[str], command: list[str], defaults: dict[str, int]
) -> None:
    with pytest.raises(SystemExit):
        main([*command, "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    for option, default in defaults.items():
        assert re.search(rf"{option}( MS [^\[]*\[default: |: +){default}\b", shown), (option, shown)
