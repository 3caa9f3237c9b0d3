"""Renders the tournament report as one HTML page without scripts and without references to other files."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from hedgehog.analysis.drawing.charts import COLOURS
from hedgehog.analysis.drawing.templates import render_template
from hedgehog.analysis.stats.number_text import (
    format_chips,
    format_margin,
    format_number,
    format_p_value,
    format_share,
    format_signed,
    format_with_margin,
    mbb_decimals,
)
from hedgehog.analysis.tournament.crosstable import build_crosstable
from hedgehog.analysis.tournament.plots import (
    plot_agents_forest,
    plot_bankroll_curves,
    plot_matches_forest,
    plot_runoff,
)
from hedgehog.analysis.tournament.result import RankConfidence, TournamentResult
from hedgehog.arena.match import seat_orders


def render_page(result: TournamentResult) -> str:
    """Returns the report of a tournament as an HTML page. The same result gives the same bytes."""
    filters = {
        "breakable": _breakable,
        "chips": format_chips,
        "margin": format_margin,
        "number": format_number,
        "p_value": format_p_value,
        "share": format_share,
        "signed": format_signed,
        "with_margin": format_with_margin,
        "sortable": _sortable,
    }
    return render_template(
        "tournament.html",
        filters,
        result=result,
        colours=COLOURS,
        facts=_facts(result),
        verdict=_verdict(result),
        decimals=mbb_decimals(
            [standing.mbb_per_hand for standing in result.standings]
            + [estimate for match in result.matches for estimate in match.mbb_per_hand.values()]
        ),
        group=group_word(result),
        has_aivat=any(standing.aivat is not None for standing in result.standings),
        crosstable=build_crosstable(result),
        sides=list(result.match_sides()),
        logs=[f"seating_{number}.log" for number in range(1, _num_seatings(result) + 1)],
        failed=[match for match in result.failed if match.reason],
        pending=[match for match in result.failed if not match.reason],
        confidences=_confidences(result),
        curves=plot_bankroll_curves(result),
        agents_forest=plot_agents_forest(result),
        matches_forest=plot_matches_forest(result),
        runoff_plot=plot_runoff(result),
    )


def _sortable(value: float) -> float | str:
    return value if math.isfinite(value) else ""


def group_word(result: TournamentResult) -> str:
    """Returns the word for a group of hands with the same cards in this tournament: hand, pair or group."""
    if not result.duplicate:
        return "hand"
    return "pair" if result.players_per_match == 2 else "group"


def _breakable(name: str) -> Markup:
    """Escapes a name and lets lines break after its punctuation."""
    return Markup("<wbr>").join(part for part in re.split(r"(?<=[_.,:/·-])", name) if part)


def _num_seatings(result: TournamentResult) -> int:
    return len(seat_orders(result.players_per_match, duplicate=result.duplicate))


def _facts(result: TournamentResult) -> list[tuple[str, str]]:
    seatings = _num_seatings(result)
    played, planned = len(result.matches), len(result.matches) + len(result.failed)
    facts = [
        ("Game", _breakable(result.game)),
        ("Agents", format_number(len(result.standings))),
        ("Matches", format_number(planned) if played == planned else f"{played} of {planned} finished"),
        (
            "Hands per match",
            f"{format_number(seatings * result.hands)} ({seatings} seatings of {format_number(result.hands)})"
            if seatings > 1
            else format_number(result.hands),
        ),
        ("Hands in all", format_number(sum(match.hands for match in result.matches))),
        ("Cards", "duplicate: the same in all seatings" if result.duplicate else "not duplicate"),
        ("Big blind", f"{format_number(result.big_blind)} {'chip' if result.big_blind == 1 else 'chips'}"),
        ("Seed", str(result.seed)),
    ]
    facts.extend(
        (key.replace("_", " "), _setting(value)) for key, value in result.settings.items() if value is not None
    )
    return facts


def _setting(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case Mapping():
            return ", ".join(f"{key}: {_setting(entry)}" for key, entry in value.items())
        case str():
            return value
        case Sequence():
            return ", ".join(map(_setting, value))
        case _:
            return str(value)


def _verdict(result: TournamentResult) -> list[tuple[str, list[str], str]]:
    """Returns for total bankroll and for run-off: the name of the ranking, its winners, and how sure they are."""
    verdict = []
    first = [standing.agent for standing in result.standings if standing.rank == 1 and standing.matches]
    if first:
        verdict.append(("Total bankroll", first, _first_share(result.bankroll_confidence, first)))
    last = [agent for agent, rank in result.runoff_ranks.items() if rank == 1]
    if last:
        verdict.append(("Instant run-off", last, _first_share(result.runoff_confidence, last)))
    return verdict


def _first_share(confidence: RankConfidence | None, agents: Sequence[str]) -> str:
    """Returns a text with the share of bootstrap samples in which a single winner is first; empty if there is none."""
    if confidence is None or len(agents) != 1 or agents[0] not in confidence.agents or not confidence.samples:
        return ""
    return format_share(float(confidence.share[confidence.agents.index(agents[0]), 0]))


def _confidences(result: TournamentResult) -> list[tuple[str, RankConfidence]]:
    if not result.matches:
        return []
    ranks = {standing.agent: standing.rank for standing in result.standings if standing.rank is not None}
    named = [
        ("Total bankroll", result.bankroll_confidence, ranks),
        ("Instant run-off", result.runoff_confidence, result.runoff_ranks or ranks),
    ]
    return [(name, _sorted_by(table, order)) for name, table, order in named if table is not None and table.samples]


def _sorted_by(table: RankConfidence, ranks: Mapping[str, int]) -> RankConfidence:
    rows = sorted(range(len(table.agents)), key=lambda row: ranks[table.agents[row]])
    return RankConfidence(tuple(table.agents[row] for row in rows), table.share[rows], table.samples)
