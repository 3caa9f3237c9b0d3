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

from hedgehog.runtime.engines.dask_engine import DaskEngine
from hedgehog.runtime.engines.local import LocalEngine
from hedgehog.runtime.engines.running import run_jobs
from hedgehog.runtime.errors import InputError, MemoryShortageError
from hedgehog.solver.blueprint.table import preflop_lines
from hedgehog.solver.packs.blueprint import blueprint_of_pack
from hedgehog.solver.packs.jobs import Arrays, Job
from hedgehog.solver.packs.quick_flops import QuickFlopConfig, job_arrays, open_build
from hedgehog.strategies.blueprint_pack import BlueprintTable
from hedgehog.strategies.quick_flop_streams import canonical_hands, line_decisions


class DrawnRows:
    """Draws rows at random. They depend on line and class only, and are equal for hands that the suits make equal."""

    def __init__(self, config: QuickFlopConfig, table: BlueprintTable) -> None:
        self._table = table
        self._first = {line.betting: line.node for line in preflop_lines(blueprint_of_pack(self._table))}

    def __call__(self, job: Job) -> Arrays:
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

    def __call__(self, job: Job) -> Arrays:
        self.count += 1
        marker = self.folder / "died"
        if self.count == 2 and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(job)


class AlwaysDies(DrawnRows):
    """A refiner that kills its process on every flop."""

    def __call__(self, job: Job) -> Arrays:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


class Refuses(DrawnRows):
    """A refiner that raises InputError."""

    def __call__(self, job: Job) -> Arrays:
        raise InputError("no such flop")


class LacksMemory(DrawnRows):
    """A refiner that needs more memory than there is."""

    def __call__(self, job: Job) -> Arrays:
        raise MemoryShortageError(3e9, 1e9)


class Slow(_InFolder):
    """A refiner that leaves marker files for its processes, and waits for a file ``go`` once three flops are stored."""

    def __call__(self, job: Job) -> Arrays:
        (self.folder / f"worker-{os.getpid()}").touch()
        if len(list(job.path.parent.parent.glob("*/*.npz"))) >= 3:
            (self.folder / "slow").touch()
            deadline = time.monotonic() + 120
            while not (self.folder / "go").exists() and time.monotonic() < deadline:
                time.sleep(0.05)
        return super().__call__(job)


class Greedy(_InFolder):
    """A refiner that once takes more memory than its worker may have, and waits until it is killed for that."""

    def __call__(self, job: Job) -> Arrays:
        marker = self.folder / "greedy"
        if not marker.exists():
            marker.touch()
            taken = np.ones(200_000_000)
            time.sleep(120)
            raise AssertionError(taken[0])
        return super().__call__(job)


def main() -> None:
    """Builds slowly, so that a test can kill it.

    The arguments are the folder of the configuration, its JSON, and perhaps the address of a dask scheduler.
    """
    from tests.solver.quick_flop_fixtures import Slow as OfThisModule  # workers cannot find it in __main__

    folder, text, *dask = sys.argv[1:]
    build = open_build(QuickFlopConfig.model_validate_json(text), Path(folder), Path(folder) / "work")
    with DaskEngine(dask[0]) if dask else LocalEngine(2) as engine:
        run_jobs(replace(build, open_refiner=OfThisModule), engine)


if __name__ == "__main__":
    main()
