"""The overwrite rule: nothing that Hedgehog did not write is removed or replaced, and outputs are checked before work.

An output file must be new or empty, unless the user allows it to be replaced (``overwrite``). It is never an input of
the same command. An output folder must be new, empty, or hold only files of the kind that the command writes. In the
last case the command continues the work in the folder or, if the user allows it, replaces its content. The code that
writes an output makes missing parent folders.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Final

from hedgehog.runtime.errors import InputError, ResourceError
from hedgehog.runtime.files import real_path

STDOUT: Final = Path("-")
"""The path ``-``, which as an output file means standard output."""


@dataclass(frozen=True, slots=True)
class FolderKind:
    """A kind of output folder: the files that a command writes there."""

    name: str
    """Name of the kind with its article, for messages: ``a strategy pack``."""
    files: tuple[str, ...]
    """Patterns (``*`` and ``?``, compared part by part) of the relative paths of all files a command writes there."""

    def owns(self, entry: _Entry) -> bool:
        """Returns True if the command writes such a file or empty sub-folder; its temporary files count too."""
        parts = entry.relative.parts
        if entry.empty_folder:
            return any(_matches(parts, pattern.split("/")[: len(parts)]) for pattern in self.files if "/" in pattern)
        return entry.temporary or any(_matches(parts, pattern.split("/")) for pattern in self.files)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file or folder that an output folder may hold."""

    relative: PurePosixPath
    empty_folder: bool = False

    @property
    def temporary(self) -> bool:
        """True if the name is one that :func:`hedgehog.runtime.files.replacing` gives to unfinished files."""
        name = self.relative.name
        return not self.empty_folder and name.startswith(".") and name.endswith(".tmp")


def _matches(parts: tuple[str, ...], patterns: list[str]) -> bool:
    return len(parts) == len(patterns) and all(map(fnmatchcase, parts, patterns))


def verify_output_file(path: Path, *, overwrite: bool = False, inputs: Iterable[Path] = ()) -> None:
    """Checks that a command may write a file; call it before the work starts.

    A path that exists and is no regular file (``/dev/null``, a named pipe) needs no permission to be overwritten.

    :param overwrite: the user allows an existing file to be replaced.
    :param inputs: files and folders that the command reads; the output may be none of them and lie in none of them.
    :raises InputError: if the path is an input or a folder, or a file that is not empty and may not be replaced.
    :raises ResourceError: if the file cannot be written.
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
    real_path(path)  # in a working folder that was deleted everything looks writable


def _is_part_of(path: Path, source: Path) -> bool:
    """Returns True if an existing file is ``source``, perhaps under another name, or lies in the folder ``source``."""
    try:
        return path.samefile(source) or (source.is_dir() and real_path(path).is_relative_to(real_path(source)))
    except (OSError, ValueError):
        return False


def verify_distinct(paths: Iterable[Path]) -> None:
    """Checks that no two outputs of a command are the same file or folder.

    :raises InputError: if two of the paths are the same.
    """
    seen: set[Path] = set()
    for path in paths:
        place = path if path == STDOUT else real_path(path)
        if place in seen and (not path.exists() or path.is_file()):
            raise InputError(f"{'standard output' if path == STDOUT else path} is named twice as an output")
        seen.add(place)


def verify_output_folder(path: Path, kind: FolderKind, *, proceed: bool, inputs: Iterable[Path] = ()) -> None:
    """Checks that a command may write into a folder; call it before the work starts.

    :param kind: the files that the command writes there.
    :param proceed: the folder may already hold files of this kind, because the command continues the work or the user
        allows the content to be replaced.
    :param inputs: files and folders that the command reads; none of them may be the folder or lie in it.
    :raises InputError: if the path is a file, or the folder holds files that it may not hold.
    :raises ResourceError: if the folder cannot be made or written to.
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
        if source.exists() and real_path(source).is_relative_to(real_path(path)):
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
    """Removes all files of one kind from a folder, and sub-folders that become empty; other files stay.

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
    """Returns ``path`` after making this folder and its parents, as far as they are missing.

    :raises ResourceError: if the folder cannot be made.
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

    :param wanted: the file or folder to be made, for the message.
    :raises ResourceError: if the nearest existing ancestor is a file or may not be written to.
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
