"""Benchmark bots: trivial players whose play is known, for any ACPC game. None of them imports numba."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from agent.player import Player
from poker.state import CALL, FOLD, LIMIT_RAISE, Action, HandState

if TYPE_CHECKING:
    from poker.gamedef import GameDef
    from poker.matchstate import MatchState


class FoldBot(Player):
    """Folds whenever there is a bet to fold to, else checks."""

    name = "fold"

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        return FOLD if matchstate.state.can_fold() else CALL


class CallBot(Player):
    """Always calls or checks."""

    name = "call"

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        return CALL


class RaiseBot(Player):
    """Raises whenever a raise is legal, in no-limit games by the pot (all-in if it has less), else calls."""

    name = "raise"

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        state = matchstate.state
        return raise_action(state, pot_raise_to(state)) or CALL


class AllInBot(Player):
    """Raises all-in whenever a raise is legal (in limit games: raises), else calls."""

    name = "allin"

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        state = matchstate.state
        return raise_action(state, state.gamedef.stacks[state.acting_position]) or CALL


class RandomBot(Player):
    """Folds, calls or raises with 6, 47 and 47 %, renormalised over what is legal; no-limit sizes are uniform.

    The frequencies are those of the official example player, so that the two are interchangeable opponents.
    """

    name = "random"

    def __init__(self) -> None:
        self._random = random.Random()

    def new_match(self, gamedef: GameDef, seed: int) -> None:
        self._random.seed(seed)

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        state = matchstate.state
        actions, cumulative = [CALL], [0.47]
        if state.can_fold():
            actions.append(FOLD)
            cumulative.append(cumulative[-1] + 0.06)
        limits = state.raise_range()
        if limits is not None:
            actions.append(Action("r", self._random.randint(*limits)))
            cumulative.append(cumulative[-1] + 0.47)
        return self._random.choices(actions, cum_weights=cumulative)[0]


BOTS: Final[dict[str, type[Player]]] = {bot.name: bot for bot in (FoldBot, CallBot, RaiseBot, AllInBot, RandomBot)}
"""Bot classes by the name they have in a player specification."""


def pot_raise_to(state: HandState) -> int:
    """Returns the size of a pot raise: call first, then add as much as the pot holds (a total over the hand)."""
    to_call = state.max_spent - state.spent[state.acting_position]
    return state.max_spent + sum(state.spent) + to_call


def raise_action(state: HandState, raise_to_total: int) -> Action | None:
    """Returns the legal raise nearest to ``raise_to_total`` (limit games have one size), or None if none is legal."""
    limits = state.raise_range()
    if limits is None:
        return None
    if not state.gamedef.no_limit:
        return LIMIT_RAISE
    smallest, largest = limits
    return Action("r", min(max(raise_to_total, smallest), largest))
