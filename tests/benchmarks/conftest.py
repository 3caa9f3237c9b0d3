"""Fixtures of the tests of benchmarks."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from benchmarks.common import run as run_benchmark
from tests.cli.command import Run


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Returns a function that runs a benchmark and returns exit code, stdout and stderr."""

    def call(command: click.Command, *arguments: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as raised:
            run_benchmark(command, [str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return int(raised.value.code or 0), captured.out, captured.err

    return call
