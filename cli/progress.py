"""Shows the progress of a command on standard error: a live picture on a terminal, otherwise a line now and then.

Commands that run a task of a room pass it :func:`terminal_watch`. Commands that count steps themselves use
:func:`show_progress`. Without a terminal the first line comes after two seconds, so that a short command stays silent.
Further lines come every ten seconds, even while the work has nothing new to report.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Final, TypeVar

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from hedgehog.cli.termination import ending_signals, handling
from hedgehog.runtime.watch import Watch

FIRST_LINE_AFTER_S: Final = 2.0
LINE_EVERY_S: Final = 10.0
_LOOK_EVERY_S: Final = 0.25
_BAR_WIDTH: Final = 24

T = TypeVar("T")


class RemainingTime:
    """Estimates the remaining time of some work from its speed since :meth:`begin`, so that start-up does not count."""

    def __init__(self) -> None:
        self._first: tuple[float, float] | None = None

    def begin(self, done: float) -> None:
        """Starts the clock unless it runs already.

        :param done: amount of work done at this moment.
        """
        if self._first is None:
            self._first = (time.monotonic(), done)

    def text(self, done: float, total: float | None) -> str:
        """Returns the remaining time as m:ss or h:mm:ss, or ``-:--`` if it is unknown.

        :param done: amount of work done; above 0 it starts the clock unless it runs already.
        :param total: amount of all work; None if it is unknown.
        """
        if done:
            self.begin(done)
        if total is None or self._first is None or done <= self._first[1]:
            return "-:--"
        start, first_done = self._first
        return format_seconds((time.monotonic() - start) * max(total - done, 0) / (done - first_done))


def format_seconds(seconds: float) -> str:
    """Returns a time in seconds as text: m:ss or h:mm:ss."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Progress:
    """The progress of one piece of work. Updating it is cheap, because the display reads it only when it is due."""

    def __init__(self, what: str, total: float | None, unit: str, text: str) -> None:
        self.what = what
        self.total = total
        self.unit = unit
        self.done = 0.0
        self.text = text
        self.below: RenderableType | None = None
        """What a terminal shows below the bar in place of the text."""
        self.say_if_due: Callable[[], None] = lambda: None
        self._started = time.monotonic()
        self._clock = RemainingTime()

    def update(self, done: float, text: str | None = None) -> None:
        """Sets the amount of work done. The first call starts the clock for the remaining time.

        :param text: note to show beside the amount; None keeps the earlier note.
        """
        self._clock.begin(done)
        self.done = done
        if text is not None:
            self.text = text
        self.say_if_due()

    def advance(self, by: float = 1, text: str | None = None) -> None:
        """Adds ``by`` to the amount of work done.

        :param text: note to show beside the amount; None keeps the earlier note.
        """
        self.update(self.done + by, text)

    def line(self) -> str:
        """Returns the state as one line of text."""
        parts = [] if self.total is None else [self._count(), f"ETA {self._clock.text(self.done, self.total)}"]
        parts += [self.text] if self.text else []
        return ": ".join(part for part in (self.what, ", ".join(parts)) if part)

    def picture(self) -> RenderableType:
        """Returns the state as a bar, with the text or another picture below it."""
        head = Table.grid(padding=(0, 1))
        bar = ProgressBar(self.total, self.done, width=_BAR_WIDTH, pulse=self.total is None)
        elapsed = format_seconds(time.monotonic() - self._started)
        cells: list[RenderableType] = [self.what, bar, elapsed]
        if self.total is not None:
            cells = [self.what, bar, self._count(), elapsed, f"ETA {self._clock.text(self.done, self.total)}"]
        head.add_row(*cells)
        below = self.below or (Text(self.text) if self.text else None)
        return head if below is None else Group(head, below)

    def _count(self) -> str:
        assert self.total is not None
        if self.unit:
            return f"{min(self.done, self.total):.0f}/{self.total:.0f} {self.unit}"
        return f"{100 * min(self.done / self.total, 1) if self.total else 100:.0f} %"


