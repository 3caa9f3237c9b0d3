"""Menus of bet sizes from histograms of real sizes, in the bet-size grammar of :mod:`hedgehog.poker.betsizes`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.study.sizes import (
    ALL_IN,
    FINE_BINS,
    FIRST,
    LAST,
    LEVELS,
    MULTIPLE_BINS,
    BetSpot,
    SpotHistograms,
    size_token,
)
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.table import Table

FREQUENT: Final = "frequent"
MEDOIDS: Final = "medoids"
METHODS: Final = (FREQUENT, MEDOIDS)
_ROLE_NAMES: Final = ("oop", "ip")


@dataclass(frozen=True, slots=True)
class MenuRule:
    """How the sizes of a menu are chosen from histograms."""

    method: str = FREQUENT
    """``frequent`` takes the most frequent sizes, ``medoids`` those with the smallest mean distance to all sizes."""
    sizes: int = 3
    """Most sizes of a group, apart from all-in."""
    min_share: float = 0.05
    """Share of the bets and raises of a group that a size needs, all-ins included in the count."""
    min_count: int = 30
    """A group with fewer bets and raises has no sizes of its own."""


Levels = tuple[tuple[str, ...], ...]
"""Size tokens of the bet, the raise and the later raises."""


@dataclass(frozen=True, slots=True, repr=False)
class StudyMenu(Shown):
    """The menus of a study. A key without sizes is absent."""

    keys: Mapping[str, Levels]
    """By key: ``preflop``, ``limped``, and for each street ``flop oop``, ``flop ip``, ``flop both``."""

    def text(self, key: str) -> str | None:
        """Returns the menus of a key, such as ``50%,100% / 3x,a``; None if the key is absent."""
        levels = self.keys.get(key)
        return None if levels is None else " / ".join(",".join(level) for level in levels)

    def summary(self) -> str:
        """Returns the number of sizes, and the menu of the first key."""
        number = sum(len(level) for levels in self.keys.values() for level in levels)
        first = next((f": {key} {self.text(key)}" for key in self.keys), "")
        return f"{number} sizes in {len(self.keys)} menus{first}"

    def table(self) -> Table:
        """Returns a row for each size: its menu, the bet that it is (0 the first of a round), and the size."""
        rows = tuple(
            (key, level, size)
            for key, levels in self.keys.items()
            for level, sizes in enumerate(levels)
            for size in sizes
        )
        return Table("menu", "Sizes of the menus", ("menu", "raise", "size"), rows)

    def details(self) -> str:
        """Returns HTML of the menus as spot files write them."""
        texts = tuple((key, self.text(key)) for key in self.keys)
        return Table("menus", "", ("menu", "sizes"), texts).html()


def _groups() -> dict[str, list[list[BetSpot]]]:
    """Returns for each key of a menu the spots of its levels."""
    both = (FIRST, LAST)
    groups = {
        "preflop": [
            [BetSpot(0, 0, FIRST)],
            *([BetSpot(0, level, role) for role in both] for level in range(1, LEVELS)),
        ],
        "limped": [[BetSpot(0, 0, LAST)]],
    }
    for street in range(1, 4):
        for name, chosen in (("oop", (FIRST,)), ("ip", (LAST,)), ("both", both)):
            groups[f"{STREETS[street]} {name}"] = [
                [BetSpot(street, level, role) for role in chosen] for level in range(LEVELS)
            ]
    return groups


MENU_KEYS: Final = _groups()


def make_menu(histograms: SpotHistograms, rule: MenuRule) -> StudyMenu:
    """Returns the menus that a rule chooses.

    A level below ``min_count`` ends its key: in the grammar, the menu before it repeats.
    """
    keys: dict[str, Levels] = {}
    for key, levels in MENU_KEYS.items():
        chosen: list[tuple[str, ...]] = []
        for spots in levels:
            sizes = choose_sizes(histograms, spots, rule)
            if sizes is None:
                break
            chosen.append(sizes)
        if chosen:
            keys[key] = tuple(chosen)
    return StudyMenu(keys)


def choose_sizes(histograms: SpotHistograms, spots: Sequence[BetSpot], rule: MenuRule) -> tuple[str, ...] | None:
    """Returns the tokens of the sizes chosen for some spots, smallest first; None with fewer than ``min_count`` sizes.

    If no size has the share that the rule asks for, the most frequent one is taken.
    """
    by_pot = spots[0].by_pot
    coarse = histograms.counts(spots)
    total = sum(coarse.values())
    if total < rule.min_count:
        return None
    all_ins = coarse.pop(ALL_IN, 0)
    if rule.method == FREQUENT:
        numbers = most_frequent(_allowed(coarse, by_pot, MULTIPLE_BINS), rule.sizes, rule.min_share * total)
    else:
        fine = histograms.fine.counts(*(spot.number for spot in spots))
        fine.pop(ALL_IN, None)
        numbers = medoids(_allowed(fine, by_pot, FINE_BINS), rule.sizes)
    tokens = [size_token(number, by_pot, fine=rule.method != FREQUENT) for number in sorted(numbers)]
    if all_ins and (all_ins >= rule.min_share * total or not tokens):
        tokens.append("a")
    return tuple(tokens)


def _allowed(counts: Mapping[int, int], by_pot: bool, per_unit: int) -> dict[int, int]:
    """Returns the bins that the grammar can express: more than nothing, and raises to more than the bet faced."""
    least = 1 if by_pot else per_unit + 1
    return {number: count for number, count in counts.items() if number >= least}


def most_frequent(counts: Mapping[int, int], sizes: int, least: float) -> list[int]:
    """Returns the most frequent bins with a count of at least ``least``; on a tie the smaller bin comes first.

    If no bin has that count, the most frequent one is returned.
    """
    ranked = sorted(counts, key=lambda number: (-counts[number], number))
    return [number for number in ranked[:sizes] if counts[number] >= least] or ranked[:1]


def medoids(counts: Mapping[int, int], sizes: int) -> list[int]:
    """Returns the bins that minimise the summed distance of all sizes to the nearest of them.

    On a line the optimum is exact: each medoid serves an interval, and dynamic programming finds the intervals. With
    at most ``sizes`` different bins all are returned.
    """
    points = np.array(sorted(counts), float)
    if len(points) <= sizes:
        return [int(point) for point in points]
    weights = np.array([counts[int(point)] for point in points], float)
    interval_cost, medoid = _interval_costs(points, weights)
    cost = interval_cost[0].copy()  # of the points up to each, with one medoid
    starts = [np.zeros(len(points), np.int64)]
    for _ in range(1, sizes):
        totals = np.concatenate([[np.inf], cost[:-1]])[:, None] + interval_cost
        starts.append(np.argmin(totals, axis=0))
        cost = totals.min(axis=0)
    chosen = []
    end = len(points) - 1
    for start_of in reversed(starts):
        start = int(start_of[end])
        chosen.append(int(points[medoid[start, end]]))
        end = start - 1
    return sorted(chosen)


def _interval_costs(
    points: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Returns for each interval of points the cost of its best medoid, and the medoid: the weighted median.

    :param points: (N,) in ascending order.
    :param weights: (N,) number of sizes at each point.
    :returns: float64[N, N] and int64[N, N] by first and last point; the cost is infinite where first > last.
    """
    count = len(points)
    mass = np.concatenate([[0.0], np.cumsum(weights)])
    moment = np.concatenate([[0.0], np.cumsum(weights * points)])
    cost = np.full((count, count), np.inf)
    medoid = np.zeros((count, count), np.int64)
    for start in range(count):
        end = np.arange(start, count)
        half = (mass[start] + mass[end + 1]) / 2
        middle = np.clip(np.searchsorted(mass, half) - 1, start, end)
        place = points[middle]
        left = place * (mass[middle] - mass[start]) - (moment[middle] - moment[start])
        right = moment[end + 1] - moment[middle] - place * (mass[end + 1] - mass[middle])
        cost[start, start:] = np.maximum(left + right, 0)
        medoid[start, start:] = middle
    return cost, medoid


