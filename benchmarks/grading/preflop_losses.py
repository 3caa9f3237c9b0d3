"""What the players of a heads-up log lose before the flop by the table of preflop values, in mbb per hand.

``python -m benchmarks.grading.preflop_losses LOG --opponent DeepStack [--aivat FOLDER] [--packs DIR]``

``--aivat`` names a folder of ``results.NAME.csv`` with a column ``AIVAT`` in chips, to compare the losses with.
"""

from __future__ import annotations

import csv
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from math import isnan
from pathlib import Path

import click
import numpy as np
from scipy.stats import pearsonr, spearmanr

from hedgehog.agent.strategy.preflop_evs import DecisionEvs, PreflopEvs, preflop_evs
from hedgehog.cli.console import output_console
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.acpc.handlog import scan_log_line
from hedgehog.poker.cards import combo_index, parse_cards
from hedgehog.poker.state import Action
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.table import Column, Table
from hedgehog.strategies.pack import default_packs

LEAST_SHARE = 0.001
"""Decisions that fewer of the opponent's hands come to are not graded."""
_ACTION = re.compile(r"[fc]|r[0-9]+")


def decisions(table: PreflopEvs, line: str) -> Iterator[tuple[str, DecisionEvs]]:
    """Yields the name of the player and the values of every preflop decision of a hand of an ACPC log."""
    hand = scan_log_line(line)
    combos = [combo_index(*parse_cards(text)) for text in hand.hole_cards.split("|")]
    players, before, position = hand.names.split("|"), "", 1  # the button acts first, then they take turns
    for word in _ACTION.findall(hand.betting.split("/")[0]):
        yield players[position], table.at(before, combos[position], Action(word[0], int(word[1:] or 0)))
        before, position = before + word, 1 - position


@click.command()
@click.argument("log", type=click.Path(path_type=Path))
@click.option("--opponent", default="DeepStack", show_default=True, help="Leave this player out.")
@click.option("--aivat", "folder", type=click.Path(path_type=Path), help="Folder of results.NAME.csv.")
@click.option("--packs", type=click.Path(path_type=Path), help="Folder of packs [default: the shipped ones].")
def main(log: Path, opponent: str, folder: Path | None, packs: Path | None) -> None:
    """Prints what every player of LOG loses before the flop, and how the losses go with AIVAT."""
    started = time.perf_counter()
    table = preflop_evs([packs or default_packs()], load_gamedef())
    if table is None:
        raise InputError("there is no table of preflop values", source=str(packs or default_packs()))
    hands: dict[str, int] = defaultdict(int)
    losses: dict[str, list[tuple[float, float]]] = defaultdict(list)
    counted = translated = left_out = raises = 0
    for line in log.read_text().splitlines():
        if not line.startswith("STATE:"):
            continue
        for name in line.rsplit(":", 1)[1].split("|"):
            hands[name] += 1
        for name, found in decisions(table, line):
            taken = found.taken
            if name == opponent or taken is None:
                continue
            if isnan(taken.ev) or found.share < LEAST_SHARE:
                left_out += 1
                continue
            counted += 1
            raises += taken.action.kind == "r"
            translated += not taken.exact
            losses[name].append((max(0.0, found.best - taken.ev), found.mixed - taken.ev))
    aivat = {} if folder is None else _aivat(folder)
    rows = []
    for name, found_losses in losses.items():
        lost = np.array(found_losses).sum(axis=0) * 1000 / hands[name]
        rows.append((name, hands[name], float(lost[0]), float(lost[1]), aivat.get(name)))
    columns: tuple[Column | str, ...] = (
        "player",
        "hands",
        *(Column(key, text="{:.0f}".format) for key in ("loss", "less_than_ours")),
        "aivat",
    )
    rows.sort(key=lambda row: row[2])
    output_console().print(Table("players", "Preflop losses, mbb per hand", columns, tuple(rows)).rich())
    seconds = time.perf_counter() - started
    print(
        f"{counted:,} decisions in {seconds:.1f} s, {left_out} not graded, {translated} of {raises} raises translated"
    )
    together = sum(row[2] * row[1] for row in rows) / sum(row[1] for row in rows)
    print(f"all players: {together:.1f} mbb per hand")
    known = [row for row in rows if row[4] is not None]
    for least in (0, 500, 2500) if known else ():
        _, _, lost_by_best, signed, values = zip(*(row for row in known if row[1] >= least), strict=True)
        texts = [
            f"{what}: Pearson {pearsonr(each, values)[0]:.3f}, Spearman {spearmanr(each, values)[0]:.3f}"
            for what, each in (("loss", lost_by_best), ("less than ours", signed))
        ]
        print(f"{len(values)} players with {least} hands or more: {'; '.join(texts)}")


def _aivat(folder: Path) -> dict[str, float]:
    """Returns the mean AIVAT in mbb per hand by player."""
    found = {}
    for path in folder.glob("results.*.csv"):
        with path.open(newline="", errors="replace") as file:
            values = [float(row["AIVAT"]) for row in csv.DictReader(file)]
        found[path.name.removeprefix("results.").removesuffix(".csv")] = 10 * sum(values) / len(values)
    return found


if __name__ == "__main__":
    main()
