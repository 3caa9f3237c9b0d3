"""Trains a blueprint: discounted counterfactual regret minimisation on sampled boards, with checkpoints.

Two trainers share tables, checkpoints and averages: public-chance sampling (``pcs``: one board at a time, all hands of
both players) and external sampling (``external``: one hand per player at a time).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
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
"""Boards (or deals) between two discounts, by algorithm: after epoch e regrets are multiplied by e / (e + 1), so they
count in proportion to their age."""
AVERAGE_POWER: Final = 2
"""The summed strategies are multiplied by (e / (e + 1)) to this power: late strategies count most."""
_IDENTITY_DEFAULTS: Final = {"algorithm": "pcs", "average_power": AVERAGE_POWER}
"""What a checkpoint means that was written before these keys existed."""
TREMBLE: Final = 1e-4
"""Whoever learns sees the other player take every action at least this often, so that the answer to an action that is
given up early (an open-jam) is still learnt. The average strategy itself does not tremble."""


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """A report from a running training."""

    iterations: int
    """Boards (external sampling: deals) so far, those before a resume included."""
    seconds: float
    """Time spent so far, that before a resume included."""
    iterations_per_second: float
    """Since the last report."""
    button: dict[str, float]
    """The button's average strategy first in: share of hands by action."""
    head_to_head: MatchResult | None
    """What the last snapshot won against the one of half its time, if that has been played."""


def train_blueprint(
    menu: BlueprintMenu,
    abstraction: CardAbstraction,
    *,
    seed: int = 1,
    iterations: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    checkpoint: Path | None = None,
    checkpoint_seconds: float = 60.0,
    progress: Callable[[TrainingProgress], None] | None = None,
    progress_seconds: float = 5.0,
    blinds: tuple[int, int] = (50, 100),
    stack: int = 20_000,
    algorithm: str = "pcs",
    average_power: int = AVERAGE_POWER,
    snapshots: Path | None = None,
    snapshot_seconds: float = UNIT_SECONDS,
    stop: StopRule | None = None,
) -> Blueprint:
    """Trains until ``iterations`` boards or ``seconds`` are reached or ``stop`` is met, whichever is first.

    One thread gives the same blueprint for the same seed and iterations. More threads share the tables without locks:
    faster, but no two runs are equal.

    :param iterations: boards in all; a training resumed from ``checkpoint`` counts on. Rounded up to whole epochs.
    :param seconds: time spent training in all, counted in the same way.
    :param checkpoint: file to resume from if it exists, and to write now and then and at the end.
    :param algorithm: a key of :data:`EPOCHS`.
    :param average_power: see :data:`AVERAGE_POWER`.
    :param snapshots: folder that keeps the blueprints of 1, 2, 4, ... times ``snapshot_seconds``.
    :param stop: looked at with every snapshot, which it needs.
    :raises InputError: if no limit is given, an argument is out of range, or the checkpoint is of another training.
    """
    if iterations is None and seconds is None and stop is None:
        raise InputError("expected a number of iterations or seconds, or a stop rule")
    if threads < 1:
        raise InputError(f"expected at least one thread, got {threads}")
    if algorithm not in EPOCHS:
        raise InputError(f"unknown algorithm {algorithm!r}, expected {' or '.join(EPOCHS)}")
    if stop is not None and snapshots is None:
        raise InputError("the stop rule needs snapshots")
    tree = build_blueprint_tree(menu, blinds, stack)
    trainer = _Trainer(tree, abstraction, seed, threads, algorithm, average_power)
    identity: dict[str, Any] = {
        "menu": menu.to_dict(),
        "cards": abstraction.config.to_dict(),
        "digest": abstraction.digest,
        "blinds": list(blinds),
        "stack": stack,
        "seed": seed,
        "threads": threads,
        "algorithm": algorithm,
        "average_power": average_power,
    }
    if checkpoint is not None and checkpoint.exists():
        trainer.restore(checkpoint, identity)
    mark = next_mark(trainer.seconds, snapshot_seconds)
    stopped = (
        stop is not None
        and trainer.head_to_head is not None
        and trainer.compared_at == trainer.seconds  # nothing was trained since
        and stop.is_met(trainer.head_to_head, trainer.blueprint(menu))
    )
    trainer.train(0, 0)  # compiles the kernels, which is no training time
    saved = reported = time.monotonic()
    reported_iterations = trainer.iterations
    with ThreadPoolExecutor(threads) as pool:
        while not (
            stopped
            or (iterations is not None and trainer.iterations >= iterations)
            or (seconds is not None and trainer.seconds >= seconds)
        ):
            started = time.monotonic()
            trainer.run_epoch(pool)
            now = time.monotonic()
            trainer.seconds += now - started
            if snapshots is not None and trainer.seconds >= mark * snapshot_seconds:
                mark = next_mark(trainer.seconds, snapshot_seconds) // 2  # a long epoch may pass several marks
                blueprint = trainer.blueprint(menu)
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
            if checkpoint is not None and now - saved >= checkpoint_seconds:
                trainer.save(checkpoint, identity)
                saved = time.monotonic()
    if checkpoint is not None:
        trainer.save(checkpoint, identity)
    return trainer.blueprint(menu)


