"""One run of the three-player laboratory: how far a two-player limit strategy gets at a three-player table.

Whatever is finished stays in a folder, and the next run with the same settings goes on behind it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from hedgehog.agent.limit.strategy import LimitStrategy
from hedgehog.agent.limit.two_player import open_trained_strategy, open_two_player_table
from hedgehog.analysis.lab.report import (
    CLASSES,
    UNPRINTED,
    Findings,
    Section,
    output_folder,
    render_report,
    write_report,
)
from hedgehog.analysis.three_players.bias import HANDS as BIAS_HANDS
from hedgehog.analysis.three_players.bias import LEAST, bias_document, measure_folds, seen_classes
from hedgehog.analysis.three_players.experiments import (
    GAME,
    HERO,
    LINES,
    TABLES,
    TITLES,
    Cell,
    cell_plan,
    cells,
    hero_winnings,
    result_table,
)
from hedgehog.analysis.three_players.frequencies import class_table, count_actions, frequency_table
from hedgehog.analysis.three_players.mappings import (
    NEAREST,
    WAYS,
    MappingLog,
    distance_table,
    log_mappings,
    variance_table,
)
from hedgehog.analysis.three_players.misses import WAYS as ALL_WAYS
from hedgehog.analysis.three_players.misses import (
    Misses,
    line_bias_document,
    line_table,
    measure_misses,
    miss_table,
)
from hedgehog.analysis.three_players.plots import draw_distances, draw_folds, draw_results, draw_variances
from hedgehog.analysis.three_players.reach import own_reach, reach_table, unreached_table
from hedgehog.arena.launch import PlaySettings
from hedgehog.arena.match import MATCH_FOLDER
from hedgehog.arena.plans import read_json_object, verify_same_plan
from hedgehog.arena.play import run_watched
from hedgehog.arena.runner import run_match
from hedgehog.poker.hand_classes import NUM_HAND_CLASSES
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError, StoppedError
from hedgehog.runtime.files import real_path, write_text_file
from hedgehog.runtime.outputs import FolderKind, make_folder, remove_contents, verify_output_folder
from hedgehog.runtime.table import Table, table_records
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.strategies.pack import default_packs

PLAN: Final = "three-players.plan"
_MATCHES: Final = "matches"
FREQUENCIES: Final = ("x3", "x4")
"""Experiments whose logs are counted by action."""
FOLDER: Final = FolderKind(
    "results of hedgehog lab three-players",
    (
        *(PLAN, "report.html", "results.json", "*.csv", "bias-*.json", "mappings-*.npz"),
        *("misses-*.npz", "lines-*.json"),
        *(f"{_MATCHES}/*/{pattern}" for pattern in MATCH_FOLDER.files),
    ),
)
"""What the folder of a run holds."""
PARTS: Final = (*TABLES, "bias", "mappings", "misses", LINES)
MAPPING_HANDS: Final = 6000
MATCH_HANDS: Final = {"x1": 24_000, **dict.fromkeys((*TABLES[1:], LINES), 60_000)}
"""Hands of each match by experiment. A hand of ``mcsim`` takes about twenty times as long as one of ``potodds``, so x1
has fewer: every experiment ends within half an hour on two idle cores."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run: what it measures, and with how many hands."""

    parts: tuple[str, ...] = PARTS
    """Some of :data:`PARTS`: experiments; ``bias``: preflop folds; ``mappings``: how much the candidates differ;
    ``misses``: how far mappings are from the strategy trained for three players; ``lines``: a bias by line from it."""
    hands: int | None = None
    """Hands of each match of an experiment, over six seatings; None for those of :data:`MATCH_HANDS`."""
    bias_hands: int = BIAS_HANDS
    """Hands from which preflop folds are measured."""
    mapping_hands: int = MAPPING_HANDS
    """Hands whose mappings are logged, and hands of self-play from which misses are measured."""
    pack: str = ""
    """Path of the two-player strategy; empty for the shipped one."""
    seed: int = 1
    """Seed of all cards."""

    def match_hands(self, table: str) -> int:
        """Returns the hands of each match of an experiment."""
        return MATCH_HANDS[table] if self.hands is None else self.hands

    def plan(self) -> dict[str, Any]:
        """Returns what two runs must have in common for one to go on with the other."""
        given = {name: value for name, value in asdict(self).items() if name != "parts"}
        return given | {"hands": {table: self.match_hands(table) for table in MATCH_HANDS}}


