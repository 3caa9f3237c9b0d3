"""What strategy packs of any kind hold, and whether they are sound."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

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
from hedgehog.strategies.pack_games import depth_of_pack
from hedgehog.strategies.preflop_values import KIND as VALUES_KIND
from hedgehog.strategies.preflop_values import read_preflop_values
from hedgehog.strategies.quick_flops import read_quick_flops

NO_BLUEPRINT: Final = "it does not record which blueprint it was made from, so no player plays it: build it again"
SOLVE_KINDS: Final = ("solve", "strategy")
"""Kinds of packs that hold a saved solve."""


def list_packs(path: str | os.PathLike[str] | None = None) -> Table:
    """Returns one row per pack at a path: its folder, name, kind, tier, content and bytes.

    :param path: a pack or a folder of packs; None for the shipped ones.
    :raises PackError: if there is no pack, or one is damaged.
    """
    rows = []
    for opened in map(open_pack, find_packs(path or default_packs())):
        manifest, size = opened.manifest, sum(file.stat().st_size for file in opened.folder.iterdir())
        row = (str(opened.folder), manifest.name, manifest.kind, manifest.tier, depth_of_pack(manifest))
        rows.append((*row, describe_content(opened), size))
    columns = (
        Column("folder", shown=False),
        Column("name", "pack"),
        *("kind", "tier"),
        Column("depth_bb", shown=False),
        "content",
        Column("bytes", "MB", lambda size: f"{size / 1e6:.1f}"),
    )
    return Table("packs", "", columns, tuple(rows))


def describe_content(opened: StrategyPack) -> str:
    """Returns a few words on what a pack holds, the stack depth first.

    :raises PackError: if it is damaged.
    """
    depth = depth_of_pack(opened.manifest)
    return _content(opened) if depth is None else f"{depth:g} BB: {_content(opened)}"


def _content(opened: StrategyPack) -> str:
    manifest = opened.manifest
    if manifest.kind == "blueprint":
        blueprint = read_blueprint(opened)
        return f"{len(blueprint.tree.kind):,} nodes, buckets {'/'.join(map(str, blueprint.buckets))}"
    if manifest.kind == LIMIT_KIND:
        limit = read_limit_pack(opened)
        players, merged = limit.tree.gamedef.num_players, " merged" if limit.tree.merged else ""
        buckets = "/".join(map(str, limit.buckets))
        return f"{players} players, {limit.tree.num_decisions:,}{merged} decisions, buckets {buckets}"
    if manifest.kind == VALUES_KIND:
        values = read_preflop_values(opened, blueprint_beside(opened))
        return f"EVs of {len(values.nodes)} preflop decisions from {values.boards:,} boards"
    if manifest.kind in SOLVE_KINDS:
        saved = read_saved_solve(opened.folder)
        return f"{saved.algorithm}, {saved.iterations:,} iterations, {saved.found.pct_pot:.3f} % of the pot"
    if manifest.tier == QUICK_TIER:
        found = [(line.name, manifest.arrays.get(f"{line.name}_classes")) for line in manifest.lines]
        return ", ".join(f"{name}: {entry.shape[0] if entry else 0} flops" for name, entry in found)
    return ", ".join(f"{line.name}: {len(line.classes)} flops" for line in read_flop_lines(opened))


def flop_tables(opened: StrategyPack, *, classes: bool = False) -> list[Table]:
    """Returns tables of the lines of a flop pack and of their flops.

    :param classes: list the flops of a quick pack, too.
    :raises PackError: if the pack is damaged.
    """
    if opened.manifest.tier != QUICK_TIER:
        return [_exact_table(line) for line in read_flop_lines(opened)]
    listed = opened.manifest.lines if classes else []
    return [_quick_table(opened), *(_quick_class_table(opened, entry.name) for entry in listed)]


def _quick_table(opened: StrategyPack) -> Table:
    """Returns one column per preflop line of a quick flop pack: its pot and the measured figures of the manifest."""
    lines = opened.manifest.lines
    found = [opened.manifest.quality.get(line.name) for line in lines]
    figures = [quality if isinstance(quality, dict) else {} for quality in found]
    rows = [("pot", *(str(line.pot) for line in lines))]
    for name in dict.fromkeys(name for quality in figures for name in quality):
        rows.append((str(name).replace("_", " "), *(f"{quality.get(name, '')}" for quality in figures)))
    return _numbered_table("", ["", *(line.betting for line in lines)], rows)


def _quick_class_table(opened: StrategyPack, name: str) -> Table:
    """Returns one row per flop class of a preflop line of a quick flop pack."""
    figures = [str(figure) for figure in opened.manifest.config.get("figures", [])]
    classes = opened.array(f"{name}_classes", dtype="<i2", ndim=1)
    quality = opened.array(f"{name}_quality", dtype="<f4", ndim=2)
    if not (len(classes) == len(quality) and quality.shape[1] == len(figures)):
        raise PackError(f"line {name!r}: the arrays have different lengths", source=str(opened.folder))
    rows = []
    for index, row in zip(classes.tolist(), quality.tolist(), strict=True):
        if not 0 <= index < NUM_FLOP_CLASSES:
            raise PackError(f"line {name!r}: no flop class {index}", source=str(opened.folder))
        rows.append((class_name(3, index), *(f"{value:.3g}" for value in row)))
    return _numbered_table("", [name, *(figure.replace("_", " ") for figure in figures)], rows)


def _exact_table(line: FlopLine) -> Table:
    title = f"{line.name} ({line.betting}): pot {line.pot}, stack {line.stack}"
    rows = [
        (class_name(3, int(index)), f"{weight:.4g}", f"{quality[0]:.2f}", f"{quality[1]:.0f}")
        for index, weight, quality in zip(line.classes, line.weights, line.quality, strict=True)
    ]
    return _numbered_table(title, ["flop", "weight", "exploitability % pot", "iterations"], rows)


def _numbered_table(title: str, headings: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Table:
    columns = [Column(str(number), heading, left=not number) for number, heading in enumerate(headings)]
    return Table("lines", title, columns, tuple(rows))


@dataclass(frozen=True, slots=True)
class PackCheck:
    """What is wrong with a pack."""

    folder: Path
    faults: int = 0
    fault: str = ""
    """The faults in words, with the file or folder; empty if there are none."""
    note: str = ""
    """What could not be checked; empty if everything was."""


def check_packs(path: str | os.PathLike[str] | None = None, watch: Watch = SILENT) -> Iterator[PackCheck]:
    """Yields what is wrong with each pack at a path: sizes, checksums, shapes, and that every row sums to one.

    :param path: a pack or a folder of packs; None for the shipped ones.
    :raises PackError: if there is no pack.
    """
    folders = find_packs(path or default_packs())
    watch.begin("verifying", len(folders))
    for done, folder in enumerate(folders):
        watch.update(done, str(folder))
        yield _check_pack(folder, done, watch)


def _check_pack(folder: Path, done: int, watch: Watch) -> PackCheck:
    """Returns what is wrong with a pack.

    :param done: number of packs before it.
    """
    note, found = "", 0
    try:
        opened = open_pack(folder)
        kind = opened.manifest.kind
        if kind == "blueprint":
            read_blueprint(opened)
        elif kind == LIMIT_KIND:
            read_limit_pack(opened)
        elif kind == VALUES_KIND:
            read_preflop_values(opened, blueprint_beside(opened))
        elif kind in SOLVE_KINDS:
            open_solution(read_saved_solve(folder))
            if kind == "solve":
                verify_state(opened)
        elif opened.manifest.tier == QUICK_TIER:
            quick = read_quick_flops(opened, blueprint_beside(opened))
            found = quick.row_faults(lambda share: watch.update(done + share))
        else:
            found = sum(row_faults(line) for line in read_flop_lines(opened))
            beside = list(blueprints_in(real_path(folder).parent))
            digest = recorded_blueprint(opened)
            if beside and all(digest != blueprint_digest(blueprint) for blueprint in beside):
                verify_blueprint(opened, beside[0])
            if digest is None:
                raise PackError(NO_BLUEPRINT, source=str(folder))
            if not beside:
                note = f"{folder}: there is no blueprint beside it to compare with the one it was made from"
    except PackError as error:
        return PackCheck(folder, 1, str(error))
    fault = f"{folder}: {found} strategy rows do not sum to one" if found else ""
    return PackCheck(folder, found, fault, note)
