"""What the process of drills does: it holds the sessions of the page, asks, solves, and judges."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any, Final

from hedgehog.analysis.drills.opening import open_source
from hedgehog.analysis.drills.progress import DAY_S, Progress, load_progress
from hedgehog.analysis.drills.question import Question
from hedgehog.analysis.drills.session import Session
from hedgehog.analysis.drills.sources import Source, SourceOptions
from hedgehog.analysis.study.profiles import wilson
from hedgehog.explorer.numbers import number as shown
from hedgehog.poker.hand_classes import HAND_CLASS_NAMES
from hedgehog.runtime.errors import InputError

KEPT: Final = 8
"""Sessions that are kept; the oldest one ends when there are more."""


@dataclass(slots=True)
class _Held:
    session: Session
    waiting: Question | None = None
    """The question that is not answered yet."""


_sessions: dict[int, _Held] = {}
_numbers = count(1)
_open = lru_cache(maxsize=4)(open_source)


@lru_cache(maxsize=1)
def _progress(path: str | None) -> Progress:
    return Progress() if path is None else load_progress(Path(path))


def start(source: str, options: SourceOptions, seed: int, most_new: int, progress: str | None) -> dict[str, Any]:
    """Returns a new session with its first question.

    :param source: as for :func:`hedgehog.analysis.drills.opening.open_source`.
    :raises InputError: if there is nothing to ask about.
    """
    found: Source = _open(source, options)
    name = next(_numbers)
    _sessions[name] = _Held(Session(found, _progress(progress), seed, None, most_new))
    while len(_sessions) > KEPT:
        del _sessions[min(_sessions)]
    Thread(target=wilson, args=(1, 1), daemon=True).start()  # its import would let the first answer wait
    session = _sessions[name].session
    due = len(session.progress.due(found.identity, session.clock()))
    return {"session": name, "title": found.title, "seed": seed, "kept": progress is not None, "due": due} | (
        next_question(name)
    )


def next_question(name: int) -> dict[str, Any]:
    """Returns the question that waits for an answer, or the end of the session.

    :raises InputError: if there is no such session; also PackError.
    """
    held = _find(name)
    if held.waiting is None:
        held.waiting = held.session.next()
    session = held.session
    if held.waiting is None:
        return {"question": None, "summary": session.summary()}
    return {"question": _asked(held.waiting), "number": len(session.answered) + 1}


def answer(name: int, number: int, choice: int) -> dict[str, Any]:
    """Returns what an answer was worth.

    :raises InputError: if the question is not the one that waits, or has no such choice.
    :raises ResourceError: if the progress cannot be written.
    """
    held = _find(name)
    question = held.waiting
    if question is None or number != len(held.session.answered) + 1:
        raise InputError("this question is answered already: go on to the next one")
    if choice >= len(question.choices):
        raise InputError(f"expected a choice below {len(question.choices)}, got {choice}")
    found = held.session.answer(question, choice)
    held.waiting = None
    answered = held.session.answered
    return {
        "right": found.right,
        "choice": choice,
        "best": question.best,
        "unit": question.unit,
        "loss_pct": shown(found.loss_pct, 4),
        "last_pct": None if found.last is None else shown(found.last, 4),
        "choices": [
            {
                "text": each.text,
                "ev": shown(question.amount(each.ev), 4),
                "loss": shown(question.amount(question.loss(place)), 4),
                "loss_pct": shown(question.loss_pct(place), 4),
                "frequency": shown(each.frequency, 4),
            }
            for place, each in enumerate(question.choices)
        ],
        "values": question.values,
        "has_grid": held.session.source.has_grid(question),
        "played": question.played,
        "played_loss": None if question.played_loss is None else shown(question.amount(question.played_loss), 4),
        "box": found.card.box,
        "days": round((found.card.due - held.session.clock()) / DAY_S),
        "right_so_far": sum(each.right for each in answered),
        "asked": len(answered),
        "summary": held.session.summary(),
    }


def grid(name: int, number: int) -> dict[str, Any]:
    """Returns the grid of an answered question, by the names of the hand classes.

    :raises InputError: if the question is not answered yet, or its grid is not known.
    """
    held = _find(name)
    if number > len(held.session.answered):
        raise InputError("answer first: the grid tells the answer")
    question = held.session.answered[number - 1].question
    found = held.session.source.grid(question)
    if found is None:
        raise InputError("the grid of this decision is not known")
    cells = {HAND_CLASS_NAMES[place]: list(cell) for place, cell in enumerate(found.cells) if cell is not None}
    return {"title": found.title, "names": list(found.names), "is_strategy": found.is_strategy, "cells": cells}


def _find(name: int) -> _Held:
    """Returns a session.

    :raises InputError: if there is none.
    """
    if name not in _sessions:
        raise InputError("this drill has ended: start another one")
    return _sessions[name]


def _asked(question: Question) -> dict[str, Any]:
    """Returns a question without its answers."""
    document = question.document()
    hidden = ("choices", "values", "place", "played", "played_loss", "key")
    kept = {name: value for name, value in document.items() if name not in hidden}
    return {**kept, "unit": question.unit, "choices": [each.text for each in question.choices]}
