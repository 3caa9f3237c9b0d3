"""The work of ``hedgehog pack subset``: chooses weighted flops by the figures of a pack."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from hedgehog.analysis.packs.choose_flops import choose_flops
from hedgehog.analysis.packs.flop_figures import LineFigures
from hedgehog.analysis.packs.flop_lines import flop_pack_of
from hedgehog.cli.packs.pack_report import all_figures
from hedgehog.runtime.errors import InputError
from hedgehog.strategies.flop_subsets import format_flop_subset
from hedgehog.strategies.pack import open_pack


def pack_figures(path: Path, lines: Sequence[str], threads: int | None, runouts: int = 0) -> list[LineFigures]:
    """Returns the figures of all flops of some lines of a pack, with a progress bar.

    :param lines: bettings of the lines; empty for all lines.
    :param threads: number of threads; None for all processors.
    :param runouts: sampled run-outs behind each EV of a quick pack; 0 for no EVs.
    :raises InputError: if the pack lacks a line, or its lines have different flops.
    """
    pack = flop_pack_of(open_pack(path))
    chosen = [pack.line(text) for text in lines] or list(pack.lines)
    if any(len(line.classes) != len(chosen[0].classes) or any(line.classes != chosen[0].classes) for line in chosen):
        raise InputError("its lines have different flops: name one by --line", source=str(path))
    return all_figures(pack, chosen, runouts=runouts, threads=threads or len(os.sched_getaffinity(0)))


def subset_text(path: Path, count: int, lines: Sequence[str], threads: int | None) -> str:
    """Returns the text of a subset file with ``count`` flops of a pack.

    :raises InputError: if the pack has fewer flops.
    """
    return chosen_text(pack_figures(path, lines, threads), count, str(path), lines)


def chosen_text(figures: Sequence[LineFigures], count: int, source: str, lines: Sequence[str] = ()) -> str:
    """Returns the text of a subset file with ``count`` flops, chosen by figures.

    :param source: the pack's folder, for messages.
    :param lines: the lines that the user named, for the comment in the file.
    :raises InputError: if there are fewer flops.
    """
    if count > len(figures[0].classes):
        raise InputError(f"the pack has {len(figures[0].classes):,} flops, expected at most as many", source=source)
    found = choose_flops(figures, count)
    classes = figures[0].classes[found.places]
    options = "".join(f" --line {each.line.betting}" for each in figures) if lines else ""
    comments = [
        f"{count:,} flop classes that stand for all flops, in the order of a build. The weight of a flop is the number",
        "of flops it stands for. Edit as you like: only the ratios of the weights count.",
        f"Made by: hedgehog pack subset {count}{options}",
    ]
    return format_flop_subset(classes, found.weights, comments)
