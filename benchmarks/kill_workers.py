"""Kills one of two workers at random moments of a task, and checks that nothing is lost.

Run it from the repository's folder::

    python -m benchmarks.kill_workers [--task aivat] [--times 20]
    python -m benchmarks.kill_workers --here [--task aivat] [--times 20]
    python -m benchmarks.kill_workers --long [--task aivat]

Each task is a command, which is run in one process first. Then it is run as often as asked on a cluster of two workers
on the loopback address, of which one is killed by SIGKILL, and replaced for the next time. With ``--here`` it is run
with two processes of this machine, and one of these is killed. Every run must end with exit code 0, without a
traceback, and with the same files. A worker that is killed after the command has ended is not counted.

With ``--long`` nobody is killed. The command takes about a minute on one worker, and is run by one and by two workers
of a cluster that has started, on a machine that does nothing else, all in all about three minutes for each task. The
table has the wall times and what the engine costs the client: its CPU time beyond that of the same command with nothing
left to do, as a share of the CPU time of the jobs.
"""

from __future__ import annotations

import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import click

from benchmarks.common import run
from hedgehog.arena.play import play_match
from hedgehog.arena.records import REPORT_FILES
from hedgehog.poker.cards import format_cards
from hedgehog.poker.isomorphism import flop_representative
from hedgehog.strategies.flop_pack import NUM_FLOP_CLASSES

_ROOT: Final = Path(__file__).resolve().parents[1]
_TIMES: Final = re.compile(rb'"seconds": [0-9.]+|date: .*')
"""What files tell about the time that they took, and packs about the day on which they were built."""
_OWN: Final = re.compile(r"seating_[0-9]+\..*\.json")
"""Reports of players, which have times, as the reports of tournaments that are made of them."""
_WORKERS: Final = ("hedgehog.runtime.engines.processes", "hedgehog.arena.table_process")
"""What the command lines of worker processes name."""
_PATIENCE_S: Final = 600.0


@dataclass(frozen=True)
class Task:
    """A command that is run again and again."""

    words: Callable[[Path, int], list[str]]
    """Returns the words for a folder with inputs and a factor of the size."""
    output: str
    """The option of the output file or folder."""
    long: int
    """Factor of the size with which one worker takes about a minute."""
    again: tuple[str, ...] = ()
    """Options with which the command goes on."""
    processes: str = "--jobs"
    """The option of the number of processes."""
    idle: tuple[str, ...] = ()
    """Options with which the command does nothing, in place of an engine's, if it does not go on when it is done."""
    exact: bool = True
    """Whether the files are the same every time."""


def _tournament(place: Path, scale: int) -> list[str]:
    text = f"{{name: t, hands: {20 * scale}, seed: 1, in_process: true, agents: [potodds, call, raise, checkraise]}}"
    (place / "t.yaml").write_text(text)
    return ["tournament", "run", str(place / "t.yaml")]


def _thinking(place: Path, scale: int) -> list[str]:
    times = "think_ms: 300, threads: 1"
    text = (
        f"{{name: t, hands: {5 * scale}, block_hands: 5, seed: 1, in_process: true, {times}, agents: [default, call]}}"
    )
    (place / "t.yaml").write_text(text)
    return ["tournament", "run", str(place / "t.yaml")]


def _lbr(place: Path, scale: int) -> list[str]:
    return ["lbr", "call", "--hands", str(400 * scale), "--setting", "fcpa"]


def _aivat(place: Path, scale: int) -> list[str]:
    logs = play_match(["call", "random"], hands=60 * scale, seed=1, out=place / "match").logs
    return ["log", "aivat", *map(str, logs), "--player", "call=call"]


def _grade(place: Path, scale: int) -> list[str]:
    logs = play_match(["call", "potodds"], hands=30 * scale, seed=1, out=place / "match", duplicate=False).logs
    return ["grade", *map(str, logs), "--player", "potodds", "--depth", "quick", "--street", "river"]


def _grade_preflop(place: Path, scale: int) -> list[str]:
    logs = play_match(["call", "potodds"], hands=3000 * scale, seed=1, out=place / "match", duplicate=False).logs
    return ["grade", *map(str, logs), "--player", "potodds", "--depth", "quick", "--street", "preflop"]


def _blocks(place: Path, scale: int) -> list[str]:
    size = ["--hands", str(100 * scale), "--block-hands", "20"]
    return ["match", "potodds", "checkraise", *size, "--seed", "1", "--in-process"]


def _study(place: Path, scale: int) -> list[str]:
    for seed in range(8):
        play_match(["raise", "random"], hands=500 * scale, seed=seed, out=place / "hands" / str(seed))
    return ["study", "hands", str(place / "hands")]


def _endgame(place: Path, scale: int) -> list[str]:
    sizes = ["--turn-sizes", "100%", "--river-sizes", "100%", "--value-iterations", "0"]
    return ["endgame", "call", "--think-ms", "0", "--turns", str(4 * scale), *sizes]


def _audit(place: Path, scale: int) -> list[str]:
    return ["audit", "call", "--boards", str(12 * scale)]


