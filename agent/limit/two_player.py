"""Opens the two-player limit strategy that is carried to the three-player table, and the one trained for three."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from hedgehog.agent.limit.candidates import TWO_PLAYER_GAME
from hedgehog.agent.limit.hand_buckets import HandBuckets
from hedgehog.agent.limit.strategy import LimitStrategy
from hedgehog.agent.limit.triples import TripleTable
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.limit_betting import NO_CHILD, limit_tree
from hedgehog.runtime.errors import PackError
from hedgehog.strategies.limit_pack import LimitTable, limit_packs
from hedgehog.strategies.pack import default_packs


@lru_cache(2)
def open_two_player_table(path: Path | None) -> TripleTable:
    """Returns the two-player strategy of a pack; players of one process share it.

    :param path: a pack of the kind ``limit-blueprint``, or a folder of packs; None for the shipped packs.
    :raises PackError: if there is no such pack, it is damaged, or it is for another two-player game.
    """
    strategy = LimitStrategy.open(default_packs() if path is None else path, 2)
    table = strategy.table
    if table.tree.histories != limit_tree(load_gamedef(TWO_PLAYER_GAME)).histories:
        raise PackError(f"expected a strategy of {TWO_PLAYER_GAME}", source=str(path or default_packs()))
    buckets = HandBuckets(strategy.cards)
    return TripleTable(table.first_rows[:-1], triples(table), table.reached, buckets.bucket, strategy.cards.buckets)


@lru_cache(2)
def open_trained_strategy(path: Path | None) -> LimitStrategy | None:
    """Returns the strategy trained for three players at a path; None if there is none.

    :param path: a limit pack, or a folder of packs; None for the shipped packs.
    :raises PackError: if the pack is damaged.
    """
    where = default_packs() if path is None else path
    return LimitStrategy.open(where, 3) if 3 in limit_packs(where) else None


def triples(table: LimitTable) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Returns the rows of a pack with a column for each of fold, call and raise: uint8 (rows, 3)."""
    rows = np.zeros((int(table.first_rows[-1]), 3), dtype=np.uint8)
    for node in range(table.tree.num_decisions):
        first, last = int(table.first_rows[node]), int(table.first_rows[node + 1])
        rows[first:last, table.tree.child[node] != NO_CHILD] = table.block(node)
    return rows
