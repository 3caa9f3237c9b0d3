"""How far a task of the engine is, as ``hedgehog status`` and ``hedgehog pack status`` print it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

import click
from rich.table import Table

from hedgehog.cli.console import output_console
from hedgehog.cli.progress import format_seconds
from hedgehog.runtime.engines.status import RunStatus
from hedgehog.runtime.machine import format_bytes

_SHOWN: Final = 20
"""Number of running or failed jobs that are listed."""
_SHOWN_NOTES: Final = 5
"""Number of notes on workers that are listed."""


def print_run(target: Path | str, now: RunStatus, *, alive: bool) -> None:
    """Prints how far a task of the engine is.

    :param target: the folder or file that the task writes to, or the cluster that it works on.
    :param alive: whether its client still works.
    """
    unit = now.unit
    state = now.state
    if state in ("starting", "running") and not alive:
        state = "killed: the same command goes on"
    click.echo(f"{target}: {state}")
    if now.message:
        click.echo(f"  {now.message}")
    share = 100 * now.done / now.total if now.total else 100
    click.echo(
        f"  {now.done:,} of {now.total:,} {unit}s done ({share:.1f} %), {now.per_hour:,.0f} per hour in this run"
    )
    if now.waiting and alive:
        click.echo(f"  {now.waiting}")
    if now.remaining_seconds and alive:
        click.echo(f"  about {format_seconds(now.remaining_seconds)} left")
    if now.cpu_seconds:
        mean = ", ".join(f"{line} {seconds:,.3g}".strip() for line, seconds in now.cpu_seconds.items())
        click.echo(f"  CPU seconds per {unit}: {mean}")
    if now.start_seconds >= 1:
        click.echo(f"  CPU seconds for starting workers and compiling: {now.start_seconds:,.0f}")
    memory = f", {format_bytes(now.worker_bytes)} of memory each at most" if now.worker_bytes else ""
    click.echo(f"  {now.workers} workers, {now.engine}{memory}")
    if now.dashboard and alive:
        click.echo(f"  dashboard: {now.dashboard}")
    click.echo(f"  process {now.process} on {now.host}, last heard of {format_seconds(time.time() - now.updated)} ago")
    for note in now.notes[-_SHOWN_NOTES:]:
        click.echo(f"  {note}")
    table = Table(unit, "state")
    for running in now.running[:_SHOWN] if alive else []:
        table.add_row(running.job, f"handed out {format_seconds(time.time() - running.since)} ago")
    for job, reason in list(now.failed.items())[:_SHOWN]:
        table.add_row(job, f"failed: {reason}")
    if table.row_count:
        output_console().print(table)
