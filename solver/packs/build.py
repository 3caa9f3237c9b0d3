"""One build of any strategy pack, for the command line and Python alike: from a YAML file to the folder of the pack.

A blueprint or limit strategy is trained as a whole, with checkpoints. A flop pack is solved or refined flop by flop, by
worker processes of this machine or of a dask cluster. Every build can be interrupted: the same call goes on from its
folder of work.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel

from hedgehog.runtime.config_file import ConfigFile, read_text
from hedgehog.runtime.engines import opening
from hedgehog.runtime.engines.jobs import STATUS_FILE
from hedgehog.runtime.engines.local import BASE_BYTES, Engine, local_workers
from hedgehog.runtime.engines.makespan import Cluster, simulate
from hedgehog.runtime.engines.running import RunProgress, run_jobs
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.outputs import FolderKind, verify_output_folder
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.config import (
    read_blueprint_pack_config,
)
from hedgehog.solver.blueprint.family_config import BlueprintFamilyConfig, read_blueprint_family_config
from hedgehog.solver.blueprint.limit_config import read_limit_pack_config
from hedgehog.solver.packs import exact_assembly, exact_flops, quick_flops
from hedgehog.solver.packs.build_estimate import SAMPLES, BuildEstimate, estimate_build
from hedgehog.solver.packs.build_status import CHECKPOINT, work_folder
from hedgehog.solver.packs.exact_config import FlopPackConfig, read_flop_pack_config
from hedgehog.solver.packs.exact_flops import ExactBuild
from hedgehog.solver.packs.jobs import Job, verify_work
from hedgehog.solver.packs.quick_flops import QuickBuild, QuickFlopConfig, read_quick_flop_config
from hedgehog.solver.packs.trainings import (
    DEPTHS_WORK,
    TrainedConfig,
    TrainingEstimate,
    estimate_training,
    train_family,
    train_pack,
    verify_apart,
    verify_wanted,
)
from hedgehog.strategies.flop_subsets import find_flop_subset
from hedgehog.strategies.manifest import PackManifest, Provenance
from hedgehog.strategies.pack import verify_pack_output
from hedgehog.strategies.provenance import provenance

PackConfig = TrainedConfig | BlueprintFamilyConfig | FlopPackConfig | QuickFlopConfig
FlopPackBuild = ExactBuild | QuickBuild
"""The build of a flop pack of either tier."""
Flops = str | Sequence[tuple[int, float]]
"""Flop classes with their weights, in the order of the build, or a subset as the command line names it."""
WORK_FOLDER: Final = FolderKind(
    "the unfinished work of a pack",
    (
        CHECKPOINT,
        "blueprint-*.npz",
        "*/*-[0-9][0-9][0-9][0-9].npz",
        "*/[0-9][0-9][0-9][0-9].npz",
        STATUS_FILE,
        f"*/{STATUS_FILE}",
    ),
)
"""Checkpoint and snapshots of a training, the finished flops in folders named by configuration, and the status."""


class _Kind(BaseModel):
    kind: Literal["blueprint", "flops", "quick-flops", "limit-blueprint"]
    depths: Any = None
    """Stands in the configuration of blueprints for several depths."""


_READERS: Final[dict[str, Callable[[Path, str], PackConfig]]] = {
    "blueprint": read_blueprint_pack_config,
    "flops": read_flop_pack_config,
    "quick-flops": read_quick_flop_config,
    "limit-blueprint": read_limit_pack_config,
}


@dataclass(frozen=True, slots=True)
class FlopPackEstimate:
    """What the rest of a flop pack's build needs."""

    build: FlopPackBuild
    jobs: BuildEstimate
    workers: int
    """Worker processes that were asked for, or for which there are processors and memory."""
    threads: int
    """Threads of each worker."""

    @property
    def worker_bytes(self) -> int:
        """Bytes of memory of a worker process."""
        return self.jobs.needed_bytes + BASE_BYTES

    def seconds_with(self, workers: int) -> float:
        """Returns the seconds until the end of the build on so many workers."""
        return simulate(self.jobs.seconds / self.threads, Cluster(workers)).seconds


