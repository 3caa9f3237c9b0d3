"""The player ``jamfold``: before the flop it moves all-in or folds, and afterwards it checks.

At the ACPC table it plays the equilibrium of one hand for chips, solved for the depth of the game. In a freeze-out
(:mod:`hedgehog.arena.freeze_out`) with fixed blinds it plays the strategies of the tournament, which depend on both
stacks (:mod:`hedgehog.gametheory.tournaments.jam_tables`); with blind levels it plays every hand for chips.

In the small blind it is all-in or folds. In the big blind it calls or folds against an all-in; against a limp or a
smaller raise it jams the hands of the strategy that guarantees most, else checks, or folds if it may not check.
"""

from __future__ import annotations

import random
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.player import Player
from hedgehog.gametheory.tournaments.jam_stages import (
    BigBlindStage,
    HandTables,
    SmallBlindStage,
    solve_big_blind,
    solve_small_blind,
)
from hedgehog.poker.cards import combo_index, combo_mask
from hedgehog.poker.evaluation.equity import class_equities, class_pairs
from hedgehog.poker.evaluation.matchups import class_strengths
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.runtime.errors import GamedefError

if TYPE_CHECKING:
    from hedgehog.agent.options import Options
    from hedgehog.gametheory.tournaments.jam_tables import JamTables
    from hedgehog.poker.acpc.gamedef import GameDef
    from hedgehog.poker.acpc.matchstate import MatchState

MOST_BIG_BLINDS: Final = 15
"""Deepest effective stack in big blinds; with more chips, only jamming or folding gives away too much."""


class JamStrategy(NamedTuple):
    """Probabilities to go all-in, each float64 (169) by hand class."""

    jam: NDArray[np.float64]
    """In the small blind."""
    call: NDArray[np.float64]
    """In the big blind against an all-in."""
    over_limp: NDArray[np.float64]
    """In the big blind against a limp or a raise that leaves chips behind."""


def is_heads_up_no_limit(gamedef: GameDef) -> bool:
    """Tells whether a game is heads-up no-limit hold'em with two blinds."""
    return gamedef.num_players == 2 and gamedef.no_limit and gamedef.is_holdem and 0 not in gamedef.blinds


def verify_short_stacks(gamedef: GameDef) -> None:
    """Checks that a game is heads-up no-limit hold'em with more than 1 and at most 15 big blinds.

    :raises GamedefError: if it is not.
    """
    if not is_heads_up_no_limit(gamedef):
        raise GamedefError("jam or fold needs heads-up no-limit hold'em with two blinds")
    depth = min(gamedef.stacks) / gamedef.big_blind
    if not 1 < depth <= MOST_BIG_BLINDS:
        raise GamedefError(
            f"jam or fold needs stacks of more than 1 and at most {MOST_BIG_BLINDS} big blinds, got {depth:.4g}"
        )


class ChipStrategy:
    """The equilibrium of one hand for chips, and what the big blind jams over limps and small raises.

    The latter is the best guarantee against an opponent who folds, enters and folds, or enters and calls. In a
    freeze-out nearly every hand has another depth and few need both, so each linear program is solved when it is asked
    for. All are float64 (169) by hand class; :class:`GameError` is raised if a program is not exact enough.
    """

    def __init__(self, stack: float, small_blind: float, big_blind: float) -> None:
        """
        :param stack: chips of the smaller stack before the blinds.
        """
        self._asked = stack / big_blind, small_blind / big_blind

    @property
    def jam(self) -> NDArray[np.float64]:
        """Probability to go all-in in the small blind."""
        return _solved_small_blind(*self._asked).jam

    @property
    def call(self) -> NDArray[np.float64]:
        """Probability to call an all-in in the big blind."""
        return _solved_small_blind(*self._asked).call

    @property
    def over_limp(self) -> NDArray[np.float64]:
        """Probability to go all-in in the big blind against a limp or a raise that leaves chips behind."""
        return _solved_big_blind(*self._asked).jam


@cache
def _tables() -> HandTables:
    pairs = class_pairs()
    # For chips a tie is half a win, so equities do in place of wins and ties.
    return HandTables(HAND_CLASS_NAMES, pairs / pairs.sum(), class_equities())