def format_menu_file(menu: StudyMenu, comments: Sequence[str] = ()) -> str:
    """Returns the menus as YAML: the key ``sizes`` of spot files and the key ``menu`` of blueprint configurations.

    :param comments: lines to put at the top.
    """
    lines = [f"# {comment}" for comment in comments]
    lines += ["# Sizes of a spot file (oop acts first after the flop, ip last):", "sizes:"]
    missing = []
    for street in STREETS[1:]:
        texts = [menu.text(f"{street} {role}") for role in _ROLE_NAMES]
        if all(text is None for text in texts):
            missing.append(street)
            continue
        oop, ip = (text or next(other for other in texts if other is not None) for text in texts)
        lines += [f"  {street}:", f'    oop: "{oop}"', f'    ip: "{ip}"']
    if len(missing) == len(STREETS) - 1:
        lines[-1] = "sizes: {}"
    lines += ["# Menu of a blueprint configuration (both players together):", "menu:"]
    written = 0
    for key in ("preflop", "limped", *STREETS[1:]):
        text = menu.text(key if key in ("preflop", "limped") else f"{key} both")
        if text is None:
            missing.append(key)
        else:
            lines.append(f'  {key}: "{text}"')
            written += 1
    if not written:
        lines[-1] = "menu: {}"
    if missing:
        lines.append(f"# Too few bets for: {', '.join(dict.fromkeys(missing))}")
    return "\n".join(lines) + "\n"
