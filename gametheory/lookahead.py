"""Lookahead responses: a few own decisions looked ahead over a base policy, which is the player's own strategy.

At each of its decisions the responder weighs every action by what it wins against the other players' strategies if it
chooses best at its next ``decisions - 1`` decisions and then follows its own strategy of the profile to the end. It
takes the best action and weighs anew at its next decision.

With one decision this is a step of policy improvement: it never wins less than the player's own strategy. With as many
decisions as the player has on a path it is a best response. So the winnings lie between those of the own strategy and
those of a best response. With more decisions they need not rise at every step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hedgehog.gametheory.strategies import (
    BestResponse,
    Profile,
    best_response,
    expected_payoffs,
    realisation_weights,
    sequence_values,
    verify_profile,
)
from hedgehog.gametheory.tree import ExtensiveGame, Floats
from hedgehog.runtime.errors import GameError


class LookaheadGain(NamedTuple):
    """What lookahead responses win beyond the players' own strategies."""

    gain: float
    """Mean over the players, in payoff units."""
    best: float
    """What best responses win, mean over the players: the exploitability of the profile."""

    @property
    def share(self) -> float:
        """Share of the exploitability that is found; 1 if there is nothing to find."""
        return self.gain / self.best if self.best > 0 else 1.0


def lookahead_response(game: ExtensiveGame, profile: Profile, player: int, decisions: int = 1) -> BestResponse:
    """Returns the lookahead response of one player to the strategies of the others.

    :param profile: a behaviour strategy per player; the player's own one is the base policy.
    :param player: number of the player who responds.
    :param decisions: own decisions that are looked ahead, at least 1.
    :raises GameError: if the profile does not fit the game, or ``decisions`` is below 1.
    """
    if decisions < 1:
        raise GameError(f"expected at least one decision to look ahead, got {decisions}")
    verify_profile(game, profile)
    base, side = profile[player], game.sequences[player]
    at_leaves = sequence_values(game, [realisation_weights(game, p, b) for p, b in enumerate(profile)], player)
    spans = [slice(int(first), int(first + size)) for first, size in zip(side.first, side.size, strict=True)]

    def action_values(worths: Sequence[float] | None) -> Floats:
        """Returns float64[sequences]: the value of every action if the information sets after it are worth so much.

        :param worths: worth of every information set; None for what it is worth by the base policy.
        """
        values = at_leaves.copy()
        for row, span in reversed(list(enumerate(spans))):
            values[side.incoming[row]] += float(base[span] @ values[span]) if worths is None else worths[row]
        return values

    values = action_values(None)
    for _ in range(decisions - 1):
        values = action_values([float(values[span].max()) for span in spans])
    behaviour = np.zeros(side.number)
    behaviour[0] = 1.0
    for span in spans:
        behaviour[span.start + int(np.argmax(values[span]))] = 1.0
    played = [behaviour if number == player else other for number, other in enumerate(profile)]
    return BestResponse(float(expected_payoffs(game, played)[player]), behaviour)


def lookahead_gain(game: ExtensiveGame, profile: Profile, decisions: int = 1) -> LookaheadGain:
    """Returns what lookahead responses of all players win beyond their own strategies.

    :param profile: a behaviour strategy per player.
    :param decisions: own decisions that are looked ahead, at least 1.
    :raises GameError: if the profile does not fit the game, or ``decisions`` is below 1.
    """
    own, players = expected_payoffs(game, profile), range(len(game.players))
    found = [lookahead_response(game, profile, player, decisions).value for player in players]
    best = [best_response(game, profile, player).value for player in players]
    return LookaheadGain(float(np.mean(np.array(found) - own)), float(np.mean(np.array(best) - own)))
