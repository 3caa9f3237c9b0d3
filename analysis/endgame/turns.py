"""Draws the turns that are measured from self-play of a player, with probability proportional to the pot.

What a perfect opponent wins is a share of the pot, and chips are lost where pots are large. So a turn is drawn as often
as its pot is large, and the loss in chips per hand is the mean share of the pot times the mean pot.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.player import Player, ReportsStrategy
from hedgehog.agent.reported_strategy import reported_strategy
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.cards import NUM_CARDS, NUM_COMBOS, combo_mask
from hedgehog.poker.state import HandState
from hedgehog.poker.streets import BOARD_CARDS, TURN
from hedgehog.runtime.errors import InputError

LEAST_HANDS: Final = 2000
HANDS_PER_TURN: Final = 100
"""Hands of self-play for each turn that is measured. With so many, hardly a turn is drawn twice."""


class Turn(NamedTuple):
    """The start of a turn in a hand of self-play, with both players to act."""

    hand: int
    """Number of the hand."""
    betting: str
    """ACPC betting before the turn, such as ``r250c/cr415c/``."""
    board: tuple[int, ...]
    """Four card ids."""
    pot: int
    """Chips in the pot."""


class TurnSample(NamedTuple):
    """The turns of a number of hands of self-play, and those drawn from them."""

    hands: int
    """Number of hands that were played."""
    turns: int
    """Number of hands in which somebody could act on the turn."""
    pots: int
    """Sum of the pots of these turns, in chips."""
    drawn: tuple[Turn, ...]
    """The turns to be measured, by ascending pot. A turn whose pot is very large may be among them more than once."""

    @property
    def mean_pot(self) -> float:
        """Chips in the pot at the start of the turn, averaged over all hands; 0 in a hand without a turn."""
        return self.pots / self.hands


def sample_turns(player: Player, gamedef: GameDef, number: int, seed: int) -> TurnSample:
    """Plays hands of self-play and draws turns from them with probability proportional to the pot.

    :param player: plays both seats; a player that does not think gets there as fast as it can.
    :param number: number of turns to draw.
    :param seed: decides cards and actions.
    :raises InputError: if too few hands come to a turn.
    """
    hands = max(LEAST_HANDS, HANDS_PER_TURN * number)
    turns = [turn for hand in range(hands) if (turn := play_to_turn(player, gamedef, hand, seed)) is not None]
    if not turns:
        raise InputError(f"in none of {hands} hands of self-play did both players have a decision on the turn")
    drawn = draw_by_pot(turns, number, random.Random(f"{seed}/turns").random())
    return TurnSample(hands, len(turns), sum(turn.pot for turn in turns), drawn)


def play_to_turn(player: Player, gamedef: GameDef, hand: int, seed: int) -> Turn | None:
    """Plays one hand up to the turn; returns None if nobody comes to act there.

    :param hand: number of the hand, which with the seed decides the cards.
    """
    deck = random.Random(f"{seed}/{hand}").sample(range(NUM_CARDS), 8)
    hole = (tuple(deck[:2]), tuple(deck[2:4]))
    state = HandState(gamedef)
    while not state.finished:
        position, board = state.acting_position, tuple(deck[4 : 4 + BOARD_CARDS[state.round]])
        if state.round == TURN:
            return Turn(hand, state.betting_string(), board, sum(state.spent))
        state.apply(player.act(MatchState(position, hand, hole, board, state), math.inf))
    return None


def draw_by_pot(turns: Sequence[Turn], number: int, start: float) -> tuple[Turn, ...]:
    """Draws turns systematically: equally spaced points on the line on which every turn is as long as its pot.

    :param turns: at least one turn.
    :param number: number of turns to draw.
    :param start: place of the first point in its interval, in [0, 1).
    """
    ordered = sorted(turns)
    ordered.sort(key=lambda turn: turn.pot)
    ends = np.cumsum([turn.pot for turn in ordered])
    points = (np.arange(number) + start) * (ends[-1] / number)
    return tuple(ordered[index] for index in np.searchsorted(ends, points, side="right").tolist())


def ranges_at(player: ReportsStrategy, gamedef: GameDef, turn: Turn) -> NDArray[np.float64]:
    """Returns (2, 1326): by position, how likely each combo plays the betting before a turn; the largest weight is 1.

    :raises InputError: if the player never plays this betting.
    """
    reach = np.ones((2, NUM_COMBOS)) * combo_mask(turn.board)
    for state, action in parse_betting(turn.betting, gamedef).replay():
        position = state.acting_position
        view = MatchState(position, turn.hand, ((), ()), turn.board[: BOARD_CARDS[state.round]], state.copy())
        row = reported_strategy(player, view).row(action)
        reach[position] *= 0.0 if row is None else row
    largest = reach.max(axis=1, keepdims=True)
    if (largest <= 0).any():
        raise InputError(f"the player never plays {turn.betting!r}, the betting before a turn of its self-play")
    return np.asarray(reach / largest)
