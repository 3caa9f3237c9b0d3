"""Work in pieces whose results have no files of their own: the caller gets each one as it is done."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedgehog.runtime.engines.local import Engine, SerialEngine
from hedgehog.runtime.engines.running import Run, RunProgress
from hedgehog.runtime.engines.status import verify_status_place


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece, a job of the engine."""

    content: Any
    """What is to be done; it can be hashed and pickled."""
    name: str
    """What messages call it."""
    group: str = ""
    cost: float = 1.0
    """How much work it is, compared with other pieces of its group."""

    @property
    def path(self) -> None:
        """None: the result has no file."""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Pieces:
    """Pieces of one task (a :class:`~hedgehog.runtime.engines.jobs.Work`)."""

    pieces: tuple[Piece, ...]
    opened_by: Callable[..., Callable[[Any], Any]]
    """A function of a module, called once in every worker with ``arguments``: it returns what does a piece."""
    digested_by: Callable[..., str]
    """A function of a module, called with ``arguments`` on every machine: a digest of the files that the results depend
    on, which must be the same."""
    arguments: tuple[Any, ...]
    unit: str
    """What one piece is, for messages."""

    @property
    def work(self) -> None:
        """None: there is no folder."""

    def open_worker(self) -> Callable[[Piece], bytes]:
        """Returns what does pieces and returns their results, pickled."""
        do = self.opened_by(*self.arguments)
        return lambda piece: pickle.dumps(do(piece.content))

    def jobs(self) -> tuple[Piece, ...]:
        """Returns all pieces."""
        return self.pieces

    def seconds(self, piece: Piece) -> None:
        """Returns None: every piece is still to be done."""

    def needed_bytes(self, piece: Piece) -> int:
        """Returns 0: what is opened for all pieces needs most."""
        return 0

    def cost(self, piece: Piece) -> float:
        """Returns how much work a piece is."""
        return piece.cost

    @property
    def inputs_digest(self) -> str:
        """A digest of the files on this machine that the results depend on."""
        return self.digested_by(*self.arguments)


def do_pieces(
    work: Pieces,
    engine: Engine | None = None,
    note: Callable[[str], None] = lambda _: None,
    *,
    status: Path | None = None,
    before: int = 0,
    progress: Callable[[RunProgress], None] = lambda _: None,
    result: Callable[[], str] = lambda: "",
) -> Iterator[Any]:
    """Yields the results of pieces as they are done, in any order.

    :param engine: does the pieces and stays open; None for this process.
    :param note: called with what a user wants to know of the workers.
    :param status: file of the status for other shells (:func:`hedgehog.runtime.engines.status.status_file`); None for
        none.
    :param before: number of pieces that earlier runs have done and that are not in ``work``, for the status.
    :param progress: called with every report, also every two seconds while no piece ends.
    :param result: tells in a line what has come out so far, for the status; empty for nothing.
    :raises ResourceError: if workers keep dying or cannot be reached; also what a piece raises.
    :raises InputError: if ``status`` is another file than a status.
    """
    if work.pieces:
        if status is not None:
            verify_status_place(status)
        run = Run(work, engine or SerialEngine(), progress, note=note, status=status, before=before, result=result)
        for _, data in run.results():
            assert data is not None
            yield pickle.loads(data)
