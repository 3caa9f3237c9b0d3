"""The match runner: starts a dealer and its players as processes and plays every seating over loopback TCP.

A duplicate match plays the same cards in several orders of the seats: two players in both, three in all 6, more in
the n rotations. Cards go to positions and positions rotate in the same way in every seating, so every player once
holds the cards every other player held (in the rotations: of every seat). All processes are restarted between
seatings: no player remembers the cards it has already seen. Seatings are independent of each other and run in
parallel; nothing depends on how many at a time.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import math
import re
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from arena.plans import read_json_object, verify_same_plan
from arena.processes import ChildProcess, Guardian, ProcessPool
from arena.seating_log import (
    ExpectedLog,
    LogFollower,
    Progress,
    count_unfinished_hands,
    flush_to_disk,
    read_finished_log,
)
from runtime.errors import InputError, MatchError
from runtime.files import write_text_file
from runtime.folder_lock import POLL_S, FolderLock
from runtime.outputs import FolderKind

HOST: Final = "127.0.0.1"
DEALER_COMMAND: Final = (sys.executable, "-P", "-m", "cli", "dealer")
TABLE_COMMAND: Final = (sys.executable, "-P", "-m", "cli.arena.in_process")
"""Plays seatings inside its process. Reads a job per line; prints, now and then, the hands played and the chips won per
seat, and at the end of a seating ``done`` or ``failed``."""
MATCH_PLAN_FILE: Final = "match.plan"
"""JSON; the files ``*.json`` beside it are the reports of players."""

_MAX_PERMUTED = 3
"""Up to so many players a duplicate match plays all orders of the seats."""
_LOCK_PATIENCE_S = 5.0
"""How long the processes of a killed holder of a folder may take to go."""
_POLL_S = 0.25
# The dealer prints its ports as soon as it listens; generous for a machine under load.
_PORTS_TIMEOUT_S = 60.0
# Dealers that start at the same time with the same seed want the same ports.
_PORT_ATTEMPTS = 5
# After a player has gone: how long the dealer may take to notice before we stop it.
_DEALER_GRACE_S = 5.0
# Before the first hand it may still wait for connections and notice nothing.
_DEALER_GRACE_BEFORE_PLAY_S = 0.5
# After the dealer has gone: how long players may take to write their reports before they are killed.
_PLAYER_GRACE_S = 10.0

T = TypeVar("T")


class SeatingError(MatchError):
    """A seating that could not be played to its end; nobody is scored."""

    def __init__(self, message: str, culprits: Iterable[str] = ()) -> None:
        """Creates the error.

        :param culprits: names of the entrants who have crashed or gone silent; none if nobody is known to be at fault.
        """
        super().__init__(message)
        self.culprits = tuple(culprits)


class StartError(InputError):
    """A player's command cannot be started."""

    def __init__(self, message: str, culprit: str) -> None:
        super().__init__(message)
        self.culprits = (culprit,)


@dataclass(frozen=True, slots=True)
class Entrant:
    """One participant of a match."""

    name: str
    """Unique in the match, without ``:`` and ``|``; it stands in logs and file names."""
    command: Callable[[int, Path], Sequence[str]]
    """(seed, report file) -> the command that plays one seating once HOST and PORT are appended."""
    spec: str = ""
    """What the player is, for the plan file: a resumed match must have the same players."""
    resume: Callable[[Path], Sequence[str]] | None = None
    """(log) -> what the command needs besides to go on after the hands of a log. None: the player may remember earlier
    hands, so that a seating is not continued without it."""


TableJob: TypeAlias = "Callable[[MatchPlan, int, bool], str]"
"""(plan, number of the seating from 1, whether to go on after the hands in its log) -> one line that tells the program
of :data:`TABLE_COMMAND` to play a seating and to leave the files that a seating over TCP would leave."""

