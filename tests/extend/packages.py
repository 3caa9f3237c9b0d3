"""Throw-away packages: a folder with modules and a dist-info folder is all that an installed package is."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "extend"
Install = Callable[[str, Mapping[str, Mapping[str, str]], Mapping[str, str]], None]
"""The fixture ``install``: takes the name of a package, its entry points by group, and its modules."""
SPOT = """\
spot: little river
board: Td 9d 6h Qc 2s
pot: 100
stack: 300
range: {oop: "AA,T9s,76s:0.5,KdJd", ip: "QQ,AQs,87s,Ad2d:0.25"}
sizes:
  river: {oop: "50%,a/a", ip: "50%,a/a"}
"""


def install(
    folder: Path, package: str, entry_points: Mapping[str, Mapping[str, str]], modules: Mapping[str, str]
) -> None:
    """Puts a package into a folder of the search path.

    :param entry_points: group -> name -> ``module:attribute``.
    :param modules: name of a module -> its source.
    """
    info = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [
        line
        for group, points in entry_points.items()
        for line in (f"[{group}]", *(f"{name} = {where}" for name, where in points.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    for name, source in modules.items():
        (folder / f"{name}.py").write_text(source)


def run_example(name: str, folder: Path) -> list[str]:
    """Runs an example in a folder, with warnings as errors and without further packages; returns what it prints."""
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py")],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(EXAMPLES.parents[2])},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert list(folder.iterdir()) == []
    return done.stdout.splitlines()
