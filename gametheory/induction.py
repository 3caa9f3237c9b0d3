"""Backward induction in games with perfect information."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgehog.gametheory.tree import CHANCE, LEAF, ExtensiveGame, Floats
from hedgehog.runtime.errors import GameError


class InductionSolution(NamedTuple):
    """A subgame-perfect equilibrium in pure strategies."""

    values: Floats
    """float64[nodes, players]: expected payoffs from every node on."""
    profile: tuple[Floats, ...]
    """Behaviour strategies (:mod:`hedgehog.gametheory.strategies`)."""


def backward_induction(game: ExtensiveGame) -> InductionSolution:
    """Returns the equilibrium in which every player chooses the best action at every node, the first of equal ones.

    :raises GameError: if an information set has several nodes.
    """
    for infoset in game.infosets:
        if len(infoset.nodes) > 1:
            raise GameError(
                f"game {game.name!r} has no perfect information: information set {infoset.name!r} of"
                f" {game.players[infoset.player]!r} has {len(infoset.nodes)} nodes"
            )
    values = np.zeros((len(game.parent), len(game.players)))
    values[game.leaves] = game.payoffs
    profile = tuple(np.zeros(side.number) for side in game.sequences)
    for behaviour in profile:
        behaviour[0] = 1.0
    for node in range(len(game.parent) - 1, -1, -1):
        mover = int(game.mover[node])
        if mover == LEAF:
            continue
        children = list(game.child_lists[node])
        if mover == CHANCE:
            chances = np.array([float(game.probabilities[child]) for child in children])
            values[node] = chances @ values[children]
        else:
            best = children[int(np.argmax(values[children, mover]))]
            values[node] = values[best]
            profile[mover][game.node_sequence[mover, best]] = 1.0
    return InductionSolution(values, profile)
