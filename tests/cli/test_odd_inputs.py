"""Whatever stands where a command expects a file, it ends soon, with one line that names the file and exit code 2."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Final

import pytest

from tests.cli.command import Run

LIMIT_S: Final = 60
"""Far more than any refusal takes; an endless file would take for ever."""
SPOT = """\
spot: tiny
board: Td 9d 6h Qc 2c
pot: 100
stack: 300
range: {oop: "AA,T9s", ip: "QQ,AQs"}
sizes:
  river: {oop: "75%/a", ip: "75%/a"}
"""

# Every place in which a command reads a file: `{odd}` stands for it.
FILES: Final = (
    "solve {odd}",
    "solve {odd} --estimate",
    "solve {spot} --respond oop --model {odd}",
    "simulate {odd}",
    "query {odd}",
    "lab abstractions {odd}",
    "lab counts {odd}",
    "lab losses {odd}",
    "lab menus {odd}",
    "lab counts --flops {odd}",
    "study model {odd} {log} --of ip",
    "study model {spot} {odd} --of ip",
    "study hands {odd}",
    "study profile {odd}",
    "study trees --hands {odd}",
    "study tree --hands {odd}",
    "log show {odd}",
    "log verify {odd}",
    "log stats {odd}",
    "log aivat {odd} --player a=call",
    "log all-in-ev {odd} --out {out}",
    "log convert {odd} --to phh --out {out}",
    "judge {odd}",
    "judge {log} --settings {odd}",
    "match call fold --hands 1 --game {odd}",
    "match call py:{odd}:Bot --hands 1 --in-process",
    "play 127.0.0.1 9 --player call --game {odd}",
    "play 127.0.0.1 9 --player call --after-log {odd} --as a",
    "play http://127.0.0.1:9 --as slumbot --player call --game {odd}",
    "serve --player call --port 0 --game {odd}",
    "play-here --against call --game {odd}",
    "dealer m {odd} 1 1 a b",
    "lbr fold --hands 2 --game {odd}",
    "lbr fold --hands 2 --results {odd}",
    "endgame call --game {odd}",
    "endgame call --results {odd}",
    "audit pack:{odd}",
    "audit fold --boards 1 --results {odd}",
    "tournament run {odd}",
    "pack build {odd} --out {out}",
    "pack show {odd}",
    "pack spot --pack {odd} --line c --board 2c3d4h",
    "game solve {odd}",
    "game evaluate kuhn {odd}",
    "game show {odd}",
    "game dominance {odd}",
    "explore {odd}",
)


def stopped(_number: int, _frame: FrameType | None) -> None:
    pytest.fail(f"the command still runs after {LIMIT_S} s")


@pytest.fixture
def in_time() -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, stopped)
    signal.alarm(LIMIT_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def make_odd(path: Path, kind: str) -> None:
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    elif kind == "endless":
        path.touch()
        os.truncate(path, 1 << 36)  # zeros that take no place on the disk


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "endless"])
@pytest.mark.parametrize("command", FILES)
@pytest.mark.usefixtures("in_time")
def test_what_is_no_file_is_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    odd = tmp_path / "odd"
    make_odd(odd, kind)
    (tmp_path / "spot.yaml").write_text(SPOT)
    (tmp_path / "a.log").write_text("STATE:0:cc/cc/cc/cc:7dTd|6c2s/Kh3cTh/9c/5d:100|-100:a|b\n")
    places = {"odd": odd, "spot": tmp_path / "spot.yaml", "log": tmp_path / "a.log", "out": tmp_path / "out"}
    code, out, error = run(*(word.format(**places) for word in command.split()))
    assert code == 2, (out, error)
    # A study looks through folders, and leaves out files that are no histories.
    assert "odd" in error or (command.startswith("study") and kind in ("folder", "endless"))
    assert "Traceback" not in error
    assert error.startswith("Usage:") or len(error.strip().splitlines()) == 1, error
