"""``hedgehog study profile``: what every player in some hands does, with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.table import Table

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
from hedgehog.cli.study.reading import HandInput, game_option, paths_argument, report_problems, store_option, summary
from hedgehog.runtime.documents import json_document

if TYPE_CHECKING:
    from hedgehog.analysis.stats.estimate import Estimate
    from hedgehog.analysis.study.line_profile import LineShares
    from hedgehog.analysis.study.profiles import Profile

_SHOWN: Final = 20
_SEATS: Final = {"big blind": "BB", "small blind": "SB"}
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
    from hedgehog.analysis.study.line_profile import LineProfile, line_rows
    from hedgehog.analysis.study.profiles import Profiles, profile_rows
    from hedgehog.analysis.study.study import ActorFilter

    claim_outputs(json_file, csv_file, html_file, lines_file, inputs=files, overwrite=overwrite)
    actors = ActorFilter(frozenset(only))
    by_line = LineProfile() if num_lines or lines_file is not None else None
    source = HandInput(files, store, game)
    counted = Profiles()
    for batch in source.batches():
        counted.add(batch, len(source.players.texts))
        if by_line is not None:
            by_line.add(batch, actors.counted(source.players))
    report_problems(source.tally, None)
    names = source.players.texts
    actors.verify(source.players)
    found = list(counted.profiles(names))
    hands = {one.name: one.hands for one in found if not one.seat}
    found = [one for one in found if hands[one.name] >= min_hands and (not only or one.name in only)]
    headline = summary(source.tally, len(names))
    console = output_console()
    console.print(headline)
    players = [one for one in found if not one.seat]
    shown = {one.name for one in players[:_SHOWN]}
    console.print(_table([one for one in found if one.name in shown and (seats or not one.seat)]))
    if len(players) > _SHOWN:
        console.print(f"and {len(players) - _SHOWN:,} players more: --csv, --json and --html have all")
    lines = by_line.lines(_LEAST) if by_line is not None else []
    if num_lines:
        console.print(_line_table(lines[:num_lines], ", ".join(only) or "all players"))
    if lines_file is not None:
        write_csv(lines_file, line_rows(lines))
    rows = profile_rows(found)
    if json_file is not None:
        write_json(
            json_file,
            json_document(
                "study-profiles", players=[one.name for one in players], profiles=rows, lines=line_rows(lines)
            ),
        )
    if csv_file is not None:
        write_csv(csv_file, rows)
    if html_file is not None:
        from hedgehog.analysis.study.profile_page import render_profiles

        write_output(html_file, render_profiles("Profiles of players", headline, found))


def _table(players: list[Profile]) -> Table:
    """Returns the table of some players: frequencies, and below each half the width of its 95 % interval."""
    from hedgehog.analysis.study.profiles import LINES

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
        factor = "" if math.isnan(one.aggression_factor) else f"{one.aggression_factor:.2f}"
        name = f"  {_SEATS[one.seat]}" if one.seat else one.name
        table.add_row(name, f"{one.hands:,}", *cells, factor, _size(one.sizes[0]))
    return table


def _line_table(lines: Sequence[LineShares], who: str) -> Table:
    """Returns the table of some betting lines."""
    table = Table(title=f"After betting lines ({who}), % ± 95 %", title_justify="left", box=None, pad_edge=False)
    for name in ("acts", "line", "hands", "fold", "check, call", "bet, raise", "sizes"):
        table.add_column(name, justify="left" if name in ("acts", "line", "sizes") else "right", no_wrap=True)
    for one in lines:
        cells = [f"{100 * share.share:.0f} ±{50 * (share.high - share.low):.0f}" for share in one.shares]
        total = sum(one.sizes.values())
        sizes = ", ".join(f"{size} {100 * count / total:.0f}%" for size, count in list(one.sizes.items())[:2])
        table.add_row(_SEATS[one.seat], one.line or "-", f"{one.hands:,}", *cells, sizes)
    return table


def _size(estimate: Estimate | None) -> str:
    if estimate is None:
        return ""
    width = f"\n±{estimate.half_width:.2f}" if math.isfinite(estimate.low) else ""
    return f"{estimate.mean:.2f}{width}"
