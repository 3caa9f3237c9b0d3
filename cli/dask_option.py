"""The options of commands whose work can be spread over processes, over a cluster, or over separate machines."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from hedgehog.cli.given import refuse_options

if TYPE_CHECKING:
    from hedgehog.runtime.engines.local import Engine

Command = TypeVar("Command", bound=Callable[..., Any])

engine_jobs_option = click.option(
    "--jobs", type=click.IntRange(1, 1024), default=1, show_default=True, metavar="N", help="Processes that work."
)

part_option = click.option(
    "--part", metavar="K/N", help="Do the K-th of N equal parts of the work, for a machine that shares it."
)

dask_option = click.option(
    "--dask",
    metavar="ADDRESS",
    help="Work on the cluster of the dask scheduler at ADDRESS (tcp://HOST:8786), or of N processes here (local:N).",
)


def spread_over(jobs_option: Callable[..., Any]) -> Callable[[Command], Command]:
    """Returns what adds ``--jobs`` and ``--dask`` to a command, which gets ``jobs`` and ``dask``, never both.

    :param jobs_option: the option ``--jobs`` of the command.
    """

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def refusing(*args: Any, dask: str | None, **values: Any) -> Any:
            if dask is not None:
                refuse_options("does not go with --dask, which has the workers", "jobs")
            return command(*args, dask=dask, **values)

        return cast("Command", jobs_option(dask_option(refusing)))

    return decorate


def engine_options(command: Command) -> Command:
    """Adds ``--jobs`` and ``--dask`` to a command that can open any engine
    (:func:`hedgehog.runtime.engines.opening.open_engine`)."""
    decorate: Callable[[Command], Command] = spread_over(engine_jobs_option)
    return decorate(command)


@contextmanager
def cluster_of(dask: str | None) -> Iterator[Engine | None]:
    """Yields the engine of the option ``--dask``; None if the option is not given."""
    if dask is None:
        yield None
        return
    from hedgehog.runtime.engines.opening import open_engine  # imports numba

    with open_engine(1, dask) as engine:
        yield engine
