"""The option ``--merge``: the results of several machines, which did a part each, become those of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from hedgehog.cli.given import refuse_all_but
from hedgehog.cli.outputs import Outputs
from hedgehog.runtime.outputs import verify_output_file

F = TypeVar("F", bound=Callable[..., Any])


def merge_option(text: str) -> Callable[[F], F]:
    """Returns a decorator for the flag ``--merge``.

    :param text: what is joined into what, for the help text.
    """
    return click.option("--merge", is_flag=True, help=text)


def only_player(words: Sequence[str]) -> str:
    """Returns the one word of a command that names files only with ``--merge``.

    :raises click.UsageError: if there are more.
    """
    if len(words) > 1:
        raise click.UsageError(f"expected one player, got {words[1]!r} too; files are joined by --merge")
    return words[0]


def claim_merged(results_file: Path | None, sources: Sequence[Path], outputs: Outputs) -> Path:
    """Returns the file into which results are merged, after all that is asked was checked.

    :param results_file: value of the option ``--results`` of the running command.
    :param sources: the files of the machines.
    :raises click.UsageError: for options that do not go with ``--merge``, or without ``--results``.
    :raises InputError: if a file cannot be written, or is one of the sources; also ResourceError.
    """
    refuse_unmerged("results_file", "json_file")
    if results_file is None:
        raise click.UsageError("--merge: needs --results FILE for what the files hold together")
    outputs.claim(results_file, *sources)
    verify_output_file(results_file, overwrite=True, inputs=sources)  # what is in it is never replaced
    return results_file


def refuse_unmerged(*names: str) -> None:
    """Refuses options that do nothing while results are merged.

    :param names: Python names of those that do, beside ``--merge`` and ``--overwrite``.
    :raises click.UsageError: if another one stands on the command line.
    """
    refuse_all_but("does not go with --merge, which only joins results", "merge", "overwrite", *names)
