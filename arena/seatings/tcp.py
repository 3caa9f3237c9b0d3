"""Plays one seating with processes: a dealer and players over TCP, or one process for all. Says who has failed."""

from __future__ import annotations

import asyncio
import math
import re
import signal
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from typing import Final

from hedgehog.arena.match import MatchPlan, player_seed
from hedgehog.arena.seating_log import ExpectedLog, LogFollower, Progress
from hedgehog.arena.seatings.processes import ChildProcess, Guardian, ProcessPool
from hedgehog.dealer.server import HUNG_UP
from hedgehog.runtime.errors import InputError, MatchError
from hedgehog.runtime.files import real_path

HOST: Final = "127.0.0.1"
_POLL_S = 0.25
# Seconds until the dealer must have printed its ports, which it does as soon as it listens; generous.
_PORTS_TIMEOUT_S = 60.0
# How often a dealer is started until its ports are free. Dealers of one seed that start together want the same ports.
_PORT_ATTEMPTS = 5
# Seconds after the end of a player in which the dealer may notice it, before the dealer is stopped.
_DEALER_GRACE_S = 5.0
# The same time before the first hand, when a dealer that waits for connections notices nothing.
_DEALER_GRACE_BEFORE_PLAY_S = 0.5
# Seconds after the end of the dealer in which players may write their reports, before they are killed.
_PLAYER_GRACE_S = 10.0


class SeatingError(MatchError):
    """A seating could not be played to its end. The match is not scored."""

    def __init__(self, message: str, culprits: Iterable[str] = ()) -> None:
        """Creates the error.

        :param culprits: names of the players that have crashed or gone silent; empty if no fault is known.
        """
        super().__init__(message)
        self.culprits = tuple(culprits)


class TableKilledError(SeatingError):
    """A process with all players of a seating was killed from outside, as for lack of memory: no player is at fault."""


class StartError(InputError):
    """The command of a player cannot be started."""

    def __init__(self, message: str, culprit: str) -> None:
        super().__init__(message)
        self.culprits = (culprit,)


async def play_over_tcp(
    guardian: Guardian,
    plan: MatchPlan,
    index: int,
    progress: Progress,
    on_progress: Callable[[], None],
    *,
    goes_on: bool,
) -> None:
    """Plays one seating with a dealer and players as processes. None of them runs any more at the end.

    :param guardian: kills the processes if this process is killed.
    :param plan: the match.
    :param index: number of the seating, from 1.
    :param progress: progress of the match, updated in place.
    :param on_progress: called a few times per second.
    :param goes_on: go on after the hands in the log of the seating.
    :raises SeatingError: if the dealer or a player fails.
    :raises StartError: if a player's command cannot be started.
    :raises InputError: if the plan names no command that starts a dealer.
    """
    if not plan.dealer_command:
        raise InputError("a match over TCP needs a command that starts a dealer")
    expected, reports = plan.expected_log(index), plan.reports(index)
    follower = LogFollower(expected.path, progress)

    def read_log() -> int:
        follower.read()
        on_progress()
        return follower.hands

    async with ProcessPool(guardian) as pool:
        dealer, ports = await _start_dealer(pool, plan, index, expected, goes_on)
        players = []
        for number, port in zip(plan.seatings()[index - 1], ports, strict=True):
            entrant = plan.entrants[number]
            command = [*entrant.command(player_seed(plan.seed, number, index, plan.first_hand), reports[number])]
            if goes_on and entrant.resume is not None:
                command += entrant.resume(expected.path)
            output = plan.out / f"{expected.match}.{entrant.name}.out"
            try:
                players.append(await pool.start(f"player {entrant.name}", [*command, HOST, str(port)], output))
            except InputError as error:
                raise StartError(error.message, entrant.name) from error
        await _watch(dealer, players, expected, read_log)
        await asyncio.wait([player.ended for player in players], timeout=_PLAYER_GRACE_S)
    if follower.hands != plan.hands:
        raise SeatingError(f"the dealer ended after {follower.hands} of {plan.hands} hands (see {expected.path})")


async def use_table(
    table: ChildProcess, job: str, expected: ExpectedLog, progress: Progress, on_progress: Callable[[], None]
) -> None:
    """Plays one seating in a process of :mod:`hedgehog.arena.table_process`.

    :param table: the process.
    :param job: line that describes the seating (:data:`hedgehog.arena.match.TableJob`).
    :param expected: what the log of the seating must say.
    :param progress: progress of the match, updated in place.
    :param on_progress: called a few times per second.
    :raises SeatingError: if the seating fails or the process ends.
    :raises TableKilledError: if the process is killed. Its hands are taken out of ``progress`` again.
    """
    assert table.process.stdin is not None
    assert table.process.stdout is not None
    follow = progress.follower(expected.names)
    with suppress(ConnectionError):  # the process has ended; the end of its output says so below
        table.process.stdin.write(job.encode() + b"\n")
        await table.process.stdin.drain()
    async for line in table.process.stdout:
        if line == b"done\n":
            return
        if line == b"failed\n":
            words = table.last_words().removeprefix("ERROR: ")
            raise SeatingError(f"{words} (see {table.output})", _at_fault(table, expected))
        played, *won = line.split()
        follow(int(played), [*map(float, won)])
        on_progress()
    await asyncio.wait([table.ended])
    if table.exit_code == -signal.SIGKILL:
        follow(0, [0.0] * len(expected.names))
        raise TableKilledError(table.obituary())
    raise SeatingError(table.obituary(), _at_fault(table, expected))


