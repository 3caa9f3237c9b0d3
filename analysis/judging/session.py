"""The judgement of a session: how much of what a player won was luck, and how much skill, by the measures together.

A session is all hands between two players, A and B. All values are A's, in small bets or big blinds.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.histories.hand_words import position_name
from hedgehog.analysis.judging.hands import SeatedHand
from hedgehog.analysis.judging.judge import JudgedHands
from hedgehog.analysis.judging.judgement import HandJudgement, hand_judgement
from hedgehog.analysis.judging.judges import DIVAT, DIVAT_ROE, measure_title, own_values, short_title
from hedgehog.analysis.stats.estimate import Estimate, mean_estimate
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.display.axes import open_axes
from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.errors import InputError, one_line
from hedgehog.runtime.table import Column, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HIDDEN_SHARE: Final = 0.005
"""Share of hands with hidden cards above which totals are biased: cards are mostly known from showdowns."""
DIFFERENCE: Final = 0.1
"""The difference between two players, per hand, for which the number of hands needed is given."""
_CONFIDENCE_Z: Final = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure over the hands of a session or of a part of it."""

    name: str
    total: float
    per_hand: Estimate
    """Mean per hand with its 95 % interval."""

    @property
    def margin(self) -> float:
        """Half the length of the 95 % interval of the total."""
        return self.per_hand.half_width * self.per_hand.n

    @property
    def hands_needed(self) -> float:
        """The number of hands after which the 95 % interval of the mean is ± :data:`DIFFERENCE`; NaN without one."""
        return (_CONFIDENCE_Z * self.per_hand.sd / DIFFERENCE) ** 2 if self.per_hand.has_interval else math.nan


@dataclass(frozen=True, slots=True)
class CostlyStreet:
    """A street on which A lost much, with the hand."""

    loss: float
    """What A lost by the betting of the street, by DIVAT."""
    street: int
    source: str
    """File and line of the hand."""
    seated: SeatedHand
    judgement: HandJudgement


