"""``hedgehog endgame``: measures what a perfect opponent wins from a player on turn and river."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hedgehog.agent.specs import parse_entrant, verify_loadable
from hedgehog.agent.strategy.planning_speed import planning_speed
from hedgehog.analysis.endgame.measure import RIVER_SIZES, TURN_SIZES, VALUE_ITERATIONS, EndgameJob, draw_turns
from hedgehog.analysis.endgame.results import EndgameResults
from hedgehog.analysis.endgame.summary import SEATS, measure_sample
from hedgehog.analysis.parts import WHOLE, parse_part
from hedgehog.analysis.stats.number_text import NO_INTERVAL
from hedgehog.arena.launch import read_match_game
from hedgehog.cli.dask_option import engine_options, part_option
from hedgehog.cli.first_launch import prepare_first_launch
from hedgehog.cli.merging import claim_merged, merge_option, only_player
from hedgehog.cli.outputs import Outputs, hold_file, output_options
from hedgehog.cli.player_options import game_option
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.solves.solver_options import seed_option, threads_option
from hedgehog.cli.tools.completion import complete_entrants
from hedgehog.poker.acpc.gamedef import find_gamedef
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.engines.opening import open_engine
from hedgehog.runtime.errors import StoppedError
from hedgehog.strategies.provenance import provenance


@click.command()
@click.argument("words", metavar="SPEC|FILE...", nargs=-1, required=True, shell_complete=complete_entrants)
@click.option(
    "--turns", "number", type=click.IntRange(1), default=40, show_default=True, metavar="N", help="Turns to measure."
)
@seed_option(1)
@click.option("--think-ms", type=click.IntRange(0), default=300, show_default=True, metavar="MS", help="As for play.")
@threads_option
@engine_options
@part_option
@merge_option("Join the results FILEs of several machines into --results.")
@game_option
@click.option(
    "--turn-sizes",
    default=TURN_SIZES,
    show_default=True,
    metavar="SIZES",
    help="Bets / raises of the responder on the turn beside those that the player considers.",
)
@click.option("--river-sizes", default=RIVER_SIZES, show_default=True, metavar="SIZES", help="The same on the river.")
@click.option(
    "--value-iterations",
    type=click.IntRange(0),
    default=VALUE_ITERATIONS,
    show_default=True,
    metavar="N",
    help="Iterations of the exact solve that gives the value of each turn; 0: none.",
)
@click.option(
    "--results",
    "results_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep the result of every turn in FILE: the same command goes on where it stopped.",
)
@output_options(json="the results")
def endgame(
    words: tuple[str, ...],
    number: int,
    seed: int,
    think_ms: int,
    threads: int | None,
    jobs: int,
    dask: str | None,
    part: str | None,
    merge: bool,
    game: str,
    turn_sizes: str,
    river_sizes: str,
    value_iterations: int,
    results_file: Path | None,
    outputs: Outputs,
) -> None:
    """Measure what a perfect opponent wins from the player SPEC (or NAME=SPEC) on turn and river.

    Turns are drawn from self-play, each with probability proportional to its pot. The player is asked at every line of
    the turn and of all 48 rivers, as it really plays: with solves at the table, and new ones for bets that it does not
    have. An exact best response in the other seat wins more than the player itself would; this loss is never below 0.
    Results are in percent of the pot at the start of the turn and in mbb per hand of the whole game, means with 95 %
    intervals over turns. Ctrl-C stops and prints what is known.

    Machines that know nothing of each other measure --part 1/2 and --part 2/2 of the same command, each into a
    --results file of its own; --merge A B --results C makes of these the file that one machine would have written, and
    the same command with --results C prints what all turns tell.
    """
    if merge:
        _merge([Path(word) for word in words], results_file, outputs)
        return
    spec = only_player(words)
    share = WHOLE if part is None else parse_part(part)
    gamedef = read_match_game(find_gamedef(game))
    entrant = parse_entrant(spec)
    verify_loadable(entrant)
    spec, name = entrant.text, entrant.name or entrant.text
    think_ms = entrant.thinking(think_ms)
    job = EndgameJob(spec, gamedef, seed, think_ms, threads, turn_sizes, river_sizes, value_iterations)
    _ = job.sizes  # malformed sizes are refused before anything is loaded
    outputs.claim_results(results_file)
    if entrant.for_game(gamedef).compiles:
        prepare_first_launch()
    kept = None if results_file is None else EndgameResults(results_file, job, game)
    sample = draw_turns(job, number)
    with open_engine(jobs, dask, in_process=True) as engine, terminal_watch() as watch:
        measured = measure_sample(job, sample, engine=engine, part=share, kept=kept, watch=watch)
    if measured.turns:
        found = measured.document()
        _print(name, job, found)
        if "json" in outputs.files:
            content = {key: getattr(job, key) for key in ("think_ms", "turn_sizes", "river_sizes", "value_iterations")}
            outputs.write_json(
                json_document(
                    "endgame",
                    game=game,
                    seed=seed,
                    players=[name],
                    player=spec,
                    **content,
                    planned_ns_per_element=planning_speed().ns_per_element,
                    **found,
                    provenance=provenance().model_dump(),
                )
            )
    if measured.interrupted:
        raise StoppedError


def _merge(sources: list[Path], results_file: Path | None, outputs: Outputs) -> None:
    """Joins files of results into one, and says how many turns it has."""
    results_file = claim_merged(results_file, sources, outputs)
    merged = EndgameResults.merged(results_file, sources)
    hold_file(results_file)
    merged.settle()
    click.echo(f"{len(merged.turns):,} turns are measured")
    outputs.write_json(json_document("endgame-part", turns=len(merged.turns)))


def _print(name: str, job: EndgameJob, found: dict[str, Any]) -> None:
    click.echo(f"perfect play on turn and river against {name}, seed {job.seed}, {job.think_ms} ms per decision")
    click.echo(
        f"{found['turns']} of {found['drawn']} turns from {found['hands_of_self_play']:,} hands of self-play; 1 % of "
        f"the pot is {found['mbb_per_percent']:.1f} mbb per hand"
    )
    mbb = found["mbb_per_hand"]
    click.echo(f"it wins {_text(found['percent_of_pot'], 2)} % of the pot, {_text(mbb, 1)} mbb per hand of the game")
    for seat in found["seats"]:
        value = "" if seat["over_exact_value"] is None else f", {_text(seat['over_exact_value'], 2)} % over exact play"
        click.echo(f"  {SEATS[seat['position']]}: {_text(seat['over_self_play'], 2)} % over self-play{value}")
    if found["bracket_percent"] is not None:
        click.echo(f"  the value of exact play is known to ± {found['bracket_percent']:.2f} %")
    click.echo(f"largest: {_place(found['largest'])}")
    if found["worst_line"] is not None:
        worst = found["worst_line"]
        click.echo(f"worst line: {_place(worst)}: {worst['line']}, {SEATS[worst['position']]}")
    if found["cpu_s_per_turn_and_seat"] is not None:
        click.echo(f"CPU time: {found['cpu_s_per_turn_and_seat']:.0f} s per turn and seat")


def _place(place: dict[str, Any]) -> str:
    return f"{place['percent_of_pot']:.2f} % after {place['betting']} on {place['board']}, pot {place['pot']:,}"


def _text(numbers: dict[str, float | None], decimals: int) -> str:
    half = NO_INTERVAL if numbers["ci95"] is None else f"± {numbers['ci95']:,.{decimals}f}"
    return f"{numbers['mean']:,.{decimals}f} {half}"
