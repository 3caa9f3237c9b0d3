"""Foils: opponents that probe one weak spot each, where strong-looking players have lost the most. For any ACPC game.

They win little from sound play, and how much they lose says nothing about strength: only the sign counts. All of them
decide by the betting alone and can report their strategy. The pot-masher of the family is ``raise``, the jammer
``allin`` (:mod:`agent.bots`).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from agent.bots import PublicBot, PureBot, pot_raise_to, raise_action
from agent.player import Player
from poker.state import CALL, FOLD, Action, HandState
from poker.streets import FLOP

if TYPE_CHECKING:
    from poker.acpc.gamedef import GameDef
    from poker.acpc.matchstate import MatchState

"""Number of the betting round that follows the first one, whatever the game deals there."""


class CheckRaiseBot(PureBot):
    """Raises every bet on the flop by the pot, out of position after a check; everywhere else checks and calls.

    A player who bets the flop with much and gives up against raises loses to it, as the winner of earlier
    competitions did in 2017.
    """

    name = "checkraise"

    def choose(self, state: HandState) -> Action:
        if state.round == FLOP and state.can_fold():
            return raise_action(state, pot_raise_to(state)) or CALL
        return CALL


class MinBetBot(PureBot):
    """Makes the least legal bet or raise, up to :data:`MOST_MIN_BETS` times in a betting round, then calls.

    Such bets lie below the smallest size of a betting tree and offer a price that nearly every hand should take.
    """

    name = "minbet"

    def choose(self, state: HandState) -> Action:
        own = sum(
            position == state.acting_position and action.kind == "r" for position, action in state.actions[state.round]
        )
        return (raise_action(state, 0) if own < MOST_MIN_BETS else None) or CALL


MOST_MIN_BETS: Final = 4
"""Two players who raise by the minimum only would otherwise go on for dozens of actions."""


class OffTreeBot(PublicBot):
    """Bets and raises sizes no betting tree holds: :data:`OFF_TREE_POTS`, drawn uniformly.

    Without a bet it checks half of the time and bets otherwise; it folds 20 %, calls 50 % and raises 30 % against one,
    in the same proportion what is left of these when no raise is legal. In no-limit games a size below the legal
    minimum becomes the minimum, one beyond the stack all-in.
    """

    name = "offtree"
    draws_one_stream = True

    def __init__(self) -> None:
        self._random = random.Random()

    def new_match(self, gamedef: GameDef, seed: int) -> None:
        self._random.seed(seed)

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        state = matchstate.state
        actions, weights = zip(*_kinds(state), strict=True)
        chosen: Action = self._random.choices(actions, weights)[0]
        if chosen.kind != "r":
            return chosen
        return raise_action(state, pot_raise_to(state, self._random.choice(OFF_TREE_POTS))) or CALL

    def mixture(self, state: HandState) -> Sequence[tuple[Action, float]]:
        total = sum(weight for _, weight in _kinds(state))
        mixed: dict[Action, float] = {}
        for kind, weight in _kinds(state):
            sizes = OFF_TREE_POTS if kind.kind == "r" else (0.0,)
            for pots in sizes:
                action = raise_action(state, pot_raise_to(state, pots)) or CALL if kind.kind == "r" else kind
                mixed[action] = mixed.get(action, 0.0) + weight / total / len(sizes)
        return list(mixed.items())


OFF_TREE_POTS: Final = tuple(0.05 * 1.15**k for k in range(56))
"""Sizes as fractions of the pot after calling, from 5 % to 109 pots: the sizes of the published local best response."""


def _kinds(state: HandState) -> list[tuple[Action, float]]:
    """Returns fold, call and raise (its size left open) with their weights, as far as they are legal."""
    facing_bet = state.can_fold()
    kinds = [(FOLD, 0.2), (CALL, 0.5)] if facing_bet else [(CALL, 0.5)]
    if state.raise_range() is not None:
        kinds.append((Action("r"), 0.3 if facing_bet else 0.5))
    return kinds


FOILS: Final[dict[str, type[Player]]] = {bot.name: bot for bot in (CheckRaiseBot, MinBetBot, OffTreeBot)}
"""Foil classes by the name they have in a player specification."""
