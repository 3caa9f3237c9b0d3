"""Trains a blueprint: discounted counterfactual regret minimisation on sampled boards, with checkpoints."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from poker.errors import InputError
from poker.hand_classes import HAND_CLASS_SIZES
from solver._blueprint_kernels import train_kernel
from solver.array_files import header_array, read_npz, write_npz
from solver.blueprint import Blueprint
from solver.blueprint_program import CompiledTree, aligned_zeros, allocate_scratch, compile_tree, padded
from solver.blueprint_tree import BlueprintMenu, build_blueprint_tree, parse_menu
from solver.card_abstraction import CardAbstraction
from strategies.betting_tree import ActionKind, BettingTree, NodeKind
from strategies.blueprint_pack import row_offsets

CHECKPOINT_FORMAT: Final = "hedgehog-blueprint-checkpoint-1"
EPOCH: Final = 20
"""Boards between two discounts: after epoch e regrets are multiplied by e / (e + 1), so they count in proportion to
their age."""
AVERAGE_POWER: Final = 2
"""The summed strategies are multiplied by (e / (e + 1)) to this power: late strategies count most."""
TREMBLE: Final = 1e-4
"""Whoever learns sees the other player take every action at least this often, so that the answer to an action that is
given up early (an open-jam) is still learnt. The average strategy itself does not tremble."""


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """A report from a running training."""

    iterations: int
    """Boards so far, those before a resume included."""
    seconds: float
    """Time spent so far, that before a resume included."""
    iterations_per_second: float
    """Since the last report."""
    button: dict[str, float]
    """The button's average strategy first in: share of hands by action."""


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
) -> Blueprint:
    """Trains until ``iterations`` boards or ``seconds`` are reached, whichever is first.

    One thread gives the same blueprint for the same seed and iterations. More threads share the tables without locks:
    faster, but no two runs are equal.

    :param iterations: boards in all; a training resumed from ``checkpoint`` counts on. Rounded up to whole epochs.
    :param seconds: time in all, counted in the same way.
    :param checkpoint: file to resume from if it exists, and to write now and then and at the end.
    :raises InputError: if neither limit is given, or the checkpoint belongs to another training.
    """
    if iterations is None and seconds is None:
        raise InputError("expected a number of iterations or seconds")
    if threads < 1:
        raise InputError(f"expected at least one thread, got {threads}")
    tree = build_blueprint_tree(menu, blinds, stack)
    trainer = _Trainer(tree, abstraction, seed, threads)
    identity: dict[str, Any] = {
        "menu": menu.to_dict(),
        "cards": abstraction.config.to_dict(),
        "digest": abstraction.digest,
        "blinds": list(blinds),
        "stack": stack,
        "seed": seed,
        "threads": threads,
    }
    if checkpoint is not None and checkpoint.exists():
        trainer.restore(checkpoint, identity)
    started = time.monotonic() - trainer.seconds
    saved = reported = time.monotonic()
    reported_iterations = trainer.iterations
    with ThreadPoolExecutor(threads) as pool:
        while not (
            (iterations is not None and trainer.iterations >= iterations)
            or (seconds is not None and trainer.seconds >= seconds)
        ):
            trainer.run_epoch(pool)
            now = time.monotonic()
            trainer.seconds = now - started
            if progress is not None and now - reported >= progress_seconds:
                speed = (trainer.iterations - reported_iterations) / (now - reported)
                progress(TrainingProgress(trainer.iterations, trainer.seconds, speed, trainer.first_in()))
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
    trainer = _Trainer(tree, abstraction, identity["seed"], identity["threads"])
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
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"is no sound checkpoint: {error}", source=str(path)) from None
    return header, arrays


class _Trainer:
    """The tables of a training and what can be done with them."""

    def __init__(self, tree: BettingTree, abstraction: CardAbstraction, seed: int, threads: int) -> None:
        self.tree = tree
        self.abstraction = abstraction
        self.seed = seed
        self.compiled = compile_tree(tree, abstraction.bucket_counts)
        self.regrets = aligned_zeros(self.compiled.table_size)
        self.sums = aligned_zeros(self.compiled.table_size)
        self.scratch = [allocate_scratch(self.compiled.program) for _ in range(threads)]
        # Far apart in the sequence of the generator, whose state is a counter.
        starts = [(seed * 0xD1342543DE82EF95 + (i << 56)) % 2**64 for i in range(threads)]
        self.rng_states = np.array(starts, dtype=np.uint64).reshape(threads, 1)
        self.iterations = 0
        self.epochs = 0
        self.seconds = 0.0

    def run_epoch(self, pool: ThreadPoolExecutor) -> None:
        threads = len(self.scratch)
        shares = [EPOCH // threads + (i < EPOCH % threads) for i in range(threads)]

        def run(i: int) -> None:
            train_kernel(
                self.regrets,
                self.sums,
                self.scratch[i],
                self.compiled.program,
                self.abstraction.tables,
                shares[i],
                TREMBLE,
                self.rng_states[i],
            )

        list(pool.map(run, range(threads)))
        self.iterations += EPOCH
        self.epochs += 1
        discount = self.epochs / (self.epochs + 1)
        self.regrets *= np.float32(discount)
        self.sums *= np.float32(discount**AVERAGE_POWER)

    def save(self, path: Path, identity: dict[str, Any]) -> None:
        header = {
            "format": CHECKPOINT_FORMAT,
            "identity": identity,
            "iterations": self.iterations,
            "epochs": self.epochs,
            "seconds": self.seconds,
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
            stored = header["identity"].get(key)
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
            "threads": len(self.scratch),
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
