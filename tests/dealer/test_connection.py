"""The line buffer of one seat, over a socket on loopback."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections.abc import Iterator

import pytest

from hedgehog.dealer import connection
from hedgehog.dealer.connection import SeatConnection
from hedgehog.poker.acpc.gamedef import MAX_LINE_LENGTH


class Wire:
    """A connected seat and the client's end of its socket."""

    def __init__(self, linger_s: float = 0.0) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.client = socket.create_connection(listener.getsockname(), timeout=10)
            self.socket, _ = listener.accept()
        self.seat = SeatConnection(self.socket, linger_s)

    def feed(self, data: bytes) -> None:
        """Sends bytes to the seat and lets it read them."""
        self.client.sendall(data)
        asyncio.run(self._read(len(data)))

    async def _read(self, count: int) -> None:
        before = len(self.seat._received)
        while len(self.seat._received) < before + count:
            assert await self.seat.read(10)

    def lines(self) -> list[str]:
        found = []
        while (line := self.seat.next_line()) is not None:
            found.append(line)
        return found


@pytest.fixture
def wire() -> Iterator[Wire]:
    made = Wire()
    with made.client, made.socket:
        yield made


def test_lines_keep_their_ends_and_wait_for_them(wire: Wire) -> None:
    wire.feed(b"one\r\ntwo\nthr")
    assert wire.lines() == ["one\r\n", "two\n"]
    wire.feed(b"ee\xff\n")
    assert wire.lines() == ["three\xff\n"]


@pytest.mark.parametrize("length", [MAX_LINE_LENGTH - 1, MAX_LINE_LENGTH, MAX_LINE_LENGTH + 1, 3 * MAX_LINE_LENGTH])
def test_long_lines_are_cut(wire: Wire, length: int) -> None:
    data = b"x" * length + b"\n"
    wire.feed(data)
    lines = wire.lines()
    assert "".join(lines).encode() == data
    assert all(len(line) == MAX_LINE_LENGTH for line in lines[:-1])


def test_the_rest_of_the_stream_is_a_line(wire: Wire) -> None:
    wire.feed(b"one\nrest")
    assert wire.lines() == ["one\n"]
    wire.client.shutdown(socket.SHUT_WR)
    assert asyncio.run(wire.seat.read(10))
    assert wire.seat.at_end
    assert wire.lines() == ["rest"]
    assert wire.lines() == []


def test_a_reset_is_an_end(wire: Wire) -> None:
    wire.feed(b"one\n")
    wire.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wire.client.close()
    assert asyncio.run(wire.seat.read(10))
    assert wire.seat.at_end
    assert wire.lines() == ["one\n"]
    wire.seat.write("into the void\r\n")
    assert not wire.seat.stuck


def test_reading_waits_no_longer_than_it_should(wire: Wire) -> None:
    assert not wire.seat.read_now()
    assert not asyncio.run(wire.seat.read(0.01))
    assert wire.lines() == []


def test_lingering_blocks_and_then_gives_up() -> None:
    wire = Wire(linger_s=0.02)
    with wire.client, wire.socket:
        start = time.monotonic()
        assert not wire.seat.read_now()
        assert time.monotonic() - start >= 0.01  # the kernel rounds to its ticks
        wire.client.sendall(b"line\n")
        assert wire.seat.read_now()
        assert wire.lines() == ["line\n"]


def test_polling_reads_what_is_there_and_gives_up() -> None:
    wire = Wire(linger_s=60.0)
    with wire.client, wire.socket:
        assert not wire.seat.poll(1e-4)  # far less than the time to linger
        wire.client.sendall(b"line\n")
        assert wire.seat.poll(10)
        assert wire.lines() == ["line\n"]
        wire.client.shutdown(socket.SHUT_WR)
        assert wire.seat.poll(10)
        assert wire.seat.at_end


def test_without_lingering_polling_does_not_wait(wire: Wire) -> None:
    assert not wire.seat.poll(1e9)


def test_what_a_client_does_not_read_waits_for_it(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "WRITE_BEHIND", 1 << 16)
    line = "x" * 998 + "\r\n"

    async def play() -> bytes:
        count = 0
        while not wire.seat.stuck:  # until the buffers of the kernel and ours are full
            wire.seat.write(line)
            count += 1
        received = bytearray()
        while len(received) < count * len(line):
            received += wire.client.recv(1 << 16)
            await asyncio.sleep(0)
        assert not wire.seat.stuck
        wire.seat.write("the end\r\n")
        await wire.seat.close(1.0)
        assert received == line.encode() * count
        return wire.client.recv(100)

    assert asyncio.run(asyncio.wait_for(play(), 30)) == b"the end\r\n"


def test_closing_does_not_wait_for_ever(wire: Wire) -> None:
    async def play() -> None:
        while not wire.seat._unsent:
            wire.seat.write("x" * 100_000)
        await wire.seat.close(0.02)

    asyncio.run(asyncio.wait_for(play(), 30))
    assert wire.socket.fileno() == -1
