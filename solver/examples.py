"""The example spots that come with Hedgehog, in a checkout in ``docs/examples/spots``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hedgehog.runtime.packages import ROOT

PACKAGED: Final = Path("cli") / "example_spots"
"""Where a wheel has the files; pyproject.toml puts them there."""


def example_spots() -> dict[str, Path]:
    """Returns the files of the example spots by name, such as ``river``; they are there from any folder."""
    folders = (ROOT / "docs" / "examples" / "spots", ROOT / PACKAGED)
    return {file.stem: file for folder in folders for file in sorted(folder.glob("*.yaml"))}
