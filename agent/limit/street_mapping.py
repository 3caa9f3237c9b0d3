"""HBB1: a street of three players becomes a street of two by deleting as few actions as possible.

A sequence is a text of the letters ``f`` (fold), ``c`` (check or call) and ``r`` (bet or raise). It is *closed* when
every player who is left has acted and has matched the last raise, else it is *open*.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Final, NamedTuple

from hedgehog.runtime.errors import InputError

STREET_CAP: Final = 4
"""Most raises on a street of the table. Preflop there are at most three, and no mapping adds a raise."""


class StreetSequence(NamedTuple):
    """The actions of one street, so far or to its end; the hand goes on after them."""

    actions: str
    closed: bool
    players: int
    """Number of players who have not folded."""


@cache
def street_sequences(players: int, cap: int = STREET_CAP) -> tuple[StreetSequence, ...]:
    """Returns all sequences of a street that leave two players or more, the empty one first, depth-first.

    A player may fold where checking is free, as far as two players are left.

    :param players: number of players at the beginning of the street.
    :param cap: most raises.
    """
    found = []
    todo = [("", players, players, 0)]  # actions, players left, players who must still act, raises
    while todo:
        actions, left, waiting, raises = todo.pop()
        found.append(StreetSequence(actions, waiting == 0, left))
        if waiting > 0:
            if raises < cap:
                todo.append((actions + "r", left, left - 1, raises + 1))
            todo.append((actions + "c", left, waiting - 1, raises))
            if left > 2:
                todo.append((actions + "f", left - 1, waiting - 1, raises))
    return tuple(found)


@cache
def street_table() -> dict[str, str]:
    """Returns for each of the 370 sequences of three players the sequence of two players that stands for it.

    The two-player sequence is as open or closed as the other. Among the ways to delete the fewest actions, the one that
    deletes the earliest actions is taken.
    """
    two_players = {sequence.actions: sequence.closed for sequence in street_sequences(2)}
    longest = max(map(len, two_players))
    return {sequence.actions: _shorten(sequence, two_players, longest) for sequence in street_sequences(3)}


def _shorten(sequence: StreetSequence, two_players: dict[str, bool], longest: int) -> str:
    actions = sequence.actions
    for deleted in range(max(0, len(actions) - longest), len(actions) + 1):
        for places in combinations(range(len(actions)), deleted):
            rest = "".join(letter for place, letter in enumerate(actions) if place not in places)
            if two_players.get(rest) == sequence.closed:
                return rest
    raise AssertionError(f"no sequence of two players stands for {actions!r}")


def map_street(actions: str, players: int = 3) -> str:
    """Returns the two-player sequence that stands for a street.

    :param actions: the actions of all players, after which at least two are left.
    :param players: number of players at the beginning of the street. A street of two players stands for itself.
    :raises InputError: if no street of limit hold'em has these actions.
    """
    if players == 2:
        if not any(sequence.actions == actions for sequence in street_sequences(2)):
            raise InputError(f"no street of two players has the actions {actions!r}")
        return actions
    try:
        return street_table()[actions]
    except KeyError:
        raise InputError(f"no street of three players has the actions {actions!r}, or the hand ends there") from None
