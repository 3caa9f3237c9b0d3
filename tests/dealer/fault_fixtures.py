"""What the tests of faults share: callers, a table, a dealer process, and a match in which nothing goes wrong."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from hedgehog.dealer.clock import TimeLimits
from hedgehog.dealer.table import LogLine, MatchOver, Send, Table
from tests.dealer.scripted import PATIENT, TEST_TIMEOUT_S, Client, replaying_client, run_client
from tests.golden import game

ROOT = Path(__file__).parents[2]
KUHN = "kuhn.limit.2p"
VERSION = b"VERSION:2.0.0\r\n"

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


def leaving(script: bytes, lines: int) -> Client:
    """Returns a client that sends all its lines at once, reads a given number of lines and hangs up."""

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(script)
        for _ in range(lines):
            await reader.readline()

    return play


HEADER = (
    "# name/game/hands/seed m leduc.limit.2p {hands} 1\n#--t_response 600000\n#--t_hand 600000\n#--t_per_hand 7000\n"
)
LEDUC = "leduc.limit.2p"


class Dealer:
    """A dealer process in a folder, and its output."""

    def __init__(self, folder: Path, *arguments: str, hands: int = 40, **popen: object) -> None:
        self.folder = folder
        command = [sys.executable, "-c", "from hedgehog.cli.main import main; main()", "dealer"]
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


def states(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]
