"""What was answered, and when a question comes again: five boxes, as Leitner (1972) had them.

A new question is in box 1. A right answer moves it to the next box, a wrong one back to box 1. It is due again after
the days of its box: 1, 3, 7, 16, 35. Whether an answer is right follows from its loss, so nobody rates himself.

The file is text: a first line that says what it is, then one JSON object per question, sorted by key. It is written
anew after every answer, under another name that then takes its place, so that a killed process loses no answer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from hedgehog.analysis.drills.question import Question
from hedgehog.analysis.stats.estimate import Estimate, mean_estimate
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import write_text_file

BOX_DAYS: Final = (1, 3, 7, 16, 35)
"""Days after which a question of each box is due again."""
DAY_S: Final = 86_400
_FORMAT: Final = "hedgehog.drill"
_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Given:
    """An answer that was given to a question of a drill, and how good it was."""

    time: float
    """Seconds since 1970."""
    choice: int
    loss_pct: float
    """What it lost, in percent of the pot."""
    right: bool


@dataclass(slots=True)
class Card:
    """A question with its answers."""

    source: str
    question: Question
    box: int
    """1 to 5."""
    due: float
    """When it comes again, in seconds since 1970."""
    answers: list[Given] = field(default_factory=list)

    def answer(self, choice: int, now: float, *, late: bool = False) -> Given:
        """Adds an answer and moves the card to its next box, a late answer to the first."""
        right = self.question.is_right(choice) and not late
        given = Given(now, choice, self.question.loss_pct(choice), right)
        self.answers.append(given)
        self.box = min(self.box + 1, len(BOX_DAYS)) if right else 1
        self.due = now + DAY_S * BOX_DAYS[self.box - 1]
        return given


class Progress:
    """All cards of a file, or of a session that is kept nowhere.

    :param path: the file; None keeps nothing.
    """

    def __init__(self, path: Path | None = None, cards: Iterable[Card] = ()) -> None:
        self.path = path
        self._cards = {(card.source, card.question.key): card for card in cards}

    def __len__(self) -> int:
        return len(self._cards)

    def cards(self, source: str | None = None) -> list[Card]:
        """Returns the cards, or those of one source, in the order of their keys."""
        return [card for key, card in sorted(self._cards.items()) if source in (None, key[0])]

    def find(self, source: str, key: str) -> Card | None:
        """Returns the card of a question; None if it was never answered."""
        return self._cards.get((source, key))

    def due(self, source: str, now: float) -> list[Card]:
        """Returns the cards of a source that are due, the one that waits longest first."""
        found = [card for card in self.cards(source) if card.due <= now]
        return sorted(found, key=lambda card: (card.due, card.question.key))

    def answer(
        self, source: str, question: Question, choice: int, now: float, *, late: bool = False
    ) -> tuple[Card, Given]:
        """Adds an answer and writes the file.

        :param late: it came after the time that was allowed, and is not right, whatever it lost.
        :raises ResourceError: if the file cannot be written.
        """
        key = (source, question.key)
        if key not in self._cards:
            self._cards[key] = Card(source, question, 1, now)
        card = self._cards[key]
        given = card.answer(choice, now, late=late)
        if self.path is not None:
            write_text_file(self.path, self.text())
        return card, given

    def text(self) -> str:
        """Returns the text of the file."""
        lines: list[dict[str, Any]] = [{"format": _FORMAT, "version": _VERSION}]
        for card in self.cards():
            answers = [[given.time, given.choice, round(given.loss_pct, 6), given.right] for given in card.answers]
            lines.append(
                {
                    "source": card.source,
                    "box": card.box,
                    "due": card.due,
                    "answers": answers,
                    "question": card.question.document(),
                }
            )
        return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)

    def document(self, source: str, now: float) -> dict[str, Any]:
        """Returns the state of the cards of a source for a JSON document."""
        cards = self.cards(source)
        return {
            "cards": len(cards),
            "due": len(self.due(source, now)),
            "boxes": [sum(card.box == box for card in cards) for box in range(1, len(BOX_DAYS) + 1)],
            "answers": sum(len(card.answers) for card in cards),
            "improvement_pct_pot": _estimate(self.improvement(source)),
        }

    def improvement(self, source: str) -> Estimate | None:
        """Returns what the last answers lose less than the first ones, in percent of the pot.

        The mean is over the cards that were answered twice or more; None if there are none.
        """
        gains = [
            card.answers[0].loss_pct - card.answers[-1].loss_pct for card in self.cards(source) if len(card.answers) > 1
        ]
        return mean_estimate(gains) if gains else None


def _estimate(found: Estimate | None) -> dict[str, float] | None:
    return None if found is None else {"mean": found.mean, "low": found.low, "high": found.high, "cards": found.n}


def lock_of(path: Path) -> Path:
    """Returns the file that is locked while a file of progress is in use, which itself is replaced at every answer."""
    return path.with_name(f"{path.name}.lock")


def load_progress(path: Path) -> Progress:
    """Returns the progress in a file; a file that does not exist yet, or is empty, is a new beginning.

    :raises InputError: if it is no such file, or damaged; the message has the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return Progress(path)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("cannot be read as a file of hedgehog drill", source=str(path)) from error
    if not lines:
        return Progress(path)
    if _parse(lines[0]) != {"format": _FORMAT, "version": _VERSION}:
        raise InputError("no results of hedgehog drill: expected a new file, or one of --progress", source=f"{path}:1")
    cards = [_card(text, path, number) for number, text in enumerate(lines[1:], start=2)]
    return Progress(path, cards)


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _card(text: str, path: Path, line: int) -> Card:
    """Returns the card of a line.

    :raises InputError: if the line is damaged.
    """
    found = _parse(text)
    try:
        question = Question.of_document(found["question"])
        answers = [
            Given(float(time), int(choice), float(loss), bool(right)) for time, choice, loss, right in _rows(found)
        ]
        card = Card(str(found["source"]), question, int(found["box"]), float(found["due"]), answers)
        numbers = [card.due, question.pot, *(x for choice in question.choices for x in (choice.ev, choice.frequency))]
        sound = 1 <= card.box <= len(BOX_DAYS) and question.pot > 0 and len(question.choices) > 0
        if not sound or not all(map(math.isfinite, numbers)):
            raise ValueError
    except (TypeError, KeyError, ValueError, AttributeError, OverflowError) as error:
        raise InputError("is damaged: expected a question with its answers", source=f"{path}:{line}") from error
    return card


def _rows(found: Any) -> Sequence[Any]:
    answers = found["answers"]
    if not isinstance(answers, list):
        raise TypeError
    return answers
