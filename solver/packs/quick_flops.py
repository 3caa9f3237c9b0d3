"""Builds a quick flop pack: refines the blueprint's flop decisions for each preflop line and flop class.

A build can be interrupted and resumed (:mod:`hedgehog.solver.packs.jobs`). The order of the jobs spreads over all kinds
of flops: wherever a build stops, every line has covered an even sample of classes, and a pack can be made of these.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from hedgehog.poker.isomorphism import flop_representative
from hedgehog.poker.streets import FLOP
from hedgehog.runtime.config_file import read_config
from hedgehog.runtime.engines.jobs import Worker
from hedgehog.runtime.engines.tasks import write_job
from hedgehog.runtime.errors import InputError, PackError
from hedgehog.runtime.npy_files import header_array, read_npz
from hedgehog.runtime.validation import suggest
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.table import PreflopLine
from hedgehog.solver.flops.refine import RefineConfig, line_context, refine_flop
from hedgehog.solver.packs.blueprint import blueprint_of_pack, lines_of, normalised_ranges
from hedgehog.solver.packs.build_estimate import Trial
from hedgehog.solver.packs.jobs import (
    Arrays,
    Job,
    Solve,
    even_order,
    flop_classes,
    load_job,
    load_line,
    npz_bytes,
    verify_flops,
)
from hedgehog.strategies.blueprint_pack import DIGEST_KEY, BlueprintTable, blueprint_digest, read_blueprint
from hedgehog.strategies.flop_pack import NUM_FLOP_CLASSES, QUICK_TIER
from hedgehog.strategies.manifest import FlopLineEntry, PackManifest, Provenance
from hedgehog.strategies.pack import open_pack, write_pack
from hedgehog.strategies.quantize import SCALE, quantize_rows
from hedgehog.strategies.quick_flop_streams import (
    MAX_ACTIONS,
    PackHands,
    canonical_hands,
    encode_line,
    line_decisions,
    own_hands,
)
from hedgehog.strategies.quick_flops import VERSION, VERSION_KEY

FILE_FORMAT: Final = "hedgehog-refined-flop-2"
"""Format of the file of a refined flop."""
FIGURES: Final = ("boards", "cpu_seconds", "moved")
"""Figures in the file of every refined flop: fields of :class:`hedgehog.solver.flops.refine.RefinedFlop`."""
PACK_FIGURES: Final = ("boards", "moved")
"""Those of :data:`FIGURES` that the pack has. It must not depend on the time that its build took."""
NEEDED_BYTES: Final = 50_000_000
"""Bytes of memory that refining takes besides the card tables, rounded up from measurements of the shipped lines."""


class QuickLineConfig(BaseModel):
    """One preflop line of a quick flop pack."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    betting: str = Field(pattern="^[crf0-9]{1,40}$")
    refine: dict[str, float] = Field(default_factory=dict)
    """Settings of this line that differ from the settings of the whole build."""


