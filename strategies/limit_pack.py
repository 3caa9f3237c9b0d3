"""Limit packs: a strategy over card buckets for the whole of a limit game, for two or three players.

The betting follows from the game (:func:`hedgehog.poker.limit_betting.limit_tree`, with merged streets for three
players), so the pack holds no tree. It has two arrays:

* ``limit_rows`` (``|u1``) holds for every decision, in order, a block [buckets of its street][legal actions]. Each row
  sums to 255, and its actions are fold, call and raise as far as they are legal.
* ``limit_reached`` (``|u1``) holds one bit for every row, eight to a byte, the first in the highest bit. It is 1 where
  the strategy plays towards the row often enough for the row to mean something.

The manifest's ``config`` has the numbers of buckets per street as ``buckets``: four integers, preflop to river.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.acpc.gamedef import GameDef, parse_gamedef
from hedgehog.poker.limit_betting import NO_CHILD, LimitTree, limit_tree, verify_limit_game
from hedgehog.runtime.errors import InputError, PackError
from hedgehog.strategies.manifest import read_manifest
from hedgehog.strategies.pack import StrategyPack, find_packs, open_pack
from hedgehog.strategies.soundness import count_bad_rows, verify_rows

KIND: Final = "limit-blueprint"


def pack_tree(gamedef: GameDef) -> LimitTree:
    """Returns the betting of a limit game as packs have it: with merged streets for more than two players."""
    return limit_tree(gamedef, merged=gamedef.num_players > 2)


def limit_offsets(
    tree: LimitTree, buckets: tuple[int, int, int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Returns where each decision's block starts in ``limit_rows``, its first row's number, and the size of all blocks.

    :param buckets: number of buckets on each street, preflop to river.
    :returns: int64 (D,) byte offsets, int64 (D + 1,) number of the first row of each decision and of all rows, and the
        number of bytes.
    """
    decisions = tree.num_decisions
    counts = np.array(buckets, dtype=np.int64)[tree.street[:decisions]]
    ends = np.cumsum(counts * tree.num_actions[:decisions])
    starts = np.concatenate([[0], ends[:-1]])
    return starts, np.concatenate([[0], np.cumsum(counts)]), int(ends[-1])


@dataclass(frozen=True, slots=True)
class LimitTable:
    """A stored strategy of a limit game."""

    tree: LimitTree
    buckets: tuple[int, int, int, int]
    rows: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    """(D,) start of each decision's block in ``rows``."""
    first_rows: NDArray[np.int64]
    """(D + 1,) number of the first row of each decision."""
    reached: NDArray[np.bool_]
    """Whether the strategy plays towards a row, by number of the row."""
    config: dict[str, Any]
    name: str = ""

    def block(self, node: int) -> NDArray[np.uint8]:
        """Returns the strategy at a decision, uint8 (buckets, legal actions); each row sums to 255."""
        start, count = int(self.offsets[node]), self.buckets[int(self.tree.street[node])]
        actions = int(np.count_nonzero(self.tree.child[node] != NO_CHILD))
        return self.rows[start : start + count * actions].reshape(count, actions)


def read_limit_pack(pack: StrategyPack) -> LimitTable:
    """Returns the strategy of an open limit pack after checking that its game, buckets and rows fit together.

    Every row is checked, too.

    :raises PackError: if the pack is of another kind or its parts contradict each other.
    """
    source = str(pack.folder)
    if pack.manifest.kind != KIND:
        raise PackError(f"is a {pack.manifest.kind} pack, expected a {KIND} pack", source=source)
    try:
        gamedef = parse_gamedef(pack.manifest.gamedef, source)
        verify_limit_game(gamedef)
        tree = pack_tree(gamedef)
    except InputError as error:
        raise PackError(f"its game has no limit strategy: {error.message}", source=source) from None
    buckets = pack.street_buckets()
    offsets, first_rows, total = limit_offsets(tree, buckets)
    rows = pack.array("limit_rows", dtype="|u1", ndim=1)
    bits = pack.array("limit_reached", dtype="|u1", ndim=1)
    if len(rows) != total:
        raise PackError(f"limit_rows has {len(rows)} bytes, the game needs {total}", source=source)
    if len(bits) != -(-int(first_rows[-1]) // 8):
        raise PackError(f"limit_reached has {len(bits)} bytes, expected one bit for each row", source=source)
    verify_rows(source, "limit_rows", count_bad_rows(rows, np.diff(first_rows), tree.num_actions[: tree.num_decisions]))
    reached = np.unpackbits(bits, count=int(first_rows[-1])).astype(np.bool_)
    return LimitTable(tree, buckets, rows, offsets, first_rows, reached, dict(pack.manifest.config), pack.manifest.name)


def limit_packs(path: str | Path) -> dict[int, Path]:
    """Returns the folders of the limit packs at a path by their number of players, of several the first.

    :param path: a limit pack, or a folder of packs, of which those of other kinds are left out.
    :raises PackError: if there is no pack at all, or a manifest is damaged.
    """
    found: dict[int, Path] = {}
    for folder in find_packs(path):
        manifest = read_manifest(folder)
        if manifest.kind == KIND:
            found.setdefault(parse_gamedef(manifest.gamedef, str(folder)).num_players, folder)
    return found


def find_limit_pack(path: str | Path, num_players: int | None = None) -> StrategyPack:
    """Returns the first limit pack at a path: the pack at this path, or one in the folder at this path.

    :param num_players: number of players of the pack's game; None for any.
    :raises PackError: if there is no such pack, or it is damaged.
    """
    found = limit_packs(path)
    folder = found.get(num_players) if num_players is not None else next(iter(found.values()), None)
    if folder is None:
        players = "" if num_players is None else f" for {num_players} players"
        raise PackError(f"there is no limit pack{players}", source=str(path))
    return open_pack(folder)
