"""``hedgehog pack``: list, show, verify and build strategy packs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import click
from rich.table import Table

from hedgehog.cli.console import output_console
from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import (
    claim_outputs,
    csv_option,
    json_option,
    overwrite_option,
    write_csv,
    write_json,
    write_output,
)
from hedgehog.cli.packs.flop_commands import flops_option, report
from hedgehog.cli.packs.flop_commands import subset as choose_subset
from hedgehog.cli.packs.pack_exploit import exploit
from hedgehog.cli.packs.pack_status import status
from hedgehog.cli.progress import Progress, show_progress, terminal_watch
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import PackError
from hedgehog.runtime.files import real_path
from hedgehog.runtime.outputs import STDOUT
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

NO_BLUEPRINT: Final = "it does not record which blueprint it was made from, so no player plays it: build it again"

_PATH = click.Path(path_type=Path)


@click.group()
def pack() -> None:
    """List, show, verify and build strategy packs (PATH: a pack, or a folder of packs; default: the shipped ones)."""


pack.add_command(status)
pack.add_command(exploit)
pack.add_command(report)
pack.add_command(choose_subset)


@pack.command("list")
@click.argument("path", type=_PATH, required=False)
@json_option("the list")
@csv_option("the list")
@overwrite_option
def list_packs(path: Path | None, json_file: Path | None, csv_file: Path | None, overwrite: bool) -> None:
    """List the packs at PATH."""
    claim_outputs(json_file, csv_file, inputs=[path], overwrite=overwrite)
    table = Table("pack", "kind", "tier", "content", "MB")
    rows: list[dict[str, object]] = []
    for folder in find_packs(path or default_packs()):
        opened = open_pack(folder)
        size = sum(file.stat().st_size for file in folder.iterdir())
        row = {**_head(opened), "content": _content(opened), "bytes": size}
        rows.append(row)
        table.add_row(*(str(row[key]) for key in ("name", "kind", "tier", "content")), f"{size / 1e6:.1f}")
    output_console().print(table)
    if json_file is not None:
        write_json(json_file, json_document("packs", packs=rows))
    if csv_file is not None:
        write_csv(csv_file, rows)


def _head(opened: StrategyPack) -> dict[str, object]:
    manifest = opened.manifest
    return {"folder": str(opened.folder), "name": manifest.name, "kind": manifest.kind, "tier": manifest.tier}


def _content(opened: StrategyPack) -> str:
    if opened.manifest.kind == "blueprint":
        blueprint = read_blueprint(opened)
        return f"{len(blueprint.tree.kind):,} nodes, buckets {'/'.join(map(str, blueprint.buckets))}"
    if opened.manifest.kind == LIMIT_KIND:
        limit = read_limit_pack(opened)
        players, merged = limit.tree.gamedef.num_players, " merged" if limit.tree.merged else ""
        buckets = "/".join(map(str, limit.buckets))
        return f"{players} players, {limit.tree.num_decisions:,}{merged} decisions, buckets {buckets}"
    if opened.manifest.kind in ("solve", "strategy"):
        from hedgehog.solver.postflop.solution_files import read_saved_solve

        saved = read_saved_solve(opened.folder)
        return f"{saved.algorithm}, {saved.iterations:,} iterations, {saved.found.pct_pot:.3f} % of the pot"
    if opened.manifest.tier == QUICK_TIER:
        arrays = opened.manifest.arrays
        found = [(line.name, arrays.get(f"{line.name}_classes")) for line in opened.manifest.lines]
        return ", ".join(f"{name}: {entry.shape[0] if entry else 0} flops" for name, entry in found)
    lines = read_flop_lines(opened)
    return ", ".join(f"{line.name}: {len(line.classes)} flops" for line in lines)


@pack.command("show")
@click.argument("path", type=_PATH, required=False)
@click.option("--classes", is_flag=True, help="Quick flops: one row for each flop of each line.")
@json_option("the manifests")
@overwrite_option
def show_pack(path: Path | None, classes: bool, json_file: Path | None, overwrite: bool) -> None:
    """Show what a pack holds, what made it and how good it is."""
    claim_outputs(json_file, inputs=[path], overwrite=overwrite)
    console = output_console()
    shown: list[dict[str, object]] = []
    packs = [open_pack(folder) for folder in find_packs(path or default_packs())]
    if not any(pack.manifest.tier == QUICK_TIER for pack in packs):
        refuse_options("is for quick flops: there are none here", "classes")
    for opened in packs:
        folder = opened.folder
        manifest, content = opened.manifest, _content(opened)
        shown.append({**_head(opened), "content": content, "manifest": manifest.model_dump(mode="json")})
        console.print(f"[bold]{manifest.name}[/bold]  ({folder})")
        console.print(f"  kind {manifest.kind}, tier {manifest.tier}, {content}")
        made = manifest.provenance
        console.print(f"  made by `{made.command}`, commit {made.commit}, {made.date}, {made.machine}", highlight=False)
        if manifest.kind == "flops":
            digest = recorded_blueprint(opened)
            text = NO_BLUEPRINT if digest is None else f"made from the blueprint of digest {digest}"
            console.print(f"  {text}", highlight=False)
        elif manifest.kind == "blueprint":
            console.print(f"  digest {blueprint_digest(read_blueprint(opened))}", highlight=False)
        if manifest.kind == "flops" and manifest.tier == QUICK_TIER:
            console.print(_quick_table(opened))
            if classes:
                for entry in manifest.lines:
                    console.print(_quick_class_table(opened, entry.name))
            continue
        for key, value in manifest.quality.items():
            if isinstance(value, dict):  # the table below has the figures of single flops
                value = {name: figure for name, figure in value.items() if not isinstance(figure, dict)}
            console.print(f"  {key}: {value}", highlight=False)
        if manifest.kind == "blueprint":
            from hedgehog.cli.packs.pack_reports import preflop_lines

            for text in preflop_lines(read_blueprint(opened)):
                console.print(f"  {text}", highlight=False)
        if manifest.kind == "flops":
            for line in read_flop_lines(opened):
                console.print(_line_table(line))
    if json_file is not None:
        write_json(json_file, json_document("packs", packs=shown))


def _quick_table(opened: StrategyPack) -> Table:
    """Returns one column per preflop line of a quick flop pack: its pot and the measured figures of the manifest."""
    manifest = opened.manifest
    table = Table("", *(line.betting for line in manifest.lines))
    table.add_row("pot", *(str(line.pot) for line in manifest.lines))
    found = [manifest.quality.get(line.name) for line in manifest.lines]
    figures = [quality if isinstance(quality, dict) else {} for quality in found]
    for name in dict.fromkeys(name for quality in figures for name in quality):
        table.add_row(str(name).replace("_", " "), *(f"{quality.get(name, '')}" for quality in figures))
    return table


def _quick_class_table(opened: StrategyPack, name: str) -> Table:
    """Returns one row per flop class of a preflop line of a quick flop pack."""
    from hedgehog.poker.isomorphism import class_name

    figures = [str(figure) for figure in opened.manifest.config.get("figures", [])]
    classes = opened.array(f"{name}_classes", dtype="<i2", ndim=1)
    quality = opened.array(f"{name}_quality", dtype="<f4", ndim=2)
    if not (len(classes) == len(quality) and quality.shape[1] == len(figures)):
        raise PackError(f"line {name!r}: the arrays have different lengths", source=str(opened.folder))
    table = Table(name, *(figure.replace("_", " ") for figure in figures))
    for index, row in zip(classes.tolist(), quality.tolist(), strict=True):
        if not 0 <= index < NUM_FLOP_CLASSES:
            raise PackError(f"line {name!r}: no flop class {index}", source=str(opened.folder))
        table.add_row(class_name(3, index), *(f"{value:.3g}" for value in row))
    return table


def _line_table(line: FlopLine) -> Table:
    from hedgehog.poker.isomorphism import class_name

    table = Table(
        "flop",
        "weight",
        "exploitability % pot",
        "iterations",
        title=f"{line.name} ({line.betting}): pot {line.pot}, stack {line.stack}",
    )
    for index, weight, quality in zip(line.classes, line.weights, line.quality, strict=True):
        board = class_name(3, int(index))
        table.add_row(board, f"{weight:.4g}", f"{quality[0]:.2f}", f"{quality[1]:.0f}")
    return table


@pack.command("verify")
@click.argument("path", type=_PATH, required=False)
@json_option()
@overwrite_option
def verify_pack(path: Path | None, json_file: Path | None, overwrite: bool) -> int:
    """Check every file of the packs at PATH: sizes, checksums, shapes, and that every row sums to one."""
    claim_outputs(json_file, inputs=[path], overwrite=overwrite)
    found: list[dict[str, object]] = []
    faults = 0
    folders = find_packs(path or default_packs())
    with show_progress("verifying", len(folders)) as progress:
        for done, folder in enumerate(folders):
            progress.update(done, str(folder))
            faults_here = _count_faults(folder, partial(_add_share, progress, done))
            faults += faults_here
            found.append({"folder": str(folder), "faults": faults_here})
    click.echo(f"{len(folders)} packs, {faults} faults")
    if json_file is not None:
        write_json(json_file, json_document("pack-verify", faults=faults, packs=found))
    return 1 if faults else 0


def _add_share(progress: Progress, done: int, share: float) -> None:
    progress.update(done + share)


def _count_faults(folder: Path, on_progress: Callable[[float], None]) -> int:
    """Prints what is wrong with a pack and returns the number of its faults.

    :param on_progress: called with the share of the pack that is verified, where that takes a while.
    """
    try:
        opened = open_pack(folder)
        if opened.manifest.kind == "blueprint":
            read_blueprint(opened)
            found = 0
        elif opened.manifest.kind == LIMIT_KIND:
            read_limit_pack(opened)
            found = 0
        elif opened.manifest.kind in ("solve", "strategy"):
            from hedgehog.solver.postflop.solution_files import open_solution, read_saved_solve, verify_state

            open_solution(read_saved_solve(folder))
            if opened.manifest.kind == "solve":
                verify_state(opened)
            found = 0
        elif opened.manifest.tier == QUICK_TIER:
            from hedgehog.strategies.quick_flops import read_quick_flops

            found = read_quick_flops(opened, blueprint_beside(opened)).row_faults(on_progress)
        else:
            found = sum(row_faults(line) for line in read_flop_lines(opened))
            beside = list(blueprints_in(real_path(opened.folder).parent))
            digest = recorded_blueprint(opened)
            if beside and all(digest != blueprint_digest(blueprint) for blueprint in beside):
                verify_blueprint(opened, beside[0])
            if digest is None:
                raise PackError(NO_BLUEPRINT, source=str(folder))
            if not beside:
                click.echo(f"note: {folder}: there is no blueprint beside it to compare with the one it was made from")
    except PackError as error:
        click.echo(f"fault: {error}")
        return 1
    if found:
        click.echo(f"fault: {folder}: {found} strategy rows do not sum to one")
    return found


@pack.command("spot")
@click.option("--line", required=True, metavar="LINE", help="Betting to the board: r250c, r250c/kr165c, cc/kk/kk.")
@click.option("--board", required=True, metavar="CARDS", help="Three to five cards, in the order they are dealt.")
@click.option("--pack", "path", type=_PATH, metavar="PATH", help="The blueprint.  [default: the shipped one]")
@click.option("--out", type=_PATH, default=STDOUT, metavar="FILE", help="Write to FILE, not to standard output.")
@overwrite_option
def spot(line: str, board: str, path: Path | None, out: Path, overwrite: bool) -> None:
    """Print a spot file for hedgehog solve: the blueprint's ranges, pot and stack after LINE on a board.

    LINE is read as by hedgehog ask: with a k for a check, sizes are totals on their street; without, totals over the
    hand, as in logs. Turn and river lines need the card tables, which are built at first use (under a minute).
    """
    from hedgehog.solver.packs.blueprint_spot import spot_text

    path = path or default_packs()
    claim_outputs(out, inputs=[path], overwrite=overwrite)
    write_output(out, spot_text(path, line, board, lambda text: click.echo(text, err=True)))


@pack.command("chart")
@click.argument("path", type=_PATH, required=False)
@click.option("--out", type=_PATH, required=True, metavar="FILE", help="The SVG file to write; - is standard output.")
@overwrite_option
def chart(path: Path | None, out: Path, overwrite: bool) -> None:
    """Draw what the blueprint at PATH does with each hand before the flop (PATH may be a .npz of a training, too)."""
    from hedgehog.cli.packs.pack_reports import draw_chart

    claim_outputs(out, inputs=[path], overwrite=overwrite)
    write_output(out, draw_chart(path or default_packs()))
    click.echo(f"wrote {out}", err=out == STDOUT)


@pack.command("buckets")
@click.option("--flop", type=click.IntRange(1, 254), default=200, show_default=True, help="Flop buckets.")
@click.option("--turn", type=click.IntRange(1, 4000), default=200, show_default=True, help="Turn buckets.")
@click.option("--river", type=click.IntRange(1, 4000), default=200, show_default=True, help="River buckets.")
@click.option(
    "--turn-features",
    metavar="KIND",
    default="distribution",
    show_default=True,
    help="Kind of turn buckets: distribution or potential.",
)
@click.option(
    "--river-features",
    metavar="KIND",
    default="equity",
    show_default=True,
    help="Kind of river buckets: equity, ochs or blockers.",
)
@json_option("the report")
@csv_option("the table")
@overwrite_option
def buckets(
    flop: int,
    turn: int,
    river: int,
    turn_features: str,
    river_features: str,
    json_file: Path | None,
    csv_file: Path | None,
    overwrite: bool,
) -> None:
    """Report how good the card buckets of a blueprint are, on random boards; builds them if they are missing."""
    from hedgehog.cli.packs.pack_reports import print_buckets
    from hedgehog.solver.blueprint.cards.card_config import CardConfig

    config = CardConfig(flop, turn, river, turn_features=turn_features, river_features=river_features)
    claim_outputs(json_file, csv_file, overwrite=overwrite)
    print_buckets(config, json_file, csv_file)


@pack.command("build")
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--out", type=_PATH, help="Folder of the finished pack.")
@click.option("--work", type=_PATH, help="Folder of unfinished work [default: OUT.work beside the pack].")
@click.option(
    "--threads",
    type=click.IntRange(1, 256),
    help="Worker processes of flop packs [default: as many as there are processors and memory], threads of a "
    "blueprint [default: of CONFIG, or all processors].",
)
@flops_option("Build the flops of a subset in its order: 23, 49, 95, 184, 1755 or a file, in place of CONFIG's.")
@click.option(
    "--dask",
    metavar="ADDRESS",
    help="Flop packs: work on the cluster of the dask scheduler at ADDRESS (tcp://HOST:8786), or of N processes here "
    "(local:N).",
)
@click.option("--estimate", is_flag=True, help="Print what the build needs (memory, time, bytes) and stop.")
@click.option("--partial", "partial_pack", is_flag=True, help="Write a pack of the flops that are finished, and stop.")
@click.option("--overwrite", is_flag=True, help="Replace the pack in --out (never a folder that holds anything else).")
def build_pack(
    config: Path,
    out: Path | None,
    work: Path | None,
    threads: int | None,
    flops: str | None,
    dask: str | None,
    estimate: bool,
    partial_pack: bool,
    overwrite: bool,
) -> None:
    """Build the pack that the YAML file CONFIG describes.

    Interrupt it whenever you like: the same command continues where it stopped.
    """
    from hedgehog.cli.packs.pack_estimate import print_estimate
    from hedgehog.solver.packs import build
    from hedgehog.solver.packs.build_status import work_folder

    if partial_pack and estimate:
        raise click.UsageError("--partial: only for building flop packs")
    if partial_pack:
        refuse_options("does not go with --partial, which solves nothing", "threads", "dask")
    if dask is not None and threads is not None:
        raise click.UsageError("--dask: only for flop packs, and without --threads")
    if estimate:
        refuse_options("does not go with --estimate, which starts no work", "dask")
    if work is None and out is not None:
        work = work_folder(out)
    if estimate:
        with terminal_watch() as watch:
            found = build.estimate_pack(config, work=work, threads=threads, flops=flops, watch=watch)
        print_estimate(found)
        return
    if out is None or work is None:
        raise click.UsageError("Missing option '--out'.")
    try:
        with terminal_watch() as watch:
            build.build_pack(
                config,
                out,
                work=work,
                threads=threads,
                dask=dask,
                flops=flops,
                partial=partial_pack,
                overwrite=overwrite,
                watch=watch,
            )
    except KeyboardInterrupt:
        click.echo(f"stopped; the same command goes on from what is in {work}", err=True)
        raise
    click.echo(f"wrote {out}")
