"""What every decision costs against fixed strategies of the other players, and what is luck in the rest of a result.

At an information set *h* an action *a* is worth Q(h, a): the player's payoff if it takes it and then continues in a
given way against the others' strategies. The continuation is its best one, or a strategy of its own. V(h) is what the
continuation itself is worth at *h*. The loss of a decision is V(h) - Q(h, a); with the best continuation it is never
below 0.

In every single play *payoff = value + luck - losses*, where *value* is what the continuation is worth before the first
move. If the other players keep to their strategies, luck is 0 on average whatever the player does. So its expected
losses are what the continuation wins more than its own strategy (Kakade and Langford, "Approximately optimal
approximate reinforcement learning", 2002, lemma 6.1, for games with hidden information).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgehog.gametheory.strategies import Profile, realisation_weights, sequence_values, verify_profile
from hedgehog.gametheory.tree import ExtensiveGame, Floats
from hedgehog.runtime.errors import GameError


class DecisionValues(NamedTuple):
    """What a player's decisions are worth against fixed strategies of the others, in payoff units."""

    player: int
    value: float
    """Payoff of the continuation before the first move."""
    action_values: Floats
    """float64[sequences]: Q of each action; NaN where chance and the other players never lead. Element 0 is
    :attr:`value`."""
    losses: Floats
    """float64[sequences]: V - Q of each action, NaN where it has no value; element 0 is 0."""
    reach: Floats
    """float64[sequences]: probability with which chance and the others lead to the decision of each action if the
    player plays to it; element 0 is 1."""


class LossLine(NamedTuple):
    """The terms of one play: ``result = value + luck - loss``."""

    result: float
    value: float
    luck: float
    loss: float


def decision_values(
    game: ExtensiveGame, profile: Profile, player: int, *, continuation: Floats | None = None
) -> DecisionValues:
    """Returns the values and losses of all actions of a player.

    :param profile: a behaviour strategy per player; the player's own one is not used.
    :param continuation: how the player goes on after an action; None: in the best way.
    :raises GameError: if the profile or the continuation does not fit the game.
    """
    played = [continuation if p == player and continuation is not None else own for p, own in enumerate(profile)]
    verify_profile(game, played)
    side = game.sequences[player]
    weights = [realisation_weights(game, p, own) for p, own in enumerate(played)]
    values = sequence_values(game, weights, player)
    reach = np.ones(side.number)
    losses = np.zeros(side.number)
    for level in reversed(side.levels):
        for row in range(level.start, level.stop):
            span = slice(int(side.first[row]), int(side.first[row] + side.size[row]))
            own = values[span]
            worth = float(own.max()) if continuation is None else float(continuation[span] @ own)
            nodes = list(game.infosets[side.infosets[row]].nodes)
            others = game.chance_reach[nodes]
            for other, of_other in enumerate(weights):
                if other != player:
                    others = others * of_other[game.node_sequence[other, nodes]]
            reach[span] = others.sum()
            losses[span] = worth - own
            values[side.incoming[row]] += worth
    with np.errstate(divide="ignore", invalid="ignore"):
        known = reach > 0
        return DecisionValues(
            player,
            float(values[0]),
            np.where(known, values / reach, np.nan),
            np.where(known, losses / reach, np.nan),
            reach,
        )


def expected_loss(game: ExtensiveGame, values: DecisionValues, behaviour: Floats) -> float:
    """Returns the sum of the losses of a strategy per play if the other players keep to their strategies.

    It is :attr:`DecisionValues.value` less the expected payoff of the strategy.

    :param values: of the player whose strategy it is.
    :param behaviour: float64[sequences], a behaviour strategy.
    :raises GameError: if the strategy does not fit the game.
    """
    side = game.sequences[values.player]
    if behaviour.shape != (side.number,):
        raise GameError(f"expected {side.number} probabilities, got shape {behaviour.shape}")
    weights = realisation_weights(game, values.player, behaviour)
    return float(weights @ np.where(values.reach > 0, values.losses * values.reach, 0.0))


def loss_lines(game: ExtensiveGame, values: DecisionValues) -> tuple[LossLine, ...]:
    """Returns the terms of the play that ends at each leaf, in the order of the leaves.

    Luck is added up move by move: what chance and the others' moves changed in what the player could expect. Where a
    decision on the way has no value, because the others never lead there, luck and loss are NaN.
    """
    player = values.player
    side = game.sequences[player]
    found = []
    for leaf, payoffs in zip(game.leaves.tolist(), game.payoffs, strict=True):
        taken = []
        sequence = int(game.node_sequence[player, leaf])
        while sequence:
            taken.append(sequence)
            sequence = int(side.parent[sequence])
        luck, loss, before = 0.0, 0.0, values.value
        for sequence in reversed(taken):
            worth = float(values.action_values[sequence] + values.losses[sequence])
            luck += worth - before
            loss += float(values.losses[sequence])
            before = float(values.action_values[sequence])
        result = float(payoffs[player])
        found.append(LossLine(result, values.value, luck + result - before, loss))
    return tuple(found)
