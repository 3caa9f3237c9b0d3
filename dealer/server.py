"""The TCP server of a match: one port per seat. The match itself is played by :class:`hedgehog.dealer.table.Table`."""

from __future__ import annotations

import asyncio
import itertools
import math
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hedgehog.dealer.cards import propose_ports
from hedgehog.dealer.connection import WRITE_BEHIND, SeatConnection
from hedgehog.dealer.journal import Journal, encode
from hedgehog.dealer.table import NO_SEAT, Acted, Event, LogLine, MatchOver, Report, Send, Table, Warn
from hedgehog.dealer.transactions import Transaction, format_timestamp, format_transaction
from hedgehog.poker.acpc.scanf import scan_integer
from hedgehog.runtime.errors import MatchError
from hedgehog.runtime.socket_stream import POLL_S

HUNG_UP: Final = "it has closed the connection"
"""The cause in the error message about a client that has left."""
PROTOCOL_VERSION: Final = (2, 0, 0)
"""Version of the ACPC protocol that the server speaks: major, minor, revision."""
_PORT_RETRIES = 10
_GOODBYE_S: Final = 5.0
"""Seconds that the last lines may take to reach a client."""
_TURN_US: Final = 20_000
"""Microseconds after which all waiting lines are sent and the event loop gets a turn (for signals and timers), even if
the clients always answer at once."""
_QUICK_S: Final = 20e-6
"""Seconds that the acting seat may take before the other seats are sent their lines. If it is faster, the other seats
get the lines of several actions in one piece, which saves system calls and wake-ups on both sides."""
_SHOWN_ANSWER: Final = 300
"""Number of characters of an answer that a message shows."""
_SAVE_ANSWERS_US: Final = 2_000_000
"""Microseconds between two saves of the record of answers while the match runs."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How a match is served over TCP."""

    seed: int
    """Seed of the match, 0 .. 2**32 - 1. It decides the ports that are not fixed."""
    bind: str = "127.0.0.1"
    """Address to listen on."""
    ports: Sequence[int] = ()
    """Port of each seat; a port that is 0 or missing is chosen by the seed."""
    start_timeout_s: float | None = None
    """Seconds for all seats to connect; None waits forever."""
    version_timeout_s: float | None = None
    """Seconds for the version lines of all seats, once the last seat has connected; None waits forever."""
    quiet: bool = False
    """If True, the messages contain only warnings and the score."""
    linger_s: float = 0.0
    """Seconds for which a read of a connection blocks the process; see
    :class:`hedgehog.runtime.socket_stream.SocketStream`."""


