"""The player ``potodds``: it calls where its chance to win pays for the call, for two or three players of hold'em."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from hedgehog.agent.bots import pot_raise_to, raise_action
from hedgehog.agent.limit.bots.run_outs import MOST_OPPONENTS, RunOuts
from hedgehog.agent.options import Options
from hedgehog.agent.player import Player
from hedgehog.poker.cards import combo_mask
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.runtime.errors import InputError

if TYPE_CHECKING:
    from hedgehog.poker.acpc.gamedef import GameDef
    from hedgehog.poker.acpc.matchstate import MatchState

RAISE_SHARE: Final = 1.3
"""Multiple of a fair share of the pot from which the bot raises."""


class PotOddsBot(Player):
    """Plays by pot odds and never chooses at random.

    With n opponents left, its equity is that against n random hands (:mod:`hedgehog.agent.limit.bots.run_outs`). It
    folds if its equity is below the share of the pot after calling that the call costs. Otherwise it raises if its
    equity is at least 1.3 / (n + 1), else it calls or checks. No-limit raises are by the pot.
    """

    name = "potodds"

    def __init__(self) -> None:
        self._run_outs: RunOuts

    def warm_up(self) -> None:
        self._run_outs = RunOuts()
        for board in ((), (10, 20, 30), (10, 20, 30, 40), (10, 20, 30, 40, 50)):
            self._run_outs.equity((0, 5), board, 1)

    def new_match(self, gamedef: GameDef, seed: int) -> None:
        verify_holdem(gamedef, self.name)

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        position, _, hole_cards, board, state = matchstate
        opponents = state.gamedef.num_players - state.num_folded - 1
        equity = self._run_outs.equity(tuple(sorted(hole_cards[position])), board, opponents)
        to_call = state.max_spent - state.spent[position]
        if to_call and equity < to_call / (sum(state.spent) + to_call):
            return FOLD
        if equity >= RAISE_SHARE / (opponents + 1):
            return self._raise(state) or CALL
        return CALL

    def _raise(self, state: HandState) -> Action | None:
        return raise_action(state, pot_raise_to(state))

    def strategy(self, matchstate: MatchState) -> Options:
        """Returns for every combo with certainty the action that the bot takes with it."""
        state = matchstate.state
        opponents = state.gamedef.num_players - state.num_folded - 1
        equity = self._run_outs.equities(matchstate.board, opponents)
        to_call = state.max_spent - state.spent[state.acting_position]
        folds = (equity < to_call / (sum(state.spent) + to_call)) & (to_call > 0)
        raising = self._raise(state)
        raises = ~folds & (equity >= RAISE_SHARE / (opponents + 1)) & (raising is not None)
        actions, rows = [CALL], [~folds & ~raises]
        if to_call:
            actions, rows = [FOLD, *actions], [folds, *rows]
        if raising is not None:
            actions, rows = [*actions, raising], [*rows, raises]
        return Options(actions, np.array(rows, dtype=np.float64) * combo_mask(matchstate.board))


def verify_holdem(gamedef: GameDef, name: str) -> None:
    """Verifies that a game is hold'em for two or three players.

    :raises InputError: if it is another game.
    """
    if not gamedef.is_holdem or gamedef.num_players > MOST_OPPONENTS + 1:
        raise InputError(f"the player {name} plays hold'em with two or three players only")
