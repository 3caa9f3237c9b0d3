"""The options that ``hedgehog match`` and ``hedgehog tournament`` share, and how a signal ends them."""

from __future__ import annotations

import functools
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any, Final, TypeVar

import click

from hedgehog.arena.launch import START_TIMEOUT_MS, DealerLimits
from hedgehog.cli.progress import TerminalWatch, terminal_watch
from hedgehog.dealer.clock import HAND_MS, PER_HAND_MS, RESPONSE_MS, VERSION_MS
from hedgehog.runtime.errors import HedgehogError, StoppedError

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


def _limit_option(name: str, what: str, default_ms: int) -> Callable[[Command], Command]:
    return click.option(name, type=click.IntRange(0), metavar="MS", help=f"Dealer: {what}.  [default: {default_ms}]")


_DEALER_LIMIT_OPTIONS: Final = (
    _limit_option("--t-response", "limit for one answer", RESPONSE_MS),
    _limit_option("--t-hand", "limit per player and hand", HAND_MS),
    _limit_option("--t-per-hand", "average limit per player and hand over a seating", PER_HAND_MS),
    click.option(
        "--t-start",
        type=click.IntRange(1),
        default=START_TIMEOUT_MS,
        show_default=True,
        metavar="MS",
        help="Dealer: limit for all players of a seating to load and connect.",
    ),
    _limit_option("--t-version", "limit for the version lines of the players, once all have connected", VERSION_MS),
)


def dealer_limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options for the dealer's time limits to a command, which gets them as ``limits``."""

    @functools.wraps(command)
    def with_limits(*args: Any, **values: Any) -> Any:
        limits = DealerLimits(**{field.name: values.pop(field.name) for field in fields(DealerLimits)})
        return command(*args, limits=limits, **values)

    decorated: Callable[..., Any] = with_limits
    for option in reversed(_DEALER_LIMIT_OPTIONS):
        decorated = option(decorated)
    return decorated


jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    help="Seatings played at the same time; the result does not depend on it.  [default: number of CPUs]",
)


@contextmanager
def stoppable(say: Callable[[], None]) -> Iterator[TerminalWatch]:
    """Yields a watch that draws, and that Ctrl-C, SIGTERM and SIGHUP stop. A task that was stopped ends the program.

    :param say: called once the task has ended; then the program ends as the signal would end it.
    """
    try:
        with terminal_watch(stoppable=True, first_line_after_s=0) as watch:
            yield watch
        return
    except (StoppedError, KeyboardInterrupt):
        number = watch.received[0] if watch.received else signal.SIGINT
    try:
        say()
    except HedgehogError as error:
        click.echo(f"error: {error}", err=True)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)
