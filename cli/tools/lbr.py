"""``hedgehog lbr``: measures how much local best response wins from a player."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, get_args

import click

from hedgehog.agent.specs import parse_entrant, verify_loadable
from hedgehog.analysis.lbr.match import DEFAULT_SETTINGS, Base, LbrJob, verify_job
from hedgehog.analysis.lbr.measure import describe_lbr, measure_lbr
from hedgehog.analysis.lbr.results import LbrResults
from hedgehog.analysis.lbr.settings import PUBLISHED, parse_lbr_setting
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
from hedgehog.runtime.table import MISSING
from hedgehog.strategies.provenance import provenance

_ROW: Final = "{:<12}{:>10}{:>16}{:>17}{:>17}{:>8}"
"""A row of the table in 80 columns: setting, hands, the three results, CPU time."""
_WHOLE_FROM: Final = 100.0
"""Half interval in mbb from which on results, and CPU time in ms from which on it is printed without decimals."""


@click.command()
@click.argument("words", metavar="SPEC|FILE...", nargs=-1, required=True, shell_complete=complete_entrants)
@click.option(
    "--setting",
    "settings",
    multiple=True,
    metavar="NAME",
    help=f"What local best response may do: {', '.join(PUBLISHED)} (as published), or ACTIONS:ROUNDS such as fcpa:2-4. "
    f"May be given several times.  [default: {DEFAULT_SETTINGS['call']}; over self {DEFAULT_SETTINGS['self']}]",
)
@click.option(
    "--base",
    type=click.Choice(get_args(Base)),
    default="call",
    show_default=True,
    help="How the rest of a hand is expected to go: everybody calls, or both play as the player does.",
)
@click.option(
    "--hands", type=click.IntRange(2), default=10_000, show_default=True, metavar="N", help="Hands per setting."
)
@seed_option(1)
@click.option("--think-ms", type=click.IntRange(0), default=0, show_default=True, metavar="MS", help="As for play.")
@threads_option
@engine_options
@part_option
@merge_option("Join the results FILEs of several machines into --results and print them.")
@game_option
@click.option(
    "--results",
    "results_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep the result of every pair in FILE: the same command goes on where it stopped, also with more hands.",
)
@output_options(json="the results")
def lbr(
    words: tuple[str, ...],
    settings: tuple[str, ...],
    base: Base,
    hands: int,
    seed: int,
    think_ms: int,
    threads: int | None,
    jobs: int,
    dask: str | None,
    part: str | None,
    merge: bool,
    game: str,
    results_file: Path | None,
    outputs: Outputs,
) -> None:
    """Measure how much local best response wins from the player SPEC (or NAME=SPEC).

    Local best response knows the player's strategy and always takes the action that is best if the rest is checked and
    called: a lower bound on what the player can lose. Always folding loses 750 mbb per hand. The same cards are played
    in both seats; the numbers are means with 95 % intervals over such pairs, from the one with the least luck (as AIVAT
    does it) to the chips really won. Ctrl-C stops and prints what is known.

    fc folds or calls in rounds 1-4; fcpa also bets the pot or all-in in rounds 3-4 and checks or calls before them;
    56bets has 55 sizes and all-in in rounds 3-4; 2r56bets has them in round 2 and folds or calls after it.
    56steps:3-4 has the sizes of 56bets and looks at a third of them, which costs less if the player thinks.
    With --base self it plays the player's own strategy up to the first round of the setting and after the last one. In
    between it leaves it where another action wins more against the player's real answers. So its winnings are not
    negative but by luck. On the river it is a best response to the answers.

    In limit games use fc, or fcr:1-4, which may also make the one bet or raise there is.

    With --dask the hands are played by the workers of a dask cluster. Machines that know nothing of each other play
    --part 1/2 and --part 2/2 of the same command, each into a --results file of its own; --merge A B --results C makes
    of these the file that one machine would have written.
    """
    if merge:
        _merge([Path(word) for word in words], results_file, outputs)
        return
    spec = only_player(words)
    share = WHOLE if part is None else parse_part(part)
    gamedef = read_match_game(find_gamedef(game))
    entrant = parse_entrant(spec)
    verify_loadable(entrant)
    spec, name, think_ms = entrant.text, entrant.name or entrant.text, entrant.thinking(think_ms)
    measured = [
        LbrJob(spec, gamedef, parse_lbr_setting(text), seed, think_ms, threads, base)
        for text in dict.fromkeys(settings or (DEFAULT_SETTINGS[base],))
    ]
    for job in measured:
        verify_job(job)
    outputs.claim_results(results_file)
    if entrant.for_game(gamedef).compiles:
        prepare_first_launch()
    kept = None if results_file is None else LbrResults(results_file, measured[0], game)
    results: list[dict[str, Any]] = []
    with open_engine(jobs, dask, in_process=True) as engine:
        for job in measured:
            with terminal_watch() as watch:
                found = measure_lbr(job, hands, engine=engine, part=share, kept=kept, watch=watch)
            if found.blocks:
                results.append(describe_lbr(found.blocks, job.setting.name, gamedef.big_blind))
                if len(results) == 1:
                    _print_head(name, seed, think_ms, base)
                _print_row(results[-1])
            if found.interrupted:
                break
    if results:
        _write_json(outputs, game, name, measured[0], results)
    if found.interrupted:
        raise StoppedError


def _merge(sources: list[Path], results_file: Path | None, outputs: Outputs) -> None:
    """Joins files of results into one, and prints what they say together."""
    results_file = claim_merged(results_file, sources, outputs)
    merged = LbrResults.merged(results_file, sources)
    hold_file(results_file)
    merged.settle()
    head = merged.head
    gamedef = read_match_game(find_gamedef(head["game"]))
    results = [describe_lbr(merged.blocks(setting), setting, gamedef.big_blind) for setting in merged.settings]
    _print_head(head["player"], head["seed"], head["think_ms"], head["base"])
    for row in results:
        _print_row(row)
    setting = parse_lbr_setting(merged.settings[0])
    job = LbrJob(head["player"], gamedef, setting, head["seed"], head["think_ms"], head["threads"], head["base"])
    _write_json(outputs, head["game"], head["player"], job, results)


def _write_json(outputs: Outputs, game: str, name: str, job: LbrJob, results: list[dict[str, Any]]) -> None:
    document = json_document(
        "lbr",
        game=game,
        seed=job.seed,
        players=[name],
        player=job.spec,
        think_ms=job.think_ms,
        base=job.base,
        settings=results,
        provenance=provenance().model_dump(),
    )
    outputs.write_json(document)


def _print_head(name: str, seed: int, think_ms: int, base: Base) -> None:
    over = "" if base == "call" else " over its own strategy"
    click.echo(f"local best response{over} against {name}, seed {seed}, {think_ms} ms per decision")
    click.echo(
        "mbb per hand it wins, ± 95 %: luck left out, the player's hands integrated out,\n"
        "chips really won; then the CPU time of a hand"
    )
    click.echo(_ROW.format("setting", "hands", "adjusted", "integrated", "chips", "ms/hand"))


def _print_row(row: dict[str, Any]) -> None:
    cells = [_format_result(row[kind]) for kind in ("adjusted", "integrated", "chips")]
    ms = row["cpu_ms_per_hand"]
    time = MISSING if ms is None else f"{ms:,.0f}" if ms >= _WHOLE_FROM else f"{ms:.3g}"
    click.echo(_ROW.format(row["setting"], f"{row['hands']:,}", *cells, time))


def _format_result(result: dict[str, float | None]) -> str:
    """Returns a mean and half its interval as text, without decimals if the interval is wide."""
    mean, half = result["mbb_per_hand"], result["ci95"]
    if half is None:
        return f"{mean:,.1f} {NO_INTERVAL}"
    decimals = 1 if half < _WHOLE_FROM else 0
    return f"{mean:,.{decimals}f} ± {half:,.{decimals}f}"