class QuickFlopConfig(BaseModel):
    """The YAML configuration of the build of a quick flop pack."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str = Field(pattern="^quick-flops$")
    name: str = Field(pattern="^[A-Za-z0-9_.-]{1,80}$")
    blueprint: str
    """Folder of the blueprint pack that is refined; relative paths count from the configuration file."""
    classes: str | list[str] = "all"
    """``all``, or a list of flops such as ``Qh Jh 2c``, one for each class to be refined."""
    seed: int = Field(default=1, ge=0, lt=1 << 31)
    refine: dict[str, float] = Field(default_factory=dict)
    """Settings of :class:`hedgehog.solver.flops.refine.RefineConfig`."""
    lines: list[QuickLineConfig] = Field(min_length=1, max_length=100)

    def settings(self, line: QuickLineConfig) -> RefineConfig:
        """Returns the settings with which a line is refined.

        :raises InputError: if a setting is unknown or a value is out of range.
        """
        values, defaults = {**self.refine, **line.refine}, dataclasses.asdict(RefineConfig())
        unknown = sorted(set(values) - set(defaults))
        if unknown:
            raise InputError(f"unknown setting {unknown[0]!r}{suggest(unknown[0], defaults)}")
        given: dict[str, Any] = dict(values)
        for name, value in values.items():
            if not isinstance(defaults[name], float):  # a number, or None where the refiner chooses one
                if not value.is_integer():
                    raise InputError(f"expected a whole number for {name}, got {value!r}")
                given[name] = int(value)
        return RefineConfig(**given)


def read_quick_flop_config(path: Path, text: str | None = None) -> QuickFlopConfig:
    """Returns the checked configuration of a quick flop pack.

    :param text: text of the file, if it has been read already.
    :raises InputError: if a key, a setting or a flop is wrong, or a line or flop class is repeated. The message has
        file and line.
    """
    file = read_config(path, QuickFlopConfig, InputError, "a quick flop pack", text)
    config = file.model
    for i, line in enumerate(config.lines):
        key = ("lines", str(i))
        if any(line.betting == other.betting for other in config.lines[:i]):
            raise file.fail((*key, "betting"), f"the line {line.betting!r} is repeated")
        where = (*key, "refine") if line.refine else ("refine",)
        file.at(where, config.settings, line)
    if isinstance(config.classes, str) and config.classes != "all":
        raise file.fail(("classes",), f"'classes': expected 'all' or a list of flops, got {config.classes!r}")
    verify_flops(file, "classes", [] if isinstance(config.classes, str) else config.classes)
    return config


def plan_classes(config: QuickFlopConfig) -> list[int]:
    """Returns the flop classes of a checked configuration in the order in which they are to be refined."""
    everything = isinstance(config.classes, str)
    return even_order(range(NUM_FLOP_CLASSES) if everything else flop_classes(config.classes))


class FlopRefiner:
    """Refines flops in one process: a worker of the build of a quick flop pack."""

    def __init__(self, config: QuickFlopConfig, table: BlueprintTable) -> None:
        self._settings = {line.betting: config.settings(line) for line in config.lines}
        self._seed = config.seed
        strategy = blueprint_of_pack(table)
        cards = CardAbstraction.load_or_build(strategy.cards)
        wanted = table.config.get("card_digest")
        if wanted != cards.digest:
            raise PackError(f"the blueprint was made with other card tables ({wanted}) than {cards.digest}")
        self._contexts = {betting: line_context(strategy, cards, betting) for betting in self._settings}
        # Compiles or loads the kernels, so that it does not count as the time of the first flop.
        refine_flop(next(iter(self._contexts.values())), 0, seed=0, config=RefineConfig(boards=1))

    def __call__(self, job: Job) -> Arrays:
        """Refines a flop and returns the arrays of its file."""
        found = refine_flop(self._contexts[job.line], job.flop_class, seed=self._seed, config=self._settings[job.line])
        return job_arrays(job, found.rows, [float(found.boards), found.seconds, found.moved])


@dataclass(frozen=True, slots=True)
class QuickBuild:
    """The build of a quick flop pack: its configuration, inputs and files (a
    :class:`~hedgehog.solver.packs.jobs.FlopBuild`).

    Lines are named by their betting.
    """

    config: QuickFlopConfig
    table: BlueprintTable
    """The blueprint that is refined."""
    gamedef: str
    """Text of the game definition."""
    work: Path
    """Folder of the finished jobs."""
    starts: dict[str, PreflopLine]
    """The preflop lines of the blueprint, by betting."""
    classes: tuple[int, ...] = ()
    """The flop classes in the order in which they are refined; empty for those of the configuration."""
    open_refiner: Callable[[QuickFlopConfig, BlueprintTable], Solve] = FlopRefiner
    unit: ClassVar[str] = "flop"

    def open_worker(self) -> Worker:
        """Returns what refines flops of this build and returns the content of their files."""
        refine = self.open_refiner(self.config, self.table)
        return lambda job: npz_bytes(refine(job))

    def jobs(self) -> list[Job]:
        """Returns all jobs, class by class, in the order in which they are to be done."""
        folders = {line.betting: self.line_folder(line) for line in self.config.lines}
        return [
            Job(betting, index, folder / f"{index:04d}.npz")
            for index in self.classes or plan_classes(self.config)
            for betting, folder in folders.items()
        ]

    def seconds(self, job: Job) -> float | None:
        """Returns the CPU time in seconds of a refined flop, None if the flop is still to be refined."""
        found = load_job(job, self.read_job)
        return None if found is None else float(found[1][FIGURES.index("cpu_seconds")])

    def needed_bytes(self, job: Job) -> int:
        """Returns the bytes of memory that refining a flop needs."""
        return NEEDED_BYTES + len(self.table.rows) * self.table.rows.itemsize * 5  # as bytes and as float32

    def cost(self, job: Job) -> float:
        """Returns 1: flops of a line take nearly the same time."""
        return 1.0

    @property
    def inputs_digest(self) -> str:
        """A digest of the blueprint and the settings."""
        folders = [self.line_folder(line).name for line in self.config.lines]
        return hashlib.sha256(" ".join(folders).encode()).hexdigest()

    def try_job(self, job: Job, seconds: float) -> Trial:
        """Refines a flop, which takes a moment only, and keeps the result."""
        work = self.open_worker()
        started = time.process_time()
        write_job(job.path, work(job))
        return Trial(time.process_time() - started, 0.0)

    def pack_bytes(self) -> int:
        """Returns an upper bound of the bytes of the pack: the files of the flops would fit into it as they are."""
        sizes: dict[str, list[int]] = {}
        counts: dict[str, int] = {}
        for job in self.jobs():
            counts[job.line] = counts.get(job.line, 0) + 1
            if job.path.exists():
                sizes.setdefault(job.line, []).append(job.path.stat().st_size)
        return sum(round(counts[line] * sum(found) / len(found)) for line, found in sizes.items())

    def line_folder(self, line: QuickLineConfig) -> Path:
        """Returns the folder of a line's results. Its name has a hash of everything that they depend on."""
        settings = dataclasses.asdict(self.config.settings(line))
        identity = [FILE_FORMAT, blueprint_digest(self.table), self.config.seed, settings]
        digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]
        return self.work / f"{line.betting}-{digest}"

    def read_job(self, job: Job) -> tuple[list[NDArray[np.uint8]], NDArray[np.float32]]:
        """Returns a refined flop: uint8 (canonical hands, actions) for each decision, and float32 :data:`FIGURES`.

        :raises InputError: if the file is damaged or not this job's.
        """
        header, arrays = read_npz(job.path, FILE_FORMAT, ("rows", "figures"))
        rows, figures = arrays["rows"], arrays["figures"]
        hands = len(own_hands(job.flop_class))
        nodes = line_decisions(self.table.tree, self.starts[job.line].node)
        actions = self.table.tree.num_children[nodes].astype(np.int64)
        ends = np.cumsum(hands * actions)
        if (
            (header.get("betting"), header.get("class")) == (job.line, job.flop_class)
            and rows.dtype == np.uint8
            and rows.shape == (ends[-1],)
            and figures.shape == (len(FIGURES),)
        ):
            blocks = [part.reshape(hands, -1) for part in np.split(rows, ends[:-1])]
            if all(np.all(block.sum(axis=1, dtype=np.int64) == SCALE) for block in blocks):
                return blocks, figures.astype(np.float32)
        raise InputError("is not the result of this job", source=str(job.path))