def _packs(place: Path, scale: int) -> list[str]:
    every = NUM_FLOP_CLASSES // (3 * scale)
    config = {
        "kind": "quick-flops",
        "name": "p",
        "blueprint": str(_ROOT / "strategies/packs/blueprint"),
        "classes": [format_cards(flop_representative(number * every)) for number in range(3 * scale)],
        "lines": [{"betting": "cr375c"}],
    }
    (place / "p.yaml").write_text(json.dumps(config))  # every JSON text is YAML
    return ["pack", "build", str(place / "p.yaml")]


TASKS: Final = {
    "aivat": Task(_aivat, "--results", 22),
    "audit": Task(_audit, "--json", 60, idle=("--boards", "1")),
    "blocks": Task(_blocks, "--out", 20, ("--resume",)),
    "endgame": Task(_endgame, "--results", 15),
    "grade": Task(_grade, "--store", 6),
    "grade-preflop": Task(_grade_preflop, "--store", 25),
    "lbr": Task(_lbr, "--results", 40),
    "study": Task(_study, "--store", 20),
    "thinking": Task(_thinking, "--out", 16, exact=False),
    "tournament": Task(_tournament, "--out", 100),
    "freezeout": Task(
        lambda place, scale: ["game", "freezeout", "call", "potodds", "--games", str(100 * scale)],
        "--out",
        500,
        ("--resume",),
    ),
    "packs": Task(_packs, "--out", 10, processes="--threads", idle=("--estimate",)),
}


@dataclass(frozen=True)
class Ended:
    """How a command has ended."""

    code: int
    seconds: float
    cpu: float
    error: str


class Cluster:
    """A scheduler and its workers on the loopback address."""

    def __init__(self, place: Path, workers: int) -> None:
        self._place = place
        self._file = place / f"scheduler-{time.time_ns()}.json"
        self._scheduler = self._start("scheduler", "--port", "0")
        self.workers = [self.new_worker() for _ in range(workers)]

    @property
    def address(self) -> str:
        """Address of the scheduler."""
        until = time.monotonic() + _PATIENCE_S
        while not (self._file.exists() and self._file.stat().st_size) and time.monotonic() < until:
            time.sleep(0.1)
        return str(json.loads(self._file.read_text())["address"])

    def wait(self) -> None:
        """Waits until the scheduler knows all workers."""
        distributed: Any = import_module("distributed")
        with distributed.Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(len(self.workers), _PATIENCE_S)

    def kill_worker(self, client: subprocess.Popen[str], choice: random.Random) -> bool:
        """Kills a worker; returns False if the command had ended before."""
        runs = client.poll() is None
        kill(choice.choice(self.workers))
        return runs

    def replace_dead(self) -> None:
        """Starts a worker for each one that has ended."""
        self.workers = [self.new_worker() if worker.poll() is not None else worker for worker in self.workers]

    def new_worker(self) -> subprocess.Popen[bytes]:
        """Starts a worker."""
        return self._start("worker", "--no-nanny", "--nthreads", "1", "--memory-limit", "2GB")

    def _start(self, what: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *options, "--host", "127.0.0.1"]
        command += ["--scheduler-file", str(self._file), "--no-dashboard"]
        with (self._place / f"{self._file.stem}.log").open("ab") as log:
            return subprocess.Popen(command, cwd=_ROOT, stdout=log, stderr=log, start_new_session=True)

    def end(self) -> None:
        """Ends all processes."""
        for process in (*self.workers, self._scheduler):
            kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and those that it has started, without a warning."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def cluster(place: Path, workers: int) -> Iterator[Cluster]:
    """Yields a cluster, which ends with the block."""
    found = Cluster(place, workers)
    try:
        yield found
    finally:
        found.end()


