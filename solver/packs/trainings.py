"""Builds of packs that are trained as a whole: one blueprint or limit strategy, or blueprints for several depths.

The blueprints of a file with ``depths`` are trained one after the other. Each has a folder of its own in the folder of
packs and in the folder of work. Blueprints that are finished are known by their manifests and not trained again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hedgehog.poker.acpc.gamedef import format_gamedef
from hedgehog.runtime.engines.jobs import hold_work
from hedgehog.runtime.errors import InputError, PackError, StoppedError
from hedgehog.runtime.files import real_path
from hedgehog.runtime.machine import num_processors
from hedgehog.runtime.outputs import FolderKind, verify_output_folder
from hedgehog.runtime.watch import Watch
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.cards.card_config import parse_card_config
from hedgehog.solver.blueprint.config import BlueprintPackConfig, gamedef_of, menu_of, tree_of
from hedgehog.solver.blueprint.estimate import BlueprintEstimate, estimate_blueprint, estimate_limit
from hedgehog.solver.blueprint.family_config import BlueprintFamilyConfig
from hedgehog.solver.blueprint.limit_config import LimitPackConfig
from hedgehog.solver.blueprint.limit_training import train_limit
from hedgehog.solver.blueprint.trainer import TrainingFiles, TrainingProgress, read_checkpoint_status
from hedgehog.solver.blueprint.training import BlueprintTrainer, train_blueprint
from hedgehog.solver.packs.blueprint import write_blueprint_pack
from hedgehog.solver.packs.build_status import CHECKPOINT, DEPTHS_FILE, Depth, write_depths
from hedgehog.solver.packs.limit import write_limit_pack
from hedgehog.strategies.bet_menus import parse_menu
from hedgehog.strategies.manifest import MANIFEST_NAME, PackManifest
from hedgehog.strategies.pack import folder_of_packs, open_pack, remove_unfinished, verify_pack_output
from hedgehog.strategies.provenance import provenance

TrainedConfig = BlueprintPackConfig | LimitPackConfig
"""Configuration of a pack that is trained as a whole."""
DEPTHS_WORK: Final = FolderKind(
    "the unfinished work of blueprints for several depths", (DEPTHS_FILE, f"*/{CHECKPOINT}", "*/blueprint-*.npz")
)
_BOARD_COST: Final = 100
"""What a board costs besides its decisions, in decisions: 20 BB (964) trained 4.7 times as fast as 100 BB (4,973)."""
Report = Callable[[TrainingProgress, str], None]
"""Hears how far a training is, in numbers and in words."""


@dataclass(frozen=True, slots=True)
class TrainingEstimate:
    """What the training of a pack needs."""

    config: TrainedConfig
    tables: BlueprintEstimate
    threads: int


def estimate_training(config: TrainedConfig, threads: int | None = None) -> TrainingEstimate:
    """Returns what the training of a pack needs.

    :param threads: number of threads; None for that of the configuration, or all processors.
    :raises ResourceError: if the betting tree is too large.
    """
    if isinstance(config, LimitPackConfig):
        tables = estimate_limit(config.training(1), config.cards.bucket_counts)
    else:
        tables = estimate_blueprint(tree_of(config), config.cards.bucket_counts, config.algorithm)
    return TrainingEstimate(config, tables, threads or config.threads or num_processors())


def train_pack(
    config: TrainedConfig, out: Path, work: Path, threads: int | None, watch: Watch, *, overwrite: bool
) -> PackManifest:
    """Trains a strategy, from its checkpoint if there is one, and writes the pack.

    :param threads: number of threads; None for that of the configuration, or all processors.
    :param overwrite: replace a pack that is already at ``out``.
    """
    needed = estimate_training(config, threads)
    needed.tables.verify_memory(needed.threads)
    cards = CardAbstraction.load_or_build(config.cards, progress=watch.note)
    total = config.seconds or config.iterations  # a stop rule alone says nothing about the time left
    watch.begin("", float(total) if total else None)

    def report(now: TrainingProgress, text: str) -> None:
        watch.update(now.seconds if config.seconds else now.iterations, text)
        verify_wanted(watch)

    return _train(needed, cards, out, work, report, overwrite=overwrite)


def _train(
    needed: TrainingEstimate, cards: CardAbstraction, out: Path, work: Path, report: Report, *, overwrite: bool
) -> PackManifest:
    config = needed.config
    unit = "boards" if config.algorithm == "pcs" else "deals"

    def progress(now: TrainingProgress) -> None:
        report(now, _describe_training(now, unit))

    files = TrainingFiles(work / CHECKPOINT, snapshots=work if config.snapshots else None)
    if isinstance(config, LimitPackConfig):
        with hold_work(work):
            strategy = train_limit(config.training(needed.threads), cards, files, progress=progress)
        return write_limit_pack(strategy, config.name, provenance(), out, overwrite=overwrite)
    with hold_work(work):
        trained = train_blueprint(config.training(needed.threads), cards, files, progress=progress)
    game = gamedef_of(config)
    return write_blueprint_pack(trained, cards.digest, config.name, game, provenance(), out, overwrite=overwrite)


def train_family(
    family: BlueprintFamilyConfig,
    source: Path,
    out: Path,
    work: Path,
    threads: int | None,
    watch: Watch,
    *,
    overwrite: bool,
) -> list[PackManifest]:
    """Trains the blueprints of all depths that are not finished, one after the other, and returns all manifests.

    :param source: file of the configuration.
    :param out: folder of the packs.
    :param work: folder of unfinished work, with a folder for each depth.
    :param threads: number of threads; None for that of the configuration, or all processors.
    :param overwrite: replace packs that are not what the configuration describes. Finished ones stay as they are.
    :raises InputError: if a folder holds anything else than it may, or a checkpoint is of another training; then
        nothing has been done.
    """
    members = family.members()
    names = [config.name for config in members]
    verify_output_folder(out, folder_of_packs(out, names), proceed=True, inputs=[source])
    verify_apart(out, work)
    verify_output_folder(work, DEPTHS_WORK, proceed=True, inputs=[source])
    finished = {config.name: _finished(out / config.name, config, overwrite=overwrite) for config in members}
    needed = [estimate_training(config, threads) for config in members]
    for one in needed:
        if finished[one.config.name] is None:
            verify_pack_output(out / one.config.name, overwrite=overwrite)
            one.tables.verify_memory(one.threads)
    with hold_work(work):
        _write_depths(work, members, finished)
        for config in members:
            remove_unfinished(out / config.name)
        if None not in finished.values():
            watch.note(f"all {len(members)} blueprints are finished already")
        else:
            cards = CardAbstraction.load_or_build(family.cards, progress=watch.note)
            _verify_checkpoints([one for one in needed if finished[one.config.name] is None], cards, work)
            share = _Share(needed, watch)
            for number, (config, one) in enumerate(zip(members, needed, strict=True), start=1):
                where = f"{config.name} ({number} of {len(members)})"
                if finished[config.name] is None:
                    share.begin(config, where, work / config.name / CHECKPOINT)
                    target, own = out / config.name, work / config.name
                    finished[config.name] = _train(one, cards, target, own, share.report, overwrite=overwrite)
                    _write_depths(work, members, finished)
                    watch.note(f"wrote {out / config.name} ({number} of {len(members)})")
                else:
                    watch.note(f"{where} is finished already")
                share.end(config)
    return [manifest for manifest in finished.values() if manifest is not None]


class _Share:
    """Tells a watch how far the training of all depths is.

    Depths that are limited by iterations count as their iterations times the size of their tree, depths that are
    limited by seconds as their seconds. Where one is limited in the first way and one in the other, nothing is said.
    """

    def __init__(self, needed: list[TrainingEstimate], watch: Watch) -> None:
        self._watch = watch
        configs = [one.config for one in needed]
        self._by_boards = all(config.iterations for config in configs)
        known = self._by_boards or all(config.seconds for config in configs)
        self._weights = {
            one.config.name: float(sum(one.tables.decisions) + _BOARD_COST) if self._by_boards else 1.0
            for one in needed
        }
        self._done = 0.0
        watch.begin("", sum(map(self._amount, configs)) if known else None)

    def _amount(self, config: TrainedConfig) -> float:
        return self._weights[config.name] * ((config.iterations if self._by_boards else config.seconds) or 0)

    def begin(self, config: TrainedConfig, where: str, checkpoint: Path) -> None:
        """Begins the training of a depth, which goes on from its checkpoint.

        :param where: name and number of the depth, for the text.
        :raises StoppedError: if the watch says to stop.
        """
        verify_wanted(self._watch)
        self._config, self._where = config, where
        before = read_checkpoint_status(checkpoint) if checkpoint.exists() else None
        self._say(0 if before is None else before.iterations if self._by_boards else before.seconds, where)

    def _say(self, done: float, text: str) -> None:
        part = min(self._weights[self._config.name] * done, self._amount(self._config))
        self._watch.update(self._done + part, text)

    def report(self, now: TrainingProgress, text: str) -> None:
        """Hears how far the training of the depth is."""
        self._say(now.iterations if self._by_boards else now.seconds, f"{self._where}: {text}")
        verify_wanted(self._watch)

    def end(self, config: TrainedConfig) -> None:
        """Counts a depth as done."""
        self._done += self._amount(config)


def _write_depths(
    work: Path, members: tuple[BlueprintPackConfig, ...], finished: dict[str, PackManifest | None]
) -> None:
    depths = [Depth(one.name, finished[one.name] is not None, one.iterations, one.seconds) for one in members]
    write_depths(work / DEPTHS_FILE, depths)


def _verify_checkpoints(needed: list[TrainingEstimate], cards: CardAbstraction, work: Path) -> None:
    """Checks before the first training that every training may go on from its checkpoint."""
    for one in needed:
        path = work / one.config.name / CHECKPOINT
        if path.exists() and isinstance(one.config, BlueprintPackConfig):
            header, _ = BlueprintTrainer.read_checkpoint(path, ())
            wanted = one.config.training(one.threads).identity(cards)
            BlueprintTrainer.verify_identity(header["identity"], wanted, path)


def _finished(folder: Path, config: BlueprintPackConfig, *, overwrite: bool) -> PackManifest | None:
    """Returns the manifest of the pack in a folder if it is what a configuration describes, None without a pack.

    :param overwrite: another or a damaged pack counts as none, because it may be replaced.
    :raises InputError: if there is another or a damaged pack, unless it may be replaced.
    """
    if not (folder / MANIFEST_NAME).exists():
        return None
    try:
        manifest = open_pack(folder).manifest
        fault = _difference(manifest, config)
    except PackError as error:
        fault = f"damaged: {error.message}"
    if fault is None:
        return manifest
    if overwrite:
        return None
    message = f"holds another pack than {config.name!r} of the configuration ({fault})"
    raise InputError(f"{message}: expected another folder, or --overwrite", source=str(folder))


def _difference(manifest: PackManifest, config: BlueprintPackConfig) -> str | None:
    """Returns in which way a pack is not what a configuration describes; None if it is."""
    if manifest.kind != "blueprint":
        return f"kind: {manifest.kind}"
    wanted = config.training(1)
    try:
        training = BlueprintTrainer.identity_defaults | manifest.config["training"]
        pairs = {
            "game": (manifest.gamedef, format_gamedef(gamedef_of(config))),
            "menu": (parse_menu(manifest.config["menu"]), menu_of(config)),
            "card buckets": (parse_card_config(manifest.config["cards"]), config.cards),
            **{key: (training[key], getattr(wanted, key)) for key in ("seed", *BlueprintTrainer.identity_defaults)},
        }
        for name, (found, expected) in pairs.items():
            if found != expected:
                plain = isinstance(expected, int | float | str) and name != "game"
                return f"{name}: {found}, not {expected}" if plain else f"{name}: not the same"
        if not _has_ended(training, config):
            return f"training: ended after {training['iterations']:,} iterations and {training['seconds']:g} s"
    except (AttributeError, KeyError, TypeError, ValueError):
        return "damaged: its configuration is incomplete"
    return None


def _has_ended(training: Mapping[str, Any], config: BlueprintPackConfig) -> bool:
    """Tells whether a finished training has reached one of the limits of a configuration."""
    return (
        (config.iterations is not None and bool(training["iterations"] >= config.iterations))
        or (config.seconds is not None and bool(training["seconds"] >= round(config.seconds, 1)))
        or (config.stop is not None and training.get("stop") == config.stop.model_dump())
    )


def verify_apart(out: Path, work: Path) -> None:
    """Checks that the folders of packs and of work do not lie in each other.

    :raises InputError: if they do.
    """
    if real_path(work).is_relative_to(real_path(out)) or real_path(out).is_relative_to(real_path(work)):
        raise InputError(f"--out {out} and --work {work} lie in each other: expected two separate folders")


def _describe_training(now: TrainingProgress, unit: str) -> str:
    shares = ", ".join(f"{action} {100 * share:.1f} %" for action, share in now.button.items())
    text = f"{now.iterations:,} {unit}, {now.iterations_per_second:,.1f}/s, button: {shares}"
    if now.head_to_head is not None:
        error = now.head_to_head.standard_error
        margin = f"± {error:,.1f}" if 0 < error < math.inf else "± none"
        text += f", against half the time {now.head_to_head.mbb_per_hand:+.1f} {margin} mbb"
    return text


def verify_wanted(watch: Watch) -> None:
    """Raises StoppedError if a watch says to stop."""
    if watch.stopped:
        raise StoppedError("stopped")
