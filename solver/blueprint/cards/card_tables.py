"""The tables of card buckets: shipped, or built once per machine, and kept in the cache.

One file holds the flop and turn buckets of every hand on every class of boards. River buckets are computed when they
are needed. Kinds with k-means have a second file with the centres of the river buckets.

The tables of the shipped packs are shipped, compressed, because building them takes longer than compiling the player.
``python -m hedgehog.solver.blueprint.cards.card_tables FILE.npy...`` adds files of the cache to the shipped ones.
"""

from __future__ import annotations

import hashlib
import logging
import lzma
import math
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.poker.hand_classes import HAND_CLASS, NUM_HAND_CLASSES
from hedgehog.poker.isomorphism import BINOMIALS, COMBO_PERMUTATIONS, NUM_BOARD_CLASSES, board_classes
from hedgehog.runtime.errors import InputError, ResourceError
from hedgehog.runtime.files import replacing
from hedgehog.runtime.folder_lock import FolderLock
from hedgehog.runtime.npy_files import map_npy
from hedgehog.solver.blueprint.cards import _abstraction_kernels as kernels
from hedgehog.solver.blueprint.cards import _river_kernels as river_kernels
from hedgehog.solver.blueprint.cards._abstraction_kernels import (
    NUM_BINS,
    NUM_FEATURES,
    NUM_QUANTILE_BINS,
    AbstractionTables,
)
from hedgehog.solver.blueprint.cards._clustering_kernels import k_means_kernel, nearest_centre, sort_centres
from hedgehog.solver.blueprint.cards._river_kernels import NUM_GROUPS, NUM_RIVER_FEATURES, RiverBuckets
from hedgehog.solver.blueprint.cards.card_config import MAX_FLOP_BUCKETS, RIVER_FEATURES, TURN_FEATURES, CardConfig

logger = logging.getLogger(__name__)

VERSION: Final = 2
"""Version of the tables in the cache. It is raised whenever the same configuration gives other buckets."""
SAMPLE_BOARDS: Final = {3: 500, 4: 2_000, 5: 4_000}
SAMPLE_SIZE: Final = 100_000
NUM_ROUNDS: Final = 15
HISTOGRAM_BOARDS: Final = 5_000
"""River boards from which the groups of hole cards for ``ochs`` are made."""
LONGEST_BUILD_S: Final = 900.0
"""Seconds after which another process that builds tables is assumed to hang."""
SHIPPED: Final = Path(__file__).with_name("tables")
"""Folder of the shipped tables: the numbers of a table, little-endian and by rows, compressed by LZMA."""
_SEED_STEP: Final = 8

Progress = Callable[[str], None]
"""A function that takes a line of text on the progress of a build."""


