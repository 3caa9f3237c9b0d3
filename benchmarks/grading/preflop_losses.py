"""What the players of a heads-up log lose by the grader, in mbb per hand, and how that goes with their AIVAT.

``python -m benchmarks.grading.preflop_losses LOG --opponent DeepStack [--aivat FOLDER] [--depth quick --every 30]``

Without ``--depth`` decisions before the flop are graded alone. ``--aivat`` names a folder of ``results.NAME.csv`` with
a column ``AIVAT`` in chips.
"""

from __future__ import annotations

import csv
import time
from collections import defaultdict
from pathlib import Path

import click
from scipy.stats import pearsonr, spearmanr

from benchmarks.common import run
from hedgehog.analysis.grading.graded import GradedHands
from hedgehog.analysis.grading.hand import GradedHand, HandGrader, hand_to_grade
from hedgehog.analysis.grading.leaks import leak_table
from hedgehog.analysis.grading.options import PASSES, GradeOptions
from hedgehog.analysis.grading.parts import open_our_player
from hedgehog.analysis.histories.hand_input import HandInput
from hedgehog.analysis.stats.estimate import mean_estimate
from hedgehog.cli.console import output_console
from hedgehog.runtime.table import Column, Table


@click.command()
@click.argument("log", type=click.Path(path_type=Path))
@click.option("--opponent", default="DeepStack", show_default=True, help="Leave this player out.")
@click.option("--aivat", "folder", type=click.Path(path_type=Path), help="Folder of results.NAME.csv.")
@click.option("--packs", type=click.Path(path_type=Path), help="Folder of packs [default: the shipped ones].")
@click.option("--depth", type=click.Choice(list(PASSES)), help="Solve turns and rivers, too.")
@click.option("--every", type=click.IntRange(1), default=1, show_default=True, help="Grade each Nth hand alone.")
def main(log: Path, opponent: str, folder: Path | None, packs: Path | None, depth: str | None, every: int) -> None:
    """Prints what every player of LOG loses, where, and how the losses go with AIVAT."""
    began, cpu = time.perf_counter(), time.process_time()
    grader = HandGrader(open_our_player(packs), {} if depth is None else PASSES[depth], preflop=True)
    by_player: dict[str, list[GradedHand]] = defaultdict(list)
    inputs = HandInput([log], None, None)
    for file in inputs.files:
        for number, entry in enumerate(inputs.read(file, hidden_cards=True)):
            for name in entry.hand.names.split("|"):
                given = None if name == opponent or number % every else hand_to_grade(log.name, entry, name)
                if given is not None:
                    by_player[name].append(grader.grade(given, name, opponent))
    known = {} if folder is None else aivat_of(folder)
    columns_of = {name: what for name, what in _COLUMNS.items() if depth is not None or what[1] is None}
    means: dict[str, list[float]] = {}
    for name, hands in by_player.items():
        found = GradedHands(GradeOptions(name), tuple(hands), ())
        means[name] = [found.mean(*what).mean for what in columns_of.values()]
    columns = [Column(name, text="{:.0f}".format) for name in (*columns_of, "aivat")]
    order = sorted(means, key=lambda name: means[name][0])
    rows = tuple((name, len(by_player[name]), *means[name], known.get(name)) for name in order)
    console = output_console()
    console.print(Table("players", "Losses, mbb per hand", ("player", "hands", *columns), rows).rich())
    everybody = GradedHands(GradeOptions("all"), tuple(hand for hands in by_player.values() for hand in hands), ())
    _print_all(everybody)
    console.print(leak_table(everybody.leaks()[:12]).rich())
    for least in (0, 500, 2500) if known else ():
        chosen = [name for name in order if name in known and len(by_player[name]) * every >= least]
        if len(chosen) < 3:
            continue
        values = [known[name] for name in chosen]
        texts = []
        for column, what in enumerate(columns_of):
            losses = [means[name][column] for name in chosen]
            pearson, spearman = pearsonr(losses, values)[0], spearmanr(losses, values)[0]
            texts.append(f"{what}: Pearson {pearson:.3f}, Spearman {spearman:.3f}")
        print(f"{len(chosen)} players with {least} hands or more: {'; '.join(texts)}")
    print(f"{time.perf_counter() - began:.0f} s, {time.process_time() - cpu:.0f} s of processor time")


_COLUMNS = {
    "loss": ("loss_bb", None),
    "charge": ("baseline_bb", None),
    "versus": ("versus_bb", None),
    "preflop": ("loss_bb", "preflop"),
    "turn": ("loss_bb", "turn"),
    "river": ("loss_bb", "river"),
}


def _print_all(found: GradedHands) -> None:
    decisions = [d for d in found.decisions() if d.graded]
    before = [d for d in decisions if d.street == "preflop"]
    print(f"{len(found.hands):,} hands, {len(decisions):,} decisions graded, {len(before):,} of them before the flop")
    translated, raises, left_open = found.translated()
    print(f"{translated:,} of {raises:,} raises before the flop translated, {left_open:.1f} mbb per hand left open")
    for reason, number, naive in found.not_graded():
        print(f"not graded: {number:,} {reason} ({naive:+.1f} mbb per hand)")
    sure = [max(0.0, (d.loss_bb or 0.0) - (d.error_bb or 0.0)) for d in before]
    print(f"preflop beyond the error: {1000 * sum(sure) / len(found.hands):.1f} mbb per hand")
    for name in ("loss_bb", "versus_bb", "baseline_bb"):
        mean = found.mean(name)
        print(f"{name}: {mean.mean:.1f} +- {mean.half_width:.1f}")
    for name in ("luck_cards", "luck_opponent", "seam", "ungraded", "value", "result"):
        mean = mean_estimate([1000 * getattr(hand.terms, name) for hand in found.hands])
        print(f"{name}: {mean.mean:+.1f} +- {mean.half_width:.1f}")
    print(f"largest remainder: {max(abs(hand.terms.remainder) for hand in found.hands):.1g} BB")
    print(found.terms_line())


def aivat_of(folder: Path) -> dict[str, float]:
    """Returns the mean AIVAT in mbb per hand by player."""
    found = {}
    for path in folder.glob("results.*.csv"):
        with path.open(newline="", errors="replace") as file:
            values = [float(row["AIVAT"]) for row in csv.DictReader(file)]
        found[path.name.removeprefix("results.").removesuffix(".csv")] = 10 * sum(values) / len(values)
    return found


if __name__ == "__main__":
    run(main)
