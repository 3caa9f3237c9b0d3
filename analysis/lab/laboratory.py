"""One run of the hand-abstraction laboratory: rows, experiments, the tables and the files of the report."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

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
from hedgehog.analysis.lab.report import CURVES, Findings, Section, output_folder, render_report, write_report
from hedgehog.analysis.lab.row_files import FOLDER, describe_row, finished_rows, write_row
from hedgehog.analysis.lab.rows import (
    NONE,
    Look,
    Plan,
    Row,
    advise,
    look_iterations,
    plan_row,
    row_names,
    same_groups,
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
from hedgehog.poker.cards import format_cards
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError, MemoryShortageError
from hedgehog.runtime.machine import available_memory
from hedgehog.runtime.outputs import remove_contents
from hedgehog.runtime.table import Table, table_records
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.abstraction.abstraction import SpotValues
from hedgehog.solver.abstraction.group_solver import verify_group_algorithm
from hedgehog.solver.abstraction.hand_values import MEASURES, Opponents
from hedgehog.solver.abstraction.identity import TESTS
from hedgehog.solver.abstraction.solving import compile_group_kernels
from hedgehog.solver.cfr.algorithms import Algorithm, parse_algorithm
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.run import compile_kernels
from hedgehog.solver.postflop.spot import PLAYERS, PostflopSpot
from hedgehog.strategies.provenance import provenance

DEFAULT_ALGORITHM: Final = "cgh:c=0.175"
DEFAULT_ITERATIONS: Final = 400
_BUDGETS: Final = (64_000_000, 256_000_000, 1_000_000_000, 4_000_000_000)
_SHOWN_DEALS: Final = 150_000
_SEED: Final = 1
_E1: Final = "e1-"
_E2: Final = "e2-"


@dataclass(frozen=True, slots=True)
class Settings:
    """What one run of the laboratory is about."""

    spot: PostflopSpot
    measures: Sequence[str] = MEASURES
    """What makes hands equal."""
    tests: Sequence[str] = TESTS
    """Ways to tell equal hands. Each with each measure is a row."""
    algorithm: Algorithm = field(default_factory=lambda: parse_algorithm(DEFAULT_ALGORITHM))
    """Algorithm of all rows."""
    iterations: int = DEFAULT_ITERATIONS
    """Iterations of every row."""
    opponents: Opponents = "range"
    """The hands that a hand meets."""
    memory: int = 1_000_000_000
    """Bytes; rows that need more, or more than there is, are left out."""
    big_blind: float = 100
    """Chips of a big blind, for results in mbb."""
    threads: int | None = None
    experiments: tuple[str, ...] = ()
    """Some of :data:`hedgehog.analysis.lab.experiments.EXPERIMENTS`."""
    deals: int = 10_000_000
    """Simulated deals per seat and pairing of e4."""

    def conditions(self) -> dict[str, Any]:
        """Returns what rows must share to be compared, as plain JSON values."""
        return {
            "spot": self.spot.text,
            "algorithm": str(self.algorithm),
            "iterations": self.iterations,
            "opponents": self.opponents,
        }


def compare_abstractions(
    settings: Settings,
    out: Path | None = None,
    *,
    overwrite: bool = False,
    inputs: Sequence[Path] = (),
    watch: Watch = SILENT,
) -> Findings:
    """Solves every row inside its abstraction, judges it in the real game, and writes the report.

    :param out: folder of the report, and of finished rows, with which the next call goes on; None for no files.
    :param overwrite: replace results in ``out`` of another spot or with other settings.
    :param inputs: files that were read, none of which may be in ``out``.
    :param watch: hears of iterations, and of rows that are left out.
    :raises InputError: if ``out`` holds anything else, or the algorithm does not work on groups of hands.
    :raises MemoryShortageError: if no row fits into the memory.
    """
    with nullcontext() if out is None else output_folder(out, FOLDER, inputs):
        laboratory = Laboratory(settings, out, watch)
        kept = laboratory.finished(overwrite=overwrite)
        laboratory.run(laboratory.fitting_plans(), kept)
        return laboratory.report()


def abstraction_sizes(settings: Settings) -> Table:
    """Returns the size and the memory of every row, without solving any.

    :raises InputError: if the algorithm does not work on groups of hands.
    """
    return size_table(Laboratory(settings).plans())


class Laboratory:
    """Solves rows and writes the report.

    :param out: folder of the report; None for no files.
    :raises InputError: if the algorithm does not work on groups of hands.
    """

    def __init__(self, settings: Settings, out: Path | None = None, watch: Watch = SILENT) -> None:
        verify_group_algorithm(settings.algorithm)
        if settings.spot.tremble is not None:
            raise InputError("groups of hands are solved without trembles: leave out the key 'tremble' of the spot")
        self.settings = settings
        self.out = out
        # The rows are the abstractions; that of the spot file is one of them.
        spot = replace(settings.spot, abstraction="")
        single = prepare(spot, merge_cards=False)
        self.spots = single, single if single.locks else prepare(spot)
        """The spot without and with merged cards."""
        self.rows: list[Row] = []
        self.aliases: dict[str, str] = {}
        self.overfit: list[Row] = []
        self.speed: dict[str, Sequence[Look]] = {}
        self.matchup: Matchup | None = None
        self._values = SpotValues(single, settings.opponents)
        self._memory = min(settings.memory, round(available_memory()))
        self._watch = watch
        self._done = 0.0

    def finished(self, *, overwrite: bool) -> dict[str, Row]:
        """Returns the rows in the folder that need not be solved again.

        :param overwrite: results of something else are removed.
        :raises InputError: if the folder holds results of something else.
        """
        if self.out is None:
            return {}
        try:
            return finished_rows(self.out, self.settings.conditions())
        except InputError:
            if not overwrite:
                raise
            remove_contents(self.out, FOLDER)
            return {}

    def plans(self) -> list[Plan]:
        """Returns what every row solves."""
        settings = self.settings
        names = row_names(settings.measures, settings.tests, settings.spot.abstraction)
        found = (self._plan(name, settings.algorithm) for name in names)
        return [plan for plan in found if plan is not None]

    def fitting_plans(self) -> list[Plan]:
        """Returns the rows that fit into the memory, and tells the watch of the others.

        :raises MemoryShortageError: if none does.
        """
        plans = self.plans()
        fitting = [plan for plan in plans if plan.size.memory <= self._memory]
        if not fitting:
            raise MemoryShortageError(min(plan.size.memory for plan in plans), self._memory)
        for plan in plans:
            if plan not in fitting:
                self._watch.note(f"{plan.name} is left out: it needs {plan.size.memory / 1e6:,.0f} MB")
        return fitting

    def run(self, plans: Sequence[Plan], kept: Mapping[str, Row]) -> None:
        """Solves the rows that are not kept, then runs the experiments."""
        settings = self.settings
        known = dict(kept)
        aliases = same_groups(plans)
        experiments = self._experiment_plans()
        total = settings.iterations * len(plans) + sum(looks[-1] for _, _, looks in experiments)
        total += settings.iterations * len(E4_ALGORITHMS) * ("e4" in settings.experiments)
        self._watch.begin("abstractions", total, "iterations", "compiling")
        self._watch.update(0)
        self._compile(plans, experiments)
        for plan in plans:
            twin = known.get(aliases.get(plan.name, ""))
            if plan.name not in known and twin is not None:
                known[plan.name] = replace(twin, name=plan.name)
            self._solve(plan, look_iterations(settings.iterations), settings.algorithm, known)
        self.rows = [known[plan.name] for plan in plans]
        self.aliases = {name: twin for name, twin in aliases.items() if twin in known}
        for plan, algorithm, looks in experiments:
            row = self._solve(plan, looks, algorithm, known)
            if plan.name.startswith(_E1):
                self.overfit.append(replace(row, name=plan.name.removeprefix(_E1)))
            else:
                self.speed[str(algorithm)] = row.looks
        if "e4" in settings.experiments:
            self._meet()

    def _advance(self, iterations: float, text: str) -> None:
        self._done += iterations
        self._watch.update(self._done, text)

    def _plan(self, name: str, algorithm: Algorithm) -> Plan | None:
        return plan_row(name, self.spots, self._values, algorithm, self.settings.threads)

    def _compile(self, plans: Sequence[Plan], experiments: Sequence[tuple[Plan, Algorithm, list[int]]]) -> None:
        """Loads the kernels, so that no row's time includes their compilation."""
        settings = self.settings
        for algorithm in {settings.algorithm, *(algorithm for _, algorithm, _ in experiments)}:
            compile_kernels(settings.threads, algorithm, "f32")
        if any(plan.groups is not None for plan in plans):
            compile_group_kernels(settings.threads, settings.algorithm)

    def _solve(self, plan: Plan, looks: Sequence[int], algorithm: Algorithm, known: dict[str, Row]) -> Row:
        """Adds a row to the known ones, and to the folder, unless it is among them."""
        if plan.name not in known:
            settings, start = self.settings, self._done
            row = solve_row(
                plan,
                algorithm,
                looks,
                threads=settings.threads,
                memory_limit=self._memory,
                clock=time.perf_counter,
                progress=lambda done: self._watch.update(start + done, plan.name),
            )
            known[plan.name] = row
            if self.out is not None:
                write_row(self.out, row, settings.conditions())
        self._advance(looks[-1], plan.name)
        return known[plan.name]

    def _experiment_plans(self) -> list[tuple[Plan, Algorithm, list[int]]]:
        settings = self.settings
        found: list[tuple[Plan, Algorithm, list[int]]] = []
        if "e1" in settings.experiments:
            for name in E1_ROWS:
                plan = self._plan(name, settings.algorithm)
                if plan is not None and plan.size.memory <= self._memory:
                    looks = overfit_looks(settings.iterations)
                    found.append((replace(plan, name=_E1 + name), settings.algorithm, looks))
        if {"e2", "e3"} & set(settings.experiments):
            for text in E2_ALGORITHMS:
                algorithm = parse_algorithm(text)
                plan = self._plan(NONE, algorithm)
                if plan is not None and plan.size.memory <= self._memory:
                    name = _E2 + text.replace(":", "-").replace("=", "-").replace(",", "-")
                    found.append((replace(plan, name=name), algorithm, look_iterations(settings.iterations)))
        return found

    def _meet(self) -> None:
        settings = self.settings
        share = settings.iterations / (1 + 2)  # three profiles and six meetings
        self.matchup = meet(
            self.spots[0],
            E4_ALGORITHMS,
            settings.iterations,
            deals=settings.deals,
            shown_deals=_SHOWN_DEALS,
            seed=_SEED,
            threads=settings.threads,
            tick=lambda text: self._advance(share, text),
        )

    def report(self) -> Findings:
        """Writes the files of the report, and returns what they say."""
        settings, spot = self.settings, self.settings.spot
        sections = self._sections()
        tables = tuple(table for section in sections for table in section.tables)
        document = json_document(
            "abstractions",
            game=spot.name,
            seed=_SEED if self.matchup is not None else None,
            players=PLAYERS,
            conditions=settings.conditions(),
            big_blind=settings.big_blind,
            program=vars(provenance()),
            rows=[describe_row(row) for row in self.rows],
            same_groups=dict(self.aliases),
            overfit=[describe_row(row) for row in self.overfit],
            tables=table_records(tables),
        )
        remarks = tuple(
            f"{name} makes the same groups as {twin}, which was solved in its place."
            for name, twin in self.aliases.items()
        )
        found = Findings(tables, document, remarks)
        if self.out is not None:
            write_report(self.out, found, self._page(sections))
        return found

    def _page(self, sections: Sequence[Section]) -> str:
        settings, spot = self.settings, self.settings.spot
        facts = [
            ("board", format_cards(spot.board, " ")),
            ("pot and stack", f"{spot.pot:,} and {spot.stack:,} chips"),
            ("hands", f"{len(self.spots[0].combos[0]):,} oop, {len(self.spots[0].combos[1]):,} ip"),
            ("algorithm", str(settings.algorithm)),
            ("iterations", f"{settings.iterations:,}"),
            ("opponents", settings.opponents),
            ("big blind", f"{settings.big_blind:g} chips"),
        ]
        shown = [
            replace(section, tables=tuple(table for table in section.tables if not table.name.startswith(CURVES)))
            for section in sections
        ]
        headline = "Which hand abstraction loses least in the real game for its memory, and what the next size buys"
        return render_report(spot.name, headline, facts, shown)

    def _sections(self) -> list[Section]:
        settings, rows = self.settings, self.rows
        units = make_units(self.spots[0], settings.big_blind)
        same = all(_one_side(row) for row in rows)
        distinct = [row for row in rows if row.name not in self.aliases]
        half = settings.iterations // 2
        checkpoints = sorted(
            {look.iteration for look in rows[0].looks if look.iteration in (half, settings.iterations)}
        )
        budgets = sorted({*_BUDGETS, self._memory})
        found = [
            Section(
                "What to take",
                "With a given memory, the row with the least real epsilon among those that fit, what it loses against "
                "every hand for itself, and which larger row would be better.",
                (advice_table(advise(distinct, budgets), units),),
                (("Real epsilon over memory", "One point per abstraction, with the Pareto front.",
                  partial(draw_memory, distinct, units.mbb)),),
            ),
            Section(
                "Quality",
                "Strategies are found inside an abstraction. Epsilon inside it falls on and on; epsilon in the real "
                "game shows what the forgotten differences cost.",
                (quality_table(distinct, units, checkpoints), pace_table(distinct, units),
                 curves_table([(row.name, row.looks) for row in rows], units)),
                (("Epsilon over iterations", "Real epsilon as solid lines, abstract epsilon as dotted lines.",
                  partial(draw_curves, [(row.name, row.looks) for row in distinct], units.mbb)),),
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
                    (overfit_table(judged, units), curves_table(curves, units, f"{CURVES}-e1")),
                    (("Overfitting", "Both epsilons over many iterations.", partial(draw_curves, curves, units.mbb)),),
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
                     curves_table(list(self.speed.items()), units, f"{CURVES}-e2")),
                    (("Speed", "Epsilon over iterations and over seconds.",
                      partial(draw_speed, self.speed, units.mbb)),),
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
                      partial(draw_winnings, self.matchup.winnings, "chips")),),
                )
            )  # fmt: skip
        return found


def _one_side(row: Row) -> bool:
    """Returns whether both players have the same numbers of groups."""
    sides = [[replace(street, player="") for street in row.streets if street.player == seat] for seat in PLAYERS]
    return sides[0] == sides[1]