@dataclass(frozen=True, slots=True)
class CardTables:
    """The stored tables of a configuration."""

    board_tables: NDArray[np.unsignedinteger]
    """uint8 or uint16 (1755 + 16432, 1326): flop and turn buckets, one below the other."""
    river: NDArray[np.int32]
    """(169 + K * NUM_RIVER_FEATURES,) the groups of the hand classes, and the centres of the river buckets; empty for
    levels of equity."""
    digest: str
    """First 32 hexadecimal digits of a SHA-256 hash of the tables."""


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A kind of table that is built once per machine and kept in a file of the cache."""

    name: str
    """Name of the file up to the digest."""
    shape: tuple[int, ...]
    dtype: type
    build: Callable[[Progress], NDArray[Any]]

    def path(self, folder: Path, digest: str) -> Path:
        return folder / f"{self.name}-{digest}.npy"


def load_or_build_tables(config: CardConfig, say: Progress, folder: Path, threads: int) -> CardTables:
    """Returns the tables of a configuration, mapped from the cache or built and stored there.

    Tables that cannot be stored are kept in memory, with a warning.

    :param say: called with a line of text at every step of a build.
    :param folder: folder of the cache.
    :param threads: threads of a build.
    """
    boards, digest = load_or_build(_board_kind(config, threads), folder, say)
    if config.river_features == RIVER_FEATURES[0]:
        return CardTables(boards, np.empty(0, dtype=np.int32), digest)
    river, of_river = load_or_build(_river_kind(config), folder, say)
    both = hashlib.sha256(f"{digest} {of_river}".encode()).hexdigest()[:32]
    return CardTables(boards, np.array(river), both)


def abstraction_tables(
    config: CardConfig, board_tables: NDArray[np.unsignedinteger], river: NDArray[np.int32] | None = None
) -> AbstractionTables:
    """Returns tables in the form in which kernels take them.

    :param board_tables: flop and turn buckets as in :class:`CardTables`.
    :param river: groups and centres as in :class:`CardTables`; None or empty for levels of equity.
    """
    num_flops = NUM_BOARD_CLASSES[3]
    return AbstractionTables(
        hand_class=HAND_CLASS,
        flop=board_tables[:num_flops],
        turn=board_tables[num_flops:],
        flop_classes=board_classes(3),
        turn_classes=board_classes(4),
        combo_permutations=COMBO_PERMUTATIONS,
        binomials=BINOMIALS,
        combo_cards=COMBO_CARDS,
        evaluator=evaluator_tables(),
        river=equity_levels(config.river) if river is None or not len(river) else _river_buckets(config, river),
    )


def equity_levels(count: int) -> RiverBuckets:
    """Returns river buckets that are equal levels of equity.

    :param count: number of levels.
    """
    return _buckets_of_centres("equity", count, np.zeros(NUM_HAND_CLASSES, dtype=np.uint8), _no_centres(0))


def _no_centres(count: int) -> NDArray[np.int32]:
    return np.zeros((count, NUM_RIVER_FEATURES), dtype=np.int32)


def _river_buckets(config: CardConfig, river: NDArray[np.int32]) -> RiverBuckets:
    groups = river[:NUM_HAND_CLASSES].astype(np.uint8)
    centres = river[NUM_HAND_CLASSES:].reshape(config.river, NUM_RIVER_FEATURES)
    return _buckets_of_centres(config.river_features, config.river, groups, centres)


def _buckets_of_centres(
    features: str, count: int, groups: NDArray[np.uint8], centres: NDArray[np.int32]
) -> RiverBuckets:
    return RiverBuckets(
        kind=RIVER_FEATURES.index(features),
        num_buckets=count,
        groups=groups[HAND_CLASS],
        centres=sort_centres(centres, _num_summed(features)),
        parts=np.zeros((0, 0, NUM_RIVER_FEATURES), dtype=np.int32),
    )


def _board_kind(config: CardConfig, threads: int) -> StoredTable:
    kind = "" if config.turn_features == TURN_FEATURES[0] else f"-{config.turn_features}"
    return StoredTable(
        f"cards-v{VERSION}{kind}-f{config.flop}-t{config.turn}-s{config.seed}",
        (NUM_BOARD_CLASSES[3] + NUM_BOARD_CLASSES[4], NUM_COMBOS),
        np.uint8 if config.turn <= MAX_FLOP_BUCKETS else np.uint16,
        lambda say: _build(config, say, threads),
    )


def _river_kind(config: CardConfig) -> StoredTable:
    return StoredTable(
        f"river-v{VERSION}-{config.river_features}-r{config.river}-s{config.seed}",
        (NUM_HAND_CLASSES + config.river * NUM_RIVER_FEATURES,),
        np.int32,
        lambda say: _build_river(config, say),
    )


def load_or_build(kind: StoredTable, folder: Path, say: Progress) -> tuple[NDArray[Any], str]:
    """Returns a table and its digest, mapped from the cache or built and stored there.

    :param folder: folder of the cache.
    :param say: called with a line of text at every step of a build.
    """
    found = _find(folder, kind)
    if found is None:
        with _only_builder(folder, say):
            found = _find(folder, kind)  # another process may have built them meanwhile
            if found is None and (found := _unpack(kind)) is not None:
                _store(kind.path(folder, found[1]), found[0], lambda _: None, "unpacks")
            if found is None:
                built = kind.build(say)
                built.flags.writeable = False  # like a mapped table: kernels are compiled for one or the other
                found = built, _digest(built)
                _store(kind.path(folder, found[1]), built, say, "builds")
    return found


def _unpack(kind: StoredTable) -> tuple[NDArray[Any], str] | None:
    """Returns a shipped table and its digest; None if there is none of this kind, or its file is damaged."""
    dtype = np.dtype(kind.dtype).newbyteorder("<")
    num_bytes = math.prod(kind.shape) * dtype.itemsize
    for path in SHIPPED.glob(f"{kind.name}-*.xz"):
        try:
            data = lzma.LZMADecompressor().decompress(path.read_bytes(), num_bytes)
        except (OSError, lzma.LZMAError):
            continue
        if len(data) == num_bytes:
            table: NDArray[Any] = np.frombuffer(data, dtype).astype(kind.dtype, copy=False).reshape(kind.shape)
            table.flags.writeable = False
            digest = _digest(table)
            if path.stem == kind.path(SHIPPED, digest).stem:
                return table, digest
    return None


def _find(folder: Path, kind: StoredTable) -> tuple[NDArray[Any], str] | None:
    """Returns the table of an undamaged file, mapped into memory, and its digest; None if there is no such file."""
    try:
        paths = sorted(folder.glob(kind.path(folder, "*").name))
    except OSError:  # the folder cannot be read, or its name is invalid
        return None
    for path in paths:
        try:
            table = np.asarray(map_npy(path))
        except InputError:
            continue
        if table.shape != kind.shape or table.dtype != kind.dtype or not table.flags.c_contiguous:
            continue
        digest = _digest(table)
        if path == kind.path(folder, digest):
            return table, digest
    return None


def _store(path: Path, table: NDArray[Any], say: Progress, again: str) -> None:
    try:
        with replacing(path, make_folder=True) as file:
            np.save(file, table, allow_pickle=False)
    except ResourceError as error:
        logger.warning(
            "the card tables are not stored (%s): every start %s them anew; set HEDGEHOG_CACHE to a folder that can be "
            "written",
            error,
            again,
        )
    else:
        say(f"card tables: stored {path}")


@contextmanager
def _only_builder(folder: Path, say: Progress) -> Iterator[None]:
    """Waits until no other process builds tables for this folder, then makes other processes wait."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FolderLock(folder)
    except (OSError, ResourceError):  # nothing can be stored there, so there is nothing to wait for
        yield
        return
    with lock:
        if not lock.take():
            say("card tables: waiting for another process that builds them")
            lock.take(LONGEST_BUILD_S)
        yield


