"""``hedgehog pack build --estimate``: prints the memory, time and files that the build of any kind of pack needs."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Final

import click
from rich.box import SIMPLE_HEAD

from hedgehog.cli.console import output_console
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.machine import available_memory, format_bytes
from hedgehog.runtime.table import Column, Table
from hedgehog.solver.packs.build import FlopPackEstimate
from hedgehog.solver.packs.exact_flops import ExactBuild
from hedgehog.solver.packs.trainings import TrainingEstimate

CLUSTERS: Final = (16, 64, 256, 1024)
"""Numbers of workers for which an estimate tells the time."""


def print_estimate(found: list[TrainingEstimate] | FlopPackEstimate) -> None:
    """Prints what the build of a pack, or of the blueprints of several depths, needs."""
    if isinstance(found, FlopPackEstimate):
        _print_flops(found)
    elif len(found) == 1:
        _print_training(found[0])
    else:
        _print_family(found)


def _print_family(estimates: list[TrainingEstimate]) -> None:
    columns: list[Column | str] = [
        Column("blueprint", left=True),
        *(Column(name, text=_count) for name in ("decisions", "probabilities", "iterations")),
        Column("memory MB", text=_megabytes),
        Column("pack MB", text=_megabytes),
    ]
    needed = [each.tables.training_bytes(each.threads) for each in estimates]
    rows = [
        (
            each.config.name,
            sum(each.tables.decisions),
            each.tables.entries,
            each.config.iterations,
            memory,
            each.tables.pack_bytes,
        )
        for each, memory in zip(estimates, needed, strict=True)
    ]
    together = ("together", None, None, None, None, sum(row[-1] for row in rows))
    table = Table("depths", "", columns, (*rows, together), sections=(len(rows),))
    output_console().print(table.rich(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False))
    click.echo("They are trained one after the other, so no more memory is needed than for the largest of them.")
    _print_memory(max(needed))
    limits = [each.config.seconds for each in estimates]
    if None not in limits:
        click.echo(f"time: {_duration(sum(limit for limit in limits if limit))} of training at most")
    else:
        click.echo("time: the first minutes of the build tell the speed, and the time left for all depths")


def _megabytes(size: int | None) -> str:
    return "" if size is None else f"{size / 1e6:.1f}"


def _print_training(estimate: TrainingEstimate) -> None:
    config, found, threads = estimate.config, estimate.tables, estimate.threads
    columns: list[Column | str] = [
        "street",
        *(Column(name, text=_count) for name in ("decisions", "actions of all decisions", "buckets")),
    ]
    rows = [*zip(STREETS, found.decisions, found.node_actions, config.cards.bucket_counts, strict=True)]
    together = ("together", sum(found.decisions), sum(found.node_actions), None)
    table = Table("streets", "", columns, (*rows, together), sections=(len(rows),))
    output_console().print(table.rich())
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


def _print_flops(estimate: FlopPackEstimate) -> None:
    columns: list[Column | str] = [
        "line",
        *(Column(name, text=_count) for name in ("flops", "done", "tried")),
        Column("CPU s per flop", text=lambda seconds: f"{seconds:,.3g}"),
        Column("memory of a flop", text=format_bytes),
    ]
    rows = tuple(
        (line.name, line.flops, line.done, line.tried, line.seconds, line.needed_bytes) for line in estimate.jobs.lines
    )
    output_console().print(Table("lines", "", columns, rows).rich())
    for text in _describe_build(estimate):
        click.echo(text)


def _describe_build(estimate: FlopPackEstimate) -> Iterator[str]:
    """Yields lines that say what the rest of a build needs."""
    build, found, threads = estimate.build, estimate.jobs, estimate.threads
    todo = len(found.seconds)
    if isinstance(build, ExactBuild):
        yield f"{todo:,} flops to solve, each to {build.config.target_pct:g} % of the pot"
    else:
        yield f"{todo:,} flops to refine"
    each = estimate.worker_bytes
    free = available_memory()
    verdict = f"{int(free // each)} fit into" if each <= free else "none fits into"
    yield f"memory: {format_bytes(each)} per worker, {verdict} the {format_bytes(free)} that are free here"
    yield f"pack: {'' if isinstance(build, ExactBuild) else 'at most '}{format_bytes(found.pack_bytes)}"
    per, unit = next(
        ((per, unit) for per, unit in ((3600, "hours"), (60, "minutes")) if found.total >= per), (1, "seconds")
    )
    low, high = found.total / found.factor, found.total * found.factor
    yield (
        f"time: {found.total / per:.3g} {unit} of CPU, 95 % between {low / per:.3g} and {high / per:.3g} "
        "on processors like this one's"
    )
    for count in sorted({estimate.workers, *CLUSTERS}):
        spent = estimate.seconds_with(count)
        band = f"{_duration(spent / found.factor)} to {_duration(spent * found.factor)}"
        yield f"  {count:>5,} workers of {threads} core{'s' if threads > 1 else ''}: {_duration(spent)} ({band})"


def _print_memory(needed: float) -> None:
    free = available_memory()
    verdict = "fits" if needed <= free else "does not fit"
    click.echo(f"memory: {format_bytes(needed)}, {format_bytes(free)} are free: {verdict}")


def _duration(seconds: float) -> str:
    return str(datetime.timedelta(seconds=round(seconds)))


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"
