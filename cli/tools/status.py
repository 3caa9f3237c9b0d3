"""``hedgehog status``: how far a long task is, asked from another shell."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.runtime.documents import json_document


@click.command()
@click.argument("target", metavar="FILE|DIR", type=click.Path(path_type=Path))
@output_options(json="the status")
def status(target: Path, outputs: Outputs) -> None:
    """Show how far the task is that writes to FILE (--results) or to DIR (--out, --work).

    It shows tasks that run, and tasks that were broken off: the same command goes on with them. A task that is finished
    has no status any more, except that of a flop pack. "hedgehog tournament status" shows matches and hands.
    """
    from hedgehog.cli.run_view import print_run
    from hedgehog.runtime.engines.status import find_status

    outputs.claim(target)
    found = find_status(target)
    alive = found.is_alive(target)
    print_run(target, found, alive=alive)
    outputs.write_json(json_document("task-status", target=str(target), alive=alive, task=found.to_json()))
