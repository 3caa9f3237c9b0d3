"""Trains a blueprint: discounted counterfactual regret minimisation on sampled boards, with checkpoints.

Two trainers use the same tables, checkpoints and averages. Public-chance sampling (``pcs``) samples one board at a time
for all hands of both players. External sampling (``external``) samples one hand per player at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.hand_classes import HAND_CLASS_SIZES
from hedgehog.solver.blueprint._blueprint_kernels import train_kernel
from hedgehog.solver.blueprint._external_sampling_kernels import external_train_kernel
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.external_sampling import allocate_sampled_scratch, sampled_tree
from hedgehog.solver.blueprint.program import CompiledTree, allocate_scratch, compile_tree, padded
from hedgehog.solver.blueprint.snapshots import compare_with_half, snapshot_path
from hedgehog.solver.blueprint.table import Blueprint
from hedgehog.solver.blueprint.trainer import (
    AVERAGE_POWER,
    TREMBLE,
    Trainer,
    TrainingFiles,
    TrainingProgress,
    TrainingRun,
    run_training,
)
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.strategies.bet_menus import BlueprintMenu, parse_menu
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind
from hedgehog.strategies.blueprint_pack import row_offsets


@dataclass(frozen=True, slots=True)
class TrainingConfig(TrainingRun):
    """The configuration of the training of a blueprint for two players.

    :raises InputError: if no limit is given or a value is out of range.
    """

    menu: BlueprintMenu
    _: KW_ONLY
    blinds: tuple[int, int] = (50, 100)
    """Small and big blind in chips."""
    stack: int = 20_000
    """Chips of each player at the start of a hand."""

    def identity(self, abstraction: CardAbstraction) -> dict[str, Any]:
        """Returns the settings that must be equal for a training to resume from the checkpoint of another."""
        return {
            "menu": self.menu.to_dict(),
            "cards": abstraction.config.to_dict(),
            "digest": abstraction.digest,
            "blinds": list(self.blinds),
            "stack": self.stack,
            "seed": self.seed,
            "threads": self.threads,
            "algorithm": self.algorithm,
            "average_power": self.average_power,
            "tremble": self.tremble,
        }


def train_blueprint(
    config: TrainingConfig,
    abstraction: CardAbstraction,
    files: TrainingFiles | None = None,
    *,
    progress: Callable[[TrainingProgress], None] | None = None,
    progress_seconds: float = 5.0,
) -> Blueprint:
    """Returns a blueprint, trained until a limit of the configuration is reached.

    :param abstraction: the card buckets.
    :param files: checkpoint and snapshots; None writes no files.
    :param progress: called with a report now and then.
    :param progress_seconds: seconds between two reports.
    :raises InputError: if the checkpoint is of another training, or there is a stop rule without snapshots.
    """
    trainer = BlueprintTrainer(config, abstraction)
    run_training(trainer, files or TrainingFiles(), progress, progress_seconds)
    return trainer.blueprint()


class BlueprintTrainer(Trainer):
    """The training of a blueprint for two players."""

    identity_defaults = {"algorithm": "pcs", "average_power": AVERAGE_POWER, "tremble": TREMBLE}  # noqa: RUF012

    def __init__(self, config: TrainingConfig, abstraction: CardAbstraction) -> None:
        self.config = config
        self.tree = build_blueprint_tree(config.menu, config.blinds, config.stack)
        self.abstraction = abstraction
        self.compiled = compile_tree(self.tree, abstraction.bucket_counts)
        super().__init__(config, self.compiled.table_size)
        self._run = self._pcs(config.threads) if config.algorithm == "pcs" else self._external(config.threads)

    def _pcs(self, threads: int) -> Callable[[int, int], None]:
        program = self.compiled.program
        scratch = [allocate_scratch(program) for _ in range(threads)]
        cards, tremble = self.abstraction.tables, self.config.tremble

        def run(i: int, count: int) -> None:
            train_kernel(self.regrets, self.sums, scratch[i], program, cards, count, tremble, self.rng_states[i])

        return run

    def _external(self, threads: int) -> Callable[[int, int], None]:
        sampled = sampled_tree(self.tree, self.compiled)
        scratch = [allocate_sampled_scratch(sampled) for _ in range(threads)]
        cards, tremble = self.abstraction.tables, self.config.tremble

        def run(i: int, count: int) -> None:
            external_train_kernel(
                self.regrets, self.sums, scratch[i], sampled, cards, count, tremble, 0.0, self.rng_states[i]
            )

        return run

    def train(self, thread: int, count: int) -> None:
        self._run(thread, count)

    def identity(self) -> dict[str, Any]:
        return self.config.identity(self.abstraction)

    @classmethod
    def known_identity(cls, identity: dict[str, Any]) -> dict[str, Any]:
        # A menu stored before it had all of today's keys means their defaults.
        return identity | {"menu": parse_menu(identity["menu"]).to_dict()}

    def take_snapshot(self, folder: Path, mark: int) -> None:
        blueprint = self.blueprint()
        blueprint.save(snapshot_path(folder, mark))
        if self.config.stop is not None:
            self.head_to_head = compare_with_half(blueprint, mark, folder, self.abstraction)
            self.compared_at = self.seconds

    def may_stop(self) -> bool:
        rule, result = self.config.stop, self.head_to_head
        return rule is not None and result is not None and rule.is_met(result, self.blueprint())

    def first_in(self) -> dict[str, float]:
        """Returns the button's average strategy as the first to act: share of all combos by action."""
        block = average_block(self.tree, self.compiled, self.sums, self.abstraction.bucket_counts, 0)
        shares = HAND_CLASS_SIZES @ block / HAND_CLASS_SIZES.sum()
        return {
            action_name(self.tree, child): float(share)
            for child, share in zip(self.tree.children(0), shares, strict=True)
        }

    def blueprint(self) -> Blueprint:
        """Returns the average strategy so far."""
        counts = self.abstraction.bucket_counts
        offsets, size = row_offsets(self.tree, counts)
        rows = np.empty(size, dtype=np.float32)
        for node in np.flatnonzero(self.tree.kind == NodeKind.DECISION):
            block = average_block(self.tree, self.compiled, self.sums, counts, int(node))
            rows[offsets[node] : offsets[node] + block.size] = block.ravel()
        training = self.training_facts() | {"cards_digest": self.abstraction.digest}
        return Blueprint(self.config.menu, self.abstraction.config, self.tree, rows, offsets, training)


