"""``hedgehog log stats``: winnings of players, and frequencies of their actions."""

from __future__ import annotations

from itertools import chain, zip_longest
from pathlib import Path

import click
from rich import box

from hedgehog.cli.console import output_console
from hedgehog.cli.log.common import (
    files_argument,
    first_option,
    game_option,
    given_format,
    given_game,
    named_table,
    pairs_option,
    source_option,
)
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.cli.progress import terminal_watch
from hedgehog.runtime.errors import InputError


@click.command(short_help="Show what players won, and how often they do what.")
@files_argument
@source_option
@game_option
@click.option("--player", metavar="NAME", help="Show only this player.")
@pairs_option
@first_option
@click.option("--all-in-ev", is_flag=True, help="Also score all-ins by their expectation over the missing cards.")
@click.option(
    "--actions",
    is_flag=True,
    help="Also show how often each player folds, calls or checks, and raises, by street and players left.",
)
@output_options(
    json="the numbers",
    csv="a row per player and position",
    classes_csv="a row per player and class of hands, with what it does against bets before the flop,",
)
def stats(
    files: tuple[Path, ...],
    source: str,
    game: str | None,
    player: str | None,
    pairs: bool,
    first: int | None,
    all_in_ev: bool,
    actions: bool,
    outputs: Outputs,
) -> None:
    """Show what every player has won, with 95 % confidence intervals, and how often it does what.

    Winnings are in milli-big-blinds per hand (mbb/h). Logs of local best response are scored per agent and setting,
    and also by their imaginary-observation values. Hands that cannot be counted are left out and named with their
    number; a file named twice counts once. Duplicate groups (--pairs) are hands with the same cards, seed,
    number and players in all seatings, in whichever files they are.

    \b
    VPIP   put chips in before the flop (calls and raises; not a checked blind)
    PFR    raised before the flop
    3-bet  raised again after the first raise before the flop, if that was possible
    fold to 3-bet   folded when its own first raise was raised again
    c-bet flop      bet the flop, as last raiser before it, if nobody had bet
    AFq    bets and raises after the flop, out of all actions there but checks
    AF     bets and raises per call after the flop
    WTSD   came to a showdown, out of the hands in which it saw the flop
    W$SD   won chips at showdowns, split pots included
    """
    from hedgehog.analysis.stats.figures import log_figures

    outputs.claim(*files)
    with terminal_watch() as watch:
        found = log_figures(
            files,
            file_format=given_format(source),
            gamedef=given_game(game),
            player=player,
            pairs=pairs,
            first=first,
            all_in_ev=all_in_ev,
            actions=actions or "classes_csv" in outputs.files,
            watch=watch,
        )
    classes = found.class_records()
    if "classes_csv" in outputs.files and not classes:
        raise InputError("no hold'em hands with known cards meet a bet before the flop", source="--classes-csv")
    console = output_console()
    winnings = found.winnings()
    acted = found.actions() if actions else []
    for won, often, did in zip_longest(winnings, found.frequencies(), acted):
        console.print(won.rich())
        console.print(named_table(often, box=box.SIMPLE_HEAD, padding=0, pad_edge=False))
        if did is not None:
            console.print(did.rich())
    outputs.write_json(found.document)
    outputs.write_csv(list(chain.from_iterable(table.records() for table in winnings)))
    outputs.write_csv(classes, "classes_csv")
