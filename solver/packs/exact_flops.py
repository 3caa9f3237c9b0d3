"""Builds a flop pack: one exact solve per (preflop line, flop class), resumable (:mod:`solver.packs.jobs`)."""

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
"""Iterations between two measurements of the exploitability; one costs about two iterations."""


class StreetMenu(BaseModel):
    """Bet sizes of one street for both players."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    oop: str
    ip: str


class LineConfig(BaseModel):
    """One preflop line and the postflop menus its flops are solved with."""

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
    """The whole build, as read from YAML."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str = Field(pattern="^flops$")
    name: str = Field(pattern="^[A-Za-z0-9_.-]{1,80}$")
    blueprint: str
    """Folder of the blueprint pack whose ranges are used; relative paths count from the configuration file."""
    target_pct: float = Field(gt=0, le=100)
    """Stop at this exploitability in % of the pot."""
    max_iterations: int = Field(ge=1, le=100_000)
    storage: Literal["f32", "f16"] = "f32"
    flops: list[str] = Field(min_length=1, max_length=NUM_FLOP_CLASSES)
    lines: list[LineConfig] = Field(min_length=1, max_length=100)


@dataclass(frozen=True, slots=True)
class ExactBuild:
    """A build and where its files are; a :class:`~solver.packs.jobs.FlopBuild`."""

    config: FlopPackConfig
    starts: Mapping[str, PreflopLine]
    """What the flop is reached with, by the name of the line."""
    gamedef: str
    blueprint_digest: str
    """Of the blueprint that ``starts`` come from."""
    work: Path
    """Folder of the finished solves; its name depends on all they depend on (:func:`config_digest`)."""
    threads: int
    """Of a solve. The solves are done one after the other."""

    def open_worker(self) -> Worker:
        """Returns :meth:`solve`."""
        return self.solve

    def jobs(self) -> list[Job]:
        """Returns all solves, flop by flop, so that an early stop has covered every line."""
        return [
            Job(line.name, index, self.work / f"{line.name}-{index:04d}.npz")
            for index in flop_classes(self.config.flops)
            for line in self.config.lines
        ]

    def tree(self, name: str) -> BettingTree:
        """Builds the postflop tree of a preflop line."""
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
        """Prepares the spot of a solve."""
        ranges = list(range_weights(self.starts[job.line]))
        return prepare_tree(self.tree(job.line), flop_representative(job.flop_class), ranges)

    def solve(self, job: Job, report: Report) -> Arrays:
        """Solves one flop and returns its arrays: ``rows``, ``evs``, ``quality`` (see :mod:`strategies.flop_pack`)."""
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
        """Returns the time of a finished solve, None if it has to be done."""
        found = load_job(job, read_job)
        return None if found is None else float(found["quality"][2])


def read_flop_pack_config(path: Path) -> FlopPackConfig:
    """Reads and checks a build configuration.

    :raises InputError: with file and line, if a key, a bet size or a flop is wrong, or a name or flop class repeats.
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
    """Opens the blueprint of a checked configuration.

    :param folder: where relative paths in the configuration count from.
    :param work: folder of the builds' work; this build gets one of its own in there.
    :raises PackError: if the blueprint is unsound, lacks a line or its configuration is incomplete.
    """
    pack = open_pack(folder / config.blueprint)
    table = read_blueprint(pack)
    found = lines_of(table, [line.betting for line in config.lines])
    starts = {line.name: start for line, start in zip(config.lines, found, strict=True)}
    work = work / config_digest(config, starts)
    return ExactBuild(config, starts, pack.manifest.gamedef, blueprint_digest(table), work, threads)


def config_digest(config: FlopPackConfig, starts: Mapping[str, PreflopLine]) -> str:
    """Returns a short hash of everything a solve depends on, flops and names excepted."""
    digest = hashlib.sha256()
    digest.update(json.dumps(config.model_dump(exclude={"flops", "name", "blueprint"}), sort_keys=True).encode())
    for name in sorted(starts):
        digest.update(f"{name} {starts[name].pot} {starts[name].stack}".encode())
        digest.update(np.ascontiguousarray(range_weights(starts[name])).tobytes())
    return digest.hexdigest()[:16]


def read_job(job: Job) -> Arrays:
    """Reads the arrays of a finished solve.

    :raises InputError: if the file is damaged.
    """
    arrays = read_npz_arrays(job.path, ("rows", "evs", "quality"))
    if arrays["quality"].shape != (3,):
        raise InputError("is not the result of a solve", source=str(job.path))
    return arrays


def assemble(build: ExactBuild, provenance: Provenance, out: Path, *, overwrite: bool = False) -> PackManifest:
    """Puts the finished solves together and writes the pack.

    :param overwrite: replace the pack at ``out``.
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
