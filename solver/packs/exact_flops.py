"""Builds an exact flop pack: one solve for each preflop line and flop class.

A build can be interrupted and resumed (:mod:`solver.packs.jobs`).
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from poker.betsizes import parse_bet_sizes
from poker.cards import NUM_COMBOS, combo_mask
from poker.isomorphism import board_classes, class_name, flop_pattern, flop_representative
from poker.streets import FLOP, FLOP_COMBOS
from runtime.config_file import read_config
from runtime.errors import InputError, PackError
from runtime.npy_files import read_npz_arrays
from solver.blueprint.table import PreflopLine
from solver.packs.blueprint import lines_of, range_weights
from solver.packs.build_estimate import Trial
from solver.packs.jobs import (
    Arrays,
    Job,
    Worker,
    flop_classes,
    load_job,
    load_line,
    verify_flops,
)
from solver.postflop.chance import measure_solve
from solver.postflop.estimate import estimate
from solver.postflop.prepared import PreparedSpot, prepare_tree
from solver.postflop.solver import PostflopSolver
from solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree
from strategies.betting_tree import IP, OOP, BettingTree
from strategies.blueprint_pack import DIGEST_KEY, blueprint_digest, read_blueprint
from strategies.flop_pack import NUM_FLOP_CLASSES, block_offsets, flop_decisions, flop_street_tree
from strategies.manifest import FlopLineEntry, PackManifest, Provenance
from strategies.pack import open_pack, tree_arrays, write_pack
from strategies.quantize import quantize_rows

CHECK_EVERY: Final = 20
"""Iterations between two measurements of the exploitability. A measurement costs about two iterations."""

_LEAST_POWER: Final = 0.7
_MOST_POWER: Final = 2.0
"""Bounds of the power of the number of iterations with which the exploitability falls, when it is extrapolated."""
_POWER_ERROR: Final = 0.15
"""Relative standard error of this power."""


class StreetMenu(BaseModel):
    """Bet sizes of both players on one street, in the grammar of :mod:`poker.betsizes`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    oop: str
    ip: str


class LineConfig(BaseModel):
    """One preflop line and the postflop menus with which its flops are solved.

    The fields after ``river`` are those of :class:`solver.postflop.tree.TreeConfig`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern="^[a-z0-9_]{1,40}$")
    betting: str = Field(pattern="^[crf0-9/]{1,80}$")
    flop: StreetMenu
    turn: StreetMenu
    river: StreetMenu
    add_allin_threshold: float = 0.0
    force_allin_threshold: float = 0.0
    max_bets: int | None = Field(default=None, ge=1, le=20)


class FlopPackConfig(BaseModel):
    """The YAML configuration of the build of an exact flop pack."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str = Field(pattern="^flops$")
    name: str = Field(pattern="^[A-Za-z0-9_.-]{1,80}$")
    blueprint: str
    """Folder of the blueprint pack whose ranges are used; relative paths count from the configuration file."""
    target_pct: float = Field(gt=0, le=100)
    """Exploitability in percent of the pot at which a solve stops."""
    max_iterations: int = Field(ge=1, le=100_000)
    """Iterations after which a solve stops in any case."""
    storage: Literal["f32", "f16"] = "f32"
    """Precision of regrets and averages."""
    threads: int = Field(default=1, ge=1, le=256)
    """Threads of one solve. The last digits of a solve depend on it."""
    flops: list[str] = Field(min_length=1, max_length=NUM_FLOP_CLASSES)
    """Flops such as ``Qh Jh 2c``, one for each class to be solved."""
    lines: list[LineConfig] = Field(min_length=1, max_length=100)


@dataclass(frozen=True, slots=True)
class SolveNeeds:
    """What one solve needs."""

    memory_bytes: int
    """Bytes that the solver allocates."""
    elements: int
    """Hands times actions times boards: the numbers that are updated in an iteration."""


