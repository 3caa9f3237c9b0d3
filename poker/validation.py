"""What pydantic finds wrong, as the first line of it that a message needs."""

from __future__ import annotations

from pydantic import ValidationError


def first_complaint(error: ValidationError, whole: str) -> str:
    """Returns the place and the text of the first complaint.

    :param whole: what to call the place if all of the input is meant.
    """
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or whole
    return f"{where}: {first['msg'].lower()}"
