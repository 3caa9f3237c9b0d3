"""Trains a blueprint: discounted counterfactual regret minimisation on sampled boards, with checkpoints.

Two trainers use the same tables, checkpoints and averages. Public-chance sampling (``pcs``) samples one board at a time
for all hands of both players. External sampling (``external``) samples one hand per player at a time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import KW_ONLY, asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from poker.hand_classes import HAND_CLASS_SIZES
from runtime.array_files import header_array, read_npz, write_npz
from runtime.errors import InputError
from solver.blueprint._blueprint_kernels import train_kernel
from solver.blueprint._external_sampling_kernels import external_train_kernel
from solver.blueprint.card_abstraction import CardAbstraction
from solver.blueprint.external_sampling import allocate_sampled_scratch, sampled_tree
from solver.blueprint.match import MatchResult
from solver.blueprint.program import CompiledTree, aligned_zeros, allocate_scratch, compile_tree, padded
from solver.blueprint.snapshots import UNIT_SECONDS, StopRule, compare_with_half, next_mark, snapshot_path
from solver.blueprint.table import Blueprint
from solver.blueprint.tree import BlueprintMenu, build_blueprint_tree, parse_menu
from strategies.betting_tree import ActionKind, BettingTree, NodeKind
from strategies.blueprint_pack import row_offsets

CHECKPOINT_FORMAT: Final = "hedgehog-blueprint-checkpoint-1"
EPOCHS: Final = {"pcs": 20, "external": 20_000}
"""Iterations in an epoch, by algorithm: boards of ``pcs``, deals of ``external``. After epoch e, regrets are multiplied
by e / (e + 1), so that the regrets of an epoch count in proportion to its number."""
AVERAGE_POWER: Final = 2
"""After epoch e, the summed strategies are multiplied by (e / (e + 1)) to this power, so that late strategies count
most."""
_IDENTITY_DEFAULTS: Final = {"algorithm": "pcs", "average_power": AVERAGE_POWER}
"""Values of keys that older checkpoints lack."""
TREMBLE: Final = 1e-4
"""Least probability of every action of the player who does not learn. So the answer to an action that is given up
early, such as an open-jam, is still learnt. The average strategy is not affected."""


@dataclass(frozen=True, slots=True)
class TrainingConfig:
    """The configuration of a training, which ends when the first of its limits is reached.

    One thread gives the same blueprint for the same seed and iterations. Several threads share the tables without
    locks, which is faster, but no two runs are equal.

    :raises InputError: if no limit is given or a value is out of range.
    """

    menu: BlueprintMenu
    _: KW_ONLY
    iterations: int | None = None
    """Limit on the total number of boards (``pcs``) or deals (``external``), rounded up to whole epochs."""
    seconds: float | None = None
    """Limit on the total training time in seconds."""
    stop: StopRule | None = None
    """Rule that may end the training at every snapshot."""
    seed: int = 1
    threads: int = 1
    blinds: tuple[int, int] = (50, 100)
    """Small and big blind in chips."""
    stack: int = 20_000
    """Chips of each player at the start of a hand."""
    algorithm: str = "pcs"
    """``pcs`` or ``external``."""
    average_power: int = AVERAGE_POWER
    """The weight of a strategy in the average is the number of its epoch, to this power."""

    def __post_init__(self) -> None:
        if self.iterations is None and self.seconds is None and self.stop is None:
            raise InputError("expected a number of iterations or seconds, or a stop rule")
        if self.threads < 1:
            raise InputError(f"expected at least one thread, got {self.threads}")
        if self.algorithm not in EPOCHS:
            raise InputError(f"unknown algorithm {self.algorithm!r}, expected {' or '.join(EPOCHS)}")

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
        }


@dataclass(frozen=True, slots=True)
class TrainingFiles:
    """The files of a training. Nothing is written for a path that is None."""

    checkpoint: Path | None = None
    """File to resume from if it exists, and to write during and after training. Limits count its work, too."""
    checkpoint_seconds: float = 60.0
    """Seconds between two checkpoints."""
    snapshots: Path | None = None
    """Folder of the blueprints after 1, 2, 4, ... times ``snapshot_seconds``."""
    snapshot_seconds: float = UNIT_SECONDS
    """Training time until the first snapshot, in seconds."""


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """A report on the progress of a running training."""

    iterations: int
    """Number of boards (``pcs``) or deals (``external``) so far, including those before a resume."""
    seconds: float
    """Training time in seconds so far, including the time before a resume."""
    iterations_per_second: float
    """Speed since the last report."""
    button: dict[str, float]
    """The button's average strategy as the first to act: share of hands by action."""
    head_to_head: MatchResult | None
    """What the last snapshot won against the one of half its training time; None if they have not been compared."""


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
    files = files or TrainingFiles()
    stop, checkpoint, snapshots = config.stop, files.checkpoint, files.snapshots
    if stop is not None and snapshots is None:
        raise InputError("the stop rule needs snapshots")
    trainer = _Trainer(config, abstraction)
    identity = config.identity(abstraction)
    if checkpoint is not None and checkpoint.exists():
        trainer.restore(checkpoint, identity)
    mark = next_mark(trainer.seconds, files.snapshot_seconds)
    stopped = (
        stop is not None
        and trainer.head_to_head is not None
        and trainer.compared_at == trainer.seconds  # nothing was trained since
        and stop.is_met(trainer.head_to_head, trainer.blueprint())
    )
    trainer.train(0, 0)  # compiles the kernels, which is no training time
    saved = reported = time.monotonic()
    reported_iterations = trainer.iterations
    with ThreadPoolExecutor(config.threads) as pool:
        while not (
            stopped
            or (config.iterations is not None and trainer.iterations >= config.iterations)
            or (config.seconds is not None and trainer.seconds >= config.seconds)
        ):
            started = time.monotonic()
            trainer.run_epoch(pool)
            now = time.monotonic()
            trainer.seconds += now - started
            if snapshots is not None and trainer.seconds >= mark * files.snapshot_seconds:
                mark = next_mark(trainer.seconds, files.snapshot_seconds) // 2  # a long epoch may pass several marks
                blueprint = trainer.blueprint()
                blueprint.save(snapshot_path(snapshots, mark))
                if stop is not None:
                    result = compare_with_half(blueprint, mark, snapshots, abstraction)
                    trainer.head_to_head, trainer.compared_at = result, trainer.seconds
                    stopped = result is not None and stop.is_met(result, blueprint)
                if checkpoint is not None:
                    trainer.save(checkpoint, identity)
                    saved = time.monotonic()
                mark *= 2
            if progress is not None and now - reported >= progress_seconds:
                speed = (trainer.iterations - reported_iterations) / (now - reported)
                first_in = trainer.first_in()
                progress(TrainingProgress(trainer.iterations, trainer.seconds, speed, first_in, trainer.head_to_head))
                reported, reported_iterations = now, trainer.iterations
            if checkpoint is not None and now - saved >= files.checkpoint_seconds:
                trainer.save(checkpoint, identity)
                saved = time.monotonic()
    if checkpoint is not None:
        trainer.save(checkpoint, identity)
    return trainer.blueprint()


