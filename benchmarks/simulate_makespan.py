"""Simulates how long tasks take on 16 to 1,024 cores, from the measured CPU times of a sample of their jobs.

Run it from the repository's folder::

    python -m benchmarks.simulate_makespan flops CONFIG.yaml --work OUT.work      # after a build, or a part of one
    python -m benchmarks.simulate_makespan lbr default --hands 100000
    python -m benchmarks.simulate_makespan grades LOG --player NAME --hands 45037
    python -m benchmarks.simulate_makespan tournament default --agents 20 --hands 100000

The last three measure a sample of jobs here, without starting and compiling, and draw the times of all jobs from it.
With --times FILE they keep the sample there, and take it from there the next time.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.common import print_markdown, run
from hedgehog.agent.specs import parse_player_spec
from hedgehog.analysis.grading.grade import read_hands
from hedgehog.analysis.grading.options import GradeOptions
from hedgehog.analysis.grading.parts import HANDS_PER_PART, grader_of, open_our_player
from hedgehog.analysis.lbr.match import LbrJob, make_lbr, play_pairs
from hedgehog.analysis.lbr.settings import parse_lbr_setting
from hedgehog.arena.in_process import play_seating
from hedgehog.arena.table_process import local_entrant
from hedgehog.cli.progress import format_seconds
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.runtime.engines.compile_time import compile_seconds
from hedgehog.runtime.engines.makespan import Cluster, simulate
from hedgehog.runtime.errors import InputError
from hedgehog.solver.packs.build import open_flop_build

CORES: Final = (16, 64, 256, 1024)
START_S: Final = 15.0
"""Seconds until a new worker has imported everything and loaded the kernels."""
BYTES_PER_SECOND: Final = 50e6
"""Speed at which a worker sends a result."""
RESULT_BYTES: Final = 200_000
TASK_S: Final = 1.0
MOST_JOBS: Final = 16
"""The engine hands out jobs that take less than :data:`TASK_S` together, but no more than this many."""
_GAIN: Final = 1.25
"""Twice the cores must make a task at least this many times as fast, or it has stopped scaling."""


@click.group()
@click.option("--dispatch-ms", type=click.FloatRange(0), default=2.0, show_default=True,
              help="Milliseconds that the client is busy with one task.")  # fmt: skip
@click.pass_context
def main(context: click.Context, dispatch_ms: float) -> None:
    """Simulate tasks on clusters of 16 to 1,024 cores."""
    context.obj = dispatch_ms / 1000


@main.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--work", type=click.Path(path_type=Path), required=True, help="Folder of the finished flops.")
@click.option("--flops", help="The flops of the build, if they are not those of CONFIG.")
def flops(config: Path, work: Path, flops: str | None) -> None:
    """Simulate the build of a flop pack.

    Flops that are not finished count with the mean time per unit of cost of the finished flops of their line.
    """
    build = open_flop_build(config, work, flops)
    known = {job: seconds for job in build.jobs() if (seconds := build.seconds(job)) is not None}
    if not known:
        raise click.UsageError(f"{work} holds no finished flop of this configuration")
    rates = {
        line: np.mean([seconds / build.cost(job) for job, seconds in known.items() if job.line == line])
        for line in {job.line for job in known}
    }
    mean = float(np.mean(list(rates.values())))
    times = np.array([known.get(job, float(rates.get(job.line, mean)) * build.cost(job)) for job in build.jobs()])
    report("flops", times, len(known))


def sampled(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options of a task whose jobs are measured here."""
    for option in (
        click.option("--times", type=click.Path(path_type=Path), help="Keep the measured seconds in this file."),
        click.option("--sample", type=click.IntRange(1), default=20, show_default=True, help="Jobs to measure."),
    ):
        command = option(command)
    return command