def measure_three_players(
    settings: Settings, out: Path, *, jobs: int | None = None, overwrite: bool = False, watch: Watch = SILENT
) -> Findings:
    """Does all work that is not in a folder yet, writes the report into it, and returns what was found.

    :param out: the folder.
    :param jobs: number of seatings played at the same time; None: as many as there are cores.
    :param overwrite: replace results with other settings.
    :param watch: hears of hands, and can stop the work, which the next call goes on with.
    :raises InputError: if the folder holds anything else, or results with other settings without ``overwrite``, or
        another process writes to it.
    :raises PackError: if there is no such pack, or it is damaged.
    :raises StoppedError: if the watch has stopped the work.
    """
    settings = replace(settings, pack=str(real_path(settings.pack)) if settings.pack else "")
    out = real_path(out)
    pack = Path(settings.pack) if settings.pack else None
    inputs = [] if pack is None else [pack]
    verify_output_folder(out, FOLDER, proceed=True, inputs=inputs)
    open_two_player_table(pack)  # finds a fault in it before any work
    with output_folder(out, FOLDER, inputs):
        if not _goes_on(settings, out, overwrite=overwrite):
            remove_contents(out, FOLDER)
            make_folder(out)
            write_text_file(out / PLAN, json.dumps(settings.plan(), indent=2) + "\n")
        laboratory = Laboratory(settings, out, watch)
        laboratory.run(jobs or PlaySettings().default_jobs())
        return laboratory.report()


def _goes_on(settings: Settings, out: Path, *, overwrite: bool) -> bool:
    """Tells whether a folder holds results to go on with; nothing is changed.

    :raises InputError: if it holds results with other settings without ``overwrite``.
    """
    file = out / PLAN
    if not file.exists():
        return False
    try:
        verify_same_plan(settings.plan(), file)
    except InputError:
        if not overwrite:
            raise
        return False
    return True


