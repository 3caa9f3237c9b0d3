"""What ``hedgehog match`` and ``hedgehog tournament`` share: entrants made from player specifications, and an event
loop that ends cleanly on a signal."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from hedgehog.agent.specs import PlayerSpec
from hedgehog.agent.time_manager import HAND_AVERAGE_MS, HAND_LIMIT_MS, HandTime
from hedgehog.arena.match import RECORD_SUFFIX, Entrant
from hedgehog.cli.termination import ending_signals
from hedgehog.dealer.clock import HAND_MS, PER_HAND_MS, RESPONSE_MS, VERSION_MS
from hedgehog.poker.acpc.gamedef import GameDef, read_gamedef
from hedgehog.runtime.errors import HedgehogError, InputError
from hedgehog.runtime.files import real_path

# Longest wait for a player to compile and load before it connects; a player that dies earlier ends the match at once.
START_TIMEOUT_MS: Final = 30 * 60 * 1000

_HEDGEHOG: Final = (sys.executable, "-P", "-m", "hedgehog.cli")
"""Starts our commands in a process of its own, whatever the current folder holds. Only ``py:`` players look into it
(:mod:`hedgehog.agent.plugins`)."""
SHARE_OF_RESPONSE: Final = 0.6
"""Share of the dealer's limit for one answer that a decision may be planned for."""
DEALER_COMMAND: Final = (*_HEDGEHOG, "dealer")

T = TypeVar("T")
Command = TypeVar("Command", bound=Callable[..., Any])

resume_external_option = click.option(
    "--resume-external",
    is_flag=True,
    help="When going on, also continue the unfinished seatings of players that may remember hands (cmd:, py:), which "
    "are then not told the hands before. Otherwise such a seating starts anew.",
)

aivat_option = click.option(
    "--aivat",
    is_flag=True,
    help="Also score by AIVAT, which takes out most of the luck: for heads-up hold'em with a player whose strategy can "
    "be told (ours, or a bot other than random). What ours samples from is recorded beside the logs if it thinks.",
)

record_option = click.option(
    "--record",
    is_flag=True,
    help="Record at every decision what our player samples from, beside the logs (SEATING.NAME.decisions), for AIVAT "
    "now or later. About 6 kB per hand.  [default: with --aivat, if it thinks]",
)


def recorded_names(
    specs: Sequence[PlayerSpec], names: Sequence[str], *, think_ms: int, aivat: bool, record: bool
) -> list[str]:
    """Returns the names of the players of a match whose decisions are recorded.

    :param specs: specifications of the players.
    :param names: names of the players, in the same order.
    :param think_ms: milliseconds that our player may think per decision.
    :param aivat: the match is scored by AIVAT.
    :param record: the user wants a record.
    :raises InputError: if a record is wanted, but nobody's decisions can be recorded.
    """
    if record and not any(spec.compiles for spec in specs):
        raise InputError("--record is for our player, default or pack:PATH: none of the players is")
    wanted = record or (aivat and think_ms > 0)
    return [name for name, spec in zip(names, specs, strict=True) if wanted and spec.compiles]


_DEALER_LIMIT_OPTIONS: Final = (
    click.option(
        "--t-response",
        type=click.IntRange(0),
        default=None,
        metavar="MS",
        help=f"Dealer: limit for one answer.  [default: {RESPONSE_MS}]",
    ),
    click.option(
        "--t-hand",
        type=click.IntRange(0),
        default=None,
        metavar="MS",
        help=f"Dealer: limit per player and hand.  [default: {HAND_MS}]",
    ),
    click.option(
        "--t-per-hand",
        type=click.IntRange(0),
        default=None,
        metavar="MS",
        help=f"Dealer: average limit per player and hand over a seating.  [default: {PER_HAND_MS}]",
    ),
    click.option(
        "--t-start",
        type=click.IntRange(1),
        default=START_TIMEOUT_MS,
        show_default=True,
        metavar="MS",
        help="Dealer: limit for all players of a seating to load and connect.",
    ),
    click.option(
        "--t-version",
        type=click.IntRange(0),
        default=None,
        metavar="MS",
        help=f"Dealer: limit for the version lines of the players, once all have connected.  [default: {VERSION_MS}]",
    ),
)


def dealer_limit_options(command: Command) -> Command:
    """Adds the options for the dealer's time limits to a command."""
    for option in reversed(_DEALER_LIMIT_OPTIONS):
        command = option(command)
    return command


jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1),
    default=None,
    metavar="N",
    help="Seatings played at the same time; the result does not depend on it.  [default: number of CPUs]",
)


def read_match_game(path: Path) -> GameDef:
    """Returns the game definition in a file, whose big blind is the unit of winnings.

    :raises InputError: if the definition is malformed or the game has no blinds.
    """
    gamedef = read_gamedef(path)
    if gamedef.big_blind == 0:
        raise InputError("the game has no blinds, so that winnings have no unit", source=str(path))
    return gamedef


def launch_command(
    spec: PlayerSpec,
    *,
    game: Path,
    seed: int,
    think_ms: int,
    hand_time: HandTime,
    threads: int | None,
    report: Path,
    record: bool = False,
) -> list[str]:
    """Returns the command that plays a specification once HOST and PORT are appended.

    :param game: game definition file.
    :param report: file our client writes its JSON report to; an external command writes none.
    :param record: record the decisions in a file beside the report.
    """
    if spec.external:
        return shlex.split(spec.argument)
    command = [*_HEDGEHOG, "play", "--player", spec.text, "--game", str(game), "--seed", str(seed)]
    command += ["--think-ms", str(think_ms), "--think-hand-ms", str(hand_time.average_ms)]
    command += ["--t-hand", str(hand_time.limit_ms), "--report", str(report)]
    if threads is not None:
        command += ["--threads", str(threads)]
    if record:
        command += ["--record", str(report.with_suffix(RECORD_SUFFIX))]
    return command


