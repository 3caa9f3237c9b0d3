"""The hands of a study, from hand histories and stores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from hedgehog.analysis.histories.sources import Source, find_sources
from hedgehog.analysis.study.batches import HandBatch, Texts
from hedgehog.analysis.study.reading import HandReader, Tally
from hedgehog.analysis.study.spread import SourceHands, hands_by_engine
from hedgehog.analysis.study.store import STORE_KIND, HandStore, is_store
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.runtime.engines.jobs import STATUS_FILE
from hedgehog.runtime.engines.opening import open_engine
from hedgehog.runtime.engines.watched_status import watched_status
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.folder_lock import FolderLock
from hedgehog.runtime.outputs import make_folder, verify_output_folder
from hedgehog.runtime.watch import SILENT, Watch


class StudyInput:
    """The hands of a study: files and folders, through a store if there is one."""

    def __init__(
        self,
        files: Iterable[str | Path],
        store: str | Path | None = None,
        gamedef: GameDef | None = None,
        *,
        jobs: int = 1,
        dask: str | None = None,
    ) -> None:
        """Checks the inputs and finds all files; reads no hand.

        :param files: hand histories, zip archives, folders of them, or stores.
        :param store: folder that keeps the hands as Parquet files. The next study reads only new files.
        :param gamedef: game of ACPC logs; None takes the game that a log names.
        :param jobs: processes that read, a file at a time; with 1 this process reads.
        :param dask: address of a dask scheduler whose workers read instead, or ``local:N``. They must see the files
            under the same path.
        :raises InputError: if there are no files, or the store's folder holds other files.
        """
        paths = [Path(path) for path in files]
        store = None if store is None else Path(store)
        stores = [path for path in paths if is_store(path)]
        if not paths and (store is None or not is_store(store)):
            raise InputError("expected hand histories: FILES or a filled --store FOLDER")
        if store is not None:
            verify_output_folder(store, STORE_KIND, proceed=True, inputs=paths)
        self._stores = [HandStore(path) for path in stores]
        self._store = HandStore(store) if store is not None else None
        self._sources = find_sources(path for path in paths if path not in stores)
        self._gamedef = gamedef
        self._jobs, self._dask = jobs, dask
        self._reader = HandReader(gamedef)

    @property
    def players(self) -> Texts:
        """The players of the hands read so far, whose numbers are in the batches."""
        return self._reader.players

    @property
    def tally(self) -> Tally:
        """What was read so far."""
        return self._reader.tally

    def summary(self) -> str:
        """Returns one or two sentences about what was read."""
        tally = self.tally
        parts = [f"{tally.hands:,} hands of {len(self.players.texts):,} players, {tally.actions:,} actions"]
        parts += [
            f"{count:,} {name}" for count, name in ((tally.duplicates, "read twice"), (tally.bad, "bad")) if count
        ]
        parts += [f"{one.count:,} left out: {kind}" for kind, one in tally.left_out.kinds.items()]
        if tally.other_files:
            parts.append(f"{tally.other_files:,} files are no hand histories")
        return "; ".join(parts)

    def batches(self, watch: Watch = SILENT) -> Iterator[HandBatch]:
        """Yields all hands. A further call begins anew.

        :param watch: hears of the progress.
        :raises InputError: if a file cannot be read, or there is no hand at all.
        """
        reader = self._reader = HandReader(self._gamedef)
        with ExitStack() as stack:
            if self._store is not None:
                lock = stack.enter_context(FolderLock(make_folder(self._store.folder)))
                if not lock.take():
                    raise InputError("another process writes to this store", source=str(self._store.folder))
                self._store.resume(reader)
                yield from self._store.batches(reader.players, reader.files)
            for store in self._stores:
                yield from self._of_store(store)
            yield from self._of_sources(watch)
        if not reader.tally.hands:
            raise InputError(_nothing(reader.tally))

    def _of_store(self, store: HandStore) -> Iterator[HandBatch]:
        reader, saved = self._reader, store.tally()
        yield from reader.fresh(store.batches(reader.players, reader.files))
        reader.tally.add_sources(saved)

    def _of_sources(self, watch: Watch) -> Iterator[HandBatch]:
        store = self._store
        todo = [source for source in self._sources if store is None or not store.is_done(source)]
        path = store.folder / STATUS_FILE if store is not None and self._in_process else None  # an engine has its own
        with watched_status(watch, path, unit="byte") as told:
            told.begin("reading hands", sum(source.size for source in todo))
            told.open()
            yield from self._of_files(todo, told)

    def _of_files(self, todo: list[Source], watch: Watch) -> Iterator[HandBatch]:
        """Yields the hands of files, and puts them into the store if there is one."""
        store, reader = self._store, self._reader
        done = 0
        for source, batches in self._read(todo, watch):
            if store is not None:
                store.begin(source, reader.tally)
            for batch in batches:
                if store is not None:
                    store.add(batch, reader)
                yield batch
                watch.update(done + reader.position(), f"{reader.tally.hands:,} hands")
            if store is not None:
                store.finish(source, reader.tally)
            done += source.size
            watch.update(done)
        if store is not None:
            store.flush(reader)

    @property
    def _in_process(self) -> bool:
        return self._dask is None and self._jobs == 1

    def _read(self, todo: list[Source], watch: Watch) -> Iterator[tuple[Source, Iterator[HandBatch]]]:
        """Yields the sources, each with its new hands."""
        reader = self._reader
        if not todo or self._in_process:
            yield from ((source, reader.read(source)) for source in todo)
            return
        with open_engine(self._jobs, self._dask) as engine:
            status = None if self._store is None else self._store.folder / STATUS_FILE
            before = len(self._sources) - len(todo)
            found_of = hands_by_engine(todo, self._gamedef, engine, watch.note, status=status, before=before)
            for source, found in zip(todo, found_of, strict=True):
                yield source, self._take(source, found)

    def _take(self, source: Source, found: SourceHands) -> Iterator[HandBatch]:
        """Yields the new hands of a source that a worker has read."""
        self._reader.tally.add_sources(found.tally)
        yield from self._reader.take(source, found.batches, found.players)
        found.verify()


def _nothing(tally: Tally) -> str:
    """Returns why there are no hands."""
    if tally.left_out.kinds:
        return "; ".join(["expected heads-up no-limit hold'em, got other hands only", *tally.left_out.lines()])
    if tally.problems:
        return f"no hand could be read; the first: {tally.problems[0]}"
    return "expected hand histories (ACPC, LBR, PHH, PokerStars, GGPoker, ACR), got none"
