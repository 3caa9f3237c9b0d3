"""Options that the commands of the solver share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

MAX_ITERATIONS: Final = 100_000
"""Iterations of one solve at most; whoever gives no number gets this one."""

threads_option = click.option("--threads", type=click.IntRange(1), metavar="N", help="Threads.  [default: all cores]")


def seed_option(default: int, what: str = "Random seed.") -> Callable[[F], F]:
    """Returns the option ``--seed`` S of a command that draws cards or hands.

    :param what: the help text.
    """
    seeds = click.IntRange(0, 2**63 - 1)
    return click.option("--seed", type=seeds, default=default, show_default=True, metavar="S", help=what)


def iterations_option(what: str = "Stop after N iterations.", most: int = MAX_ITERATIONS) -> Callable[[F], F]:
    """Returns the option ``--iterations`` N.

    :param what: the help text.
    """
    return click.option("--iterations", type=click.IntRange(1, most), metavar="N", help=what)


class PositiveNumber(click.FloatRange):
    """A finite number above 0, and at most ``most`` if given."""

    def __init__(self, most: float | None = None) -> None:
        super().__init__(min=0, min_open=True, max=most)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        # nan passes every range check.
        if not math.isfinite(number):
            self.fail(f"{number} is not a finite number", param, ctx)
        return number
