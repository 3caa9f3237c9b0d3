"""``hedgehog match``: a duplicate match between players over TCP, with its result."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from agent.specs import parse_player_spec, unique_names
from analysis.stats import Estimate
from cli.first_launch import prepare_first_launch
from cli.in_process import table_job
from cli.match_view import (
    aivat_table,
    certainty_notes,
    certainty_table,
    decision_table,
    result_table,
    show_match_progress,
)
from cli.play import DEFAULT_GAME, DEFAULT_THINK_MS
from cli.running import (
    default_jobs,
    format_dealer_options,
    jobs_option,
    make_entrants,
    read_match_game,
    run_interruptible,
)
from dealer.match import MatchPlan, run_match
from poker.errors import InputError, ResourceError
from poker.files import write_text_file
from poker.gamedef import find_gamedef

if TYPE_CHECKING:
    from analysis.match_report import MatchResult


@click.command()
@click.argument("spec_texts", metavar="SPEC SPEC [SPEC...]", nargs=-1, required=True)
@click.option("--hands", type=click.IntRange(1), default=1000, show_default=True, help="Hands per seating.")
@click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Seed of cards and players."
)
@click.option(
    "--game",
    metavar="GAMEDEF",
    default=DEFAULT_GAME,
    show_default=True,
    help="Game definition: a file or the name of a shipped one.",
)
@click.option(
    "--duplicate/--no-duplicate",
    default=True,
    show_default=True,
    help="Play the same cards in every order of the seats (more than 3 players: in every rotation).",
)
@click.option(
    "--think-ms",
    type=click.IntRange(0),
    default=DEFAULT_THINK_MS,
    show_default=True,
    help="Thinking time per decision of our player.",
)
@click.option("--threads", type=click.IntRange(1), default=None, help="Threads of our player.  [default: 1]")
@click.option(
    "--in-process",
    is_flag=True,
    help="Play each seating inside one process, without sockets (our players only; the logs are the same).",
)
@click.option("--t-response", type=click.IntRange(0), default=None, metavar="MS", help="Dealer: limit for one answer.")
@click.option("--t-hand", type=click.IntRange(0), default=None, metavar="MS", help="Dealer: limit per player and hand.")
@click.option(
    "--t-per-hand",
    type=click.IntRange(0),
    default=None,
    metavar="MS",
    help="Dealer: average limit per player and hand over a seating.",
)
@jobs_option
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    metavar="DIR",
    help="Folder for logs and reports.  [default: runs/<date and time>]",
)
@click.option(
    "--aivat",
    is_flag=True,
    help="Also score by AIVAT, which takes out most of the luck: for heads-up hold'em with a player whose strategy can "
    "be told (ours with --think-ms 0, or a bot other than random).",
)
@click.option("--resume", is_flag=True, help="Go on with the interrupted run of the same match in --out DIR.")
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    metavar="FILE",
    help="Write the result to FILE.",
)
def match(
    spec_texts: tuple[str, ...],
    hands: int,
    seed: int,
    game: str,
    duplicate: bool,
    think_ms: int,
    threads: int | None,
    in_process: bool,
    t_response: int | None,
    t_hand: int | None,
    t_per_hand: int | None,
    jobs: int | None,
    out: Path | None,
    aivat: bool,
    resume: bool,
    json_file: Path | None,
) -> None:
    """Play a match between players, each in a process of its own, and print what they have won.

    A SPEC is default (our player with the shipped strategy packs), pack:PATH (our player with other packs),
    cmd:COMMAND (any ACPC client; HOST and PORT are appended), or a bot: fold, call, raise (by the pot), allin, random,
    checkraise (raises every flop bet), minbet (bets and raises the least), offtree (odd sizes from 5 % to 109 pots).

    With --duplicate the cards are played again with the seats exchanged and all processes restarted; the confidence
    interval is over these pairs of hands (three players: groups of six; N > 3 players: groups of N).

    If a player crashes or goes silent, its match ends and nobody is scored. --resume keeps the finished seatings of an
    interrupted run and plays the others anew.
    """
    specs = [parse_player_spec(text) for text in spec_texts]
    game_file = find_gamedef(game)
    gamedef = read_match_game(game_file)
    if len(specs) != gamedef.num_players:
        raise InputError(f"the game is for {gamedef.num_players} players, got {len(specs)}", source=str(game_file))
    if resume and out is None:
        raise click.UsageError("--resume needs --out: the folder of the run to go on with")
    if json_file is not None and not json_file.resolve().parent.is_dir():
        raise InputError(f"there is no folder for {str(json_file)!r}")  # better now than after the match
    names = unique_names(specs)
    known = {}
    if aivat:
        from analysis.aivat_match import known_players

        known = known_players(names, specs, gamedef, think_ms)
    plan = MatchPlan(
        entrants=make_entrants(specs, names, game=game_file, think_ms=think_ms, threads=threads),
        game=game_file,
        hands=hands,
        seed=seed,
        duplicate=duplicate,
        out=_make_out_folder(out),
        dealer_options=format_dealer_options({"t_response": t_response, "t_hand": t_hand, "t_per_hand": t_per_hand}),
        settings={"think_ms": think_ms, "threads": threads, "in_process": in_process},
        table=table_job(specs, think_ms=think_ms, threads=threads) if in_process else None,
    )
    if any(spec.compiles for spec in specs):
        prepare_first_launch()
    with show_match_progress(hands * len(plan.seatings()), gamedef.big_blind) as on_progress:
        seatings = run_interruptible(
            lambda: run_match(plan, on_progress, jobs=jobs or default_jobs(threads), resume=resume),
            f"to go on: the same command with --out {plan.out} --resume",
        )
    from analysis.match_report import read_play_statistics, score_match  # imports numba, which can wait until now

    logs = [seating.log for seating in seatings]
    adjust = None
    if known:
        from analysis.aivat_match import MatchAivat, strategies_of

        adjust = MatchAivat(strategies_of(known, gamedef), gamedef).score
    result = score_match(logs, names, gamedef, adjust)
    if json_file is not None:
        write_text_file(json_file, json.dumps(_as_json(spec_texts, result, duplicate, logs), indent=2) + "\n")
    console = Console()
    console.print(result_table(names, result, duplicate))
    if result.groups > 1:
        console.print(certainty_table(names, result))
        console.print(certainty_notes(result, duplicate), highlight=False)
    if result.aivat:
        console.print(aivat_table(names, result.aivat, known))
    statistics = {
        name: read_play_statistics(seating.reports[index] for seating in seatings) for index, name in enumerate(names)
    }
    reported = {name: values for name, values in statistics.items() if values is not None and values.times.streets()}
    if reported:
        console.print(decision_table(reported))
    console.print(f"Logs: {plan.out}", soft_wrap=True, highlight=False)


def _make_out_folder(out: Path | None) -> Path:
    folder = out or Path("runs") / time.strftime("%Y%m%d-%H%M%S")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResourceError(f"cannot create the folder {folder}: {error.strerror}") from error
    return folder.resolve()


def _as_json(
    spec_texts: Sequence[str], result: MatchResult, duplicate: bool, logs: Sequence[Path]
) -> dict[str, object]:
    """Returns the result in the layout of the command-line contract; what cannot be told (from one pair) is null.

    ``statistics`` goes beyond the contract.
    """
    return {
        "players": list(spec_texts),
        "hands": result.hands,
        "pairs": result.groups if duplicate else 0,
        "mbb_per_hand": [won.mean for won in result.mbb_per_hand],
        "ci95": list(map(_interval, result.mbb_per_hand)),
        "logs": [str(log) for log in logs],
        "statistics": {
            "p_value": _finite(result.p_value),
            "anytime95": list(map(_interval, result.anytime)),
            "all_in_adjusted": [luck.all_in_adjusted.mean for luck in result.luck],
            "all_in_adjusted_ci95": [_interval(luck.all_in_adjusted) for luck in result.luck],
            "sd_per_hand": [_finite(luck.sd_hand) for luck in result.luck],
            "sd_per_group": [_finite(luck.sd_group) for luck in result.luck],
            "effective_hands": [_finite(luck.effective_hands) for luck in result.luck],
            "aivat": [adjusted.estimate.mean for adjusted in result.aivat],
            "aivat_ci95": [_interval(adjusted.estimate) for adjusted in result.aivat],
            "aivat_sd_per_hand": [_finite(adjusted.sd_hand) for adjusted in result.aivat],
            "aivat_sd_reduction": [_finite(adjusted.reduction) for adjusted in result.aivat],
        },
    }


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _interval(estimate: Estimate) -> list[float] | None:
    return [estimate.low, estimate.high] if math.isfinite(estimate.low) else None
