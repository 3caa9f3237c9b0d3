"""What strategy packs of every kind hold, and whether they are sound: files, and every row of the strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from hedgehog.poker.isomorphism import class_name
from hedgehog.runtime.errors import PackError
from hedgehog.runtime.files import real_path
from hedgehog.runtime.table import Column, Table
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.postflop.solution_files import open_solution, read_saved_solve, verify_state
from hedgehog.strategies.blueprint_pack import (
    blueprint_beside,
    blueprint_digest,
    blueprints_in,
    read_blueprint,
    recorded_blueprint,
    verify_blueprint,
)
from hedgehog.strategies.flop_pack import NUM_FLOP_CLASSES, QUICK_TIER, FlopLine, read_flop_lines, row_faults
from hedgehog.strategies.limit_pack import KIND as LIMIT_KIND
from hedgehog.strategies.limit_pack import read_limit_pack
from hedgehog.strategies.pack import StrategyPack, default_packs, find_packs, open_pack
from hedgehog.strategies.quick_flops import read_quick_flops

NO_BLUEPRINT: Final = "it does not record which blueprint it was made from, so no player plays it: build it again"


@dataclass(frozen=True, slots=True)
class PackCheck:
    """What :func:`verify_packs` has found out about a pack."""

    folder: Path
    faults: int
    fault: str | None = None
    """What is wrong with the pack."""
    note: str | None = None
    """What could not be verified."""


def list_packs(path: Path | None = None) -> Table:
    """Returns a table of packs: folder, name, kind, tier, content and size.

    :param path: a pack or a folder of packs; None for the shipped ones.
    :raises PackError: if there is no pack, or one is damaged.
    """
    rows = []
    for folder in find_packs(path or default_packs()):
        pack = open_pack(folder)
        size = sum(file.stat().st_size for file in folder.iterdir())
        rows.append((*pack_head(pack).values(), size))
    columns = (
        Column("folder", shown=False),
        Column("name", "pack"),
        "kind",
        "tier",
        "content",
        Column("bytes", "MB", text=lambda size: f"{size / 1e6:.1f}"),
    )
    return Table("packs", "", columns, tuple(rows))


def pack_head(pack: StrategyPack) -> dict[str, Any]:
    """Returns folder, name, kind, tier and content of a pack.

    :raises PackError: if the pack is damaged.
    """
    found = pack.manifest
    return {
        "folder": str(pack.folder),
        "name": found.name,
        "kind": found.kind,
        "tier": found.tier,
        "content": describe_content(pack),
    }


def describe_content(pack: StrategyPack) -> str:
    """Returns in a few words what a pack holds.

    :raises PackError: if the pack is damaged.
    """
    manifest = pack.manifest
    if manifest.kind == "blueprint":
        blueprint = read_blueprint(pack)
        return f"{len(blueprint.tree.kind):,} nodes, buckets {'/'.join(map(str, blueprint.buckets))}"
    if manifest.kind == LIMIT_KIND:
        limit = read_limit_pack(pack)
        players, merged = limit.tree.gamedef.num_players, " merged" if limit.tree.merged else ""
        buckets = "/".join(map(str, limit.buckets))
        return f"{players} players, {limit.tree.num_decisions:,}{merged} decisions, buckets {buckets}"
    if manifest.kind in ("solve", "strategy"):
        saved = read_saved_solve(pack.folder)
        return f"{saved.algorithm}, {saved.iterations:,} iterations, {saved.found.pct_pot:.3f} % of the pot"
    if manifest.tier == QUICK_TIER:
        found = [(line.name, manifest.arrays.get(f"{line.name}_classes")) for line in manifest.lines]
        return ", ".join(f"{name}: {entry.shape[0] if entry else 0} flops" for name, entry in found)
    return ", ".join(f"{line.name}: {len(line.classes)} flops" for line in read_flop_lines(pack))


def quick_line_table(pack: StrategyPack) -> Table:
    """Returns a table with one column per preflop line of a quick flop pack: its pot and the figures measured on it."""
    lines = pack.manifest.lines
    found = [pack.manifest.quality.get(line.name) for line in lines]
    figures = [quality if isinstance(quality, dict) else {} for quality in found]
    rows: list[tuple[str, ...]] = [("pot", *(str(line.pot) for line in lines))]
    for name in dict.fromkeys(name for quality in figures for name in quality):
        rows.append((str(name).replace("_", " "), *(f"{quality.get(name, '')}" for quality in figures)))
    return Table("lines", "", ["", *(Column(line.name, line.betting) for line in lines)], tuple(rows))


def quick_class_table(pack: StrategyPack, name: str) -> Table:
    """Returns a table with one row per flop class of a preflop line of a quick flop pack: the figures measured on it.

    :param name: name of the line.
    :raises PackError: if the pack is damaged.
    """
    figures = [str(figure) for figure in pack.manifest.config.get("figures", [])]
    if len(set(figures)) < len(figures):
        raise PackError("the manifest names a figure twice", source=str(pack.folder))
    classes = pack.array(f"{name}_classes", dtype="<i2", ndim=1)
    quality = pack.array(f"{name}_quality", dtype="<f4", ndim=2)
    if not (len(classes) == len(quality) and quality.shape[1] == len(figures)):
        raise PackError(f"line {name!r}: the arrays have different lengths", source=str(pack.folder))
    rows = []
    for index, row in zip(classes.tolist(), quality.tolist(), strict=True):
        if not 0 <= index < NUM_FLOP_CLASSES:
            raise PackError(f"line {name!r}: no flop class {index}", source=str(pack.folder))
        rows.append((class_name(3, index), *row))
    columns = [Column(figure, figure.replace("_", " "), text=lambda value: f"{value:.3g}") for figure in figures]
    return Table(name, "", [Column("", name), *columns], tuple(rows))


def exact_line_table(line: FlopLine) -> Table:
    """Returns a table with one row per flop of a line of an exact flop pack: its weight and how well it is solved."""
    columns = (
        "flop",
        Column("weight", text=lambda weight: f"{weight:.4g}"),
        Column("exploitability_pct_pot", "exploitability % pot", text=lambda value: f"{value:.2f}"),
        Column("iterations", text=lambda value: f"{value:.0f}"),
    )
    rows = tuple(
        (class_name(3, int(index)), float(weight), float(quality[0]), float(quality[1]))
        for index, weight, quality in zip(line.classes, line.weights, line.quality, strict=True)
    )
    return Table(line.name, f"{line.name} ({line.betting}): pot {line.pot}, stack {line.stack}", columns, rows)


def verify_packs(path: Path | None = None, *, watch: Watch = SILENT) -> Iterator[PackCheck]:
    """Checks every file of some packs (sizes, checksums, shapes) and that every row sums to one; yields what it finds.

    :param path: a pack or a folder of packs; None for the shipped ones.
    :raises PackError: if there is no pack.
    """
    folders = find_packs(path or default_packs())
    watch.begin("verifying", len(folders))
    for done, folder in enumerate(folders):
        watch.update(done, str(folder))
        yield _verify(folder, partial(_tell, watch, done))


def _tell(watch: Watch, done: int, share: float) -> None:
    watch.update(done + share)


def _verify(folder: Path, on_share: Callable[[float], None]) -> PackCheck:
    """Checks a pack.

    :param on_share: called with the share of the pack that is verified, where that takes a while.
    """
    try:
        pack = open_pack(folder)
        bad_rows, note = _bad_rows(pack, on_share), None
        if pack.manifest.kind == "flops" and pack.manifest.tier != QUICK_TIER:
            note = _verify_origin(pack)
    except PackError as error:
        return PackCheck(folder, 1, str(error))
    if bad_rows:
        return PackCheck(folder, bad_rows, f"{folder}: {bad_rows} strategy rows do not sum to one", note)
    return PackCheck(folder, 0, note=note)


def _bad_rows(pack: StrategyPack, on_share: Callable[[float], None]) -> int:
    """Returns the number of strategy rows that do not sum to one, as far as reading the pack does not refuse them.

    :raises PackError: if the pack is damaged.
    """
    kind = pack.manifest.kind
    if kind == "blueprint":
        read_blueprint(pack)
    elif kind == LIMIT_KIND:
        read_limit_pack(pack)
    elif kind in ("solve", "strategy"):
        open_solution(read_saved_solve(pack.folder))
        if kind == "solve":
            verify_state(pack)
    elif pack.manifest.tier == QUICK_TIER:
        return read_quick_flops(pack, blueprint_beside(pack)).row_faults(on_share)
    else:
        return sum(row_faults(line) for line in read_flop_lines(pack))
    return 0


def _verify_origin(pack: StrategyPack) -> str | None:
    """Checks that an exact flop pack was made from a blueprint beside it; returns a note if there is none.

    :raises PackError: if it was made from another blueprint, or does not record which.
    """
    beside = list(blueprints_in(real_path(pack.folder).parent))
    digest = recorded_blueprint(pack)
    if beside and all(digest != blueprint_digest(blueprint) for blueprint in beside):
        verify_blueprint(pack, beside[0])
    if digest is None:
        raise PackError(NO_BLUEPRINT, source=str(pack.folder))
    if beside:
        return None
    return f"{pack.folder}: there is no blueprint beside it to compare with the one it was made from"
