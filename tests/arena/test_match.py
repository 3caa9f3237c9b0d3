"""hedgehog.arena.match, hedgehog.arena.runner and the processes: seatings, failing players, and that nothing is left
running.

The players here are small scripts, so that the runner is tested with clients it knows nothing about.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hedgehog.arena.launch import DEALER_COMMAND
from hedgehog.arena.match import Entrant, MatchPlan, player_seed
from hedgehog.arena.runner import all_or_none, run_match
from hedgehog.arena.seating_log import Progress
from hedgehog.arena.seatings import guardian
from hedgehog.arena.seatings.processes import Guardian, ProcessPool
from hedgehog.arena.seatings.tcp import SeatingError, StartError
from hedgehog.dealer.cards import propose_ports
from hedgehog.poker.acpc.gamedef import find_gamedef
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.folder_lock import FolderLock, is_locked
from tests.processes import TOKEN_NAME, no_process_marked, processes_marked, until

GAME = find_gamedef("kuhn.limit.2p")

GUARDIAN = Path(guardian.__file__)

CALLER = """
import socket, sys
connection = socket.create_connection((sys.argv[-2], int(sys.argv[-1])), timeout=30)
connection.sendall(b"VERSION:2.0.0\\n")
for line in connection.makefile("rb"):
    _, position, hand, betting, _ = line.decode().split(":")
    if len(betting) == int(position) and betting in ("", "c"):  # Kuhn poker without a bet
        {before_answer}
        connection.sendall(line.strip() + b":c\\n")
