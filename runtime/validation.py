"""Messages about invalid input: the first complaint of pydantic as one line, and suggestions for misspelt names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError


def first_complaint(error: ValidationError, whole: str) -> str:
    """Returns the first complaint of a pydantic error as ``PLACE: TEXT``, in one line.

    :param whole: the place to name if the complaint is about the input as a whole.
    """
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or whole
    return f"{where}: {first['msg'].lower()}"


def suggest(word: str, known: Iterable[str]) -> str:
    """Returns text to append to a message about an unknown word: ``, did you mean 'X'?`` or ``, expected X, Y, Z``.

    The first form names the allowed word that is most similar, the second names all allowed words if none is similar.

    :param word: the unknown word.
    :param known: the allowed words.
    """
    words = list(known)
    similar = difflib.get_close_matches(word.lower(), words, n=1, cutoff=0.6)
    if similar:
        return f", did you mean {similar[0]!r}?"
    return f", expected {', '.join(words)}" if words else ""


def keys_of(model: Any, path: Sequence[str]) -> list[str]:
    """Returns the keys that a pydantic model allows at a place; an empty list if no model describes the place.

    :param model: a pydantic model, or the type annotation of a field.
    :param path: keys and list indices that lead to the place.
    """
    if isinstance(model, type) and issubclass(model, BaseModel):
        if not path:
            return list(model.model_fields)
        field = model.model_fields.get(path[0])
        return [] if field is None else keys_of(field.annotation, path[1:])
    if path and path[0].isdigit():
        path = path[1:]
    return list(dict.fromkeys(key for part in get_args(model) for key in keys_of(part, path)))