def _digest(table: NDArray[Any]) -> str:
    return hashlib.sha256(np.ascontiguousarray(table).data).hexdigest()[:32]


def _build(config: CardConfig, say: Progress, threads: int) -> NDArray[np.unsignedinteger]:
    """Builds the flop and turn tables, one below the other."""
    start = time.perf_counter()
    say("card tables: building (once per machine)")
    river_classes = board_classes(5)
    dtype = _board_kind(config, threads).dtype
    num_bins, tables = 0, []
    for num_cards, num_buckets, name in ((3, config.flop, "flop"), (4, config.turn, "turn")):
        if num_bins != (num_bins := bins_of(config, num_cards)):
            bins = river_bins(num_bins, threads)
            say(f"card tables: river equities done ({time.perf_counter() - start:.0f} s)")
        classes = board_classes(num_cards)
        rng_state = np.array([config.seed * _SEED_STEP + num_cards], dtype=np.uint64)
        runouts = (num_bins, bins, river_classes, COMBO_PERMUTATIONS, COMBO_CARDS, BINOMIALS)
        hands_per_board = SAMPLE_SIZE // SAMPLE_BOARDS[num_cards]
        sample = np.empty((SAMPLE_SIZE, NUM_FEATURES), dtype=np.int32)
        cumulative = np.cumsum(classes.multiplicities, dtype=np.int64)
        kernels.sample_features_kernel(
            sample, classes.representatives, cumulative, hands_per_board, *runouts, rng_state
        )
        found = _k_means(sample, num_buckets, NUM_FEATURES, rng_state)
        centres = sort_centres(_weakest_first(found, num_bins == NUM_BINS), NUM_FEATURES)
        table: NDArray[Any] = np.empty((len(classes.representatives), NUM_COMBOS), dtype=dtype)
        over_parts(threads, kernels.assign_kernel, table, classes.representatives, centres, *runouts)
        tables.append(table)
        say(f"card tables: {name} buckets done ({time.perf_counter() - start:.0f} s)")
    return np.concatenate(tables)


def bins_of(config: CardConfig, num_cards: int) -> int:
    """Returns the number of bins of river equity from which the features of a street are made.

    :param num_cards: board cards of the street, 3 or 4.
    """
    return NUM_QUANTILE_BINS if num_cards == 4 and config.turn_features == "potential" else NUM_BINS


