"""Trains a strategy for limit hold'em: two players by the blueprint's trainers, three by external sampling.

The three-player game is played on merged streets (:mod:`hedgehog.poker.limit_betting`). With three players no theorem
promises an equilibrium, so such a strategy is judged by matches alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.acpc.gamedef import GameDef, format_gamedef
from hedgehog.poker.hand_classes import HAND_CLASS_SIZES
from hedgehog.poker.limit_betting import NO_CHILD, LimitTree, verify_limit_game
from hedgehog.poker.streets import BOARD_CARDS
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint._external_sampling_kernels import external_train_kernel
from hedgehog.solver.blueprint.cards._river_kernels import deal_kernel
from hedgehog.solver.blueprint.cards.card_abstraction import BLOCKED, CardAbstraction
from hedgehog.solver.blueprint.cards.card_config import CardConfig
from hedgehog.solver.blueprint.external_sampling import allocate_sampled_scratch, sampled_limit_tree
from hedgehog.solver.blueprint.limit_game import decision_nodes, limit_menu, limit_stack
from hedgehog.solver.blueprint.trainer import (
    TREMBLE,
    Trainer,
    TrainingFiles,
    TrainingProgress,
    TrainingRun,
    run_training,
)
from hedgehog.solver.blueprint.training import BlueprintTrainer, TrainingConfig, average_rows, table_rows
from hedgehog.strategies.limit_pack import limit_offsets, pack_tree

FREQUENCY_BOARDS: Final = 1_000
"""Number of random boards on which the frequencies of buckets are counted."""
CURRENT_SHARE: Final = 1e-3
"""Weight of the last strategy in the average, as a share of the weight of a row that is always reached. Rows that the
strategy itself hardly ever reaches are so played by their regrets, which are learnt in all lines of the others."""
_ALL_HANDS: Final = 1081
"""Number of hands that five board cards leave."""


@dataclass(frozen=True, slots=True)
class LimitTraining(TrainingRun):
    """The configuration of the training of a limit strategy.

    :raises InputError: if no limit is given, a value is out of range, or the game has no such strategy.
    """

    gamedef: GameDef
    simple_share: float = 0.0
    """Three players: share of the walks in which the players who do not learn have a habit (they always raise, always
    call, or do anything), so that raises of such opponents are not taken for strong hands."""

    def __post_init__(self) -> None:
        super(LimitTraining, self).__post_init__()
        verify_limit_game(self.gamedef)
        if self.gamedef.num_players > 2 and self.algorithm != "external":
            raise InputError("three players are trained by external sampling only")
        if self.gamedef.num_players > 2 and self.stop is not None:
            raise InputError("a stop rule is for two players only")
        if not 0 <= self.simple_share < 1:
            raise InputError(f"expected a share of simple opponents from 0 to below 1, got {self.simple_share:g}")
        if self.gamedef.num_players == 2 and self.simple_share > 0:
            raise InputError("simple opponents are for three players only")


@dataclass(frozen=True, slots=True)
class LimitBlueprint:
    """A trained strategy of a limit game: for every decision and bucket a row of action probabilities."""

    tree: LimitTree
    cards: CardConfig
    rows: NDArray[np.float32]
    """Probabilities, flat: one block (buckets, legal actions) for each decision in order. Rows sum to 1."""
    offsets: NDArray[np.int64]
    """(D,) start of each decision's block."""
    reach: NDArray[np.float32]
    """For each row the share of the training's weight with which the strategy itself plays towards it, 0 to 1."""
    training: dict[str, Any]

    def block(self, node: int) -> NDArray[np.float32]:
        """Returns float32 (buckets, legal actions): the probabilities at a decision, as a view."""
        count = self.cards.bucket_counts[int(self.tree.street[node])]
        actions = int(self.tree.num_actions[node])
        start = int(self.offsets[node])
        return self.rows[start : start + count * actions].reshape(count, actions)


def train_limit(
    config: LimitTraining,
    abstraction: CardAbstraction,
    files: TrainingFiles | None = None,
    *,
    progress: Callable[[TrainingProgress], None] | None = None,
    progress_seconds: float = 5.0,
) -> LimitBlueprint:
    """Returns a limit strategy, trained until a limit of the configuration is reached.

    :param abstraction: the card buckets.
    :param files: checkpoint and snapshots; None writes no files. There are no snapshots for three players.
    :param progress: called with a report now and then.
    :param progress_seconds: seconds between two reports.
    :raises InputError: if the checkpoint is of another training.
    """
    trainer = limit_trainer(config, abstraction)
    run_training(trainer, files or TrainingFiles(), progress, progress_seconds)
    return limit_blueprint(trainer, config.gamedef)


def limit_trainer(config: LimitTraining, abstraction: CardAbstraction) -> BlueprintTrainer | LimitTrainer:
    """Returns the trainer of a configuration, before any iteration."""
    gamedef = config.gamedef
    if gamedef.num_players > 2:
        return LimitTrainer(config, abstraction)
    return BlueprintTrainer(
        TrainingConfig(
            limit_menu(gamedef),
            iterations=config.iterations,
            seconds=config.seconds,
            stop=config.stop,
            seed=config.seed,
            threads=config.threads,
            blinds=(gamedef.blinds[1], gamedef.blinds[0]),
            stack=limit_stack(gamedef),
            algorithm=config.algorithm,
            average_power=config.average_power,
            tremble=config.tremble,
        ),
        abstraction,
    )


