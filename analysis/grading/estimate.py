"""How long grading takes, before any of it is done."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hedgehog.agent.pack_player import PackPlayer
from hedgehog.analysis.grading.hand import HandGrader, HandToGrade, decisions_of
from hedgehog.analysis.grading.options import PASSES, Pass
from hedgehog.analysis.grading.parts import open_our_player
from hedgehog.analysis.grading.spots import is_at
from hedgehog.poker.streets import FLOP, RIVER, STREETS, TURN
from hedgehog.runtime.table import Column, Table

SAMPLE: Final = 4
"""Hands of each street that are graded to find out how long one takes."""
FEW: Final = 20
"""Iterations of the solve of one flop that are timed."""
FLOP_ITERATIONS: Final = 120
"""Iterations that a flop takes, roughly."""


def estimate_table(
    hands: Sequence[HandToGrade], packs: Path | None, jobs: int, think_ms: int = 0, spot: str = ""
) -> Table:
    """Returns for each depth how many streets are solved, and how long that takes.

    A few hands that are spread evenly over all of them are graded, so the first call compiles.

    :param packs: packs of our player; None: the shipped ones.
    :param jobs: number of processes.
    :param think_ms: thinking time of our player.
    :param spot: words of the kind of decisions that are graded; empty: all.
    """
    player = open_our_player(packs, think_ms)
    by_street = {street: [given for given in hands if _acts_on(given, street, spot)] for street in (FLOP, TURN, RIVER)}
    rows, timed = [], {}
    for depth, passes in PASSES.items():
        seconds = {}
        for street, given in by_street.items():
            ways = passes.get(street, ())
            if (street, ways) not in timed:
                timed[street, ways] = _seconds(player, street, ways, given)
            seconds[street] = timed[street, ways] * len(given)
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


def _seconds(player: PackPlayer, street: int, ways: tuple[Pass, ...], hands: Sequence[HandToGrade]) -> float:
    """Returns how long it takes to grade one of the hands on a street."""
    if not ways or not hands:
        return 0.0
    scale, sample = 1.0, hands[:: max(1, len(hands) // SAMPLE)][:SAMPLE]
    if street == FLOP:  # one of them takes minutes, so the first iterations must do
        scale, sample = FLOP_ITERATIONS / FEW, sample[len(sample) // 2 :][:1]
        ways = tuple(way._replace(target_pct=0.0, most_iterations=FEW) for way in ways)
    grader = HandGrader(player, {street: ways})
    if street != FLOP:
        grader.grade(sample[0], "", "")  # loads what the first solve needs
    began = time.perf_counter()
    for one in sample:
        grader.grade(one, "", "")
    return scale * (time.perf_counter() - began) / len(sample)


def _acts_on(given: HandToGrade, street: int, spot: str) -> bool:
    """Tells whether a decision of the player, whose cards are known, is graded on a street."""
    if not given.hand.hole_cards[given.position] or (street == FLOP and given.borrowed):
        return False
    return any(d.street == STREETS[street] and is_at(d, spot) for d in decisions_of(given))
