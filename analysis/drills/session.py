"""One session of a drill: which question comes next, and what an answer was worth."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from hedgehog.analysis.drills.progress import Card, Progress
from hedgehog.analysis.drills.question import Question
from hedgehog.analysis.drills.sources import Source
from hedgehog.analysis.stats.estimate import Estimate, mean_estimate
from hedgehog.analysis.study.profiles import wilson
from hedgehog.runtime.documents import json_document

DEFAULT_NEW: Final = 10
"""New questions of a session."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A question that was answered in this session."""

    question: Question
    choice: int
    card: Card
    """The card afterwards, with its box and when it is due."""
    last: float | None
    """What the answer before lost, in percent of the pot; None for a new question."""
    seconds: float
    """How long it took."""
    late: bool = False
    """Whether it came after the time that is allowed."""

    @property
    def loss_pct(self) -> float:
        """What the answer lost, in percent of the pot."""
        return self.question.loss_pct(self.choice)

    @property
    def right(self) -> bool:
        """Whether it lost next to nothing, and came in time."""
        return self.question.is_right(self.choice) and not self.late

    def document(self) -> dict[str, Any]:
        """Returns the answer for a JSON document."""
        question = self.question
        return {
            **question.document(),
            "choice": self.choice,
            "best": question.best,
            "unit": question.unit,
            "losses": [question.amount(question.loss(number)) for number in range(len(question.choices))],
            "loss_pct_pot": self.loss_pct,
            "right": self.right,
            "seconds": self.seconds,
            "late": self.late,
            "last_loss_pct_pot": self.last,
            "box": self.card.box,
            "due": self.card.due,
        }


@dataclass(slots=True)
class Session:
    """Asks the questions that are due, the one that waits longest first, and then new ones."""

    source: Source
    progress: Progress
    seed: int
    most: int | None = None
    """Most questions; None: all that are due, and the new ones."""
    most_new: int = DEFAULT_NEW
    """Most new questions."""
    seconds: float | None = None
    """Seconds that an answer may take; a later one is not right. None: any time."""
    clock: Callable[[], float] = time.time
    """Returns the seconds since 1970."""
    answered: list[Answered] = field(default_factory=list)
    _order: Iterator[Question] | None = None
    _asked: float = 0.0

    def next(self) -> Question | None:
        """Returns the next question; None at the end of the session. It must be answered before the next call.

        :raises InputError: if the source has a fault; also PackError and SpotError.
        """
        if self.most is not None and len(self.answered) >= self.most:
            return None
        if self._order is None:
            self._order = self._questions()
        question = next(self._order, None)
        self._asked = self.clock()
        return question

    def _questions(self) -> Iterator[Question]:
        for card in self.progress.due(self.source.identity, self.clock()):
            yield card.question
        left = self.most_new
        if left <= 0:
            return
        for question in self.source.questions(random.Random(self.seed)):
            if question.is_trivial or self.progress.find(self.source.identity, question.key) is not None:
                continue
            yield question
            left -= 1
            if left <= 0:
                return

    def answer(self, question: Question, choice: int) -> Answered:
        """Judges an answer, and keeps it.

        :raises ResourceError: if the progress cannot be written.
        """
        before = self.progress.find(self.source.identity, question.key)
        last = before.answers[-1].loss_pct if before is not None and before.answers else None
        took = max(0.0, self.clock() - self._asked)
        late = self.seconds is not None and took > self.seconds
        card, _ = self.progress.answer(self.source.identity, question, choice, self.clock(), late=late)
        found = Answered(question, choice, card, last, took, late)
        self.answered.append(found)
        return found

    def mean_loss(self) -> Estimate | None:
        """Returns the mean loss of the session's answers, in percent of the pot; None without answers."""
        return mean_estimate([each.loss_pct for each in self.answered]) if self.answered else None

    def summary(self) -> list[str]:
        """Returns lines about the session and about the progress with this source."""
        if not self.answered:
            return ["No question was answered."]
        right, total = sum(each.right for each in self.answered), len(self.answered)
        share, loss = wilson(right, total), self.mean_loss()
        assert loss is not None
        lines = [
            f"{right} of {total} right ({100 * share.low:.0f} to {100 * share.high:.0f} %), "
            f"{_with_interval(loss)} % of the pot lost per question."
        ]
        late = sum(each.late for each in self.answered)
        if late:
            lines.append(f"{late} of {total} came after {self.seconds:g} s.")
        again = [each for each in self.answered if each.last is not None]
        if again:
            gain = mean_estimate([(each.last or 0.0) - each.loss_pct for each in again])
            lines.append(f"{len(again)} repeated: {_with_interval(gain)} % of the pot better than the time before.")
        known = self.progress.document(self.source.identity, self.clock())
        boxes = ", ".join(f"{count} in box {box}" for box, count in enumerate(known["boxes"], start=1) if count)
        lines.append(f"All questions of this source: {known['cards']} ({boxes}).")
        return lines

    def document(self) -> dict[str, Any]:
        """Returns the session as a JSON document."""
        right, total = sum(each.right for each in self.answered), len(self.answered)
        share, loss = (wilson(right, total), self.mean_loss()) if total else (None, None)
        return json_document(
            "drill-session",
            seed=self.seed,
            source=self.source.title,
            questions=total,
            right=right,
            right_ci95=None if share is None else [share.low, share.high],
            loss_pct_pot=None if loss is None else {"mean": loss.mean, "low": loss.low, "high": loss.high},
            answers=[each.document() for each in self.answered],
            progress=self.progress.document(self.source.identity, self.clock()),
        )


def _with_interval(estimate: Estimate) -> str:
    margin = f" ± {estimate.half_width:.1f}" if estimate.has_interval else ""
    return f"{estimate.mean:.1f}{margin}"