def average_block(
    tree: BettingTree,
    compiled: CompiledTree,
    sums: NDArray[np.float32],
    bucket_counts: tuple[int, int, int, int],
    node: int,
) -> NDArray[np.float32]:
    """Returns float32 (buckets, actions): the average strategy at a decision; uniform for buckets never reached.

    :param sums: table of summed strategies, in the layout of ``compiled``.
    :param bucket_counts: number of buckets on each street, preflop to river.
    """
    count = bucket_counts[int(tree.street[node])]
    return average_rows(table_rows(sums, int(compiled.node_start[node]), count, int(tree.num_children[node])))


def table_rows(table: NDArray[np.float32], start: int, count: int, actions: int) -> NDArray[np.float32]:
    """Returns float32 (buckets, actions): the part of a table that belongs to one decision, as a view.

    :param start: where the decision's rows start in the table.
    :param count: number of buckets.
    """
    width = padded(count)
    return table[start : start + actions * width].reshape(actions, width)[:, :count].T


def average_rows(sums: NDArray[np.float32]) -> NDArray[np.float32]:
    """Returns float32 (buckets, actions): summed strategies scaled to sum to one, uniform where they are zero."""
    total = sums.sum(axis=1, keepdims=True)
    average = np.full_like(sums, 1.0 / sums.shape[1])
    np.divide(sums, total, out=average, where=total > 0)
    return average


def action_name(tree: BettingTree, child: int) -> str:
    """Returns the name of the action that leads to ``child``, such as ``fold``, ``all-in`` or ``raise 250``."""
    kind = ActionKind(int(tree.action[child]))
    if kind in (ActionKind.BET, ActionKind.RAISE):
        return f"{kind.name.lower()} {tree.amount[child]}"
    return kind.name.lower().replace("_", "-")
