"""Runs one part of :mod:`tests.verification.kernels.runs` without numba.

``python -m tests.verification.kernels.in_python PART IN OUT`` reads tables from IN and writes the results to OUT.

``NUMBA_DISABLE_JIT=1`` must be in the environment. Python raises an error for an index outside an array, where compiled
code would read other memory.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np


def save_tables(path: Path) -> None:
    """Writes the tables that take minutes to make in Python."""
    from hedgehog.poker.evaluation.evaluator import evaluator_tables
    from hedgehog.poker.isomorphism import board_classes

    tables = {f"ranks_{name}": array for name, array in evaluator_tables()._asdict().items()}
    for size in (3, 4):
        tables |= {f"{size}_{name}": array for name, array in board_classes(size)._asdict().items()}
    np.savez(path, **tables)


def _use_tables(path: Path) -> None:
    from hedgehog.poker import isomorphism
    from hedgehog.poker.evaluation import evaluator

    with np.load(path) as archive:
        ranks = evaluator.EvaluatorTables(*(archive[f"ranks_{name}"] for name in evaluator.EvaluatorTables._fields))
        fields = isomorphism.BoardClasses._fields
        classes = {size: isomorphism.BoardClasses(*(archive[f"{size}_{name}"] for name in fields)) for size in (3, 4)}
    evaluator.evaluator_tables = lambda: ranks  # type: ignore[assignment]
    isomorphism.board_classes = classes.__getitem__  # type: ignore[assignment]


def main(part: str, tables: Path, results: Path) -> None:
    # Each call must come before the import of the modules that use what it replaces.
    from tests.verification.kernels import numbers_in_python

    numbers_in_python.install()
    from tests.verification.kernels import simd_in_python

    simd_in_python.install()
    _use_tables(tables)
    from tests.verification.kernels.runs import RUNS

    found = {}
    with np.errstate(all="ignore"):
        for name, run in RUNS[part].items():
            found |= {f"{name} {i}": np.asarray(array) for i, array in enumerate(run())}
    np.savez(results, **found)


if __name__ == "__main__":
    main(sys.argv[1], *map(Path, sys.argv[2:]))
