"""Reads hands in the text format of Americas Cardroom (ACR) and its network (WPN): two players, no-limit hold'em.

A hand starts with a line ``Hand #ID - Holdem (No Limit) - SB/BB - DATE``, in tournaments ``Game Hand #ID - Tournament
#ID - Holdem (No Limit) - Level N (SB/BB) - DATE``. No colon stands after names, the total of the pot is what is left
after rake and jackpot fee, and who wins without a showdown stands in the summary alone.
"""

from __future__ import annotations

import re
from typing import ClassVar, Final

from hedgehog.analysis.histories.left_out import Block, LeftOutError
from hedgehog.analysis.histories.real_hands import RealHand
from hedgehog.analysis.histories.site_reader import MONEY, OTHER_GAME, SHOWN, SiteReader, parse_block
from hedgehog.runtime.errors import LogError

_START: Final = re.compile(r"(?:Game )?Hand #([0-9]{1,19}) -(.*)")
_NO_LIMIT: Final = r" Holdem ?\(No Limit\) -"
_GAME: Final = re.compile(rf".*{_NO_LIMIT} (?:Level [0-9]+ \({MONEY}/{MONEY}\) ?|{MONEY}/{MONEY}(?:, Ante \S+)? )-.*")


def is_start(line: str) -> bool:
    """Returns True if a line is the first one of a hand."""
    return _START.match(line) is not None


def parse_acr(block: Block) -> RealHand:
    """Returns the hand in the lines of a block.

    :raises LeftOutError: if the hand is another game than no-limit hold'em between exactly two players with one board,
        or its table has a cap.
    :raises LogError: if the hand is malformed or its chips do not add up; ``line`` is the number of the line at fault.
    """
    return parse_block(block, AcrReader())


class AcrReader(SiteReader):
    """Reads the lines of one hand of Americas Cardroom."""

    seat_line = re.compile(rf"Seat [0-9]{{1,2}}: (.+) \({MONEY}\)(.*)")
    post = re.compile(rf"posts (?:(the small blind|the big blind|ante|dead) )?{MONEY}(?: and is all-in)?")
    live_posts: ClassVar = {"the small blind": "small", "the big blind": "big", "dead": "both", "": "both"}
    left_out: ClassVar = {"BombPot": "a bomb pot"}
    after_name = " "

    def take_first(self, line: str) -> None:
        match = _START.fullmatch(line)
        if match is None:
            raise LogError(f"expected 'Hand #ID - ...', got {line[:SHOWN]!r}")
        self.set_hand(match[1])
        if not re.search(_NO_LIMIT, line):
            raise LeftOutError(OTHER_GAME)
        game = _GAME.fullmatch(match[2])
        if game is None:
            raise LogError(f"expected the blinds as SB/BB, got {line[:SHOWN]!r}")
        self.set_blinds(game[1] or game[3], game[2] or game[4])
