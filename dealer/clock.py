"""Thinking time of the seats in a match: its limits, and a clock that adds it up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

RESPONSE_MS: Final = 600_000
HAND_MS: Final = 600_000
PER_HAND_MS: Final = 7_000
"""Default limits of thinking time in milliseconds: for one answer, in one hand, and per hand on average."""
VERSION_MS: Final = 60_000
"""Default limit in milliseconds for the version lines of connected clients, if answers are recorded."""


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Limits of thinking time in microseconds. A seat that exceeds one of them ends the match."""

    response_us: int
    """Limit for one answer."""
    hand_us: int
    """Limit for all answers of one seat in one hand."""
    match_us: int
    """Limit for all answers of one seat in the whole match."""


def time_limits(response_ms: int, hand_ms: int, per_hand_ms: int, num_hands: int) -> TimeLimits:
    """Returns the limits of a match of ``num_hands`` hands. The three arguments in ``_ms`` are milliseconds."""
    return TimeLimits(response_ms * 1000, hand_ms * 1000, per_hand_ms * 1000 * num_hands)


class Clock:
    """Adds up the thinking time of every seat and compares it with the limits of the match."""

    def __init__(self, limits: TimeLimits, num_seats: int) -> None:
        self.limits = limits
        self.match_us = [0] * num_seats
        """Microseconds that each seat has spent in the match so far."""
        self._hand_us = [0] * num_seats

    def start_hand(self) -> None:
        """Starts the next hand: sets the time that every seat has spent in the hand to 0."""
        self._hand_us = [0] * len(self._hand_us)

    def charge(self, seat: int, spent_us: int) -> bool:
        """Charges thinking time to a seat. Returns False if the seat has exceeded a limit.

        :param seat: index of the seat, from 0.
        :param spent_us: thinking time in microseconds.
        """
        allowed = self.allows(seat, spent_us)
        self._hand_us[seat] += spent_us
        self.match_us[seat] += spent_us
        return allowed

    def allows(self, seat: int, spent_us: int) -> bool:
        """Tells whether an answer that takes ``spent_us`` microseconds would be in time, without charging the seat."""
        limits = self.limits
        return (
            spent_us <= limits.response_us
            and self._hand_us[seat] + spent_us <= limits.hand_us
            and self.match_us[seat] + spent_us <= limits.match_us
        )

    def excess(self, seat: int, spent_us: int) -> str:
        """Returns which limit a charged seat has exceeded, for a message: ``1.5 s for one answer, 1 s allowed``.

        :param seat: index of the seat, from 0.
        :param spent_us: thinking time that was charged last, in microseconds.
        """
        limits = self.limits
        for spent, limit, what in (
            (spent_us, limits.response_us, "for one answer"),
            (self._hand_us[seat], limits.hand_us, "in one hand"),
            (self.match_us[seat], limits.match_us, "in the match"),
        ):
            if spent > limit:
                return f"{spent / 1e6:.4g} s {what}, {limit / 1e6:.6g} s allowed"
        return ""
