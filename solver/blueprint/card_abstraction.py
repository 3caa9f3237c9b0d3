"""Card buckets of the blueprint: 169 hands preflop, k-means buckets on flop and turn, equity levels on the river.

A flop or turn hand is described by the distribution of its river equity against a random hand over all run-outs. Hands
with similar distributions share a bucket: k-means runs on the cumulative histograms, whose distance is close to the
earth mover's distance. On the river the equity itself is cut into equal levels, which are computed when needed.

The names of suits never matter: a hand on a board has the bucket of the corresponding hand on the representative of the
board's class.
"""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from poker.cards import COMBO_CARDS, NUM_CARDS, NUM_COMBOS
from poker.evaluator import evaluator_tables
from poker.hand_classes import HAND_CLASS, NUM_HAND_CLASSES
from poker.isomorphism import BINOMIALS, COMBO_PERMUTATIONS, NUM_BOARD_CLASSES, board_classes
from poker.streets import BOARD_CARDS, RIVER
from runtime.errors import CardError, InputError, ResourceError
from runtime.files import replacing
from runtime.folder_lock import FolderLock
from runtime.jit import cache_home
from runtime.npy_files import map_npy
from solver.blueprint import _abstraction_kernels as kernels
from solver.blueprint._abstraction_kernels import BLOCKED, AbstractionTables

__all__ = ["BLOCKED", "AbstractionTables", "CardAbstraction", "CardConfig"]

logger = logging.getLogger(__name__)

VERSION: Final = 2
"""Version of the tables in the cache. It is raised whenever the same configuration gives other buckets."""
MAX_TABLE_BUCKETS: Final = 254
"""Most buckets that fit into a byte beside the value for blocked combos."""
SAMPLE_BOARDS: Final = {3: 500, 4: 2_000}
SAMPLE_SIZE: Final = 100_000
NUM_ROUNDS: Final = 15
LONGEST_BUILD_S: Final = 900.0
"""Seconds after which another process that builds tables is assumed to hang."""

Progress = Callable[[str], None]
"""A function that takes a line of text on the progress of a build."""


@dataclass(frozen=True, slots=True)
class CardConfig:
    """The number of buckets of each street, and the seed of their construction.

    :raises InputError: if a number is out of range.
    """

    flop: int = 200
    turn: int = 200
    river: int = 200
    seed: int = 1
    """Seed of the samples and starting points of k-means."""

    def __post_init__(self) -> None:
        for name, limit in (("flop", MAX_TABLE_BUCKETS), ("turn", MAX_TABLE_BUCKETS), ("river", 1_000)):
            value = getattr(self, name)
            if not isinstance(value, int) or not 1 <= value <= limit:
                raise InputError(f"expected 1 to {limit} {name} buckets, got {value!r}")
        if not isinstance(self.seed, int) or not 0 <= self.seed < 2**63:
            raise InputError(f"expected a seed from 0 to 2^63 - 1, got {self.seed!r}")

    @property
    def bucket_counts(self) -> tuple[int, int, int, int]:
        """Number of buckets of each street, preflop to river."""
        return NUM_HAND_CLASSES, self.flop, self.turn, self.river

    def to_dict(self) -> dict[str, int]:
        """Returns the configuration as plain data, which :func:`parse_card_config` reads back."""
        return asdict(self)


def parse_card_config(config: Mapping[str, Any]) -> CardConfig:
    """Returns the card configuration of a mapping with the fields of :class:`CardConfig`.

    :raises InputError: if a key is unknown or a value is out of range.
    """
    unknown = sorted(set(config) - set(CardConfig.__slots__))
    if unknown:
        raise InputError(f"unknown card abstraction key {unknown[0]!r}, expected {', '.join(CardConfig.__slots__)}")
    return CardConfig(**config)


@dataclass(frozen=True, slots=True)
class CardAbstraction:
    """The buckets of every hand on every board. :meth:`load_or_build` makes one."""

    config: CardConfig
    tables: AbstractionTables
    """The bucket tables as kernels take them."""
    digest: str
    """First 32 hexadecimal digits of the SHA-256 hash of the flop and turn tables. Equal digests mean equal tables."""

    @classmethod
    def load_or_build(
        cls,
        config: CardConfig | Mapping[str, Any],
        progress: Progress | None = None,
        folder: Path | None = None,
        threads: int | None = None,
    ) -> CardAbstraction:
        """Returns the buckets of a configuration, mapped from the cache or built in under a minute and stored there.

        Tables that cannot be stored are kept in memory, with a warning.

        :param config: the numbers of buckets, as :class:`CardConfig` or as plain data.
        :param progress: called with a line of text at every step of a build.
        :param folder: folder of the cache; None for ``cache_home()/tables``.
        :param threads: threads of a build; None for one per processor.
        :raises InputError: if the configuration is malformed.
        """
        if not isinstance(config, CardConfig):
            config = parse_card_config(config)
        folder = folder or cache_home() / "tables"
        say = progress or (lambda _: None)
        found = _find(folder, config)
        if found is None:
            with _only_builder(folder, say):
                found = _find(folder, config)  # another process may have built them meanwhile
                if found is None:
                    built = _build(config, say, threads or os.cpu_count() or 1)
                    found = built, _digest(built)
                    _store(folder / _file_name(config, found[1]), built, say)
        table, digest = found
        return cls(config, _tables(config, table), digest)

    @property
    def bucket_counts(self) -> tuple[int, int, int, int]:
        """Number of buckets of each street, preflop to river."""
        return self.config.bucket_counts

    def buckets(self, street: int, board: Sequence[int]) -> NDArray[np.uint16]:
        """Returns uint16[1326]: the buckets of all combos on a board.

        Combos that hold a board card have :data:`BLOCKED`.

        :param street: 0 preflop to 3 river.
        :param board: ids of the cards dealt up to that street, in any order.
        :raises CardError: if the board does not have the right number of different cards.
        """
        expected = BOARD_CARDS[street]
        if len(board) != expected or len(set(board)) != expected or not all(0 <= c < NUM_CARDS for c in board):
            raise CardError(f"expected {expected} different board cards on street {street}, got {list(board)}")
        if street == 0:
            return HAND_CLASS.astype(np.uint16)
        cards = np.array(board, dtype=np.uint8)
        buckets = np.empty(NUM_COMBOS, dtype=np.uint16)
        if street == RIVER:
            kernels.river_buckets_kernel(buckets, cards, self.tables)
        else:
            table = self.tables.flop if street == 1 else self.tables.turn
            kernels.board_buckets_kernel(buckets, cards, table, self.tables)
        return buckets

    def bucket(self, street: int, board: Sequence[int], combo: int) -> int:
        """Returns the bucket of one combo on a board, which is faster than :meth:`buckets` for a single combo.

        :param street: 0 preflop to 3 river.
        :param board: ids of the cards dealt up to that street, in any order. They are not checked and must miss the
            combo.
        """
        if street == 0:
            return int(HAND_CLASS[combo])
        return int(kernels.combo_bucket_kernel(combo, np.array(board, dtype=np.uint8), self.tables))


