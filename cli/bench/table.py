"""The result of a ``hedgehog bench`` benchmark: a table of measured figures, each beside a peer where there is one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BenchRow:
    """One measured figure."""

    what: str
    value: float
    unit: str
    """Unit of ``value``; rates end in ``/s``."""
    peer: str = ""
    """Name of the peer that the figure is compared with; empty without a peer."""
    peer_value: float | None = None
    """The peer's figure in the same unit, measured in the same run unless ``peer`` says otherwise."""

    @property
    def times_faster(self) -> float | None:
        """How many times faster we are than the peer. Above 1 is better, for rates and for durations."""
        if not self.peer_value:
            return None
        return self.value / self.peer_value if self.unit.endswith("/s") else self.peer_value / self.value

    @property
    def ratio(self) -> float | None:
        """Our figure divided by the peer's: below 1 is better for durations and memory, above 1 for rates."""
        return self.value / self.peer_value if self.peer_value else None


@dataclass(frozen=True, slots=True)
class BenchTable:
    """The result of one benchmark."""

    title: str
    rows: Sequence[BenchRow]
    notes: Sequence[str] = ()


def best_seconds(
    function: Callable[[], object], repeats: int = 5, clock: Callable[[], float] = time.process_time
) -> float:
    """Returns the shortest of several runs after one to warm up, in seconds.

    :param clock: by default the CPU time of this process, which a busy machine disturbs least; take
        ``time.perf_counter`` for work on several threads.
    """
    function()
    shortest = float("inf")
    for _ in range(repeats):
        start = clock()
        function()
        shortest = min(shortest, clock() - start)
    return shortest
