"""``hedgehog pack build --estimate``: the memory, time and files that the build of any kind of pack needs."""

from __future__ import annotations

import datetime
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
from rich.table import Table

from hedgehog.cli.console import output_console
from hedgehog.cli.packs.flop_engine import BuildOptions, default_workers, open_flop_build, threads_per_worker
from hedgehog.cli.progress import show_progress
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.memory import available_memory, format_bytes
from hedgehog.solver.blueprint.config import BlueprintPackConfig, read_blueprint_pack_config, tree_of
from hedgehog.solver.blueprint.estimate import BlueprintEstimate, estimate_blueprint, estimate_limit
from hedgehog.solver.blueprint.limit_config import LimitPackConfig, read_limit_pack_config
from hedgehog.solver.packs.build_estimate import SAMPLES, BuildEstimate, estimate_build
from hedgehog.solver.packs.engines.local import BASE_BYTES
from hedgehog.solver.packs.exact_flops import ExactBuild
from hedgehog.solver.packs.jobs import verify_work
from hedgehog.solver.packs.makespan import Cluster, simulate
from hedgehog.solver.packs.quick_flops import QuickBuild

CLUSTERS: Final = (16, 64, 256, 1024)
"""Numbers of workers for which an estimate tells the time."""


def print_estimate(kind: str, config_path: Path, work: Path | None, options: BuildOptions) -> None:
    """Prints what the build of a configuration needs, without building it.

    :param kind: kind of pack: ``blueprint``, ``limit-blueprint``, ``flops`` or ``quick-flops``.
    :param work: folder of unfinished work, whose flops make the estimate better. The estimate of a quick pack refines
        some flops and keeps them in it; None uses a temporary folder.
    :param options: the options of the build.
    """
    if kind == "blueprint":
        config = read_blueprint_pack_config(config_path)
        found = estimate_blueprint(tree_of(config), config.cards.bucket_counts, config.algorithm)
        _print_training(config, found, options.workers)
    elif kind == "limit-blueprint":
        limit = read_limit_pack_config(config_path)
        _print_training(limit, estimate_limit(limit.training(1), limit.cards.bucket_counts), options.workers)
    elif work is not None:
        _print_flops(kind, config_path, work, options)
    else:
        with tempfile.TemporaryDirectory() as folder:
            _print_flops(kind, config_path, Path(folder), options)


def _print_training(
    config: BlueprintPackConfig | LimitPackConfig, found: BlueprintEstimate, threads: int | None
) -> None:
    threads = threads or config.threads or os.cpu_count() or 1
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


def _print_flops(kind: str, config_path: Path, work: Path, options: BuildOptions) -> None:
    build = open_flop_build(kind, config_path, work, options.flops)
    verify_work(build, work)
    lines = len(build.config.lines)
    with show_progress("trying a few flops of every line", lines * SAMPLES, "flops") as shown:
        found = estimate_build(build, on_try=lambda job: shown.advance(1, str(job)))
    table = Table("line", "flops", "done", "tried", "CPU s per flop", "memory of a flop")
    for column in table.columns[1:]:
        column.justify = "right"
    for line in found.lines:
        counts = (f"{number:,}" for number in (line.flops, line.done, line.tried))
        table.add_row(line.name, *counts, f"{line.seconds:,.3g}", format_bytes(line.needed_bytes))
    output_console().print(table)
    for text in _describe_build(build, found, options):
        click.echo(text)


def _describe_build(build: ExactBuild | QuickBuild, found: BuildEstimate, options: BuildOptions) -> Iterator[str]:
    """Yields lines that say what the rest of a build needs."""
    todo, threads = len(found.seconds), threads_per_worker(build)
    if isinstance(build, ExactBuild):
        yield f"{todo:,} flops to solve, each to {build.config.target_pct:g} % of the pot"
    else:
        yield f"{todo:,} flops to refine"
    each = found.needed_bytes + BASE_BYTES
    free = available_memory()
    verdict = f"{int(free // each)} fit into" if each <= free else "none fits into"
    yield f"memory: {format_bytes(each)} per worker, {verdict} the {format_bytes(free)} that are free here"
    yield f"pack: {'' if isinstance(build, ExactBuild) else 'at most '}{format_bytes(found.pack_bytes)}"
    per, unit = (3600, "hours") if found.total >= 3600 else (1, "seconds")
    low, high = found.total / found.factor, found.total * found.factor
    yield (
        f"time: {found.total / per:.3g} {unit} of CPU, 95 % between {low / per:.3g} and {high / per:.3g} "
        "on processors like this one's"
    )
    workers = options.workers or default_workers(build)
    for count in sorted({workers, *CLUSTERS}):
        spent = simulate(found.seconds / threads, Cluster(count)).seconds
        band = f"{_duration(spent / found.factor)} to {_duration(spent * found.factor)}"
        yield f"  {count:>5,} workers of {threads} core{'s' if threads > 1 else ''}: {_duration(spent)} ({band})"


def _print_memory(needed: float) -> None:
    free = available_memory()
    verdict = "fits" if needed <= free else "does not fit"
    click.echo(f"memory: {format_bytes(needed)}, {format_bytes(free)} are free: {verdict}")


def _duration(seconds: float) -> str:
    return str(datetime.timedelta(seconds=round(seconds)))
