"""Draws the README's picture: winnings against the bots, duplicate pair by pair, with 95 % intervals.

    python -m benchmarks.pictures.plot_matches FOLDER OUT.svg

FOLDER is the folder of a tournament of one agent against the others, such as
``hedgehog tournament run docs/examples/foils.yaml``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from benchmarks.common import run
from hedgehog.analysis.drawing.charts import MUTED, SERIES, draw_svg_and_png
from hedgehog.analysis.stats.match_report import group_winnings
from hedgehog.arena.tournament import read_progress
from hedgehog.poker.acpc.gamedef import load_gamedef

_COLUMNS: Final = 4
_FIRST_PAIR: Final = 100
"""Before it, a mean is noise."""
_POINTS: Final = 150
"""Points of a line; more would not be seen."""


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("out", metavar="OUT.svg", type=click.Path(path_type=Path))
def main(folder: Path, out: Path) -> None:
    """Draw the running mean of every match, with the 95 % interval of the mean so far, in a panel of its own."""
    record, progress = read_progress(folder)
    gamedef = load_gamedef(record.game)
    agent = str(record.settings.get("against") or progress.matches[0].match.players[0])
    won = {}
    for match in progress.matches:
        players = list(match.match.players)
        (other,) = (name for name in players if name != agent)
        logs = sorted((folder / "matches" / match.match.folder).glob("seating_?.log"))
        won[other] = group_winnings(logs, players, gamedef)[:, players.index(agent)]  # mbb per hand of each pair
    order = sorted(won, key=lambda name: won[name].mean())

    def draw(figure: Figure) -> None:
        rows = -(-len(order) // _COLUMNS)
        figure.set_size_inches(10.0, 2.2 * rows)
        panels = figure.subplots(rows, _COLUMNS, sharex=True, sharey=True, squeeze=False)
        for number, axes in enumerate(panels.flat):
            if number >= len(order):
                axes.set_axis_off()
                continue
            _draw_match(axes, order[number], won[order[number]])
        figure.supylabel(f"mbb per hand won by {agent}", fontsize=9, color=MUTED)
        figure.supxlabel("duplicate pairs played (line: mean so far; band: its 95 % interval)", fontsize=9, color=MUTED)

    out.write_bytes(draw_svg_and_png(draw)[0])


def _draw_match(axes: Axes, other: str, won: np.ndarray) -> None:
    pairs = np.arange(1, len(won) + 1)
    mean = won.cumsum() / pairs
    error = 1.96 * np.sqrt(np.maximum((won**2).cumsum() / pairs - mean**2, 0) / pairs)
    shown = np.unique(np.geomspace(min(_FIRST_PAIR, len(won)), len(won), _POINTS).astype(int)) - 1
    axes.fill_between(
        pairs[shown], (mean - error)[shown], (mean + error)[shown], alpha=0.25, linewidth=0, color=SERIES[0]
    )
    axes.plot(pairs[shown], mean[shown], color=SERIES[0], linewidth=1.3)
    axes.axhline(0, color=MUTED, linewidth=0.7)
    axes.set_title(f"against {other}: {mean[-1]:+,.0f} ± {error[-1]:,.0f}", fontsize=9, loc="left")
    axes.set_ylim(-2_500, 12_500)
    axes.xaxis.set_major_locator(MaxNLocator(2, steps=[1, 2, 5, 10]))
    axes.grid()
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


if __name__ == "__main__":
    run(main)
