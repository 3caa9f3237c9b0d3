"""Stand-ins for the refiner of a quick flop build, which its worker processes import."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from runtime.errors import InputError, MemoryShortageError
from solver.blueprint.table import preflop_lines
from solver.packs.blueprint import blueprint_of_pack
from solver.packs.jobs import Arrays, Job, Report
from solver.packs.quick_flops import QuickFlopConfig, job_arrays, open_build
from solver.packs.workers import run_jobs
from strategies.blueprint_pack import BlueprintTable
from strategies.quick_flop_streams import canonical_hands, line_decisions


class DrawnRows:
    """Draws rows at random. They depend on line and class only, and are equal for hands that the suits make equal."""

    def __init__(self, config: QuickFlopConfig, table: BlueprintTable) -> None:
        self._table = table
        self._first = {line.line: line.node for line in preflop_lines(blueprint_of_pack(self._table))}

    def __call__(self, job: Job, report: Report) -> Arrays:
        return job_arrays(job, *self.draw(job.line, job.flop_class))

    def draw(self, betting: str, index: int) -> tuple[list[NDArray[np.float32]], list[float]]:
        """Returns the rows of every decision, and the figures that a job reports."""
        rng = np.random.default_rng([index, len(betting)])
        canonical = canonical_hands(index)
        canonical = canonical[canonical >= 0]
        actions = self._table.tree.num_children[line_decisions(self._table.tree, self._first[betting])]
        rows = [rng.dirichlet([0.5] * int(count), size=1326)[canonical].astype(np.float32) for count in actions]
        return rows, [1.0, 0.01, 0.1]


class _InFolder(DrawnRows):
    """A stand-in that exchanges marker files with its test in a folder, which the environment names."""

    folder: Path

    def __init__(self, config: QuickFlopConfig, table: BlueprintTable) -> None:
        super().__init__(config, table)
        self.folder = Path(os.environ["QUICK_FLOP_TEST_FOLDER"])


class DiesOnce(_InFolder):
    """A refiner that kills its process in the middle of its second flop, once."""

    count = 0

    def __call__(self, job: Job, report: Report) -> Arrays:
        self.count += 1
        marker = self.folder / "died"
        if self.count == 2 and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(job, report)


class AlwaysDies(DrawnRows):
    """A refiner that kills its process on every flop."""

    def __call__(self, job: Job, report: Report) -> Arrays:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


class Refuses(DrawnRows):
    """A refiner that raises InputError."""

    def __call__(self, job: Job, report: Report) -> Arrays:
        raise InputError("no such flop")


class LacksMemory(DrawnRows):
    """A refiner that needs more memory than there is."""

    def __call__(self, job: Job, report: Report) -> Arrays:
        raise MemoryShortageError(3e9, 1e9)


class Slow(_InFolder):
    """A refiner that leaves marker files for its process and its flops, and sleeps after the first three flops."""

    def __call__(self, job: Job, report: Report) -> Arrays:
        (self.folder / f"worker-{os.getpid()}").touch()
        if len(list(self.folder.glob("flop-*"))) >= 3:
            (self.folder / "slow").touch()
            time.sleep(60)
        (self.folder / f"flop-{job.line}-{job.flop_class}").touch()
        return super().__call__(job, report)


def main() -> None:
    """Builds slowly, so that a test can kill it; the arguments are the folder of the configuration, and its JSON."""
    folder, text = sys.argv[1:]
    build = open_build(QuickFlopConfig.model_validate_json(text), Path(folder), Path(folder) / "work")
    run_jobs(replace(build, open_refiner=Slow), 2, lambda _: None)


if __name__ == "__main__":
    main()
