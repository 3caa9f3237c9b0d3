"""``hedgehog bench``: the benchmark tables of the docs.

A benchmark is a module with a function ``run() -> BenchTable`` (:mod:`cli.bench_table`) and one entry in
``_BENCHMARKS``.
"""

from __future__ import annotations

import importlib

import click
from rich.console import Console
from rich.table import Table

from cli.bench_table import BenchTable

# benchmark name -> (module with run(), one-line help)
_BENCHMARKS: dict[str, tuple[str, str]] = {
    "dealer": ("cli.bench_dealer", "matches in one process and over TCP"),
    "evaluator": ("cli.bench_evaluator", "hand evaluation and equity"),
    "solver": ("cli.bench_solver", "postflop spots beside postflop-solver"),
}

_NAMES = ", ".join(f"{name} ({text})" for name, (_, text) in _BENCHMARKS.items())


@click.command(help=f"Run the benchmarks NAME, or all of them: {_NAMES}.")
@click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice(list(_BENCHMARKS)))
def bench(names: tuple[str, ...]) -> None:
    """Runs the benchmarks and prints one table each."""
    console = Console(highlight=False)
    console.width = max(console.width, 110)  # a pipe has no width of its own
    for name in names or _BENCHMARKS:
        with Console(stderr=True).status(f"measuring {name}"):
            result: BenchTable = importlib.import_module(_BENCHMARKS[name][0]).run()
        _print(console, result)


def _print(console: Console, result: BenchTable) -> None:
    table = Table(title=result.title, title_justify="left")
    table.add_column("what")
    table.add_column("measured", justify="right")
    table.add_column("compared with")
    table.add_column("its figure", justify="right")
    table.add_column("times faster", justify="right")
    for row in result.rows:
        peer = "" if row.peer_value is None else f"{row.peer_value:.3g} {row.unit}"
        ratio = "" if row.times_faster is None else f"{row.times_faster:.3g}"
        table.add_row(row.what, f"{row.value:.3g} {row.unit}", row.peer, peer, ratio)
    console.print(table)
    for note in result.notes:
        console.print(note)
