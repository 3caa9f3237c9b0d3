"""Builds a quick flop pack: refines the blueprint's flop decisions for every (preflop line, flop class), resumable.

Local worker processes, one thread each, take one class of one line at a time and write one file for it, so that
whatever is killed, at most the flops in hand are lost. The order spreads over all kinds of flops: wherever it stops,
every line has covered an even sample of classes, and a pack can be made of those.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import multiprocessing
import os
import resource
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from poker.cards import NUM_COMBOS, parse_cards
from poker.isomorphism import class_name, flop_class, flop_pattern, flop_representative
from poker.streets import FLOP
from runtime.array_files import header_array, read_npz, write_npz
from runtime.config_file import read_config
from runtime.errors import HedgehogError, InputError, PackError, ResourceError
from runtime.folder_lock import locked_folder
from runtime.memory import available_memory
from runtime.validation import suggest
from solver.blueprint.card_abstraction import CardAbstraction
from solver.flops.refine import LineContext, RefineConfig, line_context, refine_flop
from solver.packs.blueprint import blueprint_of_pack
from solver.packs.exact_flops import lines_of, range_weights
from strategies.blueprint_pack import DIGEST_KEY, BlueprintTable, blueprint_digest, read_blueprint
from strategies.flop_pack import NUM_FLOP_CLASSES, QUICK_TIER
from strategies.manifest import FORMAT, FORMAT_VERSION, FlopLineEntry, PackManifest, Provenance
from strategies.pack import open_pack, write_pack
from strategies.quantize import SCALE, quantize_rows
from strategies.quick_flop_coding import canonical_hands, line_decisions
from strategies.quick_flop_encoder import encode_line

FILE_FORMAT: Final = "hedgehog-refined-flop-1"
FIGURES: Final = ("boards", "cpu_seconds", "moved")
"""Figures kept for every refined flop, those of :class:`solver.flops.refine.RefinedFlop`."""
MAX_DEATHS: Final = 3
"""A flop that so many workers have died on ends the build."""
_GOLDEN: Final = (5**0.5 - 1) / 2


class QuickLineConfig(BaseModel):
    """One preflop line."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    betting: str = Field(pattern="^[crf0-9]{1,40}$")
    refine: dict[str, float] = Field(default_factory=dict)
    """Settings of this line that differ from those of the whole build."""