def open_build(config: QuickFlopConfig, folder: Path, work: Path, classes: Sequence[int] = ()) -> QuickBuild:
    """Returns the build of a checked configuration, after opening its blueprint.

    :param folder: folder that relative paths in the configuration start from.
    :param work: folder of the finished jobs.
    :param classes: flop classes to refine, in order; empty for those of the configuration.
    :raises PackError: if the blueprint is unsound, lacks a line, or has too many actions at a decision.
    """
    path = folder / config.blueprint
    pack = open_pack(path)
    table = read_blueprint(pack)
    starts = {line.betting: line for line in lines_of(table, [line.betting for line in config.lines], str(path))}
    for betting, start in starts.items():
        most = int(table.tree.num_children[line_decisions(table.tree, start.node)].max())
        if most > MAX_ACTIONS:
            raise PackError(
                f"line {betting!r} has {most} actions, at most {MAX_ACTIONS} can be stored", source=str(path)
            )
    return QuickBuild(config, table, pack.manifest.gamedef, work, starts, tuple(classes))


def job_arrays(job: Job, rows: Sequence[NDArray[np.float32]], figures: Sequence[float]) -> Arrays:
    """Returns the arrays of a job's file, with the probabilities of canonical hands as bytes.

    :param rows: float32 (1176, actions) probabilities for each flop decision.
    :param figures: values of :data:`FIGURES`.
    """
    live = np.flatnonzero(canonical_hands(job.flop_class) >= 0)
    hands = np.searchsorted(live, own_hands(job.flop_class))
    header = {"format": FILE_FORMAT, "betting": job.line, "class": job.flop_class}
    return {
        "header": header_array(header),
        "rows": np.concatenate([quantize_rows(block[hands]).ravel() for block in rows]),
        "figures": np.array(figures, dtype="<f4"),
    }


