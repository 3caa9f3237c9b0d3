"""Draws the pictures of the tournament report as inline SVG: bankroll curves, intervals and run-off rounds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from hedgehog.analysis.drawing.charts import INK, MUTED, NEGATIVE, POSITIVE, SURFACE, draw_inline_svg
from hedgehog.analysis.drawing.line_labels import label_lines, line_style
from hedgehog.analysis.stats.estimate import Estimate
from hedgehog.analysis.stats.number_text import (
    format_chips,
    format_number,
    format_tick,
    format_with_margin,
    mbb_decimals,
    short_name,
)
from hedgehog.analysis.tournament.result import TournamentResult

_WIDTH: Final = 10.0
"""Width of all figures in inches (720 points)."""
_MAX_FOREST_ROWS: Final = 80
"""Largest number of rows of a forest plot. More are not drawn, because the picture would be too tall to read."""
_THOUSANDS: Final = FuncFormatter(lambda value, _: format_number(value))
_SIGNED_THOUSANDS: Final = FuncFormatter(lambda value, _: format_tick(value))


def plot_bankroll_curves(result: TournamentResult) -> Markup | None:
    """Returns a picture of every agent's bankroll against the hands it has played; None if nobody has played."""
    shown = [standing for standing in result.standings if standing.matches > 0]
    if not shown:
        return None

    def draw(figure: Figure) -> None:
        figure.set_size_inches(_WIDTH, 4.6)
        axes = figure.add_subplot()
        _zero_line(axes, horizontal=True)
        for standing in shown:
            style = _line_style(result, standing.agent)
            axes.plot(standing.curve_hands, standing.curve_chips, linewidth=1.6, **style)
        axes.set_xlim(0, max(int(standing.curve_hands[-1]) for standing in shown))
        ends = {standing.agent: (int(standing.curve_hands[-1]), float(standing.curve_chips[-1])) for standing in shown}
        label_lines(axes, ends, _colours(result), left=False)
        axes.set_xlabel("hands played by the agent, matches in the order of the plan")
        axes.set_ylabel("bankroll in chips")
        axes.grid(axis="y")
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
        axes.xaxis.set_major_formatter(_THOUSANDS)
        axes.yaxis.set_major_formatter(_SIGNED_THOUSANDS)

    final = ", ".join(f"{standing.agent} {format_chips(float(standing.curve_chips[-1]))}" for standing in shown)
    return draw_inline_svg("curves", "Bankroll curves", f"Chips won after the last hand: {final}.", draw)


@dataclass(frozen=True, slots=True)
class _ForestRow:
    """One line of a forest plot."""

    label: str
    inner: Estimate
    """Estimate that is drawn as a mark with a thick bar and written beside it."""
    outer: Estimate
    """Estimate that is drawn as a thin line with end ticks. Its mean, if different, is drawn as a hollow diamond."""
    filled: bool
    """Whether the mark is filled, which says that the mean differs from zero."""


def plot_agents_forest(result: TournamentResult) -> Markup | None:
    """Returns a picture of every agent's mean winnings with 95 % interval, and of the all-in adjusted mean below it."""
    rows = [
        _ForestRow(standing.agent, standing.mbb_per_hand, standing.all_in_adjusted, standing.mbb_per_hand.excludes_zero)
        for standing in result.standings
        if math.isfinite(standing.mbb_per_hand.mean)
    ]
    if not rows:
        return None
    return draw_inline_svg(
        "agents",
        "Mean winnings of the agents",
        f"In mbb/h with 95 % intervals: {_described(rows)}.",
        lambda figure: _draw_forest(figure, rows, offset=0.24, xlabel="mbb/h over all matches"),
    )


def plot_matches_forest(result: TournamentResult) -> Markup | None:
    """Returns a picture of the mean winnings in every match, with fixed-n and anytime-valid 95 % intervals.

    With two players per match there is one row per match, which shows what the better placed agent won. With more
    players there is one row per match and player. Returns None if no match is finished, or for more than 80 rows.
    """
    rows: list[_ForestRow] = []
    for side in result.match_sides():
        opponents = ", ".join(short_name(name, 16) for name in side.opponents)
        label = f"{short_name(side.player, 16)} v {opponents}"
        match = side.match
        rows.append(
            _ForestRow(
                label, match.mbb_per_hand[side.player], match.anytime[side.player], match.significant_for(side.player)
            )
        )
    if not 0 < len(rows) <= _MAX_FOREST_ROWS:
        return None
    return draw_inline_svg(
        "matches",
        "Mean winnings of the matches",
        f"In mbb/h with 95 % intervals: {_described(rows)}.",
        lambda figure: _draw_forest(figure, rows, offset=0.0, xlabel="mbb/h of the agent named first"),
    )