def blueprint_of_checkpoint(path: Path, menu: BlueprintMenu, abstraction: CardAbstraction) -> Blueprint:
    """Returns the average strategy stored in a checkpoint, for instance of a training that still runs.

    :raises InputError: if the checkpoint cannot be read or belongs to another menu or card abstraction.
    """
    identity = _read_checkpoint(path, ())[0]["identity"]
    if identity["menu"] != menu.to_dict() or identity["digest"] != abstraction.digest:
        raise InputError("is of another menu or card abstraction", source=str(path))
    small, big = identity["blinds"]
    tree = build_blueprint_tree(menu, (small, big), identity["stack"])
    known = _IDENTITY_DEFAULTS | identity
    trainer = _Trainer(tree, abstraction, known["seed"], known["threads"], known["algorithm"], known["average_power"])
    trainer.restore(path, identity)
    return trainer.blueprint(menu)


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
    """The tables of a training and what can be done with them."""

    def __init__(
        self,
        tree: BettingTree,
        abstraction: CardAbstraction,
        seed: int,
        threads: int,
        algorithm: str,
        average_power: int,
    ) -> None:
        self.tree = tree
        self.abstraction = abstraction
        self.seed = seed
        self.compiled = compile_tree(tree, abstraction.bucket_counts)
        self.regrets = aligned_zeros(self.compiled.table_size)
        self.sums = aligned_zeros(self.compiled.table_size)
        self.algorithm = algorithm
        self.average_power = average_power
        self.train = self._pcs(threads) if algorithm == "pcs" else self._external(threads)
        # Far apart in the sequence of the generator, whose state is a counter.
        starts = [(seed * 0xD1342543DE82EF95 + (i << 56)) % 2**64 for i in range(threads)]
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
        threads, epoch = len(self.rng_states), EPOCHS[self.algorithm]
        shares = [epoch // threads + (i < epoch % threads) for i in range(threads)]
        list(pool.map(self.train, range(threads), shares))
        self.iterations += epoch
        self.epochs += 1
        discount = self.epochs / (self.epochs + 1)
        self.regrets *= np.float32(discount)
        self.sums *= np.float32(discount**self.average_power)

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
        """Returns the button's average strategy first in: share of all combos by action."""
        block = average_block(self.tree, self.compiled, self.sums, self.abstraction.bucket_counts, 0)
        shares = HAND_CLASS_SIZES @ block / HAND_CLASS_SIZES.sum()
        return {
            format_action(self.tree, child): float(share)
            for child, share in zip(self.tree.children(0), shares, strict=True)
        }

    def blueprint(self, menu: BlueprintMenu) -> Blueprint:
        counts = self.abstraction.bucket_counts
        offsets, size = row_offsets(self.tree, counts)
        rows = np.empty(size, dtype=np.float32)
        for node in np.flatnonzero(self.tree.kind == NodeKind.DECISION):
            block = average_block(self.tree, self.compiled, self.sums, counts, int(node))
            rows[offsets[node] : offsets[node] + block.size] = block.ravel()
        training = {
            "iterations": self.iterations,
            "seconds": round(self.seconds, 1),
            "seed": self.seed,
            "threads": len(self.rng_states),
            "algorithm": self.algorithm,
            "average_power": self.average_power,
            "cards_digest": self.abstraction.digest,
        }
        return Blueprint(menu, self.abstraction.config, self.tree, rows, offsets, training)


def average_block(
    tree: BettingTree,
    compiled: CompiledTree,
    sums: NDArray[np.float32],
    bucket_counts: tuple[int, int, int, int],
    node: int,
) -> NDArray[np.float32]:
    """Returns the average strategy (buckets, actions) of a decision; uniform where it was never reached."""
    count = bucket_counts[int(tree.street[node])]
    actions = int(tree.num_children[node])
    start = int(compiled.node_start[node])
    table = sums[start : start + actions * padded(count)].reshape(actions, padded(count))[:, :count].T
    total = table.sum(axis=1, keepdims=True)
    average = np.full_like(table, 1.0 / actions)
    np.divide(table, total, out=average, where=total > 0)
    return average


def format_action(tree: BettingTree, child: int) -> str:
    """Names the action that leads to ``child``: ``fold``, ``check``, ``call``, ``all-in`` or ``raise 250``."""
    kind = ActionKind(int(tree.action[child]))
    if kind in (ActionKind.BET, ActionKind.RAISE):
        return f"{kind.name.lower()} {tree.amount[child]}"
    return kind.name.lower().replace("_", "-")
