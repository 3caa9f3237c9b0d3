"""The folder of a match or a tournament: made, continued, or replaced. A folder with other content is never touched."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable
from pathlib import Path

from hedgehog.arena.runner import another_writer
from hedgehog.runtime.errors import InputError, ResourceError
from hedgehog.runtime.files import real_path
from hedgehog.runtime.folder_lock import locked_folder
from hedgehog.runtime.outputs import FolderKind, make_folder, remove_contents, verify_output_folder


def claim_folder(
    path: Path, kind: FolderKind, *, resume: bool, overwrite: bool, inputs: Iterable[Path] = (), own: Path | None = None
) -> None:
    """Checks that a command may play into a folder, without changing anything.

    :param resume: the command continues what is in the folder.
    :param overwrite: the command replaces what is in the folder.
    :param inputs: files and folders that the command reads.
    :param own: another file that the command writes; it may lie in the folder.
    :raises InputError: if the folder holds anything of another kind, or holds something of this kind without ``resume``
        or ``overwrite``.
    """
    if own is not None and real_path(own.parent) == real_path(path):
        kind = FolderKind(kind.name, (*kind.files, own.name))
    verify_output_folder(path, kind, proceed=True, inputs=inputs)
    if not (resume or overwrite) and path.is_dir() and any(path.iterdir()):
        raise InputError(
            f"holds {kind.name} already: --resume goes on with it, --overwrite replaces it", source=str(path)
        )


def replace_folder(path: Path, kind: FolderKind) -> None:
    """Empties a claimed folder.

    :raises InputError: if another process is playing into the folder.
    """
    if not path.is_dir():
        return
    with locked_folder(path, another_writer(path)):
        remove_contents(path, kind)


def new_folder(parent: Path) -> Path:
    """Makes and returns a new folder below ``parent``, named after the date and time.

    :raises ResourceError: if the folder cannot be made.
    """
    stamp = time.strftime("%Y%m%d-%H%M%S")
    make_folder(parent)
    for number in itertools.count(1):
        folder = parent / (stamp if number == 1 else f"{stamp}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        except OSError as error:
            raise ResourceError(f"cannot make the folder {folder}: {error.strerror}") from error
        return folder
    raise AssertionError
