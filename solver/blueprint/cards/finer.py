"""Finer card buckets: every bucket after the flop is cut into parts, so that a strategy over the buckets stays one.

A response over the parts sees what the buckets themselves lose: hands of one bucket that should play differently. The
parts of a bucket are the k-means clusters of its own hands, by the features from which the buckets were made.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS
from hedgehog.poker.evaluation._evaluator_kernels import NUM_RANK_CLASSES, rank_combos_kernel
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.poker.hand_classes import NUM_HAND_CLASSES
from hedgehog.poker.isomorphism import BINOMIALS, COMBO_PERMUTATIONS, NUM_BOARD_CLASSES, BoardClasses, board_classes
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.jit import cache_home
from hedgehog.runtime.machine import num_processors
from hedgehog.solver.blueprint.cards import _abstraction_kernels as kernels
from hedgehog.solver.blueprint.cards import _river_kernels as river_kernels
from hedgehog.solver.blueprint.cards._abstraction_kernels import BLOCKED, NUM_FEATURES, AbstractionTables, largest_value
from hedgehog.solver.blueprint.cards._clustering_kernels import k_means_kernel
from hedgehog.solver.blueprint.cards._river_kernels import EQUITY, NUM_RIVER_FEATURES
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.cards.card_tables import (
    NUM_ROUNDS,
    VERSION,
    Progress,
    StoredTable,
    bins_of,
    load_or_build,
    over_parts,
    river_bins,
)

SAMPLE_BOARDS: Final = {3: 300, 4: 1_000, 5: 500}
"""Random boards, by their number of cards, whose hands show what a bucket holds."""
_SEED: Final = 1


@dataclass(frozen=True, slots=True)
class FinerBuckets:
    """The parts of the buckets of an abstraction."""

    parts: int
    """Number of parts of every bucket from the flop on: bucket ``b`` has the parts ``parts * b`` and following. The 169
    hands before the flop are not cut."""
    tables: AbstractionTables
    """The tables of the parts as kernels take them."""
    bucket_counts: tuple[int, int, int, int]
    """Number of parts on each street, preflop to river."""


def most_parts(abstraction: CardAbstraction) -> int:
    """Returns the largest number of parts into which the buckets can be cut: part numbers have 16 bits."""
    return (BLOCKED - 1) // max(abstraction.bucket_counts[1:])


def finer_buckets(
    abstraction: CardAbstraction,
    parts: int,
    progress: Progress = lambda _: None,
    folder: Path | None = None,
    threads: int | None = None,
) -> FinerBuckets:
    """Returns buckets that are cut into parts; they are kept in the cache beside the tables of the buckets.

    :param parts: number of parts of every bucket after the flop, at least 2.
    :param progress: called with a line of text at every step of a build.
    :param folder: folder of the cache; None for ``cache_home()/tables``.
    :param threads: threads of a build; None for one per processor.
    :raises InputError: if the number of parts is out of range.
    """
    if not 2 <= parts <= most_parts(abstraction):
        raise InputError(f"expected 2 to {most_parts(abstraction)} parts of every bucket, got {parts}")
    stored = StoredTable(
        f"parts-v{VERSION}-{abstraction.digest[:12]}-x{parts}",
        (NUM_BOARD_CLASSES[3] + NUM_BOARD_CLASSES[4], NUM_COMBOS),
        np.uint16,
        lambda say: _build(abstraction, parts, say, threads or num_processors()),
    )
    table = load_or_build(stored, folder or cache_home() / "tables", progress)[0]
    num_flops = NUM_BOARD_CLASSES[3]
    river = abstraction.tables.river
    if river.kind == EQUITY:
        river = river._replace(num_buckets=parts * river.num_buckets)
    else:
        river = river._replace(parts=_river_parts(abstraction, parts))
    tables = abstraction.tables._replace(flop=table[:num_flops], turn=table[num_flops:], river=river)
    flop, turn, last = (parts * count for count in abstraction.bucket_counts[1:])
    return FinerBuckets(parts, tables, (NUM_HAND_CLASSES, flop, turn, last))


def _build(abstraction: CardAbstraction, parts: int, say: Progress, threads: int) -> NDArray[np.uint16]:
    """Builds the parts of flop and turn buckets, one table below the other."""
    start = time.perf_counter()
    say("card tables: cutting buckets into parts (once per machine)")
    num_bins, found = 0, []
    for num_cards, buckets in ((3, abstraction.tables.flop), (4, abstraction.tables.turn)):
        if num_bins != (num_bins := bins_of(abstraction.config, num_cards)):
            bins = river_bins(num_bins, threads)
        classes = board_classes(num_cards)
        runouts = (num_bins, bins, board_classes(5), COMBO_PERMUTATIONS, BINOMIALS)
        features, of_bucket = _sample_boards(classes, buckets, *runouts)
        count = abstraction.bucket_counts[num_cards - 2]
        centres = _cut(features, of_bucket, count, parts)
        table = np.empty(buckets.shape, dtype=np.uint16)
        over_parts(threads, kernels.cut_kernel, table, buckets, classes.representatives, centres, *runouts)
        found.append(table)
        say(f"card tables: parts of {len(found)} of 2 streets done ({time.perf_counter() - start:.0f} s)")
    return np.concatenate(found)


def _sample_boards(
    classes: BoardClasses,
    buckets: NDArray[np.unsignedinteger],
    num_bins: int,
    bins: NDArray[np.uint8],
    river_classes: BoardClasses,
    combo_permutations: NDArray[np.int16],
    binomials: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Returns the features (n, NUM_FEATURES) of all hands on random boards, and the bucket (n,) of each."""
    rng = np.random.default_rng(_SEED)
    shares = classes.multiplicities / classes.multiplicities.sum()
    number = min(SAMPLE_BOARDS[classes.representatives.shape[1]], len(shares))
    boards = np.sort(rng.choice(len(shares), size=number, replace=False, p=shares))
    histogram = np.empty((NUM_COMBOS, num_bins + 1), dtype=np.int32)
    features, of_bucket = [], []
    for board in boards:
        of_board = np.empty((NUM_COMBOS, NUM_FEATURES), dtype=np.int32)
        kernels.features_kernel(
            of_board, histogram, classes.representatives[board], bins, river_classes, combo_permutations, binomials
        )
        held = buckets[board] != largest_value(buckets)
        features.append(of_board[held])
        of_bucket.append(buckets[board][held].astype(np.int64))
    return np.concatenate(features), np.concatenate(of_bucket)