@dataclass(frozen=True, slots=True)
class ExactBuild:
    """The build of an exact flop pack: its configuration, inputs and files.

    It is a :class:`~solver.packs.jobs.FlopBuild`.
    """

    config: FlopPackConfig
    starts: Mapping[str, PreflopLine]
    """Pot, stacks and ranges at the flop by the name of the line, from the blueprint."""
    gamedef: str
    """Text of the game definition."""
    blueprint_digest: str
    """Digest of the blueprint that ``starts`` come from."""
    work: Path
    """Folder of the finished solves. Its name is a hash of everything that they depend on (:func:`config_digest`)."""
    classes: tuple[tuple[int, float], ...]
    """The flop classes in the order in which they are solved, each with its weight in averages over flops."""
    sizes: dict[tuple[str, str], SolveNeeds] = field(default_factory=dict, repr=False, compare=False)
    """What a solve needs, by line and pattern of suits and pairs; filled in as it is asked for."""

    def open_worker(self) -> Worker:
        """Returns the function that does a job, :meth:`solve`."""
        return self.solve

    def jobs(self) -> list[Job]:
        """Returns all solves, flop by flop, so that a build that stops early has covered every line."""
        return [
            Job(line.name, index, self.work / f"{line.name}-{index:04d}.npz")
            for index, _ in self.classes
            for line in self.config.lines
        ]

    def flops(self) -> list[str]:
        """Returns the representatives of the flop classes, in order."""
        return [class_name(3, index) for index, _ in self.classes]

    def needs(self, job: Job) -> SolveNeeds:
        """Returns the memory and the size of a solve.

        Flops with the same pattern of suits and pairs need nearly the same, so one flop of each pattern is measured.
        """
        key = (job.line, flop_pattern(flop_representative(job.flop_class)))
        if key not in self.sizes:
            spot = self.spot(job)
            size = measure_solve(spot.tree, spot.runouts, spot.ranges)
            needed = estimate(spot, storage=self.config.storage, threads=self.config.threads).memory_bytes
            self.sizes[key] = SolveNeeds(needed, size.elements)
        return self.sizes[key]

    def needed_bytes(self, job: Job) -> int:
        """Returns the bytes of memory that a solve allocates."""
        return self.needs(job).memory_bytes

    def cost(self, job: Job) -> float:
        """Returns how many numbers a solve updates in an iteration."""
        return float(self.needs(job).elements)

    def try_job(self, job: Job, seconds: float) -> Trial:
        """Solves a flop for about so many CPU seconds and extrapolates the time until the target is reached."""
        solver = PostflopSolver(self.spot(job), threads=self.config.threads, storage=self.config.storage)
        return try_solve(solver, self.config.target_pct, self.config.max_iterations, seconds)

    def pack_bytes(self) -> int:
        """Returns the bytes of the finished pack, but for the headers of its files and its manifest."""
        total = 0
        for line in self.config.lines:
            small, _ = flop_street_tree(self.tree(line.name))
            per_class = block_offsets(small)[1] + 2 * FLOP_COMBOS * 2 + 2 + 4 + 8
            total += len(self.classes) * per_class + 40 * small.num_nodes + 2 * NUM_COMBOS * 4
        return total

    @property
    def inputs_digest(self) -> str:
        """A digest of everything that the solves depend on, apart from the program."""
        return config_digest(self.config, self.starts)

    def tree(self, name: str) -> BettingTree:
        """Returns the postflop betting tree of a preflop line, by the name of the line."""
        line = next(line for line in self.config.lines if line.name == name)
        start = self.starts[name]
        menus = (line.flop, line.turn, line.river)
        return build_postflop_tree(
            TreeConfig(
                street=FLOP,
                pot=start.pot,
                stack=start.stack,
                sizes=tuple(StreetSizes(parse_bet_sizes(menu.oop), parse_bet_sizes(menu.ip)) for menu in menus),
                add_allin_threshold=line.add_allin_threshold,
                force_allin_threshold=line.force_allin_threshold,
                max_bets=line.max_bets,
            )
        )

    def spot(self, job: Job) -> PreparedSpot:
        """Returns the prepared spot of a solve."""
        ranges = list(range_weights(self.starts[job.line]))
        return prepare_tree(self.tree(job.line), flop_representative(job.flop_class), ranges)

    def solve(self, job: Job) -> Arrays:
        """Solves one flop and returns the arrays of its file: ``rows``, ``evs`` and ``quality``.

        :mod:`strategies.flop_pack` describes the arrays. ``quality`` has the CPU seconds, too.
        """
        started = time.process_time()
        spot = self.spot(job)
        solver = PostflopSolver(spot, threads=self.config.threads, storage=self.config.storage)
        found = solver.solve(self.config.target_pct, self.config.max_iterations, check_every=CHECK_EVERY)
        live = combo_mask(flop_representative(job.flop_class))
        small, originals = flop_street_tree(spot.tree)
        blocks = [
            quantize_rows(solver.node_strategy(int(originals[node]))[:, live].T).ravel()
            for node in flop_decisions(small)
        ]
        evs = np.stack([solver.node_values(0)[player][live] for player in (OOP, IP)]) / self.starts[job.line].pot
        return {
            "rows": np.concatenate(blocks),
            "evs": evs.astype("<f2"),
            "quality": np.array([found.pct_pot, solver.iterations, time.process_time() - started], dtype="<f4"),
        }

    def seconds(self, job: Job) -> float | None:
        """Returns the CPU time of a finished solve in seconds, None if the solve is still to be done."""
        found = load_job(job, read_job)
        return None if found is None else float(found["quality"][2])


