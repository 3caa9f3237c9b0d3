"""``hedgehog status``: how far a long task is, asked from another shell."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.runtime.documents import json_document


@click.command()
@click.argument("target", metavar="[FILE|DIR]", type=click.Path(path_type=Path), required=False)
@click.option(
    "--dask", metavar="ADDRESS", help="Ask the dask scheduler at ADDRESS for the tasks that work on its cluster."
)
@output_options(json="the status")
def status(target: Path | None, dask: str | None, outputs: Outputs) -> None:
    """Show how far the task is that writes to FILE (--results) or to DIR (--out, --work).

    It shows tasks that run, and tasks that were broken off: the same command goes on with them. A task that is finished
    has no status any more, except that of a flop pack. "hedgehog tournament status" shows matches and hands.

    A machine that sees neither FILE nor DIR asks the scheduler of the cluster: --dask ADDRESS.
    """
    from hedgehog.cli.run_view import print_run
    from hedgehog.runtime.engines.status import find_status

    if (target is None) == (dask is None):
        raise click.UsageError("expected a FILE or DIR, or --dask ADDRESS")
    if target is not None:
        outputs.claim(target)
        found = find_status(target)
        alive = found.is_alive(target)
        print_run(target, found, alive=alive)
        outputs.write_json(json_document("task-status", target=str(target), alive=alive, task=found.to_json()))
        return
    from hedgehog.runtime.engines.dask_engine import published_statuses

    outputs.claim()
    tasks = published_statuses(str(dask))
    if not tasks:
        click.echo(f"no task works on the cluster of {dask}")
    for name, task in tasks.items():
        print_run(name, task, alive=task.is_heard_of())
    documents = [{"target": name, "alive": task.is_heard_of(), "task": task.to_json()} for name, task in tasks.items()]
    outputs.write_json(json_document("tasks-status", scheduler=dask, tasks=documents))
