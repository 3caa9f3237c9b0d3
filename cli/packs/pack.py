"""``hedgehog pack``: list, show, verify and build strategy packs."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.cli.console import output_console, print_folded
from hedgehog.cli.dask_option import dask_option
from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import Outputs, claim_outputs, output_options, overwrite_option, write_output
from hedgehog.cli.packs.flop_commands import flops_option, report
from hedgehog.cli.packs.flop_commands import subset as choose_subset
from hedgehog.cli.packs.pack_exploit import exploit
from hedgehog.cli.packs.pack_status import status
from hedgehog.cli.packs.pack_values import evs, values
from hedgehog.cli.player_options import WHICH_DEPTH, chosen_game_option, depth_option
from hedgehog.cli.progress import terminal_watch
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.outputs import STDOUT
from hedgehog.strategies.blueprint_pack import blueprint_digest, read_blueprint, recorded_blueprint
from hedgehog.strategies.flop_pack import QUICK_TIER
from hedgehog.strategies.limit_pack import KIND as LIMIT
from hedgehog.strategies.limit_pack import read_limit_pack
from hedgehog.strategies.manifest import MANIFEST_NAME, read_manifest
from hedgehog.strategies.pack import StrategyPack, default_packs, open_pack
from hedgehog.strategies.pack_games import depth_of_pack, packs_at

_PATH = click.Path(path_type=Path)


@click.group()
def pack() -> None:
    """List, show, verify and build strategy packs (PATH: a pack, or a folder of packs; default: the shipped ones)."""


pack.add_command(status)
pack.add_command(exploit)
pack.add_command(values)
pack.add_command(evs)
pack.add_command(report)
pack.add_command(choose_subset)


@pack.command("list")
@click.argument("path", type=_PATH, required=False)
@output_options(json="the list", csv="the list")
def list_command(path: Path | None, outputs: Outputs) -> None:
    """List the packs at PATH."""
    from hedgehog.solver.packs.pack_contents import list_packs

    outputs.claim(path)
    table = list_packs(path)
    output_console().print(table.rich())
    outputs.write_json(json_document("packs", packs=table.records()))
    outputs.write("csv", table.csv)


@pack.command("show")
@click.argument("path", type=_PATH, required=False)
@click.option("--classes", is_flag=True, help="Quick flops: one row for each flop of each line.")
@depth_option("Only the packs for this stack in big blinds, or in chips of blinds 50/100.")
@output_options(json="the manifests")
def show_pack(path: Path | None, classes: bool, depth: float | None, outputs: Outputs) -> None:
    """Show what a pack holds, what made it and how good it is."""
    from hedgehog.solver.packs.pack_contents import describe_content

    outputs.claim(path)
    shown: list[dict[str, object]] = []
    path = path or default_packs()
    packs = [open_pack(folder) for folder in packs_at(path, depth)]
    if not any(pack.manifest.tier == QUICK_TIER for pack in packs):
        refuse_options("is for quick flops: there are none here", "classes")
    for opened in packs:
        manifest, content = opened.manifest, describe_content(opened)
        head: dict[str, object] = {
            "folder": str(opened.folder),
            "name": manifest.name,
            "kind": manifest.kind,
            "tier": manifest.tier,
        }
        head["depth_bb"] = depth_of_pack(manifest)
        shown.append({**head, "content": content, "manifest": manifest.model_dump(mode="json")})
        _print_pack(opened, content, classes=classes)
    outputs.write_json(json_document("packs", packs=shown))


def _print_pack(opened: StrategyPack, content: str, *, classes: bool) -> None:
    from hedgehog.solver.blueprint.report import describe_preflop
    from hedgehog.solver.packs.pack_contents import NO_BLUEPRINT, flop_tables

    console, manifest, made = output_console(), opened.manifest, opened.manifest.provenance
    console.print(f"[bold]{manifest.name}[/bold]  ({opened.folder})")
    console.print(f"  kind {manifest.kind}, tier {manifest.tier}, {content}")
    texts = [f"made by `{made.command}`, commit {made.commit}, {made.date}, {made.machine}"]
    if manifest.kind == "flops":
        digest = recorded_blueprint(opened)
        texts.append(NO_BLUEPRINT if digest is None else f"made from the blueprint of digest {digest}")
    elif manifest.kind == "blueprint":
        texts.append(f"digest {blueprint_digest(read_blueprint(opened))}")
    if (manifest.kind, manifest.tier) != ("flops", QUICK_TIER):  # whose figures are in the table below
        for key, value in manifest.quality.items():
            if isinstance(value, dict):  # the table below has the figures of single flops
                value = {name: figure for name, figure in value.items() if not isinstance(figure, dict)}
            texts.append(f"{key}: {value}")
    if manifest.kind == "blueprint":
        texts += describe_preflop(read_blueprint(opened))
    for text in texts:
        console.print(f"  {text}", highlight=False)
    if manifest.kind == "flops":
        for table in flop_tables(opened, classes=classes):
            print_folded(table)
    elif manifest.kind == LIMIT:
        from hedgehog.analysis.packs.limit_chart import limit_tables

        for table in limit_tables(read_limit_pack(opened)):
            print_folded(table)


@pack.command("verify")
@click.argument("path", type=_PATH, required=False)
@output_options(json="the result")
def verify_pack(path: Path | None, outputs: Outputs) -> int:
    """Check every file of the packs at PATH: sizes, checksums, shapes, and that every row sums to one."""
    from hedgehog.solver.packs.pack_contents import check_packs

    outputs.claim(path)
    found: list[dict[str, object]] = []
    faults = 0
    with terminal_watch() as watch:
        for check in check_packs(path, watch):
            faults += check.faults
            found.append({"folder": str(check.folder), "faults": check.faults})
            for what, text in (("note", check.note), ("fault", check.fault)):
                if text:
                    click.echo(f"{what}: {text}")
    click.echo(f"{len(found)} packs, {faults} faults")
    outputs.write_json(json_document("pack-verify", faults=faults, packs=found))
    return 1 if faults else 0


@pack.command("spot")
@click.option(
    "--line", required=True, metavar="LINE", help="Betting to the board: R250 C, R250 C X B165 C, or ACPC text."
)
@click.option("--board", required=True, metavar="CARDS", help="Three to five cards, in the order they are dealt.")
@click.option(
    "--pack",
    "path",
    type=_PATH,
    metavar="PATH",
    help="The blueprint, or a folder of several.  [default: the shipped ones]",
)
@click.option(
    "--own-tree", is_flag=True, help="Write the blueprint's own betting lines, not bet sizes; for hedgehog versus."
)
@click.option("--out", type=_PATH, default=STDOUT, metavar="FILE", help="Write to FILE, not to standard output.")
@chosen_game_option
@overwrite_option
def spot(
    line: str, board: str, path: Path | None, own_tree: bool, gamedef: GameDef | None, out: Path, overwrite: bool
) -> None:
    """Print a spot file for hedgehog solve: the blueprint's ranges, pot and stack after LINE on a board.

    With --stack or --blinds the ranges come from the blueprint of the nearest depth, as a comment in the file says; pot
    and stack are those of the game asked for.

    LINE is read as by hedgehog ask: with X for a check and B for a bet (or k and r), sizes are totals on their street;
    in ACPC text, as in logs, totals over the hand. Turn and river lines need the card tables, which are built at first
    use (under a minute).
    """
    from hedgehog.solver.packs.blueprint_spot import spot_text

    if gamedef is not None:
        refuse_options("has the chips of the blueprint's game: leave out --stack and --blinds", "own_tree")
    path = path or default_packs()
    claim_outputs(out, inputs=[path], overwrite=overwrite)
    text = spot_text(path, line, board, lambda text: click.echo(text, err=True), gamedef=gamedef, own_tree=own_tree)
    write_output(out, text)


@pack.command("chart")
@click.argument("path", type=_PATH, required=False)
@depth_option(WHICH_DEPTH)
@click.option("--out", type=_PATH, required=True, metavar="FILE", help="The SVG file to write; - is standard output.")
@overwrite_option
def chart(path: Path | None, depth: float | None, out: Path, overwrite: bool) -> None:
    """Draw what the blueprint or limit pack at PATH does with each hand before the flop.

    PATH may be a .npz of a training of a blueprint, too.
    """
    from hedgehog.analysis.packs.preflop_chart import draw_preflop_chart

    if path is not None and (path / MANIFEST_NAME).is_file() and read_manifest(path).kind == LIMIT:
        from hedgehog.analysis.packs.limit_chart import limit_chart

        refuse_options("chooses among depths, and limit packs have none", "stack")
        claim_outputs(out, inputs=[path], overwrite=overwrite)
        write_output(out, limit_chart(read_limit_pack(open_pack(path))))
        click.echo(f"wrote {out}", err=out == STDOUT)
        return
    if path is not None and path.suffix == ".npz":
        refuse_options("chooses among packs, and a training has one depth", "stack")
    claim_outputs(out, inputs=[path], overwrite=overwrite)
    write_output(out, draw_preflop_chart(path or default_packs(), depth))
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
@output_options(json="the report", csv="the table")
def buckets(flop: int, turn: int, river: int, turn_features: str, river_features: str, outputs: Outputs) -> None:
    """Report how good the card buckets of a blueprint are, on random boards; builds them if they are missing."""
    from hedgehog.analysis.packs.bucket_quality import measure_buckets
    from hedgehog.cli.packs.pack_buckets import print_buckets
    from hedgehog.solver.blueprint.cards.card_config import CardConfig

    config = CardConfig(flop, turn, river, turn_features=turn_features, river_features=river_features)
    outputs.claim()
    with terminal_watch() as watch:
        found = measure_buckets(config, watch)
    print_buckets(found)
    outputs.write_json(found.document)
    outputs.write("csv", found.table().csv)


@pack.command("build")
@click.argument("config", type=click.Path(path_type=Path))
@click.option(
    "--out", type=_PATH, help="Folder of the finished pack; of CONFIG's depths, each in a folder of its own in it."
)
@click.option("--work", type=_PATH, help="Folder of unfinished work [default: OUT.work beside the pack].")
@click.option(
    "--threads",
    type=click.IntRange(1, 256),
    help="Worker processes of flop packs [default: as many as there are processors and memory], threads of a "
    "blueprint [default: of CONFIG, or all processors].",
)
@flops_option("Build the flops of a subset in its order: 23, 49, 95, 184, 1755 or a file, in place of CONFIG's.")
@dask_option
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
    """Build the pack that the YAML file CONFIG describes, or the blueprints of all its depths.

    Interrupt it whenever you like: the same command continues where it stopped. Depths that are finished are left as
    they are. A pack in the place of one that is not what CONFIG describes is refused, or replaced with --overwrite.
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
            made = build.build_pack(
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
    if (out / MANIFEST_NAME).is_file():
        click.echo(f"wrote {out}")
    else:
        click.echo(f"all {len(made)} blueprints are in {out}")