@contextmanager
def show_progress(
    what: str,
    total: float | None,
    unit: str = "",
    text: str = "",
    *,
    first_line_after_s: float = FIRST_LINE_AFTER_S,
) -> Iterator[Progress]:
    """Shows the progress of a piece of work, with the remaining time, while the block runs.

    :param what: name of the work; may be empty.
    :param total: amount of all work; None if it is unknown.
    :param unit: the things that ``total`` counts, such as ``hands``. Without it the share is shown in percent.
    :param text: note to show beside the amount from the start.
    :param first_line_after_s: seconds until the first line if there is no terminal.
    :returns: the progress, for the block to update; its ``total`` may be changed.
    """
    progress = Progress(what, total, unit, text)
    console = Console(stderr=True)
    if console.is_terminal and not console.is_dumb_terminal:
        # A bar that took standard output along would swallow what is meant for a pipe or a file.
        to_screen = sys.stdout.isatty()
        with Live(get_renderable=progress.picture, console=console, transient=True, redirect_stdout=to_screen):
            yield progress
        return
    lines = _Lines(progress.line, first_line_after_s)
    progress.say_if_due = lines.say_if_due
    stopped = threading.Event()

    def look() -> None:
        while not stopped.wait(_LOOK_EVERY_S):
            lines.say_if_due()

    watcher = threading.Thread(target=look, daemon=True, name="progress")
    lines.say_if_due()
    watcher.start()
    try:
        yield progress
    finally:
        stopped.set()
        watcher.join()


class TerminalWatch(Watch):
    """Draws what a task tells: every piece of work as a bar on standard error, notes on it as lines."""

    def __init__(self, first_line_after_s: float) -> None:
        self.bar = Progress("", None, "", "")
        """The bar of the piece of work that runs."""
        self.received: list[int] = []
        """Numbers of the signals that asked the task to stop."""
        self._first_line_after_s = first_line_after_s
        self._drawing = ExitStack()

    def begin(self, what: str, total: float | None = None, unit: str = "", text: str = "") -> None:
        """Ends the bar before and draws a new one."""
        self.end()
        self.bar = self._drawing.enter_context(
            show_progress(what, total, unit, text, first_line_after_s=self._first_line_after_s)
        )

    def update(self, done: float, text: str | None = None, *, total: float | None = None) -> None:
        """Moves the bar."""
        if total is not None:
            self.bar.total = total
        self.bar.update(done, text)

    def note(self, text: str) -> None:
        """Prints a line on standard error."""
        click.echo(text, err=True)

    def warn(self, text: str) -> None:
        """Prints a line on standard error."""
        click.echo(f"warning: {text}", err=True)

    @property
    def stopped(self) -> bool:
        """Whether Ctrl-C, SIGTERM or SIGHUP came."""
        return bool(self.received)

    def end(self) -> None:
        """Ends the bar."""
        self._drawing.close()

    def _receive(self, number: int) -> None:
        if self.received:
            raise KeyboardInterrupt
        self.received.append(number)


@contextmanager
def terminal_watch(
    *, stoppable: bool = False, first_line_after_s: float = FIRST_LINE_AFTER_S
) -> Iterator[TerminalWatch]:
    """Yields a watch that draws on standard error while the block runs.

    :param stoppable: the task looks at :attr:`Watch.stopped` between its steps: the first Ctrl-C, SIGTERM or SIGHUP
        only asks it to stop, and a second raises KeyboardInterrupt. Otherwise signals do what they do elsewhere.
    :param first_line_after_s: seconds until the first line if there is no terminal.
    """
    watch = TerminalWatch(first_line_after_s)
    numbers = (signal.SIGINT, *ending_signals()) if stoppable else ()
    with handling(numbers, watch._receive):
        try:
            yield watch
        finally:
            watch.end()


class _Lines:
    """Prints a line when one is due. An unchanged line is printed with the time since the start."""

    def __init__(self, line: Callable[[], str], first_after_s: float) -> None:
        self._line = line
        self._started = time.monotonic()
        self._due = self._started + first_after_s
        self._last = ""
        self._lock = threading.Lock()

    def say_if_due(self) -> None:
        now = time.monotonic()
        if now < self._due:
            return
        with self._lock:
            if now < self._due:
                return
            self._due = now + LINE_EVERY_S
            text = self._line()
            again = text == self._last
            self._last = text
            click.echo(f"{text} ({format_seconds(now - self._started)} so far)" if again else text, err=True)
