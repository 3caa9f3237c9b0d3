"""Splits the winnings of a tournament by position at the table, and by the opponents at the table."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.stats.estimate import Estimate, mean_estimate
from hedgehog.analysis.stats.match_report import MatchWinnings
from hedgehog.arena.match import seat_orders
from hedgehog.poker.acpc.gamedef import GameDef


def position_names(gamedef: GameDef) -> tuple[str, ...]:
    """Returns what the positions of a game are called, in the order of the protocol.

    Two players with blinds and three players whose last one pays none have the names of hold'em; others are numbered.
    """
    blinds = gamedef.blinds
    if len(blinds) == 2 and blinds[0] > blinds[1] > 0:
        return "big blind", "button"
    if len(blinds) == 3 and blinds[1] > blinds[0] > 0 and blinds[2] == 0:
        return "small blind", "big blind", "button"
    return tuple(f"position {number}" for number in range(1, len(blinds) + 1))


def winnings_by_position(
    matches: Sequence[MatchWinnings], agent: str, gamedef: GameDef, *, duplicate: bool
) -> tuple[Estimate, ...]:
    """Returns the winnings of an agent in each position in mbb per hand.

    An observation is the mean over the hands of a group (the same cards) in which the agent has the position.

    :param matches: the matches of the agent.
    :param duplicate: the matches have all seatings.
    """
    players = gamedef.num_players
    orders = seat_orders(players, duplicate=duplicate)
    values: list[list[NDArray[np.float64]]] = [[] for _ in range(players)]
    for match in matches:
        index = match.names.index(agent)
        chips = match.chips[:, :, index] * 1000 / gamedef.big_blind
        seats = np.array([order.index(index) for order in orders])
        # The first seat has position 0 in the first hand, and positions move on by one seat from hand to hand.
        held = (seats[:, np.newaxis] - np.arange(chips.shape[1])) % players
        for position in range(players):
            mine = held == position
            there = mine.any(axis=0)
            sums = np.where(mine, chips, 0.0).sum(axis=0)[there]
            values[position].append(sums / mine.sum(axis=0)[there])
    return tuple(_estimate(parts) for parts in values)


def winnings_with_opponents(matches: Sequence[MatchWinnings], agent: str, gamedef: GameDef) -> dict[str, Estimate]:
    """Returns the winnings of an agent in mbb per hand over all matches in which an opponent sat at its table."""
    parts: dict[str, list[NDArray[np.float64]]] = {}
    for match in matches:
        won = match.chips[:, :, match.names.index(agent)].mean(axis=0) * 1000 / gamedef.big_blind
        for opponent in match.names:
            if opponent != agent:
                parts.setdefault(opponent, []).append(won)
    return {opponent: _estimate(arrays) for opponent, arrays in parts.items()}


def _estimate(parts: Sequence[NDArray[np.float64]]) -> Estimate:
    values = np.concatenate(parts) if parts else np.empty(0)
    if len(values) == 0:
        return Estimate(math.nan, -math.inf, math.inf, math.nan, 0)
    return mean_estimate(values)
