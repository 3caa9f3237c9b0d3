"""Drills: questions about decisions whose EVs are known, a schedule of repetition, and the progress that is made.

>>> from hedgehog.analysis import drills
>>> drills.BOX_DAYS
(1, 3, 7, 16, 35)

``drills.open_source("my-solve")`` asks about a saved solve, ``drills.open_source("graded")`` about the graded decisions
of a store, and ``drills.open_source("default")`` about random hands of our player. A :class:`Session` asks and judges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.analysis.drills.opening import open_source
    from hedgehog.analysis.drills.progress import BOX_DAYS, Progress, load_progress
    from hedgehog.analysis.drills.question import Choice, Grid, Question
    from hedgehog.analysis.drills.session import Answered, Session
    from hedgehog.analysis.drills.sources import Source, SourceOptions
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "BOX_DAYS",
    "Answered",
    "Choice",
    "Grid",
    "Progress",
    "Question",
    "Session",
    "Source",
    "SourceOptions",
    "load_progress",
    "open_source",
]
