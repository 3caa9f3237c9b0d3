"""``hedgehog game dominance``: removes dominated actions round by round and shows every step."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click
from rich.table import Table

from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import claim_outputs, json_option, overwrite_option, write_json
from hedgehog.runtime.documents import json_document


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
    from hedgehog.cli.games.sources import find_game, input_file
    from hedgehog.gametheory.dominance import eliminate, eliminate_at_infosets
    from hedgehog.gametheory.normal_games import NormalForm, solve_matrix
    from hedgehog.gametheory.normal_games import normal_form as table_of

    claim_outputs(json_file, inputs=[input_file(source)], overwrite=overwrite)
    found = find_game(source, parameters)
    console = output_console()
    content: dict[str, Any] = {"dominance": kind}
    if isinstance(found, NormalForm) or normal_form or kind == "weak" or pure:
        form = found if isinstance(found, NormalForm) else table_of(found)
        done = eliminate(form, kind, mixed=not pure)
        steps = done.steps
        before, after = (" x ".join(str(len(names)) for names in one.actions) for one in (form, done.game))
        content |= {"left": [list(names) for names in done.game.actions]}
        last = f"{before} pure strategies, {after} left"
        if len(form.players) == 2 and done.game.is_zero_sum:
            content["value"] = solve_matrix(done.game).value
            last += f"; value {content['value']:.10g}"
    else:
        reduced = eliminate_at_infosets(found)
        steps = reduced.steps
        content["left"] = {
            f"{reduced.game.players[one.player]}: {one.name}": list(one.actions) for one in reduced.game.infosets
        }
        counts = reduced.game.counts
        last = f"{found.counts.nodes:,} nodes, {counts.nodes:,} left; information sets left: {list(counts.infosets)}"
    if steps:
        table = Table("round", "player", "removed", "because of", "margin")
        for step in steps:
            by = ", ".join(name if weight == 1 else f"{weight:.4g} x ({name})" for name, weight in step.by.items())
            table.add_row(str(step.round), step.player, step.action, by, f"{step.margin:.4g}")
        console.print(table)
    else:
        console.print("No action is dominated.")
    console.print(last, markup=False)
    if json_file is not None:
        content["steps"] = [step._asdict() for step in steps]
        write_json(json_file, json_document("game-dominance", game=source, players=found.players, **content))
