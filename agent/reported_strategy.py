"""Asks a player for the strategy that it reports, and checks the answer: the player may be a class of the user."""

from __future__ import annotations

from typing import Final

import numpy as np

from hedgehog.agent.options import Options
from hedgehog.agent.player import ReportsStrategy
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.runtime.errors import HedgehogError, MatchError
from hedgehog.runtime.extending.user_code import user_code_error

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