def read_pack_config(path: Path, flop_options: Mapping[str, object] | None = None) -> PackConfig:
    """Returns the checked configuration of a pack of any kind.

    :param flop_options: options that only a flop pack takes; None and False stand for options that are not given.
    :raises InputError: if the file cannot be read or is wrong, in which case the message has file and line, or if a
        pack that is trained as a whole is given one of the options.
    """
    text = read_text(path, InputError, "a pack")
    found = ConfigFile(text, _Kind, InputError, str(path), "a pack").model
    kind = found.kind
    given = [name for name, value in (flop_options or {}).items() if value not in (None, False)]
    if given and not kind.endswith("flops"):
        raise InputError(f"--{given[0]}: only for building flop packs")
    if kind == "blueprint" and "depths" in found.model_fields_set:
        return read_blueprint_family_config(path, text)
    return _READERS[kind](path, text)


def build_pack(  # noqa: PLR0913
    config: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    work: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    dask: str | None = None,
    flops: Flops | None = None,
    partial: bool = False,
    overwrite: bool = False,
    watch: Watch = SILENT,
) -> list[PackManifest]:
    """Builds the packs that a YAML file describes, going on from unfinished work, and returns their manifests.

    A file describes one pack, or with the key ``depths`` one blueprint for each depth. Of these, the ones that are
    finished already are left as they are: they are what the file describes, and trained at least as long.

    :param config: the file, described in ``docs/pack-configs.md``.
    :param out: folder of the finished pack; with ``depths`` the folder in which every pack gets a folder of its own.
    :param work: folder of unfinished work; None for ``OUT.work`` beside the pack.
    :param threads: worker processes of a flop pack, None for as many as there are processors and memory; threads of a
        training, None for those of the file, or all processors.
    :param dask: flop packs: address of a dask scheduler, or ``local:N`` for N processes here.
    :param flops: flop packs: build these flops in place of those of the file.
    :param partial: flop packs: write a pack of the flops that are finished, and do no others.
    :param overwrite: replace a pack that is already at ``out``; with ``depths``, packs that are not what the file
        describes.
    :param watch: hears of the progress. Where it says to stop, a training writes a checkpoint, and the build ends as
        by Ctrl-C.
    :raises InputError: if the file, its blueprint or an argument is wrong, or a folder holds anything else.
    :raises ResourceError: if memory does not suffice, another process builds in the folder of work, a worker process
        keeps dying, or a file cannot be written.
    :raises StoppedError: if the watch says to stop.
    """
    source, target = Path(config), Path(out)
    place = work_folder(target) if work is None else Path(work)
    read = read_pack_config(source, {"flops": flops, "partial": partial, "dask": dask})
    chosen = _flops(flops)
    if isinstance(read, BlueprintFamilyConfig):
        return train_family(read, source, target, place, threads, watch, overwrite=overwrite)
    verify_pack_output(target, overwrite=overwrite)
    verify_apart(target, place)
    verify_output_folder(place, WORK_FOLDER, proceed=True, inputs=[source])
    if isinstance(read, TrainedConfig):
        return [train_pack(read, target, place, threads, watch, overwrite=overwrite)]
    build = _open_flop_build(read, source.parent, place, chosen)
    if not partial:
        _do_jobs(build, threads, dask, watch)
    # Where the jobs were done is left out, because the pack does not depend on it.
    made = provenance().model_copy(update={"command": f"hedgehog pack build {source.name}"})
    return [assemble(build, made, target, partial=partial, overwrite=overwrite)]


def estimate_pack(
    config: str | os.PathLike[str],
    *,
    work: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    flops: Flops | None = None,
    watch: Watch = SILENT,
) -> list[TrainingEstimate] | FlopPackEstimate:
    """Returns what the build of a pack needs, without building it. The arguments are those of :func:`build_pack`.

    :param work: folder of unfinished work, whose flops make the estimate better. The estimate of a quick pack refines
        some flops and keeps them in it; None uses a temporary folder.
    :raises InputError: if the file, its blueprint or an argument is wrong, or ``work`` holds anything else.
    """
    source = Path(config)
    read = read_pack_config(source, {"flops": flops})
    chosen = _flops(flops)
    if work is not None:
        kind = DEPTHS_WORK if isinstance(read, BlueprintFamilyConfig) else WORK_FOLDER
        verify_output_folder(Path(work), kind, proceed=True, inputs=[source])
    if isinstance(read, BlueprintFamilyConfig | TrainedConfig):
        members = read.members() if isinstance(read, BlueprintFamilyConfig) else (read,)
        return [estimate_training(member, threads) for member in members]
    with ExitStack() as stack:
        place = stack.enter_context(tempfile.TemporaryDirectory()) if work is None else work
        build = _open_flop_build(read, source.parent, Path(place), chosen)
        tried = 0
        watch.begin("trying a few flops of every line", len(read.lines) * SAMPLES, "flops")

        def on_try(job: Job) -> None:
            nonlocal tried
            tried += 1
            watch.update(tried, str(job))

        found = estimate_build(build, on_try=on_try)
        return FlopPackEstimate(build, found, threads or default_workers(build), threads_per_worker(build))


