"""Blueprint packs: one strategy for the whole game over card buckets.

The pack has three arrays. ``blueprint_tree`` and ``blueprint_root`` hold the betting tree, whose root is preflop.
``blueprint_rows`` (``|u1``) holds for every decision node, in node order, a block [buckets of its street][actions] in
which each row sums to 255. The manifest's ``config`` has the numbers of buckets per street as ``buckets``: four
integers, preflop to river.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS
from hedgehog.poker.hand_classes import HAND_CLASS, NUM_HAND_CLASSES
from hedgehog.poker.hand_grid import action_styles
from hedgehog.poker.hand_strategy import HandStrategy, ShowsStrategy
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import real_path
from hedgehog.strategies.betting_tree import BettingTree, NodeKind, betting_token
from hedgehog.strategies.manifest import read_manifest
from hedgehog.strategies.pack import StrategyPack, default_packs, find_packs, open_pack, read_tree, tree_arrays
from hedgehog.strategies.soundness import count_bad_rows, verify_rows

DIGEST_KEY: Final = "blueprint_digest"
"""Key, in the configuration of a pack made from a blueprint, of the blueprint's digest."""
_SHOWN: Final = 12
"""Number of characters of a digest that an error message shows."""
_SOUND: Final[set[tuple[object, ...]]] = set()
"""Buckets and checksums of the blueprints whose rows this process has found sound."""


def row_offsets(tree: BettingTree, buckets: tuple[int, int, int, int]) -> tuple[NDArray[np.int64], int]:
    """Returns the byte offset of every node's block in ``blueprint_rows`` and the size of all blocks in bytes.

    :param tree: a whole-game betting tree of N nodes.
    :param buckets: number of buckets on each street, preflop to river.
    :returns: int64 (N,) offsets, -1 for nodes without a decision, and the total size.
    """
    decision = tree.kind == NodeKind.DECISION
    sizes = np.where(decision, tree.num_children.astype(np.int64) * np.array(buckets, dtype=np.int64)[tree.street], 0)
    ends = np.cumsum(sizes)
    return np.where(decision, ends - sizes, -1), int(ends[-1])


@dataclass(frozen=True, slots=True, repr=False)
class BlueprintTable(ShowsStrategy):
    """A stored blueprint: for every decision node and bucket a row of action probabilities as bytes."""

    tree: BettingTree
    buckets: tuple[int, int, int, int]
    rows: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    config: dict[str, Any]
    name: str = ""
    """Name of the pack, for messages."""

    def block(self, node: int) -> NDArray[np.uint8]:
        """Returns the strategy of a decision node, uint8 (buckets, actions); each row sums to 255."""
        start = int(self.offsets[node])
        actions = int(self.tree.num_children[node])
        count = self.buckets[int(self.tree.street[node])]
        return self.rows[start : start + count * actions].reshape(count, actions)

    def hand_strategy(self) -> HandStrategy:
        """Returns the strategy of all hands at the first decision, with actions in ACPC notation.

        :raises InputError: if the blueprint does not tell all hand classes apart before the flop.
        """
        if self.buckets[0] != NUM_HAND_CLASSES:
            raise InputError(f"expected {NUM_HAND_CLASSES} buckets before the flop to draw, got {self.buckets[0]}")
        actions = tuple(betting_token(self.tree, child) for child in self.tree.children(0))
        tokens = ["A" if action == f"r{self.tree.stack}" else action for action in actions]
        strategy = self.block(0)[HAND_CLASS].T / 255
        title = f"{self.name or 'blueprint'}, first decision"
        return HandStrategy(title, actions, strategy, np.ones(NUM_COMBOS), styles=tuple(action_styles(tokens)))

    def summary(self) -> str:
        """Returns the name, the size of the betting tree, and the number of buckets per street."""
        buckets = "/".join(map(str, self.buckets))
        return f"{self.name or 'unnamed'}, {self.tree.num_nodes:,} nodes, buckets {buckets}"


