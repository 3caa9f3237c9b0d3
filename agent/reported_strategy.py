"""Asks a player for the strategy that it reports, and checks the answer: the player may be a class of the user.

What a player reports along a betting line makes the ranges with which everybody would come there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.options import Options
from hedgehog.agent.player import ReportsStrategy
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.runtime.errors import HedgehogError, MatchError
from hedgehog.runtime.extending.user_code import user_code_error

LEAST_WEIGHT: Final = 0.0005
"""Weight below which a combo is a trace: the bytes of packs leave some of nearly all hands."""
_TOLERANCE: Final = 1e-3
"""Largest difference from one of a sum of probabilities."""


def reported_strategy(player: ReportsStrategy, matchstate: MatchState) -> Options:
    """Returns the strategy that a player reports in a state in which it is to act.

    :raises MatchError: if the player fails, or what it reports is no strategy for this state. The message says what was
        expected, or which line of the player's class has failed.
    """
    try:
        options = player.strategy(matchstate)
    except HedgehogError:
        raise
    except (Exception, SystemExit) as error:
        raise MatchError(str(user_code_error("strategy() failed", error, None))) from error
    if problem := _problem(options, matchstate):
        where = f"{type(player).__module__}.{type(player).__qualname__}"
        raise MatchError(f"strategy() of {where} at {matchstate.state.betting_string()!r}: {problem}")
    return options


def reported_ranges(player: ReportsStrategy, matchstate: MatchState) -> NDArray[np.float64]:
    """Returns the ranges with which the players come to a state if all of them play what a player reports.

    :param matchstate: a state; the hole cards do not matter.
    :returns: float64 (players, 1326) from 0 to 1: the product of the probabilities of the position's own actions, and 0
        where the board blocks the combo.
    :raises MatchError: as :func:`reported_strategy` raises it.
    """
    state, board = matchstate.state, matchstate.board
    ranges = np.tile(combo_mask(board).astype(np.float64), (state.gamedef.num_players, 1))
    for before, action in state.replay():
        position, dealt = before.acting_position, board[: before.gamedef.board_cards_by(before.round)]
        found = reported_strategy(player, matchstate._replace(position=position, board=dealt, state=before.copy()))
        row = found.row(action)
        ranges[position] *= 0.0 if row is None else row
    return ranges


def filled_ranges(ranges: NDArray[np.float64], board: Sequence[int]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Replaces ranges of traces alone, because the player itself never gets there, by all hands.

    :param ranges: float64 (players, 1326) weights from 0 to 1.
    :param board: card ids of the board.
    :returns: the ranges, and bool (players,) which of them are the players' own.
    """
    own: NDArray[np.bool_] = np.any(ranges >= LEAST_WEIGHT, axis=1)
    return np.where(own[:, np.newaxis], ranges, combo_mask(board).astype(np.float64)), own


def _problem(options: object, matchstate: MatchState) -> str:
    """Returns what is wrong with a reported strategy, and what was expected; empty if nothing is."""
    if not isinstance(options, Options):
        return f"expected hedgehog.agent.Options(actions, probabilities), got {type(options).__name__}"
    try:
        illegal = [action for action in options.actions if not matchstate.state.can(action)]
    except (TypeError, ValueError, AttributeError):
        return f"expected a list of actions, got {options.actions!r}"
    if illegal:
        return f"the action {illegal[0]} is not legal"
    try:
        probabilities = np.asarray(options.probabilities, np.float64)
    except (TypeError, ValueError):
        return "expected an array of probabilities"
    if probabilities.shape != (len(options.actions), NUM_COMBOS):
        expected = (len(options.actions), NUM_COMBOS)
        return f"expected probabilities of shape {expected}, got {probabilities.shape}"
    if not np.isfinite(probabilities).all() or probabilities.min() < -_TOLERANCE:
        return "expected probabilities from 0 to 1, got some that are not"
    sums = probabilities.sum(axis=0)[combo_mask(matchstate.board)]
    worst = float(sums[np.abs(sums - 1).argmax()])
    if abs(worst - 1) > _TOLERANCE:
        return f"expected the probabilities of every possible hand to sum to one, got {worst:.6g}"
    return ""
