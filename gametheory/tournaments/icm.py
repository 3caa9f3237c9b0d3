"""Chips into prize money: the independent chip model (ICM).

The winner is drawn with chances in proportion to the chips, the second from the others in the same way, and so on
(Malmuth, "Gambling Theory and Other Topics", 1987; Harville, "Assigning probabilities to the outcomes of multi-entry
competitions", 1973). With two players the chance to win is the share of the chips. The model knows neither blinds nor
seats nor skill.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from hedgehog.gametheory.tree import Floats
from hedgehog.runtime.errors import GameError

MOST_PLAYERS: Final = 12
"""The work doubles with every player."""


def verify_payouts(payouts: Sequence[float], players: int) -> None:
    """Checks the prizes of a tournament.

    :raises GameError: if there are more prizes than players, or they are negative, all 0, or grow with the place.
    """
    given = np.array(payouts, dtype=np.float64)
    if not 0 < len(given) <= players:
        raise GameError(f"expected 1 to {players} payouts for {players} players, got {len(given)}")
    if not np.isfinite(given).all() or (given < 0).any() or given[0] <= 0 or (np.diff(given) > 0).any():
        raise GameError(f"expected payouts that do not grow from the first place on, got {_text(payouts)}")


def place_chances(stacks: Sequence[float]) -> Floats:
    """Returns float64 (players, places): the chance of every player to take every place.

    :param stacks: chips of the players, all above 0.
    :raises GameError: if there are too many players, or one has no chips.
    """
    chips = np.array(stacks, dtype=np.float64)
    count = len(chips)
    if not 1 <= count <= MOST_PLAYERS:
        raise GameError(f"expected 1 to {MOST_PLAYERS} players, got {count}")
    if not np.isfinite(chips).all() or (chips <= 0).any():
        raise GameError(f"expected stacks above 0, got {_text(stacks)}")
    chances = np.zeros((count, count))
    reached = np.zeros(1 << count)  # chance that the players of a set take the first places
    reached[0] = 1.0
    for placed in range((1 << count) - 1):
        left = [player for player in range(count) if not placed >> player & 1]
        total = float(chips[left].sum())
        for player in left:
            chance = reached[placed] * chips[player] / total
            chances[player, count - len(left)] += chance
            reached[placed | 1 << player] += chance
    return chances


def prizes(stacks: Sequence[float], payouts: Sequence[float], before: Sequence[float] | None = None) -> Floats:
    """Returns float64 (players): the expected prize of every player.

    :param stacks: chips of the players; those without chips have left the tournament in the last hand.
    :param payouts: prizes from the first place on; the places after them win nothing.
    :param before: chips before that hand: of the players who leave together, who had more takes the better place, and
        equal ones share. All stacks are above 0 if it is left out.
    :raises GameError: if chips or payouts are impossible.
    """
    verify_payouts(payouts, len(stacks))
    paid = np.zeros(len(stacks))
    paid[: len(payouts)] = payouts
    chips = np.array(stacks, dtype=np.float64)
    playing = chips > 0 if before is not None else np.ones(len(chips), bool)
    found = np.zeros(len(chips))
    alive = np.flatnonzero(playing)
    found[alive] = place_chances(chips[alive].tolist()) @ paid[: len(alive)]
    place = len(alive)
    had = np.array(stacks if before is None else before, dtype=np.float64)
    for size in np.unique(had[~playing])[::-1]:
        equal = np.flatnonzero(~playing & (had == size))
        found[equal] = paid[place : place + len(equal)].mean()
        place += len(equal)
    return found


def _text(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:g}" for number in numbers)
