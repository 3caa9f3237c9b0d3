"""Thinking time: the limits of a match, and a clock per seat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

RESPONSE_MS: Final = 600_000
HAND_MS: Final = 600_000
PER_HAND_MS: Final = 7_000
"""Limits of thinking time where nobody asks for others: for one answer, in one hand, and on average per hand."""


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Thinking time in microseconds; more than a limit ends the match."""

    response_us: int
    """For one answer."""
    hand_us: int
    """Of one seat in one hand."""
    match_us: int
    """Of one seat in the whole match."""


def time_limits(response_ms: int, hand_ms: int, per_hand_ms: int, num_hands: int) -> TimeLimits:
    """Returns the limits of a match of ``num_hands`` hands from the milliseconds that a log head states."""
    return TimeLimits(response_ms * 1000, hand_ms * 1000, per_hand_ms * 1000 * num_hands)


class Clock:
    """Adds up the thinking time of every seat."""

    def __init__(self, limits: TimeLimits, num_seats: int) -> None:
        self.limits = limits
        self.match_us = [0] * num_seats
        """Per seat the microseconds spent in the match so far."""
        self._hand_us = [0] * num_seats

    def start_hand(self) -> None:
        """Begins the next hand."""
        self._hand_us = [0] * len(self._hand_us)

    def charge(self, seat: int, spent_us: int) -> bool:
        """Charges thinking time to a seat; returns False if that exceeds a limit."""
        self._hand_us[seat] += spent_us
        self.match_us[seat] += spent_us
        limits = self.limits
        return (
            spent_us <= limits.response_us
            and self._hand_us[seat] <= limits.hand_us
            and self.match_us[seat] <= limits.match_us
        )
