"""``hedgehog bench``: the benchmark tables of the docs.

A benchmark is a function that takes a :class:`~hedgehog.cli.progress.Progress` and returns a
:class:`~hedgehog.cli.bench.table.BenchTable`, and one entry in ``_BENCHMARKS``.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from hedgehog.cli.bench.table import BenchTable
from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import (
    claim_outputs,
    csv_option,
    json_option,
    overwrite_option,
    write_csv,
    write_json,
)
from hedgehog.cli.progress import show_progress
from hedgehog.runtime.documents import json_document

# benchmark name -> (module, function, one-line help)
_BENCHMARKS: dict[str, tuple[str, str, str]] = {
    "dealer": ("hedgehog.cli.bench.dealer", "run", "matches in one process and over TCP"),
    "evaluator": ("hedgehog.cli.bench.evaluator", "run", "hand evaluation and equity"),
    "player": ("hedgehog.cli.bench.player", "run", "decisions per second of our player from packs alone"),
    "solver": ("hedgehog.cli.bench.solver", "run", "iterations of postflop spots beside postflop-solver"),
    "targets": (
        "hedgehog.cli.bench.solver",
        "run_targets",
        "the same spots solved to 1, 0.5 and 0.1 % of the pot (minutes)",
    ),
    "training": ("hedgehog.cli.bench.training", "run", "the trainers of the blueprint and their card buckets"),
}

# command name -> (module, function, one-line help): commands with arguments of their own
_COMMANDS: dict[str, tuple[str, str, str]] = {
    "algorithms": ("hedgehog.cli.bench.algorithms", "algorithms", "Compare the solver's algorithms on spots."),
    "blueprint": (
        "hedgehog.cli.bench.blueprint",
        "blueprint",
        "Play the snapshots of a blueprint training against each other.",
    ),
    "subsets": ("hedgehog.cli.bench.subsets", "subsets", "Measure weighted subsets of flops against all flops."),
    "flops": ("hedgehog.cli.bench.flops", "flops", "Play the rows of a quick flop pack against the blueprint's."),
}


# Benchmarks of the solver, which take the options of :func:`_peer_options`.
_WITH_PEER = ("solver", "targets")


def _peer_options() -> list[click.Parameter]:
    from hedgehog.cli.bench.solver_spots import SPOTS  # the solver takes a second to load

    *most, last = (spot.name.split()[0] for spot in SPOTS)
    return [
        click.Option(
            ["--peer"],
            metavar="COMMAND",
            help="Run another solver in turns with ours and compare the medians: a program that answers JSON lines"
            " (docs/solver.md).",
        ),
        click.Option(
            ["--spot", "spots"],
            metavar="NAME",
            multiple=True,
            help=f"Measure this spot only: {', '.join(most)} or {last}. May be given several times.",
        ),
    ]


class _BenchGroup(click.Group):
    """The click group of ``hedgehog bench``: one call runs any number of ``_BENCHMARKS``, or one of ``_COMMANDS``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*_BENCHMARKS, *_COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _COMMANDS:
            module, attribute, _ = _COMMANDS[cmd_name]
            command: click.Command = getattr(importlib.import_module(module), attribute)
            return command
        if cmd_name not in _BENCHMARKS:
            return None

        @click.command(cmd_name, help=f"Measure {_BENCHMARKS[cmd_name][2]}, then the benchmarks NAME.")
        @click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice(list(_BENCHMARKS)))
        @json_option("all figures")
        @csv_option("all figures")
        @overwrite_option
        def measure(
            names: tuple[str, ...],
            json_file: Path | None,
            csv_file: Path | None,
            overwrite: bool,
            peer: str | None = None,
            spots: tuple[str, ...] = (),
        ) -> None:
            claim_outputs(json_file, csv_file, overwrite=overwrite)
            results = _measure((cmd_name, *names), {"peer": peer, "spots": spots})
            if json_file is not None:
                write_json(json_file, json_document("bench") | results)
            if csv_file is not None:
                write_csv(csv_file, [{"benchmark": name, **row} for name in results for row in results[name]["rows"]])

        if cmd_name in _WITH_PEER:
            measure.params += _peer_options()
        return measure

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            rows = [(name, f"Measure {text}.") for name, (_, _, text) in _BENCHMARKS.items()]
            formatter.write_dl([*rows, *((name, text) for name, (_, _, text) in _COMMANDS.items())])


@click.group(cls=_BenchGroup, invoke_without_command=True)
@click.pass_context
def bench(context: click.Context) -> None:
    """Run the benchmarks of the docs: all of them without a COMMAND, or several, as in 'bench evaluator solver'."""
    if context.invoked_subcommand is None:
        _measure(tuple(_BENCHMARKS))


def _measure(names: Sequence[str], options: Mapping[str, Any] = MappingProxyType({})) -> dict[str, dict[str, Any]]:
    """Runs benchmarks and prints one table each; returns them by name as plain data.

    :param options: what the benchmarks of the solver are told.
    """
    results: dict[str, dict[str, Any]] = {}
    console = output_console()
    for name in names:
        with show_progress(f"measuring {name}", None, "measurements") as progress:
            module, function, _ = _BENCHMARKS[name]
            result: BenchTable = getattr(importlib.import_module(module), function)(
                progress, **(options if name in _WITH_PEER else {})
            )
        _print(console, result)
        rows = [asdict(row) | {"times_faster": row.times_faster, "ratio": row.ratio} for row in result.rows]
        results[name] = {"title": result.title, "rows": rows, "notes": list(result.notes)}
    return results


def _print(console: Console, result: BenchTable) -> None:
    table = Table(title=result.title, title_justify="left")
    table.add_column("what", overflow="fold")
    columns = ["measured", "compared figure", "ratio", "times faster"]
    if all(row.peer_value is None for row in result.rows):
        columns = columns[:1]
    for column in columns:
        table.add_column(column, justify="right")
    for row in result.rows:
        peer = "" if row.peer_value is None else f"{row.peer_value:.3g} {row.unit}"
        ratios = ["" if ratio is None else f"{ratio:.3g}" for ratio in (row.ratio, row.times_faster)]
        what = f"{row.what}; compared with {row.peer}" if row.peer else row.what
        table.add_row(what, *[f"{row.value:.3g} {row.unit}", peer, *ratios][: len(columns)])
    console.print(table)
    for note in result.notes:
        console.print(note)
