"""``hedgehog log verify``."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from cli.main import main
from tests.golden import FOLDER


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(["log", "verify", *arguments])
    assert isinstance(caught.value.code, int)
    return caught.value.code


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "m.log"
    path.write_bytes(gzip.decompress((FOLDER / "log_leduc2p_s1471220049.log.gz").read_bytes()))
    return path


def test_good_logs(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(str(log), str(log)) == 0
    assert capsys.readouterr().out == "600 hands, 0 faults\n"


def test_faults_are_listed(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = log.read_text().splitlines()
    lines[10] = lines[10].replace(":P", "0:P")
    log.write_text("\n".join(lines))
    assert run(str(log)) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith(f"{log}:11: expected values ")
    assert out[1] == "300 hands, 1 faults"


def test_another_game(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--game", "kuhn.limit.2p", str(log)) == 1
    assert "300 hands" in capsys.readouterr().out
    assert run("--game", "nosuch", str(log)) == 2


def test_unreadable_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(str(tmp_path / "none.log")) == 2
    assert (
        capsys.readouterr().err == f"error: {tmp_path}/none.log: could not read log file (No such file or directory)\n"
    )
    assert run() == 2
