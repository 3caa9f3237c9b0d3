"""Checks before the first hand whether the logs of a match or a tournament fit on the disk."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hedgehog.arena.match import MatchPlan
from hedgehog.runtime.errors import ResourceError
from hedgehog.runtime.files import real_path
from hedgehog.runtime.machine import format_bytes

_BYTES_PER_HAND: Final = 40
_BYTES_PER_PLAYER: Final = 35
"""Bytes per hand and player: hole cards, name, winnings, and a share of betting and board. Heads-up no-limit hold'em
between our players takes 115 bytes per hand; hands that end before the flop take 45."""
_WARNED_SHARE: Final = 0.8
_REFUSED_SHARE: Final = 2.0
"""Shares of the free space. An estimate of twice the free space does not fit even if the hands are short."""


def verify_log_space(folder: Path, matches: Sequence[MatchPlan], num_players: int) -> str:
    """Returns a warning if the logs of some matches may fill the disk, else an empty text.

    :param folder: folder of the logs; it need not exist yet.
    :param num_players: players of each match.
    :raises ResourceError: if the logs would take more than twice the free space.
    """
    hands = sum(match.hands * len(match.seatings()) for match in matches)
    needed = hands * (_BYTES_PER_HAND + num_players * _BYTES_PER_PLAYER)
    place = real_path(folder)
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    if needed <= _WARNED_SHARE * free:
        return ""
    message = f"the logs of {hands:,} hands take about {format_bytes(needed)}, {format_bytes(free)} are free in {place}"
    if needed > _REFUSED_SHARE * free:
        raise ResourceError(f"{message}: expected fewer hands, or another folder")
    return message
