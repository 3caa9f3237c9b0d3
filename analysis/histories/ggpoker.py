"""Reads hands in the text format of GGPoker: two players, no-limit hold'em.

A hand starts with a line ``Poker Hand #HD123: Hold'em No Limit (SB/BB) - DATE``. The letters before the number tell
tables apart (``RC`` Rush & Cash, ``TM`` and ``SG`` tournaments). The format is that of PokerStars, except for fees
besides the rake, which count as rake, and for posts of a missed blind, which are dead.
"""

from __future__ import annotations

import re
from typing import ClassVar, Final

from hedgehog.analysis.histories.left_out import Block, LeftOutError
from hedgehog.analysis.histories.real_hands import RealHand
from hedgehog.analysis.histories.site_reader import MONEY, OTHER_GAME, SHOWN, SiteReader, parse_block
from hedgehog.runtime.errors import LogError

_START: Final = re.compile(r"Poker Hand #[A-Za-z]{0,8}_?([0-9]{1,19}):(.*)")
_NO_LIMIT: Final = r"(?:Hold'em|NLH) No Limit"
_GAME: Final = re.compile(
    rf" *(?:{_NO_LIMIT} *|Tournament #[0-9]+, .*{_NO_LIMIT} *- *Level *[0-9]+ *)"
    rf"\({MONEY}/{MONEY}(?: [^()]*)?(?: *\([^()]*\))?\).*"  # a tournament may have its ante in brackets
)


def is_start(line: str) -> bool:
    """Returns True if a line is the first one of a hand."""
    return _START.match(line) is not None


def parse_ggpoker(block: Block) -> RealHand:
    """Returns the hand in the lines of a block.

    :raises LeftOutError: if the hand is another game than no-limit hold'em between exactly two players with one board,
        or if the site adds chips to the pot.
    :raises LogError: if the hand is malformed or its chips do not add up; ``line`` is the number of the line at fault.
    """
    return parse_block(block, GGPokerReader())


class GGPokerReader(SiteReader):
    """Reads the lines of one hand of GGPoker."""

    seat_line = re.compile(rf"Seat [0-9]{{1,2}}: (.+) \({MONEY} in chips\)(.*)")
    post = re.compile(rf"posts (small blind|big blind|missed blind|the ante) {MONEY}(?: and is all-in)?")
    live_posts: ClassVar = {"small blind": "small", "big blind": "big"}
    left_out: ClassVar = {"Cash Drop to Pot": "chips of the site in the pot"}

    def take_first(self, line: str) -> None:
        match = _START.fullmatch(line)
        if match is None:
            raise LogError(f"expected 'Poker Hand #ID: ...', got {line[:SHOWN]!r}")
        self.set_hand(match[1])
        if not re.search(_NO_LIMIT, line):
            raise LeftOutError(OTHER_GAME)
        game = _GAME.fullmatch(match[2])
        if game is None:
            raise LogError(f"expected the blinds as (SB/BB), got {line[:SHOWN]!r}")
        self.set_blinds(game[1], game[2])
