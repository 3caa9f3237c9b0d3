"""The options that ``hedgehog match`` and ``hedgehog tournament`` share, and how a signal ends them."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import click

from hedgehog.arena.launch import START_TIMEOUT_MS
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


_DEALER_LIMIT_OPTIONS: Final = (
    click.option(
        "--t-response",
        type=click.IntRange(0),
        metavar="MS",
        help=f"Dealer: limit for one answer.  [default: {RESPONSE_MS}]",
    ),
    click.option(
        "--t-hand",
        type=click.IntRange(0),
        metavar="MS",
        help=f"Dealer: limit per player and hand.  [default: {HAND_MS}]",
    ),
    click.option(
        "--t-per-hand",
        type=click.IntRange(0),
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