def _flops(flops: Flops | None) -> Sequence[tuple[int, float]] | None:
    return find_flop_subset(flops).pairs() if isinstance(flops, str) else flops


def open_flop_build(
    config: str | os.PathLike[str], work: str | os.PathLike[str], flops: Flops | None = None
) -> FlopPackBuild:
    """Returns the build of the configuration file of a flop pack, for callers that do its jobs in a way of their own.

    :param work: folder of finished jobs.
    :param flops: build these flops in place of those of the file.
    :raises InputError: if the file or its blueprint is wrong, or ``work`` belongs to another configuration.
    """
    read = read_pack_config(Path(config))
    if isinstance(read, BlueprintFamilyConfig | TrainedConfig):
        raise InputError("expected the configuration of a flop pack", source=str(config))
    return _open_flop_build(read, Path(config).parent, Path(work), _flops(flops))


def _open_flop_build(
    config: FlopPackConfig | QuickFlopConfig, folder: Path, work: Path, flops: Sequence[tuple[int, float]] | None
) -> FlopPackBuild:
    build: FlopPackBuild
    if isinstance(config, FlopPackConfig):
        build = exact_flops.open_build(config, folder, work, flops)
    else:
        build = quick_flops.open_build(config, folder, work, [index for index, _ in flops or ()])
    verify_work(build, work)
    return build


def open_engine(build: FlopPackBuild, workers: int | None = None, dask: str | None = None) -> Engine:
    """Returns what does the jobs of a build: local worker processes, or the workers of a dask scheduler.

    :param workers: number of local processes; None for as many as fit.
    :param dask: address of a dask scheduler, or ``local:N``.
    :raises InputError: if dask is not installed or its address malformed.
    :raises ResourceError: if no dask scheduler answers.
    """
    return opening.open_engine(workers or default_workers(build), dask)


def default_workers(build: FlopPackBuild) -> int:
    """Returns the number of worker processes for which there are processors and memory, at least 1."""
    return local_workers(max(build.needed_bytes(job) for job in build.jobs()), threads_per_worker(build))


def threads_per_worker(build: FlopPackBuild) -> int:
    """Returns the number of threads of one worker."""
    return build.config.threads if isinstance(build, ExactBuild) else 1


def _do_jobs(build: FlopPackBuild, workers: int | None, dask: str | None, watch: Watch) -> None:
    def progress(now: RunProgress) -> None:
        if now.begun:  # the clock of the remaining time starts with the first flop, not with compiling
            watch.update(now.done, str(now))
        verify_wanted(watch)

    with open_engine(build, workers, dask) as engine:
        watch.begin("", len(build.jobs()), text="workers start and compile")
        if engine.dashboard is not None:
            watch.note(f"dashboard: {engine.dashboard}")
        run_jobs(build, engine, progress, note=watch.warn)


def assemble(
    build: FlopPackBuild, made: Provenance, out: Path, *, partial: bool = False, overwrite: bool = False
) -> PackManifest:
    """Writes a pack of all finished jobs of a build and returns its manifest.

    :param made: the program and machine that made it.
    :param partial: leave out jobs that are not finished.
    :param overwrite: replace a pack that is already at ``out``.
    :raises PackError: if a job is not finished and ``partial`` is False, or none is finished.
    """
    if isinstance(build, ExactBuild):
        return exact_assembly.assemble(build, made, out, partial=partial, overwrite=overwrite)
    cards = CardAbstraction.load_or_build(build.table.config["cards"])
    return quick_flops.assemble(build, cards, made, out, partial=partial, overwrite=overwrite)
