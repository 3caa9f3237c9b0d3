"""The outputs of a command: the options ``--json``, ``--csv`` and ``--overwrite``, and the writing of the files.

A command declares them by :func:`output_options`, gets them as one object, :class:`Outputs`, and claims them before it
starts to work. A file named ``-`` is standard output. Tables and messages for people then go to standard error, so that
another program can read standard output. Where standard output is no terminal, it waits until the files are written:
its reader may stop reading, and end the command by that.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, TextIO, TypeVar

import click

from hedgehog.cli.standard_streams import lasting_stdout
from hedgehog.runtime.documents import csv_text, json_text
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import replacing, write_text_file
from hedgehog.runtime.folder_lock import locked_file, locked_folder
from hedgehog.runtime.outputs import STDOUT, make_folder, verify_distinct, verify_output_file
from hedgehog.runtime.packages import require

_REAL_STDOUT: Final = "hedgehog.cli.outputs.stdout"
_UNWRITTEN: Final = "hedgehog.cli.outputs.unwritten"

F = TypeVar("F", bound=Callable[..., Any])
Command = Callable[..., Any]


class OutputCommand(click.Command):
    """A click command whose ``[FILE]`` options may stand before its last argument, as in ``query --json my-solve``.

    The word after such an option is its FILE. If an argument is missing then, the word is taken as the argument, and
    the output goes to standard output.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.MissingParameter as error:
            options = {name for option in self.params if _writes_file(option) for name in option.opts}
            place = next((index for index, text in enumerate(given[:-1]) if text in options), None)
            if place is None or not isinstance(error.param, click.Argument):
                raise
            given[place] += f"={STDOUT}"
            return super().parse_args(ctx, given)


def _writes_file(option: click.Parameter) -> bool:
    return isinstance(option, click.Option) and option.flag_value == str(STDOUT)


def output_option(name: str, parameter: str, what: str) -> Callable[[F], F]:
    """Returns a decorator for the option ``name [FILE]``: a file to write, or standard output without FILE.

    :param parameter: name of the command's parameter.
    :param what: what is written, for the help text.
    """
    return click.option(
        name,
        parameter,
        type=click.Path(path_type=Path),
        is_flag=False,
        flag_value="-",
        metavar="[FILE]",
        help=f"Write {what} to FILE, or to standard output.",
    )