def assemble(
    build: QuickBuild,
    cards: CardAbstraction,
    provenance: Provenance,
    out: Path,
    *,
    partial: bool = False,
    overwrite: bool = False,
) -> PackManifest:
    """Writes a pack of all finished flops and returns its manifest.

    :param cards: the card buckets of the blueprint.
    :param provenance: the program and machine that made it.
    :param out: folder of the pack.
    :param partial: leave out flops that are not finished.
    :param overwrite: replace a pack that is already at ``out``.
    :raises PackError: if a flop is missing and ``partial`` is False, or no flop is finished.
    """
    arrays: Arrays = {}
    quality: dict[str, Any] = {}
    entries = []
    classes = sorted({job.flop_class for job in build.jobs()})
    buckets = [cards.buckets(FLOP, flop_representative(index))[own_hands(index)] for index in classes]
    hands = PackHands(classes, np.concatenate(buckets).astype(np.uint8))
    for betting, start in build.starts.items():
        finished = load_line(build, betting, build.read_job, partial=partial)
        if not finished:
            continue
        encoded = encode_line(
            build.table,
            start.node,
            normalised_ranges(start.ranges),
            hands,
            np.array([index for index, _ in finished]),
            [rows for _, (rows, _) in finished],
        )
        figures = np.stack([found[[FIGURES.index(name) for name in PACK_FIGURES]] for _, (_, found) in finished])
        arrays |= {f"{betting}_{name}": array for name, array in encoded.arrays.items()}
        arrays[f"{betting}_quality"] = figures.astype("<f4")
        entries.append(FlopLineEntry(name=betting, betting=betting, pot=start.pot, stack=start.stack))
        size = len(encoded.arrays["data"])
        quality[betting] = {
            "flops": len(finished),
            "bytes_per_flop": round(size / len(finished)),
            "boards_mean": round(float(figures[:, 0].mean()), 1),
            "moved_mean": round(float(figures[:, 1].mean()), 4),
            "moved_max": round(float(figures[:, 1].max()), 4),
            "rounding_error_mean": round(encoded.error, 5),
            "stored_share_of_hands": round(encoded.stored, 3),
        }
    if not entries:
        raise PackError("no flop is finished", source=str(build.work))
    arrays |= {"quick_classes": np.array(classes, dtype="<i2"), "quick_buckets": hands.buckets}
    settings = {line.betting: dataclasses.asdict(build.config.settings(line)) for line in build.config.lines}
    config = {"settings": settings, DIGEST_KEY: blueprint_digest(build.table), VERSION_KEY: VERSION}
    config["figures"] = list(PACK_FIGURES)
    manifest = PackManifest(
        kind="flops",
        name=build.config.name,
        tier=QUICK_TIER,
        gamedef=build.gamedef,
        provenance=provenance,
        config=build.config.model_dump() | config,
        quality=quality,
        lines=entries,
        arrays={},
    )
    write_pack(out, manifest, arrays, overwrite=overwrite)
    return manifest
