"""What goes wrong at a table is injected here, fault by fault; ``docs/dealer.md`` lists them all.

After every fault the log must be a valid log or the beginning of one, and the other seats must not have noticed.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from dealer import connection, server
from dealer.clock import TimeLimits
from dealer.journal import Journal, MessageStream
from dealer.response import BAD_ACTION_FORMAT, BAD_STATE, INVALID_ACTION, UNREQUESTED
from dealer.server import MatchServer, ServerOptions
from dealer.table import LogLine, MatchOver, Send, Table
from poker.acpc.gamedef import GameDef
from poker.acpc.handlog import verify_log, verify_log_lines
from runtime.errors import MatchError
from tests.dealer.scripted import PATIENT, TEST_TIMEOUT_S, Client, replaying_client, run_client, serve
from tests.golden import HUNL, game

ROOT = Path(__file__).parents[2]
KUHN = "kuhn.limit.2p"
VERSION = b"VERSION:2.0.0\r\n"
MEGABYTE = 1 << 20

# Kuhn poker with seed 1 and two callers: seat 1 is asked in hand 0 before seat 2, in hand 1 after seat 2.
SEAT_1_ANSWERS = b"MATCHSTATE:0:0::Ks|:c\r\nMATCHSTATE:1:1:c:|As:c\r\n"
SEAT_2_ANSWERS = b"MATCHSTATE:1:0:c:|As:c\r\nMATCHSTATE:0:1::Qs|:c\r\n"
KUHN_LOG = ["STATE:0:cc:Ks|As:-1|1:A|B", "STATE:1:cc:Qs|As:-1|1:B|A", "SCORE:0|0:A|B"]


def caller(name: str) -> Client:
    """A client that always calls and expects nothing but orderly lines."""
    return replaying_client(game(name), ["c" * 60] * 100)


def table(name: str = KUHN, num_hands: int = 2, limits: TimeLimits = PATIENT) -> Table:
    return Table(game(name), ["A", "B"], num_hands=num_hands, seed=1, limits=limits)


@functools.cache
def calls_only(name: str, num_hands: int = 2) -> Sequence[str]:
    """The log of a match in which nothing goes wrong."""
    match = table(name, num_hands)
    events = match.start(0)
    lines: list[str] = []
    while not isinstance(events[-1], MatchOver):
        asked = next(e.line for e in reversed(events) if isinstance(e, Send) and e.seat == match.acting_seat)
        events = match.receive(asked.rstrip() + ":c", 0)
        lines += [event.line for event in events if isinstance(event, LogLine)]
    return [*lines, events[-1].score_line]


# Lines of one client -------------------------------------------------------------------------------------------------


class LineFault(NamedTuple):
    """What a client sends instead of its first answer, and what must become of it."""

    sends: Callable[[bytes], bytes | Sequence[bytes]]
    """From the line received (without line end) to the bytes sent; several pieces are sent one after the other."""
    warnings: Sequence[str] = ()
    betting: str = "cc/cc/cc/cc"
    """Of the first hand, in which everybody else calls."""


LINE_FAULTS = {
    "half lines": LineFault(lambda line: [line[:9], line[9:], b":c", b"\r\n"]),
    "single bytes": LineFault(lambda line: [bytes([byte]) for byte in line + b":c\r\n"]),
    "LF": LineFault(lambda line: line + b":c\n"),
    "CR CR LF": LineFault(lambda line: line + b":c\r\r\n"),
    "lone CR": LineFault(lambda line: [line + b":c\r", line + b":f\r", b"\n"]),
    "several lines at once": LineFault(
        lambda line: b"# hello\r\njunk\r\n\r\n" + line + b":c\r\nmore junk\r\n", [BAD_STATE] * 3
    ),
    "comment lines": LineFault(lambda line: b"# one\r\n;two\n" + line + b":c\r\n"),
    "10 MB without line end": LineFault(
        lambda line: b"x" * (10 * MEGABYTE) + b"\n" + line + b":c\r\n", [BAD_STATE] * (10 * MEGABYTE // 4095 + 1)
    ),
    "NUL in the state": LineFault(lambda line: line[:15] + b"\0:c\r\n" + line + b":c\r\n", [BAD_STATE]),
    "NUL after the action": LineFault(lambda line: line + b":c\0\0\r\n"),
    "binary bytes": LineFault(lambda line: bytes(range(256)) + b"\r\n" + line + b":c\r\n", [BAD_STATE] * 2),
    "not UTF-8": LineFault(lambda line: b"\xff\xfe\xe4\r\n" + line + b":c\xc3\r\n", [BAD_STATE]),
    "wrong hand id": LineFault(
        lambda line: line.replace(b":0:c", b":1:c") + b":c\r\n" + line + b":c\r\n", [UNREQUESTED]
    ),
    "wrong position": LineFault(
        lambda line: line.replace(b":0:0:", b":1:0:") + b":c\r\n" + line + b":c\r\n", [UNREQUESTED]
    ),
    "impossible position": LineFault(
        lambda line: line.replace(b":0:0:", b":2:0:") + b":c\r\n" + line + b":c\r\n", [BAD_STATE]
    ),
    "stale state": LineFault(lambda line: line.replace(b":c:", b"::") + b":r400\r\n" + line + b":c\r\n", [UNREQUESTED]),
    "duplicate answer": LineFault(lambda line: (line + b":c\r\n") * 2, [UNREQUESTED]),
    "answer after fold": LineFault(
        lambda line: line + b":r1000\r\n" + line.replace(b":c:", b":cr1000c/:") + b":f\r\n",
        [BAD_STATE],
        "cr1000c/cc/cc/cc",
    ),
    "missing action": LineFault(lambda line: line + b":\r\n", [INVALID_ACTION]),
    "missing colon": LineFault(lambda line: line + b"\r\n", [BAD_ACTION_FORMAT]),
    "unknown action": LineFault(lambda line: line + b":x\r\n", [INVALID_ACTION]),
    "illegal fold": LineFault(lambda line: line + b":f\r\n", [INVALID_ACTION]),
    "raise without size": LineFault(lambda line: line + b":r\r\n", [BAD_ACTION_FORMAT]),
    "raise too small": LineFault(
        lambda line: line + b":r199\r\n", ["raise of 199 increased to 200"], "cr200c/cc/cc/cc"
    ),
    "raise too large": LineFault(
        lambda line: line + b":r20001\r\n", ["raise of 20001 decreased to 20000"], "cr20000c///"
    ),
    "raise overflow": LineFault(
        lambda line: line + b":r2147483648\r\n", ["raise of -2147483648 increased to 200"], "cr200c/cc/cc/cc"
    ),
    "raise negative": LineFault(lambda line: line + b":r-1\r\n", ["raise of -1 increased to 200"], "cr200c/cc/cc/cc"),
}


def faulty_client(gamedef: GameDef, fault: LineFault) -> Client:
    """A caller whose first answer is replaced."""
    pending = [fault]

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        class Writer:
            def write(self, data: bytes) -> None:
                if data == VERSION or not pending:
                    writer.write(data)
                    return
                sends = pending.pop().sends(data.rpartition(b":")[0])
                for piece in [sends] if isinstance(sends, bytes) else sends:
                    writer.write(piece)

        await replaying_client(gamedef, ["c" * 60] * 100)(reader, Writer())  # type: ignore[arg-type]  # duck typing

    return play


@pytest.mark.parametrize("name", LINE_FAULTS)
def test_line_fault(name: str) -> None:
    """A bad line costs nothing but a warning or a repaired action: the match is completed."""
    fault = LINE_FAULTS[name]
    gamedef = game(HUNL)
    served = serve(table(HUNL), [faulty_client(gamedef, fault), caller(HUNL)])
    assert served.error is None
    first, second, score = served.log_lines()
    assert first.split(":")[2] == fault.betting
    assert second == calls_only(HUNL)[1]
    assert served.message_lines() == [*(f"WARNING: {warning}" for warning in fault.warnings), score]
    assert verify_log_lines(served.log_lines(), gamedef).faults == ()


async def sends_and_reads(data: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(VERSION + data)
    await reader.read(-1)


def test_fault_early_answers() -> None:
    """A correct guess sent in advance counts."""
    served = serve(
        table(),
        [
            lambda reader, writer: sends_and_reads(SEAT_1_ANSWERS, reader, writer),
            lambda reader, writer: sends_and_reads(SEAT_2_ANSWERS, reader, writer),
        ],
    )
    assert served.log_lines() == KUHN_LOG
    assert served.message_lines() == [KUHN_LOG[-1]]


def test_fault_answer_out_of_turn() -> None:
    """It waits for the seat's turn and is dropped then."""
    served = serve(
        table(),
        [
            caller(KUHN),
            lambda reader, writer: sends_and_reads(b"MATCHSTATE:1:0::|As:c\r\n" + SEAT_2_ANSWERS, reader, writer),
        ],
    )
    assert served.log_lines() == KUHN_LOG
    assert served.message_lines() == [f"WARNING: {UNREQUESTED}", KUHN_LOG[-1]]