def start(words: list[str]) -> subprocess.Popen[str]:
    """Starts a command of Hedgehog."""
    return subprocess.Popen(
        [sys.executable, "-m", "hedgehog.cli", *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def end(process: subprocess.Popen[str], begun: float) -> Ended:
    """Waits for a command. Processes that it has started count as its CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _, error = process.communicate()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Ended(process.returncode, time.monotonic() - begun, cpu, error)


def contents(path: Path) -> dict[str, bytes]:
    """Returns the files of an output without the times in them."""
    files = [path] if path.is_file() else [file for file in sorted(path.rglob("*")) if file.is_file()]
    return {
        str(file.relative_to(path)): _TIMES.sub(b"", file.read_bytes())
        for file in files
        if not _OWN.fullmatch(file.name) and file.name not in REPORT_FILES
    }


class Trial:
    """A task in a folder of its own, done first in one process."""

    def __init__(self, name: str, scale: int, place: Path) -> None:
        self.name, self.place = name, place
        self._task = TASKS[name]
        self._words = self._task.words(place, scale)
        self._one = self.ended("one", self._task.processes, "1")
        self._expected = contents(place / "one")

    def started(self, out: str, *more: str) -> subprocess.Popen[str]:
        """Starts the command with an output of its own."""
        return start([*self._words, self._task.output, str(self.place / out), *more])

    def ended(self, out: str, *more: str) -> Ended:
        """Returns how the command ended, which must be well."""
        begun = time.monotonic()
        return self.verified(end(self.started(out, *more), begun))

    def verified(self, found: Ended) -> Ended:
        """Returns how a command ended, if it ended well."""
        if found.code or "Traceback" in found.error:
            raise click.ClickException(f"{self.name}: exit code {found.code}\n{found.error}")
        return found

    def verify(self, out: str) -> None:
        """Checks that an output is that of one process."""
        found = contents(self.place / out)
        if self._task.exact and self._expected != found:
            differing = sorted(
                file for file in {*self._expected, *found} if self._expected.get(file) != found.get(file)
            )
            raise click.ClickException(f"{self.name}: these files differ: {', '.join(differing[:5])}")

    def walls(self) -> str:
        """Returns the row of a task that is done by one and by two workers."""
        jobs = self._one.cpu - self._without_jobs("one", self._task.processes, "1")
        walls, costs = [], []
        for workers in (1, 2):
            out = f"dask-{workers}"
            with cluster(self.place, workers) as here:
                here.wait()
                found = self.ended(out, "--dask", here.address)
                costs.append(found.cpu - self._without_jobs(out, "--dask", here.address))
            walls.append(found.seconds)
            self.verify(out)
        one, two = walls
        return f"{jobs:.1f} | {one:.1f} | {two:.1f} | {one / two:.2f} | {100 * max(costs) / jobs:.1f} %"

    def _without_jobs(self, out: str, *engine: str) -> float:
        """Returns the CPU time of the command with nothing left to do."""
        idle = self._task.idle
        return (self.ended("idle", *idle) if idle else self.ended(out, *engine, *self._task.again)).cpu

    def kills(self, times: int, seed: int, *, here: bool) -> str:
        """Returns the row of a task one of whose two workers is killed again and again.

        :param here: they are processes of the command on this machine, not dask workers.
        """
        if here:
            return self._kills_by(times, seed, (self._task.processes, "2"), _kill_process)
        with cluster(self.place, 2) as found:
            return self._kills_by(times, seed, ("--dask", found.address), found.kill_worker, found.replace_dead)

    def _kills_by(
        self,
        times: int,
        seed: int,
        engine: tuple[str, str],
        kill_one: Callable[[subprocess.Popen[str], random.Random], bool],
        restore: Callable[[], None] = lambda: None,
    ) -> str:
        moments = random.Random(seed)
        seconds = self.ended("whole", *engine).seconds
        self.verify("whole")
        killed = 0
        for number in range(times):
            out = f"killed-{number}"
            begun = time.monotonic()
            client = self.started(out, *engine)
            time.sleep(moments.uniform(0, seconds))
            killed += kill_one(client, moments)
            self.verified(end(client, begun))
            restore()
            self.verify(out)
            click.echo(f"{self.name}: {number + 1} of {times} runs, {killed} kills", err=True)
        return f"{self._one.cpu:.1f} | {seconds:.0f} | {killed} of {killed}"


def _kill_process(client: subprocess.Popen[str], choice: random.Random) -> bool:
    """Kills a worker process of a command, as soon as it has one; returns False if the command has ended before."""
    psutil: Any = import_module("psutil")
    while client.poll() is None:
        with suppress(psutil.Error):
            workers = [
                child
                for child in psutil.Process(client.pid).children()
                if any(name in " ".join(child.cmdline()) for name in _WORKERS)
            ]
            if workers:
                choice.choice(workers).kill()
                return True
        time.sleep(0.05)
    return False


@click.command()
@click.option("--task", "tasks", type=click.Choice([*TASKS]), multiple=True, help="Default: all.")
@click.option("--times", type=click.IntRange(1), default=20, show_default=True, help="Kills for each task.")
@click.option("--scale", type=click.IntRange(1), default=1, show_default=True, help="Factor of the tasks' sizes.")
@click.option("--seed", default=1, show_default=True, help="Seed of the moments.")
@click.option("--here", is_flag=True, help="Kill processes of the command on this machine, not dask workers.")
@click.option("--long", is_flag=True, help="Kill nobody: take tasks of about a minute and their times.")
def main(tasks: tuple[str, ...], times: int, scale: int, seed: int, here: bool, long: bool) -> None:
    """Kill workers, or take times, and print the table."""
    heads = (
        ["CPU s of the jobs", "wall s, 1 worker", "2 workers", "ratio", "engine"]
        if long
        else ["CPU s of one process", "wall s, 2 workers", "the same after a kill"]
    )
    click.echo(f"| task | {' | '.join(heads)} | load |\n|{'---|' * (len(heads) + 2)}")
    for name in tasks or TASKS:
        if not long and not TASKS[name].exact:
            continue
        place = Path(tempfile.mkdtemp(prefix="kill-workers-"))
        try:
            trial = Trial(name, TASKS[name].long if long else scale, place)
            row = trial.walls() if long else trial.kills(times, seed, here=here)
            click.echo(f"| {name} | {row} | {os.getloadavg()[0]:.0f} |")
        finally:
            shutil.rmtree(place)


if __name__ == "__main__":
    run(main)
