"""SIGINT, SIGTERM and SIGHUP end long commands alike: in good order, with what there is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hedgehog.analysis.lbr.results import read_lbr_results
from hedgehog.solver.postflop.solution_files import read_saved_solve

ROOT = Path(__file__).parents[2]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
BOUND_S = 240
SPOT = """\
spot: tiny
board: Td 9d 6h Qc 2c
pot: 100
stack: 300
range: {oop: "66+,A2s+", ip: "66+,A2s+"}
sizes:
  river: {oop: "75%/a", ip: "75%/a"}
"""


def end(command: list[str], number: signal.Signals, ready: Path, folder: Path) -> tuple[int, str]:
    """Runs a command, sends the signal when the file ``ready`` is there, and returns exit code and stderr."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with (folder / "err").open("wb") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "hedgehog.cli", *command], cwd=folder, stderr=err, env=environment
        )
    try:
        deadline = time.monotonic() + BOUND_S
        while not ready.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        assert process.poll() is None, (folder / "err").read_text()
        process.send_signal(number)
        code = process.wait(BOUND_S)
    finally:
        process.kill()
        process.wait()
    return code, (folder / "err").read_text()


@pytest.mark.parametrize("number", [SIGNALS[0], *(pytest.param(one, marks=pytest.mark.slow) for one in SIGNALS[1:])])
def test_a_solve_is_saved_and_its_results_are_written(number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "spot.yaml").write_text(SPOT)
    saved = tmp_path / "saved"
    words = f"solve spot.yaml --iterations 100000 --threads 1 --save {saved} --save-every 0.0001 --json result.json"
    code, err = end(words.split(), number, saved / "manifest.yaml", tmp_path)
    assert code == 130, err
    assert "interrupted" in err
    assert "Traceback" not in err
    assert 0 < read_saved_solve(saved).iterations < 100_000
    assert (tmp_path / "result.json").stat().st_size


@pytest.mark.parametrize("number", [signal.SIGHUP, *(pytest.param(one, marks=pytest.mark.slow) for one in SIGNALS[:2])])
def test_lbr_keeps_its_results(number: signal.Signals, tmp_path: Path) -> None:
    results = tmp_path / "results"
    code, err = end(["lbr", "call", "--hands", "100000000", "--results", "results"], number, results, tmp_path)
    assert code == 130, err
    assert "interrupted" in err
    assert "Traceback" not in err
    if results.exists():  # a block was finished
        assert read_lbr_results(results)[1]