@cache
def _solved_small_blind(depth: float, small_blind: float) -> SmallBlindStage:
    """Returns jam and call for a stack and a small blind in big blinds."""
    showdown = _tables().showdown(depth, 0.0, -depth)
    return solve_small_blind(_tables(), fold=-small_blind, steal=1.0, showdown=showdown)


@cache
def _solved_big_blind(depth: float, small_blind: float) -> BigBlindStage:
    """Returns the replies to limps and small raises for a stack and a small blind in big blinds."""
    showdown = _tables().showdown(depth, 0.0, -depth)
    return solve_big_blind(_tables(), walk=small_blind, give_up=-1.0, steal=1.0, showdown=showdown)


def _blind_strategy(gamedef: GameDef) -> JamStrategy:
    """Returns the strategy of a hand whose big blind is all that the players can put in: only the button decides.

    It puts in all chips with the hands that lose less against a random hand than the small blind.
    """
    stack = min(gamedef.stacks)
    jam = ((2 * class_strengths() - 1) * stack > -min(gamedef.blinds)).astype(np.float64)
    return JamStrategy(jam, np.ones_like(jam), np.ones_like(jam))


class JamFoldPlayer(Player):
    """Jams or folds before the flop."""

    name = "jamfold"

    def __init__(self, tables: JamTables | None = None) -> None:
        """Makes a player.

        :param tables: strategies of a tournament. The player then reads both stacks from the game of each hand; without
            tables it plays for chips.
        """
        self._tables = tables
        self._seed = 0
        self._strategy: JamStrategy | ChipStrategy | None = None

    def new_match(self, gamedef: GameDef, seed: int) -> None:
        """Prepares to solve the hand for chips, or finds its stacks in the tables of the tournament.

        :raises GamedefError: if the player cannot play the game.
        """
        self._seed = seed
        if self._tables is not None:
            first = gamedef.first_positions[0]
            self._strategy = JamStrategy(*self._tables.rows(gamedef.stacks[first], gamedef.stacks[1 - first]))
            return
        if min(gamedef.stacks) <= gamedef.big_blind and is_heads_up_no_limit(gamedef):
            self._strategy = _blind_strategy(gamedef)
            return
        verify_short_stacks(gamedef)
        _tables()
        self._strategy = ChipStrategy(min(gamedef.stacks), min(gamedef.blinds), gamedef.big_blind)

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        state = matchstate.state
        go_on, instead, chances = self._choice(state)
        if chances is None:
            return instead
        low, high = matchstate.hole_cards[matchstate.position]
        chance = chances[HAND_CLASS[combo_index(low, high)]]
        # Each decision has a random number of its own, so a lost or repeated request does not change other decisions.
        drawn = random.Random(f"{self._seed} {matchstate.hand_id} {len(state.actions[0])}").random()
        return go_on if drawn < chance else instead

    def strategy(self, matchstate: MatchState) -> Options:
        """Returns the probabilities of the player's actions for every combo.

        :raises MatchStateError: if nobody is to act.
        """
        from hedgehog.agent.options import Options

        mask = combo_mask(matchstate.board).astype(np.float64)
        go_on, instead, chances = self._choice(matchstate.state)
        if chances is None:
            return Options([instead], mask[np.newaxis])
        of_combos = chances[HAND_CLASS]
        return Options([go_on, instead], np.stack([of_combos, 1 - of_combos]) * mask)

    def _choice(self, state: HandState) -> tuple[Action, Action, NDArray[np.float64] | None]:
        """Returns the all-in action, the other action, and the chances of the former by hand class; None for none."""
        instead = FOLD if state.can_fold() else CALL
        acting, strategy = state.acting_position, self._strategy
        assert strategy is not None
        decided = any(position == acting for position, _ in state.actions[0])
        if state.round > 0 or decided:
            return instead, instead, None
        limits = state.raise_range()
        all_in = CALL if limits is None else Action("r", limits[1])
        if not state.actions[0]:
            return all_in, instead, strategy.jam
        if state.max_spent >= min(state.gamedef.stacks):
            return CALL, instead, strategy.call
        return all_in, instead, strategy.over_limp
