"""The tables of ``hedgehog log stats``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.table import Table

from analysis.log_stats import MatchStats, PlayerStats
from analysis.stats import Estimate


def stats_tables(matches: Sequence[MatchStats], player: str | None, adjusted: str) -> Iterator[Table]:
    """Yields one table per match: every player, then the player's positions.

    :param player: show only this one.
    :param adjusted: heading of the adjusted values.
    """
    for match in matches:
        shown = [one for one in match.players if player is None or one.name == player]
        if not shown:
            continue
        with_adjusted = any(one.adjusted is not None for one in shown)
        table = Table(title=stats_title(match), title_justify="left")
        table.add_column("player")
        headings = ["hands", "mbb/h ± 95 %", "anytime 95 %", "SD/hand BB", "showdown"]
        if with_adjusted:
            headings.insert(2, f"{adjusted} mbb/h ± 95 %")
        for heading in headings:
            table.add_column(heading, justify="right")
        for one in shown:
            _add_player(table, one, with_adjusted)
        yield table


def stats_title(match: MatchStats) -> str:
    """Says how many hands a table is about."""
    parts = [f"{match.hands:,} hands"]
    if match.groups is not None:
        kind = "pairs" if len(match.players) == 2 else "groups"
        parts.append(f"{match.groups:,} duplicate {kind}")
    if match.left_out:
        parts.append(f"{match.left_out:,} hands left out")
    return (f"{match.label}: " if match.label else "") + ", ".join(parts)


def _add_player(table: Table, player: PlayerStats, with_adjusted: bool) -> None:
    cells = [
        player.name,
        f"{player.hands:,}",
        format_estimate(player.mbb_per_hand),
        f"{player.anytime.low:+.1f} .. {player.anytime.high:+.1f}" if math.isfinite(player.anytime.low) else "",
        f"{player.sd_big_blinds:.2f}",
        f"{player.showdown_share:.1%}",
    ]
    if with_adjusted:
        cells.insert(3, "" if player.adjusted is None else format_estimate(player.adjusted))
    table.add_row(*cells)
    for position in player.positions:
        table.add_row(f"  {position.position}", f"{position.hands:,}", format_estimate(position.mbb_per_hand))
    table.add_section()


def format_estimate(estimate: Estimate) -> str:
    """Formats a mean with half the length of its interval: ``+491.5 ± 220.3``."""
    return f"{estimate.mean:+.1f} ± {estimate.half_width:.1f}" if estimate.n > 1 else f"{estimate.mean:+.1f}"
