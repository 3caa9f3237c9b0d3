"""Stores curves of the convergence laboratory, one JSON file each, so that an interrupted comparison can go on."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hedgehog.analysis.solves.convergence import Curve, Look
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import replacing
from hedgehog.runtime.input_files import read_file
from hedgehog.runtime.validation import first_complaint


class _Look(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)
    iteration: int = Field(ge=1)
    seconds: float = Field(ge=0)
    exploitability_pct_pot: float


class _CurveFile(BaseModel):
    model_config = ConfigDict(extra="forbid")
    algorithm: str
    conditions: dict[str, Any]
    memory_bytes: int = Field(ge=0)
    looks: list[_Look] = Field(min_length=1)


def curve_path(folder: Path, algorithm: str) -> Path:
    """Returns the path of the file with an algorithm's curve in the folder of a spot."""
    return folder / f"curve-{re.sub(r'[^A-Za-z0-9.=+-]', '_', algorithm)}.json"


def write_curve(folder: Path, curve: Curve, conditions: Mapping[str, Any]) -> None:
    """Writes a finished curve into the folder of a spot. A missing folder is created.

    :param conditions: spot and budget as plain JSON values. A curve is used again only under equal conditions.
    :raises ResourceError: if the file cannot be written.
    """
    looks = [
        {"iteration": look.iteration, "seconds": look.seconds, "exploitability_pct_pot": look.pct_pot}
        for look in curve.looks
    ]
    values = {
        "algorithm": curve.algorithm,
        "conditions": dict(conditions),
        "memory_bytes": curve.memory_bytes,
        "looks": looks,
    }
    with replacing(curve_path(folder, curve.algorithm), make_folder=True) as file:
        file.write(json.dumps(values, indent=1).encode())


def finished_curve(folder: Path, algorithm: str, conditions: Mapping[str, Any]) -> Curve | None:
    """Returns the stored curve of an algorithm, or None if there is none that was made under equal conditions.

    :raises InputError: if the file is not a curve.
    """
    path = curve_path(folder, algorithm)
    if not path.exists():
        return None
    curve, found = read_curve(path)
    return curve if (curve.algorithm, found) == (algorithm, dict(conditions)) else None


def find_conflict(folder: Path, conditions: Mapping[str, Any]) -> Path | None:
    """Returns the path of a curve in the folder that was made under other conditions, or None if there is none.

    :raises InputError: if a file is not a curve.
    """
    files = sorted(folder.glob("curve-*.json")) if folder.is_dir() else []
    return next((path for path in files if read_curve(path)[1] != dict(conditions)), None)


def read_curve(path: Path) -> tuple[Curve, dict[str, Any]]:
    """Returns the curve in a file and the conditions under which it was made.

    :raises InputError: if the file cannot be read or is not a curve.
    """
    try:
        file = _CurveFile.model_validate_json(read_file(path))
    except ValidationError as error:
        complaint = first_complaint(error, "the file")
        raise InputError(f"no curve of the laboratory: {complaint}", source=str(path)) from error
    looks = tuple(Look(look.iteration, look.seconds, look.exploitability_pct_pot) for look in file.looks)
    return Curve(file.algorithm, file.memory_bytes, looks), file.conditions