def blueprint_of_checkpoint(path: Path, menu: BlueprintMenu, abstraction: CardAbstraction) -> Blueprint:
    """Returns the average strategy of a checkpoint, for instance of a training that is still running.

    :param menu: betting menu of the training.
    :param abstraction: card buckets of the training.
    :raises InputError: if the checkpoint cannot be read or belongs to another menu or card abstraction.
    """
    identity = _read_checkpoint(path, ())[0]["identity"]
    if identity["menu"] != menu.to_dict() or identity["digest"] != abstraction.digest:
        raise InputError("is of another menu or card abstraction", source=str(path))
    small, big = identity["blinds"]
    known = _IDENTITY_DEFAULTS | identity
    config = TrainingConfig(
        menu,
        iterations=0,  # it is not trained on
        blinds=(small, big),
        **{key: known[key] for key in ("stack", "seed", "threads", "algorithm", "average_power")},
    )
    trainer = _Trainer(config, abstraction)
    trainer.restore(path, identity)
    return trainer.blueprint()


def _read_checkpoint(path: Path, names: Sequence[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    header, arrays = read_npz(path, CHECKPOINT_FORMAT, names)
    try:
        identity = header["identity"]
        # A menu stored before it had all of today's keys means their defaults.
        identity["menu"] = parse_menu(identity["menu"]).to_dict()
        for key, kind in (("iterations", int), ("epochs", int), ("seconds", float)):
            header[key] = kind(header[key])
        result = header.get("head_to_head")
        header["head_to_head"] = None if result is None else MatchResult(**result)
        header["compared_at"] = float(header.get("compared_at", 0.0))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"is no sound checkpoint: {error}", source=str(path)) from None
    return header, arrays


class _Trainer:
    """The tables of a training, and the operations on them."""

    def __init__(self, config: TrainingConfig, abstraction: CardAbstraction) -> None:
        self.config = config
        self.tree = build_blueprint_tree(config.menu, config.blinds, config.stack)
        self.abstraction = abstraction
        self.compiled = compile_tree(self.tree, abstraction.bucket_counts)
        self.regrets = aligned_zeros(self.compiled.table_size)
        self.sums = aligned_zeros(self.compiled.table_size)
        threads = config.threads
        self.train = self._pcs(threads) if config.algorithm == "pcs" else self._external(threads)
        # Far apart in the sequence of the generator, whose state is a counter.
        starts = [(config.seed * 0xD1342543DE82EF95 + (i << 56)) % 2**64 for i in range(threads)]
        self.rng_states = np.array(starts, dtype=np.uint64).reshape(threads, 1)
        self.iterations = 0
        self.epochs = 0
        self.seconds = 0.0
        self.head_to_head: MatchResult | None = None
        self.compared_at = 0.0
        """Seconds of training at ``head_to_head``."""

    def _pcs(self, threads: int) -> Callable[[int, int], None]:
        program = self.compiled.program
        scratch = [allocate_scratch(program) for _ in range(threads)]
        cards = self.abstraction.tables

        def run(i: int, count: int) -> None:
            train_kernel(self.regrets, self.sums, scratch[i], program, cards, count, TREMBLE, self.rng_states[i])

        return run

    def _external(self, threads: int) -> Callable[[int, int], None]:
        sampled = sampled_tree(self.tree, self.compiled)
        scratch = [allocate_sampled_scratch(self.tree) for _ in range(threads)]
        cards = self.abstraction.tables

        def run(i: int, count: int) -> None:
            external_train_kernel(
                self.regrets, self.sums, scratch[i], sampled, cards, count, TREMBLE, self.rng_states[i]
            )

        return run

    def run_epoch(self, pool: ThreadPoolExecutor) -> None:
        threads, epoch = len(self.rng_states), EPOCHS[self.config.algorithm]
        shares = [epoch // threads + (i < epoch % threads) for i in range(threads)]
        list(pool.map(self.train, range(threads), shares))
        self.iterations += epoch
        self.epochs += 1
        discount = self.epochs / (self.epochs + 1)
        self.regrets *= np.float32(discount)
        self.sums *= np.float32(discount**self.config.average_power)

    def save(self, path: Path, identity: dict[str, Any]) -> None:
        header = {
            "format": CHECKPOINT_FORMAT,
            "identity": identity,
            "iterations": self.iterations,
            "epochs": self.epochs,
            "seconds": self.seconds,
            "head_to_head": None if self.head_to_head is None else asdict(self.head_to_head),
            "compared_at": self.compared_at,
        }
        tables: dict[str, NDArray[Any]] = {
            "regrets": self.regrets,
            "sums": self.sums,
            "rng_states": self.rng_states,
        }
        write_npz(path, {"header": header_array(header), **tables})

    def restore(self, path: Path, identity: dict[str, Any]) -> None:
        header, arrays = _read_checkpoint(path, ("regrets", "sums", "rng_states"))
        for key, value in identity.items():
            stored = header["identity"].get(key, _IDENTITY_DEFAULTS.get(key))
            if stored != value:
                raise InputError(
                    f"checkpoint of another training: {key} is {stored!r}, expected {value!r}", source=str(path)
                )
        for name in ("regrets", "sums", "rng_states"):
            mine: NDArray[Any] = getattr(self, name)
            if arrays[name].shape != mine.shape or arrays[name].dtype != mine.dtype:
                raise InputError(f"array {name!r} does not fit the tree", source=str(path))
            mine[:] = arrays[name]
        self.iterations, self.epochs, self.seconds = header["iterations"], header["epochs"], header["seconds"]
        self.head_to_head, self.compared_at = header["head_to_head"], header["compared_at"]

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
        training = {
            "iterations": self.iterations,
            "seconds": round(self.seconds, 1),
            "seed": self.config.seed,
            "threads": self.config.threads,
            "algorithm": self.config.algorithm,
            "average_power": self.config.average_power,
            "cards_digest": self.abstraction.digest,
        }
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
    actions = int(tree.num_children[node])
    start = int(compiled.node_start[node])
    table = sums[start : start + actions * padded(count)].reshape(actions, padded(count))[:, :count].T
    total = table.sum(axis=1, keepdims=True)
    average = np.full_like(table, 1.0 / actions)
    np.divide(table, total, out=average, where=total > 0)
    return average


def action_name(tree: BettingTree, child: int) -> str:
    """Returns the name of the action that leads to ``child``, such as ``fold``, ``all-in`` or ``raise 250``."""
    kind = ActionKind(int(tree.action[child]))
    if kind in (ActionKind.BET, ActionKind.RAISE):
        return f"{kind.name.lower()} {tree.amount[child]}"
    return kind.name.lower().replace("_", "-")