@dataclass(frozen=True, slots=True, repr=False)
class SessionReport(Shown):
    """What a session says about player A; the values of B are the negatives."""

    player: str
    opponent: str
    limit: bool
    roll_out: bool
    """Whether DIVAT by roll-out equity was computed."""
    hands: int
    """Number of hands judged."""
    hidden: int
    """Number of hands left out because hole cards are unknown."""
    hidden_result: float
    """What A won in the hands left out."""
    measures: tuple[Measure, ...]
    positions: dict[str, tuple[Measure, ...]]
    """Position of A -> the measures of its hands."""
    streets: dict[str, tuple[Measure, ...]]
    """Street -> the measures that belong to a street, over all hands."""
    curves: dict[str, NDArray[np.float64]]
    """Measure -> (N,) running sums over the hands."""
    costly: tuple[CostlyStreet, ...]
    """The costliest streets, the worst first; none in no-limit games."""

    def margins(self, measure: str) -> NDArray[np.float64]:
        """Returns (N,) half the length of the 95 % interval of a running sum after each hand; NaN after the first.

        The interval is that of the sum of so many hands if they were played again: 1.96 standard deviations of the
        hands so far, times the root of their number.

        :param measure: one of :attr:`curves`.
        """
        curve = self.curves[measure]
        number = np.arange(1, len(curve) + 1)
        squares = np.cumsum(np.diff(curve, prepend=0.0) ** 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = np.maximum(squares - curve**2 / number, 0.0) / (number - 1)
        return np.asarray(_CONFIDENCE_Z * np.sqrt(variance * number))

    @property
    def unit(self) -> str:
        """The unit of all values: small bets (``SB``) or big blinds (``BB``)."""
        return "SB" if self.limit else "BB"

    @property
    def biased(self) -> bool:
        """True if so many hands have hidden cards that the totals do not stand for all hands."""
        return self.hidden > HIDDEN_SHARE * (self.hands + self.hidden)

    def summary(self) -> str:
        """Returns the players, the number of hands, and the totals of the main measures."""
        totals = ", ".join(f"{short_title(one.name)} {one.total:+,.1f}" for one in self.measures)
        return f"{self.player} against {self.opponent}, {self.hands:,} hands, in {self.unit}: {totals}"

    def table(self) -> Table:
        """Returns a row per measure: its total, and its mean per hand with the 95 % interval."""
        names = ("unit", "hands", "total", "per_hand", "ci95_low", "ci95_high")
        columns: list[Column | str] = ["measure", Column("title", data=False), *names]
        rows = (
            (one.name, measure_title(one.name), self.unit, mean.n, one.total, mean.mean, mean.low, mean.high)
            for one in self.measures
            for mean in (one.per_hand,)
        )
        return Table("measures", f"{self.player} against {self.opponent}", columns, tuple(rows))

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the running sums of the measures over the hands, and returns the axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if matplotlib is not installed.
        """
        axes = open_axes(axes, 7.0, 3.8)
        axes.axhline(0, color="grey", linewidth=0.8)
        hands = np.arange(self.hands + 1)
        for name, curve in self.curves.items():
            axes.plot(hands, np.concatenate([[0.0], curve]), linewidth=1.3, label=short_title(name))
        axes.set_xlabel("hands")
        axes.set_ylabel(self.unit)
        axes.set_title(one_line(f"{self.player} against {self.opponent}"), loc="left", fontsize=10, parse_math=False)
        axes.legend(frameon=False)
        return axes

    def measure(self, name: str) -> Measure:
        """Returns one of the measures by its name."""
        return next(measure for measure in self.measures if measure.name == name)


@dataclass(slots=True)
class Session:
    """Collects the judged hands of two players."""

    player: str
    opponent: str
    limit: bool
    roll_out: bool = False
    num_costly: int = 5
    hidden: int = 0
    hidden_result: float = 0.0
    _parts: list[dict[str, NDArray[np.float64]]] = field(default_factory=list)
    _positions: list[str] = field(default_factory=list)
    _costly: list[tuple[float, int, int, str, SeatedHand, HandJudgement]] = field(default_factory=list)
    _order: itertools.count[int] = field(default_factory=itertools.count)

    def leave_out(self, result: float) -> None:
        """Counts a hand with hidden cards.

        :param result: what A won.
        """
        self.hidden += 1
        self.hidden_result += result

    def add(
        self,
        hands: Sequence[SeatedHand],
        sources: Sequence[str],
        judged: JudgedHands,
        extra: dict[str, NDArray[np.float64]] | None = None,
    ) -> None:
        """Adds a batch of judged hands.

        :param sources: file and line of each hand.
        :param extra: further measures, such as AIVAT -> (N,) values.
        """
        values = own_values(hands, judged, limit=self.limit, roll_out=self.roll_out)
        self._parts.append(values | (extra or {}))
        self._positions += [position_name(one.hand.state.gamedef, one.position) for one in hands]
        if not self.limit:
            return
        ranked = values[DIVAT_ROE if self.roll_out else DIVAT]
        for index, street in self._worst(ranked):
            judgement = hand_judgement(judged, index, hands[index])
            entry = (-float(ranked[index, street]), -next(self._order), street, sources[index], hands[index], judgement)
            if len(self._costly) < self.num_costly:
                heapq.heappush(self._costly, entry)
            else:
                heapq.heappushpop(self._costly, entry)

    def _worst(self, values: NDArray[np.float64]) -> list[tuple[int, int]]:
        """Returns hand and street of the lowest negative values of a batch that are among the worst so far."""
        if not self.num_costly:
            return []
        flat = values.ravel()
        limit = self._costly[0][0] if len(self._costly) == self.num_costly else 0.0
        lowest = np.argsort(flat, kind="stable")[: self.num_costly]
        return [divmod(int(place), values.shape[1]) for place in lowest if flat[place] < min(-limit, -1e-9)]

    def report(self) -> SessionReport:
        """Returns the report on the hands added so far.

        :raises InputError: if the cards of no hand are known.
        """
        if not self._parts:
            hands = f"{self.hidden:,} hands of {self.player} and {self.opponent}"
            raise InputError(f"the hole cards of both players are known in none of the {hands}")
        values = {name: np.concatenate([part[name] for part in self._parts]) for name in self._parts[0]}
        of_hands = {name: one if one.ndim == 1 else one.sum(axis=1) for name, one in values.items()}
        positions = np.array(self._positions)
        at = {name: positions == name for name in dict.fromkeys(self._positions)}
        return SessionReport(
            player=self.player,
            opponent=self.opponent,
            limit=self.limit,
            roll_out=self.roll_out,
            hands=len(positions),
            hidden=self.hidden,
            hidden_result=self.hidden_result,
            measures=tuple(_measure(name, one) for name, one in of_hands.items()),
            positions={
                position: tuple(_measure(name, one[mask]) for name, one in of_hands.items())
                for position, mask in at.items()
            },
            streets={
                street: tuple(_measure(name, one[:, index]) for name, one in values.items() if one.ndim == 2)
                for index, street in enumerate(STREETS)
            },
            curves={name: np.cumsum(one) for name, one in of_hands.items()},
            costly=tuple(
                CostlyStreet(loss, street, source, seated, judgement)
                for loss, _, street, source, seated, judgement in sorted(
                    self._costly, key=lambda entry: entry[:2], reverse=True
                )
            ),
        )


def _measure(name: str, values: NDArray[np.float64]) -> Measure:
    return Measure(name, math.fsum(values), mean_estimate(values))
