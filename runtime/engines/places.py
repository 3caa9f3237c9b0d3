"""Which place gets which jobs: after deaths, the worker is suspected before the job.

A *place* is a worker of an engine. A job at which a worker dies goes to another place, if possible to one that has
finished jobs already. A place at which two jobs have died without one being finished in between gets no more. A job has
failed if it has killed workers at proven places, or wherever it could be tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

MAX_DEATHS: Final = 3
"""A job has failed when this many workers have died on it."""
_SUSPECT_AFTER: Final = 2
"""Different jobs that must die at a place, without one that is finished in between, until it gets no more."""


class Places:
    """What is known of the places of a run."""

    def __init__(self, *, alike: bool) -> None:
        """:param alike: all places are the same machine: none of them is to blame alone."""
        self._alike = alike
        self._proven: set[str] = set()
        self._fatal: dict[str, set[Any]] = {}
        self._died: dict[Any, list[str]] = {}

    def finished(self, place: str) -> None:
        """Hears that a place has finished a job."""
        self._proven.add(place)
        self._fatal.pop(place, None)

    def died(self, job: Any, place: str, *, alone: bool) -> None:
        """Hears that the worker of a place has died at a job.

        :param alone: no other jobs were in its batch.
        """
        self._fatal.setdefault(place, set()).add(job)
        if alone:
            self._died.setdefault(job, []).append(place)

    def is_suspect(self, place: str, usable: Iterable[str]) -> bool:
        """Returns whether a place shall get no more jobs. The last usable place is never suspect."""
        others = any(other != place for other in usable)
        return not self._alike and others and len(self._fatal.get(place, ())) >= _SUSPECT_AFTER

    def may_do(self, job: Any, place: str, usable: Sequence[str]) -> bool:
        """Returns whether a job may be handed to a place."""
        places = self._died.get(job)
        if not places or self._alike:
            return True
        better = [other for other in usable if other in self._proven and other not in places]
        if better:
            return place in better
        return place not in places or not any(other not in places for other in usable)

    def has_failed(self, job: Any, usable: Sequence[str]) -> bool:
        """Returns whether a job is to blame for the deaths at it."""
        places = self._died.get(job, [])
        if len(places) < MAX_DEATHS:
            return False
        at_proven = sum(place in self._proven for place in places)
        return self._alike or at_proven >= MAX_DEATHS or all(place in places for place in usable)

    def deaths(self, job: Any) -> int:
        """Returns how many workers have died at a job."""
        return len(self._died.get(job, ()))
