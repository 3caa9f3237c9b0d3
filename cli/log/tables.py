"""The tables of ``hedgehog log stats``, all at most 80 columns wide."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from rich import box
from rich.markup import escape
from rich.table import Table

from hedgehog.analysis.stats.estimate import Estimate
from hedgehog.analysis.stats.frequencies import Frequency
from hedgehog.analysis.stats.log_stats import MatchStats, PlayerStats
from hedgehog.analysis.stats.number_text import format_estimate
from hedgehog.runtime.table import MISSING

_FREQUENCY_HEADINGS: Final = ("VPIP", "PFR", "3-bet", "fold to\n3-bet", "c-bet\nflop", "AFq", "AF", "WTSD", "W$SD")
_NARROWEST_NAME: Final = 12
_LARGEST_FULL_COUNT: Final = 99_999


def stats_tables(matches: Sequence[MatchStats], player: str | None, adjusted: str) -> Iterator[Table]:
    """Yields two tables per match: winnings of players and positions, and frequencies of the players' actions.

    :param player: name of the only player to show; None shows all players.
    :param adjusted: name of the adjusted values.
    """
    for match in matches:
        shown = [one for one in match.players if player is None or one.name == player]
        if shown:
            yield _winnings_table(match, shown, adjusted)
            yield _frequency_table(shown)


def stats_title(match: MatchStats) -> str:
    """Returns the title of a match's tables, with the number of hands."""
    parts = [f"{match.hands:,} hands"]
    if match.groups is not None:
        kind = "pairs" if len(match.players) == 2 else "groups"
        parts.append(f"{match.groups:,} duplicate {kind}")
    if match.left_out:
        parts.append(f"{match.left_out:,} hands left out")
    return (f"{match.label}: " if match.label else "") + ", ".join(parts)


def _winnings_table(match: MatchStats, players: Sequence[PlayerStats], adjusted: str) -> Table:
    table = Table(title=escape(stats_title(match)), title_justify="left")
    table.add_column("player", overflow="fold")
    for heading in ("hands", "mbb/h ± 95 %", "anytime 95 %", "SD/hand\nBB"):
        table.add_column(heading, justify="right", no_wrap=True)
    for player in players:
        anytime = player.anytime
        table.add_row(
            escape(player.name),
            f"{player.hands:,}",
            format_estimate(player.mbb_per_hand),
            f"{anytime.low:+.0f} .. {anytime.high:+.0f}" if anytime.has_interval else "none",
            MISSING if math.isnan(player.sd_big_blinds) else f"{player.sd_big_blinds:.2f}",
        )
        if player.adjusted is not None:
            table.add_row(f"  {adjusted}", "", format_estimate(player.adjusted))
        for position in player.positions:
            table.add_row(f"  {position.position}", f"{position.hands:,}", format_estimate(position.mbb_per_hand))
        table.add_section()
    return table


def _frequency_table(players: Sequence[PlayerStats]) -> Table:
    table = Table(
        title="How often, % (below: opportunities)",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=0,
        pad_edge=False,
    )
    table.add_column("player", overflow="fold", min_width=_NARROWEST_NAME)
    for heading in _FREQUENCY_HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    for player in players:
        one = player.frequencies
        shares = (one.vpip, one.pfr, one.three_bet, one.fold_to_three_bet, one.flop_continuation_bet, one.aggression)
        showdown = (one.went_to_showdown, one.won_at_showdown)
        factor = _factor(one.aggression_factor)
        table.add_row(escape(player.name), *map(_percent, shares), factor, *map(_percent, showdown))
        table.add_row("", *map(_count, shares), "", *map(_count, showdown), style="dim")
    return table


def _percent(frequency: Frequency) -> str:
    return f"{frequency.share:.1%}".removesuffix("%") if frequency.opportunities else MISSING


def _count(frequency: Frequency) -> str:
    count = frequency.opportunities
    if count <= _LARGEST_FULL_COUNT:
        return f"{count:,}"
    return f"{count / 1e3:,.0f}k" if count < 1e7 else f"{count / 1e6:,.0f}M"


def _factor(factor: float) -> str:
    return MISSING if math.isnan(factor) else f"{factor:.2f}"


def adjusted_columns(table: Table, heading: str, unit: str) -> None:
    """Adds the columns of :func:`add_adjusted_row` to a table.

    :param heading: heading of the first column.
    :param unit: what an observation is: a hand or a pair.
    """
    table.box = box.SIMPLE_HEAD
    table.padding = (0, 1, 0, 0)
    table.add_column(heading, overflow="fold", min_width=_NARROWEST_NAME)
    for column in ("mbb/h ± 95 %", f"SD per\n{unit}", "AIVAT\nmbb/h ± 95 %", f"SD per\n{unit}", "reduction"):
        table.add_column(column, justify="right", no_wrap=True)


def add_adjusted_row(table: Table, name: str, raw: Estimate, adjusted: Estimate) -> None:
    """Adds a row with real winnings, winnings by AIVAT, and how much smaller their standard deviation is."""
    table.add_row(
        escape(name),
        format_estimate(raw),
        f"{raw.sd:.0f}" if raw.n > 1 else "",
        format_estimate(adjusted),
        f"{adjusted.sd:.0f}" if raw.n > 1 else "",
        f"{1 - adjusted.sd / raw.sd:.1%}" if raw.sd > 0 and math.isfinite(raw.sd) else "",
    )
