"""Fixtures of the command-line tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgehog.cli.main import main
from tests.cli.command import Run


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Returns a function that runs the command line and returns exit code, stdout and stderr."""

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as raised:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return int(raised.value.code or 0), captured.out, captured.err

    return call