"""


def entrant(name: str, before_answer: str = "pass") -> Entrant:
    script = CALLER.format(before_answer=before_answer)
    return Entrant(name, lambda seed, report: [sys.executable, "-S", "-c", script, str(seed), str(report)])


def play(
    out: Path,
    *entrants: Entrant,
    hands: int = 4,
    seed: int = 5,
    duplicate: bool = True,
    options: tuple[str, ...] = (),
    jobs: int = 1,
    resume: bool = False,
) -> None:
    plan = MatchPlan(entrants, GAME, hands, seed, duplicate, out, options, DEALER_COMMAND)
    asyncio.run(asyncio.wait_for(run_match(plan, jobs=jobs, resume=resume), 60))


@pytest.fixture
def token(monkeypatch: pytest.MonkeyPatch) -> str:
    """Marks every process started by the test."""
    value = f"hedgehog-test-{os.getpid()}-{time.monotonic_ns()}"
    monkeypatch.setenv(TOKEN_NAME, value)
    return value


def test_seatings() -> None:
    def seatings(count: int, duplicate: bool) -> list[tuple[int, ...]]:
        return MatchPlan(tuple(map(entrant, "abcd"[:count])), GAME, 1, 0, duplicate, Path()).seatings()

    assert seatings(2, True) == [(0, 1), (1, 0)]
    assert seatings(2, False) == [(0, 1)]
    assert seatings(4, True) == [(0, 1, 2, 3), (1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2)]
    assert sorted(seatings(3, True)) == [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]


def test_player_seeds_differ_and_are_stable() -> None:
    seeds = {player_seed(seed, player, seating) for seed in range(4) for player in range(3) for seating in range(6)}
    assert len(seeds) == 72
    assert all(0 <= seed < 2**32 for seed in seeds)
    assert player_seed(1, 0, 1) == 1856992287  # printf 1/0/1 | sha256sum, first four bytes


@pytest.mark.process
def test_duplicate_match_deals_the_same_cards_and_follows_the_log(tmp_path: Path, token: str) -> None:
    seen: list[tuple[int, float]] = []

    def note(progress: Progress) -> None:
        assert sum(progress.chips.values()) == 0
        seen.append((progress.hands, progress.chips["a"]))

    plan = MatchPlan((entrant("a"), entrant("b")), GAME, 7, 5, True, tmp_path, dealer_command=DEALER_COMMAND)
    played = asyncio.run(asyncio.wait_for(run_match(plan, note), 60))
    logs = [seating.log.read_text().splitlines() for seating in played]
    first, second = ([line.split(":") for line in log if line.startswith("STATE:")] for log in logs)
    assert len(first) == len(second) == 7
    for a, b in zip(first, second, strict=True):
        assert a[:5] == b[:5]  # both check and call only: same cards, same betting, same values ...
        assert a[5].split("|") == b[5].split("|")[::-1]  # ... with the names exchanged
    assert logs[0][-1].endswith(":a|b")
    assert logs[1][-1].endswith(":b|a")
    assert seen[-1] == (14, 0.0)  # what a won in one seating it lost in the other
    assert [hands for hands, _ in seen] == sorted(hands for hands, _ in seen)
    no_process_marked(token)


@pytest.mark.process
def test_a_player_that_crashes_in_a_hand_ends_the_match(tmp_path: Path, token: str) -> None:
    crash = entrant("crash", "if int(hand) == 2: sys.exit('planted')")
    message = r"seat 2: player crash ended with exit code 1: planted \(see .*crash.out\)"
    with pytest.raises(SeatingError, match=message) as error:
        play(tmp_path, entrant("a"), crash)
    assert error.value.culprits == ("crash",)
    log = (tmp_path / "seating_1.log").read_text()
    assert log.count("STATE:") == 2
    assert "SCORE" not in log
    no_process_marked(token)


@pytest.mark.process
def test_a_player_that_never_connects_ends_the_match(tmp_path: Path, token: str) -> None:
    lame = Entrant("lame", lambda seed, report: [sys.executable, "-S", "-c", "raise OSError('no legs')"])
    with pytest.raises(SeatingError, match="seat 2: player lame ended with exit code 1: OSError: no legs") as error:
        play(tmp_path, entrant("a"), lame, duplicate=False)
    assert error.value.culprits == ("lame",)
    no_process_marked(token)


@pytest.mark.process
def test_a_silent_player_is_timed_out(tmp_path: Path, token: str) -> None:
    silent = entrant("silent", "import time; time.sleep(60)")
    message = r"seat 1 .*silent, hand 0: no answer within 0.3 s.*; seat 1: player silent was still running"
    with pytest.raises(SeatingError, match=message) as error:
        play(tmp_path, silent, entrant("b"), duplicate=False, options=("--t_response=300",))
    assert error.value.culprits == ("silent",)
    no_process_marked(token)


@pytest.mark.process
@pytest.mark.parametrize(
    ("before_answer", "message"),
    [
        ("sys.exit(0)", "it has closed the connection.*: player bad ended with exit code 0 before the match was over"),
        (
            "raise KeyError('aces')",
            "it has closed the connection.*: player bad ended with exit code 1: KeyError: 'aces'",
        ),
        ("import os; os.kill(os.getpid(), 9)", "it has closed the connection.*: player bad was killed by SIGKILL"),
        (
            "import time\n        while True: connection.sendall(b'# well\\n') or time.sleep(0.05)",
            r"bad, hand 0: \S+ s for one answer, 0.4 s allowed\) \(see [^;]*; seat 1: player bad was",
        ),
        (
            "import time; time.sleep(0.3)",
            r"bad, hand 1: \S+ s in the match, 0.5 s allowed\) \(see [^;]*; seat 1: player bad was",
        ),
    ],
)
def test_every_ended_player_has_its_cause_in_one_line(
    tmp_path: Path, token: str, before_answer: str, message: str
) -> None:
    """A player that ends because its time is up has not ended by itself, and nothing is said of its exit code."""
    options = ("--t_response=400", "--t_per_hand=125")
    with pytest.raises(SeatingError, match=f"seat 1 .*{message}") as error:
        play(tmp_path, entrant("bad", before_answer), entrant("b"), duplicate=False, options=options)
    assert error.value.culprits == ("bad",)
    if "allowed" in message:
        assert "exit code" not in str(error.value)
    no_process_marked(token)


@pytest.mark.process
def test_a_player_that_connects_and_says_nothing_ends_the_match(tmp_path: Path, token: str) -> None:
    script = "import socket, sys; socket.create_connection((sys.argv[-2], int(sys.argv[-1]))).recv(1)"
    mute = Entrant("mute", lambda seed, report: [sys.executable, "-S", "-c", script])
    message = "mute: connected, but sent no version line within 0.3 s.*; seat 2: player mute was"
    with pytest.raises(SeatingError, match=message) as error:
        play(tmp_path, entrant("a"), mute, duplicate=False, options=("--version_timeout=300",))
    assert error.value.culprits == ("mute",)
    no_process_marked(token)


@pytest.mark.process
def test_a_command_that_does_not_exist_is_bad_input(tmp_path: Path, token: str) -> None:
    with pytest.raises(StartError, match="cannot start player ghost, command '/no/such/bot': No such file") as error:
        play(tmp_path, entrant("a"), Entrant("ghost", lambda seed, report: ["/no/such/bot"]))
    assert error.value.culprits == ("ghost",)
    no_process_marked(token)


@pytest.mark.process
def test_a_player_that_stays_after_the_match_is_killed(
    tmp_path: Path, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hedgehog.arena.seatings.tcp._PLAYER_GRACE_S", 0.2)
    stays = CALLER.format(before_answer="pass") + "\nimport time; time.sleep(60)"
    lingering = Entrant("stays", lambda seed, report: [sys.executable, "-S", "-c", stays])
    play(tmp_path, entrant("a"), lingering, duplicate=False)
    no_process_marked(token)


@pytest.mark.process
def test_a_bad_dealer_argument_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SeatingError, match=r"the dealer ended with exit code 2: Error: .*--no-such-option") as error:
        play(tmp_path, entrant("a"), entrant("b"), options=("--no-such-option",))
    assert error.value.culprits == ()


@pytest.mark.process
def test_leaving_the_pool_kills_grandchildren_too(tmp_path: Path, token: str) -> None:
    async def scenario() -> None:
        async with Guardian() as guardian, ProcessPool(guardian) as pool:
            # The shell ends at once, its background child stays in the group.
            shell = await pool.start("shell", ["sh", "-c", "sleep 60 & echo ready"], tmp_path / "out")
            assert await asyncio.wait_for(asyncio.shield(shell.ended), 10) == 0
            assert shell.last_words() == "ready"
            until(lambda: len(processes_marked(token)) == 2)  # the child, once it has its program, and the guardian

    asyncio.run(scenario())
    no_process_marked(token)  # the kernel delivers the signal to a process that is not our child


@pytest.mark.process
@pytest.mark.parametrize("again", [False, True])
def test_no_pipe_outlives_the_event_loop(tmp_path: Path, token: str, again: bool) -> None:
    """Not even one that a process outside the group holds open, also when a second signal breaks the leaving off."""
    code = f"""