MATCH_FOLDER: Final = FolderKind(
    "a match",
    (MATCH_PLAN_FILE, *(f"seating_[0-9]*.{ending}" for ending in ("log", "json", "out", "err", "answers"))),
)
"""What a match leaves in its folder."""


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """Everything a match depends on."""

    entrants: tuple[Entrant, ...]
    game: Path
    """Game definition file; its number of players is the number of entrants."""
    hands: int
    """Hands per seating."""
    seed: int
    """Seed of the cards (0 .. 2**32 - 1); the players' seeds are derived from it."""
    duplicate: bool
    out: Path
    """Existing folder for logs, outputs and reports."""
    dealer_options: tuple[str, ...] = ()
    """Further options of the dealer, for example ``("--t_response", "5000")``."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """What else decides the play, as plain values for the plan file."""
    table: TableJob | None = None
    """Plays in one process per seating; None: dealer and players are processes that talk over TCP."""

    def seatings(self) -> list[tuple[int, ...]]:
        """Returns the seatings to play; ``seating[s]`` is the index of the entrant in seat ``s``."""
        return seat_orders(len(self.entrants), duplicate=self.duplicate)

    def expected_log(self, index: int) -> ExpectedLog:
        """Returns what the log of seating ``index`` (from 1) says when it is finished."""
        label = f"seating_{index}"
        names = tuple(self.entrants[entrant].name for entrant in self.seatings()[index - 1])
        return ExpectedLog(self.out / f"{label}.log", label, self.game, self.hands, self.seed, names)

    def reports(self, index: int) -> tuple[Path, ...]:
        """Returns the report files of seating ``index`` (from 1), one per entrant."""
        return tuple(self.out / f"seating_{index}.{entrant.name}.json" for entrant in self.entrants)

    def answers(self, index: int) -> Path:
        """Returns where the dealer of seating ``index`` (from 1) records how the seats answer (not at a table)."""
        return self.out / f"seating_{index}.answers"

    def as_dict(self) -> dict[str, Any]:
        """Returns the plan as plain values: all that must be equal for a match to be resumed."""
        return {
            "players": [{"name": entrant.name, "spec": entrant.spec} for entrant in self.entrants],
            "game": self.game.name,
            "game_text": self.game.read_text("latin-1").splitlines(),
            "hands": self.hands,
            "seed": self.seed,
            "duplicate": self.duplicate,
            "dealer_options": list(self.dealer_options),
            **self.settings,
        }


@dataclass(frozen=True, slots=True)
class PlayedSeating:
    """The files one seating has left."""

    log: Path
    """The dealer's log."""
    reports: tuple[Path, ...]
    """Report file per entrant, in the order of the plan; an external player writes none."""
    answers: Path | None = None
    """The dealer's record of the answers (:mod:`dealer.answers`); None: there was no dealer."""


@dataclass(frozen=True, slots=True)
class SeatingState:
    """How far a seating is that an interrupted run has left."""

    hands: int
    """Whole hands in its log."""
    finished: bool = False
    damaged: bool = False
    """The log is not the beginning of the expected one."""
    remembering: tuple[str, ...] = ()
    """Names of the players that may remember earlier hands."""


async def run_match(
    plan: MatchPlan,
    on_progress: Callable[[Progress], None] | None = None,
    *,
    jobs: int = 1,
    resume: bool = False,
    resume_all: bool = False,
) -> list[PlayedSeating]:
    """Plays all seatings of a match. Whatever happens, no process is left running.

    :param on_progress: called a few times per second; the object is updated in place.
    :param jobs: number of seatings played at the same time; the result does not depend on it.
    :param resume: keep the finished seatings that an interrupted run of the same match has left in ``plan.out``, and
        go on with the unfinished ones if no player remembers earlier hands.
    :param resume_all: go on with them even if players may remember earlier hands.
    :raises SeatingError: if the dealer or a player fails; the message says which and why.
    :raises InputError: if a player's command cannot be started, or the folder holds another match.
    """
    progress = Progress()
    async with seating_runner(plan.out, jobs) as runner:
        plan_file = plan.out / MATCH_PLAN_FILE
        kept = resume and plan_file.exists()
        if kept:
            verify_same_plan(plan.as_dict(), read_json_object(plan_file), plan_file)
        else:
            write_text_file(plan_file, json.dumps(plan.as_dict(), indent=2) + "\n")
        goes_on = GoOn.NEVER if not kept else GoOn.ALWAYS if resume_all else GoOn.WITHOUT_MEMORY
        return await runner.play(plan, progress, on_progress or (lambda _: None), keep_finished=kept, go_on=goes_on)


