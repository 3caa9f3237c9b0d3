"""Options and the reading of hands that all commands of ``hedgehog study`` share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from hedgehog.cli.outputs import output_option, write_output
from hedgehog.cli.progress import show_progress
from hedgehog.cli.tools.completion import complete_games
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.runtime.errors import InputError

if TYPE_CHECKING:
    from hedgehog.analysis.study.batches import Batch, Texts
    from hedgehog.analysis.study.reading import HandReader, Tally

_SHOWN_PROBLEMS: Final = 10

paths_argument = click.argument("files", nargs=-1, type=click.Path(path_type=Path))
store_option = click.option(
    "--store",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Keep the hands in this folder as Parquet files. The next call reads only new files.",
)
game_option = click.option(
    "--game", metavar="GAMEDEF", help="Game definition of ACPC logs, if not the one they name.",
    shell_complete=complete_games,
)  # fmt: skip
problems_option = output_option("--problems", "problems_file", "all hands that cannot be read, with file and line,")
only_option = click.option(
    "--player", "only", multiple=True, metavar="NAME", help="Count only bets of this player. May be given again."
)
without_option = click.option(
    "--not-player", "without", multiple=True, metavar="NAME", help="Leave out bets of this player. May be given again."
)


class HandInput:
    """The hands that a command reads: files and folders, through a store if there is one."""

    def __init__(self, files: Sequence[Path], store: Path | None, game: str | None) -> None:
        """Checks the inputs and finds all files; reads no hand.

        :raises InputError: if there are no files, or the store's folder holds other files.
        """
        from hedgehog.analysis.histories.sources import find_sources
        from hedgehog.analysis.study.reading import HandReader
        from hedgehog.analysis.study.store import STORE_KIND, HandStore, is_store
        from hedgehog.runtime.outputs import verify_output_folder

        stores = [path for path in files if is_store(path)]
        if not files and (store is None or not is_store(store)):
            raise InputError("expected hand histories: FILES or a filled --store FOLDER")
        if store is not None:
            verify_output_folder(store, STORE_KIND, proceed=True, inputs=files)
        self._stores = [HandStore(path) for path in stores]
        self._store = HandStore(store) if store is not None else None
        self._sources = find_sources(path for path in files if path not in stores)
        self._reader = HandReader(load_gamedef(game) if game else None)

    @property
    def players(self) -> Texts:
        """The players of the hands read so far."""
        return self._reader.players

    @property
    def reader(self) -> HandReader:
        """Reads the files."""
        return self._reader

    @property
    def tally(self) -> Tally:
        """What was read so far."""
        return self._reader.tally

    def batches(self) -> Iterator[Batch]:
        """Yields all hands, and shows the progress on stderr.

        :raises InputError: if a file cannot be read, or there is no hand at all.
        """
        from hedgehog.runtime.folder_lock import FolderLock
        from hedgehog.runtime.outputs import make_folder

        reader = self._reader
        with ExitStack() as stack:
            if self._store is not None:
                lock = stack.enter_context(FolderLock(make_folder(self._store.folder)))
                if not lock.take():
                    raise InputError("another process writes to this store", source=str(self._store.folder))
                self._store.resume(reader)
                yield from self._store.batches(reader.players, reader.files)
            for store in self._stores:
                yield from self._of_store(store)
            yield from self._of_sources()
        if not reader.tally.hands:
            raise InputError(_nothing(reader.tally))

    def _of_store(self, store: object) -> Iterator[Batch]:
        from hedgehog.analysis.study.store import HandStore

        assert isinstance(store, HandStore)
        reader, saved = self._reader, store.tally()
        for batch in store.batches(reader.players, reader.files):
            fresh = reader.seen.add(batch.hands["key"])
            kept = batch.select(fresh)
            reader.tally.duplicates += batch.num_hands - kept.num_hands
            reader.tally.hands += kept.num_hands
            reader.tally.actions += kept.num_actions
            if kept.num_hands:
                yield kept
        for name in ("duplicates", "bad", "files", "other_files"):
            setattr(reader.tally, name, getattr(reader.tally, name) + getattr(saved, name))
        reader.tally.left_out.add_all(saved.left_out)
        reader.tally.problems += saved.problems

    def _of_sources(self) -> Iterator[Batch]:
        store, reader = self._store, self._reader
        todo = [source for source in self._sources if store is None or not store.is_done(source)]
        with show_progress("reading hands", sum(source.size for source in todo)) as progress:
            done = 0
            for source in todo:
                if store is not None:
                    store.begin(source, reader.tally)
                for batch in reader.read(source):
                    if store is not None:
                        store.add(batch, reader)
                    yield batch
                    progress.update(done + reader.position(), f"{reader.tally.hands:,} hands")
                if store is not None:
                    store.finish(source, reader.tally)
                done += source.size
                progress.update(done)
            if store is not None:
                store.flush(reader)


def _nothing(tally: Tally) -> str:
    """Returns why there are no hands."""
    if tally.left_out.kinds:
        return "; ".join(["expected heads-up no-limit hold'em, got other hands only", *tally.left_out.lines()])
    if tally.problems:
        return f"no hand could be read; the first: {tally.problems[0]}"
    return "expected hand histories (ACPC, LBR, PHH, PokerStars, GGPoker, ACR), got none"


def report_problems(tally: Tally, file: Path | None) -> None:
    """Names hands that were left out: those that could not be read all in a file, if one is given, else the first ones
    on stderr; of other kinds the first one."""
    for line in tally.left_out.lines():
        click.echo(line, err=True)
    if file is not None:
        write_output(file, "".join(f"{problem}\n" for problem in tally.problems))
        return
    for problem in tally.problems[:_SHOWN_PROBLEMS]:
        click.echo(f"left out: {problem}", err=True)
    if tally.bad > _SHOWN_PROBLEMS:
        click.echo(f"left out: {tally.bad - _SHOWN_PROBLEMS:,} more; --problems FILE lists them", err=True)


def summary(tally: Tally, players: int) -> str:
    """Returns one or two sentences about what was read."""
    parts = [f"{tally.hands:,} hands of {players:,} players, {tally.actions:,} actions"]
    parts += [f"{count:,} {name}" for count, name in ((tally.duplicates, "read twice"), (tally.bad, "bad")) if count]
    parts += [f"{one.count:,} left out: {kind}" for kind, one in tally.left_out.kinds.items()]
    if tally.other_files:
        parts.append(f"{tally.other_files:,} files are no hand histories")
    return "; ".join(parts)
