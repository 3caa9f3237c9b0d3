"""Published results against the opponents on the internet, in big blinds per 100 hands, with the day they were read.

They are shown beside a result of the same opponent, never beside one of another server.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from hedgehog.interop.http.book import BENCHMARK, SLUMBOT


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """What somebody has won from an opponent."""

    who: str
    bb_per_100: float
    error: float | None
    """Half the width of the interval as published; None if none is."""
    hands: int | None
    read: str
    """Day on which it was read, and where it was published."""


_PAPER: Final = "2026-03, arXiv:2603.23660 table 2, by AIVAT"
_BOARD: Final = "2026-10-09, leaderboard, by AIVAT; ± is its standard deviation"

PUBLISHED: Final[dict[str, tuple[PublishedResult, ...]]] = {
    BENCHMARK: (
        PublishedResult("always fold", -64.6, 3.3, None, _PAPER),
        PublishedResult("always call", -241.1, 26.2, None, _PAPER),
        PublishedResult("always all-in", -380.6, 4.3, None, _PAPER),
        PublishedResult("GPT-5.3", -16.0, 3.0, 5000, _PAPER.replace(" table 2", "")),
        PublishedResult("best entry", -2.96, 0.46, 200_002, _BOARD),
    ),
    SLUMBOT: (
        PublishedResult("GTO Wizard AI", 19.4, 4.1, 150_000, "2026-03, arXiv:2603.23660"),
        PublishedResult("Supremus", 17.6, 4.4, 150_000, "2020-07, arXiv:2007.10442"),
        PublishedResult("ReBeL", 4.5, 0.5, None, "2020-07, arXiv:2007.13544; ± is a standard deviation"),
    ),
}
_HOSTS: Final = {BENCHMARK: "researcher.gtowizard.com", SLUMBOT: "slumbot.com"}


def published_results(address: str, protocol: str) -> tuple[PublishedResult, ...]:
    """Returns the published results against the opponent at an address; none if it is another opponent.

    :param address: address of the server.
    :param protocol: ``slumbot`` or ``benchmark``.
    """
    host = (urlsplit(address).hostname or "").removeprefix("www.")
    return PUBLISHED[protocol] if host == _HOSTS[protocol] else ()
