"""The value function of AIVAT for heads-up hold'em: estimates what a state is worth, given both players' cards.

A value is what the player to act wins, in units of the chips that the player with more chips in the pot has put in. It
is linear in twelve features of the two hands: the equity if all cards were dealt now, the share of all hands that each
hand beats now, and squares and products of these. The coefficients depend on the *row* of the state: its street, its
kind, the stacks left, and the size of the bet to be answered. The value is cut off at the stack. A finished hand is not
estimated; it has its real result.

The coefficients were fitted once (:mod:`hedgehog.analysis.aivat.fit`) and are shipped. AIVAT must never score hands
with values that were fitted to the same hands.
"""

from __future__ import annotations

import json
from bisect import bisect
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.aivat import _kernels as kernels
from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, NUM_COMBOS, combo_index
from hedgehog.poker.evaluation.equity import class_equities
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_SIZES
from hedgehog.poker.state import HandState
from hedgehog.runtime.files import write_text_file

Array = NDArray[np.float64]

TABLE_FILE: Final = Path(__file__).parent / "values.json"
NUM_FEATURES: Final = kernels.NUM_FEATURES
EQUITY_FEATURE: Final = 6
_COMBOS: Final = np.arange(NUM_COMBOS, dtype=np.int16)


class Kind(IntEnum):
    """Kind of a state: what happens next in it."""

    DEALT = 0
    """The flop was just dealt. The value of such a state is linear in the equity alone, so that its average over all
    flops is the value at the equity before the flop."""
    CLOSED = 1
    """The next card is to be dealt. The player to act after the card counts as the player to act."""
    FIRST = 2
    """The first player to act on the street may check."""
    SECOND = 3
    """The second player to act on the street may check."""
    FACING = 4
    """A bet is to be answered."""


_STACK_EDGES: Final = (0.75, 2.5, 8.0, 25.0, 60.0)
"""Bounds between rows: remaining stack divided by the pot."""
_FACING_STACK_EDGES: Final = (1.5, 10.0)
_BET_EDGES: Final = (0.4, 0.85, 1.7, 5.0)
"""Bounds between rows: chips to call divided by the pot before the bet."""
_STACK_ROWS: Final = len(_STACK_EDGES) + 1
_BET_ROWS: Final = len(_BET_EDGES) + 1
_KIND_STARTS: Final = tuple(_STACK_ROWS * kind for kind in range(5))
_ROWS_PER_STREET: Final = 4 * _STACK_ROWS + _BET_ROWS * (len(_FACING_STACK_EDGES) + 2)
NUM_ROWS: Final = 4 * _ROWS_PER_STREET


def row_of(street: int, kind: Kind, most: int, least: int, stack: int) -> int:
    """Returns the number of the row of coefficients for a state.

    :param street: 0 preflop to 3 river.
    :param kind: what happens next in the state.
    :param most: chips put in by the player who has put in more.
    :param least: chips put in by the other player.
    :param stack: chips of each player at the start of the hand.
    """
    if kind == Kind.FACING:
        stacks = 0 if most >= stack else 1 + bisect(_FACING_STACK_EDGES, (stack - most) / (2 * most))
        place = stacks * _BET_ROWS + bisect(_BET_EDGES, (most - least) / (2 * least)) if least else 0
    else:
        place = bisect(_STACK_EDGES, (stack - most) / (2 * most))
    return street * _ROWS_PER_STREET + _KIND_STARTS[kind] + place


