"""Profiles of players: how often each does what, with 95 % intervals, and the sizes of their bets.

The frequencies are those of :mod:`hedgehog.analysis.stats.frequencies`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.histories.action_kinds import RAISE
from hedgehog.analysis.histories.real_hands import BIG_BLIND, SMALL_BLIND
from hedgehog.analysis.stats.estimate import Estimate
from hedgehog.analysis.stats.frequencies import (
    HandTally,
    action_code,
    aggression_factor,
    frequency_pairs,
    tally_actions,
)
from hedgehog.analysis.study.batches import HandBatch, added_up
from hedgehog.analysis.study.sizes import roles
from hedgehog.runtime.display.axes import open_axes
from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.table import Column, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SEATS: Final = ("big blind", "small blind")
SEAT_LETTERS: Final = {"big blind": "BB", "small blind": "SB"}


class Line(NamedTuple):
    """A frequency that profiles have: its name, where it is counted, and what it means."""

    name: str
    """Short name for tables and files."""
    key: str
    """Name in :func:`~hedgehog.analysis.stats.frequencies.frequency_pairs`."""
    meaning: str


LINES: Final = (
    Line("VPIP", "vpip", "called or raised before the flop, of the hands in which the player acted there"),
    Line("PFR", "pfr", "raised before the flop, of the hands in which the player acted there"),
    Line(
        "3-bet",
        "three_bet",
        "raised again, of the hands in which the player could after exactly one raise before the flop",
    ),
    Line("fold to 3-bet", "fold_to_three_bet", "folded to the second raise before the flop, after making the first"),
    Line(
        "c-bet flop",
        "flop_continuation_bet",
        "bet the flop, of the flops on which the last raiser before it could bet first",
    ),
    Line("fold to c-bet", "fold_to_continuation_bet", "folded to such a bet"),
    Line("AFq", "aggression", "bets and raises after the flop, of all actions there but checks"),
    Line("WTSD", "went_to_showdown", "came to a showdown, of the hands in which the player saw the flop"),
    Line("W$SD", "won_at_showdown", "got chips back at the showdown, of all showdowns"),
)


class Size(NamedTuple):
    """A mean bet size that profiles have: its name, and what it means."""

    name: str
    meaning: str


SIZES: Final = (
    Size("open", "first raise before the flop in big blinds"),
    Size("3-bet size", "second raise before the flop as a multiple of the first"),
    Size("flop bet", "first bet on the flop as a share of the pot"),
    Size("turn bet", "first bet on the turn as a share of the pot"),
    Size("river bet", "first bet on the river as a share of the pot"),
)
_HANDS: Final = 0
_NET: Final = 1
_SQUARED: Final = 2
_FIRST_TALLY: Final = 3
_FIRST_SIZE: Final = _FIRST_TALLY + len(HandTally._fields)
_COLUMNS: Final = _FIRST_SIZE + 3 * len(SIZES)


@dataclass(frozen=True, slots=True)
class Share:
    """A frequency with its 95 % interval (Wilson 1927)."""

    times: int
    opportunities: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """Times divided by opportunities; NaN without opportunities."""
        return self.times / self.opportunities if self.opportunities else math.nan


def wilson(times: int, opportunities: int) -> Share:
    """Returns a frequency with its 95 % interval; NaN as ends without opportunities."""
    if not opportunities:
        return Share(times, 0, math.nan, math.nan)
    from scipy.stats import binomtest  # its import takes long

    interval = binomtest(times, opportunities).proportion_ci(method="wilson")
    return Share(times, opportunities, float(interval.low), float(interval.high))


@dataclass(frozen=True, slots=True, repr=False)
class Profile(Shown):
    """What one player does, in both seats or in one."""

    name: str
    seat: str
    """``big blind``, ``small blind``, or empty for both."""
    hands: int
    mbb_per_hand: Estimate | None
    """Winnings in thousandths of a big blind; None if they are not known for all hands."""
    shares: tuple[Share, ...]
    """In the order of :data:`LINES`."""
    aggression_factor: float
    """Bets and raises after the flop per call there; NaN without calls."""
    sizes: tuple[Estimate | None, ...]
    """In the order of :data:`SIZES`, without all-ins; None where there were none."""

    def summary(self) -> str:
        """Returns the player, the seat, the hands, and the first two frequencies."""
        seat = f", {self.seat}" if self.seat else ""
        shown = [
            f"{line.name} {100 * share.share:.0f} %"
            for line, share in zip(LINES, self.shares, strict=True)
            if share.opportunities
        ]
        return ", ".join([f"{self.name}{seat}", f"{self.hands:,} hands", *shown[:2]])

    def table(self) -> Table:
        """Returns one row (:func:`profile_table`)."""
        return profile_table([self])

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the frequencies with their 95 % intervals, and returns the axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if matplotlib is not installed.
        """
        axes = open_axes(axes, 6.4, 1.2 + 0.26 * len(LINES))
        for place, share in enumerate(self.shares):
            if share.opportunities:
                axes.plot((100 * share.low, 100 * share.high), (place, place), color="#999999", linewidth=2)
                axes.plot(100 * share.share, place, "o", color="#0072b2", markersize=4)
        axes.set_yticks(range(len(LINES)), [line.name for line in LINES])
        axes.set_ylim(len(LINES) - 0.5, -0.5)
        axes.set_xlabel("%, with 95 % interval")
        return axes


