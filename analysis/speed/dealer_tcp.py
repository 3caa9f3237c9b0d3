"""Rows of the ``dealer`` benchmark for matches over TCP.

The clients are small C programs beside this file, compiled on demand, so that the dealer is measured and not its
clients. The floor is measured for comparison. It is a C program without any rules that repeats a recorded match with
one write per seat and state.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hedgehog.analysis.speed.figures import BenchRow, Step
from hedgehog.runtime.errors import ResourceError

_GAME = "holdem.nolimit.2p.reverse_blinds"
_SOURCES = Path(__file__).parent
_HANDS = 3_000
_RUNS = 3
_TIMEOUT_S = 120.0
_OFFICIAL_HANDS_PER_S = 3_594
"""Hands/s of the official dealer with two of its example players, 6.35 actions per hand, on another machine."""


@dataclass(frozen=True, slots=True)
class _Measured:
    """Times of one match, from the moment the ports are known to the end of the dealer."""

    wall_s: float
    cpu_s: float
    """CPU time of the dealer."""


@contextmanager
def _placed(one_core: bool) -> Iterator[None]:
    """A context whose new processes run on one core, or wherever the system puts them."""
    if not one_core:
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


Client = Callable[[str, int], Sequence[str]]
"""(port, seat from 0) -> what to run as a client."""


_ONE_CORE = {True: ", one core", False: ""} if hasattr(os, "sched_setaffinity") else {False: ""}
"""Whether all processes share a core -> what to add to the name of a row. Not every system lets a process choose."""
_MODES = ("call", "random")
"""The ways to play: names of bots for the Python clients, arguments of the C clients."""


def tcp_measurements(command: Sequence[str], folder: Path) -> tuple[list[Step], list[str]]:
    """Returns the measurements of matches over TCP, and notes on how they are made.

    Each way to play is measured at each placement, with C clients beside the floor, and with Python clients.

    :param command: starts our command line; its subcommands are appended.
    :param folder: an empty folder for programs, logs and records, which the measurements need.
    """
    notes = [
        f"over TCP: {_HANDS:,} hands, one dealer and two clients as processes on loopback, log on, start-up taken off;"
        f" best of {_RUNS}; wall time, which busy neighbours lengthen",
        "one core: all three processes on the same core; otherwise wherever the system puts them, which on virtual"
        " machines may cost twice as much: waking a process on another core is slow there",
        "random C clients play as the official example player: fold, call, raise 6, 47, 47 %, 6.35 actions per hand",
        "floor: the same conversation, one write per seat and state, from a C program that knows no rules",
    ]
    cases = [(mode, one_core) for mode in _MODES for one_core in _ONE_CORE]
    steps: list[Step] = []
    client, floor = _compile(folder, "acpc_client"), _compile(folder, "acpc_floor")
    if client is None or floor is None:
        notes.append("no C compiler: the rows with C clients are left out")
    else:
        for mode, one_core in cases:
            name = f"{mode} - {mode} over TCP, C clients{_ONE_CORE[one_core]}"
            steps.append((name, partial(_c_client_rows, name, mode, one_core, command, folder, (client, floor))))
    for mode, one_core in cases:
        name = f"{mode} - {mode} over TCP, Python clients{_ONE_CORE[one_core]}"
        steps.append((name, partial(_python_client_rows, name, mode, one_core, command, folder)))
    return steps, notes


def _python_client_rows(name: str, mode: str, one_core: bool, command: Sequence[str], folder: Path) -> list[BenchRow]:
    def play(port: str, seat: int) -> Sequence[str]:
        return [*command, "play", "127.0.0.1", port, "--player", mode, "--seed", str(seat)]

    with _placed(one_core):
        best = _best(lambda hands: _measure(_dealer(command, folder, hands), play, folder))
    return [BenchRow(name, _HANDS / best.wall_s, "hands/s")]


def _c_client_rows(
    name: str, mode: str, one_core: bool, command: Sequence[str], folder: Path, programs: tuple[Path, Path]
) -> list[BenchRow]:
    """Returns our figures beside those of the floor.

    :param programs: client and floor.
    """
    client, floor = programs

    def play(port: str, seat: int) -> Sequence[str]:
        return [str(client), "127.0.0.1", port, mode, str(seat + 1)]

    record = {hands: folder / f"{mode}-{hands}.record" for hands in (1, _HANDS)}
    for hands, path in record.items():
        if not path.exists():  # another placement may have made it
            with path.open("wb") as messages:
                _measure(_dealer(command, folder, hands, "-l"), play, folder, messages.fileno())
    actions = record[_HANDS].read_bytes().count(b"FROM ")
    with _placed(one_core):
        ours = _best(lambda hands: _measure(_dealer(command, folder, hands), play, folder))
        least = _best(lambda hands: _measure([str(floor), str(record[hands]), str(folder / "floor.log")], play, folder))
    hands_per_s = _HANDS / ours.wall_s
    rows = [BenchRow(name, hands_per_s, "hands/s", "floor in C", _HANDS / least.wall_s)]
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


def _dealer(command: Sequence[str], folder: Path, hands: int, *options: str) -> list[str]:
    return [*command, "dealer", str(folder / "bench"), _GAME, str(hands), "7", "A", "B", *(options or ("-q",))]


def _measure(dealer: Sequence[str], client: Client, folder: Path, messages: int = subprocess.DEVNULL) -> _Measured:
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
