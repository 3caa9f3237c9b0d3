"""Measures how a flop pack's build scales: 1 and 2 workers, local processes and dask, each from nothing.

Run it from the repository's folder on a machine that does nothing else::

    python -m benchmarks.measure_factory CONFIG.yaml [--workers 1 --workers 2] [--folder DIR]

Every build does the same flops. The table has the time from the first flop handed out to the last result, the CPU time
of the flops alone, the speed-up against one local process, and the overhead: how much longer it took than the same
flops one after another on workers that lose no time. The packs of all builds are compared byte for byte.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import time
from pathlib import Path

import click

from benchmarks.common import run
from hedgehog.runtime.engines.makespan import Cluster, simulate
from hedgehog.runtime.engines.running import run_jobs
from hedgehog.solver.packs.build import FlopPackBuild, assemble, open_engine, open_flop_build
from hedgehog.strategies.provenance import provenance


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--workers", type=click.IntRange(1, 256), multiple=True, default=(1, 2), show_default=True)
@click.option("--folder", type=click.Path(path_type=Path), help="Where to build; by default a temporary folder.")
def main(config: Path, workers: tuple[int, ...], folder: Path | None) -> None:
    """Print the table of scaling."""
    place = Path(tempfile.mkdtemp(dir=folder))
    engines: list[tuple[int | None, str | None]] = [(count, None) for count in workers]
    engines += [(None, f"local:{count}") for count in workers]
    digests: set[str] = set()
    single = 0.0
    click.echo("| engine | workers | seconds | CPU seconds of the flops | speed-up | overhead |")
    click.echo("|---|---|---|---|---|---|")
    try:
        for number, (processes, dask) in enumerate(engines):
            build = open_flop_build(config, place / str(number))
            with open_engine(build, processes, dask) as engine:
                count = engine.workers
                for job in build.jobs()[:count]:  # starts the workers and loads the kernels
                    run_jobs(build, engine, only=[job])
                rest = [job for job in build.jobs() if build.seconds(job) is None]
                begun = time.monotonic()
                run_jobs(build, engine, only=rest)
                wall = time.monotonic() - begun
            times = [build.seconds(job) or 0.0 for job in rest]
            spent = sum(times)
            single = single or wall
            name = dask or "local processes"
            overhead = 100 * (wall / simulate(times, Cluster(count)).seconds - 1)
            click.echo(f"| {name} | {count} | {wall:.1f} | {spent:.1f} | {single / wall:.2f} | {overhead:.1f} % |")
            digests.add(_digest(build, place / f"pack-{number}"))
    finally:
        shutil.rmtree(place)
    click.echo("all packs are the same, byte for byte" if len(digests) == 1 else "the packs differ")


def _digest(build: FlopPackBuild, out: Path) -> str:
    """Returns a digest of the files of the pack of a finished build."""
    assemble(build, provenance(), out)
    digest = hashlib.sha256()
    for path in sorted(out.iterdir()):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    run(main)
