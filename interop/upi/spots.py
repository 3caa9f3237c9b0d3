"""Spots with exact betting lines and with locks by hand, with the text of their spot files.

:mod:`hedgehog.solver.postflop.spot` has the format of the texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from hedgehog.poker.cards import format_cards
from hedgehog.poker.ranges import format_range
from hedgehog.solver.postflop.locks import Lock, describe_lock
from hedgehog.solver.postflop.spot import PostflopSpot, parse_spot, spot_content
from hedgehog.solver.postflop.tree import format_line

_WIDTH = 1 << 30


def line_spot(
    name: str,
    board: Sequence[int],
    pot: int,
    stack: int,
    ranges: Sequence[NDArray[np.float32]],
    lines: Iterable[Sequence[str]],
    rake: tuple[float, float] = (0.0, 0.0),
) -> PostflopSpot:
    """Returns the spot that has exactly some betting lines, with the text of its spot file.

    :param board: three to five card ids.
    :param pot: chips in the pot.
    :param stack: chips behind, each player.
    :param ranges: float32[1326] weights of OOP and IP.
    :param lines: action tokens ``X C B<n> R<n> A<n>`` with street totals, without cards.
    :param rake: share of the pot, and most chips; without a share there is no rake.
    :raises InputError: if this is no spot.
    """
    content: dict[str, Any] = {
        "spot": name,
        "board": format_cards(board, " "),
        "pot": pot,
        "stack": stack,
        "range": {"oop": format_range(ranges[0]), "ip": format_range(ranges[1])},
        "lines": [format_line(line) for line in lines],
    }
    if rake[0]:
        content["rake"] = {"rate": rake[0], "cap": rake[1]}
    return parse_spot(_text(content))


def locked_spot(spot: PostflopSpot, locks: Iterable[Lock]) -> PostflopSpot:
    """Returns a spot from a spot file with more locks, which decide before those that it has.

    :raises InputError: if a lock does not fit the spot.
    """
    content = spot_content(spot.text)
    added = [_lock_entry(lock) for lock in locks]
    if added:
        content["locks"] = [*added, *content.get("locks", ())]
    return parse_spot(_text(content), solved=True)


def _lock_entry(lock: Lock) -> dict[str, Any]:
    return {key: value for key, value in describe_lock(lock).items() if value is not None}


def _text(content: dict[str, Any]) -> str:
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=_WIDTH)
