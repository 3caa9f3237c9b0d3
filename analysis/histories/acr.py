"""Reads hands in the text format of Americas Cardroom (ACR) and its network (WPN): two players, no-limit hold'em.

A hand starts with a line ``Hand #ID - Holdem (No Limit) - SB/BB - DATE``, in tournaments ``Game Hand #ID - Tournament
#ID - Holdem (No Limit) - Level N (SB/BB) - DATE``. No colon stands after names, the total of the pot is what is left
after rake and jackpot fee, and who wins without a showdown stands in the summary alone.
"""

from __future__ import annotations

import re
from typing import ClassVar, Final

from hedgehog.analysis.histories.site_reader import MONEY, SiteReader

_START: Final = re.compile(r"(?:Game )?Hand #([0-9]{1,19}) -(.*)")
_NO_LIMIT: Final = r" Holdem ?\(No Limit\) -"
_GAME: Final = re.compile(rf".*{_NO_LIMIT} (?:Level [0-9]+ \({MONEY}/{MONEY}\) ?|{MONEY}/{MONEY}(?:, Ante \S+)? )-.*")


class AcrReader(SiteReader):
    """Reads the lines of one hand of Americas Cardroom."""

    start = _START
    first_line = "Hand #ID - ..."
    no_limit = re.compile(_NO_LIMIT)
    game = _GAME
    blinds_form = "SB/BB"
    seat_line = re.compile(rf"Seat [0-9]{{1,2}}: (.+) \({MONEY}\)(.*)")
    post = re.compile(rf"posts (?:(the small blind|the big blind|ante|dead) )?{MONEY}(?: and is all-in)?")
    live_posts: ClassVar = {"the small blind": "small", "the big blind": "big", "dead": "both", "": "both"}
    left_out: ClassVar = {"BombPot": "a bomb pot"}
    after_name = " "
