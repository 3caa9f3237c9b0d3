"""The decisions of two-player limit hold'em as packed arrays: what they are compared by with a three-player decision.

A *candidate* is a decision of the two-player game. Candidates are numbered as in
:func:`hedgehog.poker.limit_betting.limit_tree`: by street, then depth-first with calls before raises. In a candidate
the hero is the player who is to act.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.limit.street_mapping import street_sequences
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.limit_betting import NO_CHILD, limit_tree

TWO_PLAYER_GAME: Final = "holdem.limit.2p.reverse_blinds"
SMALL: Final = 0
BIG: Final = 1
"""Seats of the two-player game: the small blind, who has the button, and the big blind."""
NUM_SEATS: Final = 2
SEAT_NAMES: Final = ("small blind", "big blind")


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates of one street, ``C`` of them. Chips are counted in small blinds."""

    first: int
    """Number of the first candidate in the tree."""
    histories: tuple[str, ...]
    seat: NDArray[np.int64]
    """(C,) seat of the hero, :data:`SMALL` or :data:`BIG`."""
    cells: NDArray[np.int64]
    """(street + 1, C) for each street the index of the actions, the hero in its seat, in :func:`street_distances`."""
    pot: NDArray[np.int64]
    """(C,) chips of both players."""
    to_call: NDArray[np.int64]
    """(C,) chips that the hero needs to call; there is one bet to call or none."""
    can_raise: NDArray[np.bool_]
    """(C,) whether the hero may raise."""


@cache
def candidates(street: int) -> Candidates:
    """Returns the candidates of a street, 0 preflop to 3 river."""
    gamedef = load_gamedef(TWO_PLAYER_GAME)
    tree = limit_tree(gamedef)
    nodes = np.flatnonzero(tree.street[: tree.num_decisions] == street)
    first, last = int(nodes[0]), int(nodes[-1]) + 1
    histories = tree.histories[first:last]
    known = {actions: number for number, (actions, _) in enumerate(split_sequences(0))}
    sequences = np.array([[known[text] for text in line.split("/")] for line in histories], dtype=np.int64).T
    unit = gamedef.blinds[1]
    seat = 1 - tree.player[first:last].astype(np.int64)  # position 1 has the button and pays the small blind
    return Candidates(
        first=first,
        histories=histories,
        seat=seat,
        cells=len(known) * seat + sequences,
        pot=(tree.pot[first:last] // unit).astype(np.int64),
        to_call=(tree.to_call[first:last] // unit).astype(np.int64),
        can_raise=tree.child[first:last, 2] != NO_CHILD,
    )


@cache
def split_sequences(street: int) -> tuple[tuple[str, tuple[str, str]], ...]:
    """Returns all two-player sequences of a street, each with the actions of the small and of the big blind.

    Preflop the small blind acts first, later the big blind does.
    """
    found = []
    for sequence in street_sequences(NUM_SEATS):
        first, second = sequence.actions[::2], sequence.actions[1::2]
        found.append((sequence.actions, (first, second) if street == 0 else (second, first)))
    return tuple(found)


def action_distance(one: str, other: str) -> int:
    """Returns the number of places at which two lists of actions differ, plus the difference of their lengths."""
    return sum(a != b for a, b in zip(one, other, strict=False)) + abs(len(one) - len(other))


@cache
def street_distances(street: int, hero: str, opponent: str) -> NDArray[np.int64]:
    """Returns the distances of a street's actions from all two-player sequences, the hero in either seat.

    :param hero: the hero's actions on the street.
    :param opponent: the opponent's.
    :returns: int64 (2 * sequences,): all sequences with the hero in the small blind, then all with it in the big.
    """
    return np.array(
        [
            action_distance(hero, lists[seat]) + action_distance(opponent, lists[1 - seat])
            for seat in range(NUM_SEATS)
            for _, lists in split_sequences(street)
        ],
        dtype=np.int64,
    )
