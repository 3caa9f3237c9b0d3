"""The choice of an engine, as the options of a command make it."""

from __future__ import annotations

from hedgehog.runtime.engines.dask_engine import DaskEngine
from hedgehog.runtime.engines.local import Engine, LocalEngine, SerialEngine


def open_engine(workers: int, dask: str | None = None, *, in_process: bool = False) -> Engine:
    """Returns what does the jobs of a task: local worker processes, or the workers of a dask scheduler.

    :param workers: number of local processes.
    :param dask: address of a dask scheduler, or ``local:N`` for a cluster of N processes here.
    :param in_process: with one worker, do the jobs in this process.
    :raises InputError: if dask is not installed or its address malformed.
    :raises ResourceError: if no dask scheduler answers.
    """
    if dask is not None:
        return DaskEngine(dask)
    return SerialEngine() if in_process and workers == 1 else LocalEngine(workers)
