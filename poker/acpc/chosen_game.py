"""Heads-up no-limit hold'em with any stacks and blinds, without a file: games that are known by their names.

The name ``holdem.nolimit.2p.50-100.10000`` is that of the game with blinds of 50 and 100 in which both players start
every hand with 10,000 chips; ``.300-200`` in place of ``.10000`` gives position 1, which has the big blind, 300 chips
and position 2, the button, 200. Who has less than a blind posts what it has.
:func:`hedgehog.poker.acpc.gamedef.find_gamedef` knows such names as it knows the shipped games, so a log that names one
is read on every machine.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

from hedgehog.runtime.errors import InputError

DEFAULT_BLINDS: Final = (50, 100)
"""Small and big blind of the default game."""
DEFAULT_STACK: Final = 20_000
"""Chips of both players in the default game."""
MOST_CHIPS: Final = 1_000_000_000
_PREFIX: Final = "holdem.nolimit.2p"
_NAME: Final = re.compile(re.escape(_PREFIX) + r"\.([0-9]{1,10})-([0-9]{1,10})\.([0-9]{1,10})(?:-([0-9]{1,10}))?")
_DEPTH: Final = re.compile(r"([0-9]{1,10}(?:\.[0-9]{1,6})?)bb")
_TEXT: Final = """\
GAMEDEF
nolimit
numPlayers = 2
numRounds = 4
stack = {stacks[0]} {stacks[1]}
blind = {big} {small}
firstPlayer = 2 1 1 1
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3 1 1
END GAMEDEF
"""


def chosen_game(stack: str | None, blinds: str | None) -> str:
    """Returns the name of the game with a stack and blinds.

    :param stack: chips such as ``10000``, big blinds such as ``100bb`` or ``37.5bb``, or two of these, ``300,200``, for
        the player in the big blind and the button. None for 200 big blinds.
    :param blinds: small and big blind such as ``1/2``; None for 50/100.
    :raises InputError: if a text has another form, or the game cannot be played in whole chips.
    """
    small, big = DEFAULT_BLINDS if blinds is None else _parse_blinds(blinds)
    if stack is None:
        stack = f"{DEFAULT_STACK // DEFAULT_BLINDS[1]}bb"
    stacks = [parse_stack(part.strip(), big) for part in stack.split(",")]
    if len(stacks) > 2:
        raise InputError(f"expected one stack, or two separated by a comma, got {stack!r}")
    if min(stacks) <= big:
        raise InputError(f"expected a stack above the big blind of {big}, got {min(stacks)}")
    return name_of_stacks(small, big, [stacks[0], stacks[-1]])


def name_of_stacks(small: int, big: int, stacks: Sequence[int]) -> str:
    """Returns the name of the game with blinds and two stacks, of the big blind and the button, all in chips."""
    text = str(stacks[0]) if stacks[0] == stacks[1] else f"{stacks[0]}-{stacks[1]}"
    return f"{_PREFIX}.{small}-{big}.{text}"


def posted_blinds(small: int, big: int, stacks: Sequence[int]) -> tuple[int, int]:
    """Returns the chips that button and big blind post: what they have, if it is less than their blind.

    The button posts no more than the big blind has posted.

    :param stacks: chips of the big blind and the button.
    """
    posted = min(big, stacks[0])
    return min(small, posted, stacks[1]), posted


def text_of_chosen_game(name: str) -> str | None:
    """Returns the game definition of a name that :func:`name_of_stacks` makes; None if it is no such name.

    :param name: the name, with or without ``.game``.
    """
    found = _NAME.fullmatch(name.removesuffix(".game"))
    if found is None:
        return None
    small, big, first = map(int, found.groups()[:3])
    stacks = (first, int(found[4] or first))
    if not (0 < small <= big and min(stacks) > 0 and max(big, *stacks) <= MOST_CHIPS):
        return None
    small, big = posted_blinds(small, big, stacks)
    return _TEXT.format(stacks=stacks, small=small, big=big)


def _parse_blinds(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{1,10})/([0-9]{1,10})", text)
    if found is None or not 0 < int(found[1]) <= int(found[2]) < MOST_CHIPS:
        raise InputError(
            f"expected blinds such as 1/2 in whole chips, the small one not above the big one, got {text!r}"
        )
    return int(found[1]), int(found[2])


def parse_stack(text: str, big_blind: int) -> int:
    """Returns the chips of a stack such as ``10000`` or ``37.5bb``.

    :param big_blind: chips of the big blind.
    :raises InputError: if the text has another form, or the stack is not in whole chips.
    """
    depth = _DEPTH.fullmatch(text)
    if depth is None and not re.fullmatch(r"[0-9]{1,10}", text):
        raise InputError(f"expected a stack in chips or in big blinds, such as 10000 or 100bb, got {text!r}")
    chips = float(depth[1]) * big_blind if depth is not None else float(text)
    if not math.isclose(chips, round(chips), abs_tol=1e-6):
        raise InputError(f"{text} are {chips:g} chips with a big blind of {big_blind}: expected whole chips")
    if chips > MOST_CHIPS:
        raise InputError(f"expected at most {MOST_CHIPS:,} chips, got {text!r}")
    return round(chips)