def output_options(**contents: str | Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Returns a decorator for options that write files and for ``--overwrite``; the command gets them as ``outputs``.

    :param contents: what each option writes, for its help text: ``csv="all lines"`` is the option ``--csv [FILE]``, and
        ``lines_csv="all lines"`` is ``--lines-csv [FILE]``. Or the decorator for an option, whose parameter is then
        ``csv_file``.
    """

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_outputs(*args: Any, overwrite: bool, **values: Any) -> Any:
            files = {name: values.pop(f"{name}_file") for name in contents}
            return command(*args, outputs=Outputs(files, overwrite=overwrite), **values)

        decorated: Command = overwrite_option(with_outputs)
        for name, what in reversed(contents.items()):
            if isinstance(what, str):
                text = f"{what} as {name.upper()}" if name in ("json", "csv") else what
                what = output_option(f"--{name.replace('_', '-')}", f"{name}_file", text)
            decorated = what(decorated)
        return decorated

    return decorate


overwrite_option: Final = click.option(
    "--overwrite", is_flag=True, help="Replace output files that exist (never an input, never somebody else's folder)."
)


def claim_outputs(
    *files: Path | None, inputs: Iterable[Path | None] = (), overwrite: bool = False, hold: bool = True
) -> None:
    """Checks the files that a command will write, and keeps standard output free if one of them is ``-``.

    :param files: output files; None for an output that the user did not ask for.
    :param inputs: files and folders the command reads.
    :param hold: standard output waits until all files are written, if it is no terminal.
    :raises InputError: if an output file exists (without ``overwrite``), is an input or a folder, or is named twice.
    :raises ResourceError: if an output file could not be written.
    """
    wanted = [file for file in files if file is not None]
    read = [path for path in inputs if path is not None]
    verify_distinct(wanted)
    for file in wanted:
        verify_output_file(file, overwrite=overwrite, inputs=read)
    context = click.get_current_context()
    lasting = lasting_stdout()
    if hold and lasting is not None and any(file != STDOUT for file in wanted):
        context.meta.setdefault(_UNWRITTEN, (lasting, set()))[1].update(file for file in wanted if file != STDOUT)
        lasting.hold()
    if STDOUT in wanted:
        context.meta[_REAL_STDOUT] = sys.stdout
        context.with_resource(contextlib.redirect_stdout(sys.stderr))


class Outputs:
    """The output files that the user of a command wants."""

    def __init__(self, files: Mapping[str, Path | None], *, overwrite: bool) -> None:
        """
        :param files: by name of the option; None for an output that the user did not ask for.
        :param overwrite: files that exist are replaced.
        """
        self.files = {name: file for name, file in files.items() if file is not None}
        """The files that the user asked for, by name of the option."""
        self.overwrite = overwrite

    def claim(self, *inputs: Path | None) -> None:
        """Claims all files (:func:`claim_outputs`).

        :param inputs: files and folders the command reads.
        :raises InputError: as :func:`claim_outputs` raises it, or for Parquet without pyarrow; also ResourceError.
        """
        if "parquet" in self.files:
            require("pyarrow.parquet", "--parquet needs")
        claim_outputs(*self.files.values(), inputs=inputs, overwrite=self.overwrite)

    def claim_results(self, results_file: Path | None) -> None:
        """Claims all files, and the file of ``--results``, which is never replaced, but gone on with.

        :raises InputError: as :meth:`claim` raises it, or if another process writes the file; also ResourceError.
        """
        self.claim(results_file)
        if results_file is not None:
            verify_output_file(results_file, overwrite=True)
            hold_file(results_file)

    def write(self, name: str, content: str | bytes | Callable[[], str | bytes]) -> None:
        """Writes the output of an option if the user wants it.

        :param content: the text or the bytes, or a function that makes them if they are wanted.
        :raises ResourceError: if it cannot be written.
        """
        if name in self.files:
            write_output(self.files[name], content() if callable(content) else content)

    def write_json(self, document: object) -> None:
        """Writes the output of ``--json`` if the user wants it, without NaN and infinities, which become null.

        :param document: the document, or a function that makes it if it is wanted.
        :raises ResourceError: if it cannot be written.
        """
        self.write("json", lambda: json_text(document() if callable(document) else document))

    def write_csv(self, rows: Sequence[Mapping[str, object]], name: str = "csv") -> None:
        """Writes rows to the output of an option as CSV, if the user wants it.

        None, NaN, infinities and keys that a row lacks become empty cells.

        :raises ResourceError: if it cannot be written.
        """
        header = list(dict.fromkeys(key for row in rows for key in row))
        self.write(name, lambda: csv_text(header, ([row.get(key) for key in header] for row in rows)))

    def write_parquet(self, rows: Callable[[], Sequence[Mapping[str, object]]]) -> None:
        """Writes rows of the same keys to the output of ``--parquet``, if the user wants it.

        :raises ResourceError: if it cannot be written.
        """
        if "parquet" not in self.files:
            return
        import pyarrow
        import pyarrow.parquet

        records, columns = rows(), {}
        for name in records[0] if records else ():
            columns[name] = pyarrow.array([record[name] for record in records])
            if pyarrow.types.is_null(columns[name].type):
                columns[name] = columns[name].cast(pyarrow.float64())
        with open_output(self.files["parquet"]) as file:
            pyarrow.parquet.write_table(pyarrow.table(columns), file, compression="zstd")


def hold_folder(folder: Path) -> None:
    """Makes an output folder and keeps other processes from going on with it until the command ends.

    :raises InputError: if another process holds it.
    :raises ResourceError: if it cannot be made.
    """
    busy = InputError("another process is writing to this folder", source=str(folder))
    click.get_current_context().with_resource(locked_folder(make_folder(folder), busy))


def hold_file(file: Path) -> None:
    """Makes an output file and keeps other processes from going on with it until the command ends.

    :raises InputError: if another process holds it.
    :raises ResourceError: if it cannot be made.
    """
    make_folder(file.parent)
    busy = InputError("another process is writing to this file", source=str(file))
    click.get_current_context().with_resource(locked_file(file, busy))


def write_output(path: Path, content: str | bytes) -> None:
    """Writes a text or bytes to a claimed output file.

    :raises ResourceError: if it cannot be written.
    """
    if isinstance(content, bytes):
        with open_output(path) as stream:
            stream.write(content)
        return
    if path != STDOUT:
        write_text_file(path, content)
        _note_written(path)
        return
    text_stream: TextIO = click.get_current_context().meta[_REAL_STDOUT]
    text_stream.write(content)
    text_stream.flush()


def _note_written(path: Path) -> None:
    """Lets standard output go on after the last claimed file."""
    lasting, unwritten = _context_meta().get(_UNWRITTEN, (None, set()))
    unwritten.discard(path)
    if lasting is not None and not unwritten:
        lasting.release()


def _context_meta() -> dict[str, Any]:
    context = click.get_current_context(silent=True)
    return {} if context is None else context.meta


@contextlib.contextmanager
def open_output(path: Path) -> Iterator[BinaryIO]:
    """Yields a stream of bytes to a claimed output. A file appears as a whole when the block ends without an error.

    :raises ResourceError: if the output cannot be written; an existing file is then unchanged.
    """
    if path != STDOUT:
        with replacing(path, make_folder=True) as file:
            yield file
        _note_written(path)
        return
    stream: TextIO = click.get_current_context().meta[_REAL_STDOUT]
    stream.flush()
    yield stream.buffer
    stream.buffer.flush()


def write_json(path: Path, document: object) -> None:
    """Writes a JSON document to a claimed output file; NaN and infinities, which JSON does not have, become null.

    :raises ResourceError: if it cannot be written.
    """
    write_output(path, json_text(document))
