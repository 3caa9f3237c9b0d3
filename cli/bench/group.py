"""``hedgehog bench``: shows how fast Hedgehog is on this machine (:mod:`hedgehog.analysis.speed`)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click

from hedgehog.cli.console import output_console
from hedgehog.cli.first_launch import prepare_first_launch
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.cli.progress import terminal_watch
from hedgehog.runtime.documents import json_document

if TYPE_CHECKING:
    from hedgehog.analysis.speed.figures import BenchTable

_HELP: Final = {
    "dealer": "matches in one process and over TCP",
    "evaluator": "hand evaluation and equity",
    "player": "decisions per second of our player from packs alone",
    "solver": "iterations of postflop spots beside postflop-solver",
    "targets": "the same spots solved to 1, 0.5 and 0.1 % of the pot (minutes)",
}
_WITH_PEER: Final = ("solver", "targets")
_HEDGEHOG: Final = (sys.executable, "-P", "-m", "hedgehog.cli")


def _peer_options() -> list[click.Parameter]:
    from hedgehog.analysis.speed.solver_spots import SPOTS  # the solver takes a second to load

    *most, last = (spot.name.split()[0] for spot in SPOTS)
    return [
        click.Option(
            ["--peer"],
            metavar="COMMAND",
            help="Run another solver in turns with ours and compare the medians: a program that answers JSON lines"
            " (docs/speed.md).",
        ),
        click.Option(
            ["--spot", "spots"],
            metavar="NAME",
            multiple=True,
            help=f"Measure this spot only: {', '.join(most)} or {last}. May be given several times.",
        ),
    ]


class _BenchGroup(click.Group):
    """The click group of ``hedgehog bench``: one call runs any number of benchmarks."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_HELP)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _HELP:
            return None

        @click.command(cmd_name, help=f"Measure {_HELP[cmd_name]}, then the benchmarks NAME.")
        @click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice(list(_HELP)))
        @output_options(json="all figures", csv="all figures")
        def measure(
            names: tuple[str, ...], outputs: Outputs, peer: str | None = None, spots: tuple[str, ...] = ()
        ) -> None:
            outputs.claim()
            results = _measure((cmd_name, *names), peer, spots)
            outputs.write_json(json_document("bench") | results)
            outputs.write_csv([{"benchmark": name, **row} for name in results for row in results[name]["rows"]])

        if cmd_name in _WITH_PEER:
            measure.params += _peer_options()
        return measure

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, f"Measure {text}.") for name, text in _HELP.items()])


@click.group(cls=_BenchGroup, invoke_without_command=True)
@click.pass_context
def bench(context: click.Context) -> None:
    """Measure speeds on this machine: all of them without a COMMAND, or several, as in 'bench evaluator solver'."""
    if context.invoked_subcommand is None:
        _measure(tuple(_HELP))


def _measure(names: Sequence[str], peer: str | None = None, spots: Sequence[str] = ()) -> dict[str, dict[str, Any]]:
    """Runs benchmarks and prints one table each; returns them by name as plain data."""
    from hedgehog.analysis.speed import dealer, evaluator, player, solver

    measures: dict[str, Callable[..., BenchTable]] = {
        "dealer": partial(dealer.measure_dealer, _HEDGEHOG),
        "evaluator": evaluator.measure_evaluator,
        "player": player.measure_player,
        "solver": partial(solver.measure_iterations, peer, spots),
        "targets": partial(solver.measure_targets, peer, spots),
    }
    results: dict[str, dict[str, Any]] = {}
    console = output_console()
    for name in names:
        if name == "player":
            prepare_first_launch()
        with terminal_watch() as watch:
            result = measures[name](watch=watch)
        console.print(result.table(name).rich())
        for note in result.notes:
            console.print(note)
        results[name] = result.document(name)
    return results
