"""``hedgehog game dominance``: removes dominated actions round by round and shows every step."""

from __future__ import annotations

from typing import Literal

import click

from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.runtime.table import Table


@click.command()
@click.argument("source", metavar="GAME")
@click.option("-p", "parameters", multiple=True, metavar="KEY=VALUE", help="Parameter of the rules, such as n=13.")
@click.option(
    "--kind",
    type=click.Choice(["strict", "weak"]),
    default="strict",
    show_default=True,
    help="Strict dominance, or weak: as good everywhere and better somewhere. What weak"
    " dominance leaves depends on the order, so each round removes all dominated actions at once.",
)
@click.option("--normal-form", is_flag=True, help="Compare pure strategies instead of actions at information sets.")
@click.option("--pure", is_flag=True, help="Normal form: leave mixtures out of the comparison.")
@output_options(json="the steps and what is left")
def dominance(
    source: str,
    parameters: tuple[str, ...],
    kind: Literal["strict", "weak"],
    normal_form: bool,
    pure: bool,
    outputs: Outputs,
) -> None:
    """Remove dominated actions of GAME round by round, and show the steps.

    In a tree an action falls if another action at the information set pays more whatever follows. With --normal-form,
    --kind weak or a matrix, whole strategies are compared, also with mixtures of others.
    """
    from hedgehog.analysis.games.sources import find_game, input_file
    from hedgehog.gametheory.dominance import remove_dominated

    outputs.claim(input_file(source))
    found = remove_dominated(find_game(source, parameters), source, kind, in_normal_form=normal_form, mixed=not pure)
    console = output_console()
    if found.steps:
        rows = [
            (str(step.round), step.player, step.action, _mixture(step.by), f"{step.margin:.4g}") for step in found.steps
        ]
        columns = ("round", "player", "removed", "because of", "margin")
        console.print(Table("steps", "", columns, tuple(rows)).rich())
    else:
        console.print("No action is dominated.")
    console.print(found.summary, markup=False)
    outputs.write_json(found.document)


def _mixture(by: dict[str, float]) -> str:
    return ", ".join(name if weight == 1 else f"{weight:.4g} x ({name})" for name, weight in by.items())
