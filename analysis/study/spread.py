"""Reads many sources with an engine: each file is a job, and its hands are taken in the order of the files.

So the hands, their order and what is counted are those of one process that reads one file after the other.
"""

from __future__ import annotations

import os
import pickle
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from hedgehog.analysis.histories.sources import Source, find_sources
from hedgehog.analysis.study.batches import HandBatch
from hedgehog.analysis.study.reading import HandReader, Tally
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.engines.pieces import Piece, Pieces, do_pieces
from hedgehog.runtime.errors import InputError, LogError


@dataclass(frozen=True, slots=True)
class SourceHands:
    """All hands of one source, read by itself."""

    batches: tuple[HandBatch, ...]
    """Without the hands that occur twice in the source."""
    players: tuple[str, ...]
    """The players, whose numbers are in the batches."""
    tally: Tally
    fault: tuple[str, str | None, int | None] | None = None
    """Message, source and line of the error that ended the reading; None if it came to the end."""

    def verify(self) -> None:
        """Raises the error that ended the reading, if any.

        :raises LogError: if the source could not be read to its end.
        """
        if self.fault is not None:
            message, source, line = self.fault
            raise LogError(message, source=source, line=line)


def hands_by_engine(
    sources: Sequence[Source],
    gamedef: GameDef | None,
    engine: Engine,
    note: Callable[[str], None] = lambda _: None,
    *,
    status: Path | None = None,
    before: int = 0,
) -> Iterator[SourceHands]:
    """Yields the hands of sources in their order. What is read ahead is kept compressed.

    :param sources: files that every worker must see under the same path.
    :param gamedef: game of ACPC logs; None takes the game that a log names.
    :param engine: reads the sources and stays open.
    :param note: called with what a user wants to know of the workers.
    :param status: file of the status for other shells; None for none.
    :param before: number of sources that were read before, for the status.
    :raises InputError: if a worker has other files than this process.
    :raises ResourceError: if workers keep dying or cannot be reached.
    """
    pieces = tuple(Piece(number, source.name, cost=float(source.size + 1)) for number, source in enumerate(sources))
    arguments = Path(os.getcwd()), tuple(sources), gamedef
    waiting: dict[int, bytes] = {}
    turn = 0
    work = Pieces(pieces, _open_sources, _no_digest, arguments, "file")
    for number, data in do_pieces(work, engine, note, status=status, before=before):
        waiting[number] = data
        while turn in waiting:
            found: SourceHands = pickle.loads(zlib.decompress(waiting.pop(turn)))
            turn += 1
            yield found


def hands_alone(source: Source, gamedef: GameDef | None) -> SourceHands:
    """Returns the hands of a source."""
    reader = HandReader(gamedef)
    batches: list[HandBatch] = []
    fault = None
    try:
        batches.extend(reader.read(source))
    except LogError as error:
        fault = error.message, error.source, error.line
    return SourceHands(tuple(batches), tuple(reader.players.texts), reader.tally, fault)


def _open_sources(
    folder: Path, sources: Sequence[Source], gamedef: GameDef | None
) -> Callable[[int], tuple[int, bytes]]:
    """Returns what reads the source of a number, in a worker.

    :param folder: the current folder of the client, from which the paths of the sources start.
    """

    @lru_cache(maxsize=8)  # of an archive with many members
    def sources_at(path: Path) -> frozenset[Source]:
        return frozenset(find_sources([path]))

    def read(number: int) -> tuple[int, bytes]:
        source = sources[number]
        try:
            with chdir(folder):
                found = hands_alone(source, gamedef) if source in sources_at(source.path) else None
        except OSError as error:
            raise InputError(f"a worker does not see {folder}: {error.strerror}") from None
        except LogError as error:
            raise InputError(f"a worker: {error.message}") from None
        if found is None:
            raise InputError(
                "is not the same on a worker (size, time of the last change or checksum): expected the same files "
                "under the same path everywhere"
            )
        return number, zlib.compress(pickle.dumps(found), 1)

    return read


def _no_digest(*_: object) -> str:
    """Returns nothing: every worker compares each file when its turn comes."""
    return ""