def _tables(config: CardConfig, flop_and_turn: NDArray[np.uint8]) -> AbstractionTables:
    num_flops = NUM_BOARD_CLASSES[3]
    return AbstractionTables(
        hand_class=HAND_CLASS,
        flop=flop_and_turn[:num_flops],
        turn=flop_and_turn[num_flops:],
        flop_classes=board_classes(3),
        turn_classes=board_classes(4),
        combo_permutations=COMBO_PERMUTATIONS,
        binomials=BINOMIALS,
        combo_cards=COMBO_CARDS,
        evaluator=evaluator_tables(),
        num_river=config.river,
    )


def _file_name(config: CardConfig, digest: str) -> str:
    return f"cards-v{VERSION}-f{config.flop}-t{config.turn}-s{config.seed}-{digest}.npy"


def _find(folder: Path, config: CardConfig) -> tuple[NDArray[np.uint8], str] | None:
    """Returns the tables of an undamaged file, mapped into memory, and their digest; None if there is no such file."""
    shape = (NUM_BOARD_CLASSES[3] + NUM_BOARD_CLASSES[4], NUM_COMBOS)
    try:
        paths = sorted(folder.glob(_file_name(config, "*")))
    except OSError:  # the folder cannot be read, or its name is invalid
        return None
    for path in paths:
        try:
            table = np.asarray(map_npy(path))
        except InputError:
            continue
        if table.shape != shape or table.dtype != np.uint8 or not table.flags.c_contiguous:
            continue
        digest = _digest(table)
        if path.name == _file_name(config, digest):
            return table, digest
    return None


def _store(path: Path, table: NDArray[np.uint8], say: Progress) -> None:
    try:
        with replacing(path, make_folder=True) as file:
            np.save(file, table, allow_pickle=False)
    except ResourceError as error:
        logger.warning(
            "the card tables are not stored (%s): every start builds them anew; set HEDGEHOG_CACHE to a folder that "
            "can be written",
            error,
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


def _digest(table: NDArray[np.uint8]) -> str:
    return hashlib.sha256(np.ascontiguousarray(table).data).hexdigest()[:32]


def _build(config: CardConfig, say: Progress, threads: int) -> NDArray[np.uint8]:
    """Builds the flop and turn tables, one below the other."""
    start = time.perf_counter()
    say("card tables: building (once per machine)")
    river_classes = board_classes(5)
    evaluator = evaluator_tables()
    bins = np.empty((NUM_BOARD_CLASSES[5], NUM_COMBOS), dtype=np.uint8)
    river_arguments = (river_classes.representatives, COMBO_CARDS, evaluator)
    with ThreadPoolExecutor(threads) as pool:

        def over_boards(kernel: Any, count: int, *arguments: Any) -> None:
            chunk = max(1, count // (8 * threads))
            parts = [(first, min(first + chunk, count)) for first in range(0, count, chunk)]
            for _ in pool.map(lambda part: kernel(*arguments, *part), parts):
                pass

        over_boards(kernels.river_bins_kernel, len(bins), bins, *river_arguments)
        say(f"card tables: river equities done ({time.perf_counter() - start:.0f} s)")
        tables = []
        for num_cards, num_buckets, name in ((3, config.flop, "flop"), (4, config.turn, "turn")):
            classes = board_classes(num_cards)
            rng_state = np.array([config.seed * 8 + num_cards], dtype=np.uint64)
            runouts = (bins, river_classes, COMBO_PERMUTATIONS, COMBO_CARDS, BINOMIALS)
            hands_per_board = SAMPLE_SIZE // SAMPLE_BOARDS[num_cards]
            sample = np.empty((SAMPLE_SIZE, kernels.NUM_FEATURES), dtype=np.int32)
            cumulative = np.cumsum(classes.multiplicities, dtype=np.int64)
            kernels.sample_features_kernel(
                sample, classes.representatives, cumulative, hands_per_board, *runouts, rng_state
            )
            centres = np.empty((kernels.NUM_FEATURES, num_buckets), dtype=np.int32)
            kernels.k_means_kernel(centres, sample, NUM_ROUNDS, rng_state)
            table = np.empty((len(classes.representatives), NUM_COMBOS), dtype=np.uint8)
            over_boards(kernels.assign_kernel, len(table), table, classes.representatives, centres, *runouts)
            tables.append(table)
            say(f"card tables: {name} buckets done ({time.perf_counter() - start:.0f} s)")
    return np.concatenate(tables)
