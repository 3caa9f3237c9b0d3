"""Thinking time: what one decision may use, and what one of its solves may use.

Two numbers bound a solve. The planned time fixes how much is solved: the bet sizes and the number of iterations. It is
given and never measured, so that the same hand and the same time give the same strategy on every machine. The deadline
ends the solve on a machine that is slower than planned.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple, Protocol

EARLIER_SHARE: Final = 0.25
"""Share of the time left for a decision that a solve of an earlier decision of the hand gets."""


class SolveTime(NamedTuple):
    """The time of one solve."""

    plan_ms: float
    """Milliseconds for which the solve is planned."""
    deadline: float = math.inf
    """Instant of :func:`time.monotonic` at which iterations stop."""


class ThinkTime(Protocol):
    """The time for a question about the strategy, which may need several solves."""

    def next_plan_ms(self, *, last: bool) -> float:
        """Returns the milliseconds for which the next solve would be planned.

        :param last: True for the decision that was asked for, False for an earlier decision of the hand.
        """
        ...

    def take(self, *, last: bool) -> SolveTime:
        """Returns the time for the next solve.

        :param last: True for the decision that was asked for, False for an earlier decision of the hand, on which the
            ranges depend.
        """
        ...


class TimePerDecision:
    """Gives every decision of the hand the same time, as if all of them had been played.

    Questions about a hand that the player has not played use it, so that the answer is the strategy with which the
    player plays this hand from its start.
    """

    def __init__(self, think_ms: float) -> None:
        """Makes the time for questions.

        :param think_ms: milliseconds per decision.
        """
        self._time = SolveTime(think_ms)

    def next_plan_ms(self, *, last: bool) -> float:
        """Returns the full time of a decision."""
        return self._time.plan_ms

    def take(self, *, last: bool) -> SolveTime:
        """Returns the full time of a decision."""
        return self._time


class DecisionTime:
    """The time of one decision at the table. All solves that the decision needs share it."""

    def __init__(self, think_ms: float, deadline: float) -> None:
        """Makes the time of a decision.

        :param think_ms: milliseconds for which all solves together are planned.
        :param deadline: instant of :func:`time.monotonic` at which iterations of all solves stop.
        """
        self._left_ms = think_ms
        self._deadline = deadline

    def next_plan_ms(self, *, last: bool) -> float:
        """Returns all the time left for the last solve, or a share of it for an earlier one."""
        return self._left_ms if last else EARLIER_SHARE * self._left_ms

    def take(self, *, last: bool) -> SolveTime:
        """Takes the time of :meth:`next_plan_ms` away from the time left."""
        plan_ms = self.next_plan_ms(last=last)
        self._left_ms -= plan_ms
        return SolveTime(plan_ms, self._deadline)
