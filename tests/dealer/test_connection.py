"""The line buffer of one seat, with a transport that only remembers."""

from __future__ import annotations

import asyncio

import pytest

from dealer.connection import SeatConnection
from poker.gamedef import MAX_LINE_LENGTH


class MemoryTransport(asyncio.Transport):
    """Remembers what was written and whether reading is paused."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.reading = True

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        assert high is not None

    def is_closing(self) -> bool:
        return False

    def is_reading(self) -> bool:
        return self.reading

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += bytes(data)


class Seat:
    """A connected seat."""

    def __init__(self) -> None:
        self.changes = 0
        self.transport = MemoryTransport()
        self.connection = SeatConnection(self.count)
        self.connection.connection_made(self.transport)

    def count(self) -> None:
        self.changes += 1

    def feed(self, data: bytes) -> None:
        """Delivers bytes as asyncio does: in pieces of the size of the buffer that the protocol offers."""
        while data:
            buffer = self.connection.get_buffer(-1)
            piece, data = data[: len(buffer)], data[len(buffer) :]
            buffer[: len(piece)] = piece
            self.connection.buffer_updated(len(piece))

    def lines(self) -> list[str]:
        found = []
        while (line := self.connection.next_line()) is not None:
            found.append(line)
        return found


@pytest.fixture
def seat() -> Seat:
    return Seat()


def test_lines_keep_their_ends_and_wait_for_them(seat: Seat) -> None:
    seat.feed(b"one\r\ntwo\nthr")
    assert seat.lines() == ["one\r\n", "two\n"]
    seat.feed(b"ee\xff\n")
    assert seat.lines() == ["three\xff\n"]


@pytest.mark.parametrize("length", [MAX_LINE_LENGTH - 1, MAX_LINE_LENGTH, MAX_LINE_LENGTH + 1, 3 * MAX_LINE_LENGTH])
def test_long_lines_are_cut(seat: Seat, length: int) -> None:
    data = b"x" * length + b"\n"
    seat.feed(data)
    lines = seat.lines()
    assert "".join(lines).encode() == data
    assert all(len(line) == MAX_LINE_LENGTH for line in lines[:-1])


def test_the_rest_of_the_stream_is_a_line(seat: Seat) -> None:
    seat.feed(b"one\nrest")
    assert seat.lines() == ["one\n"]
    assert seat.connection.eof_received()
    assert seat.connection.at_end
    assert seat.lines() == ["rest"]


def test_reading_pauses_while_much_is_unread(seat: Seat) -> None:
    seat.feed(b"line\n" * 20_000)
    assert not seat.transport.reading
    assert len(seat.lines()) == 20_000
    assert seat.transport.reading


def test_writing(seat: Seat) -> None:
    seat.connection.write("MATCHSTATE:0:0::Ks|\r\n")
    assert seat.transport.written == b"MATCHSTATE:0:0::Ks|\r\n"
    assert not seat.connection.stuck
    seat.connection.pause_writing()
    assert seat.connection.stuck
    seat.connection.resume_writing()
    assert not seat.connection.stuck


def test_every_change_is_reported(seat: Seat) -> None:
    before = seat.changes
    seat.feed(b"x")
    seat.connection.eof_received()
    seat.connection.connection_lost(None)
    assert (before, seat.changes) == (1, 4)
