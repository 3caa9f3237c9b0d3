"""What the page may ask of limit packs: a table of two or three players, and who answers there."""

from __future__ import annotations

from typing import Final, NamedTuple

from hedgehog.agent.limit.options import WAYS
from hedgehog.strategies.limit_pack import limit_packs

TRAINED: Final = "trained"
"""The strategy that was trained for the players of the table."""
GRAFT: Final = "graft"
"""The strategy trained for three players, until a street starts with two of them: then that for two players."""
LIMIT3: Final = "limit3"
"""The strategy trained for three players, until somebody folds: then :data:`MAPPED` decisions of that for two."""
MAPPED: Final = "hbb2"
MOST_NEAREST: Final = 15
"""Most candidates that a mapping averages on the page."""


class Asked(NamedTuple):
    """Who is asked."""

    path: str
    """A limit pack, or a folder with one for each number of players."""
    players: int
    by: str
    """One of :func:`answerers`."""
    nearest: int = 1
    """Number of candidates that a mapping averages."""
    by_distance: bool = False
    """Whether nearer candidates weigh more."""


def answerers(path: str, players: int) -> list[str]:
    """Returns who can answer at a table of so many players, by the limit packs at a path.

    :raises PackError: if there is no pack, or a manifest is damaged.
    """
    found = limit_packs(path)
    mine = [TRAINED] if players in found else []
    if players == 3 and 2 in found:
        mine += [*([GRAFT, LIMIT3] if mine else []), *WAYS]
    return mine
