"""Random numbers of players: every decision has a number of its own, which depends on its place in the match alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from hedgehog.runtime._random_kernels import GAMMA, MIX_1, MIX_2

if TYPE_CHECKING:
    from hedgehog.poker.state import Action

_WORD: Final = (1 << 64) - 1


def uniform(seed: int, hand_id: int, decision: int) -> float:
    """Returns a pseudo-random number in [0, 1) that depends on the arguments alone (SplitMix64).

    :param seed: seed of the match.
    :param hand_id: number of the hand in the match.
    :param decision: number of the decision in the hand.
    """
    word = seed
    for part in (hand_id, decision):
        word = ((word + part + 1) * GAMMA) & _WORD
        word = ((word ^ word >> 30) * MIX_1) & _WORD
        word = ((word ^ word >> 27) * MIX_2) & _WORD
        word ^= word >> 31
    return (word >> 11) * 2.0**-53


def drawn(actions: Sequence[Action], probabilities: Sequence[float], number: float) -> Action:
    """Returns the action that a number in [0, 1) draws; an action of probability 0 is never drawn.

    :param actions: actions, of which at least one is likely.
    :param probabilities: probability of each; they sum to one.
    """
    action = actions[0]
    for candidate, probability in zip(actions, probabilities, strict=True):
        if probability > 0:
            action = candidate
            number -= probability
            if number < 0:
                break
    return action
