"""Reads hands in the text format of PokerStars: two players, no-limit hold'em.

A hand starts with a line ``PokerStars Hand #ID: ... Hold'em No Limit (SB/BB) ...``; words such as ``Zoom`` or ``Home
Game`` may stand before ``Hand``. The rest is what the formats of all sites have in common
(:mod:`hedgehog.analysis.histories.site_reader`).
"""

from __future__ import annotations

import re
from typing import ClassVar, Final

from hedgehog.analysis.histories.site_reader import MONEY, SiteReader

_START: Final = re.compile(r"PokerStars(?: [A-Za-z]+){0,3} (?:Hand|Game) #([0-9]{1,19}):(.*)", re.IGNORECASE)
_GAME: Final = re.compile(
    r" *(?:\{[^}]*\} *)?"  # club of a home game
    r"(?:Tournament #[0-9]+, .*|[^(]* \(|)"  # buy-in of a tournament; name of a game that changes
    rf"Hold'em No Limit(?:, |\)? *(?:- *[^(]*)?\(){MONEY}/{MONEY}(?: - {MONEY} Cap)?(?:[ -][^()]*)?\).*",
    re.IGNORECASE,
)
_NO_LIMIT: Final = re.compile(
    r"\A(?!.*\b(?:6\+|Split|Unfold|Showtime|Swap|Tempest|Fusion) Hold'em No Limit).*Hold'em No Limit", re.IGNORECASE
)


class PokerStarsReader(SiteReader):
    """Reads the lines of one hand of PokerStars."""

    start = _START
    first_line = "PokerStars Hand #ID: ..."
    no_limit = _NO_LIMIT
    game = _GAME
    blinds_form = "(SB/BB)"
    seat_line = re.compile(rf"Seat [0-9]{{1,2}}: (.+) \({MONEY} in chips(?:, [^()]* bounty)?\)(.*)")
    post = re.compile(rf"posts (small blind|big blind|small & big blinds|the ante) {MONEY}(?: and is all-in)?")
    left_out: ClassVar = {"Hand cancelled": "a cancelled hand"}
    live_posts: ClassVar = {"small blind": "small", "big blind": "big", "small & big blinds": "both"}
