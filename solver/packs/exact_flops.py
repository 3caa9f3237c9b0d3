"""Builds a flop pack: one exact solve per (preflop line, flop class), resumable.

Every finished solve is one file in a work folder keyed by the configuration; a solve that was interrupted leaves
nothing and is done again. When all are there the pack is assembled and written in one step.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from poker.betsizes import parse_bet_sizes
from poker.cards import combo_mask, format_cards, parse_cards
from poker.isomorphism import board_classes, flop_class
from runtime.array_files import write_npz
from runtime.config_file import read_config
from runtime.errors import InputError, PackError
from runtime.npy_files import read_npz_arrays
from solver.blueprint.table import FlopLine, flop_lines
from solver.packs.blueprint import blueprint_of_pack
from solver.postflop.prepared import prepare_tree
from solver.postflop.solver import PostflopSolver
from solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree
from strategies.betting_tree import IP, OOP, BettingTree
from strategies.blueprint_pack import DIGEST_KEY, BlueprintTable
from strategies.flop_pack import FLOP_STREET, flop_decisions, flop_street_tree
from strategies.manifest import FORMAT, FORMAT_VERSION, FlopLineEntry, PackManifest, Provenance
from strategies.pack import tree_arrays, write_pack
from strategies.quantize import quantize_rows

MIN_WEIGHT: Final = 0.005
"""Combos with less than this share of the largest weight are left out of a range: noise of an unfinished blueprint."""
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
    flops: list[str] = Field(min_length=1, max_length=1755)
    lines: list[LineConfig] = Field(min_length=1, max_length=100)


@dataclass(frozen=True, slots=True)
class PreflopLine:
    """What the flop is reached with on one preflop line."""

    pot: int
    stack: int
    ranges: NDArray[np.float32]
    """(2, 1326) weights of OOP and IP, largest weight 1."""


@dataclass(frozen=True, slots=True)
class Job:
    """One solve."""

    line: LineConfig
    flop_class: int
    representative: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.line.name} {format_cards(self.representative)}"


Progress = Callable[[int, int, Job, int, float], None]
"""(solves finished, solves in all, current job, its iterations, its exploitability in % of the pot)."""


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
    seen: dict[int, str] = {}
    for i, text in enumerate(config.flops):
        key = ("flops", str(i))
        index, _ = file.at(key, flop_class, file.at(key, parse_cards, text))
        if index in seen:
            raise file.fail(key, f"flops {seen[index]!r} and {text!r} are of the same class")
        seen[index] = text
    return config


def plan_jobs(config: FlopPackConfig) -> list[Job]:
    """Returns the solves of a checked configuration, flop by flop, so that an early stop has covered every line."""
    jobs: list[Job] = []
    for text in config.flops:
        index, _ = flop_class(parse_cards(text))
        representative = tuple(int(card) for card in board_classes(3).representatives[index])
        jobs += [Job(line, index, representative) for line in config.lines]
    return jobs


def preflop_lines(config: FlopPackConfig, table: BlueprintTable) -> dict[str, PreflopLine]:
    """Returns pot, stack and ranges of every configured line, from a blueprint.

    :raises PackError: if the blueprint lacks a line or its configuration is incomplete.
    """
    found = lines_of(table, [line.betting for line in config.lines])
    return {
        line.name: PreflopLine(start.pot, start.stack, range_weights(start))
        for line, start in zip(config.lines, found, strict=True)
    }


def lines_of(table: BlueprintTable, bettings: Sequence[str], source: str | None = None) -> list[FlopLine]:
    """Returns a blueprint's preflop lines to the flop, by their betting.

    :param source: the blueprint's folder, for the error.
    :raises PackError: if the blueprint lacks a line or its configuration is incomplete.
    """
    found = {line.line: line for line in flop_lines(blueprint_of_pack(table))}
    for betting in bettings:
        if betting not in found:
            raise PackError(f"the blueprint has no line {betting!r}, it has {', '.join(found)}", source=source)
    return [found[betting] for betting in bettings]


def range_weights(line: FlopLine) -> NDArray[np.float32]:
    """Returns (2, 1326) weights of OOP and IP, largest weight 1; 0 where they are noise (:data:`MIN_WEIGHT`)."""
    return normalised_ranges(np.stack([line.oop_range, line.ip_range]))


def normalised_ranges(ranges: NDArray[np.float32]) -> NDArray[np.float32]:
    """Returns (2, 1326) weights scaled so that the largest of each row is 1; 0 where they are noise.

    :param ranges: float32 (2, 1326) weights of OOP and IP, on any scale.
    """
    ranges = ranges / np.maximum(ranges.max(axis=1, keepdims=True), np.float32(1e-30))
    return np.where(ranges < MIN_WEIGHT, np.float32(0), ranges)


def line_tree(line: LineConfig, start: PreflopLine) -> BettingTree:
    """Builds the postflop tree of a preflop line."""
    sizes = tuple(
        StreetSizes(parse_bet_sizes(menu.oop), parse_bet_sizes(menu.ip)) for menu in (line.flop, line.turn, line.river)
    )
    return build_postflop_tree(
        TreeConfig(
            street=FLOP_STREET,
            pot=start.pot,
            stack=start.stack,
            sizes=sizes,
            add_allin_threshold=line.add_allin_threshold,
            force_allin_threshold=line.force_allin_threshold,
            max_bets=line.max_bets,
        )
    )


def config_digest(config: FlopPackConfig, starts: Mapping[str, PreflopLine]) -> str:
    """Returns a short hash of everything a solve depends on, flops and names excepted."""
    digest = hashlib.sha256()
    digest.update(json.dumps(config.model_dump(exclude={"flops", "name", "blueprint"}), sort_keys=True).encode())
    for name in sorted(starts):
        digest.update(f"{name} {starts[name].pot} {starts[name].stack}".encode())
        digest.update(np.ascontiguousarray(starts[name].ranges).tobytes())
    return digest.hexdigest()[:16]


def solve_job(
    config: FlopPackConfig, job: Job, start: PreflopLine, threads: int, report: Callable[[int, float], None]
) -> dict[str, NDArray[Any]]:
    """Solves one flop and returns its arrays: ``rows``, ``evs``, ``quality`` (see :mod:`strategies.flop_pack`)."""
    started = time.monotonic()
    tree = line_tree(job.line, start)
    spot = prepare_tree(tree, job.representative, list(start.ranges))
    solver = PostflopSolver(spot, threads=threads, storage=config.storage)
    found = solver.solve(
        config.target_pct,
        config.max_iterations,
        check_every=CHECK_EVERY,
        progress=lambda iteration, now: report(iteration, now.pct_pot),
    )
    live = combo_mask(job.representative)
    small, originals = flop_street_tree(tree)
    blocks = [
        quantize_rows(solver.node_strategy(int(originals[node]))[:, live].T).ravel() for node in flop_decisions(small)
    ]
    evs = np.stack([solver.node_values(0)[player][live] for player in (OOP, IP)]) / start.pot
    return {
        "rows": np.concatenate(blocks),
        "evs": evs.astype("<f2"),
        "quality": np.array([found.pct_pot, solver.iterations, time.monotonic() - started], dtype="<f4"),
    }


def _job_file(work: Path, job: Job) -> Path:
    return work / f"{job.line.name}-{job.flop_class:04d}.npz"


def _load_job(path: Path) -> dict[str, NDArray[Any]] | None:
    if not path.exists():
        return None
    try:
        return read_npz_arrays(path, ("rows", "evs", "quality"))
    except InputError:
        path.unlink(missing_ok=True)  # damaged: do it again
        return None


def solve_all(
    config: FlopPackConfig, starts: Mapping[str, PreflopLine], work: Path, threads: int, progress: Progress
) -> None:
    """Does every solve that is not yet in the work folder; an interrupt loses at most the current one."""
    work.mkdir(parents=True, exist_ok=True)
    jobs = plan_jobs(config)
    for done, job in enumerate(jobs):
        path = _job_file(work, job)
        if _load_job(path) is None:

            def report(iterations: int, pct: float, done: int = done, job: Job = job) -> None:
                progress(done, len(jobs), job, iterations, pct)

            report(0, float("nan"))
            write_npz(path, solve_job(config, job, starts[job.line.name], threads, report), compressed=True)
    progress(len(jobs), len(jobs), jobs[-1], 0, float("nan"))


def assemble(
    config: FlopPackConfig,
    starts: Mapping[str, PreflopLine],
    gamedef: str,
    digest: str,
    provenance: Provenance,
    work: Path,
    out: Path,
    *,
    overwrite: bool = False,
) -> PackManifest:
    """Puts the finished solves together and writes the pack.

    :param digest: of the blueprint that ``starts`` come from (:func:`strategies.blueprint_pack.blueprint_digest`).
    :param overwrite: replace the pack at ``out``.
    :raises PackError: if a solve is missing.
    """
    arrays: dict[str, NDArray[Any]] = {}
    quality: dict[str, Any] = {}
    jobs = plan_jobs(config)
    for line in config.lines:
        start = starts[line.name]
        mine = sorted((job for job in jobs if job.line is line), key=lambda job: job.flop_class)
        solved = [_load_job(_job_file(work, job)) for job in mine]
        finished = [found for found in solved if found is not None]
        if len(finished) < len(mine):
            raise PackError(f"line {line.name!r}: {len(mine) - len(finished)} solves are missing", source=str(work))
        small, _ = flop_street_tree(line_tree(line, start))
        figures = np.stack([found["quality"] for found in finished])
        arrays |= tree_arrays(line.name, small)
        arrays[f"{line.name}_classes"] = np.array([job.flop_class for job in mine], dtype="<i2")
        arrays[f"{line.name}_rows"] = np.stack([found["rows"] for found in finished])
        arrays[f"{line.name}_ranges"] = start.ranges.astype("<f4")
        arrays[f"{line.name}_evs"] = np.stack([found["evs"] for found in finished])
        arrays[f"{line.name}_quality"] = figures
        quality[line.name] = {
            "flops": len(mine),
            "exploitability_pct_pot_mean": round(float(figures[:, 0].mean()), 3),
            "exploitability_pct_pot_max": round(float(figures[:, 0].max()), 3),
            "solve_seconds": round(float(figures[:, 2].sum()), 1),
        }
    manifest = PackManifest(
        format=FORMAT,
        format_version=FORMAT_VERSION,
        kind="flops",
        name=config.name,
        tier="exact",
        gamedef=gamedef,
        provenance=provenance,
        config={**config.model_dump(), DIGEST_KEY: digest},
        quality=quality,
        lines=[
            FlopLineEntry(
                name=line.name, betting=line.betting, pot=starts[line.name].pot, stack=starts[line.name].stack
            )
            for line in config.lines
        ],
        arrays={},
    )
    write_pack(out, manifest, arrays, overwrite=overwrite)
    return manifest
