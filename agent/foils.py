"""Foils: bots that probe one weak spot of a player each, for any ACPC game.

A foil that wins shows a fault of its opponent. The size of its losses says nothing about the opponent's strength. All
foils decide by the betting alone and can report their strategy. The bots ``raise`` and ``allin`` of
:mod:`hedgehog.agent.bots` serve as foils too: they raise the pot, or all-in, whenever they may.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from hedgehog.agent.bots import PublicBot, PureBot, pot_raise_to, raise_action
from hedgehog.agent.player import Player
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.poker.streets import FLOP

if TYPE_CHECKING:
    from hedgehog.poker.acpc.gamedef import GameDef
    from hedgehog.poker.acpc.matchstate import MatchState


class CheckRaiseBot(PureBot):
    """Raises every bet on the flop by the pot, after a check if it is out of position; otherwise checks and calls.

    A player who bets most hands on the flop and folds too many of them against raises loses to it. A player that had
    won earlier computer poker competitions lost in this way in 2017.
    """

    name = "checkraise"

    def choose(self, state: HandState) -> Action:
        if state.round == FLOP and state.can_fold():
            return raise_action(state, pot_raise_to(state)) or CALL
        return CALL


class MinBetBot(PureBot):
    """Makes the smallest legal bet or raise, up to :data:`MOST_MIN_BETS` times in a betting round, then calls.

    Such bets are smaller than every size of a typical betting tree and offer a price at which nearly every hand should
    call.
    """

    name = "minbet"

    def choose(self, state: HandState) -> Action:
        own = sum(
            position == state.acting_position and action.kind == "r" for position, action in state.actions[state.round]
        )
        return (raise_action(state, 0) if own < MOST_MIN_BETS else None) or CALL


MOST_MIN_BETS: Final = 4
"""Most bets and raises of a :class:`MinBetBot` in a betting round: two of them would raise dozens of times."""


class OffTreeBot(PublicBot):
    """Bets and raises by sizes that no betting tree holds, drawn uniformly from :data:`OFF_TREE_POTS`.

    Without a bet to face it checks and bets with 50 % each. Against a bet it folds with 20 %, calls with 50 % and
    raises with 30 %; if no raise is legal, folds and calls keep their proportion. In no-limit games a size below the
    legal minimum becomes the minimum, and a size beyond the stack becomes all-in.
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
"""Sizes as fractions of the pot after calling, from 5 % to 109 pots, as local best response (Lisý and Bowling 2017)."""


def _kinds(state: HandState) -> list[tuple[Action, float]]:
    """Returns fold, call and raise (its size left open) with their weights, as far as they are legal."""
    facing_bet = state.can_fold()
    kinds = [(FOLD, 0.2), (CALL, 0.5)] if facing_bet else [(CALL, 0.5)]
    if state.raise_range() is not None:
        kinds.append((Action("r"), 0.3 if facing_bet else 0.5))
    return kinds


FOILS: Final[dict[str, type[Player]]] = {bot.name: bot for bot in (CheckRaiseBot, MinBetBot, OffTreeBot)}
"""Foil classes by the name they have in a player specification."""
