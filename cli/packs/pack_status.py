"""``hedgehog pack status``: how far a build is, asked from another shell."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.table import Table

from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.cli.progress import format_seconds
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.memory import format_bytes

if TYPE_CHECKING:
    from hedgehog.solver.blueprint.trainer import CheckpointStatus
    from hedgehog.solver.packs.build_status import BuildStatus, FolderStatus

_SHOWN: Final = 20
"""Number of running or failed flops that are listed."""


@click.command("status")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@output_options(json="the status")
def status(folder: Path, outputs: Outputs) -> None:
    """Show how far the build of a pack is; DIR is its --out or its --work."""
    from hedgehog.solver.packs.build_status import BuildStatus, find_builds

    outputs.claim(folder)
    found = find_builds(folder)
    builds: list[dict[str, object]] = []
    trainings: list[dict[str, object]] = []
    for each in found:
        head = {"folder": str(each.folder), "alive": each.alive}
        if isinstance(each.status, BuildStatus):
            _print(each.folder, each.status, each.alive)
            builds.append(head | each.status.to_json())
        else:
            _print_training(each, each.status)
            trainings.append(head | asdict(each.status))
    listed = {"builds": builds} if builds else {"trainings": trainings}
    outputs.write_json(json_document("pack-status") | listed)


def _print_training(found: FolderStatus, training: CheckpointStatus) -> None:
    click.echo(f"{found.folder}: {'training' if found.alive else 'not running: the same command goes on'}")
    unit = "boards" if training.algorithm == "pcs" else "deals"
    click.echo(f"  {training.iterations:,} {unit} in {format_seconds(training.seconds)} of training")
    click.echo(f"  checkpoint written {format_seconds(time.time() - found.updated)} ago")


def _print(folder: Path, now: BuildStatus, alive: bool) -> None:
    state = now.state
    if state in ("starting", "running") and not alive:
        state = "killed: the same command goes on"
    click.echo(f"{folder}: {state}")
    if now.message:
        click.echo(f"  {now.message}")
    share = 100 * now.done / now.total if now.total else 100
    click.echo(f"  {now.done:,} of {now.total:,} flops done ({share:.1f} %), {now.per_hour:,.0f} per hour in this run")
    if now.remaining_seconds and alive:
        click.echo(f"  about {format_seconds(now.remaining_seconds)} left")
    if now.cpu_seconds:
        mean = ", ".join(f"{line} {seconds:,.3g}" for line, seconds in now.cpu_seconds.items())
        click.echo(f"  CPU seconds per flop: {mean}")
    memory = f", {format_bytes(now.worker_bytes)} of memory each at most" if now.worker_bytes else ""
    click.echo(f"  {now.workers} workers, {now.engine}{memory}")
    if now.dashboard and alive:
        click.echo(f"  dashboard: {now.dashboard}")
    click.echo(f"  process {now.process} on {now.host}, last heard of {format_seconds(time.time() - now.updated)} ago")
    table = Table("flop", "state")
    for running in now.running[:_SHOWN] if alive else []:
        table.add_row(running.job, f"handed out {format_seconds(time.time() - running.since)} ago")
    for job, reason in list(now.failed.items())[:_SHOWN]:
        table.add_row(job, f"failed: {reason}")
    if table.row_count:
        output_console().print(table)
