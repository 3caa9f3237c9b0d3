"""What a player sees, as one vector of numbers from 0 to 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.acpc.gamedef import UNLIMITED_STACK, GameDef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.cards import NUM_CARDS
from hedgehog.poker.state import MAX_ACTIONS_PER_ROUND

PER_ACTION = 5
"""Numbers of an action: who acts, fold, call, raise, chips after it."""
_KINDS = "fcr"


class Features:
    """Turns match states of a game into vectors.

    A vector holds, in this order: the own cards and the board (52 numbers each, 1 for a card that is there), the round
    (one number per round), the own position and the position that acts (one per position each), and for each position
    its chips in the pot, its stack and whether it has folded. Then every action of the hand follows, with room for 64
    actions of each round: the position plus one over the number of positions, 1 for a fold, 1 for a call, 1 for a
    raise, and the chips that the player has put in after it. Chips are in units of :attr:`unit`.
    """

    def __init__(self, gamedef: GameDef) -> None:
        self._gamedef = gamedef
        self.unit = _most_chips(gamedef)
        """Chips that count as 1: the largest stack."""
        players = gamedef.num_players
        self._public = 2 * NUM_CARDS + gamedef.num_rounds + 5 * players
        self.length = self._public + gamedef.num_rounds * MAX_ACTIONS_PER_ROUND * PER_ACTION
        """Number of numbers of a vector."""

    def vector(self, seen: MatchState) -> NDArray[np.float32]:
        """Returns float32[length] of what a player sees."""
        gamedef, state = self._gamedef, seen.state
        players, at = gamedef.num_players, 2 * NUM_CARDS
        vector = np.zeros(self.length, np.float32)
        vector[list(seen.hole_cards[seen.position])] = 1
        vector[[NUM_CARDS + card for card in seen.board]] = 1
        vector[at + state.round] = 1
        at += gamedef.num_rounds
        vector[at + seen.position] = 1
        if not state.finished:
            vector[at + players + state.acting_position] = 1
        at += 2 * players
        vector[at : at + players] = np.array(state.spent) / self.unit
        vector[at + players : at + 2 * players] = np.minimum(np.array(gamedef.stacks) / self.unit, 1)
        vector[at + 2 * players : at + 3 * players] = state.folded
        per_round = MAX_ACTIONS_PER_ROUND * PER_ACTION
        counts = [0] * gamedef.num_rounds
        for before, action in state.replay():
            position, street = before.acting_position, before.round
            spent = before.after(action).spent[position]
            first = self._public + street * per_round + counts[street] * PER_ACTION
            vector[first] = (position + 1) / players
            vector[first + 1 + _KINDS.index(action.kind)] = 1
            vector[first + 4] = spent / self.unit
            counts[street] += 1
        return vector


def _most_chips(gamedef: GameDef) -> int:
    """Returns the most chips that a player can put in."""
    most = max(gamedef.stacks)
    if most < UNLIMITED_STACK or gamedef.no_limit:
        return most
    raises = (min(count, MAX_ACTIONS_PER_ROUND) for count in gamedef.max_raises[: gamedef.num_rounds])
    return gamedef.big_blind + sum(size * count for size, count in zip(gamedef.raise_sizes, raises, strict=True))
