"""What all trainers share: the limits of a training, its tables of regrets and sums, checkpoints, and the main loop."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.errors import InputError, StoppedError
from hedgehog.runtime.npy_files import header_array, read_npz, write_npz
from hedgehog.solver.blueprint.match import MatchResult
from hedgehog.solver.blueprint.program import aligned_zeros
from hedgehog.solver.blueprint.snapshots import UNIT_SECONDS, StopRule, next_mark

EPOCHS: Final = {"pcs": 20, "external": 20_000}
"""Iterations in an epoch, by algorithm: boards of ``pcs``, deals of ``external``. After epoch e, regrets are multiplied
by e / (e + 1), so that the regrets of an epoch count in proportion to its number."""
AVERAGE_POWER: Final = 2
"""After epoch e, the summed strategies are multiplied by (e / (e + 1)) to this power, so that late strategies count
most."""
TREMBLE: Final = 1e-4
"""Least probability of every action of the players who do not learn. So the answer to an action that is given up
early, such as an open-jam, is still learnt. The average strategy is not affected."""
MAX_TREMBLE: Final = 0.1
CHECKPOINT_FORMAT: Final = "hedgehog-blueprint-checkpoint-1"
_TABLES: Final = ("regrets", "sums", "rng_states")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRun:
    """How long a training runs, and with which algorithm. It ends when the first of its limits is reached.

    One thread gives the same strategy for the same seed and iterations. Several threads share the tables without
    locks, which is faster, but no two runs are equal.

    :raises InputError: if no limit is given or a value is out of range.
    """

    iterations: int | None = None
    """Limit on the total number of boards (``pcs``) or deals (``external``), rounded up to whole epochs."""
    seconds: float | None = None
    """Limit on the total training time in seconds."""
    stop: StopRule | None = None
    """Rule that may end the training at every snapshot."""
    seed: int = 1
    threads: int = 1
    algorithm: str = "pcs"
    """``pcs`` or ``external``."""
    average_power: int = AVERAGE_POWER
    """The weight of a strategy in the average is the number of its epoch, to this power."""
    tremble: float = TREMBLE
    """Least probability of every action of the players who do not learn."""

    def __post_init__(self) -> None:
        if self.iterations is None and self.seconds is None and self.stop is None:
            raise InputError("expected a number of iterations or seconds, or a stop rule")
        if self.threads < 1:
            raise InputError(f"expected at least one thread, got {self.threads}")
        if not 0 <= self.tremble <= MAX_TREMBLE:
            raise InputError(f"expected a tremble from 0 to {MAX_TREMBLE}, got {self.tremble:g}")
        if self.algorithm not in EPOCHS:
            raise InputError(f"unknown algorithm {self.algorithm!r}, expected {' or '.join(EPOCHS)}")


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


@dataclass(frozen=True, slots=True)
class CheckpointStatus:
    """How far the training of a checkpoint is."""

    iterations: int
    """Number of boards (``pcs``) or deals (``external``)."""
    seconds: float
    """Training time in seconds."""
    algorithm: str
    """``pcs`` or ``external``."""


def read_checkpoint_status(path: Path) -> CheckpointStatus:
    """Returns how far the training of a checkpoint is.

    :raises InputError: if the file is no checkpoint of a training.
    """
    header, _ = read_npz(path, CHECKPOINT_FORMAT, ())
    try:
        algorithm = str(header["identity"].get("algorithm", "pcs"))
        return CheckpointStatus(int(header["iterations"]), float(header["seconds"]), algorithm)
    except (KeyError, AttributeError, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"is no sound checkpoint: {error}", source=str(path)) from None


class Trainer(ABC):
    """The tables of a training, and the operations on them."""

    identity_defaults: ClassVar[dict[str, Any]] = {}
    """Values of keys that older checkpoints lack."""

    def __init__(self, run: TrainingRun, table_size: int) -> None:
        """:param table_size: number of entries of each table."""
        self.run = run
        self.regrets = aligned_zeros(table_size)
        self.sums = aligned_zeros(table_size)
        # Far apart in the sequence of the generator, whose state is a counter.
        starts = [(run.seed * 0xD1342543DE82EF95 + (i << 56)) % 2**64 for i in range(run.threads)]
        self.rng_states = np.array(starts, dtype=np.uint64).reshape(run.threads, 1)
        self.iterations = 0
        self.epochs = 0
        self.seconds = 0.0
        self.head_to_head: MatchResult | None = None
        self.compared_at = 0.0
        """Seconds of training at ``head_to_head``."""
        self.stopped = False
        """Whether the stop rule has ended the training."""

    @abstractmethod
    def train(self, thread: int, count: int) -> None:
        """Runs iterations in one of the threads."""

    @abstractmethod
    def identity(self) -> dict[str, Any]:
        """Returns the settings that must be equal for a training to resume from the checkpoint of another."""

    @abstractmethod
    def first_in(self) -> dict[str, float]:
        """Returns the average strategy of the first to act: share of all combos by action."""

    @abstractmethod
    def take_snapshot(self, folder: Path, mark: int) -> None:
        """Writes the average strategy so far as a snapshot, and with a stop rule compares it with an earlier one."""

    @abstractmethod
    def may_stop(self) -> bool:
        """Returns whether the stop rule is met by what the last snapshot has shown."""

    def run_epoch(self, pool: ThreadPoolExecutor) -> None:
        """Trains for one epoch and discounts both tables."""
        threads, epoch = len(self.rng_states), EPOCHS[self.run.algorithm]
        shares = [epoch // threads + (i < epoch % threads) for i in range(threads)]
        list(pool.map(self.train, range(threads), shares))
        self.iterations += epoch
        self.epochs += 1
        discount = self.epochs / (self.epochs + 1)
        self.regrets *= np.float32(discount)
        self.sums *= np.float32(discount**self.run.average_power)

    def average_weight(self) -> float:
        """Returns the sum of the weights of all iterations in the sums: what a row gets that is reached in each."""
        epochs = np.arange(1, self.epochs + 1) / (self.epochs + 1)
        return float(EPOCHS[self.run.algorithm] * (epochs**self.run.average_power).sum())

    def training_facts(self) -> dict[str, Any]:
        """Returns facts about the training for a pack; the stop rule is one of them if it has ended the training."""
        rule = {"stop": asdict(self.run.stop)} if self.stopped and self.run.stop is not None else {}
        return {
            "iterations": self.iterations,
            "seconds": round(self.seconds, 1),
            "seed": self.run.seed,
            "threads": self.run.threads,
            "algorithm": self.run.algorithm,
            "average_power": self.run.average_power,
            "tremble": self.run.tremble,
            **rule,
        }

    def save(self, path: Path) -> None:
        """Writes a checkpoint."""
        header = {
            "format": CHECKPOINT_FORMAT,
            "identity": self.identity(),
            "iterations": self.iterations,
            "epochs": self.epochs,
            "seconds": self.seconds,
            "head_to_head": None if self.head_to_head is None else asdict(self.head_to_head),
            "compared_at": self.compared_at,
        }
        tables: dict[str, NDArray[Any]] = {name: getattr(self, name) for name in _TABLES}
        write_npz(path, {"header": header_array(header), **tables})

    def restore(self, path: Path) -> None:
        """Continues from a checkpoint.

        :raises InputError: if the checkpoint is damaged or of another training.
        """
        header, arrays = self.read_checkpoint(path, _TABLES)
        self.verify_identity(header["identity"], self.identity(), path)
        for name in _TABLES:
            mine: NDArray[Any] = getattr(self, name)
            if arrays[name].shape != mine.shape or arrays[name].dtype != mine.dtype:
                raise InputError(f"array {name!r} does not fit the tree", source=str(path))
            mine[:] = arrays[name]
        self.iterations, self.epochs, self.seconds = header["iterations"], header["epochs"], header["seconds"]
        self.head_to_head, self.compared_at = header["head_to_head"], header["compared_at"]

    @classmethod
    def verify_identity(cls, found: Mapping[str, Any], wanted: Mapping[str, Any], path: Path) -> None:
        """Checks that a training may go on from a checkpoint.

        :param found: the identity in the header of the checkpoint.
        :param wanted: the identity of the training.
        :param path: file of the checkpoint, for the message.
        :raises InputError: if the checkpoint is of another training.
        """
        for key, value in wanted.items():
            stored = found.get(key, cls.identity_defaults.get(key))
            if stored != value:
                raise InputError(
                    f"checkpoint of another training: {key} is {stored!r}, expected {value!r}", source=str(path)
                )

    @classmethod
    def read_checkpoint(cls, path: Path, names: Sequence[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Returns the header and the arrays of a checkpoint.

        :raises InputError: if the file is damaged or of another kind.
        """
        header, arrays = read_npz(path, CHECKPOINT_FORMAT, names)
        try:
            header["identity"] = cls.known_identity(header["identity"])
            for key, kind in (("iterations", int), ("epochs", int), ("seconds", float)):
                header[key] = kind(header[key])
            result = header.get("head_to_head")
            header["head_to_head"] = None if result is None else MatchResult(**result)
            header["compared_at"] = float(header.get("compared_at", 0.0))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InputError(f"is no sound checkpoint: {error}", source=str(path)) from None
        return header, arrays

    @classmethod
    def known_identity(cls, identity: dict[str, Any]) -> dict[str, Any]:
        """Returns the identity of a checkpoint in the form that :meth:`identity` has today."""
        return dict(identity)


