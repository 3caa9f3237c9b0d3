"""Decision times by street, as players, clients and dealers report them about a match."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from hedgehog.poker.streets import STREETS


class DecisionTimes:
    """Decision times of one player by street, as histograms, so that the times of several matches can be added up.

    Each bucket of a histogram is 2 % wider than the one before, so that percentiles are exact to 1 %.
    """

    _LOG_GROWTH: Final = math.log(1.02)
    _SHORTEST_MS: Final = 0.001

    def __init__(self) -> None:
        self._counts: dict[int, Counter[int]] = {}
        """Per street the number of decisions of every bucket; bucket b holds times around 1.02**b ms."""

    def add(self, street: int, ms: float, count: int = 1) -> None:
        """Records ``count`` decisions of ``ms`` milliseconds each on ``street`` (0 preflop .. 3 river)."""
        bucket = round(math.log(max(ms, self._SHORTEST_MS)) / self._LOG_GROWTH)
        if street not in self._counts:
            self._counts[street] = Counter()
        self._counts[street][bucket] += count

    def merge(self, other: DecisionTimes) -> None:
        """Adds the decision times of another match to these."""
        for street, counts in other._counts.items():
            self._counts.setdefault(street, Counter()).update(counts)

    def streets(self) -> list[str]:
        """Returns the names of the streets with at least one decision, in order of play."""
        return [STREETS[street] for street in sorted(self._counts)]

    def count(self, street: str) -> int:
        """Returns the number of decisions on a street, given by its name."""
        return self._counts.get(STREETS.index(street), Counter()).total()

    def total_ms(self) -> float:
        """Returns the sum of all times in ms, exact to 1 %."""
        return sum(
            count * math.exp(bucket * self._LOG_GROWTH)
            for counts in self._counts.values()
            for bucket, count in counts.items()
        )

    def percentile_ms(self, street: str | None, share: float) -> float:
        """Returns the time in ms that the given share of the decisions did not exceed; NaN if there was no decision.

        :param street: name of the street; None for all streets together.
        :param share: share of the decisions, 0 < share <= 1; 0.5 gives the median.
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

    def share_over(self, street: str, ms: float) -> float:
        """Returns the share of the decisions on a street that took longer than a time, which is kept to 1 %.

        :param street: name of a street with at least one decision.
        :param ms: the time in milliseconds.
        """
        counts = self._counts[STREETS.index(street)]
        longer = sum(count for bucket, count in counts.items() if math.exp(bucket * self._LOG_GROWTH) > ms)
        return longer / counts.total()

    def as_dict(self) -> dict[str, dict[str, object]]:
        """Returns by street name the number of decisions ``n``, ``p50`` and ``p99`` in ms, and the ``histogram``.

        :meth:`from_dict` reads the result back.
        """
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
        """Returns the decision times whose :meth:`as_dict` is ``table``."""
        times = cls()
        for street, values in table.items():
            counts = {int(bucket): int(n) for bucket, n in values["histogram"].items()}
            times._counts[STREETS.index(street)] = Counter(counts)
        return times
