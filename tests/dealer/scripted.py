"""Scripted clients that replay golden transcripts and logs, in process and over TCP."""

from __future__ import annotations

import asyncio
import io
import re
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

from hedgehog.dealer.clock import TimeLimits
from hedgehog.dealer.journal import Journal, LineFile, MessageStream
from hedgehog.dealer.server import MatchServer, ServerOptions
from hedgehog.dealer.table import Acted, Event, LogLine, MatchOver, Send, Table, Warn
from hedgehog.poker.acpc.gamedef import MAX_LINE_LENGTH, GameDef
from hedgehog.poker.acpc.matchstate import parse_matchstate
from hedgehog.runtime.errors import MatchError

SECOND_US = 1_000_000
PATIENT = TimeLimits(600 * SECOND_US, 10**15, 10**15)  # every dropped line is charged to the hand anew
TEST_TIMEOUT_S = 90.0

Script = Sequence[tuple[str, str]]
Client = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class ScriptedSeat:
    """One seat of a transcript without sockets. It checks each line that it receives, then sends the recorded bytes."""

    def __init__(self, script: Script) -> None:
        self._script = deque(script)
        self._sent = ""
        self._advance()
        version, self._sent = self._sent.split("\n", 1)
        assert version.startswith("VERSION:")

    def _advance(self) -> None:
        while self._script and self._script[0][0] == "C":
            self._sent += self._script.popleft()[1]

    def receive(self, line: str) -> None:
        """Takes a line from the dealer; it must be the next one of the transcript."""
        assert self._script.popleft() == ("S", line)
        self._advance()

    def next_line(self) -> str:
        """Returns the next line that this seat sends."""
        end = self._sent.find("\n", 0, MAX_LINE_LENGTH) + 1 or MAX_LINE_LENGTH
        line, self._sent = self._sent[:end], self._sent[end:]
        assert line, "the dealer waits for a line that the transcript does not have"
        return line

    @property
    def done(self) -> bool:
        return not self._script


class Record:
    """The results of a match in process."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.warnings: list[str] = []
        self.score: str | None = None


def play_scripts(table: Table, scripts: Sequence[Script]) -> Record:
    """Plays a transcript against a table, without sockets and in no time."""
    seats = [ScriptedSeat(script) for script in scripts]
    record = Record()

    def deliver(events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Send):
                seats[event.seat].receive(event.line)
            elif isinstance(event, LogLine):
                record.log.append(event.line)
            elif isinstance(event, Warn):
                record.warnings.append(event.message)
            elif isinstance(event, MatchOver):
                record.score = event.score_line
            else:
                assert not isinstance(event, Acted) or event.transaction.hand_id >= 0

    deliver(table.start(0))
    while record.score is None:
        deliver(table.receive(seats[table.acting_seat].next_line(), 0))
    assert all(seat.done for seat in seats)
    return record


def replaying_client(gamedef: GameDef, betting_by_hand: Sequence[str]) -> Client:
    """Returns a client that plays the recorded actions of a log and nothing else."""

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"VERSION:2.0.0\r\n")
        while line := (await reader.readline()).decode():
            view = parse_matchstate(line, gamedef)
            if view.state.acting_position == view.position:
                rest = betting_by_hand[view.hand_id].removeprefix(view.state.betting_string())
                action = re.match(r"f|c|r[0-9]*", rest)
                assert action is not None
                writer.write(f"{line.rstrip()}:{action.group()}\r\n".encode())

    return play


def script_client(script: Script) -> Client:
    """Returns a client that sends and expects what a transcript says; it obeys ``sleep`` and ``close`` entries."""

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for kind, what in script:
            if kind == "C":
                writer.write(what.encode("latin-1"))
                await writer.drain()
            elif kind == "S":
                assert (await reader.readline()).decode("latin-1") == what
            elif kind == "sleep":
                await asyncio.sleep(float(what))
            elif kind == "close":
                return
        assert await reader.read() == b""

    return play


async def run_client(port: int, client: Client) -> None:
    """Connects a client to a dealer on loopback and runs it to its end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        await client(reader, writer)
    except ConnectionError:
        pass  # the dealer may hang up on a failed match
    finally:
        writer.close()


class Served:
    """The results of a match over TCP."""

    def __init__(self) -> None:
        self.ports: list[int] = []
        self.score: str | None = None
        self.error: MatchError | None = None
        self.log = io.BytesIO()
        self.transaction_log = io.BytesIO()
        self.messages = io.BytesIO()

    def log_lines(self) -> list[str]:
        return self.log.getvalue().decode().splitlines()

    def error_text(self) -> str:
        """Returns the error as the dealer prints it, in the lines of the official dealer; empty without an error."""
        return "" if self.error is None else str(self.error.args[0])

    def message_lines(self) -> list[str]:
        return self.messages.getvalue().decode("latin-1").splitlines()


def serve(
    table: Table,
    clients: Sequence[Client],
    *,
    quiet: bool = True,
    start_timeout_s: float = 10,
    version_timeout_s: float | None = None,
    seed: int = 0,
) -> Served:
    """Runs a match over loopback TCP, one client per seat. Seats without a client stay empty."""
    served = Served()

    async def run() -> None:
        tasks: list[asyncio.Task[None]] = []

        def start_clients(ports: list[int]) -> None:
            served.ports = ports
            tasks.extend(asyncio.create_task(run_client(*pair)) for pair in zip(ports, clients, strict=False))

        options = ServerOptions(
            seed=seed, start_timeout_s=start_timeout_s, version_timeout_s=version_timeout_s, quiet=quiet
        )
        logs = LineFile(served.log, "m.log"), LineFile(served.transaction_log, "m.tlog")
        server = MatchServer(table, options, Journal(MessageStream(served.messages), *logs))
        try:
            served.score = await server.run(start_clients)
        except MatchError as error:
            served.error = error
        finally:
            await asyncio.gather(*tasks)

    asyncio.run(asyncio.wait_for(run(), TEST_TIMEOUT_S))
    return served
