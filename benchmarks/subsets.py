"""How far the figures of weighted subsets of flops are from those of all flops."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np
from rich.table import Table

from benchmarks.common import run
from benchmarks.subset_error import SubsetError, places_of, random_errors, root_mean_square, subset_error
from hedgehog.analysis.packs.choose_flops import choose_flops, texture_shares
from hedgehog.analysis.packs.flop_figures import LineFigures, pack_figures
from hedgehog.analysis.stats.number_text import format_number
from hedgehog.cli.console import output_console, text_table
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.cli.packs.flop_commands import quick_pack, runouts_option
from hedgehog.cli.progress import show_progress, terminal_watch
from hedgehog.cli.solves.solver_options import seed_option, threads_option
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError
from hedgehog.strategies.flop_subsets import SUBSET_SIZES, find_flop_subset

RANDOM_DRAWS = 200


@click.command()
@click.argument("files", nargs=-1, metavar="[N|FILE]...")
@click.option("--pack", "path", type=click.Path(path_type=Path), metavar="PATH", help="The pack.  [default: shipped]")
@click.option("--line", "lines", metavar="BETTING", multiple=True, help="Preflop line; repeatable [default: all].")
@click.option("--held-out", is_flag=True, help="Also choose subsets without each line, and measure them on this line.")
@runouts_option
@threads_option
@seed_option(1, "Seed of the random subsets.")
@output_options(json="every error", csv="every error")
def main(
    files: tuple[str, ...],
    path: Path | None,
    lines: tuple[str, ...],
    held_out: bool,
    runouts: int,
    threads: int | None,
    seed: int,
    outputs: Outputs,
) -> None:
    """Measure weighted subsets of flops against all flops of a pack: equity, EV and the frequencies of all actions.

    Without arguments these are the shipped subsets. Random subsets of the same sizes stand beside them.
    """
    source = path or quick_pack()
    read = [source, *map(Path, files)]
    outputs.claim(*read)
    names = files or [str(size) for size in SUBSET_SIZES if size < max(SUBSET_SIZES)]
    wanted = [find_flop_subset(name) for name in names]
    with terminal_watch() as watch:
        figures = pack_figures(source, lines, runouts=runouts, threads=threads, watch=watch)
    if len(figures) < 2 and held_out:
        raise click.UsageError("--held-out: needs two lines or more")
    for subset in wanted:
        if len(np.setdiff1d(subset.classes, figures[0].classes)):
            raise InputError("has a flop that the pack lacks", source=subset.name)
    found: list[SubsetError] = []
    shares = {}
    for subset in wanted:
        places = places_of(figures[0], subset)
        found += [subset_error(line, subset.name, places, subset.weights) for line in figures]
        shares[subset.name] = texture_shares(subset.classes, subset.weights)
    sizes = sorted({len(subset) for subset in wanted})
    if held_out:
        found += _held_out(figures, sizes)
    for size in sizes:
        for line in figures:
            found.append(root_mean_square(list(random_errors(line, size, RANDOM_DRAWS, seed))))
    output_console().print(_table(found, len(figures)))
    head = json_document("bench-subsets", seed=seed, pack=str(source), runouts=runouts)
    rows = [error._asdict() for error in found]
    outputs.write_json(head | {"errors": rows, "textures": shares})
    outputs.write_csv(rows)


def _held_out(figures: Sequence[LineFigures], sizes: Sequence[int]) -> list[SubsetError]:
    """Returns the errors, on each line, of subsets that were chosen by the other lines."""
    found = []
    with show_progress("choosing", len(sizes) * len(figures), "subsets") as shown:
        shown.update(0)
        for size in sizes:
            for line in figures:
                others = [other for other in figures if other is not line]
                chosen = choose_flops(others, size)
                found.append(subset_error(line, "held out", chosen.places, chosen.weights))
                shown.advance()
    return found


def _table(found: Sequence[SubsetError], lines: int) -> Table:
    title = f"Errors against all flops, root mean square over {lines} lines"
    headings = ("flops", "subset", "equity", "EV", "EV noise", "actions", "largest")
    table = text_table(title, headings, (), left=(1,))
    groups = dict.fromkeys((error.flops, error.subset) for error in found)
    for flops, name in sorted(groups, key=lambda group: group[0]):
        mean = root_mean_square([error for error in found if (error.flops, error.subset) == (flops, name)])
        values = (mean.equity, mean.ev, mean.ev_noise, mean.frequency, mean.largest)
        table.add_row(f"{flops:,}", name, *(format_number(value, 2) for value in values))
    table.caption = (
        "Equity and EV: % of the pot. EV noise: the part of the EV's error that comes from sampled run-outs. Actions: "
        "mean over all actions on the flop; largest: of any action that matters; percentage points."
    )
    table.caption_justify = "left"
    return table


if __name__ == "__main__":
    run(main)