class Laboratory:
    """One run of the laboratory."""

    def __init__(self, settings: Settings, out: Path, watch: Watch = SILENT) -> None:
        self.settings = settings
        self.out = out
        self._watch = watch
        self._done = 0
        self._results: dict[str, list[tuple[Cell, Any]]] = {}

    def bias_file(self, way: str) -> Path:
        """Returns the file with the bias of a way."""
        return self.out / f"bias-{way}.json"

    def miss_file(self, way: str) -> Path:
        """Returns the file with the misses of a way."""
        return self.out / f"misses-{way}.npz"

    def line_file(self, way: str) -> Path:
        """Returns the file with the bias by line of a way."""
        return self.out / f"{LINES}-{way}.json"

    def mapping_file(self, way: str, nearest: int) -> Path:
        """Returns the file with the mappings of a way."""
        return self.out / f"mappings-{way}-x{nearest}.npz"

    def run(self, jobs: int) -> None:
        """Does all work that is not in the folder yet.

        :raises StoppedError: if the watch has stopped it.
        """
        settings = self.settings
        biases = WAYS if {"bias", "x3"} & set(settings.parts) else ()
        logs = [(way, nearest) for nearest in NEAREST for way in WAYS] if "mappings" in settings.parts else []
        tables = [table for table in (*TABLES, LINES) if table in settings.parts]
        misses = ALL_WAYS if {"misses", LINES} & set(settings.parts) else ()
        matches = [cell for table in tables for cell in cells(table, settings.pack, self._bias_files(table))]
        logged = settings.mapping_hands * (len(logs) + len(misses))
        total = settings.bias_hands * len(biases) + logged + sum(settings.match_hands(cell.table) for cell in matches)
        self._watch.begin("three-players", total, "hands")
        for way in biases:
            with self._step(f"bias {way}", settings.bias_hands) as tell:
                self._measure_bias(way, self.bias_file(way), tell)
        for way, nearest in logs:
            with self._step(f"mappings {way} x{nearest}", settings.mapping_hands) as tell:
                self._log_mappings(way, nearest, self.mapping_file(way, nearest), tell)
        for way in misses:
            with self._step(f"misses {way}", settings.mapping_hands) as tell:
                self._measure_misses(way, tell)
        for cell in matches:
            with self._step(cell.folder, settings.match_hands(cell.table)) as tell:
                self._play(cell, jobs, tell)

    @contextmanager
    def _step(self, label: str, hands: int) -> Iterator[Callable[[int], None]]:
        """Tells the watch of a piece of the work; yields what is to be called with the number of hands done in it."""
        start = self._done

        def tell(done: int) -> None:
            self._watch.update(start + min(done, hands))
            if self._watch.stopped:
                raise StoppedError("stopped")

        self._watch.update(start, label)
        yield tell
        self._done = start + hands
        self._watch.update(self._done)

    def _measure_bias(self, way: str, path: Path, on_hands: Callable[[int], None]) -> None:
        if not path.exists():
            given: dict[str, Any] = {
                "hands": self.settings.bias_hands, "seed": self._own_cards(1), "pack": self.settings.pack
            }  # fmt: skip
            own = measure_folds(way, **given, on_hands=on_hands)
            write_text_file(path, json.dumps(bias_document(way, own, **given), indent=1) + "\n")

    def _bias_files(self, table: str) -> dict[str, Path]:
        return {way: self.line_file(way) if table == LINES else self.bias_file(way) for way in WAYS}

    def _measure_misses(self, way: str, on_hands: Callable[[int], None]) -> None:
        path = self.miss_file(way)
        given: dict[str, Any] = {"seed": self._own_cards(3), "pack": self.settings.pack}
        if not path.exists():
            hands = self.settings.mapping_hands
            measure_misses(way, self._trained(), hands=hands, **given, on_hands=on_hands).write(path)
        if way in WAYS and not self.line_file(way).exists():
            document = line_bias_document(way, self._trained(), Misses.read(path), **given)
            write_text_file(self.line_file(way), json.dumps(document, indent=1) + "\n")

    def _trained(self) -> LimitStrategy:
        """Returns the shipped strategy for three players.

        :raises InputError: if there is none.
        """
        found = open_trained_strategy(None)
        if found is None:
            raise InputError("misses needs a strategy for three players: the shipped packs have none")
        return found

    def _log_mappings(self, way: str, nearest: int, path: Path, on_hands: Callable[[int], None]) -> None:
        if not path.exists():
            hands, seed = self.settings.mapping_hands, self._own_cards(2)
            log_mappings(way, nearest, hands=hands, seed=seed, pack=self.settings.pack, on_hands=on_hands).write(path)

    def _own_cards(self, number: int) -> int:
        """Returns a seed for cards that no match uses."""
        return (2**31 + 2 * self.settings.seed + number) % 2**32

    def _play(self, cell: Cell, jobs: int, on_hands: Callable[[int], None]) -> None:
        folder = make_folder(self.out / _MATCHES / cell.folder)
        hands = self.settings.match_hands(cell.table)
        plan = cell_plan(cell, hands=hands, seed=self.settings.seed, folder=folder)
        match = run_match(plan, lambda progress: on_hands(progress.hands), jobs=jobs, resume=True)
        self._results.setdefault(cell.table, []).append((cell, hero_winnings(run_watched(match, self._watch))))

    def report(self) -> Findings:
        """Writes the files of the report, and returns what they say."""
        settings = self.settings
        sections = self._sections()
        warnings = self._warnings()
        tables = tuple(table for section in sections for table in section.tables)
        played = [f"{settings.match_hands(name):,} ({name})" for name in self._results]
        facts = [
            ("game", GAME),
            *([("hands per match", ", ".join(played))] if played else []),
            ("two-player strategy", settings.pack or "shipped"),
            ("seed", str(settings.seed)),
        ]
        headline = "What a two-player limit strategy wins at a three-player table, in mbb per hand."
        document = json_document(
            "three-players",
            game=GAME,
            seed=settings.seed,
            players=[],
            **{key: value for key, value in settings.plan().items() if key != "seed"},
            tables=table_records(tables),
            notes={table.name: table.note for table in tables if table.note},
            warnings=warnings,
        )
        found = Findings(tables, document, tuple(f"Warning: {warning}." for warning in warnings))
        sections = [
            replace(section, tables=tuple(table for table in section.tables if not table.name.startswith(UNPRINTED)))
            for section in sections
        ]
        write_report(self.out, found, render_report("Three players", headline, facts, sections))
        return found

    def _warnings(self) -> list[str]:
        """Returns one sentence for each way whose bias rests on a part of the hand classes only."""
        found = []
        for way in WAYS if {"bias", "x3"} & set(self.settings.parts) else ():
            seen = seen_classes(read_json_object(self.bias_file(way)))
            if seen < NUM_HAND_CLASSES:
                found.append(
                    f"the bias of {way} covers {seen} of {NUM_HAND_CLASSES} hand classes, because the others were seen "
                    f"fewer than {LEAST} times in {self.settings.bias_hands:,} hands; "
                    + ("rows with bias repeat the rows without it" if not seen else "the others have a bias of 0")
                )
        return found

    def _sections(self) -> list[Section]:
        found = []
        for name, results in self._results.items():
            table = result_table(name, results)
            tables = [table]
            if name in FREQUENCIES:
                counted = {
                    cell.name: count_actions(sorted((self.out / _MATCHES / cell.folder).glob("*.log")), HERO)
                    for cell, _ in results
                }
                tables.append(frequency_table(f"frequencies-{name}", counted))
                tables.append(class_table(f"{CLASSES}-{name}", counted))
            text = _sentences(self._warnings()) if name == "x3" else ""
            picture = ("Winnings", f"Winnings of each player of {name} with intervals.", partial(draw_results, table))
            found.append(Section(TITLES[name], text, tuple(tables), (picture,)))
        if "bias" in self.settings.parts:
            found.append(self._bias_section())
        if "mappings" in self.settings.parts:
            found += self._mapping_sections()
        if "misses" in self.settings.parts:
            found.append(self._miss_section())
        return found

    def _miss_section(self) -> Section:
        misses = {way: Misses.read(self.miss_file(way)) for way in ALL_WAYS}
        strategy = self._trained()
        tables = (miss_table(strategy, misses), *(line_table(way, strategy, found) for way, found in misses.items()))
        text = "How far each way is from the strategy trained for three players, in decisions of its self-play."
        return Section("Misses", text, tables, ())

    def _bias_section(self) -> Section:
        documents = {way: read_json_object(self.bias_file(way)) for way in WAYS}
        rows = [
            (way, sum(values["observations"].values()), seen_classes(values), *_quantiles(values), _mean_fold(values))
            for way, values in documents.items()
        ]
        table = Table(
            "bias",
            f"Preflop folds against two potodds, {self.settings.bias_hands:,} hands",
            ("player", "decisions", "classes seen", "least bias", "median bias", "largest bias", "mean own folds"),
            tuple(rows),
            "Bias: share of folds of the published reference bot minus own probability of folding, by hand class. "
            f"Classes seen: those with at least {LEAST} decisions; the others have no bias.",
        )
        first = next(iter(documents.values()))
        grids = [("reference bot", first["reference"])] + [(way, values["own"]) for way, values in documents.items()]
        picture = (
            "Folds",
            "Share of folds of each hand class before the flop against a bet.",
            partial(draw_folds, grids),
        )
        text = f"How often each hand class folds before the flop. {_sentences(self._warnings())}".strip()
        return Section("Bias", text, (table,), (picture,))

    def _mapping_sections(self) -> list[Section]:
        logs = {
            f"{way}-x{nearest}": MappingLog.read(self.mapping_file(way, nearest)) for nearest in NEAREST for way in WAYS
        }
        variances = {name: variance_table(name, log) for name, log in logs.items()}
        distances = {name: distance_table(name, log) for name, log in logs.items()}
        two = LimitStrategy.open(self.settings.pack or default_packs(), 2)
        ten = {way: logs[f"{way}-x{NEAREST[0]}"] for way in WAYS}
        return [
            Section(
                "Unreached candidates",
                "How many candidates the two-player strategy hardly ever reaches, which depends on the threshold.",
                (unreached_table(ten), reach_table(two, *own_reach(two))),
                (),
            ),
            Section(
                "Variance",
                "How much the candidates of a mapping differ, by the number of candidates used.",
                tuple(variances.values()),
                (("Variance", "Mean variance of each action by candidates used.", partial(draw_variances, variances)),),
            ),
            Section(
                "Distance",
                "Whether more distant candidates are further off, where the mean raise share is 0.6 to 0.8.",
                tuple(distances.values()),
                (("Distance", "Mean deviation by distance, with counts.", partial(draw_distances, distances)),),
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
