"""hedgehog.runtime.jit: numba is configured before it is imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "module", ["hedgehog.solver.cfr.solver", "hedgehog.solver.cfr.layout", "hedgehog.solver.postflop.solver"]
)
@pytest.mark.quick_cases("hedgehog.solver.postflop.solver")
def test_numba_is_configured_whichever_module_comes_first(module: str) -> None:
    """Imported before its settings, numba would cache beside the sources and miss edits in other files."""
    program = f"import {module}, numba; from hedgehog.runtime import jit; "
    program += "assert numba.config.CACHE_DIR == str(jit.NUMBA_CACHE)"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.slow
def test_a_numba_without_the_classes_that_our_cache_extends_keeps_kernels_by_itself(tmp_path: Path) -> None:
    (tmp_path / "tiny.py").write_text("from hedgehog.runtime.jit import njit\n@njit\ndef twice(x):\n    return 2 * x\n")
    program = "import numba.core.caching as caching; del caching.CompileResultCacheImpl; import tiny; "
    program += "print(tiny.twice(4), sum(tiny.twice.stats.cache_hits.values()))"
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": f"{tmp_path}:{ROOT}"}
    for hits in (0, 1):
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["8", str(hits)]
