"""Runs the command line in this process: a process of its own takes a second of CPU time to start."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hedgehog.cli.main import main

Run = Callable[..., tuple[int, str, str]]
"""The fixture ``run``. Takes the arguments of a command; returns exit code, stdout and stderr."""


@dataclass(frozen=True)
class Done:
    """What a command left, as :class:`subprocess.CompletedProcess` names it."""

    returncode: int
    stdout: str
    stderr: str


def hedgehog(*arguments: object, folder: Path | None = None) -> Done:
    """Runs a command in this process, if need be in a folder; the processes that it starts are those of the command."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with (
        contextlib.chdir(folder or "."),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main([str(argument) for argument in arguments])
            code: object = 0
        except SystemExit as ended:
            code = ended.code or 0
    assert isinstance(code, int)
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
    return Done(code, *texts)
