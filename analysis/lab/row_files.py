"""Keeps the finished rows of a laboratory folder, one JSON file each, so that the same command goes on."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hedgehog.analysis.lab.rows import Look, Row, RowSize, StreetSummary
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import replacing
from hedgehog.runtime.input_files import read_file
from hedgehog.runtime.outputs import FolderKind
from hedgehog.runtime.validation import first_complaint
from hedgehog.solver.postflop.spot import PostflopSpot

FOLDER: Final = FolderKind(
    "results of hedgehog lab abstractions", ("report.html", "results.json", "*.csv", "row-*.json")
)
"""What the folder of a run holds."""


class _RowFile(BaseModel):
    """The file of a row. The values of the parts have the types of their classes, and nothing else may be there."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    name: str
    conditions: dict[str, Any]
    size: RowSize
    streets: tuple[StreetSummary, ...]
    looks: tuple[Look, ...] = Field(min_length=1)


def describe_spot(spot: PostflopSpot) -> str:
    """Returns text that tells spots apart: that of the spot file, or for a spot without one all that a solve needs."""
    if spot.text:
        return spot.text
    ranges = hashlib.sha256(spot.live_range(0).tobytes() + spot.live_range(1).tobytes()).hexdigest()
    return repr((spot.name, spot.board, spot.tree, spot.rake_rate, spot.rake_cap, ranges))


def row_path(folder: Path, name: str) -> Path:
    """Returns the path of the file of a row."""
    return folder / f"row-{re.sub(r'[^A-Za-z0-9.%=+-]', '_', name)}.json"


def describe_row(row: Row) -> dict[str, Any]:
    """Returns a row as plain JSON values."""
    return asdict(row) | {"looks": [look._asdict() for look in row.looks]}


def write_row(folder: Path, row: Row, conditions: Mapping[str, Any]) -> None:
    """Writes a finished row; a missing folder is created.

    :param conditions: spot and options as plain JSON values. A row is used again only under equal conditions.
    :raises ResourceError: if the file cannot be written.
    """
    values = describe_row(row) | {"conditions": dict(conditions)}
    with replacing(row_path(folder, row.name), make_folder=True) as file:
        file.write(json.dumps(values, indent=1).encode())


def read_row(path: Path) -> tuple[Row, dict[str, Any]]:
    """Returns the row of a file and the conditions under which it was solved.

    :raises InputError: if the file cannot be read or is no row.
    """
    try:
        file = _RowFile.model_validate_json(read_file(path))
    except ValidationError as error:
        complaint = first_complaint(error, "the file")
        raise InputError(f"no row of the laboratory: {complaint}", source=str(path)) from error
    return Row(file.name, file.size, file.streets, file.looks), file.conditions


def finished_rows(folder: Path, conditions: Mapping[str, Any]) -> dict[str, Row]:
    """Returns the finished rows of a folder by name.

    :raises InputError: if a file is no row, or a row of another spot or with other options.
    """
    found = {}
    for path in sorted(folder.glob("row-*.json")) if folder.is_dir() else []:
        row, known = read_row(path)
        if known != dict(conditions):
            changed = next((key for key in conditions if known.get(key) != conditions[key]), "spot")
            raise InputError(
                f"was made with another {changed}: expected another folder, or --overwrite", source=str(path)
            )
        found[row.name] = row
    return found