def test_fault_flood_out_of_turn() -> None:
    """10 MB of lines out of turn stay in the kernel and in the client until its turn."""
    junk = (b"y" * 4000 + b"\n") * (10 * MEGABYTE // 4001)
    served = serve(
        table(), [caller(KUHN), lambda reader, writer: sends_and_reads(junk + SEAT_2_ANSWERS, reader, writer)]
    )
    assert served.log_lines() == KUHN_LOG
    assert served.message_lines() == [f"WARNING: {BAD_STATE}"] * (len(junk) // 4001) + [KUHN_LOG[-1]]


# Clients that are slow, deaf or gone ---------------------------------------------------------------------------------


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(VERSION)
    await reader.read(-1)


def test_fault_silent_client() -> None:
    served = serve(table(limits=TimeLimits(50_000, 10**9, 10**9)), [caller(KUHN), silent])
    assert served.error_text() == "could not get action from seat 2\n0.1 seconds spent waiting; timeout 0.1"
    assert served.log_lines() == []


def dripping(piece: bytes, interval_s: float) -> Client:
    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(VERSION)
        while not reader.at_eof():
            writer.write(piece)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(reader.read(4096), interval_s)

    return play


def test_fault_byte_drip() -> None:
    """Bytes without a line end do not count as an answer."""
    served = serve(table(limits=TimeLimits(100_000, 10**9, 10**9)), [caller(KUHN), dripping(b"M", 0.01)])
    assert served.error_text().startswith("could not get action from seat 2\n")


def test_fault_line_drip() -> None:
    """Every dropped line is charged the time since the question."""
    served = serve(table(limits=TimeLimits(10**9, 100_000, 10**9)), [caller(KUHN), dripping(b"junk\r\n", 0.03)])
    assert served.error_text() == "seat 2 ran out of time"
    assert set(served.message_lines()) == {f"WARNING: {BAD_STATE}"}


def test_fault_match_budget() -> None:
    """Slow answers, each of them in time, use up the time for the match; what was played stays."""

    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        class Writer:
            def write(self, data: bytes) -> None:
                time.sleep(0.03)
                writer.write(data)

        await caller(KUHN)(reader, Writer())  # type: ignore[arg-type]  # duck typing

    served = serve(table(num_hands=50, limits=TimeLimits(10**9, 10**9, 100_000)), [slow, caller(KUHN)])
    assert served.error_text() in ("seat 1 ran out of time", "seat 2 ran out of time")  # both share one event loop
    assert served.log_lines() == calls_only(KUHN, 50)[: len(served.log_lines())] != []


def test_fault_client_never_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written for it is bounded; the match ends."""
    monkeypatch.setattr(connection, "WRITE_BEHIND", 60)
    monkeypatch.setattr(server, "_GOODBYE_S", 0.05)
    deaf = socket.socket()
    plain_init = connection.SeatConnection.__init__

    def init(self: connection.SeatConnection, client: socket.socket, linger_s: float = 0.0) -> None:
        plain_init(self, client, linger_s)
        if client.getpeername() == deaf.getsockname():  # fill the kernel's buffers, as hours of play would
            for size in (1 << 20, 1):
                with contextlib.suppress(BlockingIOError):
                    while True:
                        client.send(b"x" * size)

    monkeypatch.setattr(connection.SeatConnection, "__init__", init)

    async def run() -> None:
        clients: list[asyncio.Task[None]] = []

        def start(ports: list[int]) -> None:
            deaf.connect(("127.0.0.1", ports[1]))
            deaf.sendall(VERSION + SEAT_2_ANSWERS)
            clients.append(asyncio.create_task(run_client(ports[0], caller(KUHN))))

        match = MatchServer(table(), ServerOptions(seed=0, quiet=True), Journal(MessageStream(None)))
        with pytest.raises(MatchError, match="seat 2 does not read what it is sent"):
            await match.run(start)
        await asyncio.gather(*clients)

    with deaf:
        asyncio.run(asyncio.wait_for(run(), TEST_TIMEOUT_S))


def test_fault_write_side_closed() -> None:
    """A client that has said everything may close its sending side and still reads to the end."""
    received: list[bytes] = []

    async def half_closed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(VERSION + SEAT_1_ANSWERS)
        writer.write_eof()
        received.append(await reader.read(-1))

    served = serve(table(), [half_closed, caller(KUHN)])
    assert served.log_lines() == KUHN_LOG
    assert received[0].endswith(b"MATCHSTATE:1:1:cc:Qs|As\r\n")


def leaving(script: bytes, lines: int) -> Client:
    """Returns a client that sends all its lines at once, reads a given number of lines and hangs up."""

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(script)
        for _ in range(lines):
            await reader.readline()

    return play


@pytest.mark.parametrize(
    ("script", "lines", "error", "hands"),
    [
        (b"", 0, "could not get version string from seat 1", 0),
        (b"VERSI", 0, "invalid version string VERSI", 0),
        (VERSION, 1, "could not get action from seat 1", 0),
        (VERSION + SEAT_1_ANSWERS[:23], 3, "could not get action from seat 1", 1),
        (VERSION + SEAT_1_ANSWERS, 6, None, 2),
    ],
    ids=["before its version", "in its version", "in a hand", "between hands", "at the very end"],
)
def test_fault_client_disconnects(script: bytes, lines: int, error: str | None, hands: int) -> None:
    served = serve(table(), [leaving(script, lines), caller(KUHN)])
    assert (None if served.error is None else served.error_text().split("\n")[0]) == error
    assert served.log_lines() == (KUHN_LOG if error is None else KUHN_LOG[:hands])


def test_fault_extra_client() -> None:
    """A second client on a seat is refused; the match goes on."""
    refused: list[str] = []

    async def run() -> None:
        tasks: list[asyncio.Task[None]] = []

        async def latecomer(port: int) -> None:
            await asyncio.sleep(0.02)  # the seat has been taken by now
            try:
                await asyncio.open_connection("127.0.0.1", port)
            except OSError as error:
                refused.append(str(error))
            tasks.append(asyncio.create_task(run_client(ports[1], caller(KUHN))))

        ports: list[int] = []

        def start(opened: list[int]) -> None:
            ports.extend(opened)
            tasks.append(asyncio.create_task(run_client(opened[0], caller(KUHN))))
            tasks.append(asyncio.create_task(latecomer(opened[0])))

        match = MatchServer(table(), ServerOptions(seed=0, quiet=True), Journal(MessageStream(None)))
        assert await match.run(start) == KUHN_LOG[-1]
        await asyncio.gather(*tasks)

    asyncio.run(asyncio.wait_for(run(), TEST_TIMEOUT_S))
    assert len(refused) == 1


# The dealer as a process ---------------------------------------------------------------------------------------------

HEADER = (
    "# name/game/hands/seed m leduc.limit.2p {hands} 1\n#--t_response 600000\n#--t_hand 600000\n#--t_per_hand 7000\n"
)
LEDUC = "leduc.limit.2p"


class Dealer:
    """A dealer process in a folder, and its output."""

    def __init__(self, folder: Path, *arguments: str, hands: int = 40, **popen: object) -> None:
        self.folder = folder
        command = [sys.executable, "-c", "from cli.main import main; main()", "dealer"]
        self.process = subprocess.Popen(  # type: ignore[call-overload]  # keyword arguments of the caller
            [*command, "m", LEDUC, str(hands), "1", "A", "B", "-q", *arguments],
            cwd=folder,
            env={"PYTHONPATH": str(ROOT)},
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **popen},
        )

    async def ports(self) -> list[int]:
        line = await asyncio.to_thread(self.process.stdout.readline)
        return [int(port) for port in line.split()]

    async def play(self, *clients: Client) -> tuple[int, str]:
        """Plays the match to its end; returns exit status and stderr."""
        ports = await self.ports()
        await asyncio.gather(*(run_client(port, client) for port, client in zip(ports, clients, strict=False)))
        return await self.end()

    async def end(self) -> tuple[int, str]:
        _, err = await asyncio.to_thread(self.process.communicate, timeout=TEST_TIMEOUT_S)
        return self.process.returncode, "" if err is None else err.decode()

    def log(self) -> str:
        return (self.folder / "m.log").read_text()


@contextlib.asynccontextmanager
async def dealing(dealer: Dealer) -> AsyncIterator[Dealer]:
    """Ends the process whatever happens."""
    try:
        yield dealer
    finally:
        dealer.process.kill()
        dealer.process.wait()
        for pipe in (dealer.process.stdout, dealer.process.stderr):
            if pipe is not None:
                pipe.close()


def run(coroutine: asyncio.Future[object] | object) -> None:
    asyncio.run(asyncio.wait_for(coroutine, TEST_TIMEOUT_S))  # type: ignore[arg-type]


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


def states(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("hand_id", [17, 39])
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda ending: ending.name)
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


KILLED_CLIENT = """
import socket, sys, os, signal
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=30)
connection.sendall(b"VERSION:2.0.0\\r\\n")
connection.recv(100)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_fault_client_killed(tmp_path: Path) -> None:
    async def play() -> None:
        async with dealing(Dealer(tmp_path)) as dealer:
            ports = await dealer.ports()
            other = asyncio.create_task(run_client(ports[1], caller(LEDUC)))
            killed = await asyncio.create_subprocess_exec(sys.executable, "-S", "-c", KILLED_CLIENT, str(ports[0]))
            assert await killed.wait() == -signal.SIGKILL
            code, err = await dealer.end()
            await other
        assert code == 1
        assert err.startswith(HEADER.format(hands=40) + "ERROR: could not get action from seat 1\n")
        assert dealer.log() == HEADER.format(hands=40)

    run(play())


# Disk, ports, clock, streams -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("file", "hands"), [("m.log", 0), ("m.tlog", 0)])
def test_fault_full_disk(tmp_path: Path, file: str, hands: int) -> None:
    (tmp_path / file).symlink_to("/dev/full")

    async def play() -> None:
        async with dealing(Dealer(tmp_path, "-T")) as dealer:
            code, err = await dealer.play(caller(LEDUC), caller(LEDUC))
        assert code == 1
        assert err.endswith(f"ERROR: could not write {file} (No space left on device)\n")

    run(play())


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
    command = [sys.executable, "-c", "from cli.main import main; main()", "dealer", match, LEDUC, "2", "1", "A", "B"]
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


# The table in the docs -----------------------------------------------------------------------------------------------


def test_the_docs_list_these_faults_and_no_others() -> None:
    rows = [line for line in (ROOT / "docs" / "dealer.md").read_text().splitlines() if line.endswith("` |")]
    documented = [re.findall(r"`([^`]+)`", row.rsplit("|", 2)[1]) for row in rows]
    here = {name for row in documented for name in row if "::" not in name}
    functions = {name for name in globals() if name.startswith("test_fault_")}
    assert here == functions | {f"test_line_fault[{name}]" for name in LINE_FAULTS}
    assert len(here) >= 25
    for name in {name for row in documented for name in row if "::" in name}:
        path, function = name.split("::")
        assert f"def {function}(" in (ROOT / path).read_text(), name
