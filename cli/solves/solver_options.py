"""Options that the solving commands share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import click

from hedgehog.solver.cfr.stopping import MAX_ITERATIONS

F = TypeVar("F", bound=Callable[..., Any])

threads_option = click.option("--threads", type=click.IntRange(1), metavar="N", help="Threads.  [default: all cores]")


def seed_option(default: int, what: str = "Random seed.") -> Callable[[F], F]:
    """Returns a decorator for the option ``--seed S`` of a command that draws cards or hands.

    :param what: the help text.
    """
    seeds = click.IntRange(0, 2**63 - 1)
    return click.option("--seed", type=seeds, default=default, show_default=True, metavar="S", help=what)


def iterations_option(what: str = "Stop after N iterations.", most: int = MAX_ITERATIONS) -> Callable[[F], F]:
    """Returns a decorator for the option ``--iterations N``.

    :param what: the help text.
    :param most: the largest N.
    """
    return click.option("--iterations", type=click.IntRange(1, most), metavar="N", help=what)


class PositiveNumber(click.FloatRange):
    """The click type of a finite number above 0, and of at most ``most`` if that is given."""

    def __init__(self, most: float | None = None) -> None:
        super().__init__(min=0, min_open=True, max=most)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        # NaN passes every range check.
        if not math.isfinite(number):
            self.fail(f"{number} is not a finite number", param, ctx)
        return number
