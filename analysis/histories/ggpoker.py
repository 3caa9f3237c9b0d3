"""Reads hands in the text format of GGPoker: two players, no-limit hold'em.

A hand starts with a line ``Poker Hand #HD123: Hold'em No Limit (SB/BB) - DATE``. The letters before the number tell
tables apart (``RC`` Rush & Cash, ``TM`` and ``SG`` tournaments). The format is that of PokerStars, except for fees
besides the rake, which count as rake, and for posts of a missed blind, which are dead.
"""

from __future__ import annotations

import re
from typing import ClassVar, Final

from hedgehog.analysis.histories.site_reader import MONEY, SiteReader

_START: Final = re.compile(r"Poker Hand #[A-Za-z]{0,8}_?([0-9]{1,19}):(.*)")
_NO_LIMIT: Final = r"(?:Hold'em|NLH) No Limit"
_GAME: Final = re.compile(
    rf" *(?:{_NO_LIMIT} *|Tournament #[0-9]+, .*{_NO_LIMIT} *- *Level *[0-9]+ *)"
    rf"\({MONEY}/{MONEY}(?: [^()]*)?(?: *\([^()]*\))?\).*"  # a tournament may have its ante in brackets
)


class GGPokerReader(SiteReader):
    """Reads the lines of one hand of GGPoker."""

    start = _START
    first_line = "Poker Hand #ID: ..."
    no_limit = re.compile(_NO_LIMIT)
    game = _GAME
    blinds_form = "(SB/BB)"
    seat_line = re.compile(rf"Seat [0-9]{{1,2}}: (.+) \({MONEY} in chips\)(.*)")
    post = re.compile(rf"posts (small blind|big blind|missed blind|the ante) {MONEY}(?: and is all-in)?")
    live_posts: ClassVar = {"small blind": "small", "big blind": "big"}
    left_out: ClassVar = {"Cash Drop to Pot": "chips of the site in the pot"}
