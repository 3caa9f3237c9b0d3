"""``hedgehog game dominance``: removes dominated actions round by round and shows every step."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import claim_outputs, json_option, overwrite_option, write_json
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
@json_option("the steps and what is left")
@overwrite_option
def dominance(
    source: str,
    parameters: tuple[str, ...],
    kind: Literal["strict", "weak"],
    normal_form: bool,
    pure: bool,
    json_file: Path | None,
    overwrite: bool,
) -> None:
    """Remove dominated actions of GAME round by round, and show the steps.

    In a tree an action falls if another action at the information set pays more whatever follows. With --normal-form,
    --kind weak or a matrix, whole strategies are compared, also with mixtures of others.
    """
    from hedgehog.analysis.games.sources import find_game, input_file
    from hedgehog.gametheory.dominance import remove_dominated

    claim_outputs(json_file, inputs=[input_file(source)], overwrite=overwrite)
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
    if json_file is not None:
        write_json(json_file, found.document)


def _mixture(by: dict[str, float]) -> str:
    return ", ".join(name if weight == 1 else f"{weight:.4g} x ({name})" for name, weight in by.items())
