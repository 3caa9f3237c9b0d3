"""``hedgehog study profile``: what every player in some hands does, with intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click
from rich.table import Table as RichTable

from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import OutputCommand, Outputs, output_options
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.study.reading import given_input, paths_argument, report_problems, source_options
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.table import Table

_SHOWN: Final = 20
_NARROWEST_NAME: Final = 10
_LEAST: Final = 30
"""Fewest hands of a betting line."""


@click.command(cls=OutputCommand, short_help="Show how often every player does what, with 95 % intervals.")
@paths_argument
@source_options
@click.option("--player", "only", multiple=True, metavar="NAME", help="Show this player only. May be given again.")
@click.option("--min-hands", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
              help="Leave out players with fewer hands.")  # fmt: skip
@click.option("--seats", is_flag=True, help="Show each seat of a player in a row of its own, too.")
@click.option("--lines", "num_lines", type=click.IntRange(0), default=0, show_default=True, metavar="N",
              help="Show what the players do after the N most frequent betting lines.")  # fmt: skip
@output_options(
    lines_csv="a row per seat and betting line (all with 30 hands)",
    json="all profiles",
    csv="a row per player and seat",
    html="all profiles as an HTML page with pictures",
)
def profile(
    files: tuple[Path, ...],
    store: Path | None,
    game: str | None,
    jobs: int,
    dask: str | None,
    only: tuple[str, ...],
    min_hands: int,
    seats: bool,
    num_lines: int,
    outputs: Outputs,
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

    outputs.claim(*files)
    source = given_input(files, store, game, jobs, dask)
    with_lines = bool(num_lines) or "lines_csv" in outputs.files
    with terminal_watch() as watch:
        counted, by_line = study_profiles(source, ActorFilter(frozenset(only)), lines=with_lines, watch=watch)
    report_problems(source.tally, outputs)
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
    outputs.write_csv(of_lines, "lines_csv")
    outputs.write_json(json_document("study-profiles", players=players, profiles=profiles, lines=of_lines))
    outputs.write_csv(profiles)
    if "html" in outputs.files:
        from hedgehog.analysis.study.pages.profiles import render_profiles

        outputs.write("html", render_profiles("Profiles of players", source.summary(), found))


def _rich(table: Table) -> RichTable:
    shown = table.rich(box=None, pad_edge=False)
    shown.columns[0].min_width = _NARROWEST_NAME if table.name == "profiles" else None
    return shown
