"""The options of commands whose work can be spread over processes, over a cluster, or over separate machines."""

from __future__ import annotations

import click

engine_jobs_option = click.option(
    "--jobs", type=click.IntRange(1, 1024), default=1, show_default=True, metavar="N", help="Processes that work."
)

part_option = click.option(
    "--part", metavar="K/N", help="Do the K-th of N equal parts of the hands, for a machine that shares the work."
)

dask_option = click.option(
    "--dask",
    metavar="ADDRESS",
    help="Work on the cluster of the dask scheduler at ADDRESS (tcp://HOST:8786), or of N processes here (local:N).",
)
