"""``hedgehog simulate``: plays a solved spot hand by hand and compares the winnings with the computed EV."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import click

from hedgehog.analysis.solves.simulation import MAX_HANDS, TOLERANCE, Check, check_values
from hedgehog.analysis.stats.number_text import format_error
from hedgehog.cli.exit_codes import EXIT_FAULT
from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import OutputCommand, Outputs, output_options
from hedgehog.cli.progress import show_progress, terminal_watch
from hedgehog.cli.solves.solver_options import (
    PositiveNumber,
    iterations_option,
    seed_option,
    threads_option,
)
from hedgehog.poker.cards import format_cards
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.abstraction.solving import solve
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.cfr.stopping import MAX_ITERATIONS
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.solution_files import load_state, read_saved_solve
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import PLAYERS, read_spot

_DEFAULT_TARGET_PCT = 0.5


@click.command(cls=OutputCommand)
@click.argument("source", metavar="SPOT.yaml|DIR", type=click.Path(path_type=Path))
@click.option(
    "--hands",
    "num_hands",
    type=click.IntRange(2, MAX_HANDS),
    default=1_000_000,
    show_default=True,
    metavar="N",
    help="Hands to play.",
)
@seed_option(0)
@click.option(
    "--line", default="", metavar="LINE", help="Start at this decision, with what both hold there: 'X B200 C 7d'."
)
@click.option(
    "--best-response", type=click.Choice(PLAYERS), help="This player plays its best response to the other's average."
)
@click.option(
    "--target-pct",
    type=PositiveNumber(most=100),
    default=_DEFAULT_TARGET_PCT,
    show_default=True,
    metavar="P",
    help="Solve a spot file first to P % of the pot; with an abstraction, inside it.",
)
@iterations_option("Solve for at most N iterations.")
@click.option("--algorithm", default="dcfr", show_default=True, metavar="NAME", help="As for hedgehog solve.")
@click.option("--storage", type=click.Choice(get_args(Storage)), default="f32", show_default=True)
@threads_option
@output_options(json="the result")
def simulate(
    source: Path,
    num_hands: int,
    seed: int,
    line: str,
    best_response: str | None,
    target_pct: float,
    iterations: int | None,
    algorithm: str,
    storage: Storage,
    threads: int | None,
    outputs: Outputs,
) -> None:
    """Play random hands of a solved spot and compare what is won with the computed EV.

    The spot is a spot file, which is solved first, with its abstraction if it names one, or a folder of hedgehog solve
    --save. Cards are dealt, actions drawn
    from the average strategies and chips paid by the rules of the dealer, not by the solver's formulas. Exit code 1 if
    a mean is more than 4 standard errors off.
    """
    outputs.claim(source)
    if source.is_dir():
        refuse_options(
            "is for a spot file: a folder holds a finished solve", "target_pct", "iterations", "algorithm", "storage"
        )
    name, solver = (
        _load(source, threads)
        if source.is_dir()
        else _solve(source, target_pct, iterations, algorithm, storage, threads)
    )
    player = None if best_response is None else PLAYERS.index(best_response)
    wall, start = time.perf_counter(), time.process_time()
    with show_progress("playing", num_hands, "hands") as bar:
        bar.update(0)
        checks = check_values(
            solver,
            num_hands=num_hands,
            seed=seed,
            line=line,
            best_response=player,
            threads=threads,
            progress=bar.update,
        )
    wall, cpu = time.perf_counter() - wall, time.process_time() - start
    result: dict[str, Any] = {
        "spot": name,
        "board": format_cards(solver.board),
        "line": line,
        "best_response": best_response,
        "iterations": solver.iterations,
        "hands": num_hands,
        "checks": [_describe(check) for check in checks],
    }
    _print(result, wall, cpu)
    outputs.write_json(json_document("simulation", game=name, seed=seed, players=PLAYERS, **result))
    if not all(check.agrees for check in checks):
        raise SystemExit(EXIT_FAULT)


def _solve(
    path: Path, target_pct: float, iterations: int | None, algorithm: str, storage: Storage, threads: int | None
) -> tuple[str, PostflopSolver]:
    spot = read_spot(path)
    with terminal_watch() as watch:
        return spot.name, solve(
            spot, target_pct, iterations or MAX_ITERATIONS,
            threads=threads, storage=storage, algorithm=algorithm, watch=watch,
        )  # fmt: skip


def _load(folder: Path, threads: int | None) -> tuple[str, PostflopSolver]:
    saved = read_saved_solve(folder)
    if saved.kind != "solve":
        raise SpotError("holds strategies alone: expected a folder of hedgehog solve --save", source=str(folder))
    # The strategies are those of single hands, also after a solve on groups of hands.
    spot = replace(prepare(saved.spot), abstraction="")
    solver = PostflopSolver(spot, threads=threads, storage=saved.storage, algorithm=saved.algorithm)
    load_state(saved, solver)
    return saved.spot.name, solver


def _describe(check: Check) -> dict[str, Any]:
    return {
        "player": PLAYERS[check.player],
        "computed": check.computed,
        "simulated": check.simulated.mean,
        "standard_error": check.simulated.standard_error or None,
        "errors_off": check.errors_off if check.simulated.standard_error else None,
        "agrees": check.agrees,
    }


def _print(result: dict[str, Any], wall: float, cpu: float) -> None:
    hands = result["hands"]
    start = f" after {result['line']!r}" if result["line"] else ""
    click.echo(f"{result['spot']}: {result['board']}{start}, {result['iterations']:,} iterations")
    click.echo(f"{hands:,} hands, {hands / wall:,.0f} per second, {hands / cpu:,.0f} per second of CPU time")
    click.echo("EV: chips received per hand less chips put in after the start; ± 4 standard errors")
    click.echo(f"{'':<16}{'computed':>12}{'simulated':>26}{'off by':>12}")
    for row in result["checks"]:
        who = row["player"] + (" best response" if result["best_response"] else "")
        margin = f"{row['simulated']:,.4f} {format_error(TOLERANCE * (row['standard_error'] or 0), 4)}"
        verdict = "" if row["agrees"] else "  DISAGREES"
        off = f"{row['errors_off']:+.2f} SE" if row["standard_error"] else "no SE"
        click.echo(f"{who:<16}{row['computed']:>12,.4f}{margin:>26}{off:>12}{verdict}")
