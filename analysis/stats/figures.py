"""Reads logs and returns what their players won, and how often they do what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hedgehog.analysis.histories.hand_input import HandInput
from hedgehog.analysis.stats.action_counts import BY_CLASS, actions_table
from hedgehog.analysis.stats.estimate_plot import plot_estimates
from hedgehog.analysis.stats.log_stats import LogStatistics, MatchStats
from hedgehog.analysis.stats.log_tables import adjusted_table, frequency_table, stats_title, winnings_table
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.runtime.display.html import MOST_ROWS
from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.table import Table
from hedgehog.runtime.watch import SILENT, Watch

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMED: Final = 3
"""Number of players that the short text names."""


@dataclass(frozen=True, slots=True, repr=False)
class LogFigures(Shown):
    """What the players of some logs won, and how often they do what."""

    hands: HandInput
    """The files, and what was left out."""
    matches: Sequence[MatchStats]
    """One per match; for logs of local best response one per agent and setting."""
    adjusted: str
    """Name of the adjusted values."""
    known: Sequence[str] = ()
    """Names of the players whose strategies AIVAT knows."""

    @property
    def players(self) -> list[str]:
        """Names of all players, each once."""
        return list(dict.fromkeys(one.name for match in self.matches for one in match.players))

    def summary(self) -> str:
        """Returns the number of matches and hands, and the first players."""
        hands = sum(match.hands for match in self.matches)
        others = len(self.players) - _NAMED
        names = ", ".join(self.players[:_NAMED]) + (f" and {others} more" if others > 0 else "")
        return f"{len(self.matches)} matches, {hands:,} hands of {names}"

    def table(self) -> Table:
        """Returns the winnings of all matches as one table: a row per player and position, with the frequencies."""
        tables = self.winnings()
        columns = tables[0].columns if tables else ("player",)
        return Table("winnings", self.summary(), columns, tuple(row for each in tables for row in each.rows))

    def details(self) -> str:
        """Returns the winnings and the frequencies of every match as HTML."""
        tables = [each for pair in zip(self.winnings(), self.frequencies(), strict=True) for each in pair]
        return "".join(f"<p>{escape(each.title)}</p>{each.html(MOST_ROWS)}" for each in tables)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the mean winnings of the players with their 95 % intervals, and returns the axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if matplotlib is not installed.
        """
        rows = [(match.label, one) for match in self.matches for one in match.players]
        names = [f"{one.name} ({label})" if len(self.matches) > 1 and label else one.name for label, one in rows]
        return plot_estimates(names, [one.mbb_per_hand for _, one in rows], "mbb per hand, with 95 % interval", axes)

    def document(self) -> dict[str, Any]:
        """Returns the figures as a JSON document."""
        return json_document(
            "log-stats",
            **self.hands.game_and_seed,
            players=self.players,
            matches=[_match_values(match) for match in self.matches],
            left_out=self.hands.left_out.document(),
        )

    def winnings(self) -> list[Table]:
        """Returns a table per match with the winnings of players and positions, as data with the frequencies."""
        return [winnings_table(match, self.adjusted) for match in self.matches]

    def frequencies(self) -> list[Table]:
        """Returns a table per match with the frequencies of the players' actions."""
        return [frequency_table(match.players) for match in self.matches]

    def actions(self) -> list[Table]:
        """Returns a table per match with how often players fold, call and raise, by street and players left.

        It is empty if actions were not counted.
        """
        counted = [
            {one.name: one.actions for one in match.players if one.actions is not None} for match in self.matches
        ]
        return [actions_table(each) for each in counted if each]

    def class_records(self) -> list[dict[str, Any]]:
        """Returns a row per match, player, players left and class of hands: what is done against bets before the flop.

        It is empty if actions were not counted.
        """
        return [
            {"match": match.label, "player": one.name} | dict(zip(BY_CLASS, row, strict=True))
            for match in self.matches
            for one in match.players
            if one.actions is not None
            for row in one.actions.class_rows()
        ]

    def aivat(self) -> list[Table]:
        """Returns a table per match with the winnings and the adjusted winnings of players."""
        return [
            adjusted_table(
                f"{stats_title(match)}; strategy known: {', '.join(self.known)}",
                "player",
                "hand" if match.groups is None else "pair",
                [(one.name, one.mbb_per_hand, one.adjusted) for one in match.players if one.adjusted is not None],
            )
            for match in self.matches
        ]


def log_figures(  # noqa: PLR0913
    paths: Iterable[str | Path],
    *,
    file_format: str | None = None,
    gamedef: GameDef | None = None,
    player: str | None = None,
    pairs: bool = False,
    first: int | None = None,
    all_in_ev: bool = False,
    actions: bool = False,
    watch: Watch = SILENT,
) -> LogFigures:
    """Returns what players won in hand histories of any format, and how often they do what.

    :param paths: files, folders and zip archives. A file that is named twice counts once.
    :param file_format: one of :func:`~hedgehog.analysis.histories.hand_files.formats`; None detects it per file.
    :param gamedef: game of the hands; None takes the game from each file.
    :param player: name of the only player to return; None for all.
    :param pairs: count only complete duplicate groups, each as one observation.
    :param first: largest number of hands to count between the same players.
    :param all_in_ev: also score all-ins by their expectation over the missing cards.
    :param actions: also count actions by street, players left and class of hands.
    :param watch: hears of the progress and of hands left out.
    :raises LogError: if a file cannot be read, or no hand can be counted.
    :raises InputError: if there is no such player.
    """
    from hedgehog.poker.evaluation.allin import expected_values  # imports numba

    hands = HandInput(map(Path, paths), file_format, gamedef)
    statistics = LogStatistics(pairs=pairs, first=first, adjust=expected_values if all_in_ev else None, actions=actions)
    hands.visit(statistics.add, watch, hidden_cards=True)
    found = LogFigures(hands, statistics.results(), "all-in" if all_in_ev else "imaginary")
    if player is None:
        return found
    if player not in found.players:
        raise InputError(f"expected one of the players {', '.join(sorted(found.players))}, got {player!r}")
    only = [
        replace(match, players=tuple(one for one in match.players if one.name == player)) for match in found.matches
    ]
    return replace(found, matches=[match for match in only if match.players])


def _match_values(match: MatchStats) -> dict[str, Any]:
    """Returns a match as JSON-serialisable values; actions stand there if they were counted."""
    values = asdict(replace(match, players=tuple(replace(one, actions=None) for one in match.players)))
    for one, player in zip(match.players, values["players"], strict=True):
        del player["actions"]
        if one.actions is not None:
            player["actions"] = one.actions.document()
    return values