def _at_fault(process: ChildProcess, expected: ExpectedLog) -> list[str]:
    """Returns the names of the players that the last line of a process complains about (dealer or table)."""
    return [expected.names[seat] for seat in _seats_at_fault(process, expected)]


def _seats_at_fault(process: ChildProcess, expected: ExpectedLog) -> list[int]:
    """Returns the seats, from 0, that the last line of a process complains about (dealer or table)."""
    numbers = dict.fromkeys(int(number) for number in re.findall(r"\bseat ([0-9]+)", process.last_words()))
    return [number - 1 for number in numbers if 1 <= number <= len(expected.names)]


async def _start_dealer(
    pool: ProcessPool, plan: MatchPlan, index: int, expected: ExpectedLog, goes_on: bool
) -> tuple[ChildProcess, list[int]]:
    """Starts a dealer and returns it with the ports on which it listens, one per seat."""
    command = [*plan.dealer_command, expected.match, str(real_path(plan.game)), str(plan.hands), str(plan.seed)]
    command += [*expected.names, "-q", *plan.dealer_options, "--answers", str(plan.answers(index))]
    if goes_on:
        command.append("--go-on")
    if plan.first_hand:
        command += ["--first-hand", str(plan.first_hand)]
    output = plan.out / f"{expected.match}.dealer.err"
    for attempt in range(_PORT_ATTEMPTS):
        ports = ["-p", ",".join(map(str, _free_ports(len(expected.names))))] if attempt else []
        dealer = await pool.start("the dealer", [*command, *ports], output, cwd=plan.out, pipe_stdout=True)
        try:
            return dealer, await _read_ports(dealer, len(expected.names))
        except SeatingError:
            if "could not open a port" not in dealer.last_words():
                raise
    raise SeatingError(dealer.obituary())


def _free_ports(count: int) -> list[int]:
    """Returns ports that nobody listens on at the moment."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind((HOST, 0))
        return [one.getsockname()[1] for one in sockets]


async def _read_ports(dealer: ChildProcess, num_players: int) -> list[int]:
    """Returns the ports that a dealer prints when it listens."""
    assert dealer.process.stdout is not None
    try:
        line = await asyncio.wait_for(dealer.process.stdout.readline(), _PORTS_TIMEOUT_S)
    except TimeoutError:
        raise SeatingError(f"the dealer has printed no ports for {_PORTS_TIMEOUT_S:.0f} s") from None
    ports = line.split()
    if len(ports) == num_players and all(port.isdigit() for port in ports):
        return [int(port) for port in ports]
    await asyncio.wait([dealer.ended], timeout=_DEALER_GRACE_S)
    raise SeatingError(dealer.obituary() if dealer.ended.done() else f"the dealer printed no ports but {line!r}")


async def _watch(
    dealer: ChildProcess, players: Sequence[ChildProcess], expected: ExpectedLog, read_log: Callable[[], int]
) -> None:
    """Waits for the dealer to end the match.

    :param players: processes of the players in seat order.
    :param read_log: reads the new lines of the log and returns the number of hands in it.
    :raises SeatingError: if the dealer fails, or still runs some seconds after a player has ended. The message says of
        each player at fault why.
    """
    running = {dealer.ended, *(player.ended for player in players)}
    gone: list[int] = []
    """Seats, from 0, of the players that have ended, in the order in which they ended."""
    stop_at = math.inf
    while not dealer.ended.done() and time.monotonic() < stop_at:
        done, running = await asyncio.wait(running, timeout=_POLL_S, return_when=asyncio.FIRST_COMPLETED)
        hands = read_log()
        gone += [seat for seat, player in enumerate(players) if player.ended in done]
        if gone and stop_at == math.inf:
            stop_at = time.monotonic() + (_DEALER_GRACE_S if hands else _DEALER_GRACE_BEFORE_PLAY_S)
    if not dealer.ended.done():
        ends = [f"seat {seat + 1}: {players[seat].obituary()}" for seat in gone]
        raise SeatingError("; ".join(ends), [expected.names[seat] for seat in gone])
    if dealer.exit_code != 0:
        words, at_fault = dealer.last_words(), _seats_at_fault(dealer, expected)
        reasons = [f"{words.removeprefix('ERROR: ')} (see {dealer.output})" if at_fault else dealer.obituary()]
        for seat in at_fault:
            await asyncio.wait([players[seat].ended], timeout=_POLL_S)
            reasons.append(f"seat {seat + 1}: {_state(players[seat], left=HUNG_UP in words)}")
        raise SeatingError("; ".join(reasons), [expected.names[seat] for seat in at_fault])


def _state(player: ChildProcess, *, left: bool) -> str:
    """Returns what became of a player at fault.

    :param left: it had left before the dealer ended the match. Otherwise its end is no cause: it ends because the
        dealer has.
    """
    if not player.ended.done():
        return f"{player.name} was still running (see {player.output})"
    return player.obituary() if left else f"{player.name} was connected until then (see {player.output})"
