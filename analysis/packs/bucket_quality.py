"""Measures the quality of card buckets: how similar the hands in one bucket are.

What matters about a hand before the river is the distribution of its river equity (against a uniform hand, over all
run-outs). Within a bucket the mean of that distribution should vary little, and the distributions themselves should be
close to their average: the earth mover's distance between two distributions of equity is the area between their
cumulative functions, in units of equity. Both measures are compared with the values for one bucket of all hands.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_CARDS, combo_mask
from hedgehog.poker.hand_classes import HAND_CLASS_SIZES
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.table import Column, Table
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.blueprint.cards.card_abstraction import BLOCKED, CardAbstraction
from hedgehog.solver.blueprint.cards.card_config import RIVER_FEATURES, CardConfig
from hedgehog.solver.blueprint.cards.card_tables import equity_levels

_LEVELS: Final = 1000
"""Number of levels in which river equity is measured."""
_BINS: Final = 100
"""Number of steps of the cumulative distributions."""
_ALL_RIVER_HANDS: Final = 2_598_960 * 1_081


@dataclass(frozen=True, slots=True)
class Sample:
    """Numbers of random boards and hands to measure. The defaults take about ten seconds."""

    flops: int = 60
    turns: int = 600
    rivers: int = 500
    hands: int = 100
    """Number of hands on each flop and each turn board."""


@dataclass(frozen=True, slots=True)
class StreetQuality:
    """The quality of the buckets of one street."""

    street: str
    buckets: int
    sizes: tuple[int, int, int]
    """Number of hands (hole cards on a board) in the smallest, the median and the largest bucket; an estimate on the
    river."""
    sampled: int
    """Number of hands on which the other figures were measured; 0 preflop, where every hand class has its bucket."""
    equity_sd: float
    """Standard deviation of the mean river equity within buckets."""
    equity_sd_all: float
    """Standard deviation of the mean river equity over all hands."""
    distance: float
    """Mean earth mover's distance from a hand's distribution of river equity to the average of its bucket."""
    distance_all: float
    """Mean earth mover's distance from a hand's distribution of river equity to the average of all hands."""

    @property
    def explained(self) -> float:
        """Returns the share of the variance of mean river equity that lies between buckets."""
        return 1.0 - (self.equity_sd / self.equity_sd_all) ** 2 if self.equity_sd_all > 0 else 1.0


_COLUMNS: Final = (
    Column("street"),
    *(Column(name, text="{:,}".format) for name in ("buckets", "smallest", "median", "largest", "sampled")),
    Column("equity_sd", "equity SD", "{:.4f}".format),
    Column("equity_sd_all", "of all", "{:.4f}".format),
    Column("distance", text="{:.4f}".format),
    Column("distance_all", "of all", "{:.4f}".format),
    Column("explained", text="{:.2%}".format),
)


@dataclass(frozen=True, slots=True)
class BucketReport:
    """How good the card buckets of a configuration are."""

    config: CardConfig
    digest: str
    """Digest of the card tables."""
    built: bool
    """Whether this machine did not have the tables yet."""
    seconds: float
    """Time in which the tables were built, or read and verified."""
    streets: list[StreetQuality]

    def table(self) -> Table:
        """Returns all figures, one row per street."""
        rows = (
            (
                *(each.street, each.buckets, *each.sizes, each.sampled),
                *(each.equity_sd, each.equity_sd_all, each.distance, each.distance_all, each.explained),
            )
            for each in self.streets
        )
        return Table("streets", "", _COLUMNS, tuple(rows))

    def shown_tables(self) -> tuple[Table, Table]:
        """Returns the figures in two tables that fit into 80 columns. The second one leaves lossless buckets out."""
        rows = self.table().rows
        return (
            Table("sizes", "Hands per bucket", _COLUMNS[:5], tuple(row[:5] for row in rows)),
            Table(
                "quality",
                "How alike the hands of a bucket are",
                (_COLUMNS[0], *_COLUMNS[5:]),
                tuple((row[0], *row[5:]) for row, each in zip(rows, self.streets, strict=True) if each.sampled),
            ),
        )

    def document(self) -> dict[str, Any]:
        """Returns the report as a JSON document."""
        return json_document(
            "buckets",
            seed=self.config.seed,
            cards=self.config.to_dict(),
            digest=self.digest,
            built=self.built,
            seconds=round(self.seconds, 1),
            streets=[asdict(street) | {"explained": street.explained} for street in self.streets],
        )


def measure_buckets(config: CardConfig, watch: Watch = SILENT) -> BucketReport:
    """Returns how good card buckets are. Builds them first if this machine does not have them.

    :raises ResourceError: if memory or disk space does not suffice for their tables.
    """
    steps: list[str] = []
    started = time.perf_counter()
    abstraction = CardAbstraction.load_or_build(config, progress=steps.append)
    seconds = time.perf_counter() - started
    return BucketReport(config, abstraction.digest, bool(steps), seconds, bucket_quality(abstraction, watch=watch))


def bucket_quality(
    abstraction: CardAbstraction,
    *,
    sample: Sample | None = None,
    seed: int = 0,
    watch: Watch = SILENT,
) -> list[StreetQuality]:
    """Returns the quality of the buckets of every street, preflop first.

    :param abstraction: the buckets.
    :param sample: numbers of random boards and hands to measure.
    :param seed: seed from which boards and hands are drawn.
    """
    sample = sample or Sample()
    watch.begin("measuring", 3, "streets")
    rng = random.Random(seed)
    smallest, largest = int(HAND_CLASS_SIZES.min()), int(HAND_CLASS_SIZES.max())
    sizes = (smallest, int(np.median(HAND_CLASS_SIZES)), largest)
    found = [StreetQuality(STREETS[0], abstraction.bucket_counts[0], sizes, 0, 0.0, 0.0, 0.0, 0.0)]
    tables = abstraction.tables
    for street, table, classes, count in (
        (1, tables.flop, tables.flop_classes, sample.flops),
        (2, tables.turn, tables.turn_classes, sample.turns),
    ):
        watch.update(street - 1, STREETS[street])
        hands_in = bucket_sizes(table, classes.multiplicities, abstraction.bucket_counts[street])
        buckets, equities, cumulative = _sample_street(abstraction, street, count, sample.hands, rng)
        found.append(_quality(street, abstraction, _three_sizes(hands_in), buckets, equities, cumulative))
    watch.update(2, STREETS[3])
    buckets, equities = _sample_rivers(abstraction, sample.rivers, rng)
    shares = np.bincount(buckets, minlength=abstraction.bucket_counts[3]) / len(buckets)
    estimated = np.rint(shares * _ALL_RIVER_HANDS).astype(np.int64)
    found.append(_quality(3, abstraction, _three_sizes(estimated), buckets, equities, None))
    return found


def bucket_sizes(table: NDArray[np.uint8], multiplicities: NDArray[np.integer], count: int) -> NDArray[np.int64]:
    """Returns (count,) the number of hands in every bucket over all boards.

    :param table: (classes, 1326) buckets on the representative of every board class; ``count`` and above: blocked.
    :param multiplicities: (classes,) number of boards in each class.
    :param count: number of buckets.
    """
    sizes = np.zeros(count, dtype=np.int64)
    for times in np.unique(multiplicities):
        sizes += int(times) * np.bincount(table[multiplicities == times].ravel(), minlength=count)[:count]
    return sizes


def _three_sizes(sizes: NDArray[np.int64]) -> tuple[int, int, int]:
    return int(sizes.min()), int(np.median(sizes)), int(sizes.max())


def _fine(abstraction: CardAbstraction) -> CardAbstraction:
    """Returns the same cards with as many river levels as equity is measured in."""
    config = replace(abstraction.config, river=_LEVELS, river_features=RIVER_FEATURES[0])
    return CardAbstraction(config, abstraction.tables._replace(river=equity_levels(_LEVELS)), abstraction.digest)


def _sample_street(
    abstraction: CardAbstraction, street: int, num_boards: int, hands_per_board: int, rng: random.Random
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float32]]:
    """Returns bucket, mean river equity and cumulative distribution (hands, bins) of random hands on random boards."""
    fine = _fine(abstraction)
    buckets, equities, cumulative = [], [], []
    for _ in range(num_boards):
        board = rng.sample(range(NUM_CARDS), street + 2)
        live = np.flatnonzero(combo_mask(board))
        hands = np.array(rng.sample(live.tolist(), min(hands_per_board, len(live))))
        counts = river_level_counts(fine, board, hands)
        runouts = counts.sum(axis=1, keepdims=True)
        equities.append((counts @ (np.arange(_LEVELS) + 0.5) / _LEVELS) / runouts[:, 0])
        bins = counts.reshape(len(hands), _BINS, -1).sum(axis=2)
        cumulative.append((bins.cumsum(axis=1) / runouts).astype(np.float32))
        buckets.append(abstraction.buckets(street, board)[hands].astype(np.int64))
    return np.concatenate(buckets), np.concatenate(equities), np.concatenate(cumulative)


def river_level_counts(fine: CardAbstraction, board: Sequence[int], hands: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns (H, levels) on how many run-outs of a board each hand ends on each level of river equity.

    :param fine: card abstraction whose river buckets are the levels.
    :param board: card ids of a flop or turn board.
    :param hands: (H,) combos that share no card with the board.
    """
    levels = fine.bucket_counts[3]
    counts = np.zeros(len(hands) * levels, dtype=np.int64)
    rows = levels * np.arange(len(hands))
    left = [card for card in range(NUM_CARDS) if card not in board]
    for runout in itertools.combinations(left, 5 - len(board)):
        reached = fine.buckets(3, [*board, *runout])[hands]
        possible = reached != BLOCKED
        counts[rows[possible] + reached[possible]] += 1  # no two of one run-out are equal
    return counts.reshape(len(hands), levels)


