"""Two bots for limit hold'em that look at hand ranks alone, without bluffs and traps.

py:docs/examples/bots/hand_ranks.py:PotOdds and py:docs/examples/bots/hand_ranks.py:Baseline
"""

from __future__ import annotations

from functools import lru_cache

from hedgehog.agent.player import Player
from hedgehog.analysis.judging.settings import PUBLISHED
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.evaluation.strength import HandStrength, hand_strength
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, Action, HandState

strength_of = lru_cache(maxsize=64)(hand_strength)


def ranks_held(matchstate: MatchState) -> HandStrength:
    """Returns the hand ranks of the acting player's hand."""
    return strength_of(matchstate.hole_cards[matchstate.position], matchstate.board)


def pot_odds(state: HandState) -> float:
    """Returns what a call costs as a share of the chips in the middle."""
    return (state.max_spent - state.spent[state.acting_position]) / sum(state.spent)


class PotOdds(Player):
    """Bets and raises with an equity of 60 % against a random hand, and folds when the pot odds are worse."""

    name = "pot-odds"

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        state = matchstate.state
        equity = ranks_held(matchstate).seven_card
        if equity >= 0.6 and state.can(LIMIT_RAISE):
            return LIMIT_RAISE
        return FOLD if state.can_fold() and equity < pot_odds(state) else CALL


class Baseline(Player):
    """Plays the baseline of DIVAT: as many bets per street as the effective hand rank is worth."""

    name = "baseline"

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        state = matchstate.state
        policy = PUBLISHED.streets[state.round]
        ranks = ranks_held(matchstate)
        worth = sum(threshold <= ranks.ehr for threshold in policy.make)
        bets = sum(action.kind == "r" for _, action in state.actions[-1]) + (state.round == 0)
        if bets < worth and state.can(LIMIT_RAISE):
            return LIMIT_RAISE
        return FOLD if state.can_fold() and ranks.seven_card < pot_odds(state) + policy.fold_offset else CALL
