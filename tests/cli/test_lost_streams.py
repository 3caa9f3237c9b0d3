"""Whatever befalls standard output, the files that were asked for are written."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hedgehog.cli.main import main

SPOT = """\
spot: tiny
board: Td 9d 6h Qc 2c
pot: 100
stack: 300
range: {oop: "AA,T9s", ip: "QQ,AQs"}
sizes:
  river: {oop: "75%/a", ip: "75%/a"}
"""
LOG = Path(__file__).parents[1] / "data" / "acpc" / "log_hunl2p_s0.log.gz"
# Command -> its options that name files.
COMMANDS = {
    "equity AA KK": ("--json", "--csv"),
    "eval AhKh --board QhJh2c --metrics": ("--json", "--csv"),
    "game list": ("--json",),
    "game show jqk": ("--svg", "--efg", "--csv", "--json"),
    "game solve jqk": ("--svg", "--json"),
    "game dominance jqk": ("--json",),
    "solve {spot} --iterations 2 --threads 1": ("--json", "--csv"),
    "simulate {spot} --hands 10 --iterations 2 --threads 1": ("--json",),
    "query {solve}": ("--json", "--csv", "--html"),
    "pack list {solve}": ("--json", "--csv"),
    "pack show {solve}": ("--json",),
    "pack verify {solve}": ("--json",),
    "log stats {log}": ("--json", "--csv"),
    "study hands {log}": ("--json", "--menu", "--problems"),
    "study profile {log}": ("--json", "--csv", "--html", "--lines-csv"),
    "study tree 1-2-2": ("--jsonl",),
    "study trees 4-4-4": ("--json", "--csv", "--svg"),
    "lbr fold --hands 4": ("--json",),
    "endgame call --stack 10bb --turns 1 --turn-sizes a/ --river-sizes a/ --value-iterations 0": ("--json",),
    "match call fold --hands 2 --game kuhn.limit.2p --in-process --out {folder}/match": ("--json",),
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "spot.yaml").write_text(SPOT)
    with pytest.raises(SystemExit):
        main(f"solve {folder}/spot.yaml --iterations 2 --threads 1 --save {folder}/solve".split())
    return {"spot": f"{folder}/spot.yaml", "solve": f"{folder}/solve", "log": str(LOG)}


@pytest.fixture
def closed_pipe() -> Iterator[int]:
    """The writing end of a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


def words_of(command: str, folder: Path, inputs: dict[str, str]) -> tuple[list[str], list[Path]]:
    words = [word.format(folder=folder, **inputs) for word in command.split()]
    files = [folder / option.strip("-") for option in COMMANDS[command]]
    return [*words, *(str(w) for pair in zip(COMMANDS[command], files, strict=True) for w in pair)], files


def run(words: list[str], descriptor: int, monkeypatch: pytest.MonkeyPatch) -> int:
    with os.fdopen(descriptor, "w", closefd=False) as stream, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        with pytest.raises(SystemExit) as ended:
            main(words)
    return int(ended.value.code or 0)


@pytest.mark.process
@pytest.mark.parametrize("command", COMMANDS)
def test_a_reader_that_leaves_costs_no_file(
    command: str,
    tmp_path: Path,
    inputs: dict[str, str],
    closed_pipe: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words, files = words_of(command, tmp_path, inputs)
    assert run(words, closed_pipe, monkeypatch) == 0, capsys.readouterr().err
    assert all(file.exists() for file in files)
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("command", ["equity AA KK", "query {solve}", "solve {spot} --iterations 2 --threads 1"])
def test_a_full_disk_below_standard_output_costs_no_file(
    command: str,
    tmp_path: Path,
    inputs: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words, files = words_of(command, tmp_path, inputs)
    descriptor = os.open("/dev/full", os.O_WRONLY)
    assert run(words, descriptor, monkeypatch) == 2
    os.close(descriptor)
    assert all(file.stat().st_size for file in files)
    assert "error: cannot write our output: No space left on device" in capsys.readouterr().err


def test_files_are_written_before_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard output is a file here, which the moment of the first write shows."""
    result, shown = tmp_path / "json", tmp_path / "shown"
    seen: list[int] = []
    with shown.open("wb") as stream, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", os.fdopen(os.dup(stream.fileno()), "w"))
        patch.setattr("hedgehog.runtime.files.os.fsync", lambda _: seen.append(shown.stat().st_size))
        with pytest.raises(SystemExit):
            main(["equity", "AA", "KK", "--json", str(result)])
    assert seen == [0]
    assert "AA" in shown.read_text()


def test_closed_standard_streams(tmp_path: Path) -> None:
    """No output file may get the number of a closed stream, and nothing is an error."""
    command = f"exec {sys.executable} -m hedgehog.cli equity AA KK --json {tmp_path}/json >&- 2>&- <&-"
    done = subprocess.run(["sh", "-c", command], cwd=Path(__file__).parents[2], check=False, timeout=300)
    assert done.returncode == 0
    assert (tmp_path / "json").read_text().startswith("{")