class QuickFlopConfig(BaseModel):
    """The whole build, as read from YAML."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str = Field(pattern="^quick-flops$")
    name: str = Field(pattern="^[A-Za-z0-9_.-]{1,80}$")
    blueprint: str
    """Folder of the blueprint pack that is refined; relative paths count from the configuration file."""
    classes: str | list[str] = "all"
    """``all``, or flops such as ``Qh Jh 2c``."""
    seed: int = Field(default=1, ge=0, lt=1 << 31)
    refine: dict[str, float] = Field(default_factory=dict)
    """Settings of :class:`solver.flops.refine.RefineConfig`."""
    lines: list[QuickLineConfig] = Field(min_length=1, max_length=100)


def refine_settings(values: Mapping[str, float]) -> RefineConfig:
    """Returns the settings with the given values instead of the defaults.

    :raises InputError: if a name is unknown or a value out of range.
    """
    defaults = dataclasses.asdict(RefineConfig())
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


def read_quick_flop_config(path: Path) -> QuickFlopConfig:
    """Reads and checks a build configuration.

    :raises InputError: with file and line, if a key, a setting or a flop is wrong, or a line or flop class repeats.
    """
    file = read_config(path, QuickFlopConfig, InputError, "a quick flop pack")
    config = file.model
    for i, line in enumerate(config.lines):
        key = ("lines", str(i))
        if any(line.betting == other.betting for other in config.lines[:i]):
            raise file.fail((*key, "betting"), f"the line {line.betting!r} is repeated")
        where = (*key, "refine") if line.refine else ("refine",)
        file.at(where, refine_settings, {**config.refine, **line.refine})
    if isinstance(config.classes, str) and config.classes != "all":
        raise file.fail(("classes",), f"'classes': expected 'all' or a list of flops, got {config.classes!r}")
    seen: dict[int, str] = {}
    for i, text in enumerate(config.classes if config.classes != "all" else []):
        key = ("classes", str(i))
        index, _ = file.at(key, flop_class, file.at(key, parse_cards, text))
        if index in seen:
            raise file.fail(key, f"flops {seen[index]!r} and {text!r} are of the same class")
        seen[index] = text
    return config


def plan_classes(config: QuickFlopConfig) -> list[int]:
    """Returns the flop classes of a checked configuration in the order in which they are to be refined.

    The classes are sorted by their pattern of suits and pairs and then by rank, and taken in golden steps, so that
    every beginning of the order is an even sample.
    """
    if config.classes == "all":
        classes = list(range(NUM_FLOP_CLASSES))
    else:
        classes = [flop_class(parse_cards(text))[0] for text in config.classes]
    by_kind = sorted(classes, key=lambda index: (flop_pattern(flop_representative(index)), index))
    places = sorted(range(len(by_kind)), key=lambda place: (place * _GOLDEN) % 1.0)
    return [by_kind[place] for place in places]


@dataclass(frozen=True, slots=True)
class Job:
    """One class of one line."""

    betting: str
    flop_class: int
    path: Path
    """The file of its result."""

    def __str__(self) -> str:
        return f"{self.betting} {class_name(3, self.flop_class)}"


@dataclass(frozen=True, slots=True)
class QuickBuild:
    """A build and where its files are."""

    config: QuickFlopConfig
    blueprint: Path
    """Folder of the blueprint pack."""
    table: BlueprintTable
    gamedef: str
    work: Path
    first_nodes: dict[str, int]
    """First flop decision of each line in the blueprint tree."""
    ranges: dict[str, NDArray[np.float32]]
    """(2, 1326) range weights of each line, largest weight 1; 0 where they are noise."""

    def jobs(self) -> list[Job]:
        """Returns all jobs, class by class, in the order in which they are to be done."""
        folders = {line.betting: self.line_folder(line) for line in self.config.lines}
        return [
            Job(betting, index, folder / f"{index:04d}.npz")
            for index in plan_classes(self.config)
            for betting, folder in folders.items()
        ]

    def line_folder(self, line: QuickLineConfig) -> Path:
        """Returns the folder of a line's results; its name depends on all they depend on."""
        settings = dataclasses.asdict(refine_settings({**self.config.refine, **line.refine}))
        identity = [FILE_FORMAT, blueprint_digest(self.table), self.config.seed, settings]
        digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]
        return self.work / f"{line.betting}-{digest}"

    def block_shapes(self, job: Job) -> list[tuple[int, int]]:
        """Returns (canonical hands, actions) of each of a job's flop decisions."""
        hands = len(own_hands(job.flop_class))
        nodes = line_decisions(self.table.tree, self.first_nodes[job.betting])
        return [(hands, int(self.table.tree.num_children[node])) for node in nodes]


def open_build(config: QuickFlopConfig, folder: Path, work: Path) -> QuickBuild:
    """Opens the blueprint of a checked configuration.

    :param folder: where relative paths in the configuration count from.
    :raises PackError: if the blueprint is unsound or lacks a line.
    """
    path = folder / config.blueprint
    pack = open_pack(path)
    table = read_blueprint(pack)
    bettings = [line.betting for line in config.lines]
    found = lines_of(table, bettings, str(path))
    first_nodes = {betting: line.node for betting, line in zip(bettings, found, strict=True)}
    ranges = {betting: range_weights(line) for betting, line in zip(bettings, found, strict=True)}
    return QuickBuild(config, path, table, pack.manifest.gamedef, work, first_nodes, ranges)


def own_hands(index: int) -> NDArray[np.int64]:
    """Returns the canonical hands of a flop class as indices of its live combos."""
    canonical = canonical_hands(index)
    live = np.flatnonzero(canonical >= 0)
    return np.flatnonzero(canonical[live] == live)