import asyncio, pathlib
from hedgehog.arena.seatings.processes import Guardian, ProcessPool

async def play():
    async with Guardian() as guardian, ProcessPool(guardian) as pool:
        command = ["sh", "-c", "setsid sh -c 'echo ready; exec sleep 60' & sleep 60"]
        output = pathlib.Path({str(tmp_path / "out")!r})
        shell = await pool.start("shell", command, output, pipe_stdin=True, pipe_stdout=True)
        assert await shell.process.stdout.readline() == b"ready\\n"
        ready.set()
        await asyncio.sleep(60)

async def run():
    global ready
    ready = asyncio.Event()
    playing = asyncio.create_task(play())
    await ready.wait()
    playing.cancel()
    if {again}:
        await asyncio.sleep(0.05)
        playing.cancel()
    await asyncio.wait([playing])

asyncio.run(run())
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[2], timeout=30, check=False, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    sleeper = processes_marked(token)[0]
    os.kill(sleeper, signal.SIGKILL)
    no_process_marked(token)


@pytest.mark.process
@pytest.mark.slow
def test_the_result_does_not_depend_on_the_number_of_jobs(tmp_path: Path, token: str) -> None:
    for jobs in (1, 2):
        out = tmp_path / str(jobs)
        out.mkdir()
        play(out, entrant("a"), entrant("b"), jobs=jobs)
    for log in ("seating_1.log", "seating_2.log"):
        assert (tmp_path / "1" / log).read_bytes() == (tmp_path / "2" / log).read_bytes()
    no_process_marked(token)


def test_cancelled_together_none_is_torn_from_its_cleaning_up() -> None:
    cleaned = []

    async def work(steps: int) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            for _ in range(steps):
                await asyncio.sleep(0)
            cleaned.append(steps)

    async def run() -> None:
        both = asyncio.create_task(all_or_none([all_or_none([work(1), work(50)]), all_or_none([work(100)])]))
        await asyncio.sleep(0.01)
        both.cancel()
        with pytest.raises(asyncio.CancelledError):
            await both
        assert cleaned == [1, 50, 100]

    asyncio.run(run())


