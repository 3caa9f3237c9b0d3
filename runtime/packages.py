"""The names of the packages of Hedgehog and the folder that holds them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
"""The folder that holds the packages."""
PACKAGES: Final = (
    "runtime", "poker", "strategies", "solver", "gametheory", "agent", "dealer", "arena", "analysis", "explorer",
    "cli",
)  # fmt: skip
"""Names of all packages, from the lowest to the highest: a package imports only from packages before it."""
