"""The options of commands whose work can be spread over processes, over a cluster, or over separate machines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from hedgehog.runtime.engines.local import Engine

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


@contextmanager
def cluster_of(dask: str | None) -> Iterator[Engine | None]:
    """Yields the engine of the option ``--dask``; None if the option is not given."""
    if dask is None:
        yield None
        return
    from hedgehog.runtime.engines.opening import open_engine  # imports numba

    with open_engine(1, dask) as engine:
        yield engine
