"""Tables of the statistics of logs: winnings of players and positions, frequencies, and winnings by AIVAT.

In a terminal they are at most 80 columns wide.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any, Final

from hedgehog.analysis.stats.estimate import Estimate, interval_cells
from hedgehog.analysis.stats.frequencies import Frequencies, Frequency
from hedgehog.analysis.stats.log_stats import MatchStats, PlayerStats, PositionStats
from hedgehog.analysis.stats.number_text import format_estimate
from hedgehog.runtime.table import MISSING, Column, Table

_FREQUENCIES: Final = (
    ("VPIP", "vpip"),
    ("PFR", "pfr"),
    ("3-bet", "three_bet"),
    ("fold to\n3-bet", "fold_to_three_bet"),
    ("c-bet\nflop", "flop_continuation_bet"),
    ("AFq", "aggression"),
    ("AF", "aggression_factor"),
    ("WTSD", "went_to_showdown"),
    ("W$SD", "won_at_showdown"),
)
"""Headings of the frequencies and their fields in :class:`Frequencies`."""
_LARGEST_FULL_COUNT: Final = 99_999


def stats_title(match: MatchStats) -> str:
    """Returns the title of a match's tables, with the number of hands."""
    parts = [f"{match.hands:,} hands"]
    if match.groups is not None:
        kind = "pairs" if len(match.players) == 2 else "groups"
        parts.append(f"{match.groups:,} duplicate {kind}")
    if match.left_out:
        parts.append(f"{match.left_out:,} hands left out")
    return (f"{match.label}: " if match.label else "") + ", ".join(parts)


def winnings_table(match: MatchStats, adjusted: str) -> Table:
    """Returns the winnings of the players of a match, in a row per player and in one per position of the player.

    As data, the row of a player also has its frequencies, and no position.

    :param adjusted: name of the adjusted values.
    """
    rows: list[tuple[dict[str, Any], PlayerStats | PositionStats]] = []
    sections = []
    for player in match.players:
        sections.append(len(rows))
        head = {"match": match.label, "player": player.name}
        row: dict[str, Any] = {**head, "position": "", "hands": player.hands}
        row |= interval_cells("", player.mbb_per_hand) | interval_cells("adjusted_", player.adjusted)
        row |= {"sd_big_blinds": player.sd_big_blinds, "showdown_share": player.showdown_share}
        for field in fields(Frequencies):
            row |= _frequency(field.name, getattr(player.frequencies, field.name))
        rows.append((row, player))
        for one in player.positions:
            values = {**head, "position": one.position, "hands": one.hands} | interval_cells("", one.mbb_per_hand)
            rows.append((dict.fromkeys(row) | values, one))
    shown = [
        ("player", lambda one: _name(one, adjusted), True),
        ("hands", lambda one: f"{one.hands:,}", False),
        ("mbb/h ± 95 %", _winnings, False),
        ("anytime 95 %", _anytime, False),
        ("SD/hand\nBB", _deviation, False),
    ]
    columns = [Column(name, shown=False) for name in rows[0][0]]
    columns += [Column(f"{title} shown", title, text, data=False, left=left) for title, text, left in shown]
    return Table(
        "winnings",
        stats_title(match),
        columns,
        tuple((*row.values(), *[one] * len(shown)) for row, one in rows),
        sections=sections[1:],
    )


def _name(one: PlayerStats | PositionStats, adjusted: str) -> str:
    if isinstance(one, PositionStats):
        return f"  {one.position}"
    return one.name if one.adjusted is None else f"{one.name}\n  {adjusted}"


def _winnings(one: PlayerStats | PositionStats) -> str:
    text = format_estimate(one.mbb_per_hand)
    if isinstance(one, PositionStats) or one.adjusted is None:
        return text
    return f"{text}\n{format_estimate(one.adjusted)}"


def _anytime(one: PlayerStats | PositionStats) -> str:
    if isinstance(one, PositionStats):
        return ""
    return f"{one.anytime.low:+.0f} .. {one.anytime.high:+.0f}" if one.anytime.has_interval else "none"


def _deviation(one: PlayerStats | PositionStats) -> str:
    if isinstance(one, PositionStats):
        return ""
    return MISSING if math.isnan(one.sd_big_blinds) else f"{one.sd_big_blinds:.2f}"


def _frequency(name: str, value: Frequency | float) -> dict[str, object]:
    if isinstance(value, float):
        return {name: value}
    return {name: value.share, f"{name}_opportunities": value.opportunities}


def frequency_table(players: Iterable[PlayerStats]) -> Table:
    """Returns how often players do what, with the number of opportunities below each share."""
    return Table(
        "frequencies",
        "How often, % (below: opportunities)",
        [
            Column("player", left=True),
            *(Column(field, title, _frequency_text, data=False) for title, field in _FREQUENCIES),
        ],
        tuple((one.name, *(getattr(one.frequencies, field) for _, field in _FREQUENCIES)) for one in players),
    )


def _frequency_text(value: Frequency | float) -> str:
    if isinstance(value, float):
        return MISSING if math.isnan(value) else f"{value:.2f}"
    count = value.opportunities
    share = f"{100 * value.share:.1f}" if count else MISSING
    if count <= _LARGEST_FULL_COUNT:
        return f"{share}\n{count:,}"
    return f"{share}\n{count / 1e3:,.0f}k" if count < 1e7 else f"{share}\n{count / 1e6:,.0f}M"


def adjusted_table(
    title: str, heading: str, unit: str, rows: Sequence[tuple[str, Estimate, Estimate]], sections: Sequence[int] = ()
) -> Table:
    """Returns winnings beside winnings by AIVAT, and how much smaller their standard deviation is.

    :param heading: heading of the first column.
    :param unit: what an observation is: a hand or a pair.
    :param rows: name, real winnings and winnings by AIVAT, in mbb per hand.
    :param sections: indices of rows above which people see a line.
    """
    columns = [
        Column("name", heading, left=True),
        Column("winnings", "mbb/h ± 95 %", format_estimate, data=False),
        Column("deviation", f"SD per\n{unit}", _sd, data=False),
        Column("aivat", "AIVAT\nmbb/h ± 95 %", format_estimate, data=False),
        Column("aivat_deviation", f"SD per\n{unit}", _sd, data=False),
        Column("reduction", text=lambda share: "" if math.isnan(share) else f"{share:.1%}"),
    ]
    cells = ((name, raw, raw, adjusted, adjusted, _reduction(raw, adjusted)) for name, raw, adjusted in rows)
    return Table("aivat", title, columns, tuple(cells), sections=sections)


def _sd(estimate: Estimate) -> str:
    return f"{estimate.sd:.0f}" if estimate.n > 1 else ""


def _reduction(raw: Estimate, adjusted: Estimate) -> float:
    return 1 - adjusted.sd / raw.sd if raw.sd > 0 and math.isfinite(raw.sd) else math.nan
