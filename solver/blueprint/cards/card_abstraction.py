"""Card buckets of the blueprint: 169 hands preflop, k-means buckets on flop and turn, levels or k-means on the river.

A flop or turn hand is described by the distribution of its river equity against a random hand over all run-outs. Hands
with similar distributions share a bucket: k-means runs on the cumulative histograms, whose distance is close to the
earth mover's distance. On the river the equity itself is cut into equal levels, or k-means also looks at the equity
against parts of the opponent's hands or at the hands that the own cards block
(:mod:`hedgehog.solver.blueprint.cards.card_config`). River buckets are computed when needed.

The names of suits never matter: a hand on a board has the bucket of the corresponding hand on the representative of the
board's class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_CARDS, NUM_COMBOS
from hedgehog.poker.hand_classes import HAND_CLASS
from hedgehog.poker.streets import BOARD_CARDS, RIVER
from hedgehog.runtime.errors import CardError
from hedgehog.runtime.jit import cache_home
from hedgehog.runtime.machine import num_processors
from hedgehog.solver.blueprint.cards import _abstraction_kernels as kernels
from hedgehog.solver.blueprint.cards._abstraction_kernels import BLOCKED, AbstractionTables
from hedgehog.solver.blueprint.cards.card_config import CardConfig, parse_card_config
from hedgehog.solver.blueprint.cards.card_tables import Progress, abstraction_tables, load_or_build_tables

__all__ = ["BLOCKED", "AbstractionTables", "CardAbstraction"]


@dataclass(frozen=True, slots=True)
class CardAbstraction:
    """The buckets of every hand on every board. :meth:`load_or_build` makes one."""

    config: CardConfig
    tables: AbstractionTables
    """The bucket tables as kernels take them."""
    digest: str
    """First 32 hexadecimal digits of the SHA-256 hash of the tables. Equal digests mean equal buckets of a
    configuration."""

    @classmethod
    def load_or_build(
        cls,
        config: CardConfig | Mapping[str, Any],
        progress: Progress | None = None,
        folder: Path | None = None,
        threads: int | None = None,
    ) -> CardAbstraction:
        """Returns the buckets of a configuration, mapped from the cache or built in a minute or two and stored there.

        Tables that cannot be stored are kept in memory, with a warning.

        :param config: the numbers and kinds of buckets, as :class:`CardConfig` or as plain data.
        :param progress: called with a line of text at every step of a build.
        :param folder: folder of the cache; None for ``cache_home()/tables``.
        :param threads: threads of a build; None for one per processor.
        :raises InputError: if the configuration is malformed.
        """
        if not isinstance(config, CardConfig):
            config = parse_card_config(config)
        tables = load_or_build_tables(
            config, progress or (lambda _: None), folder or cache_home() / "tables", threads or num_processors()
        )
        return cls(config, abstraction_tables(config, tables.board_tables, tables.river), tables.digest)

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
