"""The ``solver`` benchmark: postflop spots, beside a peer that runs at the same time or beside recorded figures.

With ``--peer COMMAND`` (:mod:`hedgehog.analysis.speed.peer`) our solver and the peer take turns on every spot, several
times, and the table compares the medians. Rows with one thread are CPU time if the peer reports it, otherwise both are
wall-clock time, as are rows with two threads.

Without a peer the figures beside ours are those recorded for postflop-solver on another machine. They are marked so,
and no ratio to them means anything but for memory.

Memory is what the solver holds, and its ratio means "times smaller". Seconds to a target exclude the checks of
exploitability for both programs. The number of iterations to a target varies by chance by about 15 %. The peer is
supposed not to merge hands that interchangeable cards make equal, so we do not merge them either. The rows that say so
are the exception: they show what merging adds on spots with full ranges.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from hedgehog.analysis.solves.simulation import check_values
from hedgehog.analysis.speed.figures import BenchRow, BenchTable, Step, best_seconds, run_steps
from hedgehog.analysis.speed.peer import Peer, PeerIterations, PeerRefusalError, PeerTargets, running_peer
from hedgehog.analysis.speed.solver_spots import RECORDED_TO_TARGET, SPOTS, BenchSpot
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.jit import max_threads
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.postflop.solver import PostflopSolver

_PEER = "the peer"
_RECORDED = "postflop-solver, recorded on another machine"
_LIVE_SPOT = SPOTS[2]
_SOLVED_ITERATIONS = 20
_PLAYED_HANDS = 500_000
_TARGETS = (1.0, 0.5, 0.1)
_MOST_ITERATIONS = 3000
_ROUNDS = 5
"""How often our solver and the peer take turns on a spot."""
_NOTE_RECORDED = (
    "The compared times were recorded on another machine; only memory compares. For a comparison: --peer COMMAND."
)


@dataclass(frozen=True, slots=True)
class _Opponent:
    """A running peer with spot files for it."""

    peer: Peer
    folder: Path
    notes: list[str] = field(default_factory=list)
    solved: dict[str, PeerTargets | None] = field(default_factory=dict)
    """By the name of a spot, how the peer reached the targets; None if it refused."""

    def targets(self, spot: BenchSpot, threads: int, targets: tuple[float, ...]) -> PeerTargets | None:
        """Returns how the peer reaches the targets of a spot, which it is asked once; None if it refuses."""
        if spot.name not in self.solved:
            try:
                found = self.peer.targets(self.file(spot), "f32", threads, targets, _MOST_ITERATIONS)
            except PeerRefusalError as error:
                self.notes.append(f"{spot.name}: the peer says: {error}")
                self.solved[spot.name] = None
            else:
                self.solved[spot.name] = found
        return self.solved[spot.name]

    def file(self, spot: BenchSpot) -> Path:
        """Returns the spot file of a spot, which is written at the first call."""
        path = self.folder / f"{spot.name.replace(' ', '_')}.yaml"
        if not path.exists():
            path.write_text(spot.text(), encoding="utf-8")
        return path


@contextmanager
def _opponent(command: str | None) -> Iterator[_Opponent | None]:
    if command is None:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder, running_peer(command) as peer:
        yield _Opponent(peer, Path(folder))


def measure_iterations(peer: str | None = None, spots: Sequence[str] = (), *, watch: Watch = SILENT) -> BenchTable:
    """Returns the times of iterations and the memory.

    :param peer: command line of a peer; None compares with recorded figures.
    :param spots: names of the spots, such as ``A flop``, or their first words; none means all.
    :raises InputError: if there is no such spot, or the peer cannot be started or does not keep to the protocol.
    """
    chosen = _choose(spots)
    with _opponent(peer) as opponent:
        steps: list[Step] = [(spot.name, partial(_iteration_rows, spot, opponent)) for spot in chosen]
        if not spots:
            steps.append(("before and after a solve", partial(_surrounding_rows, _LIVE_SPOT)))
        rows = run_steps("solver", steps, watch)
        notes = _notes(opponent)
    return BenchTable("Postflop solver: CPU time on one thread, wall-clock time on two", rows, notes)


def measure_targets(peer: str | None = None, spots: Sequence[str] = (), *, watch: Watch = SILENT) -> BenchTable:
    """Returns the times to solve the spots to their targets; exploitability is checked every 10 iterations.

    :param peer: command line of a peer; None compares with recorded figures.
    :param spots: names of the spots, or their first words; none means all.
    :raises InputError: if there is no such spot, or the peer cannot be started or does not keep to the protocol.
    """
    solves = [(spot, merged) for spot in _choose(spots) for merged in (False, True) if not merged or spot.full]
    with _opponent(peer) as opponent:
        steps = [
            (_solve_name(spot, merged), partial(_target_rows, spot, opponent, merge_cards=merged))
            for spot, merged in solves
        ]
        rows = run_steps("targets", steps, watch)
        notes = _notes(opponent)
    title = "Postflop solver to an exploitability in % of the pot: f32, two threads, wall-clock time"
    return BenchTable(title, rows, notes)


def _solve_name(spot: BenchSpot, merge_cards: bool) -> str:
    return f"{spot.name}{', cards merged' if merge_cards else ''}"


def _choose(names: Sequence[str]) -> list[BenchSpot]:
    """Returns the spots with these names.

    :raises InputError: if there is no such spot.
    """
    for name in names:
        if not any(name in (spot.name, spot.name.split()[0]) for spot in SPOTS):
            known = ", ".join(spot.name.split()[0] for spot in SPOTS)
            raise InputError(f"no benchmark spot {name!r}: expected {known}")
    return [spot for spot in SPOTS if not names or spot.name in names or spot.name.split()[0] in names]


def _notes(opponent: _Opponent | None) -> list[str]:
    return [_NOTE_RECORDED] if opponent is None else opponent.notes


def _iteration_rows(spot: BenchSpot, opponent: _Opponent | None) -> list[BenchRow]:
    rows = []
    storages: tuple[Storage, ...] = ("f32", "f16")
    for storage, megabytes in zip(storages, spot.recorded_mb, strict=True):
        solver = spot.solver(1, storage)
        row, theirs = _timed(f"{spot.name}, {storage}: iteration", spot, solver, opponent, 1, spot.recorded_ms[0])
        rows.append(row)
        held = solver.memory_bytes / 1e6
        if theirs is None or theirs.memory_bytes is None:
            rows.append(BenchRow(f"{spot.name}, {storage}: memory", held, "MB", _RECORDED, megabytes))
        else:
            rows.append(BenchRow(f"{spot.name}, {storage}: memory", held, "MB", _PEER, theirs.memory_bytes / 1e6))
        del solver
    if spot.full:
        solver = spot.solver(1, "f32", merge_cards=True)
        what = f"{spot.name}, f32, cards merged: iteration"
        rows.append(_timed(what, spot, solver, opponent, 1, spot.recorded_ms[0])[0])
        del solver
    if max_threads() > 1:
        solver = spot.solver(2, "f32")
        recorded = spot.recorded_ms[1] or spot.recorded_ms[0]
        what = f"{spot.name}, f32, two threads: iteration"
        rows.append(_timed(what, spot, solver, opponent, 2, recorded)[0])
    return rows


def _timed(
    what: str, spot: BenchSpot, solver: PostflopSolver, opponent: _Opponent | None, threads: int, recorded: float
) -> tuple[BenchRow, PeerIterations | None]:
    """Returns a row with our milliseconds per iteration beside the peer's, and the peer's last answer.

    :param recorded: figure to compare with if there is no peer.
    """
    clock: Callable[[], float] = time.process_time if threads == 1 else time.perf_counter
    if opponent is None:
        seconds = best_seconds(lambda: solver.run(spot.iterations), 3, clock) / spot.iterations
        return BenchRow(what, seconds * 1e3, "ms", _RECORDED, recorded), None
    file = opponent.file(spot)
    ours: list[tuple[float, float]] = []
    theirs: list[PeerIterations] = []
    try:
        for _ in range(_ROUNDS + 1):
            start, cpu = time.perf_counter(), time.process_time()
            solver.run(spot.iterations)
            ours.append((time.perf_counter() - start, time.process_time() - cpu))
            theirs.append(opponent.peer.iterations(file, solver.storage, threads, spot.iterations))
    except PeerRefusalError as error:
        opponent.notes.append(f"{what}: the peer says: {error}")
        return BenchRow(what, min(ours)[0] / spot.iterations * 1e3, "ms"), None
    # The first round compiles and warms up.
    cpu_times = [reply.cpu_seconds for reply in theirs[1:] if reply.cpu_seconds is not None]
    if threads == 1 and len(cpu_times) == _ROUNDS:
        own, other = statistics.median(cpu for _, cpu in ours[1:]), statistics.median(cpu_times)
    else:
        own = statistics.median(wall for wall, _ in ours[1:])
        other = statistics.median(reply.seconds for reply in theirs[1:])
    scale = 1e3 / spot.iterations
    return BenchRow(what, own * scale, "ms", _PEER, other * scale), theirs[-1]


def _surrounding_rows(spot: BenchSpot) -> list[BenchRow]:
    """Returns the times of the steps before and after the iterations of a spot: preparation, and hands played of it."""
    set_up = best_seconds(lambda: spot.solver(1, "f16"))
    solver = spot.solver(1, "f32")
    solver.run(_SOLVED_ITERATIONS)
    played = best_seconds(lambda: check_values(solver, num_hands=_PLAYED_HANDS, seed=1, threads=1), 3)
    return [
        BenchRow(f"{spot.name}, f16: set-up", set_up * 1e3, "ms"),
        BenchRow(f"{spot.name}: hands of the solution played", _PLAYED_HANDS / played / 1e6, "M hands/s"),
    ]


def _target_rows(spot: BenchSpot, opponent: _Opponent | None, *, merge_cards: bool) -> list[BenchRow]:
    recorded_seconds, recorded_iterations = RECORDED_TO_TARGET[spot.name]
    targets = _TARGETS[: len(recorded_seconds)]
    threads = min(2, max_threads())
    theirs = list(zip(recorded_seconds, recorded_iterations, strict=True))
    who = _RECORDED
    if opponent is not None:
        found = opponent.targets(spot, threads, targets)
        if found is not None:
            who = _PEER
            theirs = [(level.seconds, level.iterations) for level in found.reached]
    solver = spot.solver(threads, "f32", merge_cards=merge_cards)
    solver.exploitability()  # compiles what the clock must not see
    seconds = 0.0
    rows = []
    name = _solve_name(spot, merge_cards)
    for target, (peer_seconds, peer_iterations) in zip(targets, theirs, strict=True):
        while solver.iterations < _MOST_ITERATIONS and solver.exploitability().pct_pot > target:
            start = time.perf_counter()
            solver.run(10)
            seconds += time.perf_counter() - start
        what = f"{name}: to {target} % in {solver.iterations} iterations (peer {peer_iterations})"
        rows.append(BenchRow(what, seconds, "s", who, peer_seconds))
    return rows