def verify_resumable(plan: MatchPlan) -> None:
    """Checks that the folder of a match is new or empty, or holds the same match.

    :raises InputError: if it holds another match, or files of one without its plan.
    """
    plan_file = plan.out / MATCH_PLAN_FILE
    if plan_file.exists():
        verify_same_plan(plan.as_dict(), read_json_object(plan_file), plan_file)
    elif plan.out.is_dir() and any(plan.out.iterdir()):
        raise InputError(f"holds files of a match, but not its {MATCH_PLAN_FILE}", source=str(plan.out))


def seating_states(plan: MatchPlan) -> list[SeatingState]:
    """Reads how far the seatings in the folder of a match are."""
    remembering = tuple(entrant.name for entrant in plan.entrants if entrant.resume is None)
    states = []
    for index in range(1, len(plan.seatings()) + 1):
        expected = plan.expected_log(index)
        if read_finished_log(expected) is not None:
            states.append(SeatingState(plan.hands, finished=True))
        else:
            hands = count_unfinished_hands(expected)
            states.append(SeatingState(hands or 0, damaged=hands is None, remembering=remembering))
    return states


def seat_orders(num_players: int, *, duplicate: bool) -> list[tuple[int, ...]]:
    """Returns the orders in which players are seated; ``order[s]`` is the player in seat ``s``."""
    order = tuple(range(num_players))
    if not duplicate:
        return [order]
    if num_players <= _MAX_PERMUTED:
        return list(itertools.permutations(order))
    return [order[first:] + order[:first] for first in order]


def player_seed(match_seed: int, entrant: int, seating: int) -> int:
    """Derives a player's seed (32 bits), different for every entrant and seating.

    With one seed for all, two equal players would draw the same random numbers, and a player the same ones in every
    seating: the seatings would no longer be independent of each other given the cards.
    """
    digest = hashlib.sha256(f"{match_seed}/{entrant}/{seating}".encode()).digest()
    return int.from_bytes(digest[:4], "little")


@asynccontextmanager
async def seating_runner(folder: Path, jobs: int) -> AsyncIterator[SeatingRunner]:
    """Gives a runner that plays at most ``jobs`` seatings at a time and owns ``folder`` meanwhile."""
    with FolderLock(folder) as lock:
        deadline = time.monotonic() + _LOCK_PATIENCE_S
        while not lock.take():
            if time.monotonic() >= deadline:
                raise another_writer(folder)
            await asyncio.sleep(POLL_S)
        async with Guardian(keep_open=[lock.descriptor]) as guardian, ProcessPool(guardian) as tables:
            yield SeatingRunner(jobs, guardian, tables)


def another_writer(folder: Path) -> InputError:
    """Returns the error that a match or tournament is being played into a folder."""
    return InputError("another match or tournament is writing to this folder", source=str(folder))


