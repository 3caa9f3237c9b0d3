"""One build of any strategy pack, for the command line and Python alike: from a YAML file to the folder of the pack.

A blueprint or limit strategy is trained as a whole, with checkpoints. A flop pack is solved or refined flop by flop, by
worker processes of this machine or of a dask cluster. Every build can be interrupted: the same call goes on from its
folder of work.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel

from hedgehog.poker.acpc.gamedef import format_gamedef
from hedgehog.runtime.config_file import ConfigFile, read_text
from hedgehog.runtime.errors import InputError, PackError, StoppedError
from hedgehog.runtime.files import real_path
from hedgehog.runtime.memory import available_memory
from hedgehog.runtime.outputs import FolderKind, verify_output_folder
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.config import (
    BlueprintPackConfig,
    gamedef_of,
    menu_of,
    read_blueprint_pack_config,
    tree_of,
)
from hedgehog.solver.blueprint.estimate import BlueprintEstimate, estimate_blueprint, estimate_limit
from hedgehog.solver.blueprint.family_config import BlueprintFamilyConfig, read_blueprint_family_config
from hedgehog.solver.blueprint.limit_config import LimitPackConfig, read_limit_pack_config
from hedgehog.solver.blueprint.limit_training import train_limit
from hedgehog.solver.blueprint.trainer import TrainingFiles, TrainingProgress
from hedgehog.solver.blueprint.training import train_blueprint
from hedgehog.solver.packs import exact_assembly, exact_flops, quick_flops
from hedgehog.solver.packs.blueprint import write_blueprint_pack
from hedgehog.solver.packs.build_estimate import SAMPLES, BuildEstimate, estimate_build
from hedgehog.solver.packs.build_status import CHECKPOINT, STATUS_FILE, work_folder
from hedgehog.solver.packs.builder import BuildProgress, run_jobs
from hedgehog.solver.packs.engines.dask_engine import DaskEngine
from hedgehog.solver.packs.engines.local import BASE_BYTES, Engine, LocalEngine
from hedgehog.solver.packs.exact_config import FlopPackConfig, read_flop_pack_config
from hedgehog.solver.packs.exact_flops import ExactBuild
from hedgehog.solver.packs.jobs import Job, hold_work, verify_work
from hedgehog.solver.packs.limit import write_limit_pack
from hedgehog.solver.packs.makespan import Cluster, simulate
from hedgehog.solver.packs.quick_flops import QuickBuild, QuickFlopConfig, read_quick_flop_config
from hedgehog.strategies.flop_subsets import find_flop_subset
from hedgehog.strategies.manifest import PackManifest, Provenance, read_manifest
from hedgehog.strategies.pack import verify_pack_output
from hedgehog.strategies.provenance import provenance

TrainedConfig = BlueprintPackConfig | LimitPackConfig
"""Configuration of a pack that is trained as a whole."""
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
    """Given in the configuration of blueprints for several depths."""


_READERS: Final[dict[str, Callable[[Path, str], PackConfig]]] = {
    "blueprint": read_blueprint_pack_config,
    "flops": read_flop_pack_config,
    "quick-flops": read_quick_flop_config,
    "limit-blueprint": read_limit_pack_config,
}


@dataclass(frozen=True, slots=True)
class TrainingEstimate:
    """What the training of a pack needs."""

    config: TrainedConfig
    tables: BlueprintEstimate
    threads: int


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
    if kind == "blueprint" and found.depths is not None:
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

    A file describes one pack, or with the key ``depths`` one blueprint for each depth. Blueprints that are finished are
    not trained again.

    :param config: the file, described in ``docs/pack-configs.md``.
    :param out: folder of the finished pack; with ``depths`` the folder in which every pack gets a folder of its own.
    :param work: folder of unfinished work; None for ``OUT.work`` beside the pack.
    :param threads: worker processes of a flop pack, None for as many as there are processors and memory; threads of a
        training, None for those of the file, or all processors.
    :param dask: flop packs: address of a dask scheduler, or ``local:N`` for N processes here.
    :param flops: flop packs: build these flops in place of those of the file.
    :param partial: flop packs: write a pack of the flops that are finished, and do no others.
    :param overwrite: replace a pack that is already at ``out``.
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
        return _train_family(read, source, target, place, threads, watch, overwrite=overwrite)
    verify_build_outputs(source, target, place, overwrite=overwrite)
    if isinstance(read, TrainedConfig):
        return [_train(read, target, place, threads, watch, overwrite=overwrite)]
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
        verify_build_outputs(source, None, Path(work))
    if isinstance(read, BlueprintFamilyConfig | TrainedConfig):
        trained = read.members() if isinstance(read, BlueprintFamilyConfig) else (read,)
        return [TrainingEstimate(each, _estimate_training(each), _training_threads(each, threads)) for each in trained]
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


def verify_build_outputs(config: Path, out: Path | None, work: Path, *, overwrite: bool = False) -> None:
    """Checks the folders that a build writes to, before any work.

    :param out: folder of the pack, None if none is written.
    :raises InputError: if one of them holds anything but a pack to replace, or work to go on with.
    """
    if out is not None:
        verify_pack_output(out, overwrite=overwrite)
        if real_path(work).is_relative_to(real_path(out)) or real_path(out).is_relative_to(real_path(work)):
            raise InputError(f"--out {out} and --work {work} lie in each other: expected two separate folders")
    verify_output_folder(work, WORK_FOLDER, proceed=True, inputs=[config])


def _flops(flops: Flops | None) -> Sequence[tuple[int, float]] | None:
    return find_flop_subset(flops).pairs() if isinstance(flops, str) else flops


def _training_threads(config: TrainedConfig, threads: int | None) -> int:
    return threads or config.threads or os.cpu_count() or 1


def _estimate_training(config: TrainedConfig) -> BlueprintEstimate:
    if isinstance(config, LimitPackConfig):
        return estimate_limit(config.training(1), config.cards.bucket_counts)
    return estimate_blueprint(tree_of(config), config.cards.bucket_counts, config.algorithm)


def _train(
    config: TrainedConfig, out: Path, work: Path, threads: int | None, watch: Watch, *, overwrite: bool
) -> PackManifest:
    """Trains a strategy, from its checkpoint if there is one, and writes the pack."""
    threads = _training_threads(config, threads)
    _estimate_training(config).verify_memory(threads)
    cards = CardAbstraction.load_or_build(config.cards, progress=watch.note)
    total = config.seconds or config.iterations  # a stop rule alone says nothing about the time left
    watch.begin("", float(total) if total else None)
    unit = "boards" if config.algorithm == "pcs" else "deals"

    def progress(now: TrainingProgress) -> None:
        watch.update(now.seconds if config.seconds else now.iterations, _describe_training(now, unit))
        _verify_wanted(watch)

    files = TrainingFiles(work / CHECKPOINT, snapshots=work if config.snapshots else None)
    if isinstance(config, LimitPackConfig):
        with hold_work(work):
            strategy = train_limit(config.training(threads), cards, files, progress=progress)
        return write_limit_pack(strategy, config.name, provenance(), out, overwrite=overwrite)
    with hold_work(work):
        trained = train_blueprint(config.training(threads), cards, files, progress=progress)
    game = gamedef_of(config)
    return write_blueprint_pack(trained, cards.digest, config.name, game, provenance(), out, overwrite=overwrite)


def _train_family(
    family: BlueprintFamilyConfig,
    source: Path,
    out: Path,
    work: Path,
    threads: int | None,
    watch: Watch,
    *,
    overwrite: bool,
) -> list[PackManifest]:
    """Trains the blueprints of all depths that are not finished, one after the other, and returns all manifests."""
    members = family.members()
    finished = {config.name: _finished_blueprint(out / config.name, config) for config in members}
    left = [config for config in members if finished[config.name] is None]
    for config in left:
        verify_build_outputs(source, out / config.name, work / config.name, overwrite=overwrite)
    for number, config in enumerate(left, start=1):
        watch.note(f"{config.name}, {number} of {len(left)} blueprints to train")
        made = _train(config, out / config.name, work / config.name, threads, watch, overwrite=overwrite)
        finished[config.name] = made
    return [manifest for manifest in finished.values() if manifest is not None]


def _finished_blueprint(folder: Path, config: BlueprintPackConfig) -> PackManifest | None:
    """Returns the manifest of the pack in a folder if it is what a configuration describes."""
    try:
        manifest = read_manifest(folder)
    except PackError:
        return None
    training = manifest.config.get("training", {})
    wanted = {"menu": menu_of(config).to_dict(), "cards": config.cards.to_dict()}
    # As in the manifest, where tuples are lists.
    same = all(manifest.config.get(key) == json.loads(json.dumps(value)) for key, value in wanted.items())
    enough = training.get("iterations", 0) >= (config.iterations or 0)
    game = manifest.gamedef == format_gamedef(gamedef_of(config))
    return manifest if same and enough and game and training.get("seed") == config.seed else None


def _describe_training(now: TrainingProgress, unit: str) -> str:
    shares = ", ".join(f"{action} {100 * share:.1f} %" for action, share in now.button.items())
    text = f"{now.iterations:,} {unit}, {now.iterations_per_second:,.1f}/s, button: {shares}"
    if now.head_to_head is not None:
        error = now.head_to_head.standard_error
        margin = f"± {error:,.1f}" if 0 < error < math.inf else "± none"
        text += f", against half the time {now.head_to_head.mbb_per_hand:+.1f} {margin} mbb"
    return text


def _verify_wanted(watch: Watch) -> None:
    if watch.stopped:
        raise StoppedError("stopped")


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
    return LocalEngine(workers or default_workers(build)) if dask is None else DaskEngine(dask)


def default_workers(build: FlopPackBuild) -> int:
    """Returns the number of worker processes for which there are processors and memory, at least 1."""
    needed = max(build.needed_bytes(job) for job in build.jobs()) + BASE_BYTES
    return int(max(min(len(os.sched_getaffinity(0)) // threads_per_worker(build), available_memory() // needed), 1))


def threads_per_worker(build: FlopPackBuild) -> int:
    """Returns the number of threads of one worker."""
    return build.config.threads if isinstance(build, ExactBuild) else 1


def _do_jobs(build: FlopPackBuild, workers: int | None, dask: str | None, watch: Watch) -> None:
    def progress(now: BuildProgress) -> None:
        watch.update(now.done, str(now))
        _verify_wanted(watch)

    with open_engine(build, workers, dask) as engine:
        watch.begin("", len(build.jobs()))
        if engine.dashboard is not None:
            watch.note(f"dashboard: {engine.dashboard}")
        run_jobs(build, engine, progress)


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
