"""The three losses of a solver on one spot: from groups of hands, from classes of boards and from fewer bet sizes.

Each row is one choice. It is solved as it stands, and its strategies are judged by best responses in the real game,
which is the spot with every hand, every card and all its bet sizes. So the losses have one unit, and can be compared.

::

    from hedgehog.analysis.lab.losses import LossSettings, compare_losses

    found = compare_losses(LossSettings(read_spot("docs/examples/spots/turn.yaml")), Path("losses"))
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from hedgehog.analysis.lab.loss_tables import KINDS, costs_table, kind_of, kinds_table, losses_table, remarks_of
from hedgehog.analysis.lab.plots import draw_curves, draw_memory
from hedgehog.analysis.lab.report import CURVES, Findings, Section, output_folder, render_report, write_report
from hedgehog.analysis.lab.row_files import describe_row, describe_spot, finished_rows, write_row
from hedgehog.analysis.lab.rows import (
    MERGED,
    NONE,
    RELAXED,
    Plan,
    Row,
    RowSize,
    advise,
    look_iterations,
    plan_row,
    same_groups,
    solve_row,
)
from hedgehog.analysis.lab.tables import advice_table, curves_table, make_units, size_table
from hedgehog.poker.betsizes import BetSize, BetSizes, Menu, format_bet_size, parse_bet_sizes
from hedgehog.poker.cards import format_cards
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError, MemoryShortageError, SpotError
from hedgehog.runtime.machine import available_memory
from hedgehog.runtime.outputs import FolderKind, remove_contents
from hedgehog.runtime.table import Table, table_records
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.abstraction.abstraction import KMEANS, SpotValues
from hedgehog.solver.abstraction.board_pooling import RiverClasses, verify_pooled_algorithm
from hedgehog.solver.abstraction.group_solver import verify_group_algorithm
from hedgehog.solver.abstraction.hand_values import Opponents
from hedgehog.solver.abstraction.smaller_menus import ALGORITHM as JUDGE
from hedgehog.solver.abstraction.smaller_menus import MenuJudge, same_tree
from hedgehog.solver.abstraction.solving import compile_group_kernels
from hedgehog.solver.cfr.algorithms import Algorithm, parse_algorithm
from hedgehog.solver.postflop.estimate import estimate
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare
from hedgehog.solver.postflop.run import compile_kernels
from hedgehog.solver.postflop.spot import PLAYERS, PostflopSpot, verify_abstraction
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig
from hedgehog.strategies.provenance import provenance

DEFAULT_ALGORITHM: Final = "dcfr"
DEFAULT_ITERATIONS: Final = 200
DEFAULT_ABSTRACTIONS: Final = ("opp-river", "strength-river", "rank-river", KMEANS)
FOLDER: Final = FolderKind("results of hedgehog lab losses", ("report.html", "results.json", "*.csv", "row-*.json"))
"""What the folder of a run holds."""
_BUDGETS: Final = (16_000_000, 64_000_000, 256_000_000, 1_000_000_000)
_WITHOUT: Final = "without "


@dataclass(frozen=True, slots=True)
class LossSettings:
    """What is compared, and how."""

    spot: PostflopSpot
    """The real game."""
    abstractions: Sequence[str] = DEFAULT_ABSTRACTIONS
    """Hand abstractions by name."""
    menus: Sequence[str] | None = None
    """Bet sizes of both players on all streets, in the notation of :mod:`hedgehog.poker.betsizes`. None: those of the
    spot, each time without one of them."""
    algorithm: Algorithm = field(default_factory=lambda: parse_algorithm(DEFAULT_ALGORITHM))
    """Algorithm of all rows."""
    iterations: int = DEFAULT_ITERATIONS
    """Iterations of every row."""
    opponents: Opponents = "range"
    """The hands that a hand meets, for its group."""
    memory: int = 1_000_000_000
    """Bytes; rows that need more, or more than there is, are left out."""
    big_blind: float = 100
    """Chips of a big blind, for results in mbb."""
    threads: int | None = None

    def conditions(self) -> dict[str, Any]:
        """Returns what rows must share to be compared, as plain JSON values."""
        return {
            "spot": describe_spot(self.spot),
            "algorithm": str(self.algorithm),
            "iterations": self.iterations,
            "opponents": self.opponents,
            "laboratory": "losses",
        }


def compare_losses(
    settings: LossSettings,
    out: Path | None = None,
    *,
    overwrite: bool = False,
    inputs: Sequence[Path] = (),
    watch: Watch = SILENT,
) -> Findings:
    """Solves a spot with groups of hands, classes of boards and fewer bet sizes, and judges all in the real game.

    :param out: folder of the report, and of finished rows, with which the next call goes on; None for no files.
    :param overwrite: replace results in ``out`` of another spot or with other settings.
    :param inputs: files that were read, none of which may be in ``out``.
    :param watch: hears of iterations, and of rows that are left out.
    :raises InputError: if ``out`` holds anything else, or there is no such abstraction or menu.
    :raises SpotError: if the spot has locks or trembles, or the algorithm cannot solve every kind of row.
    :raises MemoryShortageError: if no row fits into the memory.
    """
    with nullcontext() if out is None else output_folder(out, FOLDER, inputs):
        laboratory = _Laboratory(settings, out, watch)
        return laboratory.run(overwrite=overwrite)


def loss_sizes(settings: LossSettings, watch: Watch = SILENT) -> Table:
    """Returns the size and the memory of every row, without solving any.

    :raises InputError: as :func:`compare_losses`.
    """
    return size_table(_Laboratory(settings, None, watch).plans)


def menus_without(config: TreeConfig) -> dict[str, TreeConfig]:
    """Returns a betting tree once without each of its bet sizes, by names such as ``without 50%``.

    A size is left out of all bets and raises of both players on all streets.
    """
    found: dict[str, TreeConfig] = {}
    for size in _sizes_of(config):
        kept: Callable[[Menu], Menu] = partial(_leave_out, size)
        streets = tuple(
            StreetSizes(
                BetSizes(tuple(kept(menu) for menu in street.oop.menus)),
                BetSizes(tuple(kept(menu) for menu in street.ip.menus)),
                None if street.donk is None else kept(street.donk),
            )
            for street in config.sizes
        )
        found[_WITHOUT + format_bet_size(size)] = replace(config, sizes=streets)
    return found


def _leave_out(size: BetSize, menu: Menu) -> Menu:
    return tuple(other for other in menu if other != size)


def _sizes_of(config: TreeConfig) -> list[BetSize]:
    menus: list[Menu] = []
    for street in config.sizes:
        menus += [*street.oop.menus, *street.ip.menus, *([] if street.donk is None else [street.donk])]
    return list(dict.fromkeys(size for menu in menus for size in menu))


class _Laboratory:
    """One comparison of the three losses."""

    def __init__(self, settings: LossSettings, out: Path | None, watch: Watch) -> None:
        if settings.spot.locks or settings.spot.tremble is not None:
            raise SpotError("losses are compared without locks and trembles: leave out these keys of the spot")
        verify_group_algorithm(settings.algorithm)
        for name in settings.abstractions:
            if name != KMEANS:
                verify_abstraction(name)
        self.settings = settings
        self.out = out
        self._watch = watch
        spot = replace(settings.spot, abstraction="")
        self.spot = spot
        self.single = prepare(spot, merge_cards=False)
        self.merged = prepare(spot)
        self._memory = min(settings.memory, round(available_memory()))
        watch.begin("losses", text="groups and betting trees")
        watch.update(0)
        self.plans = [*self._hand_plans(), *self._board_plans(), *self._menu_plans()]

    def _hand_plans(self) -> list[Plan]:
        settings = self.settings
        values = SpotValues(self.single, settings.opponents)
        spots = self.single, self.merged
        own = settings.spot.abstraction
        names = dict.fromkeys((NONE, MERGED, *settings.abstractions, *([own] if own else [])))
        found = (plan_row(name, spots, values, settings.algorithm, settings.threads) for name in names)
        return [plan for plan in found if plan is not None]

    def _board_plans(self) -> list[Plan]:
        classes = RiverClasses(self.single)
        if not classes.classes:
            self._watch.note(f"no row {RELAXED}: its classes of boards lose nothing here")
            return []
        verify_pooled_algorithm(self.settings.algorithm)
        infosets, entries = classes.elements()
        return [replace(self._plan(RELAXED, classes.spot, infosets, entries), classes=classes)]

    def _menu_plans(self) -> list[Plan]:
        found = []
        for name, config in self._configs().items():
            small = prepare(replace(self.spot, tree=config, text=""))
            if same_tree(small.tree, self.merged.tree):
                self._watch.note(f"no row {name!r}: the betting tree is the same")
                continue
            plan = self._plan(name, small, small.size.infosets, small.size.elements)
            found.append(replace(plan, judge=MenuJudge(self.merged, small)))
        return found

    def _configs(self) -> dict[str, TreeConfig]:
        config, menus = self.spot.tree, self.settings.menus
        if menus is None:
            return menus_without(config)
        found = {}
        for text in menus:
            try:
                sizes = parse_bet_sizes(text)
            except SpotError as error:
                raise InputError(f"the menu {text!r}: {error.message}") from error
            found[text] = replace(config, sizes=(StreetSizes(sizes, sizes),) * len(config.sizes), lines=())
        return found

    def _plan(self, name: str, spot: PreparedSpot, infosets: int, entries: int) -> Plan:
        algorithm = self.settings.algorithm
        memory = estimate(spot, algorithm=algorithm, threads=self.settings.threads).memory_bytes
        arrays = sum(algorithm.num_arrays) / 2
        half = round(2 * arrays * entries) if algorithm.half_precision else None
        size = RowSize(infosets, entries, None, round(4 * arrays * entries), half, memory)
        return Plan(name, spot, None, size, ())

    def run(self, *, overwrite: bool) -> Findings:
        """Solves the rows that the folder lacks, and writes the report."""
        plans = self._fitting()
        known = self._finished(overwrite=overwrite)
        aliases = same_groups(plans)
        missing = [plan for plan in plans if plan.name not in known and plan.name not in aliases]
        iterations, threads = self.settings.iterations, self.settings.threads
        self._watch.begin("losses", iterations * len(missing), "iterations", "compiling" if missing else "report")
        self._watch.update(0)
        if missing:
            compile_kernels(threads, self.settings.algorithm, "f32")
            compile_kernels(threads, parse_algorithm(JUDGE), "f32")
        if any(plan.groups is not None for plan in missing):
            compile_group_kernels(threads, self.settings.algorithm)
        for number, plan in enumerate(missing):
            known[plan.name] = self._solve(plan, number * iterations)
            if self.out is not None:
                write_row(self.out, known[plan.name], self.settings.conditions())
            self._watch.update((number + 1) * iterations, plan.name)
        rows = [known[plan.name] for plan in plans if plan.name not in aliases]
        return self._report(rows, aliases)

    def _fitting(self) -> list[Plan]:
        needs = {plan.name: plan.size.memory + self._judge_bytes(plan) for plan in self.plans}
        fitting = [plan for plan in self.plans if needs[plan.name] <= self._memory]
        if not fitting:
            raise MemoryShortageError(min(needs.values()), self._memory)
        for plan in self.plans:
            if plan not in fitting:
                self._watch.note(f"{plan.name} is left out: it needs {needs[plan.name] / 1e6:,.0f} MB")
        return fitting

    def _judge_bytes(self, plan: Plan) -> int:
        if plan.judge is None:
            return 0
        return estimate(plan.judge.real, algorithm=JUDGE, threads=self.settings.threads).memory_bytes

    def _finished(self, *, overwrite: bool) -> dict[str, Row]:
        if self.out is None:
            return {}
        try:
            return finished_rows(self.out, self.settings.conditions())
        except InputError:
            if not overwrite:
                raise
            remove_contents(self.out, FOLDER)
            return {}

    def _solve(self, plan: Plan, start: int) -> Row:
        settings = self.settings
        return solve_row(
            plan,
            settings.algorithm,
            look_iterations(settings.iterations),
            threads=settings.threads,
            memory_limit=self._memory,
            clock=time.perf_counter,
            progress=lambda done: self._watch.update(start + done, plan.name),
        )

    def _report(self, rows: Sequence[Row], aliases: Mapping[str, str]) -> Findings:
        settings, spot = self.settings, self.spot
        sections = self._sections(rows)
        tables = tuple(table for section in sections for table in section.tables)
        document = json_document(
            "losses",
            game=spot.name,
            players=PLAYERS,
            conditions=settings.conditions(),
            big_blind=settings.big_blind,
            program=vars(provenance()),
            rows=[describe_row(row) | {"kind": kind_of(row)} for row in rows],
            same_groups=dict(aliases),
            tables=table_records(tables),
        )
        units = make_units(self.single, settings.big_blind)
        remarks = [f"{name} makes the same groups as {twin}." for name, twin in aliases.items()]
        found = Findings(tables, document, (*remarks, *remarks_of(rows, units)))
        if self.out is not None:
            write_report(self.out, found, self._page(sections))
        return found

    def _page(self, sections: Sequence[Section]) -> str:
        settings, spot = self.settings, self.spot
        facts = [
            ("board", format_cards(spot.board, " ")),
            ("pot and stack", f"{spot.pot:,} and {spot.stack:,} chips"),
            ("algorithm", str(settings.algorithm)),
            ("iterations", f"{settings.iterations:,}"),
            ("big blind", f"{settings.big_blind:g} chips"),
        ]
        shown = [
            replace(section, tables=tuple(table for table in section.tables if not table.name.startswith(CURVES)))
            for section in sections
        ]
        headline = "What groups of hands, classes of boards and fewer bet sizes lose in the real game, in one unit"
        return render_report(spot.name, headline, facts, shown)

    def _sections(self, rows: Sequence[Row]) -> list[Section]:
        units = make_units(self.single, self.settings.big_blind)
        usable = [row for row in rows if row.name != RELAXED]
        budgets = sorted({*_BUDGETS, self._memory})
        curves = [(row.name, row.looks) for row in rows]
        return [
            Section(
                "What to take",
                "What loses nothing comes first. Differences below what the exact row has still to converge count as "
                "none.",
                (advice_table(advise(usable, budgets), units),),
                (("Real epsilon over memory", "One point per row, with the Pareto front.",
                  partial(draw_memory, rows, units.mbb)),),
            ),
            Section(
                "The three losses",
                f"The kinds are {', '.join(KINDS)}. All are judged by best responses in the real game.",
                (losses_table(rows, units), kinds_table(rows, units), costs_table(rows, units),
                 curves_table(curves, units)),
                (("Epsilon over iterations", "In the real game as solid lines, as the solver sees it as dotted lines.",
                  partial(draw_curves, curves, units.mbb)),),
            ),
            Section("Size", "What a solve of each row stores.", (size_table(rows),)),
        ]  # fmt: skip
