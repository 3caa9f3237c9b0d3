"""What the builds of flop packs of both tiers share: their options, their engine, and the text of their progress."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hedgehog.runtime.memory import available_memory, format_bytes
from hedgehog.solver.packs import exact_flops, quick_flops
from hedgehog.solver.packs.builder import BuildProgress
from hedgehog.solver.packs.engines.dask_engine import DaskEngine
from hedgehog.solver.packs.engines.local import BASE_BYTES, Engine, LocalEngine
from hedgehog.solver.packs.exact_config import read_flop_pack_config
from hedgehog.solver.packs.exact_flops import ExactBuild
from hedgehog.solver.packs.quick_flops import QuickBuild


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """The options of ``hedgehog pack build`` for flop packs."""

    workers: int | None = None
    """Number of local worker processes; None for as many as fit."""
    dask: str | None = None
    """Address of a dask scheduler, or ``local:N``."""
    flops: tuple[tuple[int, float], ...] | None = None
    """Flop classes with their weights, in the order in which they are built, instead of those of the configuration."""
    partial: bool = False
    """Write a pack of the finished flops, and do no others."""
    overwrite: bool = False


def open_flop_build(
    kind: str, config_path: Path, work: Path, flops: Sequence[tuple[int, float]] | None = None
) -> ExactBuild | QuickBuild:
    """Returns the build of the configuration of a flop pack.

    :param kind: ``flops`` or ``quick-flops``.
    :param flops: flop classes with their weights, in order; None for those of the configuration.
    :raises InputError: if the configuration or its blueprint is wrong.
    """
    if kind == "flops":
        config = read_flop_pack_config(config_path)
        return exact_flops.open_build(config, config_path.parent, work, flops)
    classes = [index for index, _ in flops or ()]
    return quick_flops.open_build(quick_flops.read_quick_flop_config(config_path), config_path.parent, work, classes)


def open_engine(build: ExactBuild | QuickBuild, options: BuildOptions) -> Engine:
    """Returns the engine that the options ask for.

    :raises InputError: if dask is not installed or its address malformed.
    :raises ResourceError: if no dask scheduler answers.
    """
    if options.dask is not None:
        return DaskEngine(options.dask)
    return LocalEngine(options.workers or default_workers(build))


def default_workers(build: ExactBuild | QuickBuild) -> int:
    """Returns the number of worker processes for which there are processors and memory, at least 1."""
    needed = max(build.needed_bytes(job) for job in build.jobs()) + BASE_BYTES
    return int(max(min(len(os.sched_getaffinity(0)) // threads_per_worker(build), available_memory() // needed), 1))


def threads_per_worker(build: ExactBuild | QuickBuild) -> int:
    """Returns the number of threads of one worker."""
    return build.config.threads if isinstance(build, ExactBuild) else 1


def describe_progress(now: BuildProgress) -> str:
    """Returns the state of a build in a few words."""
    parts = [f"{now.done:,} of {now.total:,} flops", f"{len(now.running)} running on {now.workers} workers"]
    if now.failed:
        parts.append(f"{now.failed} failed")
    if now.per_hour:
        parts.append(f"{now.per_hour:,.0f} per hour")
    if now.worker_bytes:
        parts.append(f"{format_bytes(now.worker_bytes)} per worker")
    return ", ".join(parts)
