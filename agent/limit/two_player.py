"""Opens the two-player limit strategy that is carried to the three-player table."""

from __future__ import annotations

from pathlib import Path

from agent.limit.triples import TripleTable
from runtime.errors import InputError


def open_two_player_table(path: Path | None) -> TripleTable:
    """Returns the strategy of a pack.

    :param path: a pack of the kind ``limit-blueprint``; None for the shipped one.
    """
    raise InputError("there is no two-player limit strategy yet")
