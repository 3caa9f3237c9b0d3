"""Blueprints kept while a training runs, at times that double, and the rule that ends it by comparing them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from solver.blueprint.card_abstraction import CardAbstraction
from solver.blueprint.match import MatchResult, compare_blueprints
from solver.blueprint.report import gate_faults
from solver.blueprint.table import Blueprint, load_blueprint

UNIT_SECONDS: Final = 60.0
"""Snapshots are named and doubled in minutes of training."""
STOP_BOARDS: Final = 300
"""Boards of the comparison: a standard error of 2 to 3 mbb per hand."""
_NAME: Final = re.compile(r"blueprint-([0-9]{3,6})\.npz")


@dataclass(frozen=True, slots=True)
class StopRule:
    """When a training has converged well enough."""

    mbb: float
    """Most that the blueprint may win against the one of half the training time, in mbb per hand."""
    gate: bool = True
    """Whether its preflop frequencies must be sound, too."""

    def is_met(self, head_to_head: MatchResult, blueprint: Blueprint) -> bool:
        """Whether training may stop."""
        return head_to_head.mbb_per_hand < self.mbb and not (self.gate and gate_faults(blueprint))


def snapshot_path(folder: Path, number: int) -> Path:
    """Returns the file of the snapshot after ``number`` minutes."""
    return folder / f"blueprint-{number:03d}.npz"


def snapshots_in(folder: Path) -> dict[int, Path]:
    """Returns the snapshots of a folder: minutes of training -> file, ascending."""
    found = {int(match[1]): path for path in folder.glob("*") if (match := _NAME.fullmatch(path.name))}
    return dict(sorted(found.items()))


def next_mark(seconds: float, unit_seconds: float = UNIT_SECONDS) -> int:
    """Returns the first power of two that is more units than ``seconds``."""
    number = 1
    while number * unit_seconds <= seconds:
        number *= 2
    return number


def compare_with_half(
    blueprint: Blueprint, number: int, folder: Path, abstraction: CardAbstraction, boards: int = STOP_BOARDS
) -> MatchResult | None:
    """Plays a blueprint against the snapshot of half its time; None if there is no such snapshot.

    :raises InputError: if the snapshot is damaged or of another game.
    """
    half = snapshot_path(folder, number // 2)
    if number < 2 or not half.exists():
        return None
    return compare_blueprints(blueprint, load_blueprint(half), abstraction, boards)