@main.command()
@click.argument("spec")
@click.option("--hands", type=click.IntRange(2), default=100_000, show_default=True)
@click.option("--setting", default="fcpa:3-4", show_default=True)
@click.option("--think-ms", type=click.IntRange(1), default=300, show_default=True)
@sampled
def lbr(spec: str, hands: int, setting: str, think_ms: int, sample: int, times: Path | None) -> None:
    """Simulate local best response against a player who thinks; a job is a pair of hands."""

    def jobs() -> Iterator[Callable[[], object]]:
        responder = make_lbr(LbrJob(spec, load_gamedef(), parse_lbr_setting(setting), 11, think_ms, 1, "call"))
        for pair in range(sample):
            yield partial(play_pairs, responder, 11, pair, pair + 1)

    draw_and_report("pairs of hands", measured(jobs(), times), hands // 2)


@main.command()
@click.argument("log", type=click.Path(path_type=Path))
@click.option("--player", required=True)
@click.option("--hands", type=click.IntRange(1), default=45_037, show_default=True)
@click.option("--depth", default="normal", show_default=True)
@sampled
def grades(log: Path, player: str, hands: int, depth: str, sample: int, times: Path | None) -> None:
    """Simulate the grading of hands; a job is a part of ten."""

    def jobs() -> Iterator[Callable[[], object]]:
        options = GradeOptions(player, depth)
        found, _ = read_hands([log], options, open_our_player(None))
        grader = grader_of(options)
        # spread over the whole log
        chosen = np.linspace(0, len(found) - 1, sample * HANDS_PER_PART).astype(int).reshape(sample, -1)

        def grade(part: Sequence[int]) -> None:
            for at in part:
                names = found[at].hand.names.split("|")
                grader.grade(found[at], player, names[1 - found[at].position])

        for part in chosen.tolist():
            yield partial(grade, part)

    draw_and_report("parts of ten hands", measured(jobs(), times), -(-hands // HANDS_PER_PART))


@main.command()
@click.argument("spec")
@click.option("--agents", type=click.IntRange(2), default=20, show_default=True)
@click.option("--hands", type=click.IntRange(2), default=100_000, show_default=True, help="Hands of every pair.")
@click.option("--block", type=click.IntRange(1), default=1_000, show_default=True, help="Hands of a job.")
@click.option("--think-ms", type=click.IntRange(0), default=0, show_default=True)
@sampled
def tournament(spec: str, agents: int, hands: int, block: int, think_ms: int, sample: int, times: Path | None) -> None:
    """Simulate a tournament in which everybody plays everybody; a job is a block of hands."""

    def jobs() -> Iterator[Callable[[], object]]:
        gamedef = load_gamedef()
        seats = [local_entrant(parse_player_spec(spec), gamedef, think_ms, 1).seat(seed) for seed in (1, 2)]
        for number in range(sample):
            yield partial(play_seating, gamedef, seats, ("a", "b"), num_hands=block, seed=number)

    pairs = agents * (agents - 1) // 2
    draw_and_report(f"blocks of {block:,} hands", measured(jobs(), times), pairs * -(-hands // block))


def measured(jobs: Iterable[Callable[[], object]], file: Path | None) -> NDArray[np.float64]:
    """Returns the CPU seconds of jobs, from a file if it is there.

    :param jobs: what does each job.
    :raises InputError: if the file holds something else.
    """
    if file is not None and file.exists():
        try:
            found = np.array(json.loads(file.read_text()), dtype=np.float64)
        except (ValueError, TypeError):
            found = np.zeros(0)
        if found.ndim != 1 or not len(found) or not (found > 0).all():
            raise InputError("expected a JSON list of seconds", source=str(file))
        return found
    seconds = []
    for do in jobs:
        started, compiled = time.process_time(), compile_seconds()
        do()
        seconds.append(time.process_time() - started - (compile_seconds() - compiled))
    if file is not None:
        file.write_text(json.dumps(seconds))
    return np.array(seconds)


def draw_and_report(unit: str, sample: NDArray[np.float64], number: int) -> None:
    """Prints the report on a task whose jobs take times drawn from a sample."""
    report(unit, np.random.default_rng(1).choice(sample, number), len(sample))


def report(unit: str, times: NDArray[np.float64], known: int) -> None:
    """Prints what clusters need for jobs, and where they stop scaling.

    :param unit: what a job is.
    :param times: CPU seconds of all jobs.
    :param known: number of jobs that were measured.
    """
    click.echo(f"{len(times):,} {unit}, {known:,} of them measured, {times.sum() / 3600:.2f} hours of CPU")
    click.echo(f"longest {times.max():.1f} s, mean {times.mean():.1f} s")
    tasks = in_tasks(times)
    dispatch: float = click.get_current_context().obj
    head = ["cores", "ideal", "simulated", "5 % of them half as fast", "efficiency"]
    print_markdown(head, (_row(tasks, cores, dispatch) for cores in CORES))
    cores, reason = limit_of(tasks, dispatch)
    click.echo(f"\ntwice as many as {cores:,} cores gain less than {100 * (_GAIN - 1):.0f} %: {reason}")


def in_tasks(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the seconds of tasks, each of which has as many jobs as the engine hands out together."""
    size = max(1, min(int(TASK_S / max(float(times.mean()), 1e-3)), MOST_JOBS))
    return np.add.reduceat(times, np.arange(0, len(times), size))


def limit_of(tasks: NDArray[np.float64], dispatch: float) -> tuple[int, str]:
    """Returns the number of cores, a power of two, at which more of them gain little, and why."""
    cores = 1
    while cluster_seconds(tasks, cores, dispatch) >= _GAIN * cluster_seconds(tasks, 2 * cores, dispatch):
        cores *= 2
    bounds = {
        f"the longest task takes {tasks.max():.0f} s": float(tasks.max()),
        f"handing out {len(tasks):,} tasks takes the client {dispatch * len(tasks):.0f} s": dispatch * len(tasks),
        f"a worker starts in {START_S:.0f} s": START_S,
    }
    return cores, max(bounds, key=bounds.__getitem__)


def cluster_seconds(tasks: NDArray[np.float64], cores: int, dispatch: float, **slow: Any) -> float:
    """Returns the simulated seconds of tasks on a cluster.

    :param dispatch: seconds that the client is busy with one task.
    :param slow: share and factor of slow workers.
    """
    return simulate(tasks, Cluster(cores, dispatch, RESULT_BYTES / BYTES_PER_SECOND, START_S, **slow)).seconds


def _row(tasks: NDArray[np.float64], cores: int, dispatch: float) -> list[str]:
    ideal, seconds = float(tasks.sum()) / cores, cluster_seconds(tasks, cores, dispatch)
    slow = cluster_seconds(tasks, cores, dispatch, slow_share=0.05, slow_factor=2.0)
    return [f"{cores:,}", *map(format_seconds, (ideal, seconds, slow)), f"{100 * ideal / seconds:.1f} %"]


if __name__ == "__main__":
    run(main)
