"""The status of a build, which the builder keeps in the work folder for other shells (``hedgehog pack status``)."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import TypeAdapter, ValidationError

from hedgehog.runtime.documents import json_document
from hedgehog.runtime.engines.jobs import STATUS_FILE
from hedgehog.runtime.engines.status import MAX_BYTES, RunStatus, parse_status
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import real_path, write_text_file
from hedgehog.runtime.folder_lock import is_locked
from hedgehog.runtime.input_files import open_input
from hedgehog.solver.blueprint.trainer import CheckpointStatus, read_checkpoint_status

_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,80}")
CHECKPOINT: Final = "checkpoint.npz"
"""File of a training in its folder of work."""
DEPTHS_FILE: Final = "depths.json"
"""The depths of a file of blueprints for several depths, and which of them are finished."""


@dataclass(frozen=True, slots=True)
class Depth:
    """One of the blueprints for several depths, which are built one after the other."""

    name: str
    """Name of its pack and of its folders."""
    finished: bool
    """Whether the pack is written."""
    iterations: int | None
    """The limits of its training; None for one that it does not have."""
    seconds: float | None


@dataclass(frozen=True, slots=True)
class DepthStatus:
    """How far one of the blueprints for several depths is."""

    depth: Depth
    alive: bool
    """Whether a process trains it: the first that is not finished, if there is a process."""
    training: CheckpointStatus | None
    """Its checkpoint, None if there is none yet or no longer."""

    @property
    def state(self) -> Literal["finished", "training", "interrupted", "not begun"]:
        """What is to be said of it in a word or two."""
        if self.alive:
            return "training"
        if self.depth.finished:
            return "finished"
        return "not begun" if self.training is None else "interrupted"


@dataclass(frozen=True, slots=True)
class FolderStatus:
    """A folder of unfinished work and how far its build is."""

    folder: Path
    alive: bool
    """Whether a process builds in it."""
    status: RunStatus | CheckpointStatus | tuple[DepthStatus, ...]
    """Of the build of a flop pack, of a training, or of the trainings of several depths."""
    updated: float
    """When the status was written, in seconds since 1970."""


def work_folder(out: Path) -> Path:
    """Returns the folder of unfinished work beside the folder of a pack, which is used unless another is named."""
    return real_path(out).with_name(real_path(out).name + ".work")


def find_builds(folder: Path) -> list[FolderStatus]:
    """Returns the builds in a folder of work, or in that of a pack; the last has been heard of last.

    :raises InputError: if there is none, or its status is damaged.
    """
    places = (folder, work_folder(folder))
    for place in places:
        if (place / DEPTHS_FILE).is_file():
            return [_find_depths(place)]
    for place in places:
        found = []
        for file in (*place.glob(STATUS_FILE), *place.glob(f"*/{STATUS_FILE}")):
            status = read_status(file)
            found.append(FolderStatus(file.parent, status.is_alive(file.parent), status, status.updated))
        if found:
            return sorted(found, key=lambda each: each.updated)
    for place in places:
        checkpoint = place / CHECKPOINT
        if checkpoint.is_file():
            training = read_checkpoint_status(checkpoint)
            return [FolderStatus(place, is_locked(place), training, checkpoint.stat().st_mtime)]
    raise InputError("no build of a pack here: expected the folder of --out or --work", source=str(folder))


def _find_depths(place: Path) -> FolderStatus:
    file = place / DEPTHS_FILE
    updated, alive = file.stat().st_mtime, is_locked(place)
    left, found = alive, []
    for depth in parse_depths(_read(file), str(file)):
        checkpoint, training = place / depth.name / CHECKPOINT, None
        if checkpoint.is_file():
            training, updated = read_checkpoint_status(checkpoint), max(updated, checkpoint.stat().st_mtime)
        # The lock of a depth is not asked for: to ask is to take it for a moment, in which the build might want it.
        found.append(DepthStatus(depth, left and not depth.finished, training))
        left = left and depth.finished
    return FolderStatus(place, alive, tuple(found), updated)


_CHECKED_DEPTHS: Final = TypeAdapter(tuple[Depth, ...])


def read_status(path: Path) -> RunStatus:
    """Returns the content of a status file.

    :raises InputError: if the file is missing, too large or not a status.
    """
    return parse_status(_read(path), str(path))


def _read(path: Path) -> bytes:
    try:
        with open_input(path) as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=str(path)) from None


def write_depths(path: Path, depths: Sequence[Depth]) -> None:
    """Writes the file of the depths that a build trains.

    :raises ResourceError: if it cannot be written.
    """
    document = json_document("pack-depths", depths=[dataclasses.asdict(depth) for depth in depths])
    write_text_file(path, json.dumps(document) + "\n")


def parse_depths(data: bytes, source: str) -> tuple[Depth, ...]:
    """Returns the depths in the bytes of the file that :func:`write_depths` writes.

    :param source: file name, for messages.
    :raises InputError: if they are no such file.
    """
    try:
        found = _CHECKED_DEPTHS.validate_python(_document(data, "pack-depths").get("depths"))
        if any(not _NAME.fullmatch(depth.name) for depth in found):
            raise ValueError
    except (ValueError, RecursionError, ValidationError):
        raise InputError("is not the list of the depths of a build", source=source) from None
    return found


def _document(data: bytes, kind: str) -> dict[str, Any]:
    """Returns a JSON document of some kind.

    :raises ValueError: if the bytes are none, or too many.
    """
    if len(data) > MAX_BYTES:
        raise ValueError
    found = json.loads(data)
    if not isinstance(found, dict) or found.get("format") != f"hedgehog.{kind}":
        raise ValueError
    return found
