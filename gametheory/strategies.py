"""Behaviour strategies of extensive games: expected payoffs, best responses and exploitability.

A behaviour strategy of a player is a float64 array with one element per sequence: the probability of the sequence's
last action at its information set. Element 0, for the empty sequence, is 1. A profile has one such array per player.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from hedgehog.gametheory.tree import ExtensiveGame, Floats, PlayerSequences
from hedgehog.runtime.errors import GameError

Profile = Sequence[Floats]
REACHED: Final = 1e-9
"""An information set is reached if the player's own realisation weight of it is at least this."""


class BestResponse(NamedTuple):
    """A best response to the other players' strategies."""

    value: float
    """Expected payoff of the player who responds."""
    behaviour: Floats
    """The response, a behaviour strategy without mixing."""


class InfosetStrategy(NamedTuple):
    """What a behaviour strategy does at one information set."""

    player: str
    infoset: str
    actions: dict[str, float]
    """Probability of each action."""
    reached: bool
    """Whether the player's own earlier actions lead to the information set with positive probability."""


def uniform_profile(game: ExtensiveGame) -> tuple[Floats, ...]:
    """Returns the profile in which every player takes all actions equally often."""
    return tuple(_uniform(side) for side in game.sequences)


def _uniform(side: PlayerSequences) -> Floats:
    return np.concatenate([[1.0], np.repeat(1.0 / side.size, side.size)])


def verify_profile(game: ExtensiveGame, profile: Profile) -> None:
    """Checks that a profile has one behaviour strategy per player.

    :raises GameError: if an array has the wrong length, or the probabilities of an information set are negative or do
        not add up to 1 (to 1e-9).
    """
    if len(profile) != len(game.players):
        raise GameError(f"expected a strategy for each of {len(game.players)} players, got {len(profile)}")
    for name, side, behaviour in zip(game.players, game.sequences, profile, strict=True):
        if behaviour.shape != (side.number,):
            raise GameError(f"expected {side.number} probabilities for {name!r}, got shape {behaviour.shape}")
        sums = np.add.reduceat(behaviour, side.first) if len(side.first) else np.ones(0)
        if not (behaviour >= -1e-12).all() or not np.allclose(sums, 1, rtol=0, atol=1e-9) or behaviour[0] != 1:
            raise GameError(f"the probabilities of {name!r} do not add up to 1 at every information set")


def realisation_weights(game: ExtensiveGame, player: int, behaviour: Floats) -> Floats:
    """Returns float64[sequences]: the product of the player's own probabilities along each sequence."""
    side = game.sequences[player]
    weights = np.ones(side.number)
    for _, span in level_spans(game, player):
        weights[span] = behaviour[span] * weights[side.parent[span]]
    return weights


def behaviour_of(game: ExtensiveGame, player: int, weights: Floats) -> Floats:
    """Returns the behaviour strategy of a realisation plan. It is uniform at information sets that are not reached.

    :param weights: float64[sequences] realisation weights.
    """
    side = game.sequences[player]
    incoming = weights[side.parent]
    with np.errstate(divide="ignore", invalid="ignore"):
        behaviour = np.where(incoming >= REACHED, weights / incoming, _uniform(side))
    behaviour[0] = 1.0
    if len(side.first):
        behaviour[1:] /= np.repeat(np.add.reduceat(behaviour, side.first), side.size)
    return np.asarray(behaviour)


def expected_payoffs(game: ExtensiveGame, profile: Profile) -> Floats:
    """Returns float64[players]: the expected payoffs if the players follow the profile.

    :raises GameError: if the profile does not fit the game.
    """
    verify_profile(game, profile)
    reach = game.leaf_chance.copy()
    for player, behaviour in enumerate(profile):
        reach *= realisation_weights(game, player, behaviour)[game.leaf_sequence[player]]
    return np.asarray(reach @ game.payoffs)


def best_response(game: ExtensiveGame, profile: Profile, player: int) -> BestResponse:
    """Returns a best response of one player to the strategies of the others.

    :param profile: a strategy per player; the player's own is not used.
    """
    side = game.sequences[player]
    values = sequence_values(game, [realisation_weights(game, p, b) for p, b in enumerate(profile)], player)
    behaviour = np.zeros(side.number)
    behaviour[0] = 1.0
    for level in reversed(side.levels):
        for row in range(level.start, level.stop):
            first = int(side.first[row])
            best = first + int(np.argmax(values[first : first + int(side.size[row])]))
            behaviour[best] = 1.0
            values[side.incoming[row]] += values[best]
    return BestResponse(float(values[0]), behaviour)


def sequence_values(game: ExtensiveGame, weights: Sequence[Floats], player: int) -> Floats:
    """Returns float64[sequences]: a player's payoffs at leaves of each sequence, times others' and chance's reach.

    :param weights: realisation weights of all players; the player's own are not used.
    """
    reach = game.leaf_chance * game.payoffs[:, player]
    for other, of_other in enumerate(weights):
        if other != player:
            reach = reach * of_other[game.leaf_sequence[other]]
    found: Floats = np.bincount(
        game.leaf_sequence[player], weights=reach, minlength=game.sequences[player].number
    ).astype(np.float64)
    return found


def gains(game: ExtensiveGame, profile: Profile) -> Floats:
    """Returns float64[players]: what each player gains by a best response to the profile; 0 in an equilibrium.

    :raises GameError: if the profile does not fit the game.
    """
    own = expected_payoffs(game, profile)
    best = [best_response(game, profile, player).value for player in range(len(game.players))]
    return np.asarray(np.array(best) - own)


def exploitability(game: ExtensiveGame, profile: Profile) -> float:
    """Returns the mean of :func:`gains` over the players; for two players it is half of NashConv.

    :raises GameError: if the profile does not fit the game.
    """
    return float(gains(game, profile).mean())


def describe(game: ExtensiveGame, profile: Profile) -> list[InfosetStrategy]:
    """Returns what a profile does at every information set, player by player.

    :raises GameError: if the profile does not fit the game.
    """
    verify_profile(game, profile)
    rows = []
    for player, behaviour in enumerate(profile):
        side = game.sequences[player]
        weights = realisation_weights(game, player, behaviour)
        for row, number in enumerate(side.infosets):
            infoset = game.infosets[number]
            first = int(side.first[row])
            chances = behaviour[first : first + len(infoset.actions)].tolist()
            reached = bool(weights[side.incoming[row]] >= REACHED)
            actions = dict(zip(infoset.actions, chances, strict=True))
            rows.append(InfosetStrategy(game.players[player], infoset.name, actions, reached))
    return rows


def level_spans(game: ExtensiveGame, player: int) -> list[tuple[slice, slice]]:
    """Returns for each number of own earlier actions the slices of the information sets and of their sequences."""
    side = game.sequences[player]
    ends = side.first + side.size
    return [(level, slice(int(side.first[level.start]), int(ends[level.stop - 1]))) for level in side.levels]