class FlopRefiner:
    """Refines flops in one process."""

    def __init__(self, config: QuickFlopConfig, blueprint: Path) -> None:
        self._settings = {line.betting: refine_settings({**config.refine, **line.refine}) for line in config.lines}
        self._seed = config.seed
        strategy = blueprint_of_pack(read_blueprint(open_pack(blueprint)))
        cards = CardAbstraction.load_or_build(strategy.cards)
        self._contexts: dict[str, LineContext] = {
            betting: line_context(strategy, cards, betting) for betting in self._settings
        }
        # Compiles or loads the kernels, so that it does not count as the time of the first flop.
        refine_flop(next(iter(self._contexts.values())), 0, seed=0, config=RefineConfig(boards=1))

    def __call__(self, betting: str, index: int) -> tuple[list[NDArray[np.float32]], list[float]]:
        """Returns the rows (1176, actions) of every flop decision, and :data:`FIGURES`."""
        found = refine_flop(self._contexts[betting], index, seed=self._seed, config=self._settings[betting])
        return found.rows, [float(found.boards), found.seconds, found.moved]


Refine = Callable[[str, int], tuple[list[NDArray[np.float32]], list[float]]]
OpenRefiner = Callable[[QuickFlopConfig, Path], Refine]


def write_job(job: Job, rows: Sequence[NDArray[np.float32]], figures: Sequence[float]) -> None:
    """Writes the result of a job: rows of canonical hands as bytes."""
    hands = own_hands(job.flop_class)
    header = {"format": FILE_FORMAT, "betting": job.betting, "class": job.flop_class}
    arrays = {
        "header": header_array(header),
        "rows": np.concatenate([quantize_rows(block[hands]).ravel() for block in rows]),
        "figures": np.array(figures, dtype="<f4"),
    }
    write_npz(job.path, arrays, compressed=True)


def load_job(build: QuickBuild, job: Job) -> tuple[list[NDArray[np.uint8]], NDArray[np.float32]] | None:
    """Reads the result of a job: rows by decision, and figures. None if it is missing; a damaged file is deleted."""
    if not job.path.exists():
        return None
    shapes = build.block_shapes(job)
    try:
        header, arrays = read_npz(job.path, FILE_FORMAT, ("rows", "figures"))
        rows, figures = arrays["rows"], arrays["figures"]
        ends = np.cumsum([hands * actions for hands, actions in shapes])
        if (
            (header.get("betting"), header.get("class")) == (job.betting, job.flop_class)
            and rows.dtype == np.uint8
            and rows.shape == (ends[-1],)
            and figures.shape == (len(FIGURES),)
        ):
            blocks = [part.reshape(shape) for part, shape in zip(np.split(rows, ends[:-1]), shapes, strict=True)]
            if all(np.all(block.sum(axis=1, dtype=np.int64) == SCALE) for block in blocks):
                return blocks, figures.astype(np.float32)
    except InputError:
        pass
    job.path.unlink(missing_ok=True)
    return None


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """A report from a running build."""

    done: int
    total: int
    last: Job | None
    seconds: dict[str, float]
    """Mean CPU seconds per flop by line, of the lines that have a flop."""
    worker_bytes: int
    """Most memory that any worker has used so far."""
    remaining_seconds: float
    """CPU time still needed, estimated from ``seconds``."""


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with locked_folder(folder, ResourceError(f"another process is building in {folder}")):
        yield


def _watch_parent() -> None:
    """Ends this process as soon as its parent is gone, however it went."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _work(connection: Connection, open_refiner: OpenRefiner, config: QuickFlopConfig, blueprint: Path) -> None:
    """Runs one worker: receives jobs, sends (seconds, bytes) or the text of an error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    threading.Thread(target=_watch_parent, daemon=True).start()
    try:
        refine = open_refiner(config, blueprint)
        while (job := connection.recv()) is not None:
            started = time.process_time()
            rows, figures = refine(job.betting, job.flop_class)
            write_job(job, rows, figures)
            used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            connection.send((time.process_time() - started, used))
    except (EOFError, BrokenPipeError):
        pass
    except HedgehogError as error:
        connection.send(str(error))


