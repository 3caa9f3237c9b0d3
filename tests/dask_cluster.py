"""A dask cluster of separate processes on the loopback address, started by dask's ordinary commands."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 2_000_000_000


def wait_for(condition: Callable[[], bool], seconds: float = 300) -> None:
    """Waits until a condition holds, and fails if it does not."""
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert condition()


@dataclass
class Cluster:
    """A scheduler and its workers."""

    folder: Path
    """Where their logs are, and where jobs and tests exchange files."""
    environment: dict[str, str]
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def scheduler(self) -> subprocess.Popen[bytes]:
        return self.processes[0]

    @property
    def address(self) -> str:
        """The address of the scheduler, once it listens."""
        file = self.folder / "scheduler.json"
        wait_for(lambda: file.exists() and file.stat().st_size > 0)
        address: str = json.loads(file.read_text())["address"]
        return address

    def start(self, *words: str, **more: str) -> subprocess.Popen[bytes]:
        """Starts ``dask scheduler`` or ``dask worker``.

        :param more: variables of the environment.
        """
        command = [sys.executable, "-m", f"distributed.cli.dask_{words[0]}", *words[1:]]
        command += ["--scheduler-file", str(self.folder / "scheduler.json"), "--host", "127.0.0.1"]
        command += ["--dashboard-address", "127.0.0.1:0", "--no-dashboard"]
        with (self.folder / f"{len(self.processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=self.environment | more,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def worker(self, *words: str, **more: str) -> subprocess.Popen[bytes]:
        """Starts one worker without a nanny."""
        if "--nthreads" not in words:
            words = (*words, "--nthreads", "1")
        return self.start("worker", "--no-nanny", "--memory-limit", str(LIMIT), *words, **more)


def without_hedgehog(folder: Path) -> Path:
    """Returns a folder in which ``hedgehog`` is a package without content."""
    place = folder / "without" / "hedgehog"
    place.mkdir(parents=True, exist_ok=True)
    (place / "__init__.py").touch()
    return place.parent


@contextmanager
def dask_cluster(folder: Path, environment: Mapping[str, str] = {}) -> Iterator[Cluster]:
    """Yields a cluster with a scheduler and no worker; all its processes end with the block.

    :param environment: variables of its processes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    own = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "critical",
        "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",  # a hundred times a second in every process
        "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "10s",
    }
    cluster = Cluster(folder, own | dict(environment))
    try:
        cluster.start("scheduler", "--port", "0", PYTHONPATH=str(without_hedgehog(folder)))  # which need not have it
        yield cluster
    finally:
        for process in reversed(cluster.processes):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGCONT)
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(30)
