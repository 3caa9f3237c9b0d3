"""Reads hands in the text format of PokerStars: two players, no-limit hold'em.

A hand starts with a line ``PokerStars Hand #ID: ... Hold'em No Limit (SB/BB) ...``; words such as ``Zoom`` or ``Home
Game`` may stand before ``Hand``. The rest is what the formats of all sites have in common
(:mod:`hedgehog.analysis.histories.site_reader`).
"""

from __future__ import annotations

import re
from typing import ClassVar, Final

from hedgehog.analysis.histories.left_out import Block, LeftOutError
from hedgehog.analysis.histories.real_hands import RealHand
from hedgehog.analysis.histories.site_reader import MONEY, OTHER_GAME, SHOWN, SiteReader, parse_block
from hedgehog.runtime.errors import LogError

_START: Final = re.compile(r"PokerStars(?: [A-Za-z]+){0,3} (?:Hand|Game) #([0-9]{1,19}):(.*)", re.IGNORECASE)
_GAME: Final = re.compile(
    r" *(?:\{[^}]*\} *)?"  # club of a home game
    r"(?:Tournament #[0-9]+, .*|[^(]* \(|)"  # buy-in of a tournament; name of a game that changes
    rf"Hold'em No Limit(?:, |\)? *(?:- *[^(]*)?\(){MONEY}/{MONEY}(?: - {MONEY} Cap)?(?:[ -][^()]*)?\).*",
    re.IGNORECASE,
)
_OTHER_GAMES: Final = re.compile(
    r".*\b(?:6\+|Split|Unfold|Showtime|Swap|Tempest|Fusion) Hold'em No Limit", re.IGNORECASE
)


def is_start(line: str) -> bool:
    """Returns True if a line is the first one of a hand."""
    return _START.match(line) is not None


def parse_pokerstars(block: Block) -> RealHand:
    """Returns the hand in the lines of a block.

    :raises LeftOutError: if the hand is another game than no-limit hold'em between exactly two players with one board.
    :raises LogError: if the hand is malformed or its chips do not add up; ``line`` is the number of the line at fault.
    """
    return parse_block(block, PokerStarsReader())


class PokerStarsReader(SiteReader):
    """Reads the lines of one hand of PokerStars."""

    seat_line = re.compile(rf"Seat [0-9]{{1,2}}: (.+) \({MONEY} in chips(?:, [^()]* bounty)?\)(.*)")
    post = re.compile(rf"posts (small blind|big blind|small & big blinds|the ante) {MONEY}(?: and is all-in)?")
    left_out: ClassVar = {"Hand cancelled": "a cancelled hand"}
    live_posts: ClassVar = {"small blind": "small", "big blind": "big", "small & big blinds": "both"}

    def take_first(self, line: str) -> None:
        match = _START.fullmatch(line)
        if match is None:
            raise LogError(f"expected 'PokerStars Hand #ID: ...', got {line[:SHOWN]!r}")
        self.set_hand(match[1])
        if "hold'em no limit" not in line.lower() or _OTHER_GAMES.match(line):
            raise LeftOutError(OTHER_GAME)
        game = _GAME.fullmatch(match[2])
        if game is None:
            raise LogError(f"expected the blinds as (SB/BB), got {line[:SHOWN]!r}")
        self.set_blinds(game[1], game[2], game[3])
