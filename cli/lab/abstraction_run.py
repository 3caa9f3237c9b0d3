"""One run of the hand-abstraction laboratory: rows, experiments, the tables and the files of the report."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from hedgehog.analysis.lab.experiments import (
    E1_ROWS,
    E1_TIMES,
    E2_ALGORITHMS,
    E4_ALGORITHMS,
    judge_overfit,
    overfit_looks,
)
from hedgehog.analysis.lab.plots import draw_curves, draw_memory, draw_speed, draw_winnings
from hedgehog.analysis.lab.profiles import Matchup, meet
from hedgehog.analysis.lab.report import Section, render_report
from hedgehog.analysis.lab.row_files import describe_row, finished_rows, write_row
from hedgehog.analysis.lab.rows import (
    NONE,
    Look,
    Plan,
    Row,
    advise,
    look_iterations,
    plan_row,
    solve_row,
)
from hedgehog.analysis.lab.tables import (
    advice_table,
    curves_table,
    groups_table,
    make_units,
    matchup_table,
    overfit_table,
    pace_table,
    quality_table,
    size_table,
    speed_table,
)
from hedgehog.cli.lab.views import print_table
from hedgehog.cli.outputs import write_json, write_output
from hedgehog.cli.progress import Progress, show_progress
from hedgehog.poker.cards import format_cards
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.outputs import FolderKind, make_folder
from hedgehog.runtime.table import table_records
from hedgehog.solver.abstraction.abstraction import SpotValues
from hedgehog.solver.abstraction.solving import compile_group_kernels
from hedgehog.solver.cfr.algorithms import Algorithm, parse_algorithm
from hedgehog.solver.postflop.prepared import PreparedSpot
from hedgehog.solver.postflop.run import compile_kernels
from hedgehog.solver.postflop.spot import PLAYERS, PostflopSpot
from hedgehog.strategies.provenance import provenance

FOLDER: Final = FolderKind(
    "results of hedgehog lab abstractions", ("report.html", "results.json", "*.csv", "row-*.json")
)
"""What ``--out`` holds."""
_BUDGETS: Final = (64_000_000, 256_000_000, 1_000_000_000, 4_000_000_000)
_SHOWN_DEALS: Final = 150_000
_SEED: Final = 1
_E1: Final = "e1-"
_E2: Final = "e2-"


@dataclass(frozen=True, slots=True)
class Settings:
    """What one run of the laboratory is about."""

    spot: PostflopSpot
    algorithm: Algorithm
    iterations: int
    opponents: str
    memory: int
    big_blind: float
    threads: int | None
    experiments: tuple[str, ...]
    deals: int
    names: list[str]

    def conditions(self) -> dict[str, Any]:
        """Returns what rows must share to be compared, as plain JSON values."""
        return {
            "spot": self.spot.text,
            "algorithm": str(self.algorithm),
            "iterations": self.iterations,
            "opponents": self.opponents,
        }


class Laboratory:
    """Solves rows and writes the report.

    :param spots: the spot without and with merged cards.
    :param out: folder of the report; None for a report on the terminal alone.
    """

    def __init__(self, settings: Settings, spots: tuple[PreparedSpot, PreparedSpot], out: Path | None) -> None:
        self.settings = settings
        self.spots = spots
        self.out = out
        self.rows: list[Row] = []
        self.aliases: dict[str, str] = {}
        self.overfit: list[Row] = []
        self.speed: dict[str, Sequence[Look]] = {}
        self.matchup: Matchup | None = None

    def continue_folder(self, *, overwrite: bool, clear: Callable[[Path, FolderKind], None]) -> dict[str, Row]:
        """Returns the rows in the folder that need not be solved again.

        :param overwrite: results of something else are removed.
        :raises InputError: if the folder holds results of something else.
        """
        if self.out is None:
            return {}
        if overwrite and self.out.exists():
            try:
                return finished_rows(self.out, self.settings.conditions())
            except InputError:
                clear(self.out, FOLDER)
                return {}
        return finished_rows(self.out, self.settings.conditions())

    def run(
        self, plans: Sequence[Plan], aliases: Mapping[str, str], kept: Mapping[str, Row], values: SpotValues
    ) -> bool:
        """Solves the rows that are not kept, then runs the experiments; returns False if Ctrl-C was pressed."""
        settings = self.settings
        known = dict(kept)
        experiments = self._experiment_plans(values)
        total = settings.iterations * len(plans) + sum(looks[-1] for _, _, looks in experiments)
        total += settings.iterations * len(E4_ALGORITHMS) * ("e4" in settings.experiments)
        try:
            with show_progress("abstractions", total, "iterations") as bar:
                bar.update(0, "compiling")
                self._compile(plans, experiments)
                for plan in plans:
                    twin = known.get(aliases.get(plan.name, ""))
                    if plan.name not in known and twin is not None:
                        known[plan.name] = replace(twin, name=plan.name)
                        bar.advance(settings.iterations)
                    self._solve(plan, look_iterations(settings.iterations), settings.algorithm, known, bar)
                self.rows = [known[plan.name] for plan in plans]
                self.aliases = {name: twin for name, twin in aliases.items() if twin in known}
                for plan, algorithm, looks in experiments:
                    self._solve(plan, looks, algorithm, known, bar)
                self._collect(known, experiments)
                if "e4" in settings.experiments:
                    self._meet(bar)
        except KeyboardInterrupt:
            return False
        return True

    def _compile(self, plans: Sequence[Plan], experiments: Sequence[tuple[Plan, Algorithm, list[int]]]) -> None:
        """Loads the kernels, so that no row's time includes their compilation."""
        settings = self.settings
        for algorithm in {settings.algorithm, *(algorithm for _, algorithm, _ in experiments)}:
            compile_kernels(settings.threads, algorithm, "f32")
        if any(plan.groups is not None for plan in plans):
            compile_group_kernels(settings.threads, settings.algorithm)

    def _solve(
        self, plan: Plan, looks: Sequence[int], algorithm: Algorithm, known: dict[str, Row], bar: Progress
    ) -> None:
        if plan.name in known:
            bar.advance(looks[-1], plan.name)
            return
        settings = self.settings
        start = bar.done
        row = solve_row(
            plan,
            algorithm,
            looks,
            threads=settings.threads,
            memory_limit=settings.memory,
            clock=time.perf_counter,
            progress=lambda done: bar.update(start + done, plan.name),
        )
        known[plan.name] = row
        if self.out is not None:
            write_row(self.out, row, settings.conditions())

    def _experiment_plans(self, values: SpotValues) -> list[tuple[Plan, Algorithm, list[int]]]:
        settings = self.settings
        found: list[tuple[Plan, Algorithm, list[int]]] = []
        if "e1" in settings.experiments:
            for name in E1_ROWS:
                plan = plan_row(name, self.spots, values, settings.algorithm, settings.threads)
                if plan is not None and plan.size.memory <= settings.memory:
                    looks = overfit_looks(settings.iterations)
                    found.append((replace(plan, name=_E1 + name), settings.algorithm, looks))
        if {"e2", "e3"} & set(settings.experiments):
            for text in E2_ALGORITHMS:
                algorithm = parse_algorithm(text)
                plan = plan_row(NONE, self.spots, values, algorithm, settings.threads)
                if plan is not None and plan.size.memory <= settings.memory:
                    name = _E2 + text.replace(":", "-").replace("=", "-").replace(",", "-")
                    found.append((replace(plan, name=name), algorithm, look_iterations(settings.iterations)))
        return found

    def _collect(self, known: Mapping[str, Row], experiments: Sequence[tuple[Plan, Algorithm, list[int]]]) -> None:
        for plan, algorithm, _ in experiments:
            row = known[plan.name]
            if plan.name.startswith(_E1):
                self.overfit.append(replace(row, name=plan.name.removeprefix(_E1)))
            else:
                self.speed[str(algorithm)] = row.looks

    def _meet(self, bar: Progress) -> None:
        settings = self.settings
        share = settings.iterations / (1 + 2)  # three profiles and six meetings

        def tick(note: str) -> None:
            bar.advance(share, note)

        self.matchup = meet(
            self.spots[0],
            E4_ALGORITHMS,
            settings.iterations,
            deals=settings.deals,
            shown_deals=_SHOWN_DEALS,
            seed=_SEED,
            threads=settings.threads,
            tick=tick,
        )

    def report(self, console: Console) -> None:
        """Prints the tables and writes the files of the report."""
        sections = self._sections()
        if self.out is not None:
            self._write(sections)
        for section in sections:
            for table in section.tables:
                if not table.name.startswith("curves"):
                    print_table(console, table)
        for name, twin in self.aliases.items():
            console.print(f"{name} makes the same groups as {twin}, which was solved in its place.")

    def _write(self, sections: Sequence[Section]) -> None:
        assert self.out is not None
        settings, spot = self.settings, self.settings.spot
        make_folder(self.out)
        tables = [table for section in sections for table in section.tables]
        for table in tables:
            write_output(self.out / f"{table.name}.csv", table.csv())
        facts = [
            ("board", format_cards(spot.board, " ")),
            ("pot and stack", f"{spot.pot:,} and {spot.stack:,} chips"),
            ("hands", f"{len(self.spots[0].combos[0]):,} oop, {len(self.spots[0].combos[1]):,} ip"),
            ("algorithm", str(settings.algorithm)),
            ("iterations", f"{settings.iterations:,}"),
            ("opponents", settings.opponents),
            ("big blind", f"{settings.big_blind:g} chips"),
        ]
        shown = [replace(section, tables=tuple(t for t in section.tables if not t.name.startswith("curves")))
                 for section in sections]  # fmt: skip
        headline = "Which hand abstraction loses least in the real game for its memory, and what the next size buys"
        write_output(self.out / "report.html", render_report(spot.name, headline, facts, shown))
        made_by = provenance()
        document = json_document(
            "abstractions",
            game=spot.name,
            seed=_SEED if self.matchup is not None else None,
            players=PLAYERS,
            conditions=settings.conditions(),
            big_blind=settings.big_blind,
            program=made_by.__dict__ if hasattr(made_by, "__dict__") else str(made_by),
            rows=[describe_row(row) for row in self.rows],
            same_groups=dict(self.aliases),
            overfit=[describe_row(row) for row in self.overfit],
            tables=table_records(tables),
        )
        write_json(self.out / "results.json", document)

    def _sections(self) -> list[Section]:
        settings, rows = self.settings, self.rows
        units = make_units(self.spots[0], settings.big_blind)
        same = all(_one_side(row) for row in rows)
        distinct = [row for row in rows if row.name not in self.aliases]
        half = settings.iterations // 2
        checkpoints = sorted(
            {look.iteration for look in rows[0].looks if look.iteration in (half, settings.iterations)}
        )
        budgets = sorted({*_BUDGETS, settings.memory})
        found = [
            Section(
                "What to take",
                "With a given memory, the row with the least real epsilon among those that fit, what it loses against "
                "every hand for itself, and which larger row would be better.",
                (advice_table(advise(distinct, budgets), units),),
                (("Real epsilon over memory", "One point per abstraction, with the Pareto front.",
                  draw_memory(distinct, units.mbb)),),
            ),
            Section(
                "Quality",
                "Strategies are found inside an abstraction. Epsilon inside it falls on and on; epsilon in the real "
                "game shows what the forgotten differences cost.",
                (quality_table(distinct, units, checkpoints), pace_table(distinct, units),
                 curves_table([(row.name, row.looks) for row in rows], units)),
                (("Epsilon over iterations", "Real epsilon as solid lines, abstract epsilon as dotted lines.",
                  draw_curves([(row.name, row.looks) for row in distinct], units.mbb)),),
            ),
            Section("Groups and size", "How many groups of hands there are, and what a solve on them stores.",
                    (groups_table(distinct, same), size_table(distinct))),
        ]  # fmt: skip
        if self.overfit:
            judged = [judge_overfit(row) for row in self.overfit]
            curves = [(row.name, row.looks) for row in self.overfit]
            found.append(
                Section(
                    "E1 Overfitting",
                    f"{E1_TIMES} times as many iterations: from some point on, more iterations help inside the "
                    "abstraction only.",
                    (overfit_table(judged, units), curves_table(curves, units, "curves-e1")),
                    (("Overfitting", "Both epsilons over many iterations.", draw_curves(curves, units.mbb)),),
                )
            )  # fmt: skip
        if self.speed:
            arrays = {name: sum(parse_algorithm(name).num_arrays) / 2 for name in self.speed}
            found.append(
                Section(
                    "E2 Speed and E3 Cost",
                    "Algorithms without abstraction: how fast epsilon falls, the time of an iteration, and the numbers "
                    "stored per hand and action.",
                    (speed_table(self.speed, arrays, units),
                     curves_table(list(self.speed.items()), units, "curves-e2")),
                    (("Speed", "Epsilon over iterations and over seconds.", draw_speed(self.speed, units.mbb)),),
                )
            )  # fmt: skip
        if self.matchup is not None:
            found.append(
                Section(
                    "E4 Profiles against each other",
                    "Every profile plays every other in both seats. The exact EV lies between what a profile "
                    "guarantees and what the other one allows, and hands played with real cards agree with it.",
                    (matchup_table(self.matchup, units),),
                    (("Winnings", "Chips that the first profile of each pairing has won in both seats.",
                      draw_winnings(self.matchup.winnings, "chips")),),
                )
            )  # fmt: skip
        return found


def _one_side(row: Row) -> bool:
    """Returns whether both players have the same numbers of groups."""
    sides = [[replace(street, player="") for street in row.streets if street.player == seat] for seat in PLAYERS]
    return sides[0] == sides[1]
