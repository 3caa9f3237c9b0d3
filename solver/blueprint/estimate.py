"""Estimates the size of a blueprint before anything is allocated: decisions, infosets and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from runtime.errors import MemoryShortageError
from runtime.memory import available_memory
from solver.blueprint.external_sampling import allocate_sampled_scratch, sampled_tree
from solver.blueprint.program import allocate_scratch, compile_tree
from strategies.betting_tree import BettingTree, NodeKind

_TABLES: Final = 2
"""Number of tables: regrets and summed strategies."""
_TREE_BYTES_PER_NODE: Final = 40
"""Ten int32 per node (:func:`strategies.pack.tree_arrays`)."""


@dataclass(frozen=True, slots=True)
class BlueprintEstimate:
    """The size of a blueprint. All bytes are exact, except that headers of files are left out."""

    decisions: tuple[int, ...]
    """Number of decisions by street, preflop to river."""
    node_actions: tuple[int, ...]
    """Number of actions of all decisions, by street."""
    infosets: int
    """Number of infosets: each decision counts once for every bucket of its street."""
    entries: int
    """Number of probabilities of the strategy: one for each action and bucket."""
    table_bytes: int
    """Bytes of regrets and summed strategies in training, with rows padded to whole vectors."""
    scratch_bytes: int
    """Bytes of working memory of one thread."""
    pack_bytes: int
    """Bytes of the finished pack: one for each probability, and the tree."""

    @property
    def plain_table_bytes(self) -> int:
        """Bytes of regrets and summed strategies without padding: eight for each entry."""
        return 8 * self.entries

    @property
    def checkpoint_bytes(self) -> int:
        """Bytes of a checkpoint, which holds both tables uncompressed."""
        return self.table_bytes

    def training_bytes(self, threads: int) -> int:
        """Returns the bytes of memory of a training, without the program itself and the mapped card tables."""
        return self.table_bytes + threads * self.scratch_bytes

    def verify_memory(self, threads: int) -> None:
        """Checks that a training fits into the free memory.

        :raises MemoryShortageError: if the training needs more than is free.
        """
        needed, free = self.training_bytes(threads), available_memory()
        if needed > free:
            raise MemoryShortageError(needed, free)


def estimate_blueprint(
    tree: BettingTree, bucket_counts: tuple[int, int, int, int], algorithm: str = "pcs"
) -> BlueprintEstimate:
    """Returns the size of a blueprint on a betting tree.

    :param bucket_counts: number of buckets on each street, preflop to river.
    :param algorithm: the trainer, ``pcs`` or ``external``.
    """
    decision = tree.kind == NodeKind.DECISION
    street = tree.street[decision]
    actions = tree.num_children[decision].astype(np.int64)
    buckets = np.array(bucket_counts, dtype=np.int64)[street]
    compiled = compile_tree(tree, bucket_counts)
    # Zeroed pages: no memory until they are touched.
    scratch: tuple[Any, ...] = (
        allocate_sampled_scratch(sampled_tree(tree, compiled))
        if algorithm == "external"
        else allocate_scratch(compiled.program)
    )
    entries = int((actions * buckets).sum())
    return BlueprintEstimate(
        decisions=tuple(np.bincount(street, minlength=4).tolist()),
        node_actions=tuple(int(actions[street == s].sum()) for s in range(4)),
        infosets=int(buckets.sum()),
        entries=entries,
        table_bytes=_TABLES * 4 * compiled.table_size,
        scratch_bytes=sum(array.nbytes for array in scratch),
        pack_bytes=entries + _TREE_BYTES_PER_NODE * tree.num_nodes,
    )
