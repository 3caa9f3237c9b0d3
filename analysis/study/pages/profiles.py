"""Renders profiles of players as one HTML page without references to other files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hedgehog.analysis.drawing.charts import INK, MUTED, SERIES, draw_inline_svg
from hedgehog.analysis.drawing.templates import render_template
from hedgehog.analysis.stats.estimate import Estimate
from hedgehog.analysis.stats.number_text import short_name
from hedgehog.analysis.study.profiles import LINES, SIZES, Profile, Share

MOST_DRAWN: Final = 40
"""Most players in a picture; those with the most hands."""
_PANELS: Final = ("VPIP", "PFR", "3-bet", "c-bet flop", "fold to c-bet", "AFq")


def render_profiles(title: str, headline: str, profiles: Sequence[Profile]) -> str:
    """Returns the profiles as an HTML page. The same profiles give the same bytes.

    :param title: title of the page.
    :param headline: what was counted.
    :param profiles: three for each player: both seats, big blind, small blind.
    """
    return render_template(
        "profiles.html",
        filters={"share": _share, "interval": _interval, "mean": _mean, "range": _range, "factor": _factor},
        title=title,
        headline=headline,
        lines=LINES,
        sizes=SIZES,
        profiles=profiles,
        pictures=[draw_profiles(profiles)],
    )


def draw_profiles(profiles: Sequence[Profile]) -> Markup:
    """Returns a picture of six frequencies of every player with their 95 % intervals, as an SVG element."""
    shown = [profile for profile in profiles if not profile.seat][:MOST_DRAWN]
    numbers = {line.name: number for number, line in enumerate(LINES)}

    def draw(figure: Figure) -> None:
        figure.set_size_inches(10.0, 1.2 + 0.2 * max(len(shown), 3))
        panels = figure.subplots(1, len(_PANELS), sharey=True)
        for place, (axes, name) in enumerate(zip(panels, _PANELS, strict=True)):
            _draw_panel(axes, name, [profile.shares[numbers[name]] for profile in shown], SERIES[place])
        panels[0].set_yticks(range(len(shown)), [short_name(profile.name, 22) for profile in shown])
        panels[0].invert_yaxis()

    count = f"the {len(shown)} players with the most hands" if len(shown) == MOST_DRAWN else f"{len(shown)} players"
    description = f"Six frequencies of {count} with 95 % intervals; the table below has the numbers."
    return draw_inline_svg("profiles", "Frequencies of the players", description, draw)


def _draw_panel(axes: Axes, name: str, shares: Sequence[Share], colour: str) -> None:
    for row, share in enumerate(shares):
        if share.opportunities:
            axes.plot([100 * share.low, 100 * share.high], [row, row], color=MUTED, linewidth=1.2)
            axes.plot([100 * share.share], [row], marker="o", markersize=4, color=colour)
    axes.set_title(name, color=INK, fontsize=9)
    axes.set_xlim(-3, 103)
    axes.set_xlabel("%")
    axes.grid(axis="x")


def _share(share: Share) -> str:
    return f"{100 * share.share:.1f}" if share.opportunities else ""


def _interval(share: Share) -> str:
    return f"{100 * share.low:.1f} to {100 * share.high:.1f} of {share.opportunities:,}" if share.opportunities else ""


def _mean(estimate: Estimate | None) -> str:
    return "" if estimate is None else f"{estimate.mean:.2f}" if abs(estimate.mean) < 100 else f"{estimate.mean:+.0f}"


def _range(estimate: Estimate | None) -> str:
    if estimate is None or not math.isfinite(estimate.low):
        return ""
    digits = 2 if abs(estimate.mean) < 100 else 0
    return f"{estimate.low:.{digits}f} to {estimate.high:.{digits}f}"


def _factor(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.2f}"