def _sample_rivers(
    abstraction: CardAbstraction, num_boards: int, rng: random.Random
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    fine = _fine(abstraction)
    buckets, equities = [], []
    for _ in range(num_boards):
        board = rng.sample(range(NUM_CARDS), 5)
        live = combo_mask(board)
        buckets.append(abstraction.buckets(3, board)[live].astype(np.int64))
        equities.append((fine.buckets(3, board)[live] + 0.5) / _LEVELS)
    return np.concatenate(buckets), np.concatenate(equities)


def _quality(
    street: int,
    abstraction: CardAbstraction,
    sizes: tuple[int, int, int],
    buckets: NDArray[np.int64],
    equities: NDArray[np.float64],
    cumulative: NDArray[np.float32] | None,
) -> StreetQuality:
    count = abstraction.bucket_counts[street]
    hands = np.maximum(np.bincount(buckets, minlength=count), 1)
    centres = np.bincount(buckets, weights=equities, minlength=count) / hands
    apart = equities - centres[buckets]
    if cumulative is None:  # the equity itself is known: its distribution is a point
        distance, distance_all = np.abs(apart).mean(), np.abs(equities - equities.mean()).mean()
    else:
        middles = np.zeros((count, _BINS))
        np.add.at(middles, buckets, cumulative)
        middles /= hands[:, np.newaxis]
        distance = np.abs(cumulative - middles[buckets]).sum(axis=1).mean() / _BINS
        distance_all = np.abs(cumulative - cumulative.mean(axis=0)).sum(axis=1).mean() / _BINS
    return StreetQuality(
        street=STREETS[street],
        buckets=count,
        sizes=sizes,
        sampled=len(buckets),
        equity_sd=float(np.sqrt((apart**2).mean())),
        equity_sd_all=float(equities.std()),
        distance=float(distance),
        distance_all=float(distance_all),
    )
