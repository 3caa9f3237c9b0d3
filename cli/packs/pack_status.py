"""``hedgehog pack status``: how far a build is, asked from another shell."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.table import Table

from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import claim_outputs, json_option, overwrite_option, write_json
from hedgehog.cli.progress import format_seconds
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.folder_lock import is_locked
from hedgehog.runtime.memory import format_bytes

if TYPE_CHECKING:
    from hedgehog.solver.packs.build_status import BuildStatus

_SHOWN: Final = 20
"""Number of running or failed flops that are listed."""


@click.command("status")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@json_option("the status")
@overwrite_option
def status(folder: Path, json_file: Path | None, overwrite: bool) -> None:
    """Show how far the build of a pack is; DIR is its --out or its --work."""
    from hedgehog.solver.packs.build_status import read_status

    claim_outputs(json_file, inputs=[folder], overwrite=overwrite)
    files = _status_files(folder)
    if not files:
        _show_training(folder, json_file)
        return
    found: list[tuple[Path, BuildStatus, bool]] = []
    for file in files:
        found.append((file, read_status(file), is_locked(file.parent)))
    found.sort(key=lambda one: one[1].updated)
    for file, now, alive in found:
        _print(file.parent, now, alive)
    if json_file is not None:
        builds = [{"folder": str(file.parent), "alive": alive, **now.to_json()} for file, now, alive in found]
        write_json(json_file, json_document("pack-status", builds=builds))


def _places(folder: Path) -> tuple[Path, Path]:
    """Returns a work folder, or the work folder beside a pack."""
    return folder, folder.with_name(folder.name + ".work")


def _status_files(folder: Path) -> list[Path]:
    """Returns the status files of the build of a flop pack."""
    from hedgehog.solver.packs.build_status import STATUS_FILE

    for place in _places(folder):
        files = [*place.glob(STATUS_FILE), *place.glob(f"*/{STATUS_FILE}")]
        if files:
            return files
    return []


def _show_training(folder: Path, json_file: Path | None) -> None:
    """Prints how far a training is.

    :raises InputError: if there is none.
    """
    from hedgehog.solver.blueprint.trainer import read_checkpoint_status

    for place in _places(folder):
        checkpoint = place / "checkpoint.npz"
        if checkpoint.is_file():
            break
    else:
        raise InputError("no build of a pack here: expected the folder of --out or --work", source=str(folder))
    found = read_checkpoint_status(checkpoint)
    alive = is_locked(place)
    age = time.time() - checkpoint.stat().st_mtime
    click.echo(f"{place}: {'training' if alive else 'not running: the same command goes on'}")
    unit = "boards" if found.algorithm == "pcs" else "deals"
    click.echo(f"  {found.iterations:,} {unit} in {format_seconds(found.seconds)} of training")
    click.echo(f"  checkpoint written {format_seconds(age)} ago")
    if json_file is not None:
        training = {"folder": str(place), "alive": alive, **asdict(found)}
        write_json(json_file, json_document("pack-status", trainings=[training]))


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