def group_of(row: int) -> int:
    """Returns the number of the group of a row: all rows of one street and kind, which are fitted together."""
    street, place = divmod(row, _ROWS_PER_STREET)
    return 5 * street + min(place // _STACK_ROWS, Kind.FACING)


class ValuedState(NamedTuple):
    """A state of a hand, as far as the value function needs it."""

    row: int
    """Row of coefficients."""
    actor: int
    """Position of the player to act, if a card is to be dealt: to act after the card."""
    scale: float
    """Unit of the values: chips put in by the player who has put in more."""
    bound: float
    """Largest possible value: the stack divided by ``scale``. Estimates beyond it, from little data, are cut off."""


def spot_of(state: HandState, street: int) -> ValuedState:
    """Returns the spot of the value function for an unfinished hand.

    :param state: the state of the hand.
    :param street: street of the last action. If the betting is already on the next street, its card is to be dealt.
    """
    gamedef, actor = state.gamedef, state.acting_position
    most = state.max_spent
    if state.round > street:
        kind = Kind.CLOSED
    elif state.can_fold():
        kind = Kind.FACING
    else:
        kind = Kind.FIRST if actor == gamedef.first_positions[street] else Kind.SECOND
    least = state.spent[actor]
    stack = min(gamedef.stacks)
    return ValuedState(row_of(street, kind, most, least, stack), actor, float(most), stack / most)


def dealt_flop(state: HandState) -> ValuedState:
    """Returns the spot of the value function for a hand whose flop has just been dealt."""
    most, stack = state.max_spent, min(state.gamedef.stacks)
    return ValuedState(row_of(1, Kind.DEALT, most, most, stack), state.acting_position, float(most), stack / most)


class Matchup:
    """The features of all hands of one player against one hand of the other player, while the board is dealt.

    Combos that hold a card of the board or of the opponent have arbitrary values.
    """

    def __init__(self, opponent: tuple[int, int]) -> None:
        """:param opponent: the other player's hole cards."""
        self.opponent_cards = opponent
        self._opponent = combo_index(*opponent)
        self._dead = np.zeros(NUM_CARDS, dtype=np.bool_)
        self._dead[list(opponent)] = True
        self._board: tuple[int, ...] = ()
        self._by_turn = np.zeros((NUM_CARDS, NUM_COMBOS))
        self._basis: Array | None = None
        self.equities: Array = class_equities()[HAND_CLASS, HAND_CLASS[self._opponent]]
        """(1326,) equity of every combo if all cards were dealt now, averaged over hand classes before the flop."""

    def deal(self, board: tuple[int, ...]) -> None:
        """Deals the next street.

        :param board: card ids of the whole board, 3, 4 or 5.
        """
        self._board, self._basis = board, None
        self._dead[list(board)] = True
        if len(board) == 3:
            wins = np.zeros((NUM_CARDS, NUM_COMBOS), dtype=np.int16)
            cards = np.array(board, dtype=np.uint8)
            kernels.runouts_kernel(wins, cards, self._opponent, self._dead, evaluator_tables())
            self._by_turn = wins / 88.0  # 44 rivers, counted twice
            # Every combo meets 45 turn cards. The cards that it holds count no wins.
            self.equities = self._by_turn.sum(axis=0) / 45
        elif len(board) == 4:
            self.equities = self._by_turn[board[3]]
        else:
            ranks = np.empty(NUM_COMBOS, dtype=np.int32)
            kernels.rank_board_kernel(ranks, np.array(board, dtype=np.uint8), COMBO_CARDS, evaluator_tables())
            theirs = ranks[self._opponent]
            self.equities = 0.5 * ((ranks > theirs).astype(np.float64) + (ranks >= theirs))

    @property
    def basis(self) -> Array:
        """(2, 12, 1326) features of every combo: [0] if the combo is to act, [1] if the opponent is to act."""
        if self._basis is None:
            strength = self._strength()
            self._basis = np.empty((2, NUM_FEATURES, NUM_COMBOS))
            kernels.basis_kernel(self._basis, self.equities, strength, float(strength[self._opponent]))
        return self._basis

    def _strength(self) -> Array:
        if not self._board:
            return preflop_strength()
        return board_strength(self._board)

    def next_card(self, coefficients: Array, bound: float, opponent_acts: bool) -> Array:
        """Returns (1326,) the value for the player to act of every combo, averaged over the next card.

        :param coefficients: (12,) row of the value function for the state after the card.
        :param bound: values of larger magnitude are cut off at this number.
        :param opponent_acts: True if the opponent is the player to act after the card.
        """
        expected = np.empty(NUM_COMBOS)
        cards = np.array(self._board, dtype=np.uint8)
        constants = (_COMBOS, COMBO_CARDS, evaluator_tables())
        kernels.next_card_kernel(
            expected, cards, self._opponent, self._dead, self._by_turn, coefficients, bound, opponent_acts, *constants
        )
        return expected


def board_strength(board: tuple[int, ...]) -> Array:
    """Returns (1326,) the share of all combos that are weaker on a board than each combo, ties counted half.

    :param board: card ids, three to five. Combos that hold one of them have strength 0.
    """
    strength = np.empty(NUM_COMBOS)
    ranks = np.empty(NUM_COMBOS, dtype=np.int32)
    order, buffer = np.empty((2, NUM_COMBOS), dtype=np.int16)
    cards = np.array(board, dtype=np.uint8)
    kernels.strength_kernel(strength, ranks, order, buffer, cards, _COMBOS, COMBO_CARDS, evaluator_tables())
    return strength


@cache
def preflop_strength() -> Array:
    """Returns (1326,) the strength of every combo before the flop.

    It is the share of all hands that have less equity against a random hand. Ties count half.
    """
    equity = class_equities() @ (HAND_CLASS_SIZES / NUM_COMBOS)
    order = np.argsort(equity)
    below = np.cumsum(HAND_CLASS_SIZES[order]) - HAND_CLASS_SIZES[order] / 2
    strength = np.empty(len(order))
    strength[order] = below / NUM_COMBOS
    return np.asarray(strength[HAND_CLASS])


class ValueTable:
    """The value function: coefficients of all rows."""

    def __init__(self, coefficients: Array) -> None:
        """Makes a value function.

        :param coefficients: (rows, 12) coefficient of each feature in each row.
        """
        if coefficients.shape != (NUM_ROWS, NUM_FEATURES):
            raise ValueError(f"expected coefficients of shape ({NUM_ROWS}, {NUM_FEATURES}), got {coefficients.shape}")
        self.coefficients = np.ascontiguousarray(coefficients, dtype=np.float64)

    def values(self, spot: ValuedState, matchup: Matchup, position: int) -> Array:
        """Returns (1326,) what a state is worth in chips to ``position`` with each of its combos.

        :param matchup: the combos of ``position`` against the hand of the other player.
        """
        opponent_acts = int(spot.actor != position)
        sign = -1.0 if opponent_acts else 1.0
        shares = self.coefficients[spot.row] @ matchup.basis[opponent_acts]
        return np.asarray(sign * spot.scale * np.clip(shares, -spot.bound, spot.bound))

    def linear(self, spot: ValuedState, matchup: Matchup, position: int) -> Array:
        """Returns (1326,) the values in chips of a ``DEALT`` state; before the flop, their average over all flops."""
        row = self.coefficients[spot.row]
        own_turn = spot.actor == position
        equities = matchup.equities if own_turn else 1 - matchup.equities
        return np.asarray((spot.scale if own_turn else -spot.scale) * (row[0] + row[EQUITY_FEATURE] * equities))

    def next_card(self, spot: ValuedState, matchup: Matchup, position: int) -> Array:
        """Returns (1326,) the average of :meth:`values` over the next turn or river card.

        :param spot: the state after the card.
        """
        opponent_acts = spot.actor != position
        sign = -1.0 if opponent_acts else 1.0
        return sign * spot.scale * matchup.next_card(self.coefficients[spot.row], spot.bound, opponent_acts)


@cache
def shipped_values() -> ValueTable:
    """Returns the shipped value function, which was fitted to self-play of the shipped blueprint."""
    return ValueTable(shipped_coefficients(TABLE_FILE))


def shipped_coefficients(path: Path) -> Array:
    """Returns float64[rows, features]: the coefficients of a value function, from one of our files."""
    return np.array(json.loads(path.read_text(encoding="utf-8"))["coefficients"], dtype=np.float64)


def write_coefficients(path: Path, about: str, coefficients: Array) -> None:
    """Writes the coefficients of a value function, rounded to four digits.

    :param about: a sentence that says where they are from.
    :raises ResourceError: if the file cannot be written.
    """
    rows = ",\n".join(json.dumps([float(f"{value:.4g}") for value in row]) for row in coefficients)
    write_text_file(path, f'{{"about": {json.dumps(about)},\n"coefficients": [\n{rows}\n]}}\n')
