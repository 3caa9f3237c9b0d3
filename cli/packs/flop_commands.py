"""``hedgehog pack report`` and ``hedgehog pack subset``, and the option ``--flops`` for weighted subsets of flops."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from hedgehog.cli.outputs import Outputs, claim_outputs, output_options, overwrite_option, write_output
from hedgehog.cli.player_options import WHICH_DEPTH, depth_option
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.solves.solver_options import seed_option, threads_option
from hedgehog.runtime.outputs import STDOUT
from hedgehog.strategies.pack import default_packs

F = TypeVar("F", bound=Callable[..., Any])
MAX_RUNOUTS: Final = 1000
_PATH = click.Path(path_type=Path)


def flops_option(what: str) -> Callable[[F], F]:
    """Returns a decorator for the option ``--flops N|FILE``; the command's parameter is ``flops``.

    :param what: the help text.
    """
    return click.option("--flops", metavar="N|FILE", help=what)


runouts_option = click.option(
    "--runouts",
    type=click.IntRange(0, MAX_RUNOUTS),
    default=12,
    show_default=True,
    help="Quick packs: sampled run-outs behind the EV of each flop; 0 for no EV.",
)


def quick_pack() -> Path:
    """Returns the folder of the shipped quick flop pack."""
    return default_packs() / "quick-flops"


@click.command()
@click.argument("path", type=_PATH, required=False)
@click.option(
    "--line",
    "lines",
    metavar="LINE",
    multiple=True,
    help='R250 C, "R250 C / X B165" (one decision on the flop) or "R250 C / all"; repeatable [default: all lines].',
)
@click.option(
    "--texture",
    "textures",
    metavar="NAMES",
    multiple=True,
    help="List these flops and compare them with all: paired,ace-high+rainbow; repeatable.",
)
@flops_option("Only the flops of a subset, with its weights: 23, 49, 95, 184, 1755 or a file.")
@depth_option(WHICH_DEPTH)
@runouts_option
@threads_option
@seed_option(1, "Seed of the run-outs.")
@output_options(
    json="the report",
    csv="one row per flop and decision",
    parquet="one row per flop and decision as Parquet",
    html="the report as one HTML page",
)
def report(
    path: Path | None,
    lines: tuple[str, ...],
    textures: tuple[str, ...],
    flops: str | None,
    depth: float | None,
    runouts: int,
    threads: int | None,
    seed: int,
    outputs: Outputs,
) -> None:
    """Report on the flop pack at PATH: EV, equity and how often every action is taken, per flop and over all flops.

    PATH is a flop pack or a folder of packs, by default that of the shipped ones. Figures that take long are kept in
    the cache folder, so that an interrupted report continues and a second one is quick. docs/flop-report.md explains
    every figure.
    """
    from hedgehog.analysis.packs.flop_report import report_pack
    from hedgehog.cli.packs.pack_report import print_report, write_report

    source = path or default_packs()
    outputs.claim(source, Path(flops) if flops is not None else None)
    with terminal_watch() as watch:
        made = report_pack(
            source, lines, textures, flops, depth=depth, runouts=runouts, threads=threads, seed=seed, watch=watch
        )
    print_report(made)
    write_report(made, outputs)


@click.command()
@click.argument("count", type=click.IntRange(1, 1755))
@click.argument("path", type=_PATH, required=False)
@click.option(
    "--line", "lines", metavar="LINE", multiple=True, help="Preflop line, such as R250 C; repeatable.  [default: all]"
)
@threads_option
@click.option("--out", type=_PATH, default=STDOUT, metavar="FILE", help="Write to FILE, not to standard output.")
@overwrite_option
def subset(
    count: int, path: Path | None, lines: tuple[str, ...], threads: int | None, out: Path, overwrite: bool
) -> None:
    """Choose COUNT flops with weights that stand for all flops of the pack at PATH, in the order of a build.

    PATH is by default the shipped quick pack. The flops are the medoids of clusters of flops with similar textures,
    equities and frequencies. The file is text that you can edit, and --flops FILE reads it.
    docs/flop-subsets.md tells how good such subsets are.
    """
    from hedgehog.analysis.packs.choose_flops import choose_pack_flops

    source = path or quick_pack()
    claim_outputs(out, inputs=[source], overwrite=overwrite)
    with terminal_watch() as watch:
        text = choose_pack_flops(source, count, lines, threads=threads, watch=watch)
    write_output(out, text)
    if out != STDOUT:
        click.echo(f"wrote {out}")
