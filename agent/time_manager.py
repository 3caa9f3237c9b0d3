"""The thinking time of a whole match: how long each decision may take.

A dealer limits the thinking time per hand on average over the match. The number of hands is not known in advance, so
each hand that begins adds the average to an account, and each decision is charged to it. Time that simple hands do not
need stays on the account for later hands. While the account is full, every decision gets the full time of a decision.
Otherwise a decision gets a share of the account, and the share is larger in a big pot, on a late street and where the
strategy mixes. A share that is too short to solve anything becomes 0, and then the packs answer.

The module has no clock. Its caller measures how long decisions take.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hedgehog.poker.streets import FLOP, RIVER, TURN

DEFAULT_THINK_MS: Final = 1500
"""Thinking time per decision of our player in commands."""
HAND_AVERAGE_MS: Final = 7_000
"""Default average thinking time per hand over a match, the rule of the ACPC."""
HAND_LIMIT_MS: Final = 600_000
"""Default limit of the thinking time in one hand, the rule of the ACPC."""
USABLE_SHARE: Final = 0.9
"""Share of each limit that is planned. The rest is for decisions longer than planned."""
ANSWER_MS: Final = 10
"""Milliseconds charged for each decision besides the player's own time.

The dealer also measures its message, the answer, and waiting for a core. That was 5 ms per answer on a machine where
eight processes shared each core."""
MOST_OF_ACCOUNT: Final = 0.6
"""Largest share of the account for one decision. A decision that takes 1.5 times as long leaves some of the account."""
SHORTEST_MS: Final = 10
"""A shorter time is not used, because no street can be solved in it."""

_SOLVES_TO_COME: Final = {FLOP: 4, TURN: 3, RIVER: 2}
"""Street -> number of solves among which the account is divided: one for each street left, and one for another bet."""
_USUAL_POT_BB: Final = 10
_POT_WEIGHTS: Final = (0.5, 2.0)
_LEAST_CLOSE: Final = 0.7
_CLOSENESS_FACTOR: Final = 1.2
_STEPS_PER_OCTAVE: Final = 2


@dataclass(frozen=True, slots=True)
class HandTime:
    """Limits of the thinking time of a player in its hands, in milliseconds."""

    average_ms: int = HAND_AVERAGE_MS
    """Limit of the average per hand over the match."""
    limit_ms: int = HAND_LIMIT_MS
    """Limit for all decisions of one hand together."""


class TimeManager:
    """The account of the thinking time of one match."""

    def __init__(self, decision_ms: int, hands: HandTime) -> None:
        """Starts a match.

        :param decision_ms: most milliseconds for one decision.
        :param hands: limits for hands.
        """
        self._decision_ms = decision_ms
        self._limits = hands
        self._first_hand: int | None = None
        self._hand = 0
        self._hand_ms = 0.0
        self.used_ms = 0.0
        """Milliseconds that all decisions so far have taken."""
        self._charged_ms = 0.0
        self.shortened = 0
        """Number of decisions that got less than the full time of a decision."""

    @property
    def hands(self) -> int:
        """Number of hands from the first decision to the last one; hands without a decision count."""
        return 0 if self._first_hand is None else self._hand - self._first_hand + 1

    @property
    def account_ms(self) -> float:
        """Milliseconds that may be used now without exceeding the average per hand or the limit of the hand."""
        average = USABLE_SHARE * self._limits.average_ms * self.hands - self._charged_ms
        return max(0.0, min(average, USABLE_SHARE * self._limits.limit_ms - self._hand_ms))

    def begin(self, hand_id: int) -> None:
        """Notes that the next decision belongs to a hand; each new hand adds to the account.

        :param hand_id: number of the hand in the match.
        """
        if self._first_hand is None:
            self._first_hand = self._hand = hand_id
        elif hand_id != self._hand:
            self._hand = max(hand_id, self._first_hand)
            self._hand_ms = 0.0

    def budget_ms(self, street: int, pot_bb: float, closeness: Callable[[], float]) -> int:
        """Returns the milliseconds for the next decision of the hand that has begun; 0: the packs answer.

        Times below the full time of a decision are rounded down to a few values. Small differences between measured
        times then seldom change what is played.

        :param street: street of the decision, 1 flop .. 3 river.
        :param pot_bb: chips in the pot, in big blinds.
        :param closeness: returns the share of hands for which the best action is not taken, 0 .. 1. It is called only
            if the answer matters.
        """
        share = self.account_ms / _SOLVES_TO_COME[street]
        share *= min(max(math.sqrt(pot_bb / _USUAL_POT_BB), _POT_WEIGHTS[0]), _POT_WEIGHTS[1])
        most = MOST_OF_ACCOUNT * self.account_ms
        if min(_LEAST_CLOSE * share, most) >= self._decision_ms:
            return self._decision_ms
        found = min((_LEAST_CLOSE + _CLOSENESS_FACTOR * closeness()) * share, most)
        if found >= self._decision_ms:
            return self._decision_ms
        self.shortened += 1
        if found < SHORTEST_MS:
            return 0
        return int(2 ** (math.floor(_STEPS_PER_OCTAVE * math.log2(found)) / _STEPS_PER_OCTAVE))

    def charge(self, ms: float) -> None:
        """Charges the time that a decision has taken, and :data:`ANSWER_MS`.

        :param ms: milliseconds.
        """
        self.used_ms += ms
        self._charged_ms += ms + ANSWER_MS
        self._hand_ms += ms + ANSWER_MS

    def report(self) -> dict[str, object]:
        """Returns limits, time used and number of shortened decisions, as values for JSON."""
        return {
            "decision_ms": self._decision_ms,
            "average_ms": self._limits.average_ms,
            "used_ms": round(self.used_ms, 1),
            "hands": self.hands,
            "shortened": self.shortened,
        }