def make_entrants(
    specs: Sequence[PlayerSpec],
    names: Sequence[str],
    *,
    game: Path,
    think_ms: int,
    hand_time: HandTime,
    threads: int | None,
    recorded: Collection[str] = (),
) -> tuple[Entrant, ...]:
    """Returns the entrants of a match over TCP.

    :param recorded: names of the players whose decisions are recorded.
    """
    game = real_path(game)

    def command(name: str, spec: PlayerSpec) -> Callable[[int, Path], list[str]]:
        return lambda seed, report: launch_command(
            spec,
            game=game,
            seed=seed,
            think_ms=think_ms,
            hand_time=hand_time,
            threads=threads,
            report=report,
            record=name in recorded,
        )

    def resume(name: str) -> Callable[[Path], list[str]]:
        return lambda log: ["--after-log", str(log), "--as", name]

    return tuple(
        Entrant(name, command(name, spec), spec.text, resume(name) if spec.forgets else None)
        for name, spec in zip(names, specs, strict=True)
    )


def play_settings(*, think_ms: int, think_hand_ms: int, threads: int | None, in_process: bool) -> dict[str, Any]:
    """Returns the settings of our players as the records of matches and tournaments hold them.

    :param think_ms: milliseconds per decision, as the user gave them.
    :param think_hand_ms: milliseconds per hand, as the user gave them.
    """
    return {"think_ms": think_ms, "think_hand_ms": think_hand_ms, "threads": threads, "in_process": in_process}


def time_to_think(think_ms: int, think_hand_ms: int, limits_ms: Mapping[str, int | None]) -> tuple[int, HandTime]:
    """Returns the thinking time of our players: most milliseconds per decision, and the limits for hands.

    Both are at most what the dealer allows. An answer may take longer than its planned time, so it is planned for a
    share of the dealer's limit for one answer.

    :param think_ms: the user's limit per decision.
    :param think_hand_ms: the user's limit per hand on average.
    :param limits_ms: limits of the dealer by ``t_response``, ``t_hand`` and ``t_per_hand``; None: the dealer's default.
    """
    response, hand, average = (limits_ms[name] for name in ("t_response", "t_hand", "t_per_hand"))
    if response is not None:
        think_ms = min(think_ms, int(SHARE_OF_RESPONSE * response))
    return think_ms, HandTime(
        average_ms=min(think_hand_ms, HAND_AVERAGE_MS if average is None else average),
        limit_ms=HAND_LIMIT_MS if hand is None else hand,
    )


def format_dealer_options(
    limits_ms: Mapping[str, int | None],
    *,
    start_timeout_ms: int = START_TIMEOUT_MS,
    version_timeout_ms: int | None = None,
) -> tuple[str, ...]:
    """Returns the options of ``hedgehog dealer`` for time limits.

    :param limits_ms: name of an option -> milliseconds; None leaves the dealer's default.
    :param start_timeout_ms: milliseconds for all seats to connect.
    :param version_timeout_ms: milliseconds for the version lines of connected clients; None: the dealer's default.
    """
    limits = {**limits_ms, "version_timeout": version_timeout_ms}
    return (f"--start_timeout={start_timeout_ms}", *(f"--{name}={ms}" for name, ms in limits.items() if ms is not None))


def default_jobs(threads: int | None) -> int:
    """Returns the number of seatings to play at the same time: the cores of this process divided by ``threads``.

    In each seating only one player thinks at a time.
    """
    return max(1, len(os.sched_getaffinity(0)) // (threads or 1))


class Interrupted(BaseException):
    """Raised when Ctrl-C or a signal has ended a run; everything that the run had started has ended, too."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number
        """Number of the signal."""


def run_interruptible(start: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Returns the result of a coroutine, which SIGTERM, SIGHUP and Ctrl-C cancel.

    :raises Interrupted: if it was cancelled, after it has cleaned up.
    """
    received: list[int] = []
    numbers = ending_signals()
    before = {number: signal.getsignal(number) for number in numbers}

    async def cancellable() -> T:
        task = asyncio.current_task()
        assert task is not None
        for number in numbers:

            def stop(number: int = number) -> None:
                received.append(number)
                task.cancel()

            asyncio.get_running_loop().add_signal_handler(number, stop)
        return await start()

    try:
        return asyncio.run(cancellable())
    except asyncio.CancelledError:
        raise Interrupted(received[0]) from None
    except KeyboardInterrupt:
        raise Interrupted(signal.SIGINT) from None
    finally:
        for number, handler in before.items():  # asyncio leaves the system's handlers behind
            signal.signal(number, handler)


@contextmanager
def on_interruption(say: Callable[[], None]) -> Iterator[None]:
    """Calls ``say`` if the block raises :class:`Interrupted`, then ends the program as the signal would."""
    try:
        yield
    except Interrupted as interrupted:
        try:
            say()
        except HedgehogError as error:
            click.echo(f"error: {error}", err=True)
        if interrupted.number == signal.SIGINT:
            raise KeyboardInterrupt from None
        sys.exit(128 + interrupted.number)
