"""``hedgehog solve --respond``: answers to a model of the opponent, with a guard against its being wrong."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click
from rich.table import Table

from hedgehog.cli.console import output_console
from hedgehog.cli.exit_codes import EXIT_INTERRUPTED
from hedgehog.cli.outputs import write_json, write_output
from hedgehog.cli.progress import show_progress
from hedgehog.cli.solves.saving import exclusive_folder, verify_replaceable
from hedgehog.cli.solves.solve_run import SolveRun, interrupts
from hedgehog.cli.solves.solver_options import MAX_ITERATIONS
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError
from hedgehog.solver.cfr.algorithms import Algorithm
from hedgehog.solver.postflop.queries import find_node
from hedgehog.solver.postflop.responses.opponent_model import OpponentModel, model_rows, prepare_for_model, read_model
from hedgehog.solver.postflop.responses.response import ResponsePoint, ResponseSolver, response_curve
from hedgehog.solver.postflop.solution_files import save_strategy
from hedgehog.solver.postflop.solution_json import describe_node, describe_spot
from hedgehog.solver.postflop.solver import Exploitability, PostflopSolver
from hedgehog.solver.postflop.spot import PLAYERS, PostflopSpot
from hedgehog.solver.postflop.warm_up import compile_kernels
from hedgehog.strategies.provenance import provenance

DEFAULT_SHARES: Final = "0,0.25,0.5,0.75,0.9,0.95,1"


class SharesType(click.ParamType[tuple[float, ...]]):
    """The click type of probabilities separated by commas, ascending and different."""

    name = "probabilities"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        try:
            shares = tuple(sorted({float(part) for part in str(value).split(",")}))
        except ValueError:
            self.fail(f"expected probabilities separated by commas, got {value!r}", param, ctx)
        if not all(0 <= share <= 1 for share in shares):
            self.fail(f"expected probabilities from 0 to 1, got {value!r}", param, ctx)
        return shares


def verify_respond_options(
    respond: str | None, model: Path | None, svg_file: Path | None, given: dict[str, bool]
) -> None:
    """Checks which options of ``hedgehog solve`` are given together.

    :param given: name of each option that has no meaning with ``--respond``, and whether it is given.
    :raises click.UsageError: if they do not go together.
    """
    if (respond is None) != (model is None):
        raise click.UsageError("--respond and --model go together")
    if svg_file is not None and respond is None:
        raise click.UsageError("--svg goes with --respond")
    wrong = [name for name, used in given.items() if used]
    if respond is not None and wrong:
        raise click.UsageError(f"{wrong[0]} does not go with --respond")


def respond_to_model(
    spot: PostflopSpot,
    player: int,
    model_path: Path,
    shares: Sequence[float],
    *,
    target_pct: float,
    iterations: int | None,
    threads: int | None,
    algorithm: Algorithm,
    lines: Sequence[str],
    json_file: Path | None,
    svg_file: Path | None,
    strategy_folder: Path | None,
) -> None:
    """Solves the spot, then the responses to a model, prints a table and writes the files.

    :param player: the player who responds, 0 for OOP.
    :param shares: probabilities with which the opponent follows the model, ascending.
    :param lines: nodes that the JSON describes besides the root.
    :raises InputError: if the model does not fit the spot.
    """
    if strategy_folder is not None:
        if len(shares) != 1:
            raise InputError("--save-strategy with --respond needs a single probability, such as --p 0.9")
        verify_replaceable(strategy_folder)
    model = read_model(model_path, spot, 1 - player)
    free, locked = prepare_for_model(spot, model)
    base = PostflopSolver(free, threads=threads, algorithm=algorithm)
    for line in lines:
        find_node(base, line)
    most = iterations or MAX_ITERATIONS
    points: list[ResponsePoint] = []
    seconds = time.perf_counter()
    with interrupts() as interrupted, show_progress(spot.name, None, "", "compiling") as bar:
        compile_kernels(threads, algorithm, "f32")
        run = SolveRun(base, target_pct, most, None, 0.0)
        bar.what = f"{spot.name}, equilibrium"
        run.solve(bar, interrupted)
        value = run.found.ev_minus_half_pot[player]
        rows = model_rows(model, base, locked, 1 - player)

        def solve(solver: ResponseSolver) -> Exploitability:
            bar.what = f"{spot.name}, p = {solver.share:g}"
            part = SolveRun(solver, target_pct, most, None, 0.0)
            part.solve(bar, interrupted)
            return part.found

        if not interrupted:
            for point in response_curve(free, player, rows, value, shares, solve, threads=threads, algorithm=algorithm):
                points.append(point)
                if interrupted:
                    break
    seconds = time.perf_counter() - seconds
    pot = spot.pot
    _print(spot, player, model, value, run, points)
    if strategy_folder is not None and points:
        with exclusive_folder(strategy_folder):
            save_strategy(strategy_folder, points[0].solver, spot, points[0].found, seconds, provenance())
    if json_file is not None:
        write_json(json_file, _document(spot, player, model_path, value, run, points, seconds, lines))
    if svg_file is not None and points:
        from hedgehog.analysis.solves.response_chart import CurvePoint, response_chart

        curve = [CurvePoint(point.share, 100 * point.gain / pot, 100 * point.price / pot) for point in points]
        write_output(svg_file, response_chart(curve)[0].decode())
    if interrupted:
        click.echo("interrupted", err=True)
        raise SystemExit(EXIT_INTERRUPTED)


def _print(
    spot: PostflopSpot,
    player: int,
    model: OpponentModel,
    value: float,
    run: SolveRun,
    points: Sequence[ResponsePoint],
) -> None:
    half = spot.pot / 2
    source = f"{len(model.locks):,} locked decisions" if model.solve is None else "a saved solve"
    console = output_console()
    console.print(
        f"{spot.name}: {PLAYERS[player]} responds to a model of {PLAYERS[1 - player]} ({source}). In equilibrium"
        f" {PLAYERS[player]} has {value + half:,.3f} of a pot of {spot.pot:,}"
        f" (exploitability {run.found.pct_pot:.3f} % of the pot).",
        markup=False,
    )
    table = Table()
    for name in ("p", "EV against the model", "gain", "EV at worst", "price", "exploit. %"):
        table.add_column(name, justify="right")
    for point in points:
        table.add_row(
            f"{point.share:g}", f"{point.gain + value + half:,.3f}", f"{point.gain:+,.3f}",
            f"{value - point.price + half:,.3f}", f"{point.price:,.3f}", f"{point.found.pct_pot:.3f}",
        )  # fmt: skip
    console.print(table)
    console.print(
        "p: probability with which the opponent is taken to follow the model. EV at worst: against a best response."
        " exploit.: distance from an equilibrium of the game with the model, of the pot.",
        markup=False,
    )


def _document(
    spot: PostflopSpot,
    player: int,
    model_path: Path,
    value: float,
    run: SolveRun,
    points: Sequence[ResponsePoint],
    seconds: float,
    lines: Sequence[str],
) -> dict[str, Any]:
    half = spot.pot / 2
    content: dict[str, Any] = {
        "responds": PLAYERS[player],
        "model": str(model_path),
        "value": value + half,
        "value_exploitability_pct_pot": run.found.pct_pot,
        "seconds": seconds,
        "points": [
            {
                "p": point.share,
                "ev_against_model": point.gain + value + half,
                "gain": point.gain,
                "ev_at_worst": value - point.price + half,
                "price": point.price,
                "objective": point.objective + half,
                "exploitability_pct_pot": point.found.pct_pot,
                "iterations": point.iterations,
                "nodes_data": [describe_node(point.solver, line) for line in dict.fromkeys(["", *lines])],
            }
            for point in points
        ],
    }
    counts = run.solver.spot.counts
    return json_document("response", game=spot.name, players=PLAYERS, **describe_spot(spot, counts), **content)
