"""How fast this machine solves, as live solves at the table plan it: measured once, at the first launch.

The figures fix the number of iterations of a live solve, so that a decision does not depend on how busy the machine is
at the moment. They are measured in CPU time on one thread, which other work on the machine disturbs little, and kept
beside the compiled kernels. Without a measurement the figures of a 2-core AMD EPYC (Zen 4) hold.
"""

from __future__ import annotations

import json
import platform
import time
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime import jit
from hedgehog.runtime.files import write_text_file
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree


class PlanningSpeed(NamedTuple):
    """Planned times of a live solve. An element is a pair of an action and a hand."""

    ns_per_element: float
    """Nanoseconds per element and iteration on one thread."""
    ns_per_iteration: float
    """Nanoseconds per iteration beside the elements."""
    ns_per_started_element: float
    """Nanoseconds per element of a warm start from the packs."""
    ns_per_start: float
    """Nanoseconds per warm start beside the elements."""
    ns_per_grouped_element: float
    """Nanoseconds per element and iteration of a solve on groups of hands, on one thread."""
    ns_per_grouped_start_element: float
    """Nanoseconds per element for making the groups and for writing out the strategies of all hands at the end."""
    ns_per_grouped_start: float
    """Nanoseconds for the same beside the elements."""
    ns_per_flop: float
    """Nanoseconds per refinement of a new flop beside its run-outs, most of them for tables."""
    ns_per_board: float
    """Nanoseconds per run-out of a refined flop beside its decisions."""
    ns_per_board_decision: float
    """Nanoseconds per run-out of a refined flop and decision of its tree on all streets."""

    def times(self, factor: float) -> PlanningSpeed:
        """Returns the figures of a machine on which everything takes ``factor`` times as long."""
        return PlanningSpeed(*(factor * figure for figure in self))


DEFAULT_SPEED: Final = PlanningSpeed(2.3, 30_000, 6.0, 15_000_000, 6.5, 12.0, 20_000_000, 60_000_000, 500_000, 6_200)
"""Figures of a machine that has measured nothing."""
_SLOWEST: Final = 10.0
"""A measured machine counts as at most this many times slower or faster than the default."""
_BOARD: Final = "QhJh2c7d"
_RANGE: Final = "22+,A2s+,A7o+,K5s+,K9o+,Q7s+,QTo+,J8s+,JTo,T8s+,97s+,86s+,75s+,64s+"
_SIZES: Final = "50%,100%/100%/"
_ITERATIONS: Final = 10
_REPEATS: Final = 5


class _SpeedFile(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)
    times_as_long: float = Field(ge=1 / _SLOWEST, le=_SLOWEST)


@lru_cache(maxsize=1)
def planning_speed() -> PlanningSpeed:
    """Returns the figures measured on this machine, or :data:`DEFAULT_SPEED` if there are none."""
    try:
        found = _SpeedFile.model_validate_json(_path().read_bytes())
    except (OSError, ValidationError):  # a damaged file is as good as none
        return DEFAULT_SPEED
    return DEFAULT_SPEED.times(found.times_as_long)


def measure_speed() -> float:
    """Returns how many times as long as planned by :data:`DEFAULT_SPEED` the iterations of a turn take here.

    The turn is of the size of a solve at the table. It takes about a second of CPU time.
    """
    menu = parse_bet_sizes(_SIZES)
    hands = parse_range(_RANGE)
    tree = build_postflop_tree(TreeConfig(2, 1000, 9500, (StreetSizes(menu, menu),) * 2))
    solver = PostflopSolver(prepare_tree(tree, parse_cards(_BOARD), (hands, hands)), threads=1)
    solver.run(_ITERATIONS)
    seconds = []
    for _ in range(_REPEATS):
        start = time.thread_time()
        solver.run(_ITERATIONS)
        seconds.append(time.thread_time() - start)
    planned = sum(solver.spot.layout.sizes) * DEFAULT_SPEED.ns_per_element + DEFAULT_SPEED.ns_per_iteration
    measured = sorted(seconds)[_REPEATS // 2] / _ITERATIONS * 1e9 / planned
    return min(max(measured, 1 / _SLOWEST), _SLOWEST)


def keep_speed(times_as_long: float) -> None:
    """Keeps a measurement for later launches. :func:`planning_speed` returns it from now on.

    :param times_as_long: result of :func:`measure_speed`.
    :raises ResourceError: if the file cannot be written.
    """
    write_text_file(_path(), json.dumps({"times_as_long": times_as_long}) + "\n")
    planning_speed.cache_clear()


def _path() -> Path:
    return jit.NUMBA_CACHE / f"speed-{platform.node()}.json"
