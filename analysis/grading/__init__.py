"""Grades the decisions of a player in real hands: what each cost against our player, and what of a result was luck.

>>> from hedgehog.analysis import grading
>>> options = grading.GradeOptions("alice", "quick", jobs=2)
>>> options.player, options.depth
('alice', 'quick')

``grading.grade_files(["match.log"], options)`` then returns the hands of alice, graded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.analysis.grading.decision import Decision
    from hedgehog.analysis.grading.grade import grade_files
    from hedgehog.analysis.grading.graded import GradedHands
    from hedgehog.analysis.grading.hand import GradedHand
    from hedgehog.analysis.grading.options import GradeOptions
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = ["Decision", "GradeOptions", "GradedHand", "GradedHands", "grade_files"]
