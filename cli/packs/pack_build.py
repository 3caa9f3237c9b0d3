"""The work of ``hedgehog pack build``: trains or solves with progress, and writes the pack."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import click

from cli.packs.pack_estimate import describe_quick_build, with_flops
from cli.progress import show_progress
from runtime.errors import InputError
from runtime.outputs import FolderKind, verify_output_folder
from solver.blueprint.card_abstraction import CardAbstraction
from solver.blueprint.config import gamedef_of, read_blueprint_pack_config, tree_of
from solver.blueprint.estimate import estimate_blueprint
from solver.blueprint.training import TrainingProgress
from solver.packs import exact_flops, quick_flops
from solver.packs.blueprint import train, write_blueprint_pack
from solver.packs.workers import BuildProgress, run_jobs
from strategies.flop_subsets import FlopSubset
from strategies.pack import verify_pack_output
from strategies.provenance import provenance

WORK_FOLDER: Final = FolderKind(
    "the unfinished work of a pack",
    ("checkpoint.npz", "blueprint-*.npz", "*/*-[0-9][0-9][0-9][0-9].npz", "*/[0-9][0-9][0-9][0-9].npz"),
)
"""Checkpoint and snapshots of a training, and the finished solves of flops in folders named by configuration."""


def verify_build_outputs(config: Path, out: Path | None, work: Path, *, overwrite: bool) -> None:
    """Checks the folders that a build writes to, before any work.

    :param out: folder of the pack, None if none is written.
    :raises InputError: if one of them holds anything but a pack to replace, or work to go on with.
    """
    if out is not None:
        verify_pack_output(out, overwrite=overwrite)
        if work.resolve().is_relative_to(out.resolve()) or out.resolve().is_relative_to(work.resolve()):
            raise InputError(f"--out {out} and --work {work} lie in each other: expected two separate folders")
    verify_output_folder(work, WORK_FOLDER, proceed=True, inputs=[config])


def build_blueprint(config_path: Path, out: Path, work: Path, threads: int | None, *, overwrite: bool = False) -> None:
    """Trains the blueprint of a configuration, from its checkpoint if there is one, and writes the pack."""
    config = read_blueprint_pack_config(config_path)
    threads = threads or config.threads or os.cpu_count() or 1
    estimate_blueprint(tree_of(config), config.cards.bucket_counts, config.algorithm).verify_memory(threads)
    cards = CardAbstraction.load_or_build(config.cards, progress=lambda text: click.echo(text, err=True))
    unit = "boards" if config.algorithm == "pcs" else "deals"
    total = config.seconds or config.iterations  # a stop rule alone says nothing about the time left
    with show_progress("", float(total) if total else None) as shown:

        def progress(now: TrainingProgress) -> None:
            shares = ", ".join(f"{action} {100 * share:.1f} %" for action, share in now.button.items())
            speed = f"{now.iterations:,} {unit}, {now.iterations_per_second:,.1f}/s, button: {shares}"
            if now.head_to_head is not None:
                result = now.head_to_head
                speed += f", against half the time {result.mbb_per_hand:+.1f} ± {result.standard_error:.1f} mbb"
            shown.update(now.seconds if config.seconds else now.iterations, speed)

        blueprint = train(config, cards, work / "checkpoint.npz", threads, progress)
    write_blueprint_pack(
        blueprint, cards.digest, config.name, gamedef_of(config), provenance(), out, overwrite=overwrite
    )
    click.echo(f"wrote {out}")


def build_flops(
    config_path: Path,
    out: Path,
    work: Path,
    threads: int,
    subset: FlopSubset | None = None,
    *,
    overwrite: bool = False,
) -> None:
    """Solves the flops of a configuration whose solves are not yet in ``work``, and writes the pack.

    :param subset: the flops, in place of those of the configuration.
    """
    config = with_flops(exact_flops.read_flop_pack_config(config_path), "flops", subset)
    build = exact_flops.open_build(config, config_path.parent, work, threads)
    with show_progress("", len(build.jobs())) as shown:

        def progress(now: BuildProgress) -> None:
            doing = f", {now.job}: {now.state}" if now.state else ""
            shown.update(now.done, f"{now.done} of {now.total} solved{doing}")

        run_jobs(build, 1, progress)
    exact_flops.assemble(build, provenance(), out, overwrite=overwrite)
    click.echo(f"wrote {out}")


def build_quick_flops(
    config_path: Path,
    out: Path,
    work: Path,
    workers: int,
    subset: FlopSubset | None = None,
    *,
    partial: bool = False,
    overwrite: bool = False,
) -> None:
    """Refines the flops of a configuration that are not yet in ``work``, and writes the pack.

    :param subset: the flops, in place of those of the configuration.
    :param partial: write a pack of the flops in ``work`` and refine no others.
    """
    config = with_flops(quick_flops.read_quick_flop_config(config_path), "classes", subset)
    build = quick_flops.open_build(config, config_path.parent, work)
    if not partial:
        with show_progress("", len(build.jobs())) as shown:
            said = False

            def progress(now: BuildProgress) -> None:
                nonlocal said
                if not said and len(now.seconds) == len(config.lines) and now.worker_bytes:
                    said = True
                    for text in describe_quick_build(now, workers):
                        click.echo(text, err=True)
                shown.update(
                    now.done, f"{now.done:,} of {now.total:,} flops refined" + (f", {now.job}" if now.job else "")
                )

            run_jobs(build, workers, progress)
    cards = CardAbstraction.load_or_build(build.table.config["cards"])
    quick_flops.assemble(build, cards, provenance(), out, partial=partial, overwrite=overwrite)
    click.echo(f"wrote {out}")