def read_blueprint(pack: StrategyPack) -> BlueprintTable:
    """Returns the blueprint of an open pack after checking that its tree, buckets and rows fit together, and every row.

    :param pack: opened with its checksums, by which rows that were sound before are known again.
    :raises PackError: if the pack is of another kind or its parts contradict each other.
    """
    if pack.manifest.kind != "blueprint":
        raise pack.error(f"is a {pack.manifest.kind} pack, expected a blueprint pack")
    tree = read_tree(pack, "blueprint")
    buckets = pack.street_buckets()
    offsets, total = row_offsets(tree, buckets)
    rows = pack.array("blueprint_rows", dtype="|u1", ndim=1)
    if len(rows) != total:
        raise pack.error(f"blueprint_rows has {len(rows)} bytes, the tree needs {total}")
    # A player, its packs and every question open the same blueprint: what open_pack found unchanged is sound still.
    content = (buckets, *(pack.manifest.arrays[name].sha256 for name in sorted(pack.arrays)))
    if content not in _SOUND:
        decisions = np.flatnonzero(offsets >= 0)
        faults = count_bad_rows(rows, np.array(buckets)[tree.street[decisions]], tree.num_children[decisions])
        verify_rows(pack.folder, "blueprint_rows", faults)
        _SOUND.add(content)
    return BlueprintTable(tree, buckets, rows, offsets, dict(pack.manifest.config), pack.manifest.name)


def blueprint_digest(table: BlueprintTable) -> str:
    """Returns the SHA-256 of a blueprint's tree and rows; packs made from it store it to name what they belong to."""
    digest = hashlib.sha256()
    for array in (*tree_arrays("", table.tree).values(), np.ascontiguousarray(table.rows)):
        digest.update(array.tobytes())
    return digest.hexdigest()


def recorded_blueprint(pack: StrategyPack) -> str | None:
    """Returns the digest of the blueprint that a pack was made from; None if the pack does not record it."""
    found = pack.manifest.config.get(DIGEST_KEY)
    return None if found is None else str(found)


def verify_blueprint(pack: StrategyPack, table: BlueprintTable) -> None:
    """Checks that a pack, such as one of flops, was made from the blueprint ``table``.

    :raises PackError: if the pack records the digest of another blueprint, or none.
    """
    wanted, found = recorded_blueprint(pack), blueprint_digest(table)
    what = "flop pack" if pack.manifest.kind == "flops" else "pack"
    if wanted is None:
        raise pack.error(
            f"the {what} {pack.manifest.name!r} does not record which blueprint it was made from: build it again "
            f"from {table.name!r}"
        )
    if wanted != found:
        raise pack.error(
            f"the {what} {pack.manifest.name!r} belongs to another blueprint (digest {wanted[:_SHOWN]}) than "
            f"{table.name!r} (digest {found[:_SHOWN]})"
        )


def blueprints_in(folder: Path, gamedef: str = "") -> Iterator[BlueprintTable]:
    """Yields the blueprint of every blueprint pack in a folder.

    :param gamedef: text of a game, whose blueprints come first.
    """
    manifests = {path: read_manifest(path) for path in find_packs(folder)}
    for path in sorted(manifests, key=lambda path: manifests[path].gamedef != gamedef):
        if manifests[path].kind == "blueprint":
            yield read_blueprint(open_pack(path))


def blueprint_beside(pack: StrategyPack) -> BlueprintTable:
    """Returns the blueprint that a pack was made from, out of the same folder or the shipped packs.

    :raises PackError: if the blueprint is in neither place.
    """
    wanted = recorded_blueprint(pack)
    for folder in (real_path(pack.folder).parent, default_packs()):
        for table in blueprints_in(folder, pack.manifest.gamedef):
            if blueprint_digest(table) == wanted:
                return table
    raise pack.error(f"the blueprint it belongs to (digest {wanted!r}) is neither beside it nor shipped")
