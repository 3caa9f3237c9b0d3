"""How long grading takes, before any of it is done."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hedgehog.analysis.grading.hand import HandGrader, HandToGrade
from hedgehog.analysis.grading.options import PASSES
from hedgehog.analysis.grading.parts import open_our_player
from hedgehog.poker.streets import RIVER, STREETS, TURN
from hedgehog.runtime.table import Column, Table

SAMPLE: Final = 4
"""Hands of each street that are graded to find out how long one takes."""


def estimate_table(hands: Sequence[HandToGrade], packs: Path | None, jobs: int) -> Table:
    """Returns for each depth how many streets are solved, and how long that takes.

    A few hands that are spread evenly over all of them are graded, so the first call compiles.

    :param packs: packs of our player; None: the shipped ones.
    :param jobs: number of processes.
    """
    player = open_our_player(packs)
    by_street = {street: [given for given in hands if _acts_on(given, street)] for street in (TURN, RIVER)}
    rows = []
    for depth, passes in PASSES.items():
        seconds = {}
        for street, given in by_street.items():
            sample = given[:: max(1, len(given) // SAMPLE)][:SAMPLE]
            grader = HandGrader(player, {street: passes[street]})
            if sample:
                grader.grade(sample[0], "", "")  # loads what the first solve needs
            began = time.perf_counter()
            for one in sample:
                grader.grade(one, "", "")
            seconds[street] = (time.perf_counter() - began) / max(len(sample), 1) * len(given)
        total = sum(seconds.values()) / jobs
        rows.append((depth, *(len(by_street[s]) for s in by_street), *(seconds[s] / jobs for s in seconds), total))

    def minutes(value: float) -> str:
        return f"{value / 60:.1f} min"

    columns = [
        Column("depth"), *(Column(f"{STREETS[s]}s", f"{STREETS[s]}s") for s in by_street),
        *(Column(f"{STREETS[s]}_seconds", STREETS[s], text=minutes) for s in by_street),
        Column("seconds", "all", text=minutes),
    ]  # fmt: skip
    return Table("estimate", f"{len(hands):,} hands, {jobs} processes", columns, tuple(rows))


def _acts_on(given: HandToGrade, street: int) -> bool:
    """Tells whether the player, whose cards are known, acts on a street."""
    if not given.hand.hole_cards[given.position]:
        return False
    return any(
        state.round == street and state.acting_position == given.position for state, _ in given.hand.state.replay()
    )
