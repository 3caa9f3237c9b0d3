"""The hands of several files: each is counted once, and what is left out is counted by kind."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
from typing import Any, Final

from hedgehog.analysis.histories.hand_files import ACPC, FileHand, HandFile, Remark, open_hand_file, source_format
from hedgehog.analysis.histories.left_out import LeftOutError, LeftOutHands
from hedgehog.analysis.histories.sources import find_sources, read_head
from hedgehog.arena.records import TOURNAMENT_FOLDER
from hedgehog.poker.acpc.gamedef import GameDef, shipped_name
from hedgehog.runtime.errors import InputError, LogError, one_line
from hedgehog.runtime.watch import SILENT, Watch

_BESIDE_LOGS: Final = [
    name for pattern in TOURNAMENT_FOLDER.files if not (name := pattern.rpartition("/")[2]).endswith(".log")
]
"""Names of the files that a match or a tournament leaves beside its logs."""


class HandInput:
    """Reads hand-history files, folders and zip archives by one rule.

    A hand that cannot be counted is left out and counted under its kind. A hand that was read before is not counted
    again: a file with the same text as an earlier one, compressed or not, or a copy of a hand in another file.
    """

    def __init__(self, paths: Iterable[Path], file_format: str | None = None, gamedef: GameDef | None = None) -> None:
        """Opens all files; reads no hand.

        :param file_format: one of :func:`~hedgehog.analysis.histories.hand_files.formats`; None detects the format of
            each file.
        :param gamedef: the game, to which hands of other games do not belong; None takes the game that a file names.
        :raises LogError: if a file cannot be read or is empty, or its game is not found.
        """
        self.files: list[HandFile] = []
        self.left_out = LeftOutHands()
        self.repeated = 0
        """Number of hands that were read before."""
        self.hands = 0
        """Number of hands read and not left out."""
        self.tell: Callable[[LogError], None] = lambda error: None
        """Called with the error of every hand that is left out, which names file and line."""
        self._notes: list[str] = []
        self._seen: set[int] = set()
        texts: dict[bytes, HandFile] = {}
        for path in paths:
            for file in _open(path, file_format, gamedef, self._notes):
                text = hashlib.sha256("\n".join(file.lines).encode("utf-8", "surrogatepass")).digest()
                first = texts.setdefault(text, file)
                if first is file:
                    self.files.append(file)
                else:
                    self._notes.append(f"{file.path} holds the same text as {first.path}: counted once")

    def afresh(self) -> HandInput:
        """Returns an input of the same files of which no hand has been read yet. The files are not opened again."""
        other = HandInput(())
        other.files, other._notes = self.files, list(self._notes)
        return other

    @property
    def num_hands(self) -> int:
        """Estimated number of hands in all files, for progress displays."""
        return sum(file.num_hands for file in self.files)

    @property
    def game_and_seed(self) -> dict[str, Any]:
        """Names of the game and the seed for a JSON document; None for what the files do not agree on."""
        games = {None if file.gamedef is None else shipped_name(file.gamedef) for file in self.files}
        seeds = {file.seed for file in self.files}
        return {
            "game": games.pop() if len(games) == 1 else None,
            "seed": seeds.pop() if len(seeds) == 1 else None,
        }

    def entries(self, file: HandFile, *, hidden_cards: bool = False) -> Iterator[FileHand | Remark]:
        """Yields the hands and remarks of one of :attr:`files` that were not read before.

        :param hidden_cards: allow hands of ACPC logs without the hole cards of every position.
        """
        for entry in file.entries(lambda error, line: self.add_left_out(file, error, line), hidden_cards=hidden_cards):
            if isinstance(entry, FileHand):
                if entry.key:
                    key = hash(entry.key)
                    if key in self._seen:
                        self.repeated += 1
                        continue
                    self._seen.add(key)
                self.hands += 1
            yield entry

    def read(self, file: HandFile, *, hidden_cards: bool = False) -> Iterator[FileHand]:
        """Yields the hands of one of :attr:`files` that were not read before."""
        return (entry for entry in self.entries(file, hidden_cards=hidden_cards) if isinstance(entry, FileHand))

    def visit(
        self,
        add: Callable[[HandFile, FileHand], None],
        watch: Watch = SILENT,
        *,
        what: str = "reading",
        begin: Callable[[HandFile], None] = lambda file: None,
        hidden_cards: bool = False,
    ) -> None:
        """Calls a function with every hand of all files. A hand for which it raises a LeftOutError is left out.

        :param watch: hears of the progress, and what was left out or found twice.
        :param what: name of the work, for the watch.
        :param begin: called with each file before its hands.
        :param hidden_cards: allow hands of ACPC logs without the hole cards of every position.
        :raises InputError: any other error of the function, with the file and line of the hand unless it names a file.
        :raises LogError: if there was no hand that was not left out.
        """
        watch.begin(what, self.num_hands, "hands")
        done = 0
        for file in self.files:
            begin(file)
            watch.update(done, file.path.name)
            for entry in self.read(file, hidden_cards=hidden_cards):
                try:
                    add(file, entry)
                except LeftOutError as error:
                    self.leave_out(file, entry, error)
                except InputError as error:
                    if error.source is not None:  # a record of decisions, not the log
                        raise
                    raise located(error, file, entry) from error
                done += 1
                watch.update(done)
        self.verify_read()
        self.say_notes(watch)

    def leave_out(self, file: HandFile, entry: FileHand, error: LogError) -> None:
        """Counts a hand that was yielded as left out."""
        self.hands -= 1
        error.source, error.line = str(file.path), error.line or entry.line
        self.add_left_out(file, error, entry.line)

    def add_left_out(self, file: HandFile, error: LogError, line: int) -> None:
        """Counts a hand that is left out.

        :param line: number of the first line of the hand.
        """
        self.left_out.add(error, str(file.path), line, file.lines[line - 1])
        self.tell(error)

    def say_notes(self, watch: Watch) -> None:
        """Tells a watch what was left out or found twice."""
        for note in self.notes():
            watch.note(one_line(note))

    def notes(self) -> list[str]:
        """Returns what is to be said about hands that were left out or found twice, a line of text each."""
        notes = [*self._notes, *self.left_out.lines()]
        if self.repeated:
            hands = "1 hand was" if self.repeated == 1 else f"{self.repeated:,} hands were"
            notes.append(f"{hands} read before: counted once")
        return notes

    def verify_read(self) -> None:
        """Checks that there was a hand.

        :raises LogError: if all were left out, with the reason.
        """
        if not self.hands:
            raise LogError("; ".join(["expected at least one hand", *self.left_out.lines()]))


def _open(path: Path, file_format: str | None, gamedef: GameDef | None, notes: list[str]) -> Iterator[HandFile]:
    """Yields the file at a path, or the hand histories in a folder or zip archive."""
    sources = find_sources([path]) if path.is_dir() or path.is_file() else []  # a pipe is read once
    if path.is_dir() and not sources:
        raise LogError("expected hand histories, found none in this folder", source=str(path))
    if not sources or (sources[0].path == path and sources[0].member is None):
        yield open_hand_file(path, file_format, gamedef)
        return
    for source in sources:
        if any(fnmatchcase(PurePath(source.name).name, pattern) for pattern in _BESIDE_LOGS):
            continue
        if file_format in (None, ACPC) and source_format(source, read_head(source)) is None:
            if not source.name.endswith(".game"):  # the game definition of a log
                notes.append(f"{source.name} is no hand history")
        else:
            yield open_hand_file(source, file_format, gamedef)


def located(error: InputError, file: HandFile, entry: FileHand) -> LogError:
    """Returns an error about a hand with its file and line; a :class:`LogError` stays of its class."""
    found = error if isinstance(error, LogError) else LogError(error.message)
    found.source, found.line = str(file.path), entry.line
    return found
