"""Compares raw results, EVAT and DIVAT on logs of limit matches, the table of docs/judging.md.

usage: .venv/bin/python docs/measure_judging.py LOG...

A row per pair of players: mean and standard deviation per hand of each measure, and the share of blocks of 20 hands in
which the measure has the sign of the raw result of all hands.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Final

import numpy as np

from hedgehog.analysis.histories.hand_files import open_hand_file
from hedgehog.analysis.judging.judge import Judge
from hedgehog.analysis.judging.session import DIVAT, EVAT, RESULT
from hedgehog.analysis.judging.sessions import Sessions

BLOCK: Final = 20


def main(paths: list[Path]) -> None:
    sessions = Sessions(Judge(), num_costly=0)
    started = time.process_time()
    for path in paths:
        file = open_hand_file(path)
        for entry in file.hands():
            sessions.add(file, entry)
    reports = [session.report() for session in sessions.finish()]
    seconds = time.process_time() - started
    print("| players | measure | SB per hand | SD | blocks of 20 with the right sign |")
    print("|---|---|---|---|---|")
    for report in reports:
        sign = np.sign(report.measure(RESULT).total)
        for name in (RESULT, EVAT, DIVAT):
            ends = report.curves[name][BLOCK - 1 :: BLOCK]
            blocks = np.diff(ends, prepend=0.0)
            right = np.count_nonzero(np.sign(blocks) == sign) / len(blocks)
            one = report.measure(name).per_hand
            cells = f"{one.mean:+.3f} ± {one.half_width:.3f} | {one.sd:.2f} | {right:.0%}"
            print(f"| {report.player}, {report.opponent} | {name} | {cells} |")
    hands = sum(report.hands for report in reports)
    print(f"{hands:,} hands, {hands / seconds:,.0f} hands per second of CPU time")


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
