"""Builds a flop pack on a SLURM cluster: workers come and go, the build goes on.

Copy this file, put your partition, times and memory in, and run it on the login node or in a small job of its own:

    pip install distributed dask-jobqueue
    python slurm.py strategies/configs/single-raised.yaml single-raised
"""

from __future__ import annotations

import subprocess
import sys

from dask_jobqueue import SLURMCluster

MEMORY_GB = 5  # of one worker: what `--estimate` prints, 0.25 for the dask worker, and a tenth more
WORKERS_PER_JOB = 16
MAX_WORKERS = 256
WALLTIME = "04:00:00"
INTERFACE = "ib0"  # the network by which nodes reach each other: `ip link` on a node and on the login node lists them


def main() -> None:
    """Starts the cluster and builds until the pack is complete."""
    config, out = sys.argv[1:]
    cluster = SLURMCluster(
        queue="normal",
        cores=WORKERS_PER_JOB,
        processes=WORKERS_PER_JOB,  # one task at a time in every process: kernels share their scratch
        memory=f"{MEMORY_GB * WORKERS_PER_JOB}GB",
        walltime=WALLTIME,
        interface=INTERFACE,
        scheduler_options={"interface": INTERFACE, "dashboard_address": "127.0.0.1:8787"},
        # A worker ends by itself before SLURM ends it, and not all of them at the same time. SLURM's jobs that have
        # expired are not started again by scale(), but by adapt().
        worker_extra_args=["--lifetime", "225m", "--lifetime-stagger", "10m"],
        job_script_prologue=["export HEDGEHOG_CACHE=$HOME/.cache/hedgehog"],
    )
    cluster.adapt(minimum=WORKERS_PER_JOB, maximum=MAX_WORKERS)
    command = ["hedgehog", "pack", "build", config, "--out", out, "--dask", cluster.scheduler_address]
    try:
        sys.exit(subprocess.run(command, check=False).returncode)
    finally:
        cluster.close()


if __name__ == "__main__":
    main()