def plot_runoff(result: TournamentResult) -> Markup | None:
    """Returns a picture of the bankrolls in every round of the run-off; None for fewer than two rounds."""
    if len(result.runoff) < 2:
        return None

    def draw(figure: Figure) -> None:
        figure.set_size_inches(_WIDTH, 4.2)
        axes = figure.add_subplot()
        _zero_line(axes, horizontal=True)
        for agent in result.runoff[0].bankroll_chips:
            chips = [one.bankroll_chips[agent] for one in result.runoff if agent in one.bankroll_chips]
            rounds = range(1, len(chips) + 1)
            axes.plot(rounds, chips, linewidth=1.4, marker="o", markersize=4.5, **_line_style(result, agent))
            if agent in result.runoff[len(chips) - 1].eliminated:
                colour = _line_style(result, agent)["color"]
                axes.plot(len(chips), chips[-1], "X", markersize=9, color=colour, markeredgecolor=SURFACE, zorder=4)
        starts = {agent: (1, chips) for agent, chips in result.runoff[0].bankroll_chips.items()}
        axes.set_xlim(1 - 0.02 * len(result.runoff), 1.02 * len(result.runoff))
        label_lines(axes, starts, _colours(result), left=True)
        axes.set_xticks(range(1, len(result.runoff) + 1))
        axes.set_xlabel("round (✕: eliminated after it)")
        axes.set_ylabel("chips won among those still in")
        axes.grid(axis="y")
        axes.yaxis.set_major_formatter(_SIGNED_THOUSANDS)
        axes.yaxis.tick_right()
        axes.yaxis.set_label_position("right")
        axes.spines["left"].set_visible(False)

    out = [(number, ", ".join(one.eliminated)) for number, one in enumerate(result.runoff, 1) if one.eliminated]
    told = "; ".join(f"after round {number}: {names}" for number, names in out)
    return draw_inline_svg("runoff", "Bankroll instant run-off", f"Eliminated: {told or 'nobody'}.", draw)


def _draw_forest(figure: Figure, rows: Sequence[_ForestRow], offset: float, xlabel: str) -> None:
    """Draws the rows from top to bottom; ``offset`` is how far the outer interval lies below the inner one."""
    figure.set_size_inches(_WIDTH, 0.9 + (0.26 if offset == 0 else 0.36) * len(rows))
    axes = figure.add_subplot()
    _zero_line(axes, horizontal=False)
    decimals = mbb_decimals(row.inner for row in rows)
    for y, row in enumerate(rows):
        colour = MUTED if not row.filled else POSITIVE if row.inner.mean > 0 else NEGATIVE
        if math.isfinite(row.outer.half_width):
            ends = (row.outer.low, row.outer.high)
            axes.plot(ends, (y + offset, y + offset), color=MUTED, linewidth=0.9, marker="|", markersize=5)
        if offset > 0 and math.isfinite(row.outer.mean):
            axes.plot(
                row.outer.mean, y + offset, "D", markersize=4, markerfacecolor=SURFACE, markeredgecolor=MUTED, zorder=3
            )
        if math.isfinite(row.inner.half_width):
            axes.plot((row.inner.low, row.inner.high), (y, y), color=colour, linewidth=3.2, solid_capstyle="butt")
        axes.plot(
            row.inner.mean,
            y,
            "o",
            markersize=6.5,
            markerfacecolor=colour if row.filled else SURFACE,
            markeredgecolor=colour,
            zorder=4,
        )
        axes.annotate(
            format_with_margin(row.inner, decimals),
            (1, y),
            xycoords=("axes fraction", "data"),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            annotation_clip=False,
        )
    axes.set_yticks(range(len(rows)), [short_name(row.label, 40) for row in rows], color=INK)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(xlabel)
    axes.grid(axis="x")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8))
    axes.xaxis.set_major_formatter(_SIGNED_THOUSANDS)


def _described(rows: Iterable[_ForestRow]) -> str:
    return "; ".join(f"{row.label} {format_with_margin(row.inner, 1)}" for row in rows)


def _line_style(result: TournamentResult, agent: str) -> dict[str, Any]:
    """Returns colour and dashes of an agent's line, which are the same in every picture."""
    return line_style([standing.agent for standing in result.standings].index(agent))


def _colours(result: TournamentResult) -> dict[str, str]:
    return {standing.agent: line_style(number)["color"] for number, standing in enumerate(result.standings)}


def _zero_line(axes: Axes, *, horizontal: bool) -> None:
    (axes.axhline if horizontal else axes.axvline)(0, color=MUTED, linewidth=0.8, zorder=1)