async def all_or_none(coroutines: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Runs coroutines at the same time; when one fails or we are cancelled, all have ended before the error goes on.

    Each is cancelled once, so that none is torn from its cleaning up, as ``asyncio.gather`` would do.
    """
    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    if not tasks:
        return []
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    for task in done:
        task.result()
    return [task.result() for task in tasks]


class GoOn(Enum):
    """When an unfinished seating goes on after the hands in its log instead of starting anew."""

    NEVER = "never"
    WITHOUT_MEMORY = "without memory"
    """If no player may remember earlier hands."""
    ALWAYS = "always"


class SeatingRunner:
    """Plays seatings, of one match or of many, as slots become free."""

    def __init__(self, jobs: int, guardian: Guardian, tables: ProcessPool) -> None:
        self._slots = asyncio.Semaphore(jobs)
        self._guardian = guardian
        self._tables = tables
        self._idle_tables: list[ChildProcess] = []

    async def play(
        self,
        plan: MatchPlan,
        progress: Progress,
        on_progress: Callable[[Progress], None],
        *,
        keep_finished: bool,
        go_on: GoOn = GoOn.NEVER,
    ) -> list[PlayedSeating]:
        """Plays the seatings of a match.

        :param progress: updated in place.
        :param keep_finished: do not play the seatings again whose finished logs are there.
        :param go_on: when to go on with unfinished seatings.
        :raises SeatingError: if the dealer or a player fails; the other seatings of the match are broken off.
        :raises StartError: if a player's command cannot be started.
        """
        progress.chips.update({entrant.name: 0.0 for entrant in plan.entrants})
        return await all_or_none(
            self._play_in_slot(plan, index, seating, progress, on_progress, keep_finished, go_on)
            for index, seating in enumerate(plan.seatings(), 1)
        )

    async def _play_in_slot(
        self,
        plan: MatchPlan,
        index: int,
        seating: tuple[int, ...],
        progress: Progress,
        on_progress: Callable[[Progress], None],
        keep_finished: bool,
        go_on: GoOn,
    ) -> PlayedSeating:
        expected = plan.expected_log(index)
        reports, answers = plan.reports(index), plan.answers(index)
        chips = read_finished_log(expected) if keep_finished else None
        if chips is not None:
            progress.add(plan.hands, chips)
            on_progress(progress)
        else:
            async with self._slots:
                progress.started = progress.started or time.monotonic()
                halves = plan.out.glob(f".{expected.match}.*.tmp")  # files a killed run has not finished
                goes_on = _goes_on(plan, expected, go_on)
                for stale in (*reports, *halves, *(() if goes_on else (expected.path, answers))):
                    stale.unlink(missing_ok=True)
                if plan.table is None:
                    await self._play_over_tcp(plan, index, seating, expected, reports, progress, on_progress, goes_on)
                else:
                    await self._play_at_table(plan, index, plan.table, expected, progress, on_progress, goes_on)
            flush_to_disk(expected.path)
        return PlayedSeating(expected.path, reports, answers if plan.table is None else None)

    async def _play_over_tcp(
        self,
        plan: MatchPlan,
        index: int,
        seating: tuple[int, ...],
        expected: ExpectedLog,
        reports: Sequence[Path],
        progress: Progress,
        on_progress: Callable[[Progress], None],
        goes_on: bool,
    ) -> None:
        follower = LogFollower(expected.path, progress)

        def read_log() -> int:
            follower.read()
            on_progress(progress)
            return follower.hands

        async with ProcessPool(self._guardian) as pool:
            dealer, ports = await _start_dealer(pool, plan, index, expected, goes_on)
            players = []
            for entrant_index, port in zip(seating, ports, strict=True):
                entrant = plan.entrants[entrant_index]
                start = [*entrant.command(player_seed(plan.seed, entrant_index, index), reports[entrant_index])]
                if goes_on and entrant.resume is not None:
                    start += entrant.resume(expected.path)
                output = plan.out / f"{expected.match}.{entrant.name}.out"
                try:
                    players.append(await pool.start(f"player {entrant.name}", [*start, HOST, str(port)], output))
                except InputError as error:
                    raise StartError(error.message, entrant.name) from error
            await _watch(dealer, players, expected, read_log)
            await asyncio.wait([player.ended for player in players], timeout=_PLAYER_GRACE_S)
        if follower.hands != plan.hands:
            raise SeatingError(f"the dealer ended after {follower.hands} of {plan.hands} hands (see {expected.path})")

    async def _play_at_table(
        self,
        plan: MatchPlan,
        index: int,
        job: TableJob,
        expected: ExpectedLog,
        progress: Progress,
        on_progress: Callable[[Progress], None],
        goes_on: bool,
    ) -> None:
        output = plan.out / f"{expected.match}.table.err"
        if self._idle_tables:
            table = self._idle_tables.pop()
            table.output = output
        else:
            table = await self._tables.start("the table", TABLE_COMMAND, output, pipe_stdin=True, pipe_stdout=True)
        try:
            await _use_table(table, job(plan, index, goes_on), expected, progress, lambda: on_progress(progress))
        except BaseException:
            table.kill_group()
            raise
        self._idle_tables.append(table)
        if read_finished_log(expected) is None:
            raise SeatingError(f"the table has not finished {expected.path}")


def _goes_on(plan: MatchPlan, expected: ExpectedLog, go_on: GoOn) -> bool:
    """Tells whether a seating goes on after the hands in its log."""
    if go_on is GoOn.NEVER or not count_unfinished_hands(expected):
        return False
    return go_on is GoOn.ALWAYS or all(entrant.resume is not None for entrant in plan.entrants)


async def _use_table(
    table: ChildProcess, job: str, expected: ExpectedLog, progress: Progress, on_progress: Callable[[], None]
) -> None:
    """Lets a table play a seating.

    :raises SeatingError: if the table fails or ends.
    """
    assert table.process.stdin is not None
    assert table.process.stdout is not None
    hands, chips = 0, dict.fromkeys(expected.names, 0.0)
    with suppress(ConnectionError):  # it has ended, which the end of its output tells, too
        table.process.stdin.write(job.encode() + b"\n")
        await table.process.stdin.drain()
    async for line in table.process.stdout:
        if line == b"done\n":
            return
        if line == b"failed\n":
            raise SeatingError(f"{table.last_words()} (see {table.output})", _at_fault(table, expected))
        played, *won = line.split()
        totals = dict(zip(expected.names, map(float, won), strict=True))
        progress.add(int(played) - hands, {name: total - chips[name] for name, total in totals.items()})
        hands, chips = int(played), totals
        on_progress()
    await asyncio.wait([table.ended])
    raise SeatingError(table.obituary(), _at_fault(table, expected))


def _at_fault(process: ChildProcess, expected: ExpectedLog) -> list[str]:
    """Returns the names of the players that the last words of a dealer or a table complain about."""
    return [expected.names[seat] for seat in _seats_at_fault(process, expected)]


def _seats_at_fault(process: ChildProcess, expected: ExpectedLog) -> list[int]:
    """Returns the seats (0-based) that the last words of a dealer complain about."""
    numbers = dict.fromkeys(int(number) for number in re.findall(r"\bseat ([0-9]+)", process.last_words()))
    return [number - 1 for number in numbers if 1 <= number <= len(expected.names)]


async def _start_dealer(
    pool: ProcessPool, plan: MatchPlan, index: int, expected: ExpectedLog, goes_on: bool
) -> tuple[ChildProcess, list[int]]:
    """Starts a dealer; returns it with the ports of its seats, on which it listens."""
    command = [*DEALER_COMMAND, expected.match, str(plan.game.resolve()), str(plan.hands), str(plan.seed)]
    command += [*expected.names, "-q", *plan.dealer_options, "--answers", str(plan.answers(index))]
    if goes_on:
        command.append("--go-on")
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
    """Reads the line of ports the dealer prints when it listens."""
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

    :param players: in seat order.
    :param read_log: takes in what the log has grown by and returns the number of hands in it.
    :raises SeatingError: if the dealer fails, or still runs a while after a player has ended.
    """
    running = {dealer.ended, *(player.ended for player in players)}
    gone: list[int] = []
    """Seats (0-based) of the players that have ended, in that order."""
    stop_at = math.inf
    while not dealer.ended.done() and time.monotonic() < stop_at:
        done, running = await asyncio.wait(running, timeout=_POLL_S, return_when=asyncio.FIRST_COMPLETED)
        hands = read_log()
        gone += [seat for seat, player in enumerate(players) if player.ended in done]
        if gone and stop_at == math.inf:
            stop_at = time.monotonic() + (_DEALER_GRACE_S if hands else _DEALER_GRACE_BEFORE_PLAY_S)
    if not dealer.ended.done():
        raise SeatingError(f"seat {gone[0] + 1}: {players[gone[0]].obituary()}", [expected.names[gone[0]]])
    if dealer.exit_code != 0:
        reasons = [dealer.obituary()]
        for seat in _seats_at_fault(dealer, expected):
            await asyncio.wait([players[seat].ended], timeout=_POLL_S)
            player = players[seat]
            state = player.obituary() if player.ended.done() else f"{player.name} still runs (see {player.output})"
            reasons.append(f"seat {seat + 1}: {state}")
        raise SeatingError("; ".join(reasons), _at_fault(dealer, expected))