def test_the_error_of_the_one_that_fails_is_raised() -> None:
    async def fail(delay: float) -> None:
        await asyncio.sleep(delay)
        raise ValueError(delay)

    async def run() -> None:
        assert await all_or_none([asyncio.sleep(0.01, "late"), asyncio.sleep(0, "early")]) == ["late", "early"]
        assert await all_or_none([]) == []
        with pytest.raises(ValueError, match=r"0\.01"):
            await all_or_none([fail(60), fail(0.01)])

    asyncio.run(run())


@pytest.mark.process
def test_a_failed_seating_breaks_off_the_other_ones(tmp_path: Path, token: str) -> None:
    """The same player crashes in the first seating and would sleep in the second one for longer than a test may."""
    first, second = player_seed(5, 0, 1), player_seed(5, 0, 2)
    behaviour = f"import time; sys.argv[1] == '{first}' and sys.exit('planted'); time.sleep(600)"
    assert first != second
    with pytest.raises(SeatingError, match="planted"):
        play(tmp_path, entrant("bad", behaviour), entrant("b"), jobs=2)
    no_process_marked(token)


@pytest.mark.process
def test_taken_ports_are_passed_over(tmp_path: Path) -> None:
    """All ports the seed proposes for the first seat are in use."""
    taken = []
    for port in propose_ports(5, 11):
        one = socket.socket()
        taken.append(one)
        try:
            one.bind(("127.0.0.1", port))
            one.listen()
        except OSError:
            continue  # in use already
    try:
        play(tmp_path, entrant("a"), entrant("b"), duplicate=False)
    finally:
        for one in taken:
            one.close()
    assert "SCORE" in (tmp_path / "seating_1.log").read_text()


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished match."""
    folder = tmp_path_factory.mktemp("finished")
    play(folder, entrant("a"), entrant("b"), jobs=2)
    return folder


@pytest.mark.process
@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[: text.index("SCORE")],
        pytest.param(lambda text: text[:-1], marks=pytest.mark.slow),
        lambda text: text.replace(" 4 5\n", " 4 6\n", 1),
        pytest.param(lambda text: text.replace("STATE:2:", "STATE:1:"), marks=pytest.mark.slow),
        pytest.param(lambda text: text.replace("SCORE:", "SCORE:7"), marks=pytest.mark.slow),
        lambda text: text[: len(text) // 2],
        pytest.param(lambda text: "", marks=pytest.mark.slow),
        None,
    ],
    ids=["no score", "no line end", "other seed", "doubled hand", "other score", "half", "empty", "missing"],
)
@pytest.mark.quick_cases("no score", "half")
def test_resume_keeps_the_finished_seating_only(
    tmp_path: Path, finished: Path, spoil: Callable[[str], str] | None
) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    kept, unfinished = out / "seating_1.log", out / "seating_2.log"
    if spoil is None:
        unfinished.unlink()
    else:
        text = unfinished.read_text()
        assert spoil(text) != text
        unfinished.write_text(spoil(text))
    (out / ".seating_2.log.123.tmp").touch()
    before = kept.stat()
    play(out, entrant("a"), entrant("b"), resume=True)
    assert not list(out.glob(".*"))
    after = kept.stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)
    for log in ("seating_1.log", "seating_2.log"):
        assert (out / log).read_bytes() == (finished / log).read_bytes()


def test_progress_counts_the_kept_seatings(tmp_path: Path, finished: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    seen: list[Progress] = []
    plan = MatchPlan((entrant("a"), entrant("b")), GAME, 4, 5, True, out, dealer_command=DEALER_COMMAND)
    asyncio.run(run_match(plan, seen.append, resume=True))
    assert seen[-1].hands == 8
    assert seen[-1].chips == {"a": 0, "b": 0}


@pytest.mark.process
def test_without_resume_a_match_starts_anew(tmp_path: Path, finished: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    play(out, entrant("a"), entrant("b"), duplicate=False)
    before, after = ((folder / "seating_1.log") for folder in (finished, out))
    assert before.read_bytes() == after.read_bytes()
    assert before.stat().st_mtime_ns < after.stat().st_mtime_ns


@pytest.mark.process
def test_resume_refuses_another_plan(tmp_path: Path, finished: Path) -> None:
    a, b, c = entrant("a"), entrant("b"), entrant("c")
    with pytest.raises(InputError, match=r"match.plan: .* hands is 4 there and 5 here"):
        play(finished, a, b, hands=5, resume=True)
    with pytest.raises(InputError, match="seed is 5 there and 6 here"):
        play(finished, a, b, seed=6, resume=True)
    with pytest.raises(InputError, match=r'players\[2\].name is "b" there and "c" here'):
        play(finished, a, c, resume=True)
    with pytest.raises(InputError, match=r"the length of dealer_options is 0 there and 1 here"):
        play(finished, a, b, options=("--t_hand=9",), resume=True)


def test_a_match_over_tcp_needs_a_dealer(tmp_path: Path) -> None:
    plan = MatchPlan((entrant("a"), entrant("b")), GAME, 4, 5, True, tmp_path)
    with pytest.raises(InputError, match="needs a command that starts a dealer"):
        asyncio.run(run_match(plan))


def test_a_folder_has_one_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgehog.arena.runner._LOCK_PATIENCE_S", 0.1)

    async def scenario() -> None:
        with FolderLock(tmp_path) as lock:
            assert lock.take()
            assert is_locked(tmp_path)
            await run_match(MatchPlan((entrant("a"), entrant("b")), GAME, 4, 5, True, tmp_path))

    with pytest.raises(InputError, match="another match or tournament is writing to this folder"):
        asyncio.run(scenario())
    until(lambda: not is_locked(tmp_path))
    assert list(tmp_path.iterdir()) == []


def ignores(pid: int, number: signal.Signals) -> bool:
    """True once a process ignores a signal."""
    status = Path(f"/proc/{pid}/status").read_text()
    mask = next(line.split()[1] for line in status.splitlines() if line.startswith("SigIgn:"))
    return bool(int(mask, 16) >> (number - 1) & 1)


def test_the_guardian_kills_the_groups_that_are_left() -> None:
    """... and not the one it was told has ended, whose number could be another process's by now."""
    guardian = subprocess.Popen([sys.executable, "-I", "-S", GUARDIAN], stdin=subprocess.PIPE)
    sleepers = [subprocess.Popen(["sleep", "60"], start_new_session=True) for _ in range(3)]
    try:
        first, second, third = (sleeper.pid for sleeper in sleepers)
        assert guardian.stdin is not None
        guardian.stdin.write(f"+{first}\n+{second}\n-{second}\n+{third}\n".encode())
        guardian.stdin.flush()
        until(lambda: ignores(guardian.pid, signal.SIGTERM))
        guardian.send_signal(signal.SIGTERM)
        guardian.stdin.close()
        assert guardian.wait(20) == 0
        assert [sleepers[0].wait(20), sleepers[2].wait(20)] == [-signal.SIGKILL] * 2
        assert sleepers[1].poll() is None
    finally:
        for process in (guardian, *sleepers):
            process.kill()
            process.wait()