class LimitTrainer(Trainer):
    """The training of a limit strategy on merged streets, by external sampling."""

    identity_defaults = {"tremble": TREMBLE, "simple_share": 0.0}  # noqa: RUF012

    def __init__(self, config: LimitTraining, abstraction: CardAbstraction) -> None:
        self.config = config
        self.abstraction = abstraction
        self.tree = pack_tree(config.gamedef)
        self.sampled, size = sampled_limit_tree(self.tree, abstraction.bucket_counts)
        self._scratch = [allocate_sampled_scratch(self.sampled) for _ in range(config.threads)]
        super().__init__(config, size)

    def train(self, thread: int, count: int) -> None:
        external_train_kernel(
            self.regrets,
            self.sums,
            self._scratch[thread],
            self.sampled,
            self.abstraction.tables,
            count,
            self.config.tremble,
            self.config.simple_share,
            self.rng_states[thread],
        )

    def identity(self) -> dict[str, Any]:
        return {
            "game": format_gamedef(self.config.gamedef),
            "cards": self.abstraction.config.to_dict(),
            "digest": self.abstraction.digest,
            "seed": self.config.seed,
            "threads": self.config.threads,
            "algorithm": self.config.algorithm,
            "average_power": self.config.average_power,
            "tremble": self.config.tremble,
            "simple_share": self.config.simple_share,
        }

    def average_weight(self) -> float:
        return super().average_weight() * (1 - self.config.simple_share)

    def training_facts(self) -> dict[str, Any]:
        return super().training_facts() | {"simple_share": self.config.simple_share}

    def first_in(self) -> dict[str, float]:
        block = average_rows(self.decision_rows(self.sums, 0))
        shares = HAND_CLASS_SIZES @ block / HAND_CLASS_SIZES.sum()
        names = ("fold", "call", "raise")[-len(shares) :]
        return dict(zip(names, shares.tolist(), strict=True))

    def decision_rows(self, table: NDArray[np.float32], node: int) -> NDArray[np.float32]:
        """Returns float32 (buckets, legal actions): the part of a table that belongs to one decision, as a view."""
        count = self.abstraction.bucket_counts[int(self.tree.street[node])]
        return table_rows(table, int(self.sampled.start[node]), count, int(self.sampled.num_children[node]))

    def take_snapshot(self, folder: Path, mark: int) -> None:
        """Writes nothing: two three-player strategies cannot be compared without playing hands."""

    def may_stop(self) -> bool:
        return False


def limit_blueprint(trainer: BlueprintTrainer | LimitTrainer, gamedef: GameDef) -> LimitBlueprint:
    """Returns the average strategy of a training of a limit game, with how often each row is reached."""
    cards, run = trainer.abstraction, trainer.run
    tree = pack_tree(gamedef)
    if isinstance(trainer, LimitTrainer):
        starts = trainer.sampled.start
    else:
        starts = trainer.compiled.node_start[decision_nodes(tree, trainer.tree)]
    counts = cards.bucket_counts
    offsets, first_rows, size = limit_offsets(tree, counts)
    rows = np.empty(size, dtype=np.float32)
    reach = np.empty(int(first_rows[-1]), dtype=np.float32)
    hands = _ALL_HANDS if run.algorithm == "pcs" else tree.gamedef.num_players - 1
    most = [frequency * max(trainer.average_weight(), 1e-30) * hands for frequency in bucket_frequencies(cards)]
    for node in range(tree.num_decisions):
        street = int(tree.street[node])
        place = (int(starts[node]), counts[street], int(tree.num_actions[node]))
        sums, regrets = table_rows(trainer.sums, *place), table_rows(trainer.regrets, *place)
        call = int(tree.child[node, 0] != NO_CHILD)  # calls follow folds
        current = CURRENT_SHARE * most[street][:, None] * current_rows(regrets, call)
        block = average_rows((sums + current).astype(np.float32))
        rows[offsets[node] : offsets[node] + block.size] = block.ravel()
        reach[first_rows[node] : first_rows[node + 1]] = np.minimum(sums.sum(axis=1) / most[street], 1.0)
    training = trainer.training_facts() | {"cards_digest": cards.digest}
    return LimitBlueprint(tree, cards.config, rows, offsets, reach, training)


def current_rows(regrets: NDArray[np.float32], call: int) -> NDArray[np.float32]:
    """Returns float32 (buckets, actions): the strategies of regret matching; a call where no action has a regret.

    :param call: number of the action that checks or calls.
    """
    positive = np.maximum(regrets, np.float32(0))
    positive[:, call] += positive.sum(axis=1) == 0
    return average_rows(positive)


def bucket_frequencies(abstraction: CardAbstraction, boards: int = FREQUENCY_BOARDS) -> list[NDArray[np.float64]]:
    """Returns for each street float64 (buckets,): how often a random hand has each bucket, on random boards.

    Buckets that no sampled hand has count as one hand.
    """
    rng_state, cards = np.array([1], dtype=np.uint64), np.zeros(5, dtype=np.uint8)
    totals = [np.zeros(count, dtype=np.int64) for count in abstraction.bucket_counts]
    for _ in range(boards):
        deal_kernel(cards, rng_state)
        river = abstraction.buckets(3, cards.tolist()) != BLOCKED
        for street, total in enumerate(totals):
            buckets = abstraction.buckets(street, cards[: BOARD_CARDS[street]].tolist())
            total += np.bincount(buckets[river], minlength=len(total))
    return [np.maximum(total, 1) / (boards * _ALL_HANDS) for total in totals]
