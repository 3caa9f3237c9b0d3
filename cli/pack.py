"""``hedgehog pack``: list, show, verify and build strategy packs."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from pydantic import BaseModel
from rich.console import Console
from rich.table import Table

from poker.config_file import read_config
from poker.errors import InputError, PackError
from strategies.blueprint_pack import read_blueprint
from strategies.flop_pack import FlopLine, read_flop_lines, row_faults
from strategies.manifest import Provenance
from strategies.pack import StrategyPack, default_packs, find_packs, open_pack

if TYPE_CHECKING:
    from rich.progress import Progress

_PATH = click.Path(path_type=Path)
GAME = "holdem.nolimit.2p.reverse_blinds"


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
    kind = read_config(config, _Kind, InputError, "a pack").model.kind
    work = work or out.with_name(out.name + ".work")
    threads = threads or os.cpu_count() or 1
    try:
        if kind == "blueprint":
            _build_blueprint(config, out, work, threads)
        else:
            _build_flops(config, out, work, threads)
    except KeyboardInterrupt:
        click.echo(f"stopped; the same command goes on from what is in {work}", err=True)
        raise


def _provenance() -> Provenance:
    root = Path(__file__).resolve().parent.parent
    git = subprocess.run(
        ["git", "-C", str(root), "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False
    )
    return Provenance(
        command="hedgehog " + " ".join(sys.argv[1:]),
        hedgehog_version=version("hedgehog-poker"),
        commit=git.stdout.strip() or "unknown",
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        machine=f"{_processor()}, {os.cpu_count()} threads, Python {platform.python_version()}",
    )


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _progress_bar() -> Progress:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    return Progress(
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("ETA"),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("{task.description}"),
        console=Console(stderr=True),
    )


def _build_blueprint(config_path: Path, out: Path, work: Path, threads: int) -> None:
    from poker.gamedef import find_gamedef, read_gamedef
    from solver.blueprint_pack_build import read_blueprint_pack_config, train, write_blueprint_pack
    from solver.blueprint_training import TrainingProgress
    from solver.card_abstraction import CardAbstraction

    config = read_blueprint_pack_config(config_path)
    gamedef = read_gamedef(find_gamedef(GAME))
    cards = CardAbstraction.load_or_build(config.cards, progress=lambda text: click.echo(text, err=True))
    with _progress_bar() as bar:
        total = float(config.iterations if config.seconds is None else config.seconds)  # type: ignore[arg-type]
        task = bar.add_task("starting", total=total)

        def progress(now: TrainingProgress) -> None:
            shares = ", ".join(f"{action} {100 * share:.1f} %" for action, share in now.button.items())
            bar.update(
                task,
                completed=now.iterations if config.seconds is None else now.seconds,
                description=f"{now.iterations:,} boards, {now.iterations_per_second:.1f}/s, button {shares}",
            )

        blueprint = train(config, cards, gamedef, work / "checkpoint.npz", threads, progress)
    write_blueprint_pack(blueprint, cards.digest, config.name, gamedef, _provenance(), out)
    click.echo(f"wrote {out}")


def _build_flops(config_path: Path, out: Path, work: Path, threads: int) -> None:
    from solver import flop_pack_build as build

    config = build.read_flop_pack_config(config_path)
    blueprint = open_pack(config_path.parent / config.blueprint)
    starts = build.preflop_lines(config, read_blueprint(blueprint))
    work = work / build.config_digest(config, starts)
    with _progress_bar() as bar:
        task = bar.add_task("starting", total=len(build.plan_jobs(config)))

        def progress(done: int, total: int, job: build.Job, iterations: int, pct: float) -> None:
            text = f"{done} of {total} done, {job}: "
            text += f"{iterations} iterations, {pct:.2f} % of the pot" if iterations else "setting up"
            bar.update(task, completed=done, description=text)

        build.solve_all(config, starts, work, threads, progress)
    build.assemble(config, starts, blueprint.manifest.gamedef, _provenance(), work, out)
    click.echo(f"wrote {out}")
