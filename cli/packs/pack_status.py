"""``hedgehog pack status``: how far a build is, asked from another shell."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.cli.progress import format_seconds
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.table import MISSING, Column, Table

if TYPE_CHECKING:
    from hedgehog.solver.blueprint.trainer import CheckpointStatus
    from hedgehog.solver.packs.build_status import DepthStatus, FolderStatus


@click.command("status")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@output_options(json="the status")
def status(folder: Path, outputs: Outputs) -> None:
    """Show how far the build of a pack is; DIR is its --out or its --work."""
    from hedgehog.cli.run_view import print_run
    from hedgehog.runtime.engines.status import RunStatus
    from hedgehog.solver.blueprint.trainer import CheckpointStatus
    from hedgehog.solver.packs.build_status import find_builds

    outputs.claim(folder)
    found = find_builds(folder)
    builds: list[dict[str, object]] = []
    others: dict[str, object] = {}
    for each in found:
        head = {"folder": str(each.folder), "alive": each.alive}
        if isinstance(each.status, RunStatus):
            print_run(each.folder, each.status, alive=each.alive)
            builds.append(head | each.status.to_json())
        elif isinstance(each.status, CheckpointStatus):
            _print_training(each, each.status)
            others["trainings"] = [head | asdict(each.status)]
        else:
            others = head | {"depths": _print_depths(each, each.status).records()}
    outputs.write_json(json_document("pack-status") | ({"builds": builds} if builds else others))


def _print_training(found: FolderStatus, training: CheckpointStatus) -> None:
    click.echo(f"{found.folder}: {'training' if found.alive else 'not running: the same command goes on'}")
    unit = "boards" if training.algorithm == "pcs" else "deals"
    click.echo(f"  {training.iterations:,} {unit} in {format_seconds(training.seconds)} of training")
    click.echo(f"  checkpoint written {format_seconds(time.time() - found.updated)} ago")


def _print_depths(found: FolderStatus, depths: Sequence[DepthStatus]) -> Table:
    ended = all(each.depth.finished for each in depths)
    word = "training" if found.alive else "finished" if ended else "not running: the same command goes on"
    click.echo(f"{found.folder}: {word}")
    rows = []
    for each in depths:
        training = each.training
        done, seconds = (None, None) if training is None else (training.iterations, training.seconds)
        limits = (each.depth.iterations, each.depth.seconds)
        rows.append((each.depth.name, each.state, each.alive, done, limits[0], seconds, limits[1]))
    columns: list[Column | str] = [
        "blueprint",
        "state",
        Column("alive", shown=False),
        Column("iterations", text=_count),
        Column("limit", text=_count),
        Column("seconds", "time", text=_time),
        Column("seconds_limit", "time limit", text=_time, shown=any(row[-1] for row in rows)),
    ]
    table = Table("depths", "", columns, tuple(rows))
    output_console().print(table.rich())
    return table


def _count(number: int | None) -> str:
    return MISSING if number is None else f"{number:,}"


def _time(seconds: float | None) -> str:
    return MISSING if seconds is None else format_seconds(seconds)
