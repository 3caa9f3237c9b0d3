"""Lets a player of one game play hands with other stacks and blinds, as if the stacks were those of its own game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.agent.bots import raise_action
from hedgehog.agent.player import Player
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.state import CALL, FOLD, Action, HandState

if TYPE_CHECKING:
    from hedgehog.poker.acpc.gamedef import GameDef


class DeepPlayer(Player):
    """Shows a player every hand in the chips of its own game.

    Bets are converted by the big blind. A bet that would not be legal in the player's game becomes the nearest legal
    one there, and the player's raises become the nearest legal raise of the hand: all-in if the stack is shorter. The
    player does not know how short the stacks are.
    """

    def __init__(self, player: Player, own: GameDef, big_blind: int) -> None:
        """Makes a player of a player that is warmed up.

        :param player: the player, which plays heads-up no-limit hold'em.
        :param own: the game that the player plays.
        :param big_blind: the full big blind of the hands to be played, in chips.
        """
        self._player = player
        self._own = own
        self._big_blind = big_blind
        self.name = player.name

    def new_match(self, gamedef: GameDef, seed: int) -> None:
        self._player.new_match(self._own, seed)

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        state = matchstate.state
        answer = self._player.act(matchstate._replace(state=self._shown(state)), deadline)
        if answer.kind == "r":
            raise_to = round(answer.size * self._big_blind / self._own.big_blind)
            return raise_action(state, raise_to) or CALL
        return FOLD if answer.kind == "f" and state.can_fold() else CALL

    def _shown(self, state: HandState) -> HandState:
        """Returns the hand as a state of the player's own game."""
        shown = HandState(self._own)
        for actions in state.actions:
            for _, action in actions:
                if action.kind == "r":
                    raise_to = round(action.size * self._own.big_blind / self._big_blind)
                    shown.apply(raise_action(shown, raise_to) or CALL)
                else:
                    shown.apply(action if shown.can(action) else CALL)
        return shown