@pytest.mark.parametrize("guardian_dies", [False, True])
def test_a_killed_runner_leaves_no_process(tmp_path: Path, token: str, guardian_dies: bool) -> None:
    code = f"""
import asyncio, os, pathlib, signal
from hedgehog.arena.seatings.processes import Guardian, ProcessPool
from hedgehog.runtime.folder_lock import FolderLock

async def run():
    folder = pathlib.Path({str(tmp_path)!r})
    lock = FolderLock(folder)
    assert lock.take()
    async with Guardian([lock.descriptor]) as guardian, ProcessPool(guardian) as pool:
        await pool.start("shell", ["sh", "-c", "sleep 60 & sleep 60"], folder / "shell.out")
        if {guardian_dies}:
            dead = guardian.pid
            os.kill(dead, signal.SIGKILL)
            while guardian.pid == dead:
                await asyncio.sleep(0.01)
        await pool.start("sleeper", ["sleep", "60"], folder / "sleeper.out")
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(run())
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    no_process_marked(token)
    until(lambda: not is_locked(tmp_path))  # a process gives up its memory, in which the mark is, before its files


TABLE = """
import os, pathlib, sys
for line in sys.stdin:
    log, behaviour = line.split()
    print("1 1.5 -1.5", flush=True)
    print("4 2 -2", flush=True)
    if behaviour == "dies":
        os.abort()
    if behaviour.startswith("killed"):
        deaths = pathlib.Path(log).parent / "deaths"
        with deaths.open("a") as file:
            file.write("x")
        if deaths.stat().st_size <= int(behaviour[-1]):
            os.kill(os.getpid(), 9)
        behaviour = "plays"
    if behaviour == "fails":
        print("ERROR: seat 2 ran out of time", file=sys.stderr, flush=True)
    if behaviour == "plays":
        header = f"# name/game/hands/seed {pathlib.Path(log).stem} kuhn.limit.2p.game 4 5"
        hands = "\\n".join(f"STATE:{n}:cc:Qs|Js:{v}|-{v}:x|y" for n, v in enumerate((0.5, 0.5, 0.5, 0.5)))
        names = "a|b" if "seating_1" in log else "b|a"
        pathlib.Path(log).write_text(f"{header}\\n{hands}\\nSCORE:2|-2:{names}\\n".replace("x|y", names))
    print("failed" if behaviour == "fails" else "done", flush=True)
