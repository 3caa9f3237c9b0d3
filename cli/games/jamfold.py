"""``hedgehog game jamfold``: jam or fold at the end of a tournament, its values, strategies and charts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from rich.table import Table

from hedgehog.cli.console import output_console
from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import claim_outputs, json_option, output_option, overwrite_option, write_json, write_output
from hedgehog.runtime.documents import json_document

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hedgehog.analysis.games.jam_chart import JamGrid
    from hedgehog.gametheory.jam_fold import Bound, Structure, Tournament
    from hedgehog.gametheory.jam_stages import HandTables
    from hedgehog.gametheory.jam_tables import JamTables

MODELS: Final = ("alternating", "chip", "bound")
STAGES_PER_STACK: Final = {"alternating": 1, "bound": 2}
"""Number of linear programs that each stack takes in a round."""
USUAL_ROUNDS: Final = 4
"""Rounds until the values of a tournament have converged, as a rule."""


@click.command()
@click.option("--stack", type=int, default=4000, show_default=True, help="Chips of the player in the small blind.")
@click.option(
    "--model",
    type=click.Choice(MODELS),
    default="alternating",
    show_default=True,
    help="The tournament with an alternating button; one hand for chips (also a tournament with a random button); or"
    " the strategy that guarantees most against an opponent who may do anything.",
)
@click.option("--total", type=int, default=8000, show_default=True, help="Chips of both players.")
@click.option("--blinds", type=(int, int), default=(300, 600), show_default=True, help="Small and big blind.")
@click.option(
    "--all-stacks", is_flag=True, help="Chart: the largest stack that jams or calls; a star marks gaps below."
)
@output_option("--chart", "chart_file", "an SVG with 13 x 13 charts")
@json_option("values and strategies")
@overwrite_option
def jamfold(
    stack: int,
    model: str,
    total: int,
    blinds: tuple[int, int],
    all_stacks: bool,
    chart_file: Path | None,
    json_file: Path | None,
    overwrite: bool,
) -> None:
    """Solve jam or fold: two players, winner takes all, every hand is jammed or folded before the flop.

    Stacks are counted before the blinds, in multiples of 50. The strategies of all stacks of 8,000 chips with blinds of
    300/600 are shipped. For other chips and blinds the alternating and the bound model solve all stacks, which takes a
    minute or two. The value is the probability to win the tournament, or chips with --model chip.
    """
    from hedgehog.arena.jam_tables import find_jam_tables, holdem_tables
    from hedgehog.gametheory.jam_fold import Structure, verify_chip_stage
    from hedgehog.runtime.errors import GameError

    claim_outputs(chart_file, json_file, overwrite=overwrite)
    structure = Structure(total, *blinds)
    structure.kind(stack)  # checks the stack
    if all_stacks and model == "chip":
        raise GameError("--all-stacks needs the model alternating or bound")
    if chart_file is None:
        refuse_options("goes with --chart", "all_stacks")
    if model == "chip":
        verify_chip_stage(structure, stack)
    tables = holdem_tables()
    content: dict[str, Any] = {"model": model, "total": total, "blinds": list(blinds), "stack": stack}
    known = None if model == "chip" else find_jam_tables(structure)
    if known is None and model != "chip":
        click.echo(
            f"no strategies for {total} chips and blinds of {blinds[0]}/{blinds[1]} are shipped or kept: solving all "
            f"{len(structure.stacks)} stacks",
            err=True,
        )
    grids = _solve(model, tables, structure, stack, content, all_stacks, known)
    if chart_file is not None:
        from hedgehog.analysis.games.jam_chart import jam_chart

        title = f"Jam or fold, {model}: {stack} of {total} chips, blinds {blinds[0]}/{blinds[1]}"
        write_output(chart_file, jam_chart(title, grids))
    if json_file is not None:
        write_json(json_file, json_document("jam-fold", game="hold'em", **content))


def _solve(
    model: str,
    tables: HandTables,
    structure: Structure,
    stack: int,
    content: dict[str, Any],
    all_stacks: bool,
    known: JamTables | None,
) -> list[JamGrid]:
    """Solves the model unless it is known, prints what it says, adds it to ``content``, and returns the charts."""
    import numpy as np

    from hedgehog.analysis.games.jam_chart import probability_grid, stacks_grid
    from hedgehog.gametheory.freeze_out import exact_freeze_out
    from hedgehog.gametheory.jam_fold import chip_stage

    console = output_console()
    decisions: list[tuple[str, NDArray[np.float64]]] = []
    grids: list[JamGrid] = []
    if model == "chip":
        chips = chip_stage(tables, structure, stack)
        content["value"] = chips.value
        console.print(f"value {chips.value:+.6f} chips for the small blind")
        decisions = [("small blind jams", chips.jam), ("big blind calls", chips.call)]
    elif model == "alternating":
        tournament = known.tournament(tables) if known is not None else _tournament(tables, structure)
        stage = tournament.stages[stack]
        content |= {"value": stage.value, "values": {str(s): tournament.value(s) for s in structure.stacks}}
        console.print(f"the small blind wins the tournament with probability {stage.value:.6f}")
        against = exact_freeze_out(tables, tournament, "allin", stack)
        content["against_allin"] = against._asdict()
        first, second = against.wins
        console.print(f"against a player who is always all-in {first:.6f}, or {second:.6f} without the first button")
        decisions += [("small blind jams", stage.jam)] if stage.jam is not None else []
        decisions += [("big blind calls", stage.reply)] if stage.reply is not None else []
        of_seats = {"small blind jams": tournament.stages, "big blind calls": tournament.stages}
    else:
        bound = known.bound() if known is not None else _bound(tables, structure)
        stage, other = bound.small[stack], bound.big[stack]
        worst, loss = bound.greatest_loss()
        content |= {"value": stage.value, "value_big_blind": other.value, "loss": bound.loss(stack)}
        content |= {"greatest_loss": loss, "greatest_loss_stack": worst}
        content["values"] = {str(s): [bound.small[s].value, bound.big[s].value] for s in structure.stacks}
        console.print(f"in the small blind the strategy wins with probability {stage.value:.6f} at least")
        console.print(f"in the big blind with the same stack {other.value:.6f}")
        console.print(
            f"a perfect player wins {bound.loss(stack):.6f} more at most, {loss:.6f} at {worst}, the worst stack"
        )
        decisions += [("small blind jams", stage.jam)] if stage.jam is not None else []
        decisions += [("big blind jams over a limp or raise", other.jam)] if other.jam is not None else []
        of_seats = {"small blind jams": bound.small, "big blind jams over a limp or raise": bound.big}
    content["strategies"] = []
    table = Table("decision", "share of hands", "mixed hands")
    for name, chances in decisions:
        mixed = {tables.names[i]: float(p) for i, p in enumerate(chances) if 1e-6 < p < 1 - 1e-6}
        share = float(tables.weights @ chances)
        table.add_row(name, f"{100 * share:.2f} %", ", ".join(f"{hand} {p:.4f}" for hand, p in mixed.items()) or "none")
        probabilities = dict(zip(tables.names, chances.tolist(), strict=True))
        content["strategies"].append({"decision": name, "share": share, "probabilities": probabilities})
        if not all_stacks:
            grids.append(probability_grid(f"{name}: {100 * share:.2f} %", chances))
    if decisions:
        console.print(table)
    else:
        console.print("Both players are all-in with the blinds.")
    if all_stacks:
        for name, stages in of_seats.items():
            calls = name == "big blind calls"
            # The caller's own stack is what the small blind does not have.
            own = {structure.total - s if calls else s: one for s, one in stages.items()}
            chosen = {s: one.reply if calls else one.jam for s, one in sorted(own.items())}
            rows = {s: chances for s, chances in chosen.items() if chances is not None}
            grids.append(stacks_grid(f"{name}, by own stack", list(rows), np.array(list(rows.values()))))
    return grids


def _tournament(tables: HandTables, structure: Structure) -> Tournament:
    from hedgehog.gametheory.jam_fold import solve_tournament

    with show_rounds(len(structure.stacks), ["alternating"]) as report:
        return solve_tournament(tables, structure, report=partial(report, "alternating"))


def _bound(tables: HandTables, structure: Structure) -> Bound:
    from hedgehog.gametheory.jam_fold import solve_bound

    with show_rounds(len(structure.stacks), ["bound"]) as report:
        return solve_bound(tables, structure, report=partial(report, "bound"))


@contextmanager
def show_rounds(stacks: int, models: Sequence[str]) -> Iterator[Callable[[str, int, int, int], None]]:
    """Shows the progress of solving all stacks of a tournament, with the remaining time, while the block runs.

    A model needs :data:`USUAL_ROUNDS` rounds as a rule; the work grows if it needs more.

    :param stacks: number of stacks.
    :param models: the models that are solved, in order.
    :returns: the function that :func:`hedgehog.gametheory.jam_tables.solve_jam_tables` reports to.
    """
    from hedgehog.cli.progress import show_progress

    work = {model: STAGES_PER_STACK[model] * USUAL_ROUNDS * stacks for model in models}
    with show_progress("solving", sum(work.values()), "stages") as progress:

        def report(model: str, number: int, done: int, count: int) -> None:
            work[model] = max(work[model], STAGES_PER_STACK[model] * number * count)
            before = sum(work[one] for one in models[: models.index(model)])
            progress.total = sum(work.values())
            progress.update(
                before + STAGES_PER_STACK[model] * ((number - 1) * count + done), f"{model} model, round {number}"
            )

        progress.update(0)
        yield report
