"""``hedgehog log aivat``: its arguments and its tables."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.table import Table

from agent.specs import PlayerSpec, parse_player_spec
from cli.log_view import format_estimate, stats_title
from poker.errors import InputError

if TYPE_CHECKING:
    from analysis.log_stats import MatchStats


def known_specs(texts: Sequence[str]) -> dict[str, PlayerSpec]:
    """Parses ``NAME=SPEC`` texts.

    :raises InputError: if one is malformed, or a name is given twice.
    """
    players: dict[str, PlayerSpec] = {}
    for text in texts:
        name, equals, spec = text.partition("=")
        if not name or not equals:
            raise InputError(f"expected NAME=SPEC for a player, got {text!r}")
        if name in players:
            raise InputError(f"player {name!r} is given twice")
        players[name] = parse_player_spec(spec)
    return players


def aivat_tables(matches: Sequence[MatchStats], known: Collection[str]) -> Iterator[Table]:
    """Yields one table per match: winnings as they were and by AIVAT."""
    for match in matches:
        table = Table(title=f"{stats_title(match)}; strategy known: {', '.join(known)}", title_justify="left")
        table.add_column("player")
        unit = "hand" if match.groups is None else "pair"
        for column in ("mbb/h ± 95 %", f"SD per {unit}", "AIVAT mbb/h ± 95 %", f"SD per {unit}", "reduction"):
            table.add_column(column, justify="right")
        for player in match.players:
            raw, adjusted = player.mbb_per_hand, player.adjusted
            assert adjusted is not None
            table.add_row(
                player.name,
                format_estimate(raw),
                f"{raw.sd:.0f}" if raw.n > 1 else "",
                format_estimate(adjusted),
                f"{adjusted.sd:.0f}" if raw.n > 1 else "",
                f"{1 - adjusted.sd / raw.sd:.1%}" if raw.sd > 0 and math.isfinite(raw.sd) else "",
            )
        yield table
