"""What takes long to import is not imported before a command needs it."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "spared"),
    [
        ("hedgehog.cli.main", ("numpy", "scipy", "matplotlib", "numba", "jinja2")),
        ("hedgehog.cli.arena.match", ("scipy", "matplotlib", "numba", "pydantic")),
        ("hedgehog.cli.arena.play", ("scipy", "matplotlib", "numba", "pydantic", "yaml", "rich")),
        ("hedgehog.cli.arena.dealer", ("scipy", "matplotlib", "numba", "pydantic", "yaml", "rich")),
    ],
)
def test_slow_imports_wait(module: str, spared: tuple[str, ...]) -> None:
    code = f"import sys, {module}; print(*sorted({set(spared)!r} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.split() == []
