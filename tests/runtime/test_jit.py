"""runtime.jit: numba is configured before it is imported."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["solver.cfr.solver", "solver.cfr.layout", "solver.postflop.solver"])
def test_numba_is_configured_whichever_module_comes_first(module: str) -> None:
    """Imported before its settings, numba would cache beside the sources and miss edits in other files."""
    program = f"import {module}, numba, runtime.jit; assert numba.config.CACHE_DIR == str(runtime.jit.NUMBA_CACHE)"
    subprocess.run([sys.executable, "-c", program], check=True)
