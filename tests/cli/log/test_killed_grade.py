"""``hedgehog grade`` after ``kill -9``: the same bytes as an undisturbed run (A13 of docs/validation/grading.md)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.analysis.grading.hand_logs import RIVERS, write_log
from tests.processes import until

ROOT = Path(__file__).parents[3]
BOUND_S = 240
FILES = ("--json", "graded.json", "--csv", "graded.csv")


def start(folder: Path, files: Sequence[Path], jobs: int) -> subprocess.Popen[bytes]:
    """Starts grading rivers in ``folder``, with its store there; messages go to a file ``err``."""
    options = ["--player", "alice", "--street", "preflop", "--street", "river", "--depth", "quick", "--store", "store"]
    command = [sys.executable, "-m", "hedgehog.cli", "grade", *map(str, files), *options, "--jobs", str(jobs), *FILES]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with (folder / "err").open("ab") as err:
        return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=err, env=environment)


def parts(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "store").glob("part-*.json"))


def results(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES[1::2]} | {
        name: (folder / "store" / name).read_bytes() for name in parts(folder)
    }


def kill_after_a_part(folder: Path, files: Sequence[Path], jobs: int) -> None:
    """Goes on with a store and ends by ``kill -9`` as soon as another part is there."""
    before = parts(folder)
    process = start(folder, files, jobs)
    try:
        until(lambda: parts(folder) != before or process.poll() is not None, BOUND_S)
        assert process.poll() is None, (folder / "err").read_text()
    finally:
        process.kill()
        process.wait()


@pytest.mark.process
@pytest.mark.slow
def test_killed_three_times_it_ends_with_the_same_bytes(tmp_path: Path) -> None:
    """Killed when a part has just been written, with one process and two, and the files in any order."""
    lines = []
    for number in range(80):  # a river in each part of ten hands
        river = number // 10 % 2 if number % 10 == 0 else 3
        lines.append(RIVERS[river].replace(f"STATE:{river}:", f"STATE:{number}:"))
    files = [write_log(tmp_path, lines[:40]), write_log(tmp_path, lines[40:], name="b.log")]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    process = start(whole, files, 1)
    assert process.wait(BOUND_S) == 0, (whole / "err").read_text()
    assert len(parts(whole)) == 8
    for jobs in (1, 2, 1):
        files.reverse()
        before = parts(killed)
        kill_after_a_part(killed, files, jobs)
        assert set(before) < set(parts(killed)) < set(parts(whole)), "killed in the middle"
        assert not (killed / "graded.json").exists()
    process = start(killed, files[::-1], 2)
    assert process.wait(BOUND_S) == 0, (killed / "err").read_text()
    assert results(killed) == results(whole)
