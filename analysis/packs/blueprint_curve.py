"""Measures how the strength of a blueprint grows: what each snapshot of its training wins against the last one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

from hedgehog.analysis.drawing.charts import MUTED, SERIES, draw_svg_and_png
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.match import MatchResult, compare_blueprints
from hedgehog.solver.blueprint.report import gate_faults, main_spots
from hedgehog.solver.blueprint.snapshots import snapshots_in
from hedgehog.solver.blueprint.table import Blueprint, load_blueprint

FREQUENCIES: Final = {
    "button folds first in": ("button first in", "f"),
    "button limps": ("button first in", "c"),
    "big blind folds to an open": ("big blind against an open", "f"),
    "button folds to a 3-bet": ("button against a 3-bet", "f"),
    "big blind calls an open-jam": ("big blind against an open-jam", "c"),
}
"""Frequencies that show the progress of a training: name -> spot of the blueprint report, and action."""
_SIZE: Final = (10.0, 4.2)
"""Width and height of the picture in inches."""
_CONFIDENCE: Final = 1.96


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The measurements of one snapshot."""

    file: str
    seconds: float
    """Training time in seconds."""
    iterations: int
    against_last: MatchResult | None
    """Result against the last snapshot; None for the last snapshot itself."""
    against_previous: MatchResult | None
    """Result against the snapshot before; None for the first snapshot."""
    frequencies: dict[str, float]
    """Values of :data:`FREQUENCIES` by name. Decisions that the betting tree lacks are left out."""
    faults: tuple[str, ...]
    """Faults that the release gate finds: preflop frequencies outside their limits."""


def snapshot_files(paths: Sequence[Path]) -> list[Path]:
    """Returns the snapshot files among paths: all snapshots in each folder, and each file itself.

    :raises InputError: if there are fewer than two snapshots.
    """
    files: list[Path] = []
    for path in paths:
        files += snapshots_in(path).values() if path.is_dir() else [path]
    if len(files) < 2:
        where = ", ".join(map(str, paths))
        raise InputError(f"expected at least two snapshots such as blueprint-001.npz, found {len(files)}", source=where)
    return files


def measure_curve(
    files: Sequence[Path],
    boards: int,
    seed: int = 1,
    threads: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[CurvePoint]:
    """Plays every snapshot against the last one and against its predecessor, and returns the results.

    All matches are played on the same boards.

    :param files: files of :meth:`hedgehog.solver.blueprint.table.Blueprint.save`, in any order.
    :param boards: number of boards of each match.
    :param seed: seed from which the boards are drawn.
    :param threads: number of threads.
    :param progress: called with the number of matches done and the number of all matches.
    :raises InputError: if a file is damaged or of another game or other buckets than the last one.
    """
    blueprints = sorted(
        ((file, load_blueprint(file)) for file in files), key=lambda item: float(item[1].training["seconds"])
    )
    last = blueprints[-1][1]
    cards = CardAbstraction.load_or_build(last.cards)
    for file, blueprint in blueprints:
        if blueprint.training.get("cards_digest") != cards.digest:
            raise InputError("was trained with other card tables than this machine's", source=str(file))
    pairs = [(one, last) for _, one in blueprints[:-1]]
    pairs += [(two, one) for (_, one), (_, two) in pairwise(blueprints[:-1])]
    results: list[MatchResult] = []
    with ThreadPoolExecutor(threads) as pool:
        for result in pool.map(lambda pair: compare_blueprints(pair[0], pair[1], cards, boards, seed), pairs):
            results.append(result)
            progress(len(results), len(pairs))
    count = len(blueprints) - 1
    to_last: list[MatchResult | None] = [*results[:count], None]
    # The last one's predecessor has played it already.
    final = results[count - 1]
    mirrored = MatchResult(-final.mbb_per_hand, final.standard_error, final.boards)
    to_previous: list[MatchResult | None] = [None, *results[count:], mirrored]
    return [
        CurvePoint(
            file=file.name,
            seconds=float(blueprint.training["seconds"]),
            iterations=int(blueprint.training["iterations"]),
            against_last=against_last,
            against_previous=against_previous,
            frequencies=frequencies(blueprint),
            faults=tuple(gate_faults(blueprint)),
        )
        for (file, blueprint), against_last, against_previous in zip(blueprints, to_last, to_previous, strict=True)
    ]


def frequencies(blueprint: Blueprint) -> dict[str, float]:
    """Returns the values of :data:`FREQUENCIES` for a blueprint. Decisions that its tree lacks are left out."""
    spots = main_spots(blueprint)
    return {
        name: spots[spot].shares[action]
        for name, (spot, action) in FREQUENCIES.items()
        if spot in spots and action in spots[spot].shares
    }


def plot_curve(points: Sequence[CurvePoint], title: str) -> bytes:
    """Returns a picture of the curve as an SVG file: strength and frequencies over training time."""

    def draw(figure: Figure) -> None:
        figure.set_size_inches(*_SIZE)
        left, right = figure.subplots(1, 2)
        minutes = [point.seconds / 60 for point in points]
        played = [(m, p.against_last) for m, p in zip(minutes, points, strict=True) if p.against_last is not None]
        left.errorbar(
            [m for m, _ in played],
            [result.mbb_per_hand for _, result in played],
            yerr=[_CONFIDENCE * result.standard_error for _, result in played],
            color=SERIES[0],
            marker="o",
            markersize=4,
            linewidth=1.6,
            capsize=3,
        )
        left.plot(minutes[-1:], [0.0], color=SERIES[0], marker="o", markersize=4)
        left.axhline(0.0, color=MUTED, linewidth=0.7)
        left.set_ylabel("mbb per hand against the last snapshot (95 %)")
        for number, name in enumerate(points[-1].frequencies):
            values = [100 * point.frequencies.get(name, float("nan")) for point in points]
            right.plot(minutes, values, color=SERIES[number], marker="o", markersize=3, linewidth=1.6, label=name)
        right.set_ylabel("% of hands")
        right.set_ylim(bottom=0)
        right.margins(y=0.1)
        for axes in (left, right):
            _scale(axes, minutes)
        figure.legend(loc="outside right upper")
        figure.suptitle(title, fontsize=10, x=0.01, ha="left")

    return draw_svg_and_png(draw)[0]


def _scale(axes: Axes, minutes: Sequence[float]) -> None:
    axes.set_xscale("log")
    axes.grid(which="major")
    axes.set_xlabel("minutes of training")
    # Powers of two, as the snapshots are; all of them where there is room.
    ticks = [2.0**power for power in range(-6, 15) if min(minutes) * 0.8 <= 2.0**power <= max(minutes) * 1.25]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