def read_flop_pack_config(path: Path) -> FlopPackConfig:
    """Returns the checked configuration of an exact flop pack.

    :raises InputError: if a key, a bet size or a flop is wrong, or a name or flop class is repeated. The message has
        file and line.
    """
    file = read_config(path, FlopPackConfig, InputError, "a flop pack")
    config = file.model
    for i, line in enumerate(config.lines):
        if any(line.name == other.name for other in config.lines[:i]):
            raise file.fail(("lines", str(i), "name"), f"the line name {line.name!r} is repeated")
        for street in ("flop", "turn", "river"):
            for player in ("oop", "ip"):
                file.at(("lines", str(i), street, player), parse_bet_sizes, getattr(getattr(line, street), player))
    verify_flops(file, "flops", config.flops)
    return config


def open_build(
    config: FlopPackConfig, folder: Path, work: Path, flops: Sequence[tuple[int, float]] | None = None
) -> ExactBuild:
    """Returns the build of a checked configuration, after opening its blueprint.

    :param folder: folder that relative paths in the configuration start from.
    :param work: folder for the work of all builds. This build gets a subfolder.
    :param flops: flop classes to solve with their weights, in order; None takes those of the configuration, each with
        the number of its flops as its weight.
    :raises PackError: if the blueprint is unsound, lacks a line or its configuration is incomplete.
    """
    pack = open_pack(folder / config.blueprint)
    table = read_blueprint(pack)
    found = lines_of(table, [line.betting for line in config.lines])
    starts = {line.name: start for line, start in zip(config.lines, found, strict=True)}
    work = work / config_digest(config, starts)
    classes = tuple(flops if flops is not None else with_multiplicities(flop_classes(config.flops)))
    return ExactBuild(config, starts, pack.manifest.gamedef, blueprint_digest(table), work, classes)


def with_multiplicities(classes: Sequence[int]) -> list[tuple[int, float]]:
    """Returns flop classes with the number of flops in each class as its weight."""
    counts = board_classes(3).multiplicities
    return [(index, float(counts[index])) for index in classes]


def config_digest(config: FlopPackConfig, starts: Mapping[str, PreflopLine]) -> str:
    """Returns a short hash of everything that the solves of a build depend on, apart from flops and names."""
    digest = hashlib.sha256()
    digest.update(json.dumps(config.model_dump(exclude={"flops", "name", "blueprint"}), sort_keys=True).encode())
    for name in sorted(starts):
        digest.update(f"{name} {starts[name].pot} {starts[name].stack}".encode())
        digest.update(np.ascontiguousarray(range_weights(starts[name])).tobytes())
    return digest.hexdigest()[:16]


def read_job(job: Job) -> Arrays:
    """Returns the arrays of a finished solve: ``rows``, ``evs`` and ``quality``.

    :raises InputError: if the file is damaged.
    """
    arrays = read_npz_arrays(job.path, ("rows", "evs", "quality"))
    if arrays["quality"].shape != (3,):
        raise InputError("is not the result of a solve", source=str(job.path))
    return arrays


