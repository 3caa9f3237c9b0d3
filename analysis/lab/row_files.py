"""Keeps the finished rows of a laboratory folder, one JSON file each, so that the same command goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hedgehog.analysis.lab.rows import Look, Row, RowSize, StreetSummary
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import replacing
from hedgehog.runtime.input_files import read_input
from hedgehog.runtime.outputs import FolderKind
from hedgehog.runtime.validation import first_complaint

FOLDER: Final = FolderKind(
    "results of hedgehog lab abstractions", ("report.html", "results.json", "*.csv", "row-*.json")
)
"""What the folder of a run holds."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class _Look(_Strict):
    iteration: int = Field(ge=1)
    seconds: float = Field(ge=0)
    real: float
    abstract: float


class _Size(_Strict):
    infosets: int = Field(ge=0)
    entries: int = Field(ge=0)
    states: int | None = Field(ge=0)
    bytes_f32: int = Field(ge=0)
    bytes_f16: int | None = Field(ge=0)
    memory: int = Field(ge=0)


class _Street(_Strict):
    player: str
    street: str
    mean: float
    least: int
    most: int
    alone: float


class _RowFile(_Strict):
    name: str
    conditions: dict[str, Any]
    size: _Size
    streets: list[_Street]
    looks: list[_Look] = Field(min_length=1)


def row_path(folder: Path, name: str) -> Path:
    """Returns the path of the file of a row."""
    return folder / f"row-{name}.json"


def describe_row(row: Row) -> dict[str, Any]:
    """Returns a row as plain JSON values."""
    return {
        "name": row.name,
        "size": {key: getattr(row.size, key) for key in _Size.model_fields},
        "streets": [{key: getattr(street, key) for key in _Street.model_fields} for street in row.streets],
        "looks": [look._asdict() for look in row.looks],
    }


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
        file = _RowFile.model_validate_json(read_input(path))
    except OSError as error:
        raise InputError(f"cannot read it: {error.strerror}", source=str(path)) from error
    except ValidationError as error:
        complaint = first_complaint(error, "the file")
        raise InputError(f"no row of the laboratory: {complaint}", source=str(path)) from error
    row = Row(
        file.name,
        RowSize(**file.size.model_dump()),
        tuple(StreetSummary(**street.model_dump()) for street in file.streets),
        tuple(Look(**look.model_dump()) for look in file.looks),
    )
    return row, file.conditions


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