def run_training(
    trainer: Trainer,
    files: TrainingFiles,
    progress: Callable[[TrainingProgress], None] | None = None,
    progress_seconds: float = 5.0,
) -> None:
    """Trains until a limit is reached, from the checkpoint if there is one.

    :param progress: called with a report now and then. A StoppedError that it raises ends the training, after a
        checkpoint.
    :param progress_seconds: seconds between two reports.
    :raises InputError: if the checkpoint is of another training, or there is a stop rule without snapshots.
    """
    run, checkpoint, snapshots = trainer.run, files.checkpoint, files.snapshots
    if run.stop is not None and snapshots is None:
        raise InputError("the stop rule needs snapshots")
    if checkpoint is not None and checkpoint.exists():
        trainer.restore(checkpoint)
    mark = next_mark(trainer.seconds, files.snapshot_seconds)
    nothing_since = trainer.compared_at == trainer.seconds
    stopped = run.stop is not None and nothing_since and trainer.may_stop()
    trainer.train(0, 0)  # compiles the kernels, which is no training time
    saved = reported = time.monotonic()
    reported_iterations = trainer.iterations
    with ThreadPoolExecutor(run.threads) as pool:
        while not (
            stopped
            or (run.iterations is not None and trainer.iterations >= run.iterations)
            or (run.seconds is not None and trainer.seconds >= run.seconds)
        ):
            started = time.monotonic()
            trainer.run_epoch(pool)
            now = time.monotonic()
            trainer.seconds += now - started
            if snapshots is not None and trainer.seconds >= mark * files.snapshot_seconds:
                mark = next_mark(trainer.seconds, files.snapshot_seconds) // 2  # a long epoch may pass several marks
                trainer.take_snapshot(snapshots, mark)
                stopped = run.stop is not None and trainer.may_stop()
                if checkpoint is not None:
                    trainer.save(checkpoint)
                    saved = time.monotonic()
                mark *= 2
            if progress is not None and now - reported >= progress_seconds:
                speed = (trainer.iterations - reported_iterations) / (now - reported)
                first_in = trainer.first_in()
                now_at = TrainingProgress(trainer.iterations, trainer.seconds, speed, first_in, trainer.head_to_head)
                try:
                    progress(now_at)
                except StoppedError:
                    if checkpoint is not None:
                        trainer.save(checkpoint)
                    raise
                reported, reported_iterations = now, trainer.iterations
            if checkpoint is not None and now - saved >= files.checkpoint_seconds:
                trainer.save(checkpoint)
                saved = time.monotonic()
    trainer.stopped = stopped
    if checkpoint is not None:
        trainer.save(checkpoint)
