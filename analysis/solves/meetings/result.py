"""What two strategies for one spot win from each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.solves.simulation import TOLERANCE, Course
from hedgehog.poker.cards import format_cards
from hedgehog.poker.streets import RIVER, STREETS
from hedgehog.runtime.display.axes import open_axes
from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.table import Column, Table, table_records
from hedgehog.solver.postflop.solver import Exploitability
from hedgehog.solver.postflop.spot import PLAYERS, PostflopSpot
from hedgehog.solver.postflop.tree import format_line, line_of
from hedgehog.strategies.betting_tree import BettingTree, NodeKind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINES: Final = 10
"""Lines that tables show unless they are asked for more."""
CI95: Final = NormalDist().inv_cdf(0.975)
"""Standard errors to either side of a mean that make a 95 % interval."""
_ROUNDING: Final = 1e-5
"""Rounding errors of computed values, in pots."""


@dataclass(frozen=True, slots=True)
class Played:
    """What the first strategy won per hand in one seat, beside its exact EV, in chips."""

    seat: int
    mean: float
    standard_error: float
    exact: float
    agrees: bool
    """Whether the two differ by at most :data:`~hedgehog.analysis.solves.simulation.TOLERANCE` standard errors."""

    @property
    def half_width(self) -> float:
        """Half the length of the 95 % interval."""
        return CI95 * self.standard_error


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Versus(Shown):
    """Two strategies that met in both seats of a spot. EVs are chips as in docs/solver.md, section EV."""

    spot: PostflopSpot
    tree: BettingTree
    names: tuple[str, str]
    """What the first and the second strategy are called."""
    texts: tuple[str, str]
    """Where they come from."""
    evs: NDArray[np.float64]
    """float64[2, 2, 2]: the EV at the root of the player in seat ``p`` if OOP follows strategy ``i`` and IP strategy
    ``j``, at ``[i, j, p]``."""
    found: tuple[Exploitability, Exploitability]
    """How far each strategy is from an equilibrium."""
    least: NDArray[np.float64]
    """float64[2, 2]: each strategy's EV in each seat against a best response to it."""
    gains: NDArray[np.float64]
    """float64[2, nodes]: what the first strategy wins in each seat at each decision by acting as it does instead of as
    the second, in chips per hand. It has come there by its own play; the opponent and the play after the decision are
    the second's. The gains of a seat add up to what the first wins there more than the second would against itself."""
    losses: NDArray[np.float64]
    """float64[2, nodes]: the same the other way round: what the second strategy loses at each decision by acting as it
    does instead of as the first, if the opponent and the play after the decision are the first's."""
    hands: int
    """Hands that were played in each seat; 0 for none."""
    seed: int
    courses: tuple[Course, Course] | None
    """What was won over time with the first strategy out of position and in position; None if none were played."""

    @property
    def edge(self) -> tuple[float, float]:
        """What each strategy wins more than half the pot per hand, in chips, as often in one seat as in the other."""
        pot, evs = self.spot.pot, self.evs
        return (
            float(evs[0, 1, 0] + evs[1, 0, 1] - pot) / 2,
            float(evs[1, 0, 0] + evs[0, 1, 1] - pot) / 2,
        )

    def played(self) -> tuple[Played, ...]:
        """Returns what the first strategy won in either seat; nothing if no hands were played."""
        return tuple(self._played())

    def _played(self) -> Iterator[Played]:
        for seat, course in enumerate(self.courses or ()):
            value, exact = course.values[seat], float(self.evs[(0, 1, 0) if seat == 0 else (1, 0, 1)])
            mean = value.mean + self.spot.pot / 2
            error = max(value.standard_error, _ROUNDING * self.spot.pot / TOLERANCE)
            yield Played(seat, mean, value.standard_error, exact, abs(mean - exact) <= TOLERANCE * error)

    @property
    def agrees(self) -> bool:
        """Whether all hands that were played agree with the exact EVs."""
        return all(each.agrees for each in self.played())

    def summary(self) -> str:
        """Returns the spot, the two strategies, and what the first wins."""
        edge = self.edge[0]
        return (
            f"{self.spot.name}, {self.names[0]} against {self.names[1]}: {self.names[0]} wins {edge:+,.3f} chips per "
            f"hand, {100 * edge / self.spot.pot:+.3f} % of the pot"
        )

    def headlines(self) -> list[str]:
        """Returns the spot, a sentence about each strategy, and what they win, line by line."""
        cards, pot = format_cards(self.spot.board, " "), self.spot.pot
        lines = [f"{self.spot.name}: {cards}, pot {pot:,}, stack {self.spot.stack:,}"]
        for name, text, found in zip(self.names, self.texts, self.found, strict=True):
            lines.append(f"{name}: {text}, exploitability {found.pct_pot:.3f} % of the pot")
        won = [
            f"{name} {edge:+,.3f} chips ({100 * edge / pot:+.3f} %)"
            for name, edge in zip(self.names, self.edge, strict=True)
        ]
        lines.append(f"Over both seats, less half the pot per hand: {', '.join(won)}")
        if self.courses is not None:
            verdict = "agree" if self.agrees else "DISAGREE"
            lines.append(f"{self.hands:,} hands played in each seat {verdict} with the exact EVs")
        return lines

    def table(self) -> Table:
        """Returns the EVs by seat."""
        first, second = self.names
        chips = "{:,.3f}".format
        played = {each.seat: each for each in self.played()}
        rows: list[tuple[Any, ...]] = []
        for seat, name in enumerate(PLAYERS):
            cross = [self.evs[self._seated(own, seat)] for own in (0, 1)]
            alone = [self.evs[own, own, seat] for own in (0, 1)]
            most = self.found[1].best_response_ev_minus_half_pot[seat] + self.spot.pot / 2
            shown = played.get(seat)
            simulated = (None, None) if shown is None else (shown.mean, shown.half_width)
            numbers = [*cross, *alone, self.least[0, seat], most]
            rows.append((name, float(cross[0]), *simulated, *map(float, numbers[1:])))
        columns = [
            Column("seat"),
            Column("ev", first, chips),
            Column("simulated", "played", lambda value: "" if value is None else chips(value), shown=bool(played)),
            Column("ci95", "± 95 %", lambda value: "" if value is None else chips(value), shown=bool(played)),
            Column("ev_second", second, chips),
            Column("ev_self", f"both {first}", chips),
            Column("ev_second_self", f"both {second}", chips),
            Column("least", f"{first} at worst", chips),
            Column("most", f"{second} allows", chips),
        ]
        note = (
            f"EV in chips of the player in the seat, of a pot of {self.spot.pot:,}: of {first} against {second}, of"
            f" {second} against {first}, and of each against itself. At worst: against a best response. {second}"
            " allows: what a best response has against it."
        )
        return Table("seats", "", columns, tuple(rows), note)

    @staticmethod
    def _seated(own: int, seat: int) -> tuple[int, int, int]:
        """Returns the place in :attr:`evs` of a strategy that meets the other one in a seat."""
        return (own, 1 - own, seat) if seat == 0 else (1 - own, own, seat)

    def streets(self) -> Table:
        """Returns what the decisions of each seat on each street win and lose."""
        rows = []
        for seat, name in enumerate(PLAYERS):
            for street in range(self.spot.street, RIVER + 1):
                here = self.tree.street == street
                rows.append((name, STREETS[street], *self._sums(seat, here)))
        everywhere = np.ones(self.tree.num_nodes, dtype=np.bool_)
        both = np.sum([self._sums(seat, everywhere) for seat in (0, 1)], axis=0)
        rows.append(("both", "all", *both.tolist()))
        columns = [Column("seat"), Column("street"), *self._gain_columns()]
        first, second = self.names
        note = (
            f"Chips per hand in the seat. {first} wins: by acting as {first} instead of as {second}, while {second} has"
            f" the other seat and plays on. {second} loses: by acting as {second} instead of as {first}, while {first}"
            f" has the other seat and plays on. Won: their mean."
        )
        return Table("streets", "", columns, tuple(rows), note, sections={len(rows) - 1})

    def lines(self, most: int | None = None) -> Table:
        """Returns what each decision wins and loses, those that matter most first.

        :param most: largest number of decisions; None for all.
        """
        weight = np.abs(self.gains + self.losses).sum(axis=0)
        decisions = np.flatnonzero((self.tree.kind == NodeKind.DECISION) & (weight > 0))
        order = decisions[np.argsort(-weight[decisions], kind="stable")][:most]
        rows = []
        for node in order.tolist():
            seat = int(self.tree.player[node])
            line = format_line(line_of(self.tree, node)) or "root"
            street = STREETS[int(self.tree.street[node])]
            here = np.arange(self.tree.num_nodes) == node
            rows.append((line, PLAYERS[seat], street, *self._sums(seat, here)))
        columns = [Column("line"), Column("seat", "acts"), Column("street"), *self._gain_columns()]
        return Table("lines", "", columns, tuple(rows), "Over all cards that may be dealt.")

    def _sums(self, seat: int, nodes: NDArray[np.bool_]) -> tuple[float, float, float]:
        """Returns what some decisions of a seat win: on average of the two ways to count, and in either way."""
        gain, loss = float(self.gains[seat, nodes].sum()), float(self.losses[seat, nodes].sum())
        return (gain + loss) / 2, gain, loss

    def _gain_columns(self) -> tuple[Column, ...]:
        signed = "{:+,.3f}".format
        first, second = self.names
        return (
            Column("won", text=signed),
            Column("wins", f"{first} wins", signed),
            Column("loses", f"{second} loses", signed),
        )

    def course(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Returns the first strategy's winnings over time, less half the pot of every hand, from its start at 0.

        :returns: hands played in each seat, (points,), and chips won in both seats together, (points,); both empty if
            no hands were played.
        """
        if self.courses is None:
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        oop, ip = self.courses
        start = np.zeros(1, dtype=np.int64)
        return np.concatenate([start, oop.hands]), np.concatenate([start, oop.won[:, 0] + ip.won[:, 1]])

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws what the first strategy won over time, with the exact EV and its 95 % band, and returns the axes.

        Without hands that were played it draws what each street wins.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if matplotlib is not installed.
        """
        from hedgehog.analysis.solves.meetings.picture import draw_course

        axes = open_axes(axes, 9.0, 4.6)
        if self.courses is None:
            return self.plot_streets(axes)
        # The seats are independent; their errors add up as squares.
        error = math.hypot(*(each.standard_error for each in self.played()))
        draw_course(axes, self.names, *self.course(), 2 * self.edge[0], error * math.sqrt(self.hands))
        return axes

    def plot_streets(self, axes: Axes | None = None) -> Axes:
        """Draws what the decisions of each seat on each street win and lose, and returns the axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if matplotlib is not installed.
        """
        from hedgehog.analysis.solves.meetings.picture import draw_streets

        axes = open_axes(axes, 9.0, 4.6)
        draw_streets(axes, self.names, self.streets().records()[:-1])
        return axes

    def document(self) -> Mapping[str, Any]:
        """Returns the result as a JSON document, with all decisions."""
        hands, won = self.course()
        edge = self.edge
        strategies = [
            {
                "name": name,
                "source": text,
                "exploitability_pct_pot": found.pct_pot,
                "edge": edge[number],
                "edge_pct_pot": 100 * edge[number] / self.spot.pot,
            }
            for number, (name, text, found) in enumerate(zip(self.names, self.texts, self.found, strict=True))
        ]
        content: dict[str, Any] = {
            "board": format_cards(self.spot.board),
            "pot": self.spot.pot,
            "stack": self.spot.stack,
            "strategies": strategies,
            "hands": self.hands,
            "agrees": self.agrees if self.courses is not None else None,
            **table_records([self.table(), self.streets(), self.lines()]),
            "winnings": [[int(played), float(chips)] for played, chips in zip(hands, won, strict=True)],
        }
        return json_document("versus", game=self.spot.name, players=PLAYERS, seed=self.seed, **content)
