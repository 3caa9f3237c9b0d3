"""Snapshots of a blueprint after 1, 2, 4, 8, ... minutes of training, and the stop rule that compares them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.match import MatchResult, compare_blueprints
from hedgehog.solver.blueprint.report import gate_faults
from hedgehog.solver.blueprint.table import Blueprint, load_blueprint

UNIT_SECONDS: Final = 60.0
"""Unit of training time in which snapshots are numbered: one minute."""
STOP_BOARDS: Final = 300
"""Number of boards of the comparison, which gives a standard error of 2 to 3 mbb per hand."""
_NAME: Final = re.compile(r"blueprint-([0-9]{3,6})\.npz")


@dataclass(frozen=True, slots=True)
class StopRule:
    """The rule by which a training has converged well enough."""

    mbb: float
    """The blueprint must win fewer than this many mbb per hand against the one of half the training time."""
    gate: bool = True
    """Whether its preflop frequencies must also be sound (:func:`hedgehog.solver.blueprint.report.gate_faults`)."""

    def is_met(self, head_to_head: MatchResult, blueprint: Blueprint) -> bool:
        """Returns whether training may stop.

        :param head_to_head: what the blueprint won against the one of half the training time.
        """
        return head_to_head.mbb_per_hand < self.mbb and not (self.gate and gate_faults(blueprint))


def snapshot_path(folder: Path, number: int) -> Path:
    """Returns the path of the snapshot after ``number`` minutes."""
    return folder / f"blueprint-{number:03d}.npz"


def snapshots_in(folder: Path) -> dict[int, Path]:
    """Returns the files of the snapshots in a folder by their minutes of training, ascending."""
    found = {int(match[1]): path for path in folder.glob("*") if (match := _NAME.fullmatch(path.name))}
    return dict(sorted(found.items()))


def next_mark(seconds: float, unit_seconds: float = UNIT_SECONDS) -> int:
    """Returns the number of the next snapshot: the smallest power of two that is more than ``seconds`` in units."""
    number = 1
    while number * unit_seconds <= seconds:
        number *= 2
    return number


def compare_with_half(
    blueprint: Blueprint, number: int, folder: Path, abstraction: CardAbstraction, boards: int = STOP_BOARDS
) -> MatchResult | None:
    """Returns what a blueprint wins against the snapshot of half its training time; None if there is no such snapshot.

    :param number: number of the blueprint's own snapshot.
    :param folder: folder of the snapshots.
    :param boards: number of boards of the comparison.
    :raises InputError: if the snapshot is damaged or of another menu or card abstraction.
    """
    half = snapshot_path(folder, number // 2)
    if number < 2 or not half.exists():
        return None
    return compare_blueprints(blueprint, load_blueprint(half), abstraction, boards)
