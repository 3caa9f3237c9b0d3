"""The TCP dealer: one port per seat, around the I/O-free :class:`dealer.table.Table`."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final

from dealer.cards import propose_ports
from dealer.connection import RefusedConnection, SeatConnection
from dealer.table import Acted, Event, LogLine, MatchOver, Report, Send, Table, Warn
from dealer.transactions import Transaction, format_timestamp, format_transaction
from poker.errors import MatchError
from poker.scanf import scan_integer

PROTOCOL_VERSION: Final = (2, 0, 0)
_PORT_RETRIES = 10
_GOODBYE_S: Final = 5.0
"""How long the last lines may take to reach a client."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How to serve a match."""

    seed: int
    """Decides the ports that are not fixed (and, in the table, the cards)."""
    bind: str = "127.0.0.1"
    """Address to listen on."""
    ports: Sequence[int] = ()
    """Per seat; 0 or missing: chosen by the seed."""
    start_timeout_s: float | None = None
    """For all seats to connect; None waits forever."""
    quiet: bool = False
    """Leaves only warnings and the score in the messages."""


@dataclass(frozen=True, slots=True)
class Journal:
    """Where a match is written to."""

    messages: BinaryIO
    """Warnings and, unless quiet, every line sent and received (the dealer's stderr)."""
    log: BinaryIO | None = None
    """The match log."""
    transaction_log: BinaryIO | None = None
    """The log from which an interrupted match can be resumed."""


def encode(text: str) -> bytes:
    """Encodes text made from command-line arguments back to the bytes they were."""
    return text.encode("utf-8", "surrogateescape")


def parse_version(line: str) -> tuple[int, int, int] | None:
    """Reads a client's ``VERSION:2.0.0`` line as leniently as the official dealer; None if it is none."""
    numbers: list[int] = []
    at = 0
    for separator in ("VERSION:", ".", "."):
        if not line.startswith(separator, at):
            return None
        scanned = scan_integer(line, at + len(separator), 32)
        if scanned is None:
            return None
        numbers.append(scanned[0])
        at = scanned[1]
    return numbers[0], numbers[1], numbers[2]


