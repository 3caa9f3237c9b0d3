"""Tells apart the hands of a text file of poker sites, and reads each by the reader of its site.

Every line belongs to a hand: those of a site without reader, and text that is no hand, are left out under a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import lru_cache
from typing import Any, Final, NamedTuple

from hedgehog.analysis.histories.acr import AcrReader
from hedgehog.analysis.histories.ggpoker import GGPokerReader
from hedgehog.analysis.histories.left_out import Block, ForeignHandError, LeftOutError
from hedgehog.analysis.histories.pokerstars import PokerStarsReader
from hedgehog.analysis.histories.real_hands import RealHand
from hedgehog.analysis.histories.site_reader import MOST_LINES, SiteReader, parse_block
from hedgehog.runtime.errors import LogError
from hedgehog.runtime.extending.registry import Registry


class Site(NamedTuple):
    """A format of hands in text."""

    name: str
    """Name of the format, one of :data:`LOG_READERS`."""
    reader: type[SiteReader]
    """Reads the lines of one hand."""


def _verify(name: str, part: Any) -> None:
    if not (isinstance(part, type) and issubclass(part, SiteReader)):
        raise LogError(f"expected a class derived from SiteReader, got {part!r}")
    missing = [key for key in _NEEDED if not hasattr(part, key)]
    if missing:
        raise LogError(f"the reader {part.__name__} does not define {', '.join(missing)}")


_NEEDED: Final = ("start", "first_line", "no_limit", "game", "blinds_form", "seat_line", "post", "live_posts")
LOG_READERS: Final[Registry[type[SiteReader]]] = Registry(
    "hedgehog.log_readers",
    "log reader",
    {"pokerstars": PokerStarsReader, "ggpoker": GGPokerReader, "acr": AcrReader},
    verify=_verify,
    reserved=("auto", "acpc", "lbr", "phh"),
    error=LogError,
)
"""The readers of hands in text by the name of their format, ours and those of other packages."""


@lru_cache(maxsize=1)
def _sites(version: object) -> tuple[Site, ...]:
    return tuple(Site(name, reader) for name, reader in LOG_READERS.usable())


FOREIGN: Final = "a hand of another format"
"""The kind of hands that the reader of a file does not know."""
_OTHER_START: Final = re.compile(
    r"STATE:[0-9]|\[[0-9]+\]|variant *=|[0-9]+:[^:,|]+,[^:,|]+:0"  # ACPC, PHH, LBR
    r"|(?!Seat |Table |Board |Total |.*\b(?:said|says), ?\")[^\"]{0,80}?"
    r"(?:\b(?:hand|game|stage)\b[ -]*(?:history|id|no\.?|number)?[ :]*#|\b(?:game|hand) (?:no|id)\b *[:.#]"
    r"|hand ?id: *#?|hand history for game) ?[:(]? ?[A-Z]{0,4}[0-9]",
    re.IGNORECASE,
)
"""First lines of hands of other formats: a hand, game or stage with a number."""
_DATE: Final = re.compile(r"\b([0-9]{4})[/-]([0-9]{2})[/-]([0-9]{2})\b")
_SEPARATOR: Final = re.compile(r"[\W_]*(?:# ?[0-9]+)?[\W_]*")
"""Lines without words, such as ``*********** # 1 **************`` of histories sent by mail."""


def site_of(line: str) -> Site | None:
    """Returns the site on whose hands a line is the first; None if it is no such line."""
    return next((site for site in _sites(LOG_READERS.version) if site.reader.start.match(line)), None)


def hand_name(line: str) -> str:
    """Returns the name of a hand, which no other hand has, from its first line: its site and number.

    :param line: first line of a hand of one of the sites.
    """
    site = site_of(line)
    assert site is not None
    return f"{site.name} {line.partition('#')[2].split(':')[0].split()[0]}"


def hand_date(line: str) -> str:
    """Returns the day on which a hand was played, as ``2024-05-06``, from its first line; empty if it tells none.

    The day is that of the site's clock.

    :param line: first line of a hand of one of the sites.
    """
    match = _DATE.search(line)
    return "" if match is None else iso_date(*map(int, match.groups()))


def iso_date(year: int, month: int, day: int) -> str:
    """Returns a day as ``2024-05-06``; empty if there is no such day."""
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return ""


def dealt_players(lines: Iterable[str]) -> tuple[str, ...]:
    """Returns the players whose cards a text of poker sites tells as they are dealt, in the order of the text.

    As a rule it is one: the player who saved the text.
    """
    dealt = (line.removeprefix("Dealt to ").rpartition(" [") for line in lines if line.startswith("Dealt to "))
    return tuple(dict.fromkeys(name for name, bracket, _ in dealt if bracket))


def starts_hand(line: str) -> bool:
    """Returns True if a line looks like the first line of a hand, of whatever format."""
    return site_of(line) is not None or _OTHER_START.match(line) is not None


def split_hands(lines: Iterable[str]) -> Iterator[Block]:
    """Yields the lines of each hand of a text file, of whatever site, and of each stretch of text that is no hand.

    A hand starts at a line that a site's reader knows. After an empty line, after a finished hand and at the start of
    the file it starts at any line that looks like the first one of a hand, too.
    """
    start = 0
    block: list[str] = []
    finished, empty = True, True
    for number, line in enumerate(lines, 1):
        separator = _SEPARATOR.fullmatch(line) is not None
        if site_of(line) is not None or (
            not separator and (finished or empty) and (not block or starts_hand(line) or (finished and empty))
        ):
            if block:
                yield Block(start, block)
            start, block = number, []
            finished = False
        if block or start == number:
            if len(block) <= MOST_LINES:
                block.append(line)
            finished = finished or line.startswith("*** SUMMARY ***")
        empty = separator
    if block:
        yield Block(start, block)


def parse_hand(block: Block) -> RealHand:
    """Returns the hand in the lines of a block.

    :raises ForeignHandError: if it is a hand of a site that has no reader.
    :raises LeftOutError: if it is text that is no hand, or a hand of a kind that is left out.
    :raises LogError: if the hand is malformed.
    """
    first = block.lines[0]
    site = site_of(first)
    if site is not None:
        return parse_block(block, site.reader())
    if starts_hand(first):
        raise ForeignHandError(FOREIGN, line=block.line)
    raise LeftOutError("text that is no hand", line=block.line)
