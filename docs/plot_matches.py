"""Draws the README's picture: winnings against the benchmark bots, pair by pair, with 95 % bands.

usage: .venv/bin/python docs/plot_matches.py FOLDER OUT.svg

FOLDER holds one folder per bot, as ``hedgehog match default BOT --out FOLDER/BOT`` leaves it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np

from analysis.match_report import group_winnings
from poker.gamedef import find_gamedef, read_gamedef

matplotlib.use("svg")
from matplotlib import pyplot as plt

GAME = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))


def main(folder: Path, out: Path) -> None:
    """Plots the running mean of every match with the 95 % interval of the mean so far."""
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    for match in sorted(path for path in folder.iterdir() if path.is_dir()):
        won = group_winnings(sorted(match.glob("seating_?.log")), ["default", match.name], GAME)[:, 0] / 1000
        pairs = np.arange(1, len(won) + 1)
        mean = won.cumsum() / pairs
        error = 1.96 * np.sqrt(np.maximum((won**2).cumsum() / pairs - mean**2, 0) / pairs)
        shown = slice(49, None, 10)  # the first pairs are noise; every tenth point is enough for a picture
        (line,) = axes.plot(pairs[shown], mean[shown], label=f"against {match.name}")
        axes.fill_between(
            pairs[shown], (mean - error)[shown], (mean + error)[shown], alpha=0.15, color=line.get_color()
        )
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xlabel("duplicate pairs played")
    axes.set_ylabel("winnings of our player, big blinds per hand")
    axes.set_ylim(-6, 14)
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right", ncols=4)
    plt.rcParams["svg.hashsalt"] = "hedgehog"
    figure.savefig(out, metadata={"Date": None})


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