class _Workers:
    """Worker processes that start one by one and are replaced when they die."""

    def __init__(self, build: QuickBuild, open_refiner: OpenRefiner) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._arguments = (open_refiner, build.config, build.blueprint)
        self.busy: dict[Connection, tuple[SpawnProcess, Job]] = {}
        self._idle: list[tuple[Connection, SpawnProcess]] = []

    def submit(self, job: Job) -> None:
        """Gives a job to an idle worker or a new one."""
        if self._idle:
            mine, process = self._idle.pop()
        else:
            mine, theirs = self._context.Pipe()
            process = self._context.Process(target=_work, args=(theirs, *self._arguments), daemon=True)
            process.start()
            theirs.close()
        self.busy[mine] = (process, job)
        with suppress(OSError):  # it may have died; collect() will find out
            mine.send(job)

    def collect(self) -> Iterator[tuple[Job, tuple[float, int] | str | None]]:
        """Waits for workers and yields jobs with what came of them: (seconds, bytes), an error, None for a death."""
        for ready in wait(list(self.busy)):
            assert isinstance(ready, Connection)
            process, job = self.busy.pop(ready)
            try:
                result = ready.recv()
                self._idle.append((ready, process))
            except (EOFError, OSError):
                result = None
                ready.close()
                process.join()
            yield job, result

    def stop(self) -> None:
        """Kills all workers."""
        for connection, process in [*self._idle, *((c, p) for c, (p, _) in self.busy.items())]:
            connection.close()
            process.kill()
            process.join()


def refine_all(
    build: QuickBuild,
    workers: int,
    progress: Callable[[BuildProgress], None],
    *,
    estimate_only: bool = False,
    open_refiner: OpenRefiner = FlopRefiner,
) -> BuildProgress:
    """Does every job that is not yet in the work folder.

    One worker begins with one flop of every line, which gives the estimates of time and memory (and compiles the
    kernels once); then the others join.

    :param estimate_only: stop after those first flops.
    :raises ResourceError: if the workers need more memory than is free, or keep dying on the same flop.
    """
    jobs = build.jobs()
    times: dict[str, list[float]] = {line.betting: [] for line in build.config.lines}
    todo: deque[Job] = deque()
    done, most_bytes = 0, 0
    deaths: dict[Job, int] = {}

    def report(last: Job | None) -> BuildProgress:
        means = {betting: sum(found) / len(found) for betting, found in times.items() if found}
        average = sum(means.values()) / len(means) if means else float("nan")
        remaining = sum(means.get(job.betting, average) for job in todo)
        now = BuildProgress(done, len(jobs), last, means, most_bytes, remaining)
        progress(now)
        return now

    with _locked(build.work):
        for job in jobs:
            found = load_job(build, job)
            if found is None:
                todo.append(job)
            else:
                done += 1
                times[job.betting].append(float(found[1][FIGURES.index("cpu_seconds")]))
        probes = {job.betting: job for job in reversed(todo)}  # the first of every line
        first = [job for job in todo if probes[job.betting] is job and (estimate_only or not times[job.betting])]
        if not first and todo:
            first = [todo[0]]
        crew = _Workers(build, open_refiner)
        try:
            queue = deque(first)
            limit = 1
            state = report(None)
            while queue or crew.busy:
                while queue and len(crew.busy) < limit:
                    crew.submit(queue.popleft())
                for job, result in list(crew.collect()):
                    if isinstance(result, str):
                        raise InputError(f"{job}: {result}")
                    if result is None:
                        deaths[job] = deaths.get(job, 0) + 1
                        if deaths[job] >= MAX_DEATHS:
                            raise ResourceError(f"{job}: {MAX_DEATHS} workers have died on it")
                        queue.appendleft(job)
                        continue
                    done += 1
                    todo.remove(job)
                    times[job.betting].append(result[0])
                    most_bytes = max(most_bytes, result[1])
                    state = report(job)
                if not queue and not crew.busy and limit == 1 and todo and not estimate_only:
                    limit = workers
                    needed, free = (workers - 1) * most_bytes, available_memory()
                    if needed > free:
                        raise ResourceError(
                            f"{workers} workers need {needed / 1e9:.2f} GB more memory, {free / 1e9:.2f} GB are free; "
                            "try fewer with --threads"
                        )
                    queue = deque(todo)
        finally:
            crew.stop()
    return state


