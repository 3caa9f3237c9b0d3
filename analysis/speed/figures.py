"""What a benchmark measures: figures, each beside a peer's where there is one, and how their measurements are run."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hedgehog.runtime.table import Column, Table
from hedgehog.runtime.watch import Watch


@dataclass(frozen=True, slots=True)
class BenchRow:
    """A figure that ``hedgehog bench`` has measured, with its unit."""

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


_DATA: Final = ("what", "value", "unit", "peer", "peer_value", "times_faster", "ratio")
"""What a row has in JSON and CSV."""


@dataclass(frozen=True, slots=True)
class BenchTable:
    """The result of one benchmark."""

    title: str
    rows: Sequence[BenchRow]
    notes: Sequence[str] = ()

    def table(self, name: str) -> Table:
        """Returns the rows as a table: all figures as data, and as texts for people without empty columns.

        :param name: name of the benchmark.
        """
        compared = any(row.peer_value is not None for row in self.rows)
        columns = [
            *(Column(name, shown=False) for name in _DATA),
            Column("name", "what", data=False),
            Column("measured", data=False, left=False),
            Column("compared", "compared figure", data=False, left=False, shown=compared),
            Column("their_ratio", "ratio", data=False, left=False, shown=compared),
            Column("faster", "times faster", data=False, left=False, shown=compared),
        ]
        return Table(name, self.title, columns, tuple(map(_cells, self.rows)))

    def document(self, name: str) -> dict[str, Any]:
        """Returns title, rows and notes as JSON values.

        :param name: name of the benchmark.
        """
        return {"title": self.title, "rows": self.table(name).records(), "notes": list(self.notes)}


def _cells(row: BenchRow) -> tuple[Any, ...]:
    """Returns a row of the table: its figures, and then its texts for people."""
    return (
        *(getattr(row, name) for name in _DATA),
        f"{row.what}; compared with {row.peer}" if row.peer else row.what,
        f"{row.value:.3g} {row.unit}",
        "" if row.peer_value is None else f"{row.peer_value:.3g} {row.unit}",
        "" if row.ratio is None else f"{row.ratio:.3g}",
        "" if row.times_faster is None else f"{row.times_faster:.3g}",
    )


Step = tuple[str, Callable[[], Sequence[BenchRow]]]
"""A measurement: its name, and what makes its rows."""


def run_steps(what: str, steps: Sequence[Step], watch: Watch) -> list[BenchRow]:
    """Runs the measurements of a benchmark one after the other and returns their rows.

    :param what: name of the benchmark.
    """
    watch.begin(f"measuring {what}", len(steps), "measurements")
    rows: list[BenchRow] = []
    for done, (name, measure) in enumerate(steps):
        watch.update(done, name)
        rows += measure()
    watch.update(len(steps))
    return rows


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
