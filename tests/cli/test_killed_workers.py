"""One of two workers of a command is killed at a random moment: exit code 0, no traceback, and the same files.

``python -m benchmarks.kill_workers`` does the same with commands in processes of their own and more kills.
"""

from __future__ import annotations

import os
import random
import re
import secrets
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

from hedgehog.arena.play import play_match
from tests.cli.command import Run
from tests.processes import TOKEN_NAME, processes_marked

pytestmark = [pytest.mark.slow, pytest.mark.process]

WORKERS = ("hedgehog.runtime.engines.processes", "hedgehog.arena.table_process")
"""What the command lines of worker processes name."""
DASK_WORKER = "multiprocessing.spawn"
REPORTS = re.compile(r"seating_[0-9]+\..*\.(json|err)")
"""What players count and say, also in the part of a block that was lost."""
PATIENCE_S = 120.0


def workers(token: str, *names: str) -> list[int]:
    """Returns the ids of the processes that a test has started and whose command line holds one of the names."""
    found = []
    for process in processes_marked(token):
        with suppress(OSError):
            words = Path(f"/proc/{process}/cmdline").read_bytes().decode()
            if any(name in words for name in names):
                found.append(process)
    return found


@contextmanager
def killer(token: str) -> Iterator[list[str]]:
    """Kills a worker within two seconds after two of them are there; yields a list for what was done."""
    told: list[str] = []
    over = threading.Event()

    def strike() -> None:
        deadline = time.monotonic() + PATIENCE_S
        while len(workers(token, *WORKERS)) < 2 and not over.is_set() and time.monotonic() < deadline:
            time.sleep(0.02)
        waits = random.uniform(0, 2)
        if over.wait(waits):
            return
        found = workers(token, *WORKERS, DASK_WORKER)
        if found:
            with suppress(ProcessLookupError):
                os.kill(victim := random.choice(found), signal.SIGKILL)
                told.append(f"{victim} of {found} after {waits:.2f} s")

    thread = threading.Thread(target=strike)
    thread.start()
    try:
        yield told
    finally:
        over.set()
        thread.join()


def contents(path: Path) -> dict[str, bytes]:
    """Returns the files of an output."""
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    return {str(file.relative_to(path)): file.read_bytes() for file in files if not REPORTS.fullmatch(file.name)}


def study(place: Path) -> tuple[list[object], str]:
    for seed in range(6):
        play_match(["raise", "random"], hands=300, seed=seed, out=place / "hands" / str(seed))
    return ["study", "hands", place / "hands"], "--store"


def endgame(place: Path) -> tuple[list[object], str]:
    sizes = ["--turn-sizes", "a/", "--river-sizes", "a/", "--value-iterations", 5]
    return ["endgame", "call", "--stack", "10bb", "--turns", 6, *sizes], "--results"


def audit(place: Path) -> tuple[list[object], str]:
    return ["audit", "call", "--boards", 8], "--json"


def blocks(place: Path) -> tuple[list[object], str]:
    size = ["--hands", 60, "--block-hands", 10]
    return ["match", "potodds", "checkraise", *size, "--seed", 1, "--in-process"], "--out"


@pytest.mark.parametrize("way", ["--jobs 2", "--dask local:2"])
@pytest.mark.parametrize("task", [study, endgame, audit, blocks])
def test_nothing_is_lost(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    task: Callable[[Path], tuple[list[object], str]],
    way: str,
) -> None:
    if "dask" in way and find_spec("distributed") is None:
        pytest.skip("needs distributed")
    monkeypatch.setenv(TOKEN_NAME, token := secrets.token_hex(8))
    words, output = task(tmp_path)
    assert run(*words, *(["--jobs", 1] if task is blocks else []), output, tmp_path / "one")[0] == 0
    with killer(token) as killed:
        code, _, error = run(*words, *way.split(), output, tmp_path / "two")
    print(f"killed: {killed}")
    assert (code, "Traceback" in error) == (0, False), error
    assert contents(tmp_path / "two") == contents(tmp_path / "one")
