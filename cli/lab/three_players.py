"""``hedgehog lab three-players``: how far a two-player strategy gets at a three-player table."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import click
import numpy as np

from hedgehog.analysis.lab.report import Section, render_report
from hedgehog.analysis.three_players.bias import HANDS as BIAS_HANDS
from hedgehog.analysis.three_players.bias import LEAST, bias_document, measure_folds, seen_classes
from hedgehog.analysis.three_players.experiments import (
    GAME,
    TABLES,
    TITLES,
    Cell,
    cell_plan,
    cells,
    hero_winnings,
    result_table,
)
from hedgehog.analysis.three_players.mappings import (
    NEAREST,
    WAYS,
    MappingLog,
    distance_table,
    log_mappings,
    variance_table,
)
from hedgehog.analysis.three_players.plots import draw_distances, draw_folds, draw_results, draw_variances
from hedgehog.arena.launch import default_jobs
from hedgehog.arena.match import MATCH_FOLDER
from hedgehog.arena.plans import read_json_object, verify_same_plan
from hedgehog.arena.play import run_watched
from hedgehog.arena.runner import run_match
from hedgehog.cli.arena.running import jobs_option, stoppable
from hedgehog.cli.console import output_console
from hedgehog.cli.lab.options import NameList
from hedgehog.cli.lab.views import print_table
from hedgehog.cli.outputs import claim_outputs, hold_folder, json_option, overwrite_option, write_json, write_output
from hedgehog.cli.progress import Progress, show_progress
from hedgehog.poker.hand_classes import NUM_HAND_CLASSES
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import real_path, write_text_file
from hedgehog.runtime.outputs import FolderKind, make_folder, remove_contents, verify_output_folder
from hedgehog.runtime.table import Table, table_records

PLAN: Final = "three-players.plan"
_MATCHES: Final = "matches"
FOLDER: Final = FolderKind(
    "results of hedgehog lab three-players",
    (
        *(PLAN, "report.html", "results.json", "*.csv", "bias-*.json", "mappings-*.npz"),
        *(f"{_MATCHES}/*/{pattern}" for pattern in MATCH_FOLDER.files),
    ),
)
"""What ``--out`` holds."""
PARTS: Final = (*TABLES, "bias", "mappings")
_MAPPING_HANDS: Final = 6000


@click.command("three-players")
@click.option(
    "--only",
    type=NameList(PARTS),
    default=",".join(PARTS),
    show_default=True,
    metavar="A,B,...",
    help="Experiments x1 to x5; bias: preflop folds; mappings: variance and distance of the candidates.",
)
@click.option(
    "--hands",
    type=click.IntRange(12),
    default=60_000,
    show_default=True,
    metavar="N",
    help="Hands of each match of x1 to x5, over six seatings.",
)
@click.option(
    "--bias-hands",
    type=click.IntRange(1),
    default=BIAS_HANDS,
    show_default=True,
    metavar="N",
    help="Hands from which preflop folds are measured.",
)
@click.option(
    "--mapping-hands",
    type=click.IntRange(6),
    default=_MAPPING_HANDS,
    show_default=True,
    metavar="N",
    help="Hands whose mappings are logged.",
)
@click.option("--pack", default="", metavar="PATH", help="Two-player strategy.  [default: the shipped one]")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True, help="Seed of all cards.")
@jobs_option
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("runs/three-players"),
    show_default=True,
    metavar="DIR",
    help="Folder for report.html, results.json, CSV files and logs; the same command goes on.",
)
@json_option()
@overwrite_option
def three_players(
    only: tuple[str, ...],
    hands: int,
    bias_hands: int,
    mapping_hands: int,
    pack: str,
    seed: int,
    jobs: int | None,
    out: Path,
    json_file: Path | None,
    overwrite: bool,
) -> None:
    """Carry a two-player limit strategy to the three-player table and measure what it wins there.

    Five published ways (hbb1 to hbb5) find the two-player decisions that stand for a three-player decision. x1 and x2
    average more and more of them, x3 corrects folds before the flop, x4 takes the most likely action, x5 leaves some
    decisions to another player. All players of an experiment meet the same opponents on the same cards.
    """
    claim_outputs(json_file, inputs=[Path(pack)] if pack else [], overwrite=overwrite)
    laboratory = _Laboratory(only, hands, bias_hands, mapping_hands, pack, seed, real_path(out))
    laboratory.verify_folder()
    laboratory.open_strategy()
    hold_folder(laboratory.out)
    goes_on = laboratory.goes_on(overwrite=overwrite)
    if not goes_on:
        laboratory.start_anew()
    laboratory.run(jobs or default_jobs(None))
    laboratory.report(json_file)


class _Laboratory:
    """One run of the laboratory."""

    def __init__(
        self, parts: tuple[str, ...], hands: int, bias_hands: int, mapping_hands: int, pack: str, seed: int, out: Path
    ) -> None:
        self.parts = parts
        self.hands = hands
        self.bias_hands = bias_hands
        self.mapping_hands = mapping_hands
        self.pack = str(real_path(pack)) if pack else ""
        self.seed = seed
        self.out = out
        self.results: dict[str, list[tuple[Cell, Any]]] = {}

    def plan(self) -> dict[str, Any]:
        """Returns what two runs must have in common for one to go on with the other."""
        return {
            "hands": self.hands,
            "bias_hands": self.bias_hands,
            "mapping_hands": self.mapping_hands,
            "pack": self.pack,
            "seed": self.seed,
        }

    def verify_folder(self) -> None:
        """Checks the folder.

        :raises InputError: if it holds anything but results of this command.
        """
        verify_output_folder(self.out, FOLDER, proceed=True, inputs=[Path(self.pack)] if self.pack else [])

    def goes_on(self, *, overwrite: bool) -> bool:
        """Tells whether the folder holds results to go on with; nothing is changed.

        :raises InputError: if it holds results with other options without ``overwrite``.
        """
        file = self.out / PLAN
        if not file.exists():
            return False
        try:
            verify_same_plan(self.plan(), read_json_object(file), file)
        except InputError:
            if not overwrite:
                raise
            return False
        return True

    def start_anew(self) -> None:
        """Makes an empty folder with a plan."""
        if self.out.is_dir():
            remove_contents(self.out, FOLDER)
        make_folder(self.out)
        write_text_file(self.out / PLAN, json.dumps(self.plan(), indent=2) + "\n")

    def open_strategy(self) -> None:
        """Opens the two-player strategy, so that a fault in it is found before any work.

        :raises PackError: if there is no such pack, or it is damaged.
        """
        from hedgehog.agent.limit.two_player import open_two_player_table

        open_two_player_table(Path(self.pack) if self.pack else None)

    def bias_file(self, way: str) -> Path:
        """Returns the file with the bias of a way."""
        return self.out / f"bias-{way}.json"

    def mapping_file(self, way: str, nearest: int) -> Path:
        """Returns the file with the mappings of a way."""
        return self.out / f"mappings-{way}-x{nearest}.npz"

    def run(self, jobs: int) -> None:
        """Does all work that is not in the folder yet."""
        biases = WAYS if {"bias", "x3"} & set(self.parts) else ()
        logs = [(way, nearest) for nearest in NEAREST for way in WAYS] if "mappings" in self.parts else []
        tables = [table for table in TABLES if table in self.parts]
        matches = [
            cell for table in tables for cell in cells(table, self.pack, {way: self.bias_file(way) for way in WAYS})
        ]
        total = self.bias_hands * len(biases) + self.mapping_hands * len(logs) + self.hands * len(matches)
        with show_progress("three-players", total, "hands") as bar:
            for way in biases:
                self._step(bar, self.bias_hands, f"bias {way}", self.bias_file(way), self._measure_bias, way)
            for way, nearest in logs:
                label = f"mappings {way} x{nearest}"
                path = self.mapping_file(way, nearest)
                self._step(bar, self.mapping_hands, label, path, self._log_mappings, (way, nearest))
            for cell in matches:
                self._play(cell, jobs, bar)

    def _step(
        self,
        bar: Progress,
        amount: int,
        label: str,
        path: Path,
        work: Callable[[Any, Path, Callable[[int], None]], None],
        what: Any,
    ) -> None:
        start = bar.done
        bar.update(start, label)
        if not path.exists():
            work(what, path, lambda done: bar.update(start + min(done, amount)))
        bar.update(start + amount)

    def _measure_bias(self, way: str, path: Path, on_hands: Callable[[int], None]) -> None:
        own = measure_folds(way, hands=self.bias_hands, seed=self._own_cards(1), pack=self.pack, on_hands=on_hands)
        document = bias_document(way, own, hands=self.bias_hands, seed=self._own_cards(1), pack=self.pack)
        write_text_file(path, json.dumps(document, indent=1) + "\n")

    def _log_mappings(self, what: tuple[str, int], path: Path, on_hands: Callable[[int], None]) -> None:
        way, nearest = what
        log = log_mappings(
            way, nearest, hands=self.mapping_hands, seed=self._own_cards(2), pack=self.pack, on_hands=on_hands
        )
        log.write(path)

    def _own_cards(self, number: int) -> int:
        """Returns a seed for cards that no match uses."""
        return (2**31 + 2 * self.seed + number) % 2**32

    def _play(self, cell: Cell, jobs: int, bar: Progress) -> None:
        folder = make_folder(self.out / _MATCHES / cell.folder)
        plan = cell_plan(cell, hands=self.hands, seed=self.seed, folder=folder)
        start = bar.done
        bar.update(start, cell.folder)
        with stoppable(lambda: click.echo("interrupted; to go on: the same command", err=True)) as watch:
            match = run_match(
                plan, lambda progress: bar.update(start + min(progress.hands, self.hands)), jobs=jobs, resume=True
            )
            played = run_watched(match, watch)
        bar.update(start + self.hands)
        self.results.setdefault(cell.table, []).append((cell, hero_winnings(played)))

    def report(self, json_file: Path | None) -> None:
        """Writes the files of the report, the results also to ``json_file``, and prints the tables."""
        sections = self._sections()
        warnings = self._warnings()
        tables = [table for section in sections for table in section.tables]
        for table in tables:
            write_output(self.out / f"{table.name}.csv", table.csv())
        facts = [
            ("game", GAME),
            ("hands per match", f"{self.hands:,}"),
            ("two-player strategy", self.pack or "shipped"),
            ("seed", str(self.seed)),
        ]
        headline = "What a two-player limit strategy wins at a three-player table, in mbb per hand."
        page = render_report("Three players", headline, facts, sections)
        write_output(self.out / "report.html", page)
        document = json_document(
            "three-players",
            game=GAME,
            seed=self.seed,
            players=[],
            **{key: value for key, value in self.plan().items() if key != "seed"},
            tables=table_records(tables),
            notes={table.name: table.note for table in tables if table.note},
            warnings=warnings,
        )
        write_json(self.out / "results.json", document)
        if json_file is not None:
            write_json(json_file, document)
        console = output_console()
        for table in tables:
            print_table(console, table)
        for warning in warnings:
            console.print(f"Warning: {warning}.", soft_wrap=True, highlight=False)
        console.print(f"Written: {self.out}", soft_wrap=True, highlight=False)

    def _warnings(self) -> list[str]:
        """Returns one sentence for each way whose bias rests on a part of the hand classes only."""
        found = []
        for way in WAYS if {"bias", "x3"} & set(self.parts) else ():
            seen = seen_classes(read_json_object(self.bias_file(way)))
            if seen < NUM_HAND_CLASSES:
                found.append(
                    f"the bias of {way} covers {seen} of {NUM_HAND_CLASSES} hand classes, because the others were seen "
                    f"fewer than {LEAST} times in {self.bias_hands:,} hands; "
                    + ("rows with bias repeat the rows without it" if not seen else "the others have a bias of 0")
                )
        return found

    def _sections(self) -> list[Section]:
        found = []
        for name, results in self.results.items():
            table = result_table(name, results)
            text = _sentences(self._warnings()) if name == "x3" else ""
            picture = ("Winnings", f"Winnings of each player of {name} with intervals.", draw_results(table))
            found.append(Section(TITLES[name], text, (table,), (picture,)))
        if "bias" in self.parts:
            found.append(self._bias_section())
        if "mappings" in self.parts:
            found += self._mapping_sections()
        return found

    def _bias_section(self) -> Section:
        documents = {way: read_json_object(self.bias_file(way)) for way in WAYS}
        rows = [
            (way, sum(values["observations"].values()), seen_classes(values), *_quantiles(values), _mean_fold(values))
            for way, values in documents.items()
        ]
        table = Table(
            "bias",
            f"Preflop folds against two potodds, {self.bias_hands:,} hands",
            ("player", "decisions", "classes seen", "least bias", "median bias", "largest bias", "mean own folds"),
            tuple(rows),
            "Bias: share of folds of the published reference bot minus own probability of folding, by hand class. "
            f"Classes seen: those with at least {LEAST} decisions; the others have no bias.",
        )
        first = next(iter(documents.values()))
        grids = [("reference bot", first["reference"])] + [(way, values["own"]) for way, values in documents.items()]
        picture = ("Folds", "Share of folds of each hand class before the flop against a bet.", draw_folds(grids))
        text = f"How often each hand class folds before the flop. {_sentences(self._warnings())}".strip()
        return Section("Bias", text, (table,), (picture,))

    def _mapping_sections(self) -> list[Section]:
        logs = {
            f"{way}-x{nearest}": MappingLog.read(self.mapping_file(way, nearest)) for nearest in NEAREST for way in WAYS
        }
        variances = {name: variance_table(name, log) for name, log in logs.items()}
        distances = {name: distance_table(name, log) for name, log in logs.items()}
        return [
            Section(
                "Variance",
                "How much the candidates of a mapping differ, by the number of candidates used.",
                tuple(variances.values()),
                (("Variance", "Mean variance of each action by candidates used.", draw_variances(variances)),),
            ),
            Section(
                "Distance",
                "Whether more distant candidates are further off, where the mean raise share is 0.6 to 0.8.",
                tuple(distances.values()),
                (("Distance", "Mean deviation by distance, with counts.", draw_distances(distances)),),
            ),
        ]


def _sentences(warnings: Sequence[str]) -> str:
    return " ".join(f"Warning: {warning}." for warning in warnings)


def _quantiles(values: dict[str, Any]) -> tuple[float | None, float | None, float | None]:
    """Returns the least, the median and the largest bias of the hand classes that were seen; None without any."""
    seen = [bias for name, bias in values["bias"].items() if values["observations"][name] >= LEAST]
    if not seen:
        return None, None, None
    low, middle, high = np.quantile(seen, (0.0, 0.5, 1.0))
    return float(low), float(middle), float(high)


def _mean_fold(values: dict[str, Any]) -> float | None:
    if not any(values["observations"].values()):
        return None
    counts = np.array(list(values["observations"].values()), dtype=np.float64)
    own = np.array(list(values["own"].values()))
    return float((own * counts).sum() / counts.sum())
