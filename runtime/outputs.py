"""The overwrite rule: what Hedgehog did not write is never removed or replaced, and every output is checked first.

An output file is new or empty, or it is replaced because the user said so (``overwrite``); it is never an input of the
same command. An output folder is new, empty, or holds nothing but files of the kind that the command writes; then the
command goes on with it or, if the user said so, replaces it. Missing parent folders are made, by whoever writes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Final

from runtime.errors import InputError, ResourceError

STDOUT: Final = Path("-")
"""The output file that stands for standard output."""


@dataclass(frozen=True, slots=True)
class FolderKind:
    """What a folder written by a command may hold."""

    name: str
    """For messages, with its article: ``a strategy pack``."""
    files: tuple[str, ...]
    """Patterns (``*`` and ``?``, compared part by part) of the relative paths of all files a command writes there."""

    def owns(self, entry: _Entry) -> bool:
        """Tells whether a file or empty sub-folder is one of the command's, temporary files included."""
        parts = entry.relative.parts
        if entry.empty_folder:
            return any(_matches(parts, pattern.split("/")[: len(parts)]) for pattern in self.files if "/" in pattern)
        return entry.temporary or any(_matches(parts, pattern.split("/")) for pattern in self.files)


@dataclass(frozen=True, slots=True)
class _Entry:
    """Something a folder holds."""

    relative: PurePosixPath
    empty_folder: bool = False

    @property
    def temporary(self) -> bool:
        """True for a name that :func:`runtime.files.replacing` gives to unfinished files."""
        name = self.relative.name
        return not self.empty_folder and name.startswith(".") and name.endswith(".tmp")


def _matches(parts: tuple[str, ...], patterns: list[str]) -> bool:
    return len(parts) == len(patterns) and all(map(fnmatchcase, parts, patterns))


def verify_output_file(path: Path, *, overwrite: bool = False, inputs: Iterable[Path] = ()) -> None:
    """Checks that a command may write a file, before it starts to work.

    A path that exists and is no regular file (``/dev/null``, a named pipe) is written to as it is.

    :param overwrite: replace a file that is there.
    :param inputs: files and folders that the command reads.
    :raises InputError: if the file is there and not empty, is an input or a folder.
    :raises ResourceError: if it could not be written.
    """
    if path == STDOUT:
        return
    _verify_name(path)
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        verify_can_make(path.parent, path)
        return
    except OSError as error:
        raise ResourceError(f"cannot write {path}: {error.strerror}") from error
    if stat.S_ISDIR(found.st_mode):
        raise InputError("is a folder, expected a file to write", source=str(path))
    if not os.access(path, os.W_OK):
        raise ResourceError(f"cannot write {path}: permission denied")
    if not stat.S_ISREG(found.st_mode):
        return
    for source in inputs:
        if _is_part_of(path, source):
            raise InputError(f"belongs to the input {source}: expected another file to write", source=str(path))
    if found.st_size and not overwrite:
        raise InputError("exists already: expected a new file, or --overwrite", source=str(path))
    verify_can_make(path.parent, path)


def _verify_name(path: Path) -> None:
    if "\0" in str(path):
        raise InputError(f"not a file name: {str(path)!r}")


def _is_part_of(path: Path, source: Path) -> bool:
    """Tells whether a file that exists is another name of ``source``, or lies below that folder."""
    try:
        return path.samefile(source) or (source.is_dir() and path.resolve().is_relative_to(source.resolve()))
    except (OSError, ValueError):
        return False


def verify_distinct(paths: Iterable[Path]) -> None:
    """Checks that no two outputs of a command are the same.

    :raises InputError: if two of them are.
    """
    seen: set[Path] = set()
    for path in paths:
        place = path if path == STDOUT else path.resolve()
        if place in seen and (not path.exists() or path.is_file()):
            raise InputError(f"{'standard output' if path == STDOUT else path} is named twice as an output")
        seen.add(place)


