"""hedgehog.runtime.jit: numba is configured before it is imported."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "module", ["hedgehog.solver.cfr.solver", "hedgehog.solver.cfr.layout", "hedgehog.solver.postflop.solver"]
)
def test_numba_is_configured_whichever_module_comes_first(module: str) -> None:
    """Imported before its settings, numba would cache beside the sources and miss edits in other files."""
    program = f"import {module}, numba, hedgehog.runtime.jit; assert numba.config.CACHE_DIR == str(hedgehog.runtime.jit.NUMBA_CACHE)"
    subprocess.run([sys.executable, "-c", program], check=True)
