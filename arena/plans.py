"""Plan files: everything that a match or tournament depends on, as JSON. A later run continues only an equal plan."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from hedgehog.runtime.errors import InputError
from hedgehog.runtime.input_files import read_file

_SHOWN: Final = 120
"""Number of characters of a differing value that a message shows."""


def read_json_object(path: Path) -> dict[str, Any]:
    """Returns the object in a JSON file.

    :raises InputError: if the file cannot be read, is not valid JSON, or holds anything but one object.
    """
    text = read_file(path)
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not valid JSON: {error}", source=str(path)) from error
    if not isinstance(values, dict):
        raise InputError("expected a JSON object", source=str(path))
    return values


def verify_same_plan(wanted: Mapping[str, Any], path: Path) -> None:
    """Verifies that the plan of a run equals the plan of the run that it shall continue.

    :param wanted: plan of the new run.
    :param path: file with the plan of the earlier run.
    :raises InputError: if the plans differ, or the file cannot be read; the message names the first difference.
    """
    plain = json.loads(json.dumps(wanted))  # tuples become lists, as in the file
    for where, here, there in _differences(plain, read_json_object(path), ""):
        raise InputError(
            f"this folder holds another plan: {where} is {_shown(there)} there and {_shown(here)} here",
            source=str(path),
        )


def _differences(here: Any, there: Any, where: str) -> Iterator[tuple[str, Any, Any]]:
    """Yields where two JSON values differ, and the values."""
    if isinstance(here, dict) and isinstance(there, dict):
        for key in [*here, *(key for key in there if key not in here)]:
            yield from _differences(here.get(key), there.get(key), f"{where}.{key}" if where else key)
    elif isinstance(here, list) and isinstance(there, list):
        for index in range(min(len(here), len(there))):
            yield from _differences(here[index], there[index], f"{where}[{index + 1}]")
        if len(here) != len(there):
            yield f"the length of {where}", len(here), len(there)
    elif here != there or type(here) is not type(there):
        yield where, here, there


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