def _river_parts(abstraction: CardAbstraction, parts: int) -> NDArray[np.int32]:
    """Returns (river buckets, parts, NUM_RIVER_FEATURES) centres of the parts of the river buckets."""
    rng_state = np.array([_SEED], dtype=np.uint64)
    ranks, order = np.empty(NUM_COMBOS, dtype=np.int32), np.empty(NUM_COMBOS, dtype=np.int32)
    counts = np.empty(NUM_RANK_CLASSES + 2, dtype=np.int32)
    board = np.empty(5, dtype=np.uint8)
    features, of_bucket = [], []
    for _ in range(SAMPLE_BOARDS[5]):
        river_kernels.deal_kernel(board, rng_state)
        rank_combos_kernel(ranks, board, evaluator_tables())
        held = order[: river_kernels.sort_combos_kernel(order, counts, ranks)]
        of_board = np.empty((NUM_COMBOS, NUM_RIVER_FEATURES), dtype=np.int32)
        river_kernels.river_features_kernel(of_board, order, ranks, COMBO_CARDS, len(held), abstraction.tables.river)
        buckets = np.empty(NUM_COMBOS, dtype=np.uint16)
        kernels.river_buckets_kernel(buckets, board, abstraction.tables)
        features.append(of_board[held])
        of_bucket.append(buckets[held].astype(np.int64))
    return _cut(np.concatenate(features), np.concatenate(of_bucket), abstraction.bucket_counts[3], parts)


def _cut(features: NDArray[np.int32], of_bucket: NDArray[np.int64], buckets: int, parts: int) -> NDArray[np.int32]:
    """Returns (buckets, parts, F) the k-means centres of each bucket's hands; zeros for a bucket that has none.

    :param features: (n, F) features of hands.
    :param of_bucket: (n,) bucket of each hand.
    """
    rng_state = np.array([_SEED], dtype=np.uint64)
    order = np.argsort(of_bucket, kind="stable")
    ends = np.searchsorted(of_bucket[order], np.arange(buckets + 1))
    centres = np.zeros((buckets, parts, features.shape[1]), dtype=np.int32)
    for bucket in range(buckets):
        own = features[order[ends[bucket] : ends[bucket + 1]]]
        if len(own):
            k_means_kernel(centres[bucket], own, features.shape[1], NUM_ROUNDS, rng_state)
    return centres
