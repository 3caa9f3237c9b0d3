"""When and where a solve is saved while it runs, and which saved solve a run goes on with.

The files themselves are written by :mod:`hedgehog.solver.postflop.solution_files`.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hedgehog.runtime.errors import InputError, ResourceError
from hedgehog.runtime.folder_lock import locked_folder
from hedgehog.runtime.outputs import make_folder
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.postflop.solution_files import (
    SavedSolve,
    is_saved_solve,
    read_saved_solve,
    save_solve,
    state_bytes,
    verify_same_spot,
)
from hedgehog.solver.postflop.solver import Exploitability, PostflopSolver
from hedgehog.solver.postflop.spot import PostflopSpot
from hedgehog.strategies.provenance import provenance

SAVE_EVERY_S: Final = 600.0
"""Least seconds between two saves, if the user asks for nothing else."""
# Saving takes at most this share of the time.
_SHARE: Final = 0.1


class Saver:
    """A folder that a solve is saved to now and then.

    :param spot: what is being solved, from a spot file.
    :param every: least seconds between two saves; more if a save takes long.
    """

    def __init__(self, folder: Path, spot: PostflopSpot, every: float) -> None:
        self.folder = folder
        self._spot = spot
        self._every = every
        self._made = provenance()
        self._next = time.monotonic() + every

    def ask(self) -> None:
        """Makes the next save due at once; any thread may call it."""
        self._next = 0.0

    @property
    def due(self) -> bool:
        """Whether it is time to save."""
        return time.monotonic() >= self._next

    def save(self, solver: PostflopSolver, found: Exploitability | None, seconds: float) -> None:
        """Saves the solve.

        :param found: exploitability of the present strategies; None computes it.
        :param seconds: time of all iterations so far.
        :raises ResourceError: if the folder cannot be written; what was saved before is still there.
        """
        start = time.monotonic()
        save_solve(self.folder, solver, self._spot, found, seconds, self._made)
        now = time.monotonic()
        self._next = now + max(self._every, (now - start) / _SHARE)

    def postpone(self) -> None:
        """Sets the next save to ``every`` seconds from now, after a save that failed."""
        self._next = time.monotonic() + self._every

    def verify_space(self, solver: PostflopSolver) -> None:
        """Checks that the disk has room for what will be saved.

        :raises ResourceError: if it has not; the message names needed and free bytes.
        """
        needed, free = state_bytes(solver), shutil.disk_usage(self.folder).free
        if needed > free:
            raise ResourceError(
                f"saving takes {needed / 1e9:.1f} GB on disk, {free / 1e9:.1f} GB are free in {self.folder}"
            )


@contextmanager
def exclusive_folder(folder: Path) -> Iterator[None]:
    """Makes a folder and keeps other processes from saving there.

    :raises ResourceError: if it cannot be made.
    :raises InputError: if another process is saving there.
    """
    with locked_folder(make_folder(folder), InputError("another solve is saving to this folder", source=str(folder))):
        yield


def verify_replaceable(folder: Path) -> None:
    """Checks that a folder for strategies alone does not hold a whole solve.

    :raises InputError: if it holds a whole solve, or a manifest that is not ours.
    """
    if is_saved_solve(folder) and read_saved_solve(folder).kind != "strategy":
        raise InputError("holds a whole solve, not strategies alone: expected another folder", source=str(folder))


def find_saved(
    folder: Path, spot: PostflopSpot, source: str, algorithm: str, storage: Storage | None, *, overwrite: bool
) -> SavedSolve | None:
    """Returns the solve saved in a folder if it can be continued; None if there is none or it is to be replaced.

    :param spot: content of the spot file ``source``.
    :param storage: expected storage; None accepts the storage of the saved solve.
    :param overwrite: a solve of another spot, algorithm or storage may be replaced. A solve that can be continued is
        continued in any case.
    :raises InputError: if the saved solve is of another spot, algorithm or storage, is damaged, or is not ours.
    """
    if not is_saved_solve(folder):
        return None
    saved = read_saved_solve(folder)
    try:
        _verify_can_continue(saved, spot, source, algorithm, storage)
    except InputError:
        if overwrite:
            return None
        raise
    return saved


def _verify_can_continue(
    saved: SavedSolve, spot: PostflopSpot, source: str, algorithm: str, storage: Storage | None
) -> None:
    folder = str(saved.folder)
    if saved.kind != "solve":
        raise InputError("holds strategies only, which cannot be continued: save to another folder", source=folder)
    verify_same_spot(saved, spot, source)
    for option, asked, found in (("--algorithm", algorithm, saved.algorithm), ("--storage", storage, saved.storage)):
        if asked is not None and asked != found:
            raise InputError(
                f"the solve saved here has {option} {found}, not {asked}: save to another folder, or --overwrite it",
                source=folder,
            )
