"""``hedgehog study profile``: what every player in some hands does, with intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click
from rich.table import Table as RichTable

from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import (
    OutputCommand,
    claim_outputs,
    csv_option,
    json_option,
    output_option,
    overwrite_option,
    write_csv,
    write_json,
    write_output,
)
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.study.reading import game_option, given_input, paths_argument, report_problems, store_option
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.table import Table

_SHOWN: Final = 20
_NARROWEST_NAME: Final = 10
_LEAST: Final = 30
"""Fewest hands of a betting line."""


@click.command(cls=OutputCommand, short_help="Show how often every player does what, with 95 % intervals.")
@paths_argument
@store_option
@game_option
@click.option("--player", "only", multiple=True, metavar="NAME", help="Show this player only. May be given again.")
@click.option("--min-hands", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
              help="Leave out players with fewer hands.")  # fmt: skip
@click.option("--seats", is_flag=True, help="Show each seat of a player in a row of its own, too.")
@click.option("--lines", "num_lines", type=click.IntRange(0), default=0, show_default=True, metavar="N",
              help="Show what the players do after the N most frequent betting lines.")  # fmt: skip
@output_option("--lines-csv", "lines_file", "a row per seat and betting line (all with 30 hands)")
@json_option("all profiles")
@csv_option("a row per player and seat")
@output_option("--html", "html_file", "all profiles as an HTML page with pictures")
@overwrite_option
def profile(
    files: tuple[Path, ...],
    store: Path | None,
    game: str | None,
    only: tuple[str, ...],
    min_hands: int,
    seats: bool,
    num_lines: int,
    lines_file: Path | None,
    json_file: Path | None,
    csv_file: Path | None,
    html_file: Path | None,
    overwrite: bool,
) -> None:
    """Show how often every player does what: VPIP, PFR, 3-bets, continuation bets, aggression, sizes.

    FILES are those of "hedgehog study hands". The table has the players with the most hands; CSV, JSON and HTML have
    all, each seat, too. With --lines the actions after betting lines such as rc/ are counted, together for all players
    or for those of --player.
    """
    from hedgehog.analysis.study.line_profile import line_table
    from hedgehog.analysis.study.profiles import profile_table
    from hedgehog.analysis.study.runs import study_profiles
    from hedgehog.analysis.study.study import ActorFilter

    claim_outputs(json_file, csv_file, html_file, lines_file, inputs=files, overwrite=overwrite)
    source = given_input(files, store, game)
    with_lines = bool(num_lines) or lines_file is not None
    with terminal_watch() as watch:
        counted, by_line = study_profiles(source, ActorFilter(frozenset(only)), lines=with_lines, watch=watch)
    report_problems(source.tally, None)
    found = list(counted.profiles(source.players.texts))
    hands = {one.name: one.hands for one in found if not one.seat}
    found = [one for one in found if hands[one.name] >= min_hands and (not only or one.name in only)]
    console = output_console()
    console.print(source.summary())
    players = [one.name for one in found if not one.seat]
    names = set(players[:_SHOWN])
    shown = profile_table([one for one in found if one.name in names and (seats or not one.seat)])
    console.print(_rich(shown))
    if len(players) > _SHOWN:
        console.print(f"and {len(players) - _SHOWN:,} players more: --csv, --json and --html have all")
    lines = by_line.lines(_LEAST) if by_line is not None else []
    if num_lines:
        console.print(_rich(line_table(lines[:num_lines], ", ".join(only) or "all players")))
    profiles, of_lines = profile_table(found).records(), line_table(lines).records()
    if lines_file is not None:
        write_csv(lines_file, of_lines)
    if json_file is not None:
        write_json(json_file, json_document("study-profiles", players=players, profiles=profiles, lines=of_lines))
    if csv_file is not None:
        write_csv(csv_file, profiles)
    if html_file is not None:
        from hedgehog.analysis.study.profile_page import render_profiles

        write_output(html_file, render_profiles("Profiles of players", source.summary(), found))


def _rich(table: Table) -> RichTable:
    shown = table.rich(box=None, pad_edge=False)
    shown.columns[0].min_width = _NARROWEST_NAME if table.name == "profiles" else None
    return shown
