"""Kernels give the same numbers compiled and run by Python, which checks every index."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.verification.kernels.in_python import save_tables
from tests.verification.kernels.runs import RUNS

ROOT = Path(__file__).parents[3]


def by_python(part: str, folder: Path) -> dict[str, NDArray[np.generic]]:
    save_tables(folder / "tables.npz")
    command = [
        sys.executable,
        "-m",
        "tests.verification.kernels.in_python",
        part,
        folder / "tables.npz",
        folder / "results.npz",
    ]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=True, timeout=1200)
    with np.load(folder / "results.npz") as archive:
        return dict(archive)


@pytest.mark.parametrize("part", ["quick", pytest.param("slow", marks=pytest.mark.slow)])
def test_compiled_kernels_compute_what_python_does(part: str, tmp_path: Path) -> None:
    found_by_python = by_python(part, tmp_path)
    compared = 0
    for name, run in RUNS[part].items():
        for i, array in enumerate(run()):
            found, expected = np.asarray(array), found_by_python[f"{name} {i}"]
            # Sums in another order or fused differ in the last bits of a float32.
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6, err_msg=f"{name} {i}")
            compared += 1
    assert compared == len(found_by_python) > 50
