"""Benchmark bots: simple players whose strategy is known, for any ACPC game. None of them imports numba.

:mod:`hedgehog.agent.foils` has further bots, which probe weak spots.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from hedgehog.agent.player import Player
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, Action, HandState

if TYPE_CHECKING:
    from hedgehog.agent.options import Options
    from hedgehog.poker.acpc.gamedef import GameDef
    from hedgehog.poker.acpc.matchstate import MatchState


class PublicBot(Player):
    """A player that decides by the betting alone, whatever its hole cards, and so can report its strategy."""

    @abstractmethod
    def mixture(self, state: HandState) -> Sequence[tuple[Action, float]]:
        """Returns the legal actions that the bot may take in a state, each once, and their probabilities."""

    def strategy(self, matchstate: MatchState) -> Options:
        """Returns the probabilities of the bot's actions, which are the same for every combo that misses the board.

        :raises CardError: if the game is not played with two hole cards from the whole deck.
        """
        import numpy as np  # the bots themselves need no arrays

        from hedgehog.agent.options import Options
        from hedgehog.poker.cards import NUM_CARDS, combo_mask
        from hedgehog.runtime.errors import CardError

        gamedef = matchstate.state.gamedef
        if gamedef.num_hole_cards != 2 or len(gamedef.deck()) != NUM_CARDS:
            raise CardError("a strategy for 1,326 combos needs two hole cards from 52 cards")
        actions, probabilities = zip(*self.mixture(matchstate.state), strict=True)
        rows = np.array(probabilities, dtype=np.float64)[:, np.newaxis] * combo_mask(matchstate.board)
        return Options(list(actions), rows)


class PureBot(PublicBot):
    """A bot that never chooses at random."""

    @abstractmethod
    def choose(self, state: HandState) -> Action:
        """Returns the bot's action in a state in which it is to act."""

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        return self.choose(matchstate.state)

    def mixture(self, state: HandState) -> Sequence[tuple[Action, float]]:
        return [(self.choose(state), 1.0)]


class FoldBot(PureBot):
    """Folds whenever there is a bet to fold to, else checks."""

    name = "fold"

    def choose(self, state: HandState) -> Action:
        return FOLD if state.can_fold() else CALL


class CallBot(PureBot):
    """Always calls or checks."""

    name = "call"

    def choose(self, state: HandState) -> Action:
        return CALL


class RaiseBot(PureBot):
    """Raises whenever a raise is legal, else calls; no-limit raises are by the pot, or all-in if it has less."""

    name = "raise"

    def choose(self, state: HandState) -> Action:
        return raise_action(state, pot_raise_to(state)) or CALL


class AllInBot(PureBot):
    """Raises all-in whenever a raise is legal, else calls; in limit games it raises by the fixed size."""

    name = "allin"

    def choose(self, state: HandState) -> Action:
        return raise_action(state, state.gamedef.stacks[state.acting_position]) or CALL


class RandomBot(Player):
    """Folds, calls or raises with 6, 47 and 47 %, rescaled over the legal actions; no-limit sizes are drawn uniformly.

    The official ACPC example player has the same frequencies, so the two are interchangeable opponents. The bot does
    not report its strategy, because it may have 19,801 sizes to choose from.
    """

    name = "random"
    draws_one_stream = True

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


def pot_raise_to(state: HandState, pots: float = 1.0) -> int:
    """Returns the size of a raise by ``pots`` times the pot after calling, as a total over the hand in chips."""
    to_call = state.max_spent - state.spent[state.acting_position]
    return state.max_spent + round(pots * (sum(state.spent) + to_call))


def raise_action(state: HandState, raise_to_total: int) -> Action | None:
    """Returns the legal raise whose size is nearest to ``raise_to_total``; None if no raise is legal.

    In a limit game, which has one size, it returns a raise whatever ``raise_to_total`` is.
    """
    limits = state.raise_range()
    if limits is None:
        return None
    if not state.gamedef.no_limit:
        return LIMIT_RAISE
    smallest, largest = limits
    return Action("r", min(max(raise_to_total, smallest), largest))
