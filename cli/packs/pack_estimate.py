"""``hedgehog pack build --estimate``: the memory, time and files that the build of any kind of pack needs."""

from __future__ import annotations

import datetime
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import click
from pydantic import BaseModel
from rich.table import Table

from cli.console import output_console
from cli.progress import show_progress
from poker.streets import STREETS
from runtime.memory import available_memory, format_bytes
from solver.blueprint.config import read_blueprint_pack_config, tree_of
from solver.blueprint.estimate import estimate_blueprint
from solver.packs import exact_flops, quick_flops
from solver.packs.exact_flops_estimate import estimate_flops
from solver.packs.workers import BuildProgress, run_jobs
from strategies.flop_subsets import FlopSubset

M = TypeVar("M", bound=BaseModel)


def with_flops(config: M, key: str, subset: FlopSubset | None) -> M:
    """Returns a configuration with the flops of a subset, or as it is without a subset.

    :param key: key of the flops in the configuration.
    """
    return config if subset is None else config.model_copy(update={key: subset.flops()})


def print_estimate(
    kind: str, config_path: Path, work: Path | None, threads: int | None, subset: FlopSubset | None = None
) -> None:
    """Prints what the build of a configuration needs, without building it.

    :param kind: kind of pack: ``blueprint``, ``flops`` or ``quick-flops``.
    :param work: folder of unfinished work. The estimate of a quick pack refines some flops and keeps them in it; None
        uses a temporary folder.
    :param threads: threads or worker processes of the build; None for the default.
    :param subset: the flops, in place of those of the configuration.
    """
    if kind == "blueprint":
        _print_blueprint(config_path, threads)
    elif kind == "flops":
        _print_flops(config_path, threads or os.cpu_count() or 1, subset)
    else:
        workers = threads or len(os.sched_getaffinity(0))
        if work is not None:
            _print_quick_flops(config_path, work, workers, subset)
            return
        with tempfile.TemporaryDirectory() as folder:
            _print_quick_flops(config_path, Path(folder), workers, subset)


def _print_blueprint(config_path: Path, threads: int | None) -> None:
    config = read_blueprint_pack_config(config_path)
    threads = threads or config.threads or os.cpu_count() or 1
    found = estimate_blueprint(tree_of(config), config.cards.bucket_counts, config.algorithm)
    table = Table("street", "decisions", "actions of all decisions", "buckets")
    for column in table.columns[1:]:
        column.justify = "right"
    for row in zip(STREETS, found.decisions, found.node_actions, config.cards.bucket_counts, strict=True):
        table.add_row(row[0], *(f"{number:,}" for number in row[1:]))
    table.add_row("together", f"{sum(found.decisions):,}", f"{sum(found.node_actions):,}", "", style="bold")
    output_console().print(table)
    click.echo(f"infosets {found.infosets:,}, probabilities {found.entries:,}")
    click.echo(
        f"tables {found.plain_table_bytes / 1e6:.1f} MB (8 bytes per probability; "
        f"{found.table_bytes / 1e6:.1f} MB with the padding of the rows)"
    )
    click.echo(f"working memory {found.scratch_bytes / 1e6:.1f} MB for each of {threads} threads")
    click.echo(f"checkpoint {found.checkpoint_bytes / 1e6:.1f} MB, pack {found.pack_bytes / 1e6:.1f} MB")
    _print_memory(found.table_bytes + threads * found.scratch_bytes)
    if config.seconds is not None:
        click.echo(f"time: {_duration(config.seconds)} of training at most")
    elif config.iterations is not None:
        click.echo(
            f"time: {config.iterations:,} iterations of training; the first minute of the build tells their speed"
        )
    else:
        click.echo("time: until the stop rule is met")


def _print_flops(config_path: Path, threads: int, subset: FlopSubset | None) -> None:
    config = with_flops(exact_flops.read_flop_pack_config(config_path), "flops", subset)
    build = exact_flops.open_build(config, config_path.parent, config_path.parent, threads)
    with show_progress("measuring a few iterations", None):
        found = estimate_flops(build)
    table = Table("line", "pot", "stack", "flops", "betting lines", "memory of a solve")
    for column in table.columns[1:]:
        column.justify = "right"
    for line in found.lines:
        counts = (line.pot, line.stack, line.flops, line.betting_lines)
        table.add_row(line.name, *(f"{number:,}" for number in counts), format_bytes(line.needed))
    output_console().print(table)
    solves = sum(line.flops for line in found.lines)
    click.echo(f"{solves:,} solves, one after the other, each to {config.target_pct:g} % of the pot")
    _print_memory(found.needed)
    if found.seconds is not None:
        longest = f"{_duration(found.seconds)} with {threads} threads"
        click.echo(f"time: at most {longest}, if every solve takes all {config.max_iterations:,} iterations")


def _print_quick_flops(config_path: Path, work: Path, workers: int, subset: FlopSubset | None) -> None:
    config = with_flops(quick_flops.read_quick_flop_config(config_path), "classes", subset)
    build = quick_flops.open_build(config, config_path.parent, work)
    with show_progress("refining one flop of every line", len(config.lines), "lines") as shown:

        def progress(now: BuildProgress) -> None:
            shown.update(len(now.seconds), str(now.job or ""))

        found = run_jobs(build, workers, progress, estimate_only=True)
    for text in describe_quick_build(found, workers):
        click.echo(text)


def describe_quick_build(now: BuildProgress, workers: int) -> Iterator[str]:
    """Yields lines that say what is known about a build of quick flops."""
    yield f"{now.total:,} flops in all, {now.done:,} of them done"
    yield "CPU seconds per flop: " + ", ".join(f"{line} {seconds:.2f}" for line, seconds in now.seconds.items())
    free = available_memory()
    yield f"memory: {workers} x {now.worker_bytes / 1e6:.0f} MB, {free / 1e9:.1f} GB are free"
    left = _duration(now.remaining_seconds / workers)
    yield f"time: {now.remaining_seconds / 3600:.2f} hours of CPU, {left} with {workers} workers on idle processors"


def _print_memory(needed: float) -> None:
    free = available_memory()
    verdict = "fits" if needed <= free else "does not fit"
    click.echo(f"memory: {format_bytes(needed)}, {format_bytes(free)} are free: {verdict}")


def _duration(seconds: float) -> str:
    return str(datetime.timedelta(seconds=round(seconds)))
