"""The crosstable of a tournament: who won how much from whom."""

from __future__ import annotations

from dataclasses import dataclass

from hedgehog.analysis.stats.estimate import Estimate
from hedgehog.analysis.stats.number_text import format_chips, format_number
from hedgehog.analysis.tournament.result import MatchScore, TournamentResult


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the crosstable."""

    estimate: Estimate
    significant: bool
    """Whether the result differs from zero. Two players: after Holm's correction over all matches. More players: judged
    by the interval of this cell alone."""
    note: str
    """Text that names the match and its hands, shown when the mouse rests on the cell."""

    @property
    def kind(self) -> str:
        """CSS class of the cell, which gives it a colour by sign and significance."""
        if self.estimate.mean == 0:
            return "even"
        sign = "plus" if self.estimate.mean > 0 else "minus"
        return f"{sign} significant" if self.significant else sign

    @property
    def marker(self) -> str:
        """An arrow head if the result is significant, for readers who cannot see the colour; else empty."""
        return ("▲" if self.estimate.mean > 0 else "▼") if self.significant else ""


@dataclass(frozen=True, slots=True)
class Crosstable:
    """A table of who won how much from whom."""

    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell | None, ...]], ...]
    """Label and cells of each row; None where there is no finished match."""


def build_crosstable(result: TournamentResult) -> Crosstable | None:
    """Returns the crosstable of all finished matches, or None if no match is finished.

    With two players per match it has a row per agent and a column per opponent, and cells show what the agent of the
    row won. With more players it has a row per group of opponents and a column per agent, and cells show what the agent
    of the column won.
    """
    if not result.matches:
        return None
    order = [standing.agent for standing in result.standings]
    cells: dict[tuple[str, tuple[str, ...]], Cell] = {}
    for match in result.matches:
        for player in match.players:
            opponents = tuple(sorted((name for name in match.players if name != player), key=order.index))
            cells[player, opponents] = _cell(match, player)
    columns = tuple(order)
    if result.players_per_match == 2:
        rows = tuple((agent, tuple(cells.get((agent, (other,))) for other in order)) for agent in order)
        return Crosstable("agent", columns, rows)
    groups = sorted({opponents for _, opponents in cells}, key=lambda names: [order.index(name) for name in names])
    return Crosstable(
        "opponents",
        columns,
        tuple((" · ".join(names), tuple(cells.get((agent, names)) for agent in order)) for names in groups),
    )


def _cell(match: MatchScore, player: str) -> Cell:
    return Cell(
        match.mbb_per_hand[player],
        match.significant_for(player),
        f"{match.folder}: {format_number(match.hands)} hands, {format_chips(match.chips[player])} chips",
    )
