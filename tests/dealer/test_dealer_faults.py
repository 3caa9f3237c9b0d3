"""What happens to the dealer itself: it is ended, its logs are damaged, disk, ports, clock and streams fail.

After every fault the log must be a valid log or the beginning of one, and the other seats must not have noticed.
"""

from __future__ import annotations

import asyncio
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hedgehog.dealer import server
from hedgehog.dealer.clock import TimeLimits
from hedgehog.dealer.journal import Journal, MessageStream
from hedgehog.dealer.server import MatchServer, ServerOptions
from hedgehog.poker.acpc.handlog import verify_log
from hedgehog.runtime.errors import MatchError
from tests.dealer.fault_fixtures import (
    HEADER,
    KUHN,
    KUHN_LOG,
    LEDUC,
    ROOT,
    VERSION,
    Dealer,
    caller,
    calls_only,
    dealing,
    leaving,
    run,
    states,
    table,
)
from tests.dealer.scripted import TEST_TIMEOUT_S, Client, serve


def stopping(client: Client, hand_id: int, stop: Callable[[], None]) -> Client:
    """A client that calls ``stop`` when it is asked for the first time in a hand."""

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        class Writer:
            def write(self, data: bytes) -> None:
                if f":{hand_id}:".encode() in data[12:16]:
                    stop()
                writer.write(data)

        await client(reader, Writer())  # type: ignore[arg-type]  # duck typing

    return play


@pytest.mark.process
@pytest.mark.parametrize("hand_id", [17, pytest.param(39, marks=pytest.mark.slow)])
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda ending: ending.name)
@pytest.mark.slow_cases("SIGINT-17")
def test_fault_dealer_ended(tmp_path: Path, ending: signal.Signals, hand_id: int) -> None:
    """Every hand that was finished is in the log; the match can be resumed where it stopped."""
    hands = 40

    async def play() -> None:
        async with dealing(Dealer(tmp_path, "-T")) as first:
            client = stopping(caller(LEDUC), hand_id, lambda: first.process.send_signal(ending))
            code, err = await first.play(client, caller(LEDUC))
        assert (code, err.removeprefix(HEADER.format(hands=hands))) == {
            signal.SIGKILL: (-signal.SIGKILL, ""),
            signal.SIGTERM: (1, "ERROR: terminated\n"),
            signal.SIGINT: (130, "\ninterrupted\n"),
        }[ending]
        assert len(states(first.log())) == hand_id
        assert states(first.log()) == calls_only(LEDUC, hands)[: len(states(first.log()))]
        assert verify_log(tmp_path / "m.log").faults == ()
        async with dealing(Dealer(tmp_path, "-T", "-a")) as second:
            code, err = await second.play(caller(LEDUC), caller(LEDUC))
        assert (code, err) == (0, HEADER.format(hands=hands) + calls_only(LEDUC, hands)[-1] + "\n")
        assert states(second.log()) == calls_only(LEDUC, hands)
        assert verify_log(tmp_path / "m.log").faults == ()

    run(play())


