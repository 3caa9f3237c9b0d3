"""The work of ``hedgehog pack build``: trains or solves with progress, and writes the pack."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from hedgehog.analysis.stats.number_text import format_error
from hedgehog.cli.packs.flop_engine import BuildOptions, describe_progress, open_engine, open_flop_build
from hedgehog.cli.progress import show_progress
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import real_path
from hedgehog.runtime.outputs import FolderKind, verify_output_folder
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.config import BlueprintPackConfig, gamedef_of, read_blueprint_pack_config, tree_of
from hedgehog.solver.blueprint.estimate import estimate_blueprint, estimate_limit
from hedgehog.solver.blueprint.limit_config import LimitPackConfig, read_limit_pack_config
from hedgehog.solver.blueprint.trainer import TrainingProgress
from hedgehog.solver.packs import exact_assembly, limit, quick_flops
from hedgehog.solver.packs.blueprint import train, write_blueprint_pack
from hedgehog.solver.packs.build_status import STATUS_FILE
from hedgehog.solver.packs.builder import run_jobs
from hedgehog.solver.packs.jobs import verify_work
from hedgehog.solver.packs.quick_flops import QuickBuild
from hedgehog.strategies.manifest import Provenance
from hedgehog.strategies.pack import verify_pack_output
from hedgehog.strategies.provenance import provenance

WORK_FOLDER: Final = FolderKind(
    "the unfinished work of a pack",
    (
        "checkpoint.npz",
        "blueprint-*.npz",
        "*/*-[0-9][0-9][0-9][0-9].npz",
        "*/[0-9][0-9][0-9][0-9].npz",
        STATUS_FILE,
        f"*/{STATUS_FILE}",
    ),
)
"""Checkpoint and snapshots of a training, the finished flops in folders named by configuration, and the status."""


def verify_build_outputs(config: Path, out: Path | None, work: Path, *, overwrite: bool) -> None:
    """Checks the folders that a build writes to, before any work.

    :param out: folder of the pack, None if none is written.
    :raises InputError: if one of them holds anything but a pack to replace, or work to go on with.
    """
    if out is not None:
        verify_pack_output(out, overwrite=overwrite)
        if real_path(work).is_relative_to(real_path(out)) or real_path(out).is_relative_to(real_path(work)):
            raise InputError(f"--out {out} and --work {work} lie in each other: expected two separate folders")
    verify_output_folder(work, WORK_FOLDER, proceed=True, inputs=[config])


def build_blueprint(config_path: Path, out: Path, work: Path, threads: int | None, *, overwrite: bool = False) -> None:
    """Trains the blueprint of a configuration, from its checkpoint if there is one, and writes the pack."""
    config = read_blueprint_pack_config(config_path)
    threads = threads or config.threads or os.cpu_count() or 1
    estimate_blueprint(tree_of(config), config.cards.bucket_counts, config.algorithm).verify_memory(threads)
    cards = CardAbstraction.load_or_build(config.cards, progress=lambda text: click.echo(text, err=True))
    with _training_progress(config) as progress:
        blueprint = train(config, cards, work / "checkpoint.npz", threads, progress)
    write_blueprint_pack(
        blueprint, cards.digest, config.name, gamedef_of(config), provenance(), out, overwrite=overwrite
    )
    click.echo(f"wrote {out}")


def build_limit(config_path: Path, out: Path, work: Path, threads: int | None, *, overwrite: bool = False) -> None:
    """Trains the limit strategy of a configuration, from its checkpoint if there is one, and writes the pack."""
    config = read_limit_pack_config(config_path)
    threads = threads or config.threads or os.cpu_count() or 1
    estimate_limit(config.training(threads), config.cards.bucket_counts).verify_memory(threads)
    cards = CardAbstraction.load_or_build(config.cards, progress=lambda text: click.echo(text, err=True))
    with _training_progress(config) as progress:
        blueprint = limit.train(config, cards, work / "checkpoint.npz", threads, progress)
    limit.write_limit_pack(blueprint, config.name, provenance(), out, overwrite=overwrite)
    click.echo(f"wrote {out}")


@contextmanager
def _training_progress(config: BlueprintPackConfig | LimitPackConfig) -> Iterator[Callable[[TrainingProgress], None]]:
    """Shows the bar of a training and yields the function that moves it."""
    unit = "boards" if config.algorithm == "pcs" else "deals"
    total = config.seconds or config.iterations  # a stop rule alone says nothing about the time left
    with show_progress("", float(total) if total else None) as shown:

        def progress(now: TrainingProgress) -> None:
            shares = ", ".join(f"{action} {100 * share:.1f} %" for action, share in now.button.items())
            speed = f"{now.iterations:,} {unit}, {now.iterations_per_second:,.1f}/s, button: {shares}"
            if now.head_to_head is not None:
                result = now.head_to_head
                speed += f", against half the time {result.mbb_per_hand:+.1f} {format_error(result.standard_error)} mbb"
            shown.update(now.seconds if config.seconds else now.iterations, speed)

        yield progress


def build_flops(kind: str, config_path: Path, out: Path, work: Path, options: BuildOptions) -> None:
    """Does the jobs of a flop pack of either tier that are not yet in ``work``, and writes the pack.

    :param kind: ``flops`` or ``quick-flops``.
    :param out: folder of the pack.
    :param work: folder of the finished jobs.
    """
    build = open_flop_build(kind, config_path, work, options.flops)
    verify_work(build, work)
    if not options.partial:
        with open_engine(build, options) as engine, show_progress("", len(build.jobs())) as shown:
            if engine.dashboard is not None:
                click.echo(f"dashboard: {engine.dashboard}", err=True)
            run_jobs(build, engine, lambda now: shown.update(now.done, describe_progress(now)))
    made = provenance_of_build(config_path)
    if isinstance(build, QuickBuild):
        cards = CardAbstraction.load_or_build(build.table.config["cards"])
        quick_flops.assemble(build, cards, made, out, partial=options.partial, overwrite=options.overwrite)
    else:
        exact_assembly.assemble(build, made, out, partial=options.partial, overwrite=options.overwrite)
    click.echo(f"wrote {out}")


def provenance_of_build(config_path: Path) -> Provenance:
    """Returns what makes a flop pack. Where its jobs were done is left out, because the pack does not depend on it."""
    return provenance().model_copy(update={"command": f"hedgehog pack build {config_path.name}"})
