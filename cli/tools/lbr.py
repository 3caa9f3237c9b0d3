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
from hedgehog.analysis.stats.number_text import NO_INTERVAL
from hedgehog.arena.launch import read_match_game
from hedgehog.cli.first_launch import prepare_first_launch
from hedgehog.cli.outputs import Outputs, hold_file, output_options
from hedgehog.cli.player_options import game_option
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.solves.solver_options import seed_option, threads_option
from hedgehog.cli.tools.completion import complete_entrants
from hedgehog.poker.acpc.gamedef import find_gamedef
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import StoppedError
from hedgehog.runtime.outputs import verify_output_file
from hedgehog.strategies.provenance import provenance

_ROW: Final = "{:<12}{:>10}{:>16}{:>17}{:>17}{:>8}"
"""A row of the table in 80 columns: setting, hands, the three results, CPU time."""
_WHOLE_FROM: Final = 100.0
"""Half interval in mbb from which on results, and CPU time in ms from which on it is printed without decimals."""


@click.command()
@click.argument("spec", metavar="SPEC", shell_complete=complete_entrants)
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
@click.option(
    "--jobs", type=click.IntRange(1, 1024), default=1, show_default=True, metavar="N", help="Processes that play."
)
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
    spec: str,
    settings: tuple[str, ...],
    base: Base,
    hands: int,
    seed: int,
    think_ms: int,
    threads: int | None,
    jobs: int,
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
    """
    gamedef = read_match_game(find_gamedef(game))
    entrant = parse_entrant(spec)
    verify_loadable(entrant)
    spec, name = entrant.text, entrant.name or entrant.text
    measured = [
        LbrJob(spec, gamedef, parse_lbr_setting(text), seed, think_ms, threads, base)
        for text in dict.fromkeys(settings or (DEFAULT_SETTINGS[base],))
    ]
    for job in measured:
        verify_job(job)
    outputs.claim(results_file)
    if results_file is not None:
        verify_output_file(results_file, overwrite=True)  # what is in it is never replaced, but gone on with
        hold_file(results_file)
    if entrant.for_game(gamedef).compiles:
        prepare_first_launch()
    kept = None if results_file is None else LbrResults(results_file, measured[0], game)
    results: list[dict[str, Any]] = []
    interrupted = False
    for job in measured:
        with terminal_watch() as watch:
            blocks, interrupted = measure_lbr(job, hands, jobs=jobs, kept=kept, watch=watch)
        if blocks:
            results.append(describe_lbr(blocks, job.setting.name, gamedef.big_blind))
            if len(results) == 1:
                _print_head(name, seed, think_ms, base)
            _print_row(results[-1])
        if interrupted:
            break
    if "json" in outputs.files and results:
        document = json_document(
            "lbr",
            game=game,
            seed=seed,
            players=[name],
            player=spec,
            think_ms=think_ms,
            base=base,
            settings=results,
            provenance=provenance().model_dump(),
        )
        outputs.write_json(document)
    if interrupted:
        raise StoppedError


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
    click.echo(
        _ROW.format(row["setting"], f"{row['hands']:,}", *cells, f"{ms:,.0f}" if ms >= _WHOLE_FROM else f"{ms:.3g}")
    )


def _format_result(result: dict[str, float | None]) -> str:
    """Returns a mean and half its interval as text, without decimals if the interval is wide."""
    mean, half = result["mbb_per_hand"], result["ci95"]
    if half is None:
        return f"{mean:,.1f} {NO_INTERVAL}"
    decimals = 1 if half < _WHOLE_FROM else 0
    return f"{mean:,.{decimals}f} ± {half:,.{decimals}f}"