def verify_output_folder(path: Path, kind: FolderKind, *, proceed: bool, inputs: Iterable[Path] = ()) -> None:
    """Checks that a command may write into a folder, before it starts to work.

    :param kind: what the command writes there.
    :param proceed: a folder that already holds files of this kind is all right: the command goes on with it, or the
        user asked for it to be replaced.
    :param inputs: files and folders that the command reads: none of them may lie in the folder, or be it.
    :raises InputError: if the folder holds anything else, or is a file.
    :raises ResourceError: if it could not be made or written to.
    """
    _verify_name(path)
    try:
        new = not path.exists()
    except OSError as error:
        raise ResourceError(f"cannot write to {path}: {error.strerror}") from error
    if new:
        if path.is_symlink():
            raise InputError("is a link to nowhere, expected a new or empty folder", source=str(path))
        verify_can_make(path.parent, path)
        return
    if not path.is_dir():
        raise InputError("is a file, expected a new or empty folder", source=str(path))
    for source in inputs:
        if source.exists() and source.resolve().is_relative_to(path.resolve()):
            raise InputError(f"holds an input of this command ({source}): expected another folder", source=str(path))
    held = False
    for entry in _entries(path):
        if not kind.owns(entry):
            raise InputError(
                f"holds {str(entry.relative)!r}, which is not part of {kind.name}: expected a new or empty folder",
                source=str(path),
            )
        held = held or not (entry.temporary or entry.empty_folder)
    if held and not proceed:
        raise InputError(f"holds {kind.name} already: expected a new or empty folder, or --overwrite", source=str(path))
    if not os.access(path, os.W_OK | os.X_OK):
        raise ResourceError(f"cannot write to {path}: permission denied")


def remove_contents(path: Path, kind: FolderKind) -> None:
    """Empties a folder of the files of one kind; anything else stays.

    :raises ResourceError: if a file cannot be removed.
    """
    try:
        for entry in list(_entries(path)):
            if kind.owns(entry) and not entry.empty_folder:
                (path / entry.relative).unlink(missing_ok=True)
        for folder, _, _ in os.walk(path, topdown=False):
            if Path(folder) != path and not any(os.scandir(folder)):
                Path(folder).rmdir()
    except OSError as error:
        raise ResourceError(f"cannot remove {error.filename}: {error.strerror}") from error


def make_folder(path: Path) -> Path:
    """Makes a folder, with its parents, if it is not there; returns it.

    :raises ResourceError: if it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResourceError(f"cannot make the folder {path}: {error.strerror}") from error
    return path


def _entries(folder: Path) -> Iterator[_Entry]:
    """Yields all files below a folder, links to folders among them, and empty sub-folders.

    :raises ResourceError: if a folder cannot be read.
    """

    def fail(error: OSError) -> None:
        raise ResourceError(f"cannot read the folder {error.filename}: {error.strerror}") from error

    for root, folders, files in os.walk(folder, onerror=fail):
        here = Path(root)
        names = [*files, *(name for name in folders if (here / name).is_symlink())]
        if not names and not folders and here != folder:
            yield _Entry(PurePosixPath(here.relative_to(folder)), empty_folder=True)
        for name in sorted(names):
            yield _Entry(PurePosixPath((here / name).relative_to(folder)))


def verify_can_make(folder: Path, wanted: Path) -> None:
    """Checks that a file or folder can be made in ``folder``, which need not exist yet.

    :raises ResourceError: if its nearest existing ancestor is a file or closed to us.
    """
    for ancestor in (folder, *folder.parents):
        try:
            mode = ancestor.stat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise ResourceError(f"cannot write {wanted}: {error.strerror}") from error
        if not stat.S_ISDIR(mode):
            raise ResourceError(f"cannot write {wanted}: {ancestor} is not a folder")
        if not os.access(ancestor, os.W_OK | os.X_OK):
            raise ResourceError(f"cannot write {wanted}: no permission to write in {ancestor}")
        return