@pytest.fixture(scope="module")
def finished_match(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the two logs of a whole match."""
    folder = tmp_path_factory.mktemp("finished")

    async def play() -> None:
        async with dealing(Dealer(folder, "-T")) as dealer:
            assert (await dealer.play(caller(LEDUC), caller(LEDUC)))[0] == 0

    run(play())
    return folder


@pytest.fixture
def finished(finished_match: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(finished_match, tmp_path / "copy"))


@pytest.mark.process
@pytest.mark.parametrize("broken_off", ["", "STATE:39:cc/c"])
def test_fault_dealer_ended_between_its_logs(finished: Path, broken_off: str) -> None:
    """The last hand is in the transaction log, but not or only in part in the match log: resuming adds it."""
    log = finished / "m.log"
    whole = log.read_text()
    log.write_text(whole[: whole.index("STATE:39")] + broken_off)

    async def play() -> None:
        async with dealing(Dealer(finished, "-T", "-a")) as dealer:
            assert (await dealer.play(leaving(VERSION, 0), leaving(VERSION, 0)))[0] == 0

    run(play())
    assert states(log.read_text()) == states(whole)
    assert verify_log(log).faults == ()


@pytest.mark.process
@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text[:-5], "could not parse transaction stamp 'c 39"),
        (lambda text: text.replace("c 3 ", "x 3 ", 1), "could not parse transaction stamp x 3"),
        (lambda text: "\0\0\0\0" + text[4:], r"could not parse transaction stamp \x00\x00"),
        (lambda text: "".join(text.splitlines(True)[:50]), "is in the match log, but not in the transaction log"),
    ],
    ids=["last line incomplete", "bad line", "zeros", "lines lost"],
)
def test_fault_damaged_transaction_log(finished: Path, damage: Callable[[str], str], message: str) -> None:
    """It is one clear error, and neither log is touched but for the second header."""
    transactions, log = finished / "m.tlog", finished / "m.log"
    damaged, before = damage(transactions.read_text()), log.read_text()
    transactions.write_text(damaged)

    async def play() -> None:
        async with dealing(Dealer(finished, "-T", "-a")) as dealer:
            code, err = await dealer.play(leaving(VERSION, 0), leaving(VERSION, 0))
        assert code == 1
        assert message in err
        assert "Traceback" not in err

    run(play())
    assert transactions.read_text() == damaged
    assert log.read_text() == before + HEADER.format(hands=40)


@pytest.mark.process
def test_fault_transaction_log_lacks_a_line_end(finished: Path) -> None:
    """The line is whole, so it counts."""
    transactions = finished / "m.tlog"
    whole = transactions.read_text()
    transactions.write_text(whole[:-1])

    async def play() -> None:
        async with dealing(Dealer(finished, "-T", "-a")) as dealer:
            assert (await dealer.play(leaving(VERSION, 0), leaving(VERSION, 0)))[0] == 0

    run(play())
    assert transactions.read_text() == whole


@pytest.mark.process
@pytest.mark.parametrize(("file", "hands"), [("m.log", 0), ("m.tlog", 0)])
def test_fault_full_disk(tmp_path: Path, file: str, hands: int) -> None:
    (tmp_path / file).symlink_to("/dev/full")

    async def play() -> None:
        async with dealing(Dealer(tmp_path, "-T")) as dealer:
            code, err = await dealer.play(caller(LEDUC), caller(LEDUC))
        assert code == 1
        assert err.endswith(f"ERROR: could not write {file} (No space left on device)\n")

    run(play())


@pytest.mark.process
@pytest.mark.parametrize(("arguments", "file"), [((), "m.log"), (("-T", "-l"), "m.tlog")])
def test_fault_disk_fills_up(tmp_path: Path, arguments: tuple[str, ...], file: str) -> None:
    """The file may not grow beyond 1,000 bytes: what is in it is whole lines, and the match can be resumed."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    async def play() -> None:
        async with dealing(Dealer(tmp_path, *arguments, preexec_fn=limit)) as dealer:
            code, err = await dealer.play(caller(LEDUC), caller(LEDUC))
        assert (code, err) == (1, f"{HEADER.format(hands=40)}ERROR: could not write {file} (File too large)\n")
        left = (tmp_path / file).read_text()
        assert 900 < len(left) <= 1000
        assert left.endswith("\n")
        if file == "m.log":
            assert states(left) == calls_only(LEDUC, 40)[: len(states(left))]
            assert verify_log(tmp_path / "m.log").faults == ()
        else:
            assert all(re.fullmatch(r"c [0-9]+ [0-9.]+ [0-9.]+", line) for line in left.splitlines())

    run(play())


@pytest.mark.parametrize(
    ("match", "message"),
    [
        ("missing/m", "could not open log file missing/m.log (No such file or directory)"),
        ("file/m", "could not open log file file/m.log (Not a directory)"),
        ("folder", "could not open log file folder.log (Is a directory)"),
    ],
)
def test_fault_log_cannot_be_opened(tmp_path: Path, match: str, message: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder.log").mkdir()
    command = [
        sys.executable,
        "-c",
        "from hedgehog.cli.main import main; main()",
        "dealer",
        match,
        LEDUC,
        "2",
        "1",
        "A",
        "B",
    ]
    result = subprocess.run(
        command, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, timeout=TEST_TIMEOUT_S, check=False
    )
    assert (result.returncode, result.stdout, result.stderr.decode()) == (2, b"", f"error: {message}\n")


@pytest.mark.parametrize("fixed", [True, False], ids=["the port asked for", "every port tried"])
def test_fault_ports_in_use(monkeypatch: pytest.MonkeyPatch, fixed: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as holder:
        taken = holder.getsockname()[1]
        monkeypatch.setattr(server, "propose_ports", lambda seed, count: [taken] * count)
        options = ServerOptions(seed=0, ports=(taken,) if fixed else ())
        match = MatchServer(table(), options, Journal(MessageStream(None)))
        with pytest.raises(MatchError, match=rf"could not open a port for seat 1 \(port {taken} .* in use\)"):
            asyncio.run(asyncio.wait_for(match.run(lambda ports: None), TEST_TIMEOUT_S))


@pytest.mark.parametrize("jump_s", [-86_400, 86_400, 10**9])
def test_fault_clock_jump(monkeypatch: pytest.MonkeyPatch, jump_s: int) -> None:
    """Nobody is timed out, and the stamps go on where they were."""
    plain = time.time_ns
    jumps = iter([0])
    monkeypatch.setattr(time, "time_ns", lambda: plain() + next(jumps, jump_s) * 10**9)  # from the second look on
    limits = TimeLimits(10_000_000, 10_000_000, 10_000_000)
    served = serve(table(limits=limits), [caller(KUHN)] * 2, quiet=False)
    assert served.log_lines() == KUHN_LOG
    stamps = [float(stamp) for stamp in re.findall(r" at ([0-9.]+)", served.messages.getvalue().decode())]
    assert len(stamps) > 10
    assert max(stamps) - min(stamps) < 10
    assert abs(max(stamps) - plain() / 1e9) < 60


@pytest.mark.process
def test_fault_nobody_reads_the_ports(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)

    async def play() -> None:
        async with dealing(Dealer(tmp_path, stdout=writing)) as dealer:
            os.close(writing)
            code, err = await dealer.end()
        assert (code, err) == (1, f"{HEADER.format(hands=40)}ERROR: [Errno 32] Broken pipe\n")
        assert dealer.log() == HEADER.format(hands=40)

    run(play())


@pytest.mark.process
@pytest.mark.parametrize("how", ["closed", "reader gone", "full"])
def test_fault_no_stderr(tmp_path: Path, how: str) -> None:
    """The match does not depend on whoever watches it."""

    async def play() -> None:
        reading, writing = os.pipe()
        os.close(reading)
        if how == "full":
            os.dup2(os.open("/dev/full", os.O_WRONLY), writing)
        close = (lambda: os.close(2)) if how == "closed" else None
        async with dealing(Dealer(tmp_path, stderr=writing, preexec_fn=close)) as dealer:
            os.close(writing)
            code, _ = await dealer.play(caller(LEDUC), caller(LEDUC))
        assert code == 0
        assert dealer.log() == HEADER.format(hands=40) + "\n".join(calls_only(LEDUC, 40)) + "\n"

    run(play())
