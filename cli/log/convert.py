"""``hedgehog log convert``: hand histories from one format to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click

from hedgehog.analysis.histories.hand_files import ACPC, PHH, Converter, FileHand, HandFile, Remark
from hedgehog.analysis.histories.hand_input import HandInput, located
from hedgehog.analysis.histories.left_out import LeftOutError
from hedgehog.cli.log.common import files_argument, game_option, given_game, open_input, source_option, with_progress
from hedgehog.cli.outputs import claim_outputs, open_output, overwrite_option
from hedgehog.poker.acpc.gamedef import format_gamedef, load_gamedef, read_gamedef
from hedgehog.poker.acpc.handlog import LogHeader, find_log_gamedef, format_header
from hedgehog.runtime.errors import GamedefError, HedgehogError, InputError, LogError, one_line
from hedgehog.runtime.files import write_text_file
from hedgehog.runtime.outputs import STDOUT, FolderKind, verify_output_folder

_SUFFIXES: Final = {ACPC: ".log", PHH: ".phhs"}


@click.command(short_help="Convert to ACPC logs or PHH.")
@files_argument
@click.option("--to", "target", type=click.Choice([ACPC, PHH]), required=True, help="Output format.")
@source_option
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=STDOUT,
    help="File to write, or folder for several inputs (one file each).  [default: standard output]",
)
@click.option("--split", is_flag=True, help="One file per hand (.phh or .log), in the folder given with --out.")
@click.option("--skip", is_flag=True, help="Name each hand that is left out, not only the first of each kind.")
@overwrite_option
@game_option
def convert(
    files: tuple[Path, ...],
    target: str,
    source: str,
    out: Path,
    split: bool,
    skip: bool,
    overwrite: bool,
    game: str | None,
) -> None:
    """Convert hand histories to ACPC logs or PHH.

    ACPC logs become PHH and come back without loss; header, comments and score travel as comments of the PHH file.
    PHH is always .phhs (any number of hands) unless --split asks for one .phh file per hand. An ACPC log has one game:
    hands with different stacks need --split, which writes a log and a game definition per hand. Hands that the output
    format cannot hold are left out and counted by kind.
    """
    gamedef = given_game(game)
    reading = open_input(files, source, gamedef)
    if skip:
        reading.tell = lambda error: click.echo(f"left out: {error}", err=True)
    opened = reading.files
    folder = split or len(opened) > 1 or out.is_dir()
    if folder and out == STDOUT:
        raise click.UsageError("several output files need a folder: give it with --out")
    stems = [file.stem for file in opened]
    if split:
        patterns = tuple(f"{stem}-*.{end}" for stem in stems for end in ("phh", "log", "game"))
        kind = FolderKind("a folder of converted hands", patterns)
        verify_output_folder(out, kind, proceed=overwrite, inputs=files)
        _verify_distinct_stems(stems)
        targets = []
    else:
        targets = [out / (stem + _SUFFIXES[target]) for stem in stems] if folder else [out]
        claim_outputs(*targets, inputs=files, overwrite=overwrite)
    hands = 0
    for index, file in enumerate(opened):
        job = _Conversion(reading, file, target, overwrite)
        if split:
            job.write_hand_files(out)
        else:
            job.write(targets[index])
        hands += job.hands
    for note in reading.notes():
        click.echo(one_line(note), err=True)
    left_out = reading.left_out.count
    if out != STDOUT or left_out:
        click.echo(f"{hands} hands converted" + (f", {left_out} left out" if left_out or skip else ""), err=True)


def _verify_distinct_stems(stems: Sequence[str]) -> None:
    for index, stem in enumerate(stems):
        if stem in stems[:index]:
            raise InputError(f"two inputs are called {stem!r}: their hands would be written to the same files")


class _Conversion:
    """The conversion of one hand-history file."""

    def __init__(self, reading: HandInput, file: HandFile, target: str, overwrite: bool) -> None:
        self._reading = reading
        self._file = file
        self._target = target
        self._overwrite = overwrite
        self.hands = 0

    def write(self, out: Path) -> None:
        """Writes all hands to one file, or to standard output."""
        converter = Converter(self._target)
        with open_output(out) as stream:
            for _, text in self._texts(converter):
                stream.write(text.encode())
            if self._target == ACPC and out != STDOUT:
                _write_game_file(converter, out, self._overwrite)
        self.hands = converter.hands

    def write_hand_files(self, folder: Path) -> None:
        """Writes one file per hand, named after the input and its running number.

        The game definition of an ACPC log is written beside it.
        """
        converter = Converter(self._target, one_hand=True)
        for entry, text in self._texts(converter):
            if isinstance(entry, FileHand):
                name = f"{self._file.stem}-{converter.hands}"
                if self._target == ACPC:
                    text = format_header(LogHeader(name, f"{name}.game", 1, 0)) + "\n" + text
                    write_text_file(folder / f"{name}.game", format_gamedef(entry.hand.state.gamedef))
                write_text_file(folder / f"{name}{'.log' if self._target == ACPC else '.phh'}", text)
        self.hands = converter.hands

    def _texts(self, converter: Converter) -> Iterator[tuple[FileHand | Remark, str]]:
        """Yields the entries that the output format can hold.

        :raises LogError: at the end, if all hands were left out.
        """
        reading, file = self._reading, self._file
        before = reading.hands
        for entry in with_progress(file, reading.entries(file, hidden_cards=True)):
            try:
                text = converter.convert(entry)
            except LogError as error:
                if isinstance(entry, Remark):
                    raise LogError(error.message, source=str(file.path), line=entry.line) from error
                if not isinstance(error, LeftOutError):
                    error = LeftOutError(f"not to be expressed in {self._target}", reason=error.message)
                reading.leave_out(file, entry, located(error, file, entry))
            except GamedefError as error:
                raise GamedefError(error.message, source=str(file.path)) from error
            else:
                yield entry, text
        if reading.hands == before and reading.left_out.count:
            raise LogError("; ".join(["no hand can be converted", *reading.left_out.lines()]), source=str(file.path))


def _write_game_file(converter: Converter, out: Path, overwrite: bool) -> None:
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
    claim_outputs(file, overwrite=overwrite)
    write_text_file(file, format_gamedef(converter.gamedef))
    click.echo(f"game definition written to {file}", err=True)


def _holds_game(file: Path, converter: Converter) -> bool:
    try:
        return read_gamedef(file) == converter.gamedef
    except HedgehogError:
        return False
