"""Times that decisions took, by street: what players, clients and dealers report about a match."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from poker.streets import STREETS


class DecisionTimes:
    """Decision times of one player by street, as histograms: any number of decisions, and matches can be added up.

    The buckets grow by 2 % each, so that percentiles are exact to 1 %.
    """

    _LOG_GROWTH: Final = math.log(1.02)
    _SHORTEST_MS: Final = 0.001

    def __init__(self) -> None:
        self._counts: dict[int, Counter[int]] = {}
        """Per street the number of decisions of every bucket; bucket b holds times around 1.02**b ms."""

    def add(self, street: int, ms: float, count: int = 1) -> None:
        """Records ``count`` decisions of the same length on ``street`` (0 preflop .. 3 river)."""
        bucket = round(math.log(max(ms, self._SHORTEST_MS)) / self._LOG_GROWTH)
        if street not in self._counts:
            self._counts[street] = Counter()
        self._counts[street][bucket] += count

    def merge(self, other: DecisionTimes) -> None:
        """Adds the decisions of another match."""
        for street, counts in other._counts.items():
            self._counts.setdefault(street, Counter()).update(counts)

    def streets(self) -> list[str]:
        """Returns the names of the streets with at least one decision, in order of play."""
        return [STREETS[street] for street in sorted(self._counts)]

    def count(self, street: str) -> int:
        """Returns the number of decisions on a street."""
        return self._counts.get(STREETS.index(street), Counter()).total()

    def percentile_ms(self, street: str | None, share: float) -> float:
        """Returns the time in ms that the given share (0 < share <= 1) of the decisions did not exceed.

        :param street: None for all streets together; NaN if there was no decision.
        """
        if street is None:
            counts: Counter[int] = sum(self._counts.values(), Counter())
            if not counts:
                return math.nan
        else:
            counts = self._counts[STREETS.index(street)]
        rank = math.ceil(share * counts.total())
        for bucket in sorted(counts):
            rank -= counts[bucket]
            if rank <= 0:
                return math.exp(bucket * self._LOG_GROWTH)
        raise ValueError(f"expected a share in (0, 1], got {share}")

    def as_dict(self) -> dict[str, dict[str, object]]:
        """Returns per street name ``n``, ``p50`` and ``p99`` in ms, and the ``histogram`` for :meth:`from_dict`."""
        return {
            street: {
                "n": self.count(street),
                "p50": float(f"{self.percentile_ms(street, 0.5):.4g}"),
                "p99": float(f"{self.percentile_ms(street, 0.99):.4g}"),
                "histogram": {str(bucket): n for bucket, n in sorted(self._counts[STREETS.index(street)].items())},
            }
            for street in self.streets()
        }

    @classmethod
    def from_dict(cls, table: Mapping[str, Mapping[str, Any]]) -> DecisionTimes:
        """Returns the times that :meth:`as_dict` described."""
        times = cls()
        for street, values in table.items():
            counts = {int(bucket): int(n) for bucket, n in values["histogram"].items()}
            times._counts[STREETS.index(street)] = Counter(counts)
        return times
