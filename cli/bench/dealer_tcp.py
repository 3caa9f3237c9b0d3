"""Rows of the ``dealer`` benchmark for matches over TCP.

The clients are small C programs beside this file, compiled on demand, so that the dealer is measured and not its
clients. The floor is measured for comparison. It is a C program without any rules that repeats a recorded match with
one write per seat and state.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hedgehog.cli.bench.table import BenchRow
from hedgehog.cli.progress import Progress
from hedgehog.runtime.errors import ResourceError

_GAME = "holdem.nolimit.2p.reverse_blinds"
_SOURCES = Path(__file__).parent
_HANDS = 3_000
_RUNS = 3
_TIMEOUT_S = 120.0
_OFFICIAL_HANDS_PER_S = 3_594
"""Hands/s of the official dealer with two of its example players, 6.35 actions per hand, on another machine."""
_ENTRY = (sys.executable, "-c", "from hedgehog.cli.main import main; main()")


@dataclass(frozen=True, slots=True)
class _Measured:
    """Times of one match, from the moment the ports are known to the end of the dealer."""

    wall_s: float
    cpu_s: float
    """CPU time of the dealer."""


class _Placement:
    """A context whose new processes run on one core, or wherever the system puts them."""

    def __init__(self, one_core: bool) -> None:
        self._one_core = one_core

    def __str__(self) -> str:
        """Returns what to add to the name of a row."""
        return ", one core" if self._one_core else ""

    def __enter__(self) -> None:
        if self._one_core:
            self._cores = os.sched_getaffinity(0)
            os.sched_setaffinity(0, {max(self._cores)})

    def __exit__(self, *_: object) -> None:
        if self._one_core:
            os.sched_setaffinity(0, self._cores)


def _placements() -> list[_Placement]:
    """Returns the placements to measure; not every system lets a process choose its core."""
    return [_Placement(one_core) for one_core in (True, False) if not one_core or hasattr(os, "sched_setaffinity")]


Command = Callable[[str, int], Sequence[str]]
"""(port, seat from 0) -> what to run as a client."""


_MODES = ("call", "random")
"""The ways to play: names of bots for the Python clients, arguments of the C clients."""


def count_tcp_measurements() -> int:
    """Returns how often :func:`tcp_rows` advances its progress.

    Each way to play is measured at each placement with C clients, with the floor and with Python clients.
    """
    return 3 * len(_MODES) * len(_placements())


def tcp_rows(progress: Progress) -> tuple[list[BenchRow], list[str]]:
    """Returns the speeds of matches over TCP, and notes on how they were measured."""
    notes = [
        f"over TCP: {_HANDS:,} hands, one dealer and two clients as processes on loopback, log on, start-up taken off;"
        f" best of {_RUNS}; wall time, which busy neighbours lengthen",
        "one core: all three processes on the same core; otherwise wherever the system puts them, which on virtual"
        " machines may cost twice as much: waking a process on another core is slow there",
        "random C clients play as the official example player: fold, call, raise 6, 47, 47 %, 6.35 actions per hand",
        "floor: the same conversation, one write per seat and state, from a C program that knows no rules",
    ]
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        client, floor = _compile(folder, "acpc_client"), _compile(folder, "acpc_floor")
        if client is None or floor is None:
            notes.append("no C compiler: the rows with C clients are left out")
            progress.advance(2 * len(_MODES) * len(_placements()))
        else:
            rows += _c_client_rows(folder, client, floor, progress)
        for bot in _MODES:

            def play(port: str, seat: int, bot: str = bot) -> Sequence[str]:
                return [*_ENTRY, "play", "127.0.0.1", port, "--player", bot, "--seed", str(seat)]

            for where in _placements():
                with where:
                    best = _best(lambda hands: _measure(_dealer(folder, hands), play, folder))
                name = f"{bot} - {bot} over TCP, Python clients{where}"
                progress.advance(1, name)
                rows.append(BenchRow(name, _HANDS / best.wall_s, "hands/s"))
    return rows, notes


def _c_client_rows(folder: Path, client: Path, floor: Path, progress: Progress) -> list[BenchRow]:
    rows = []
    for mode in _MODES:

        def play(port: str, seat: int, mode: str = mode) -> Sequence[str]:
            return [str(client), "127.0.0.1", port, mode, str(seat + 1)]

        record = {hands: _record(folder, hands, play) for hands in (1, _HANDS)}
        actions = record[_HANDS].read_bytes().count(b"FROM ")
        for where in _placements():
            with where:
                ours = _best(lambda hands: _measure(_dealer(folder, hands), play, folder))
                least = _best(
                    lambda hands: _measure([str(floor), str(record[hands]), str(folder / "floor.log")], play, folder)  # noqa: B023
                )
            name = f"{mode} - {mode} over TCP, C clients{where}"
            progress.advance(2, name)
            hands_per_s = _HANDS / ours.wall_s
            rows.append(BenchRow(name, hands_per_s, "hands/s", "floor in C", _HANDS / least.wall_s))
            if mode == "random":
                rows.append(BenchRow(name, hands_per_s, "hands/s", "official, other machine", _OFFICIAL_HANDS_PER_S))
            cpu, least_cpu = (best.cpu_s / actions * 1e6 for best in (ours, least))
            rows.append(BenchRow(f"{name}: CPU of the dealer", cpu, "us/action", "floor in C", least_cpu))
    return rows


def _compile(folder: Path, name: str) -> Path | None:
    """Compiles one of the C programs and returns its path; None if there is no compiler."""
    compiler, source, program = shutil.which("cc"), _SOURCES / f"{name}.c", folder / name
    if compiler is None:
        return None
    subprocess.run([compiler, "-O2", "-o", program, source], check=True, capture_output=True, timeout=_TIMEOUT_S)
    return program


def _dealer(folder: Path, hands: int, *options: str) -> list[str]:
    return [*_ENTRY, "dealer", str(folder / "bench"), _GAME, str(hands), "7", "A", "B", *(options or ("-q",))]


def _record(folder: Path, hands: int, client: Command) -> Path:
    """Plays a match and returns the file that holds all messages of it."""
    path = folder / f"{hands}.record"
    with path.open("wb") as messages:
        _measure(_dealer(folder, hands, "-l"), client, folder, messages.fileno())
    return path


def _measure(dealer: Sequence[str], client: Command, folder: Path, messages: int = subprocess.DEVNULL) -> _Measured:
    """Plays one match and returns its times.

    :raises ResourceError: if the match does not come to its end.
    """
    running = [subprocess.Popen(dealer, cwd=folder, stdout=subprocess.PIPE, stderr=messages)]
    try:
        output = running[0].stdout
        assert output is not None
        ports = output.readline().decode().split()
        start = time.perf_counter()
        for seat, port in enumerate(ports):
            running.append(subprocess.Popen(client(port, seat), cwd=folder, stderr=subprocess.DEVNULL))
        _, status, usage = os.wait4(running[0].pid, 0)
        wall_s = time.perf_counter() - start
        running[0].returncode = os.waitstatus_to_exitcode(status)
        if running[0].returncode != 0:
            raise ResourceError("a match of the benchmark broke off")
        for process in running[1:]:
            process.wait(_TIMEOUT_S)
        return _Measured(wall_s, usage.ru_utime + usage.ru_stime)
    finally:
        for process in running:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()


def _best(match: Callable[[int], _Measured]) -> _Measured:
    """Returns the shortest times of a long match less the shortest times of one hand, which stand for start-up."""
    short = [match(1) for _ in range(_RUNS)]
    long = [match(_HANDS) for _ in range(_RUNS)]
    return _Measured(
        min(run.wall_s for run in long) - min(run.wall_s for run in short),
        min(run.cpu_s for run in long) - min(run.cpu_s for run in short),
    )