"""


def play_at_table(
    out: Path,
    behaviour: str,
    on_progress: Callable[[Progress], None] = lambda _: None,
    note: Callable[[str], None] = lambda _: None,
) -> None:
    """Plays a match at a table that does nothing but behave."""
    a, b = entrant("a"), entrant("b")
    plan = MatchPlan((a, b), GAME, 4, 5, True, out, table=lambda _, n, go_on: f"{out}/seating_{n}.log {behaviour}")
    asyncio.run(asyncio.wait_for(run_match(plan, on_progress, note=note), 60))


@pytest.fixture
def scripted_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgehog.arena.runner.TABLE_COMMAND", [sys.executable, "-S", "-c", TABLE])


@pytest.mark.process
@pytest.mark.usefixtures("scripted_table")
def test_a_table_plays_all_seatings(tmp_path: Path, token: str) -> None:
    seen: list[tuple[int, float]] = []
    play_at_table(tmp_path, "plays", lambda progress: seen.append((progress.hands, progress.chips["a"])))
    assert seen == [(0, 0), (1, 1.5), (4, 2), (5, 0.5), (8, 0)]
    no_process_marked(token)


@pytest.mark.process
@pytest.mark.usefixtures("scripted_table")
def test_a_table_that_fails_or_dies_ends_the_match(tmp_path: Path, token: str) -> None:
    with pytest.raises(SeatingError, match=r"^seat 2 ran out of time \(see .*seating_1.table.err\)") as failed:
        play_at_table(tmp_path, "fails")
    assert failed.value.culprits == ("b",)
    with pytest.raises(SeatingError, match="the table was killed by SIGABRT") as died:
        play_at_table(tmp_path, "dies")
    assert died.value.culprits == ()
    with pytest.raises(SeatingError, match="the table has not finished"):
        play_at_table(tmp_path, "forgets")
    no_process_marked(token)


@pytest.mark.process
@pytest.mark.usefixtures("scripted_table")
def test_a_table_that_is_killed_is_replaced(tmp_path: Path, token: str) -> None:
    """What it had told of its hands does not count; the third one that is killed ends the match."""
    seen: list[tuple[int, float]] = []
    notes: list[str] = []
    play_at_table(tmp_path, "killed2", lambda now: seen.append((now.hands, now.chips["a"])), notes.append)
    assert seen == [(0, 0), *[(1, 1.5), (4, 2)] * 3, (5, 0.5), (8, 0)]
    assert [note.partition(" (see ")[0] for note in notes] == ["the table was killed by SIGKILL"] * 2
    assert all(note.endswith("; another one goes on") for note in notes)
    (tmp_path / "deaths").unlink()
    with pytest.raises(SeatingError, match=r"the table was killed by SIGKILL .*, the last of 3$") as died:
        play_at_table(tmp_path, "killed3")
    assert died.value.culprits == ()
    no_process_marked(token)


@pytest.mark.process
def test_groups_that_have_ended_are_forgotten(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Guardian() as guardian, ProcessPool(guardian) as pool:
            child = await pool.start("child", ["true"], tmp_path / "out")
            assert pool.children == [child]
            await asyncio.wait([child.ended])
            await asyncio.sleep(0)
            assert pool.children == []

    asyncio.run(scenario())
