"""Converts whole hand-history files, verifies them, and replaces all-ins in them by their expectation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

from hedgehog.analysis.histories.hand_files import ACPC, PHH, Converter, FileHand, HandFile, Remark, verify_hand_file
from hedgehog.analysis.histories.hand_input import HandInput, located
from hedgehog.analysis.histories.left_out import LeftOutError
from hedgehog.poker.acpc.gamedef import GameDef, format_gamedef, load_gamedef
from hedgehog.poker.acpc.handlog import LogHeader, LogReport, find_log_gamedef, format_header
from hedgehog.runtime.errors import GamedefError, HedgehogError, InputError, LogError
from hedgehog.runtime.files import replacing, write_text_file
from hedgehog.runtime.outputs import STDOUT, FolderKind, verify_output_file, verify_output_folder
from hedgehog.runtime.watch import SILENT, Watch, watched

T = TypeVar("T")

OpenFile = Callable[[Path], AbstractContextManager[BinaryIO]]
"""Returns a stream to a new file, which appears when its block ends without an error."""
_SUFFIXES: Final = {ACPC: ".log", PHH: ".phhs"}


class Conversion:
    """Hand-history files that are to be converted, and the files to which they go."""

    def __init__(
        self,
        paths: Iterable[str | Path],
        target: str,
        out: Path,
        *,
        split: bool = False,
        file_format: str | None = None,
        gamedef: GameDef | None = None,
    ) -> None:
        """Opens the files; converts nothing.

        :param paths: files, folders and zip archives.
        :param target: output format, :data:`ACPC` or :data:`PHH`.
        :param out: file to write, or folder if there are several files or ``split`` is set.
        :param split: write one file per hand.
        :param file_format: format of the files; None detects it per file.
        :param gamedef: game of the hands; None takes the game from each file.
        :raises LogError: if a file cannot be read.
        """
        self._paths = [Path(path) for path in paths]
        self.input = HandInput(self._paths, file_format, gamedef)
        self.out = out
        self.split = split
        self._target = target
        self.to_folder = split or len(self.input.files) > 1 or out.is_dir()
        """Whether :attr:`out` is a folder."""
        self.files: list[Path] = []
        """The files that the conversion writes, in the order of the input files; empty if it writes one per hand."""
        if not split:
            names = [file.stem + _SUFFIXES[target] for file in self.input.files]
            self.files = [out / name for name in names] if self.to_folder else [out]

    def verify_folder(self, *, overwrite: bool = False) -> None:
        """Checks the folder for one file per hand.

        :raises InputError: if it holds other files, or two input files would write the same ones.
        """
        stems = [file.stem for file in self.input.files]
        patterns = tuple(f"{stem}-*.{end}" for stem in stems for end in ("phh", "log", "game"))
        kind = FolderKind("a folder of converted hands", patterns)
        verify_output_folder(self.out, kind, proceed=overwrite, inputs=self._paths)
        for index, stem in enumerate(stems):
            if stem in stems[:index]:
                raise InputError(f"two inputs are called {stem!r}: their hands would be written to the same files")

    def run(self, open_file: OpenFile, *, overwrite: bool = False, watch: Watch = SILENT) -> int:
        """Converts all files. Hands that the output format cannot hold are left out. Returns the number of the others.

        :param open_file: opens each of :attr:`files`.
        :param overwrite: replace game definitions that lie beside the files.
        :param watch: hears of the progress, of hands left out and of game definitions written.
        :raises LogError: if no hand of a file can be converted.
        """
        hands = 0
        for index, file in enumerate(self.input.files):
            converter = Converter(self._target, one_hand=self.split)
            texts = self._texts(file, converter, watch)
            if self.split:
                self._write_hand_files(file, converter, texts)
            else:
                out = self.files[index]
                with open_file(out) as stream:
                    for _, text in texts:
                        stream.write(text.encode())
                    if self._target == ACPC and out != STDOUT:
                        _write_game_file(converter, out, overwrite, watch)
            hands += converter.hands
        self.input.say_notes(watch)
        return hands

    def _write_hand_files(
        self, file: HandFile, converter: Converter, texts: Iterable[tuple[FileHand | Remark, str]]
    ) -> None:
        """Writes one file per hand, named after the input and its running number.

        The game definition of an ACPC log is written beside it.
        """
        for entry, text in texts:
            if isinstance(entry, FileHand):
                name = f"{file.stem}-{converter.hands}"
                if self._target == ACPC:
                    text = format_header(LogHeader(name, f"{name}.game", 1, 0)) + "\n" + text
                    write_text_file(self.out / f"{name}.game", format_gamedef(entry.hand.state.gamedef))
                write_text_file(self.out / f"{name}{'.log' if self._target == ACPC else '.phh'}", text)

    def _texts(self, file: HandFile, converter: Converter, watch: Watch) -> Iterator[tuple[FileHand | Remark, str]]:
        """Yields the entries that the output format can hold.

        :raises LogError: at the end, if all hands were left out.
        """
        hands = self.input
        before = hands.hands
        for entry in _watched(watch, file, hands.entries(file, hidden_cards=True)):
            try:
                text = converter.convert(entry)
            except LogError as error:
                if isinstance(entry, Remark):
                    raise LogError(error.message, source=str(file.path), line=entry.line) from error
                if not isinstance(error, LeftOutError):
                    error = LeftOutError(f"not to be expressed in {self._target}", reason=error.message)
                hands.leave_out(file, entry, located(error, file, entry))
            except GamedefError as error:
                raise GamedefError(error.message, source=str(file.path)) from error
            else:
                yield entry, text
        if hands.hands == before and hands.left_out.count:
            raise LogError("; ".join(["no hand can be converted", *hands.left_out.lines()]), source=str(file.path))


def convert_logs(
    paths: Sequence[str | Path],
    target: str,
    out: str | Path,
    *,
    split: bool = False,
    gamedef: GameDef | None = None,
    overwrite: bool = False,
    watch: Watch = SILENT,
) -> int:
    """Converts hand histories to ACPC logs or PHH. Returns the number of hands converted; the others are left out.

    :param paths: files, folders and zip archives.
    :param target: output format, :data:`ACPC` or :data:`PHH`.
    :param out: file to write, or folder if there are several files or ``split`` is set.
    :param split: write one file per hand.
    :param gamedef: game of the hands; None takes the game from each file.
    :param overwrite: replace files that exist.
    :param watch: hears of the progress, of hands left out and of game definitions written.
    :raises InputError: if an output exists, or is an input.
    :raises LogError: if a file cannot be read, or no hand of a file can be converted.
    """
    job = Conversion(paths, target, Path(out), split=split, gamedef=gamedef)
    if split:
        job.verify_folder(overwrite=overwrite)
    for file in job.files:
        verify_output_file(file, overwrite=overwrite, inputs=[Path(path) for path in paths])
    return job.run(lambda path: replacing(path, make_folder=True), overwrite=overwrite, watch=watch)


def _write_game_file(converter: Converter, out: Path, overwrite: bool, watch: Watch) -> None:
    """Puts the game definition beside an ACPC log whose game a reader of the log would not find.

    :raises InputError: if something else has the name of that file, unless it may be replaced.
    """
    if converter.gamedef is None:
        return
    if converter.header is None:
        if converter.gamedef == load_gamedef():
            return
        name = f"{out.stem}.game"
    else:
        try:
            find_log_gamedef([f"# name/game/hands/seed m {converter.header.game} 1 1"], out)
            return
        except LogError:
            name = Path(converter.header.game).name
    file = out.with_name(name)
    if file.exists() and _holds_game(file, converter):
        return
    verify_output_file(file, overwrite=overwrite, inputs=[])
    write_text_file(file, format_gamedef(converter.gamedef))
    watch.note(f"game definition written to {file}")


def _holds_game(file: Path, converter: Converter) -> bool:
    try:
        return load_gamedef(file, nobody_acts=True) == converter.gamedef
    except HedgehogError:
        return False


def verify_logs(
    paths: Iterable[str | Path], gamedef: GameDef | None = None, watch: Watch = SILENT
) -> Iterator[tuple[HandFile, LogReport]]:
    """Replays and re-scores hand histories of any format; yields each file with its number of hands and its faults.

    :param paths: files, folders and zip archives. A file that is named twice counts once.
    :param gamedef: game of the hands; None takes the game from each file.
    :param watch: hears of the progress and, in the end, of hands left out.
    :raises LogError: if a file cannot be read.
    """
    hands = HandInput(map(Path, paths), None, gamedef)
    for file in hands.files:
        yield file, verify_hand_file(file, partial(_watched, watch, file), partial(hands.add_left_out, file))
    hands.say_notes(watch)


def _watched(watch: Watch, file: HandFile, items: Iterable[T]) -> Iterator[T]:
    return watched(watch, items, file.num_hands, file.path.name, "hands")


def all_in_lines(
    path: str | Path, file_format: str | None = None, gamedef: GameDef | None = None, watch: Watch = SILENT
) -> Iterator[str]:
    """Yields the ``STATE:`` lines of an ACPC log, with the values of all-in hands replaced by their expectation.

    :param path: the log, or a folder or zip archive of logs.
    :param file_format: format of the files; None detects it.
    :param gamedef: game of the hands; None takes the game that the log names.
    :param watch: hears of the progress and of hands left out.
    :raises LogError: if the file cannot be read, or has no hand that is complete.
    :raises InputError: if a file is no ACPC log.
    """
    from hedgehog.poker.evaluation.allin import rewrite_all_in  # imports numba

    hands = HandInput([Path(path)], file_format, gamedef)
    for file in hands.files:
        if file.format != ACPC:
            raise InputError(f"expected an ACPC log, got {file.format}: convert it first", source=str(file.path))
    for file in hands.files:
        for entry in _watched(watch, file, hands.read(file)):
            yield rewrite_all_in(file.lines[entry.line - 1], entry.hand)
    hands.verify_read()
    hands.say_notes(watch)
