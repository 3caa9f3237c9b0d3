"""Where the packages of Hedgehog are."""

from __future__ import annotations

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
"""The folder that holds the packages."""
PACKAGES: Final = ("runtime", "poker", "strategies", "solver", "agent", "dealer", "arena", "analysis", "cli")
"""Every package, from the lowest to the highest: each imports only from those before it."""
