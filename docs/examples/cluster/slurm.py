"""Runs a command of Hedgehog on a SLURM cluster: workers come and go, the work goes on.

Copy this file, put your partition, times and memory in, and run it on the login node or in a small job of its own, with
any command that has the option --dask:

    pip install distributed dask-jobqueue
    python slurm.py pack build strategies/configs/single-raised.yaml --out single-raised
    python slurm.py lbr default --hands 100000 --think-ms 300 --results lbr.jsonl

The same command goes on where an earlier one was interrupted.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from dask_jobqueue import SLURMCluster
from distributed import Security

PARTITION = "normal"
MEMORY_GB = 5  # of one worker: what `--estimate` prints, 0.25 for the dask worker, and a tenth more
WORKERS_PER_JOB = 16
MAX_WORKERS = 256
WALLTIME = "04:00:00"
LIFETIME = ["--lifetime", "225m", "--lifetime-stagger", "10m"]  # shorter than WALLTIME
INTERFACE = "ib0"  # the network by which nodes reach each other: `ip link` on a node and on the login node lists them
TLS: Path | None = None  # a folder with cert.pem and key.pem, which only you can read and every node sees


def main() -> None:
    """Starts the cluster and runs the command until it ends."""
    environment, more = dict(os.environ), {}
    if TLS is not None:
        cert, key = str(TLS / "cert.pem"), str(TLS / "key.pem")
        pairs = {f"tls_{who}_{what}": file for who in ("scheduler", "worker", "client") for what, file in
                 (("cert", cert), ("key", key))}  # fmt: skip
        more = {"protocol": "tls", "security": Security(require_encryption=True, tls_ca_file=cert, **pairs)}
        prefix = "DASK_DISTRIBUTED__COMM__TLS__"
        environment |= {f"{prefix}CA_FILE": cert, f"{prefix}CLIENT__CERT": cert, f"{prefix}CLIENT__KEY": key}
    cluster = SLURMCluster(
        queue=PARTITION,
        cores=WORKERS_PER_JOB,
        processes=WORKERS_PER_JOB,  # one task at a time in every process: kernels share their scratch
        memory=f"{MEMORY_GB * WORKERS_PER_JOB}GB",
        walltime=WALLTIME,
        interface=INTERFACE,
        scheduler_options={"interface": INTERFACE, "dashboard_address": "127.0.0.1:8787"},
        # A worker ends by itself before SLURM ends it, and not all of them at the same time. SLURM's jobs that have
        # expired are not started again by scale(), but by adapt().
        worker_extra_args=LIFETIME,
        job_script_prologue=["export HEDGEHOG_CACHE=$HOME/.cache/hedgehog"],
        **more,
    )
    cluster.adapt(minimum=WORKERS_PER_JOB, maximum=MAX_WORKERS)
    command = ["hedgehog", *sys.argv[1:], "--dask", cluster.scheduler_address]
    try:
        sys.exit(subprocess.run(command, env=environment, check=False).returncode)
    finally:
        cluster.close()


if __name__ == "__main__":
    main()
