"""Compares the convergence of all algorithms on the same spots."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console

from benchmarks.common import markdown, run
from benchmarks.convergence_files import find_conflict, finished_curve, write_curve
from benchmarks.convergence_plot import plot_curves
from hedgehog.analysis.solves.convergence import LEVELS_PCT, Budget, Curve, Look, run_looks
from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import hold_folder
from hedgehog.cli.progress import show_progress
from hedgehog.cli.solves.solver_options import PositiveNumber, iterations_option
from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.cards import format_cards, parse_cards
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.errors import HedgehogError, InputError, StoppedError
from hedgehog.runtime.files import replacing, write_text_file
from hedgehog.runtime.machine import available_memory
from hedgehog.runtime.outputs import FolderKind, remove_contents, verify_output_folder
from hedgehog.runtime.table import MISSING, Column, Table
from hedgehog.solver.abstraction.abstraction import SpotValues
from hedgehog.solver.abstraction.group_solver import GroupSolver
from hedgehog.solver.cfr.algorithms import parse_algorithm
from hedgehog.solver.cfr.own_rules import ALGORITHMS
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import PostflopSpot, read_spot
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig

_MAX_ITERATIONS: Final = 1_000_000_000
_FILES: Final = ("curve-*.json", "table.csv", "table.md", "looks.csv", "convergence.svg", "convergence.png")
_COMPARISON: Final = FolderKind("a comparison of algorithms", tuple(f"*/{file}" for file in _FILES))


@click.command()
@click.argument("spot_files", metavar="[SPOT.yaml]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--algorithms",
    metavar="A,B,...",
    help="Algorithms with parameters, such as dcfr,gamma5,dcfr:gamma=2,reset=no.  [default: all of 'solve --help']",
)
@iterations_option(most=_MAX_ITERATIONS)
@click.option(
    "--seconds",
    type=PositiveNumber(),
    default=20.0,
    show_default=True,
    metavar="S",
    help="Stop an algorithm after S seconds of iterations.",
)
@click.option(
    "--target-pct",
    type=PositiveNumber(),
    default=0.1,
    show_default=True,
    metavar="P",
    help="Stop at an exploitability of P % of the pot; with an abstraction, inside it.",
)
@click.option("--every-iteration", is_flag=True, help="Measure after every iteration, not on a geometric grid.")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="Threads.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder for table.csv, table.md, looks.csv, convergence.svg and convergence.png of every spot.",
)
@click.option("--overwrite", is_flag=True, help="Replace a comparison in --out that was made with another budget.")
def main(
    spot_files: tuple[Path, ...],
    algorithms: str | None,
    iterations: int | None,
    seconds: float,
    target_pct: float,
    every_iteration: bool,
    threads: int,
    out: Path | None,
    overwrite: bool,
) -> None:
    """Compare the algorithms of the solver on spots: exploitability over iterations and seconds.

    Without SPOT.yaml: a small river and a small turn. A spot with an abstraction is solved on its groups of hands, and
    its exploitability is that in the real game. Every algorithm gets the same budget; the exploitability is
    looked at on a geometric grid of iterations, or after each, and that time is not counted. Seconds are CPU seconds
    with one thread. Ctrl-C shows and keeps what is done; the same command with the same --out continues with what is
    missing.
    """
    texts = list(ALGORITHMS) if algorithms is None else split_algorithms(algorithms)
    names = list(dict.fromkeys(str(parse_algorithm(text)) for text in texts))
    spots = [read_spot(file) for file in spot_files] or list(_small_spots())
    folders = [None if out is None else out / re.sub(r"[^A-Za-z0-9_.-]", "_", spot.name) for spot in spots]
    if out is not None and len(set(folders)) < len(folders):
        raise InputError("two spots have the same name, so their results would go to the same folder")
    budget = Budget(target_pct, iterations or _MAX_ITERATIONS, seconds, every_iteration)
    if out is not None:
        verify_output_folder(out, _COMPARISON, proceed=True, inputs=spot_files)
        hold_folder(out)
        for spot, folder in zip(spots, folders, strict=True):
            assert folder is not None
            _verify_same_comparison(folder, _conditions(spot, budget, threads), overwrite)
    console = output_console()
    for spot, folder in zip(spots, folders, strict=True):
        laboratory = _Laboratory(spot, budget, threads, folder)
        finished = laboratory.run(names)
        laboratory.report(console)
        if not finished:
            raise StoppedError


def _verify_same_comparison(folder: Path, conditions: dict[str, Any], overwrite: bool) -> None:
    """Checks that a spot's folder holds only curves that can be continued; ``overwrite`` removes all others.

    :raises InputError: if the folder holds a damaged curve, or a curve of another spot or budget.
    """
    try:
        conflict = find_conflict(folder, conditions)
        if conflict is None:
            return
        if not overwrite:
            message = "a curve of another spot or budget: expected another folder, or --overwrite"
            raise InputError(message, source=str(conflict))
    except InputError:
        if not overwrite:
            raise
    remove_contents(folder, FolderKind(_COMPARISON.name, _FILES))


def split_algorithms(text: str) -> list[str]:
    """Returns the algorithms of a comma-separated list. Commas between parameters of one algorithm do not split."""
    found: list[str] = []
    for piece in text.split(","):
        if found and "=" in piece and ":" not in piece:
            found[-1] += f",{piece.strip()}"
        else:
            found.append(piece.strip())
    return found


def _small_spots() -> Iterator[PostflopSpot]:
    hands = parse_range("66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s")
    menu = parse_bet_sizes("50%,100%,a/100%,a")
    for name, board in (("river", "QhJh2c7d5s"), ("turn", "QhJh2c7d")):
        cards = parse_cards(board)
        street = len(cards) - 2
        sizes = (StreetSizes(menu, menu),) * (4 - street)
        tree = TreeConfig(street=street, pot=1000, stack=4500, sizes=sizes)
        yield PostflopSpot(f"small-{name}", tuple(cards), (hands, hands), tree)


def _conditions(spot: PostflopSpot, budget: Budget, threads: int) -> dict[str, Any]:
    """Returns what the curves of a spot depend on, apart from the algorithm."""
    parts: tuple[Any, ...] = (spot.board, spot.tree, spot.rake_rate, spot.rake_cap if spot.rake_rate else 0.0)
    if spot.locks or spot.abstraction:
        parts += (spot.locks, spot.abstraction)
    if spot.tremble is not None:
        parts += (spot.tremble,)
    ranges = b"".join(spot.live_range(player).tobytes() for player in (0, 1))
    digest = hashlib.sha256(repr(parts).encode() + ranges).hexdigest()
    return {"spot": digest, "threads": threads, "budget": asdict(budget)}


class _Laboratory:
    """Runs all algorithms on one spot and reports their curves."""

    def __init__(self, spot: PostflopSpot, budget: Budget, threads: int, folder: Path | None) -> None:
        self.spot = spot
        self.budget = budget
        self.threads = threads
        self.folder = folder
        self._made_under = _conditions(spot, budget, threads)
        self._prepared = prepare(spot)
        self._groups = SpotValues(self._prepared).group(spot.abstraction) if spot.abstraction else None
        self.curves: list[Curve] = []
        self.notes: list[str] = []

    def run(self, names: Sequence[str]) -> bool:
        """Makes the curves that are missing; returns False if Ctrl-C was pressed."""
        with show_progress(self.spot.name, len(names), "algorithms") as shown:
            shown.update(0)
            for index, name in enumerate(names):
                shown.update(index, f"{name}: compiling")
                curve = None if self.folder is None else finished_curve(self.folder, name, self._made_under)
                if curve is not None:
                    self.curves.append(curve)
                    continue
                looks: list[Look] = []
                memory = 0
                try:
                    self._compile(name)
                    solver = self._solver(name)
                    memory = solver.memory_bytes
                    for look in run_looks(solver, self.budget, cpu_time=self.threads == 1):
                        looks.append(look)
                        part = min(look.seconds / self.budget.seconds, 1)
                        shown.update(
                            index + part, f"{name}: iteration {look.iteration:,}, {look.pct_pot:.3g} % of the pot"
                        )
                except HedgehogError as error:
                    self.notes.append(f"{name}: {error}")
                    continue
                except KeyboardInterrupt:
                    if looks:
                        self.curves.append(Curve(f"{name} (interrupted)", memory, tuple(looks)))
                    return False
                if isinstance(solver, GroupSolver):
                    inside = solver.exploitability().abstract_pct_pot
                    self.notes.append(f"{name}: inside the abstraction {inside:.3g} % of the pot at the end")
                curve = Curve(name, memory, tuple(looks))
                self.curves.append(curve)
                if self.folder is not None:
                    write_curve(self.folder, curve, self._made_under)
        return True

    def _solver(self, name: str) -> PostflopSolver | GroupSolver:
        if self._groups is not None:
            limit = available_memory()
            return GroupSolver(self._prepared, self._groups, threads=self.threads, algorithm=name, memory_limit=limit)
        return PostflopSolver(self._prepared, threads=self.threads, algorithm=name)

    def _compile(self, name: str) -> None:
        """Runs one iteration of the spot itself: which kernels an algorithm needs depends on the street."""
        solver = self._solver(name)
        solver.run(1)
        solver.exploitability()

    def report(self, console: Console) -> None:
        """Writes all files and prints the table."""
        spot, clock = self.spot, "CPU seconds, one core" if self.threads == 1 else f"seconds, {self.threads} threads"
        title = f"{spot.name}: {format_cards(spot.board, ' ')}, pot {spot.pot:,}, stack {spot.stack:,}"
        if spot.abstraction:
            title += f", abstraction {spot.abstraction}"
        if self.folder is not None and self.curves:
            svg, png = plot_curves(self.curves, title, clock)
            for file, content in (("convergence.svg", svg), ("convergence.png", png)):
                with replacing(self.folder / file, make_folder=True) as stream:
                    stream.write(content)
            table = _table(self.curves)
            write_text_file(self.folder / "table.csv", table.csv())
            write_text_file(self.folder / "table.md", "".join(markdown(table.headings(), table.texts())))
            write_text_file(self.folder / "looks.csv", _looks(self.curves).csv())
        if self.curves:
            for shown in _terminal_tables(self.curves, f"{title} ({clock})"):
                console.print(shown.rich())
        for note in self.notes:
            console.print(note, markup=False)
        if self.folder is not None and self.curves:
            console.print(f"written to {self.folder}")


def _optional(text: str | None) -> str:
    return MISSING if text is None else text


def _column(name: str) -> Column:
    """Returns a column of rounded numbers; a level that an algorithm did not reach is None."""
    return Column(name, text=_optional)


_END: Final = ("final % of pot", "iterations", "ms per iteration", "MB")


def _end(curve: Curve) -> tuple[str, ...]:
    """Returns the cells of the columns ``_END``."""
    last = curve.looks[-1]
    numbers = f"{curve.ms_per_iteration:.3g}", f"{curve.memory_bytes / 1e6:.3g}"
    return f"{last.pct_pot:.3g}", str(last.iteration), *numbers


def _table(curves: Sequence[Curve]) -> Table:
    """Returns the iterations and seconds to every level, and the end of every curve."""
    columns = [*(f"{what} to {level:g} %" for what in ("iterations", "seconds") for level in LEVELS_PCT), *_END]
    rows = []
    for curve in curves:
        looks = [curve.first_below(level) for level in LEVELS_PCT]
        iterations = (None if look is None else str(look.iteration) for look in looks)
        seconds = (None if look is None else f"{look.seconds:.3g}" for look in looks)
        rows.append((curve.algorithm, *iterations, *seconds, *_end(curve)))
    return Table("table", "", ["algorithm", *map(_column, columns)], tuple(rows))


def _looks(curves: Sequence[Curve]) -> Table:
    """Returns all measurements."""
    columns = ["algorithm", "iteration", "seconds", "exploitability_pct_pot"]
    rows = (
        (curve.algorithm, look.iteration, f"{look.seconds:.6g}", f"{look.pct_pot:.6g}")
        for curve in curves
        for look in curve.looks
    )
    return Table("looks", "", columns, tuple(rows))


def _terminal_tables(curves: Sequence[Curve], title: str) -> Iterator[Table]:
    """Yields two tables of at most 80 columns: iterations and seconds to every level, and the end of each curve."""
    rows = []
    for curve in curves:
        looks = [curve.first_below(level) for level in LEVELS_PCT]
        cells = [None if look is None else f"{look.iteration} in {look.seconds:.3g} s" for look in looks]
        rows.append((curve.algorithm, *cells))
    yield Table("levels", title, ["algorithm", *(_column(f"to {level:g} %") for level in LEVELS_PCT)], tuple(rows))
    ends = tuple((curve.algorithm, *_end(curve)) for curve in curves)
    yield Table("ends", "", ["algorithm", *map(_column, _END)], ends)


if __name__ == "__main__":
    run(main)
