"""What pydantic finds wrong, as the first line of it that a message needs; and what a misspelt name may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError


def first_complaint(error: ValidationError, whole: str) -> str:
    """Returns the place and the text of the first complaint.

    :param whole: what to call the place if all of the input is meant.
    """
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or whole
    return f"{where}: {first['msg'].lower()}"


def suggest(word: str, known: Iterable[str]) -> str:
    """Returns what to add to a message about an unknown word: the most similar known one, or all there are.

    :param known: the words that are allowed.
    """
    words = list(known)
    similar = difflib.get_close_matches(word.lower(), words, n=1, cutoff=0.6)
    if similar:
        return f", did you mean {similar[0]!r}?"
    return f", expected {', '.join(words)}" if words else ""


def keys_of(model: Any, path: Sequence[str]) -> list[str]:
    """Returns the keys that a model allows at a place; none where it has no model.

    :param model: a pydantic model, or any annotation of a field.
    :param path: keys and numbers of list items that lead to the place.
    """
    if isinstance(model, type) and issubclass(model, BaseModel):
        if not path:
            return list(model.model_fields)
        field = model.model_fields.get(path[0])
        return [] if field is None else keys_of(field.annotation, path[1:])
    if path and path[0].isdigit():
        path = path[1:]
    return list(dict.fromkeys(key for part in get_args(model) for key in keys_of(part, path)))
