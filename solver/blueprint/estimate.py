"""Estimates the size of a blueprint before anything is allocated: decisions, infosets and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.errors import MemoryShortageError
from hedgehog.runtime.machine import available_memory
from hedgehog.solver.blueprint.external_sampling import allocate_sampled_scratch, sampled_limit_tree, sampled_tree
from hedgehog.solver.blueprint.limit_game import limit_menu, limit_stack
from hedgehog.solver.blueprint.limit_training import LimitTraining
from hedgehog.solver.blueprint.program import allocate_scratch, compile_tree
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.strategies.betting_tree import BettingTree, NodeKind
from hedgehog.strategies.limit_pack import limit_offsets, pack_tree

_TABLES: Final = 2
"""Number of tables: regrets and summed strategies."""
_TREE_BYTES_PER_NODE: Final = 40
"""Ten int32 per node (:func:`hedgehog.strategies.pack.tree_arrays`)."""


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
    compiled = compile_tree(tree, bucket_counts)
    # Zeroed pages: no memory until they are touched.
    scratch: tuple[Any, ...] = (
        allocate_sampled_scratch(sampled_tree(tree, compiled))
        if algorithm == "external"
        else allocate_scratch(compiled.program)
    )
    return _estimate(
        tree.street[decision],
        tree.num_children[decision].astype(np.int64),
        bucket_counts,
        compiled.table_size,
        scratch,
        _TREE_BYTES_PER_NODE * tree.num_nodes,
    )


def estimate_limit(config: LimitTraining, bucket_counts: tuple[int, int, int, int]) -> BlueprintEstimate:
    """Returns the size of the strategy of a limit game.

    :param config: the training.
    :param bucket_counts: number of buckets on each street, preflop to river.
    """
    limit = pack_tree(config.gamedef)
    decisions = limit.num_decisions
    scratch: tuple[Any, ...]
    if config.gamedef.num_players > 2 or config.algorithm == "external":
        sampled, table_size = sampled_limit_tree(limit, bucket_counts)
        scratch = allocate_sampled_scratch(sampled)
    else:
        blinds = (config.gamedef.blinds[1], config.gamedef.blinds[0])
        tree = build_blueprint_tree(limit_menu(config.gamedef), blinds, limit_stack(config.gamedef))
        compiled = compile_tree(tree, bucket_counts)
        scratch, table_size = allocate_scratch(compiled.program), compiled.table_size
    rows = limit_offsets(limit, bucket_counts)[1]
    return _estimate(
        limit.street[:decisions],
        limit.num_actions[:decisions],
        bucket_counts,
        table_size,
        scratch,
        -(-int(rows[-1]) // 8),
    )


def _estimate(
    street: NDArray[np.int8],
    actions: NDArray[np.int64],
    bucket_counts: tuple[int, int, int, int],
    table_size: int,
    scratch: tuple[Any, ...],
    more_pack_bytes: int,
) -> BlueprintEstimate:
    """Returns the size of a strategy, given the street and the number of actions of each decision.

    :param more_pack_bytes: bytes of the pack besides the probabilities.
    """
    buckets = np.array(bucket_counts, dtype=np.int64)[street]
    entries = int((actions * buckets).sum())
    return BlueprintEstimate(
        decisions=tuple(np.bincount(street, minlength=4).tolist()),
        node_actions=tuple(int(actions[street == s].sum()) for s in range(4)),
        infosets=int(buckets.sum()),
        entries=entries,
        table_bytes=_TABLES * 4 * table_size,
        scratch_bytes=sum(array.nbytes for array in scratch if isinstance(array, np.ndarray)),
        pack_bytes=entries + more_pack_bytes,
    )