class MatchServer:
    """Serves one match over TCP: wait for all seats, read their versions, play."""

    def __init__(
        self, table: Table, options: ServerOptions, journal: Journal, transactions: Iterable[Transaction] = ()
    ) -> None:
        """Prepares the match; :meth:`run` plays it.

        :param transactions: actions after which to resume the match.
        """
        self.table = table
        self._options = options
        self._journal = journal
        self._transactions = transactions
        self._seats: list[SeatConnection] = []
        self._listeners: list[asyncio.Server] = []
        self._clock_offset_us = (time.time_ns() - time.monotonic_ns()) // 1000
        self._waiting_since_us = 0
        self._timer: asyncio.TimerHandle | None = None
        self._versions_read = 0
        self._advance: Callable[[], None] = self._await_seats
        """The current phase of the match; called whenever something changed."""

    def _now_us(self) -> int:
        """Microseconds since the epoch, from a clock that is never set back."""
        return self._clock_offset_us + time.monotonic_ns() // 1000

    async def run(self, on_ports: Callable[[list[int]], None]) -> str:
        """Listens, waits for all seats and plays the match.

        :param on_ports: called with the ports in seat order once all of them are open.
        :returns: the ``SCORE:`` line.
        :raises MatchError: if the match could not be completed.
        """
        loop = asyncio.get_running_loop()
        self._outcome: asyncio.Future[str] = loop.create_future()
        self._seats = [SeatConnection(self._on_change) for _ in self.table.names]
        try:
            on_ports(await self._listen())
            if self._options.start_timeout_s is not None:
                self._timer = loop.call_later(self._options.start_timeout_s, self._on_start_timeout)
            return await self._outcome
        finally:
            if self._timer is not None:
                self._timer.cancel()
            for listener in self._listeners:
                listener.close()
            await asyncio.gather(*(seat.close(_GOODBYE_S) for seat in self._seats))

    async def _listen(self) -> list[int]:
        """Opens a port per seat; a client may connect (which closes its port) before the next one is open."""
        count = len(self._seats)
        fixed = [*self._options.ports, *[0] * count][:count]
        proposals = iter(propose_ports(self._options.seed, (1 + _PORT_RETRIES) * count))
        ports = []
        for number, port in enumerate(fixed):
            candidates = iter([port]) if port else itertools.islice(proposals, 1 + _PORT_RETRIES)
            listener = await self._open_port(number, candidates)
            self._listeners.append(listener)
            ports.append(listener.sockets[0].getsockname()[1])
        return ports

    async def _open_port(self, number: int, candidates: Iterable[int]) -> asyncio.Server:
        """Listens for the client of seat ``number`` on the first candidate port that is free."""
        seat = self._seats[number]
        taken = False

        def client() -> asyncio.BaseProtocol:
            nonlocal taken
            if taken:
                return RefusedConnection()
            taken = True
            return seat

        problem = ""
        for port in candidates:
            try:
                return await asyncio.get_running_loop().create_server(client, self._options.bind, port, backlog=1)
            except OSError as error:
                problem = str(error)
        raise MatchError(f"could not open a port for seat {number + 1}: {problem}")

    def _on_change(self) -> None:
        """Lets the match advance as far as it can; a failure becomes its outcome."""
        if self._outcome.done():
            return
        try:
            self._advance()
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        if not self._outcome.done():
            self._outcome.set_exception(error)

    def _on_start_timeout(self) -> None:
        missing = [number for number, seat in enumerate(self._seats, 1) if not seat.connected]
        if missing:
            self._fail(MatchError(f"timed out waiting for seat {missing[0]} to connect"))

    def _await_seats(self) -> None:
        for seat, listener in zip(self._seats, self._listeners, strict=False):
            if seat.connected:
                listener.close()
        if all(seat.connected for seat in self._seats):
            self._advance = self._read_versions
            self._read_versions()

    def _read_versions(self) -> None:
        for number, seat in enumerate(self._seats[self._versions_read :], self._versions_read + 1):
            line = seat.next_line()
            if line is None:
                if seat.at_end:
                    raise MatchError(f"could not get version string from seat {number}")
                return
            version = parse_version(line)
            if version is None:
                raise MatchError(f"invalid version string {line.rstrip()}")
            if version[0] != PROTOCOL_VERSION[0] or version[1] > PROTOCOL_VERSION[1]:
                # The official dealer says so and plays on.
                supported = ".".join(map(str, PROTOCOL_VERSION))
                self._say(f"ERROR: this server is currently using version {supported}")
            self._versions_read += 1
        self._advance = self._play
        now_us = self._now_us()
        if not self._options.quiet:
            self._say(f"STARTED at {format_timestamp(now_us)}")
        self._waiting_since_us = now_us
        self._deliver(self.table.start(now_us, self._transactions), now_us)
        self._watch_silence()
        self._play()

    def _play(self) -> None:
        table = self.table
        while not self._outcome.done():
            number = table.acting_seat
            line = self._seats[number].next_line()
            if line is None:
                if self._seats[number].at_end:
                    raise self._no_action()
                break
            now_us = self._now_us()
            if not self._options.quiet:
                self._echo("FROM", number, now_us, line)
            self._waiting_since_us = now_us
            self._deliver(table.receive(line, now_us), now_us)
        self._journal.messages.flush()

    def _no_action(self) -> MatchError:
        seconds = (self._now_us() - self.table.sent_us) / 1e6
        limit = self.table.limits.response_us / 1e6
        return MatchError(
            f"could not get action from seat {self.table.acting_seat + 1}\n"
            f"{seconds:.1f} seconds spent waiting; timeout {limit:.1f}"
        )

    def _watch_silence(self) -> None:
        """Ends the match when the acting seat has sent no line for as long as one answer may take.

        One timer is re-armed when it fires, which is far cheaper than one timer per answer.
        """
        if self._outcome.done():
            return
        left_us = self._waiting_since_us + self.table.limits.response_us - self._now_us()
        if left_us < 0:
            self._fail(self._no_action())
        else:
            self._timer = asyncio.get_running_loop().call_later(left_us / 1e6 + 1e-3, self._watch_silence)

    def _say(self, message: str) -> None:
        self._journal.messages.write(encode(message + "\n"))

    def _echo(self, direction: str, seat: int, time_us: int, line: str) -> None:
        stamp = format_timestamp(time_us)
        self._journal.messages.write(f"{direction} {seat + 1} at {stamp} {line}".encode("latin-1"))

    def _deliver(self, events: list[Event], now_us: int) -> None:
        """Carries out the events of one step; what goes to one seat leaves in one piece."""
        journal = self._journal
        outgoing: dict[int, str] = {}
        for event in events:
            if isinstance(event, Send):
                outgoing[event.seat] = outgoing.get(event.seat, "") + event.line
                if not self._options.quiet:
                    self._echo("TO", event.seat, now_us, event.line)
            elif isinstance(event, Acted):
                if journal.transaction_log is not None:
                    journal.transaction_log.write(encode(format_transaction(event.transaction) + "\n"))
                    journal.transaction_log.flush()
            elif isinstance(event, LogLine):
                self._log(event.line)
            elif isinstance(event, Warn):
                self._say(f"WARNING: {event.message}")
            elif isinstance(event, Report):
                if not self._options.quiet:
                    self._say(event.message)
            else:
                self._finish(event)
        for number, text in outgoing.items():
            seat = self._seats[number]
            seat.write(text)
            if seat.stuck:
                raise MatchError(f"seat {number + 1} does not read what it is sent")

    def _log(self, line: str) -> None:
        if self._journal.log is not None:
            self._journal.log.write(encode(line + "\n"))
            self._journal.log.flush()

    def _finish(self, event: MatchOver) -> None:
        self._log(event.score_line)
        if not self._options.quiet:
            self._say(f"FINISHED at {format_timestamp(self.table.sent_us)}")
        self._say(event.score_line)
        self._outcome.set_result(event.score_line)
