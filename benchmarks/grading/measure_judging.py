"""Compares raw results, EVAT and DIVAT on logs of limit matches, the table of docs/notebook/2026-11-22-judging.md.

    python -m benchmarks.grading.measure_judging LOG...

A row per pair of players: mean and standard deviation per hand of each measure, and the share of blocks of 20 hands in
which the measure has the sign of the raw result of all hands.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click
import numpy as np

from benchmarks.common import print_markdown, run
from hedgehog.analysis.histories.hand_files import open_hand_file
from hedgehog.analysis.judging.judge import Judge
from hedgehog.analysis.judging.judges import DIVAT, EVAT, RESULT
from hedgehog.analysis.judging.session import SessionReport
from hedgehog.analysis.judging.sessions import JudgeOptions, Sessions

BLOCK: Final = 20


@click.command()
@click.argument("paths", metavar="LOG...", type=click.Path(path_type=Path), nargs=-1, required=True)
def main(paths: tuple[Path, ...]) -> None:
    """Print a row for every pair of players and measure."""
    sessions = Sessions(Judge(), JudgeOptions(num_costly=0))
    started = time.process_time()
    for path in paths:
        file = open_hand_file(path)
        for entry in file.hands():
            sessions.add(file, entry)
    reports = [session.report() for session in sessions.finish()]
    seconds = time.process_time() - started
    head = ["players", "measure", "SB per hand", "SD", f"blocks of {BLOCK} with the right sign"]
    print_markdown(head, _rows(reports))
    hands = sum(report.hands for report in reports)
    click.echo(f"{hands:,} hands, {hands / seconds:,.0f} hands per second of CPU time")


def _rows(reports: Sequence[SessionReport]) -> Iterator[list[str]]:
    for report in reports:
        sign = np.sign(report.measure(RESULT).total)
        for name in (RESULT, EVAT, DIVAT):
            ends = report.curves[name][BLOCK - 1 :: BLOCK]
            blocks = np.diff(ends, prepend=0.0)
            right = np.count_nonzero(np.sign(blocks) == sign) / len(blocks)
            one = report.measure(name).per_hand
            mean = f"{one.mean:+.3f} ± {one.half_width:.3f}"
            yield [f"{report.player}, {report.opponent}", name, mean, f"{one.sd:.2f}", f"{right:.0%}"]


if __name__ == "__main__":
    run(main)