def assemble(
    build: ExactBuild, provenance: Provenance, out: Path, *, partial: bool = False, overwrite: bool = False
) -> PackManifest:
    """Writes a pack of all finished solves and returns its manifest.

    :param provenance: the program and machine that made it.
    :param out: folder of the pack.
    :param partial: leave out solves that are not finished.
    :param overwrite: replace a pack that is already at ``out``.
    :raises PackError: if a solve is missing and ``partial`` is False, or no solve is finished.
    """
    arrays: Arrays = {}
    quality: dict[str, Any] = {}
    entries = []
    for line in build.config.lines:
        start = build.starts[line.name]
        finished = load_line(build, line.name, read_job, partial=partial)
        if not finished:
            continue
        classes, solved = zip(*finished, strict=True)
        small, _ = flop_street_tree(build.tree(line.name))
        figures = np.stack([found["quality"][:2] for found in solved])  # the pack must not depend on the time it took
        weights = np.array([dict(build.classes)[index] for index in classes], dtype="<f4")
        arrays |= tree_arrays(line.name, small)
        arrays[f"{line.name}_classes"] = np.array(classes, dtype="<i2")
        arrays[f"{line.name}_rows"] = np.stack([found["rows"] for found in solved])
        arrays[f"{line.name}_ranges"] = range_weights(start).astype("<f4")
        arrays[f"{line.name}_evs"] = np.stack([found["evs"] for found in solved])
        arrays[f"{line.name}_quality"] = figures
        arrays[f"{line.name}_weights"] = weights
        quality[line.name] = {
            "flops": len(classes),
            "exploitability_pct_pot_mean": round(float(np.average(figures[:, 0], weights=weights)), 3),
            "exploitability_pct_pot_max": round(float(figures[:, 0].max()), 3),
            "iterations_mean": round(float(figures[:, 1].mean()), 1),
            "exploitability_pct_pot": {
                class_name(3, index): round(float(reached), 3)
                for index, reached in zip(classes, figures[:, 0], strict=True)
            },
        }
        entries.append(FlopLineEntry(name=line.name, betting=line.betting, pot=start.pot, stack=start.stack))
    if not entries:
        raise PackError("no flop is finished", source=str(build.work))
    manifest = PackManifest(
        kind="flops",
        name=build.config.name,
        tier="exact",
        gamedef=build.gamedef,
        provenance=provenance,
        config={**build.config.model_dump(), "flops": build.flops(), DIGEST_KEY: build.blueprint_digest},
        quality=quality,
        lines=entries,
        arrays={},
    )
    write_pack(out, manifest, arrays, overwrite=overwrite)
    return manifest


def try_solve(solver: PostflopSolver, target_pct: float, max_iterations: int, seconds: float) -> Trial:
    """Runs a new solve for a moment and extrapolates the CPU time until it reaches its target.

    The exploitability is taken to fall as a power of the number of iterations. The power comes from the last two of the
    measurements, which are made after 4, 8, 16, ... iterations.

    :param target_pct: exploitability in percent of the pot at which the solve stops.
    :param max_iterations: iterations after which it stops in any case.
    :param seconds: CPU seconds for the moment, after compiling.
    """
    solver.run(1)  # compiles
    started = time.process_time()
    spent = 0.0  # CPU seconds of iterations alone
    reached: list[tuple[int, float]] = []
    while True:
        begun = time.process_time()
        solver.run(min(max(3, solver.iterations), max_iterations - solver.iterations))
        now = time.process_time()
        spent += now - begun
        reached.append((solver.iterations, solver.exploitability().pct_pot))
        check = time.process_time() - now
        each = spent / max(solver.iterations - 1, 1)
        finished = reached[-1][1] <= target_pct or solver.iterations >= max_iterations
        if finished or (len(reached) > 2 and time.process_time() - started > seconds):
            break
    iterations, error = float(solver.iterations), 0.0
    if not finished:
        iterations, error = _extrapolated(reached, target_pct)
    iterations = min(math.ceil(iterations / CHECK_EVERY) * CHECK_EVERY, max_iterations)
    return Trial(iterations * each + math.ceil(iterations / CHECK_EVERY) * check, error)


def _extrapolated(reached: Sequence[tuple[int, float]], target_pct: float) -> tuple[float, float]:
    """Returns the iterations until a target is reached, and the standard error of their logarithm.

    :param reached: (iterations, exploitability in percent of the pot), at least two.
    """
    (before, worse), (now, better) = reached[-2:]
    power = math.log(max(worse, 1e-9) / max(better, 1e-9)) / math.log(now / before)
    power = min(max(power, _LEAST_POWER), _MOST_POWER)
    further = math.log(max(better / target_pct, 1.0)) / power
    return now * math.exp(further), _POWER_ERROR * further
