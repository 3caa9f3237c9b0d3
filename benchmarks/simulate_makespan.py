"""Simulates the build of a flop pack on clusters of 16 to 1,024 workers, from the measured times of its flops.

Run it from the repository's folder, after a build or a part of one::

    python -m benchmarks.simulate_makespan CONFIG.yaml --work OUT.work [--flops N|FILE]

Flops that are not finished count with the mean time per unit of cost of the finished flops of their line.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.common import print_markdown, run
from hedgehog.cli.progress import format_seconds
from hedgehog.runtime.engines.makespan import Cluster, simulate
from hedgehog.solver.packs.build import open_flop_build

WORKERS: Final = (16, 64, 256, 1024)
DISPATCH_S: Final = 0.002
"""Seconds that the client is busy with one task: about what dask needs."""
START_S: Final = 15.0
"""Seconds until a new worker has imported everything and loaded the kernels."""
BYTES_PER_SECOND: Final = 50e6
"""Speed at which a worker sends a result."""
RESULT_BYTES: Final = 200_000


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--work", type=click.Path(path_type=Path), required=True, help="Folder of the finished flops.")
@click.option("--flops", help="The flops of the build, if they are not those of CONFIG.")
def main(config: Path, work: Path, flops: str | None) -> None:
    """Print the time and the efficiency of clusters."""
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
    click.echo(f"{len(times):,} flops, {len(known):,} of them measured, {times.sum() / 3600:.2f} hours of CPU")
    click.echo(f"longest {times.max():.1f} s, mean {times.mean():.1f} s")
    head = ["workers", "ideal", "build order", "longest first", "5 % of workers half as fast", "efficiency"]
    print_markdown(head, map(partial(_row, times), WORKERS))


def _row(times: NDArray[np.float64], workers: int) -> list[str]:
    latency = RESULT_BYTES / BYTES_PER_SECOND
    cluster = Cluster(workers, DISPATCH_S, latency, START_S)
    slow = Cluster(workers, DISPATCH_S, latency, START_S, slow_share=0.05, slow_factor=2.0)
    found = simulate(times, cluster)
    seconds = (
        times.sum() / workers,
        found.seconds,
        simulate(np.sort(times)[::-1], cluster).seconds,
        simulate(times, slow).seconds,
    )
    return [f"{workers:,}", *map(format_seconds, seconds), f"{100 * found.efficiency:.1f} %"]


if __name__ == "__main__":
    run(main)