class Profiles:
    """Adds up what every player does in each seat."""

    def __init__(self) -> None:
        self._sums = np.zeros((0, 2, _COLUMNS))

    def add(self, batch: HandBatch, num_players: int) -> None:
        """Adds hands.

        :param num_players: number of players known so far.
        """
        if num_players > len(self._sums):
            more = np.zeros((num_players - len(self._sums), 2, _COLUMNS))
            self._sums = np.concatenate([self._sums, more])
        tallies = _tallies(batch)
        for seat, player in ((BIG_BLIND, "player_bb"), (SMALL_BLIND, "player_sb")):
            columns = _seat_columns(batch, seat, tallies[:, seat])
            for column, values in enumerate(columns):
                self._sums[:, seat, column] = added_up(self._sums[:, seat, column], batch.hands[player], values)

    def profiles(self, names: Sequence[str]) -> Iterator[Profile]:
        """Yields the profile of every player, most hands first: both seats together, then each seat.

        :param names: names of the players, by number.
        """
        for number in np.argsort(-self._sums[:, :, _HANDS].sum(axis=1), kind="stable").tolist():
            sums = self._sums[number]
            if sums[:, _HANDS].any():
                yield _profile(names[number], "", sums.sum(axis=0))
                for seat, seat_name in enumerate(SEATS):
                    yield _profile(names[number], seat_name, sums[seat])


def _tallies(batch: HandBatch) -> NDArray[np.int16]:
    """Returns int16[N, 2, fields of HandTally]: what both seats did in each hand, with who won left open."""
    actions = batch.actions
    other_all_in = np.zeros(batch.num_actions, np.bool_)  # by its action before
    other_all_in[1:] = actions["all_in"][:-1]
    first = batch.first_action()
    other_all_in[first[:-1][batch.hands["num_actions"] > 0]] = False
    may_raise = (actions["behind"] > actions["faced"] - actions["own"]) & ~other_all_in
    seat, street, kind = (actions[name].astype(np.uint16) for name in ("seat", "round", "kind"))
    may_raise &= (street == 0) & (actions["ordinal"] == 1)  # it matters nowhere else
    codes = action_code(seat, street, kind, may_raise).astype(np.uint16).tobytes()
    # Without sizes few sequences of actions are left, each of which is tallied once.
    numbers: dict[bytes, int] = {}
    ends = (2 * first).tolist()
    of_hand = [numbers.setdefault(codes[start:end], len(numbers)) for start, end in itertools.pairwise(ends)]
    return np.array([tally_actions(one, 2) for one in numbers], np.int16)[of_hand]


def _seat_columns(batch: HandBatch, seat: int, tallies: NDArray[np.int16]) -> list[NDArray[Any]]:
    """Returns a float64[N] for each column of the sums: what the player in a seat did in each hand.

    :param tallies: (N, fields of HandTally) what the player did.
    """
    count = batch.num_hands
    hand = batch.hand_of_action()
    actions = batch.actions
    street, ordinal = actions["round"], actions["ordinal"]
    net = batch.hands["net_bb" if seat == BIG_BLIND else "net_sb"]
    other_net = batch.hands["net_sb" if seat == BIG_BLIND else "net_bb"]
    won = net / batch.hands["big_blind"]
    done = dict(zip(HandTally._fields, tallies.T, strict=True))
    # In a split pot both may lose, to the rake.
    done["won_showdown"] = done["showdown"] * ~((net < 0) & (other_net > 0))
    columns: list[NDArray[Any]] = [np.ones(count), won, won**2, *done.values()]
    raised = (actions["seat"] == seat) & (actions["kind"] == RAISE) & ~actions["all_in"]
    size, first = actions["size"].astype(float), ordinal == 0
    unit = np.where(street > 0, actions["pot"], actions["faced"]).astype(float)
    for rows in (
        raised & (street == 0) & first & (roles(batch) == 0),
        raised & (street == 0) & (ordinal == 1),
        *(raised & (street == number) & first for number in (1, 2, 3)),
    ):
        ratio = size[rows] / np.maximum(unit[rows], 1)
        columns += [np.bincount(hand[rows], weights, minlength=count) for weights in (ratio**0, ratio, ratio**2)]
    return columns