def river_bins(num_bins: int, threads: int) -> NDArray[np.uint8]:
    """Returns uint8 (134459, 1326): the bin of river equity of every combo on every class of river boards."""
    bins = np.empty((NUM_BOARD_CLASSES[5], NUM_COMBOS), dtype=np.uint8)
    boards = board_classes(5).representatives
    over_parts(threads, kernels.river_bins_kernel, bins, boards, num_bins, COMBO_CARDS, evaluator_tables())
    return bins


def over_parts(threads: int, kernel: Any, table: NDArray[Any], *arguments: Any) -> None:
    """Fills a table on several threads, each of which takes some of its rows at a time.

    :param kernel: called with the table, the arguments, and the first and the end of the rows that it is to fill.
    """
    chunk = max(1, len(table) // (8 * threads))
    parts = [(first, min(first + chunk, len(table))) for first in range(0, len(table), chunk)]
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(lambda part: kernel(table, *arguments, *part), parts):
            pass


def _k_means(
    sample: NDArray[np.int32], count: int, num_summed: int, rng_state: NDArray[np.uint64]
) -> NDArray[np.int32]:
    centres = np.empty((count, sample.shape[1]), dtype=np.int32)
    k_means_kernel(centres, sample, num_summed, NUM_ROUNDS, rng_state)
    return centres


def _num_summed(river_features: str) -> int:
    """Returns how many features of a river hand the search for its bucket sums (:func:`sort_centres`).

    Equities rise and fall together. Shares among the opponent's hands add up to one, so that they say nothing in a sum.
    """
    return 1 if river_features == "blockers" else NUM_RIVER_FEATURES


def _weakest_first(centres: NDArray[np.int32], cumulative: bool) -> NDArray[np.int32]:
    """Returns centres by ascending equity.

    :param cumulative: whether the features are cumulative histograms, which are large for weak hands, or quantiles.
    """
    sums = centres.sum(axis=1)
    return centres[np.argsort(-sums if cumulative else sums, kind="stable")]


def _build_river(config: CardConfig, say: Progress) -> NDArray[np.int32]:
    """Builds the groups of the hand classes and the centres of the river buckets."""
    start = time.perf_counter()
    rng_state = np.array([config.seed * _SEED_STEP + 5], dtype=np.uint64)
    groups = _hand_groups(rng_state)
    buckets = _buckets_of_centres(config.river_features, config.river, groups, _no_centres(config.river))
    sample = np.empty((SAMPLE_SIZE, NUM_RIVER_FEATURES), dtype=np.int32)
    river_kernels.sample_rivers_kernel(
        sample, SAMPLE_SIZE // SAMPLE_BOARDS[5], COMBO_CARDS, evaluator_tables(), buckets, rng_state
    )
    centres = _k_means(sample, config.river, _num_summed(config.river_features), rng_state)
    centres = centres[np.argsort(centres[:, 0], kind="stable")]
    say(f"card tables: river buckets done ({time.perf_counter() - start:.0f} s)")
    return np.concatenate([groups.astype(np.int32), centres.ravel()])


def _hand_groups(rng_state: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Returns (169,) the group of every hand class, by the distribution of its river equity."""
    histogram = np.empty((NUM_HAND_CLASSES, NUM_BINS), dtype=np.int64)
    river_kernels.hand_class_histogram_kernel(
        histogram, HISTOGRAM_BOARDS, HAND_CLASS, COMBO_CARDS, evaluator_tables(), rng_state
    )
    cumulative = np.cumsum(histogram, axis=1)[:, :-1] * kernels.FEATURE_SCALE // histogram.sum(axis=1, keepdims=True)
    sample = cumulative.astype(np.int32)
    num_features = sample.shape[1]
    found = _k_means(sample, NUM_GROUPS, num_features, rng_state)
    centres = sort_centres(_weakest_first(found, True), num_features)
    return np.array([nearest_centre(centres, row) for row in sample], dtype=np.uint8)


if __name__ == "__main__":
    for name in map(Path, sys.argv[1:]):
        shipped = np.asarray(map_npy(name))
        numbers = shipped.astype(shipped.dtype.newbyteorder("<")).tobytes()
        content = lzma.compress(numbers, preset=9 | lzma.PRESET_EXTREME)
        with replacing(SHIPPED / f"{name.stem}.xz", make_folder=True) as file:
            file.write(content)
