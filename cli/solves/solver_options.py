"""Options that the commands of the solver share."""

from __future__ import annotations

import math
from typing import Any

import click

threads_option = click.option("--threads", type=click.IntRange(1), metavar="N", help="Threads.  [default: all cores]")


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
