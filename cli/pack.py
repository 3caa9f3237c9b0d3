"""``hedgehog pack``: list, show, verify and build strategy packs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import click
from pydantic import BaseModel
from rich.console import Console
from rich.table import Table

from poker.config_file import read_config
from poker.errors import InputError, PackError
from strategies.blueprint_pack import read_blueprint
from strategies.flop_pack import FlopLine, read_flop_lines, row_faults
from strategies.pack import StrategyPack, default_packs, find_packs, open_pack

_PATH = click.Path(path_type=Path)


@click.group()
def pack() -> None:
    """List, show, verify and build strategy packs (PATH: a pack, or a folder of packs; default: the shipped ones)."""


@pack.command("list")
@click.argument("path", type=_PATH, required=False)
def list_packs(path: Path | None) -> None:
    """List the packs at PATH."""
    table = Table("pack", "kind", "tier", "content", "MB")
    for folder in find_packs(path or default_packs()):
        opened = open_pack(folder)
        size = sum(file.stat().st_size for file in folder.iterdir())
        table.add_row(
            opened.manifest.name, opened.manifest.kind, opened.manifest.tier, _content(opened), f"{size / 1e6:.1f}"
        )
    Console().print(table)


def _content(opened: StrategyPack) -> str:
    if opened.manifest.kind == "blueprint":
        blueprint = read_blueprint(opened)
        return f"{len(blueprint.tree.kind):,} nodes, buckets {'/'.join(map(str, blueprint.buckets))}"
    if opened.manifest.kind in ("solve", "strategy"):
        from solver.solution_files import read_saved_solve

        saved = read_saved_solve(opened.folder)
        return f"{saved.algorithm}, {saved.iterations:,} iterations, {saved.found.pct_pot:.3f} % of the pot"
    lines = read_flop_lines(opened)
    return ", ".join(f"{line.name}: {len(line.classes)} flops" for line in lines)


@pack.command("show")
@click.argument("path", type=_PATH, required=False)
def show_pack(path: Path | None) -> None:
    """Show what a pack holds, what made it and how good it is."""
    console = Console()
    for folder in find_packs(path or default_packs()):
        opened = open_pack(folder)
        manifest = opened.manifest
        console.print(f"[bold]{manifest.name}[/bold]  ({folder})")
        console.print(f"  kind {manifest.kind}, tier {manifest.tier}, {_content(opened)}")
        made = manifest.provenance
        console.print(f"  made by `{made.command}`, commit {made.commit}, {made.date}, {made.machine}", highlight=False)
        for key, value in manifest.quality.items():
            console.print(f"  {key}: {value}", highlight=False)
        if manifest.kind == "flops":
            for line in read_flop_lines(opened):
                console.print(_line_table(line))


def _line_table(line: FlopLine) -> Table:
    from poker.isomorphism import class_name

    table = Table(
        "flop",
        "exploitability % pot",
        "iterations",
        "seconds",
        title=f"{line.name} ({line.betting}): pot {line.pot}, stack {line.stack}",
    )
    for index, (exploitability, iterations, seconds) in zip(line.classes, line.quality, strict=True):
        board = class_name(3, int(index))
        table.add_row(board, f"{exploitability:.2f}", f"{iterations:.0f}", f"{seconds:.0f}")
    return table


@pack.command("verify")
@click.argument("path", type=_PATH, required=False)
def verify_pack(path: Path | None) -> int:
    """Check every file of the packs at PATH: sizes, checksums, shapes, and that every row sums to one."""
    faults = 0
    folders = find_packs(path or default_packs())
    for folder in folders:
        try:
            opened = open_pack(folder)
            if opened.manifest.kind == "blueprint":
                found = read_blueprint(opened).row_faults()
            elif opened.manifest.kind in ("solve", "strategy"):
                from solver.solution_files import open_solution, read_saved_solve

                open_solution(read_saved_solve(folder))
                found = 0
            else:
                found = sum(row_faults(line) for line in read_flop_lines(opened))
        except PackError as error:
            click.echo(f"fault: {error}")
            faults += 1
            continue
        if found:
            click.echo(f"fault: {folder}: {found} strategy rows do not sum to one")
        faults += found
    click.echo(f"{len(folders)} packs, {faults} faults")
    return 1 if faults else 0


class _Kind(BaseModel):
    kind: Literal["blueprint", "flops"]


@pack.command("build")
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--out", type=_PATH, required=True, help="Folder of the finished pack.")
@click.option("--work", type=_PATH, help="Folder of unfinished work [default: OUT.work beside the pack].")
@click.option("--threads", type=click.IntRange(1, 256), help="Threads [default: all processors].")
def build_pack(config: Path, out: Path, work: Path | None, threads: int | None) -> None:
    """Build the pack that the YAML file CONFIG describes.

    Interrupt it whenever you like: the same command goes on where it stopped.
    """
    from cli.pack_build import build_blueprint, build_flops

    kind = read_config(config, _Kind, InputError, "a pack").model.kind
    work = work or out.with_name(out.name + ".work")
    threads = threads or os.cpu_count() or 1
    try:
        if kind == "blueprint":
            build_blueprint(config, out, work, threads)
        else:
            build_flops(config, out, work, threads)
    except KeyboardInterrupt:
        click.echo(f"stopped; the same command goes on from what is in {work}", err=True)
        raise
