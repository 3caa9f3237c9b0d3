"""The option ``--dask`` of commands whose work can be spread over a cluster."""

from __future__ import annotations

import click

dask_option = click.option(
    "--dask",
    metavar="ADDRESS",
    help="Work on the cluster of the dask scheduler at ADDRESS (tcp://HOST:8786), or of N processes here (local:N).",
)
