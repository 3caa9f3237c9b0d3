"""``hedgehog study profile``: what every player in some hands does, with intervals."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.table import Table

from cli.console import output_console
from cli.outputs import (
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
from cli.study.reading import HandInput, game_option, paths_argument, report_problems, store_option, summary
from runtime.documents import json_document
from runtime.errors import InputError

if TYPE_CHECKING:
    from analysis.stats.estimate import Estimate
    from analysis.study.profiles import Profile

_SHOWN: Final = 20


@click.command(cls=OutputCommand, short_help="Show how often every player does what, with 95 % intervals.")
@paths_argument
@store_option
@game_option
@click.option("--player", "only", multiple=True, metavar="NAME", help="Show this player only. May be given again.")
@click.option("--min-hands", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
              help="Leave out players with fewer hands.")  # fmt: skip
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
    json_file: Path | None,
    csv_file: Path | None,
    html_file: Path | None,
    overwrite: bool,
) -> None:
    """Show how often every player does what: VPIP, PFR, 3-bets, continuation bets, aggression, sizes.

    FILES are those of "hedgehog study hands". The table has the players with the most hands; CSV, JSON and HTML have
    all, each seat, too.
    """
    from analysis.study.profiles import Profiles, profile_rows

    claim_outputs(json_file, csv_file, html_file, inputs=files, overwrite=overwrite)
    source = HandInput(files, store, game)
    counted = Profiles()
    for batch in source.batches():
        counted.add(batch, len(source.players.texts))
    report_problems(source.tally, None)
    names = source.players.texts
    for name in only:
        if name not in names:
            raise InputError(f"no player {name!r} in these hands: expected {', '.join(sorted(names)[:20])}")
    found = list(counted.profiles(names))
    hands = {one.name: one.hands for one in found if not one.seat}
    found = [one for one in found if hands[one.name] >= min_hands and (not only or one.name in only)]
    headline = summary(source.tally, len(names))
    console = output_console()
    console.print(headline)
    players = [one for one in found if not one.seat]
    console.print(_table(players[:_SHOWN]))
    if len(players) > _SHOWN:
        console.print(f"and {len(players) - _SHOWN:,} players more: --csv, --json and --html have all")
    rows = profile_rows(found)
    if json_file is not None:
        write_json(json_file, json_document("study-profiles", players=[one.name for one in players], profiles=rows))
    if csv_file is not None:
        write_csv(csv_file, rows)
    if html_file is not None:
        from analysis.study.profile_page import render_profiles

        write_output(html_file, render_profiles("Profiles of players", headline, found))


def _table(players: list[Profile]) -> Table:
    """Returns the table of some players: frequencies, and below each half the width of its 95 % interval."""
    from analysis.study.profiles import LINES

    table = Table(title="Frequencies in %; below: ± 95 %", title_justify="left", box=None, pad_edge=False)
    table.add_column("player", overflow="fold", min_width=10)
    table.add_column("hands", justify="right", no_wrap=True)
    for line in LINES:
        table.add_column(line.name.replace(" to ", "\n").replace(" ", "\n"), justify="right", no_wrap=True)
    table.add_column("AF", justify="right", no_wrap=True)
    table.add_column("open\nBB", justify="right", no_wrap=True)
    for one in players:
        cells = [
            f"{100 * share.share:.0f}\n±{50 * (share.high - share.low):.0f}" if share.opportunities else ""
            for share in one.shares
        ]
        factor = "inf" if math.isinf(one.aggression_factor) else f"{one.aggression_factor:.2f}"
        table.add_row(one.name, f"{one.hands:,}", *cells, "" if factor == "nan" else factor, _size(one.sizes[0]))
    return table


def _size(estimate: Estimate | None) -> str:
    if estimate is None:
        return ""
    width = f"\n±{estimate.half_width:.2f}" if math.isfinite(estimate.low) else ""
    return f"{estimate.mean:.2f}{width}"
