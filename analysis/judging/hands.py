"""Turns the hands of a log into the arrays that the judging kernels take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.judging._betting_kernels import MAX_LINE, Betting
from hedgehog.analysis.judging._judge_kernels import NUM_VALUES, Hands, Judged
from hedgehog.analysis.judging._roll_out_kernels import Strengths
from hedgehog.analysis.judging.settings import DivatSettings
from hedgehog.poker.acpc.gamedef import UNLIMITED_RAISES, UNLIMITED_STACK, GameDef
from hedgehog.poker.acpc.handlog import LoggedHand
from hedgehog.poker.cards import combo_index
from hedgehog.poker.evaluation.matchups import MATCHUP_BOARDS, class_strengths, matchup_score
from hedgehog.poker.hand_classes import HAND_CLASS
from hedgehog.poker.state import HandState
from hedgehog.runtime.errors import InputError

NUM_STREETS = 4


@dataclass(frozen=True, slots=True)
class SeatedHand:
    """A hand of a log with the position of the player who is judged."""

    hand: LoggedHand
    position: int
    dead: tuple[int, int] = (0, 0)
    """Antes and dead posts of each position, which are in the values of the hand and not in its pot."""
    big_blind: int = 0
    """The big blind of the game; 0: the largest blind that was posted."""

    @property
    def unit(self) -> int:
        """Chips in which results are counted: the small bet of a limit game, else the big blind."""
        return self.big_blind or chip_unit(self.hand.state.gamedef)

    @property
    def dead_difference(self) -> float:
        """What player A loses by dead money that is its: half the difference to the other's, in chips."""
        return (self.dead[1 - self.position] - self.dead[self.position]) / 2


def verify_game(gamedef: GameDef) -> None:
    """Checks that hands of a game can be judged.

    :raises InputError: unless it is heads-up hold'em.
    """
    if not gamedef.is_holdem or gamedef.num_players != 2:
        raise InputError("judging is for heads-up hold'em")


def chip_unit(gamedef: GameDef) -> int:
    """Returns the chips in which results are counted: the small bet of a limit game, else the big blind."""
    return gamedef.big_blind if gamedef.no_limit else min(gamedef.raise_sizes)


def street_investments(state: HandState) -> list[list[int]]:
    """Returns the chips that every position had put in at the start of each street and, last, at the end of the hand.

    :param state: a finished hand.
    """
    replay = HandState(state.gamedef)
    rounds = [replay.spent.copy()]
    for actions in state.actions:
        for _, action in actions:
            replay.perform(action)
        rounds.append(replay.spent.copy())
    return rounds


def limit_betting(gamedef: GameDef, settings: DivatSettings) -> Betting:
    """Returns the betting structure and the policies in the form that kernels take; no-limit games have empty bets."""
    unit = chip_unit(gamedef)
    cap = min(gamedef.stacks)
    sizes = gamedef.raise_sizes or (0,) * NUM_STREETS
    return Betting(
        bets=np.array(sizes, dtype=np.float64) / unit,
        max_raises=np.minimum(gamedef.max_raises, UNLIMITED_RAISES).astype(np.int64),
        cap=math.inf if cap == UNLIMITED_STACK else cap / unit,
        offsets=np.array([policy.fold_offset for policy in settings.streets]),
        make=np.array([policy.make for policy in settings.streets]),
        preflop_level=settings.preflop_level,
    )


def hand_arrays(hands: Sequence[SeatedHand]) -> Hands:
    """Returns a batch of hands of one game as arrays.

    :param hands: hands with known hole cards of both players, whose results are counted in the same unit.
    """
    count = len(hands)
    arrays = Hands(
        cards=np.zeros((count, 2, 2), dtype=np.uint8),
        boards=np.zeros((count, 5), dtype=np.uint8),
        preflop=np.zeros((count, 3)),
        num_streets=np.zeros(count, dtype=np.int64),
        acted=np.zeros((count, NUM_STREETS), dtype=np.bool_),
        invested=np.zeros((count, NUM_STREETS + 1, 2)),
        folder=np.full(count, -1, dtype=np.int64),
        first=np.zeros((count, NUM_STREETS), dtype=np.int64),
    )
    strengths = class_strengths()
    for index, seated in enumerate(hands):
        hand, position = seated.hand, seated.position
        state = hand.state
        own, other = hand.hole_cards[position], hand.hole_cards[1 - position]
        arrays.cards[index] = own, other
        arrays.boards[index, : len(hand.board)] = hand.board
        arrays.preflop[index] = (
            matchup_score(own, other) / (2 * MATCHUP_BOARDS),
            strengths[HAND_CLASS[combo_index(*own)]],
            strengths[HAND_CLASS[combo_index(*other)]],
        )
        streets = state.round + 1
        arrays.num_streets[index] = streets
        for street, actions in enumerate(state.actions):
            arrays.acted[index, street] = bool(actions)
        chips = np.array(street_investments(state), dtype=np.float64)
        chips[0] = np.minimum(chips[0], min(state.gamedef.stacks))  # what the other cannot match is no pot
        chips += sum(seated.dead) / 2  # dead money counts as if both had put it in
        arrays.invested[index, : streets + 1] = chips if position == 0 else chips[:, ::-1]
        if state.num_folded:
            arrays.folder[index] = 0 if state.folded[position] else 1
        arrays.first[index] = [int(first != position) for first in state.gamedef.first_positions]
    arrays.invested[:] /= hands[0].unit
    return arrays


def empty_judged(count: int) -> Judged:
    """Returns arrays for the judgement of ``count`` hands."""
    return Judged(
        values=np.empty((count, NUM_STREETS, NUM_VALUES)),
        strengths=np.empty((count, NUM_STREETS, 2, 2)),
        lines=np.empty((count, NUM_STREETS, 2, MAX_LINE), dtype=np.int8),
        folders=np.empty((count, NUM_STREETS), dtype=np.int64),
    )


def work_space() -> Strengths:
    """Returns work space for the kernels of one thread."""
    return Strengths(
        left=np.zeros(14, dtype=np.int64),
        known=np.zeros((2, 13, 13), dtype=np.int64),
        on_river=np.zeros((2, 52, 52), dtype=np.int64),
    )


def playing_cards(hole_cards: Sequence[Sequence[int]] | NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Returns the hole cards of both players with five free places each, uint8 of shape (2, 7)."""
    cards = np.zeros((2, 7), dtype=np.uint8)
    cards[:, :2] = hole_cards
    return cards
