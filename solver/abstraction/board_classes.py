"""Classes of turn and river cards below a flop or turn: exact suit orbits, or the relaxed classes of Voelkel's thesis.

Exact orbits come from suit permutations that fix the board and both ranges (:mod:`hedgehog.solver.postflop.chance`).
Solving one board of each orbit loses nothing. The relaxed classes equate next cards of one rank in all suits that can
make no flush with the cards to come. They lose something, because such suits can differ in the cards that they block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_CARDS
from hedgehog.poker.streets import BOARD_CARDS, RIVER
from hedgehog.solver.postflop.chance import Runouts

ClassRule = Literal["exact", "relaxed"]
"""Which next cards count as equal."""
_FLUSH_ON_BOARD = 3
_NO_FLUSH = 4  # stands for every suit that can make no flush

Boards = tuple[tuple[int, int], ...]
"""Completed boards as (turn, river) cards."""


@dataclass(frozen=True, slots=True)
class BoardClasses:
    """The boards over which groups are made, street by street. A completed board is a pair of turn and river cards."""

    flop: tuple[Boards, ...]
    """Empty unless the root is a flop. Per class of turn cards, all completed boards with a turn of the class."""
    turn: tuple[Boards, ...]
    """Empty if the root is a river. Per turn node, the completed boards that its groups look at."""
    river: tuple[Boards, ...]
    """Per river node, the completed boards that its groups look at."""


def exact_classes(runouts: Runouts) -> BoardClasses:
    """Returns the boards below a root board by suit orbits: every node looks at the one board that is solved.

    The classes of turn cards on the flop have all members of their orbits.

    :param runouts: the representatives that a solve deals, in their order.
    """
    root = runouts.board
    flop = root[:3]
    fixed_river = root[4] if len(root) == BOARD_CARDS[RIVER] else None
    turn_classes = []
    for index in range(runouts.num_turns):
        members = [card for card in range(NUM_CARDS) if runouts.turn_of[card] == index]
        turn_classes.append(tuple(pair for turn in members for pair in _rivers(flop, turn)))
    turns = [int(card) for card in runouts.turns]
    rivers = [
        (turn, int(river))
        for index, turn in enumerate(turns)
        for river in runouts.rivers[runouts.first_river[index] : runouts.first_river[index + 1]]
    ]
    return BoardClasses(
        flop=tuple(turn_classes) if len(root) == 3 else (),
        turn=tuple(_rivers(flop, turn) for turn in turns) if fixed_river is None else (),
        river=tuple((pair,) for pair in rivers),
    )


def relaxed_classes(flop: Sequence[int]) -> BoardClasses:
    """Returns the boards below a flop by the relaxed rule. Nodes look at all member boards of their class."""
    turn_members: dict[tuple[int, int], list[int]] = {}
    for turn in _left(flop):
        turn_members.setdefault(_relaxed_key(turn, flop, 2), []).append(turn)
    turns: list[Boards] = []
    rivers: list[Boards] = []
    for members in turn_members.values():
        by_river: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for turn in members:
            board = (*flop, turn)
            for river in _left(board):
                by_river.setdefault(_relaxed_key(river, board, 1), []).append((turn, river))
        turns.append(tuple(pair for turn in members for pair in _rivers(flop, turn)))
        # 7d 7s and 7s 7d are one board of a river class; the groups of a turn class count it twice.
        rivers += [tuple({frozenset(pair): pair for pair in boards}.values()) for boards in by_river.values()]
    return BoardClasses(tuple(turns), tuple(turns), tuple(rivers))


def relaxed_rivers(runouts: Runouts, exact: Runouts) -> tuple[list[NDArray[np.intp]], int]:
    """Returns the boards of five cards that the relaxed rule equates, of those that follow one turn.

    Classes whose cards differ by a swap of interchangeable suits alone are left out: they lose nothing.

    :param runouts: the boards that a solve deals, with every river card of its turns.
    :param exact: the boards of the same turns that suit isomorphism leaves.
    :returns: arrays of shape (classes, members), numbers of boards, one array for each number of members from 2 on;
        and the number of classes of rivers by both rules, those that lose nothing and single boards included.
    """
    found: dict[int, list[list[int]]] = {}
    number_of_classes = 0
    for index, turn in enumerate(runouts.turns):
        board = (*runouts.board[:3], int(turn))
        members: dict[tuple[int, int], list[int]] = {}
        for number in range(int(runouts.first_river[index]), int(runouts.first_river[index + 1])):
            members.setdefault(_relaxed_key(int(runouts.rivers[number]), board, 1), []).append(number)
        orbits = {}
        for key, boards in members.items():
            orbits[key] = frozenset(int(exact.river_of[index, runouts.rivers[number]]) for number in boards)
            if len(orbits[key]) > 1:
                found.setdefault(len(boards), []).append(boards)
        # A relaxed class can lie in a larger orbit: the orbit is one class then.
        number_of_classes += len(set(orbits.values()))
    return [np.array(found[size], dtype=np.intp) for size in sorted(found)], number_of_classes


def _relaxed_key(card: int, board: Sequence[int], to_come: int) -> tuple[int, int]:
    """Returns a key that equal next cards share: the rank, and the suit if a flush in it is possible."""
    suit = card & 3
    held = sum(other & 3 == suit for other in board)
    return card >> 2, suit if held + to_come >= _FLUSH_ON_BOARD else _NO_FLUSH


def _left(board: Sequence[int]) -> list[int]:
    return [card for card in range(NUM_CARDS) if card not in board]


def _rivers(flop: Sequence[int], turn: int) -> Boards:
    return tuple((turn, river) for river in _left((*flop, turn)))
