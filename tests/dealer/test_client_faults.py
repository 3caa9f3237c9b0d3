"""Clients that answer out of turn, go silent, leave or are killed.

After every fault the log must be a valid log or the beginning of one, and the other seats must not have noticed.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
import socket
import sys
import time
from pathlib import Path

import pytest

from hedgehog.dealer import connection, server
from hedgehog.dealer.clock import TimeLimits
from hedgehog.dealer.journal import Journal, MessageStream
from hedgehog.dealer.response import BAD_STATE, UNREQUESTED
from hedgehog.dealer.server import MatchServer, ServerOptions
from hedgehog.runtime.errors import MatchError
from tests.dealer.fault_fixtures import (
    HEADER,
    KUHN,
    KUHN_LOG,
    LEDUC,
    SEAT_1_ANSWERS,
    SEAT_2_ANSWERS,
    VERSION,
    Dealer,
    caller,
    calls_only,
    dealing,
    leaving,
    run,
    table,
)
from tests.dealer.line_faults import MEGABYTE
from tests.dealer.scripted import TEST_TIMEOUT_S, Client, run_client, serve


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
    message = r"could not get action from seat 2\n[0-9]+\.[0-9] seconds spent waiting; timeout 0\.1"
    assert re.fullmatch(message, served.error_text())
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


def test_fault_comment_drip() -> None:
    """Comments are free, but no answer could be in time any more."""
    served = serve(table(limits=TimeLimits(100_000, 10**9, 10**9)), [caller(KUHN), dripping(b"# hm\r\n", 0.01)])
    assert served.error_text() == "seat 2 ran out of time"
    assert served.message_lines() == []


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


def _fill(client: socket.socket) -> int:
    """Sends until nothing more is taken, and returns the number of bytes."""
    sent = 0
    for size in (1 << 20, 1):
        with contextlib.suppress(BlockingIOError):
            while True:
                sent += client.send(b"x" * size)
    return sent


def test_fault_client_never_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written for it is bounded; the match ends."""
    monkeypatch.setattr(connection, "WRITE_BEHIND", 60)
    monkeypatch.setattr(server, "_GOODBYE_S", 0.05)
    deaf = socket.socket()
    plain_init = connection.SeatConnection.__init__

    def init(self: connection.SeatConnection, client: socket.socket, linger_s: float = 0.0) -> None:
        plain_init(self, client, linger_s)
        if client.getpeername() == deaf.getsockname():  # fill the kernel's buffers, as hours of play would
            while _fill(client):
                time.sleep(0.1)  # on a busy machine the kernel takes what it holds to the other end only later

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


KILLED_CLIENT = """
import socket, sys, os, signal
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=30)
connection.sendall(b"VERSION:2.0.0\\r\\n")
connection.recv(100)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.process
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
