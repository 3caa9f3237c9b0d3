"""Reasons not to release a checkout: a dirty tree, a changelog without a section for the version, stale figures."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import yaml

DATE: Final = re.compile(r"\b20\d\d-\d\d-\d\d\b(?!-\w)")
"""A date, but not the one in the name of a page of the notebook."""
PLAYS: Final = re.compile(r"hedgehog\s+(?:match|tournament|lbr|audit|endgame|pack\s+exploit|game\s+freezeout)\b")
"""Commands whose figures depend on the shipped packs, if they name no other pack."""
OURS: Final = ("blueprint", "quick-flops")
"""The packs of the player ``default`` in the default game."""
LIMIT: Final = re.compile(r"\bholdem\.limit\.|\bthree-players\b")
"""Names of limit games and of tournaments of such games."""
OURS_IN_LIMIT: Final = ("limit-2p", "limit-3p")
"""The packs of the shipped players of limit games."""


def refusals(root: Path) -> list[str]:
    """Returns a line for every reason not to release the checkout at ``root``."""
    return [*dirty(root), *unreleased(root), *stale_figures(root)]


def dirty(root: Path) -> Iterator[str]:
    """Yields a line if the working tree differs from its commit."""
    command = ["git", "-C", str(root), "status", "--porcelain"]
    changed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    if changed:
        yield f"the working tree has {len(changed)} changes that are not committed, such as {changed[0].strip()}"


def unreleased(root: Path) -> Iterator[str]:
    """Yields a line if the version is none of a release, or the changelog begins with another section."""
    version = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        yield f"pyproject.toml: version {version} is none of a release, expected N.N.N"
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = re.search(r"^## (.*)$", text, flags=re.MULTILINE)
    found = heading[1] if heading else "nothing"
    if not re.fullmatch(rf"{re.escape(version)} \(20\d\d-\d\d-\d\d\)", found):
        yield f"CHANGELOG.md: the first section is {found!r}, expected '{version} (YYYY-MM-DD)'"


def stale_figures(root: Path) -> Iterator[str]:
    """Yields a line for every passage of the guide whose figures are older than the packs that gave them.

    A passage is a paragraph, list or table, with the one before it if it is a table. It counts if it names a command
    that plays the shipped packs, and a date. The packs are those that it names, else those of the shipped players of
    limit games if it names such a game, else those of the player ``default``.
    """
    dates = pack_dates(root / "strategies" / "packs")
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        for line, passage in passages(page.read_text(encoding="utf-8")):
            measured = DATE.findall(passage)
            if not measured or not PLAYS.search(passage):
                continue
            played = OURS_IN_LIMIT if LIMIT.search(passage) else OURS
            named = [name for name in dates if re.search(rf"\b{re.escape(name)}(?![\w-])", passage)] or played
            newest = max((dates[name] for name in named if name in dates), default="")
            if max(measured) < newest:
                place = page.relative_to(root)
                yield f"{place}:{line}: figures of {max(measured)}, but the packs are of {newest}"


def passages(text: str) -> Iterator[tuple[int, str]]:
    """Yields the passages of a page with the numbers of their first lines."""
    start, number, kept = 1, 1, ""
    for part in re.split(r"(\n\s*\n)", text):
        if part.strip():
            if not (kept and part.lstrip().startswith("|")):
                if kept:
                    yield start, kept
                start, kept = number, part
            else:
                kept += "\n" + part
        number += part.count("\n")
    if kept:
        yield start, kept


def pack_dates(folder: Path) -> dict[str, str]:
    """Returns the date on which each pack of a folder was made, by the name of its folder."""
    found = {}
    for manifest in folder.glob("*/manifest.yaml"):
        # The whole manifest can be long; its provenance stands near its head.
        head = manifest.read_text(encoding="utf-8").split("\nconfig:")[0]
        found[manifest.parent.name] = str(yaml.safe_load(head)["provenance"]["date"])
    return found
