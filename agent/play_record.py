"""Counts of a player's decisions and errors in a match, over TCP or in one process, and the check of its actions."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from hedgehog.poker.decision_times import DecisionTimes
from hedgehog.poker.state import Action, HandState
from hedgehog.runtime.errors import HedgehogError, MatchError
from hedgehog.runtime.extending.user_code import user_code_error

logger = logging.getLogger(__name__)

_MOST_FAILURES: Final = 20
"""Number of different failures that a record keeps. All further ones are only counted."""
_SHOWN_FAILURES: Final = 3


@dataclass
class PlayRecord:
    """Counts and decision times of one player in a match."""

    hands: int = 0
    """Number of hands that the player saw to their end."""
    decisions: int = 0
    player_errors: int = 0
    """Calls of the player's methods that raised an exception; a call was played in place of a failed ``act``."""
    illegal_actions: int = 0
    """Actions of the player that were not legal; a call was played instead."""
    late_actions: int = 0
    """Decisions that took longer than the hard limit; a call was played instead."""
    failures: dict[str, int] = field(default_factory=dict)
    """What the errors and illegal actions were, one line each -> how often it happened."""
    times: DecisionTimes = field(default_factory=DecisionTimes)

    def count_error(self, method: str, error: BaseException) -> None:
        """Counts a call of a method of the player that has raised an exception."""
        self.player_errors += 1
        self._note(str(user_code_error(f"{method}() failed", error, None)))

    def count_illegal(self, action: Action) -> None:
        """Counts an action that is not legal."""
        self.illegal_actions += 1
        self._note(f"illegal action {str(action)!r}")

    def _note(self, failure: str) -> None:
        if failure in self.failures or len(self.failures) < _MOST_FAILURES:
            self.failures[failure] = self.failures.get(failure, 0) + 1

    def as_dict(self) -> dict[str, object]:
        """Returns the record as JSON-serialisable values."""
        return {
            "hands": self.hands,
            "decisions": self.decisions,
            "player_errors": self.player_errors,
            "illegal_actions": self.illegal_actions,
            "late_actions": self.late_actions,
            "failures": self.failures,
            "decision_ms": self.times.as_dict(),
        }

    def report(self, name: str, ask: Callable[[], Mapping[str, object]]) -> dict[str, object]:
        """Returns the record with the player's own statistics, as JSON-serialisable values.

        :param name: the player's name.
        :param ask: function that returns the player's own statistics; if it raises an exception, they are left out.
        """
        try:
            own = dict(ask())
        except Exception:
            logger.exception("the player's report failed")
            own = {}
        return {"name": name, **self.as_dict(), "player": own}


def left_error(error: SystemExit) -> MatchError:
    """Returns the error that says where a player has asked the program to end, which ends the match."""
    return MatchError(str(user_code_error("the player has ended the program", error, None)))


@contextmanager
def starting() -> Iterator[None]:
    """Turns what a class of the user raises before the match into the error that says why and where.

    :raises MatchError: in place of every exception that is not one of ours.
    """
    try:
        yield
    except HedgehogError:
        raise
    except (Exception, SystemExit) as error:
        raise MatchError(str(user_code_error("the player cannot start", error, None))) from error


def describe_failures(failures: Mapping[str, int]) -> str:
    """Returns what went wrong inside a player in one line, most frequent first; empty if nothing did.

    :param failures: see :attr:`PlayRecord.failures`.
    """
    order = sorted(failures.items(), key=lambda item: -item[1])
    shown = [f"{count:,} times {failure}" for failure, count in order[:_SHOWN_FAILURES]]
    if (others := len(order) - len(shown)) > 0:
        shown.append(f"{others:,} other failures")
    return "; ".join(shown)


def is_legal(action: Action, state: HandState, name: str) -> bool:
    """Returns True if a player's answer is a legal action in a state.

    :param action: what the player returned.
    :param name: the player's name, for the message.
    :raises MatchError: if the answer is not an :class:`hedgehog.poker.state.Action`.
    """
    try:
        return state.can(action)
    except (TypeError, ValueError) as error:
        raise MatchError(f"expected an Action from player {name}, got {action!r}") from error