def _estimate(number: float, total: float, squares: float, scale: float = 1.0) -> Estimate | None:
    """Returns the mean of values with its 95 % interval, from their sums; None without values."""
    if not number:
        return None
    from scipy.special import stdtrit  # its import takes long

    mean = float(scale * total / number)
    if number < 2:
        return Estimate(mean, -math.inf, math.inf, math.nan, 1)
    variance = max(squares - total * total / number, 0.0) / (number - 1)
    sd = scale * math.sqrt(variance)
    half = float(stdtrit(number - 1, 0.975)) * sd / math.sqrt(number)
    return Estimate(mean, mean - half, mean + half, sd, int(number))


def _profile(name: str, seat: str, sums: NDArray[np.float64]) -> Profile:
    total = HandTally(*sums[_FIRST_TALLY:_FIRST_SIZE].astype(int).tolist())
    pairs = frequency_pairs(total)
    known = math.isfinite(sums[_NET])
    return Profile(
        name,
        seat,
        int(sums[_HANDS]),
        _estimate(sums[_HANDS], sums[_NET], sums[_SQUARED], 1000.0) if known else None,
        tuple(wilson(*pairs[line.key]) for line in LINES),
        aggression_factor(total),
        tuple(_estimate(*row) for row in sums[_FIRST_SIZE:].reshape(-1, 3).tolist()),
    )


def profile_table(profiles: Sequence[Profile]) -> Table:
    """Returns profiles: as data each frequency with its opportunities and interval and each size.

    People see the frequencies in percent, and below each half the width of its 95 % interval.
    """
    rows = []
    for profile in profiles:
        won = profile.mbb_per_hand
        row: dict[str, Any] = {"player": profile.name, "seat": profile.seat, "hands": profile.hands}
        row |= {"mbb_per_hand": won and won.mean, "mbb_low": won and won.low, "mbb_high": won and won.high}
        for line, share in zip(LINES, profile.shares, strict=True):
            row |= {line.name: share.share, f"{line.name} of": share.opportunities}
            row |= {f"{line.name} low": share.low, f"{line.name} high": share.high}
        row["AF"] = profile.aggression_factor
        for size, mean in zip(SIZES, profile.sizes, strict=True):
            row |= {size.name: mean and mean.mean, f"{size.name} of": mean.n if mean else 0}
            row |= {f"{size.name} low": mean and mean.low, f"{size.name} high": mean and mean.high}
        rows.append(row)
    shown: list[tuple[str, Callable[[Profile], str]]] = [
        ("player", lambda one: f"  {SEAT_LETTERS[one.seat]}" if one.seat else one.name),
        ("hands", lambda one: f"{one.hands:,}"),
    ]
    for number, line in enumerate(LINES):
        heading = line.name.replace(" to ", "\n").replace(" ", "\n")
        shown.append((heading, lambda one, number=number: _share_text(one.shares[number])))  # type: ignore[misc]
    shown += [
        ("AF", lambda one: "" if math.isnan(one.aggression_factor) else f"{one.aggression_factor:.2f}"),
        ("open\nBB", lambda one: _size_text(one.sizes[0])),
    ]
    columns = [Column(name, shown=False) for name in (rows[0] if rows else ())]
    columns += [Column(f"{head} shown", head, text, data=False, left=head == "player") for head, text in shown]
    cells = tuple((*row.values(), *[one] * len(shown)) for row, one in zip(rows, profiles, strict=True))
    return Table("profiles", "Frequencies in %; below: ± 95 %", columns, cells)


def _share_text(share: Share) -> str:
    return f"{100 * share.share:.0f}\n±{50 * (share.high - share.low):.0f}" if share.opportunities else ""


def _size_text(estimate: Estimate | None) -> str:
    if estimate is None:
        return ""
    width = f"\n±{estimate.half_width:.2f}" if math.isfinite(estimate.low) else ""
    return f"{estimate.mean:.2f}{width}"