def parse_version(line: str) -> tuple[int, int, int] | None:
    """Returns the three numbers of a client's line such as ``VERSION:2.0.0``, or None if it is no such line.

    It is as lenient as the official ACPC dealer.
    """
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
    """Serves one match over TCP: waits for all seats, reads their version lines and plays."""

    def __init__(
        self,
        table: Table,
        options: ServerOptions,
        journal: Journal,
        transactions: Iterable[Transaction] = (),
        logged_hands: int | None = None,
    ) -> None:
        """Prepares the match; :meth:`run` plays it.

        :param table: the match to play.
        :param options: addresses, ports and time limits of the connections.
        :param journal: the outputs of the match.
        :param transactions: actions of an interrupted match, after which this one goes on.
        :param logged_hands: number of hands that the match log already holds; see
            :meth:`hedgehog.dealer.table.Table.start`.
        """
        self.table = table
        self._options = options
        self._journal = journal
        self._transactions = transactions
        self._logged_hands = logged_hands
        self._seats: list[SeatConnection] = []
        self._untold = [""] * table.gamedef.num_players
        """For each seat, the lines that it has not been sent yet."""
        self._clock_offset_us = (time.time_ns() - time.monotonic_ns()) // 1000
        self._score_line: str | None = None

    def _now_us(self) -> int:
        """Microseconds since the epoch, from a clock that is never set back."""
        return self._clock_offset_us + time.monotonic_ns() // 1000

    async def run(self, on_ports: Callable[[list[int]], None]) -> str:
        """Listens, waits for all seats, plays the match and returns its ``SCORE:`` line.

        :param on_ports: called with the ports in seat order once all of them are open.
        :raises MatchError: if the match could not be completed.
        """
        clients: list[asyncio.Task[socket.socket]] = []
        try:
            on_ports(await self._listen(clients))
            await self._await_seats(clients)
            self._seats = [SeatConnection(client.result(), self._options.linger_s) for client in clients]
            await self._read_versions()
            return await self._play()
        finally:
            self._journal.messages.flush()
            self._save_answers()
            self._journal.sync()
            for client in clients:
                client.cancel()
            for seat, text in zip(self._seats, self._untold, strict=False):  # no seats: the match has not begun
                seat.write(text)
            await asyncio.gather(*(seat.close(_GOODBYE_S) for seat in self._seats))
            for accepted in await asyncio.gather(*clients, return_exceptions=True):
                if isinstance(accepted, socket.socket):  # closed already, if it has become a seat
                    accepted.close()

    async def _listen(self, clients: list[asyncio.Task[socket.socket]]) -> list[int]:
        """Opens a port per seat; a client may connect (which closes its port) before the next one is open.

        :param clients: gets one task per port, which waits for the client of that seat.
        """
        count = self.table.gamedef.num_players
        fixed = [*self._options.ports, *[0] * count][:count]
        proposals = iter(propose_ports(self._options.seed, (1 + _PORT_RETRIES) * count))
        ports = []
        for number, port in enumerate(fixed, 1):
            candidates = iter([port]) if port else itertools.islice(proposals, 1 + _PORT_RETRIES)
            listener = self._open_port(number, candidates)
            ports.append(listener.getsockname()[1])
            clients.append(asyncio.create_task(_accept(listener)))
            await asyncio.sleep(0)
        return ports

    def _open_port(self, number: int, candidates: Iterable[int]) -> socket.socket:
        """Listens for the client of seat ``number`` on the first candidate port that is free."""
        problem = ""
        for port in candidates:
            try:
                family, kind, protocol, _, address = socket.getaddrinfo(
                    self._options.bind, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
                )[0]
                listener = socket.socket(family, kind, protocol)
            except OSError as error:
                raise MatchError(f"could not listen on {self._options.bind}: {error.strerror}") from error
            try:
                listener.setblocking(False)
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                listener.bind(address)
                listener.listen(1)
                return listener
            except OSError as error:
                listener.close()
                problem = f"port {port} on {self._options.bind}: {error.strerror}"
        raise MatchError(f"could not open a port for seat {number} ({problem})")

    async def _await_seats(self, clients: list[asyncio.Task[socket.socket]]) -> None:
        try:
            async with asyncio.timeout(self._options.start_timeout_s):
                await asyncio.gather(*clients)
        except TimeoutError:
            missing = next(seat for seat, client in enumerate(clients) if client.cancelled())
            fault = self.table.fault(missing, f"not connected within {self._options.start_timeout_s:g} s")
            raise MatchError(f"timed out waiting for seat {missing + 1} to connect{fault}") from None

    async def _read_versions(self) -> None:
        """Reads the version line of every seat."""
        limit_s = self._options.version_timeout_s
        deadline = math.inf if limit_s is None else time.monotonic() + limit_s
        for index, seat in enumerate(self._seats):
            while (line := seat.next_line()) is None:
                left_s = deadline - time.monotonic()
                if seat.at_end or left_s <= 0:
                    cause = HUNG_UP if seat.at_end else f"connected, but sent no version line within {limit_s:g} s"
                    fault = self.table.fault(index, cause)
                    raise MatchError(f"could not get version string from seat {index + 1}{fault}")
                await seat.read(left_s)
            version = parse_version(line)
            if version is None:
                fault = self.table.fault(index, "the first line is no version line")
                raise MatchError(f"invalid version string {line.rstrip()}{fault}")
            if version[0] != PROTOCOL_VERSION[0] or version[1] > PROTOCOL_VERSION[1]:
                # The official dealer says so and plays on.
                supported = ".".join(map(str, PROTOCOL_VERSION))
                self._say(f"ERROR: this server is currently using version {supported}")

    async def _play(self) -> str:
        table = self.table
        now_us = self._now_us()
        if not self._options.quiet:
            self._say(f"STARTED at {format_timestamp(now_us)}")
        self._deliver(table.start(now_us, self._transactions, self._logged_hands), now_us)
        turn_us, saved_us = 0, now_us
        task = asyncio.current_task()
        assert task is not None
        while self._score_line is None:
            self._journal.messages.flush()
            if now_us - turn_us > _TURN_US or task.cancelling():  # a cancelled match plays no further action
                turn_us = now_us
                self._tell_all()
                if now_us - saved_us > _SAVE_ANSWERS_US:
                    saved_us = now_us
                    self._save_answers(sync=False)  # the seats' clocks run while a disk is waited for
                await asyncio.sleep(0)
            number = table.acting_seat
            seat = self._seats[number]
            line = seat.next_line()
            if line is None and seat.poll(_QUICK_S):
                line = seat.next_line()
            if line is None:
                self._tell_all()
                if seat.poll(POLL_S) or seat.read_now():
                    line = seat.next_line()
            if line is None:
                line = await self._wait_for_line(seat, now_us)
            now_us = self._now_us()
            if not self._options.quiet:
                self._echo("FROM", number, now_us, line)
            self._deliver(table.receive(line, now_us), now_us, line)
        return self._score_line

    async def _wait_for_line(self, seat: SeatConnection, since_us: int) -> str:
        """Waits for the next line of the acting seat, at most as long as one answer may take.

        :param since_us: when the wait began: the seat was asked, or sent a line that was no answer.
        """
        while (line := seat.next_line()) is None:
            if seat.at_end:
                raise self._no_action(HUNG_UP)
            left_us = since_us + self.table.clock.limits.response_us - self._now_us()
            if left_us < 0 or not await seat.read(left_us / 1e6 + 1e-3):
                limit_s = self.table.clock.limits.response_us / 1e6
                raise self._no_action(f"no answer within {limit_s:.6g} s")
        return line

    def _no_action(self, cause: str) -> MatchError:
        seat = self.table.acting_seat
        seconds = (self._now_us() - self.table.sent_us) / 1e6
        limit = self.table.clock.limits.response_us / 1e6
        return MatchError(
            f"could not get action from seat {seat + 1}{self.table.fault(seat, cause)}\n"
            f"{seconds:.1f} seconds spent waiting; timeout {limit:.1f}"
        )

    def _say(self, message: str) -> None:
        self._journal.messages.write(encode(message + "\n"))

    def _echo(self, direction: str, seat: int, time_us: int, line: str) -> None:
        stamp = format_timestamp(time_us)
        self._journal.messages.write(f"{direction} {seat + 1} at {stamp} {line}".encode("latin-1"))

    def _save_answers(self, *, sync: bool = True) -> None:
        if self.table.answers is not None:
            self.table.answers.save(sync=sync)

    def _deliver(self, events: list[Event], now_us: int, answer: str = "") -> None:
        """Carries out the events of one step; only the seat to act is told at once.

        :param answer: the client's line that has caused the events.
        """
        for event in events:
            if isinstance(event, Send):
                seat, line = event
                self._untold[seat] += line
                if not self._options.quiet:
                    self._echo("TO", seat, now_us, line)
            elif isinstance(event, Acted):
                if self._journal.transaction_log is not None:
                    self._journal.transaction_log.write(encode(format_transaction(event.transaction) + "\n"))
            elif isinstance(event, LogLine):
                self._log(event.line)
            elif isinstance(event, Warn):
                self._warn(event, answer)
            elif isinstance(event, Report):
                if not self._options.quiet:
                    self._say(event.message)
            else:
                self._finish(event)
        if self.table.acting_seat == NO_SEAT:
            self._tell_all()
        else:
            self._tell(self.table.acting_seat)

    def _warn(self, event: Warn, answer: str) -> None:
        """Writes the official dealer's warning and, if answers are recorded, whose answer it was."""
        message = f"WARNING: {event.message}"
        if self.table.answers is not None:
            name = self.table.names[event.seat]
            message += f" (seat {event.seat + 1}, {name}, hand {event.hand_id}: {answer.rstrip()[:_SHOWN_ANSWER]!r})"
        self._say(message)

    def _tell_all(self) -> None:
        for seat in range(len(self._seats)):
            self._tell(seat)

    def _tell(self, seat: int) -> None:
        """Sends a seat what it has not been sent yet, in one piece.

        :raises MatchError: if the client does not read.
        """
        text = self._untold[seat]
        if text:
            self._untold[seat] = ""
            connection = self._seats[seat]
            connection.write(text)
            if connection.stuck:
                fault = self.table.fault(seat, f"{WRITE_BEHIND >> 20} MiB wait for it")
                raise MatchError(f"seat {seat + 1} does not read what it is sent{fault}")

    def _log(self, line: str) -> None:
        if self._journal.log is not None:
            self._journal.log.write(encode(line + "\n"))

    def _finish(self, event: MatchOver) -> None:
        self._save_answers()  # before the score is logged: a log with a score promises that the answers are saved
        self._log(event.score_line)
        if not self._options.quiet:
            self._say(f"FINISHED at {format_timestamp(self.table.sent_us)}")
        self._say(event.score_line)
        self._score_line = event.score_line


async def _accept(listener: socket.socket) -> socket.socket:
    """Returns the socket of the first client that connects. Nobody else can connect afterwards."""
    with listener:
        client, _ = await asyncio.get_running_loop().sock_accept(listener)
        return client
