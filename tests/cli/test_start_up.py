"""What takes long to import is not imported before a command needs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("module", "spared"),
    [
        ("hedgehog.cli.main", ("numpy", "scipy", "matplotlib", "numba", "jinja2")),
        ("hedgehog.cli.upi.shell", ("click", "numpy", "scipy", "matplotlib", "numba", "pydantic", "yaml", "rich")),
        ("hedgehog.cli.arena.match", ("scipy", "matplotlib", "numba", "pydantic")),
        ("hedgehog.cli.table.play_here", ("scipy", "matplotlib", "numba", "pydantic")),
        ("hedgehog.cli.arena.play", ("scipy", "matplotlib", "numba", "pydantic", "yaml", "rich")),
        ("hedgehog.cli.arena.dealer", ("scipy", "matplotlib", "numba", "pydantic", "yaml", "rich")),
    ],
)
def test_slow_imports_wait(module: str, spared: tuple[str, ...]) -> None:
    code = f"import sys, {module}; print(*sorted({set(spared)!r} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.split() == []


def test_kernels_are_loaded_without_linear_algebra(tmp_path: Path) -> None:
    """numba's products of matrices work none the less."""
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "import numpy as np\n"
        "from hedgehog.poker.evaluation.evaluator import evaluator_tables\n"
        "evaluator_tables()\n"
        "print('scipy.linalg' in sys.modules)\n"
        "import numba\n"
        "product = numba.njit(lambda a, b: a @ b)\n"
        "print(product(np.array([[1.0, 2], [3, 4]]), np.array([[5.0, 6], [7, 8]])).tolist())\n"
    )
    command = [sys.executable, script]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout.splitlines() == ["False", "[[19.0, 22.0], [43.0, 50.0]]"]
