"""Builds an exact flop pack: one solve for each preflop line and flop class.

A build can be interrupted and resumed (:mod:`solver.packs.jobs`).
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from poker.betsizes import parse_bet_sizes
from poker.cards import combo_mask
from poker.isomorphism import flop_representative
from poker.streets import FLOP
from runtime.config_file import read_config
from runtime.errors import InputError
from runtime.npy_files import read_npz_arrays
from solver.blueprint.table import PreflopLine
from solver.packs.blueprint import lines_of, range_weights
from solver.packs.jobs import (
    Arrays,
    Job,
    Report,
    Worker,
    flop_classes,
    load_job,
    load_line,
    verify_flops,
)
from solver.postflop.prepared import PreparedSpot, prepare_tree
from solver.postflop.solver import PostflopSolver
from solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree
from strategies.betting_tree import IP, OOP, BettingTree
from strategies.blueprint_pack import DIGEST_KEY, blueprint_digest, read_blueprint
from strategies.flop_pack import NUM_FLOP_CLASSES, flop_decisions, flop_street_tree
from strategies.manifest import FlopLineEntry, PackManifest, Provenance
from strategies.pack import open_pack, tree_arrays, write_pack
from strategies.quantize import quantize_rows

CHECK_EVERY: Final = 20
"""Iterations between two measurements of the exploitability. A measurement costs about two iterations."""


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
    flops: list[str] = Field(min_length=1, max_length=NUM_FLOP_CLASSES)
    """Flops such as ``Qh Jh 2c``, one for each class to be solved."""
    lines: list[LineConfig] = Field(min_length=1, max_length=100)


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
    threads: int
    """Threads of a solve. The solves run one after the other."""

    def open_worker(self) -> Worker:
        """Returns the function that does a job, :meth:`solve`."""
        return self.solve

    def jobs(self) -> list[Job]:
        """Returns all solves, flop by flop, so that a build that stops early has covered every line."""
        return [
            Job(line.name, index, self.work / f"{line.name}-{index:04d}.npz")
            for index in flop_classes(self.config.flops)
            for line in self.config.lines
        ]

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

    def solve(self, job: Job, report: Report) -> Arrays:
        """Solves one flop and returns the arrays of its file: ``rows``, ``evs`` and ``quality``.

        :mod:`strategies.flop_pack` describes the arrays.

        :param report: called with a few words on the state of the solve.
        """
        started = time.monotonic()
        report("setting up")
        spot = self.spot(job)
        solver = PostflopSolver(spot, threads=self.threads, storage=self.config.storage)
        found = solver.solve(
            self.config.target_pct,
            self.config.max_iterations,
            check_every=CHECK_EVERY,
            progress=lambda iteration, now: report(f"{iteration} iterations, {now.pct_pot:.2f} % of the pot"),
        )
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
            "quality": np.array([found.pct_pot, solver.iterations, time.monotonic() - started], dtype="<f4"),
        }

    def seconds(self, job: Job) -> float | None:
        """Returns the time of a finished solve in seconds, None if the solve is still to be done."""
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


def open_build(config: FlopPackConfig, folder: Path, work: Path, threads: int) -> ExactBuild:
    """Returns the build of a checked configuration, after opening its blueprint.

    :param folder: folder that relative paths in the configuration start from.
    :param work: folder for the work of all builds. This build gets a subfolder.
    :param threads: threads of a solve.
    :raises PackError: if the blueprint is unsound, lacks a line or its configuration is incomplete.
    """
    pack = open_pack(folder / config.blueprint)
    table = read_blueprint(pack)
    found = lines_of(table, [line.betting for line in config.lines])
    starts = {line.name: start for line, start in zip(config.lines, found, strict=True)}
    work = work / config_digest(config, starts)
    return ExactBuild(config, starts, pack.manifest.gamedef, blueprint_digest(table), work, threads)


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


def assemble(build: ExactBuild, provenance: Provenance, out: Path, *, overwrite: bool = False) -> PackManifest:
    """Writes a pack of all finished solves and returns its manifest.

    :param provenance: the program and machine that made it.
    :param out: folder of the pack.
    :param overwrite: replace a pack that is already at ``out``.
    :raises PackError: if a solve is missing.
    """
    arrays: Arrays = {}
    quality: dict[str, Any] = {}
    entries = []
    for line in build.config.lines:
        start = build.starts[line.name]
        classes, solved = zip(*load_line(build, line.name, read_job), strict=True)
        small, _ = flop_street_tree(build.tree(line.name))
        figures = np.stack([found["quality"] for found in solved])
        arrays |= tree_arrays(line.name, small)
        arrays[f"{line.name}_classes"] = np.array(classes, dtype="<i2")
        arrays[f"{line.name}_rows"] = np.stack([found["rows"] for found in solved])
        arrays[f"{line.name}_ranges"] = range_weights(start).astype("<f4")
        arrays[f"{line.name}_evs"] = np.stack([found["evs"] for found in solved])
        arrays[f"{line.name}_quality"] = figures
        quality[line.name] = {
            "flops": len(classes),
            "exploitability_pct_pot_mean": round(float(figures[:, 0].mean()), 3),
            "exploitability_pct_pot_max": round(float(figures[:, 0].max()), 3),
            "solve_seconds": round(float(figures[:, 2].sum()), 1),
        }
        entries.append(FlopLineEntry(name=line.name, betting=line.betting, pot=start.pot, stack=start.stack))
    manifest = PackManifest(
        kind="flops",
        name=build.config.name,
        tier="exact",
        gamedef=build.gamedef,
        provenance=provenance,
        config={**build.config.model_dump(), DIGEST_KEY: build.blueprint_digest},
        quality=quality,
        lines=entries,
        arrays={},
    )
    write_pack(out, manifest, arrays, overwrite=overwrite)
    return manifest