def assemble(
    build: QuickBuild,
    cards: CardAbstraction,
    provenance: Provenance,
    out: Path,
    *,
    partial: bool = False,
    overwrite: bool = False,
) -> PackManifest:
    """Puts the finished flops together and writes the pack.

    :param cards: the buckets of the blueprint.
    :param partial: make do with what is there; otherwise everything must be.
    :param overwrite: replace the pack at ``out``.
    :raises PackError: if a flop is missing, or nothing is there at all.
    """
    jobs = build.jobs()
    arrays: dict[str, NDArray[Any]] = {}
    quality: dict[str, Any] = {}
    entries = []
    covered: set[int] = set()
    buckets: dict[int, NDArray[np.uint8]] = {}
    for line in build.config.lines:
        mine = sorted((job for job in jobs if job.betting == line.betting), key=lambda job: job.flop_class)
        loaded = [(job.flop_class, load_job(build, job)) for job in mine]
        finished = [(index, *found) for index, found in loaded if found is not None]
        if len(finished) < len(mine) and not partial:
            missing = len(mine) - len(finished)
            what = f"line {line.betting!r}: {missing} of {len(mine)} flops are missing"
            raise PackError(what, source=str(build.work))
        if not finished:
            continue
        for index, _, _ in finished:
            if index not in buckets:
                flop = flop_representative(index)
                canonical = canonical_hands(index)
                own = canonical == np.arange(NUM_COMBOS)
                buckets[index] = cards.buckets(FLOP, flop)[own].astype(np.uint8)
        covered |= {index for index, _, _ in finished}
        encoded = encode_line(
            build.table,
            build.first_nodes[line.betting],
            build.ranges[line.betting],
            [index for index, _, _ in finished],
            [rows for _, rows, _ in finished],
            [buckets[index] for index, _, _ in finished],
        )
        figures = np.stack([found for _, _, found in finished])
        arrays |= {f"{line.betting}_{name}": array for name, array in encoded.arrays.items()}
        arrays[f"{line.betting}_quality"] = figures.astype("<f4")
        entries.append(_line_entry(build, line.betting))
        size = len(encoded.arrays["data"])
        quality[line.betting] = {
            "flops": len(finished),
            "bytes_per_flop": round(size / len(finished)),
            "boards_mean": round(float(figures[:, 0].mean()), 1),
            "cpu_seconds": round(float(figures[:, 1].sum()), 1),
            "moved_mean": round(float(figures[:, 2].mean()), 4),
            "moved_max": round(float(figures[:, 2].max()), 4),
            "rounding_error_mean": round(encoded.error, 5),
            "stored_share_of_hands": round(encoded.stored, 3),
        }
    if not entries:
        raise PackError("no flop is finished", source=str(build.work))
    arrays["quick_classes"] = np.array(sorted(covered), dtype="<i2")
    arrays["quick_buckets"] = np.concatenate([buckets[index] for index in sorted(covered)])
    manifest = PackManifest(
        format=FORMAT,
        format_version=FORMAT_VERSION,
        kind="flops",
        name=build.config.name,
        tier=QUICK_TIER,
        gamedef=build.gamedef,
        provenance=provenance,
        config={
            **build.config.model_dump(),
            "settings": {
                line.betting: dataclasses.asdict(refine_settings({**build.config.refine, **line.refine}))
                for line in build.config.lines
            },
            DIGEST_KEY: blueprint_digest(build.table),
            "figures": list(FIGURES),
        },
        quality=quality,
        lines=entries,
        arrays={},
    )
    write_pack(out, manifest, arrays, overwrite=overwrite)
    return manifest


def _line_entry(build: QuickBuild, betting: str) -> FlopLineEntry:
    tree = build.table.tree
    pot = tree.pot(build.first_nodes[betting])
    return FlopLineEntry(name=betting, betting=betting, pot=pot, stack=tree.stack - pot // 2)
