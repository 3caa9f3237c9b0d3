"""Counts without solving: the tree of a spot and the groups of its hands, and the groups of all hands on some flops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from hedgehog.analysis.lab.report import Findings, output_folder, write_report
from hedgehog.analysis.lab.tables import counts_table, sample_table
from hedgehog.analysis.lab.tree_sizes import boards_table, tree_sizes, tree_tables
from hedgehog.poker.cards import format_cards, parse_cards
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import SpotError
from hedgehog.runtime.outputs import FolderKind, remove_contents, verify_output_folder
from hedgehog.runtime.table import Table, table_records
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.abstraction.board_classes import ClassRule
from hedgehog.solver.abstraction.counts import R7, Tick, count_groups, count_sample, sample_means
from hedgehog.solver.abstraction.hand_values import MEASURES, Measure, Opponents
from hedgehog.solver.abstraction.identity import TESTS, Test
from hedgehog.solver.postflop.spot import PLAYERS, PostflopSpot
from hedgehog.solver.postflop.tree import build_postflop_tree
from hedgehog.strategies.flop_subsets import find_flop_subset

FOLDER: Final = FolderKind("results of hedgehog lab counts", ("results.json", "*.csv"))
"""What the folder of counts holds."""


@dataclass(frozen=True, slots=True)
class FlopList:
    """Flops with weights, over which counts are averaged."""

    name: str
    """Name for documents: ``r7``, the size of a shipped subset, or the name of a file."""
    flops: tuple[str, ...]
    """Flops such as ``QhJh2c``."""
    weights: tuple[float, ...]
    """Positive weights that add up to 1."""


R7_FLOPS: Final = FlopList("r7", R7, (1 / len(R7),) * len(R7))
"""The sample R7, each flop counting once."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """What makes hands and boards equal."""

    measures: Sequence[Measure] = MEASURES
    """What makes hands equal. Of a spot, none counts the tree alone."""
    tests: Sequence[Test] = TESTS
    """Ways to tell equal hands, for the means over flops without a spot."""
    opponents: Opponents | None = None
    """The hands that a hand meets. None: those in range, and without a spot all."""
    classes: ClassRule | None = None
    """Boards that count as equal. None: exact, and for R7 without a spot relaxed, as in the thesis."""


DEFAULT_GROUPING: Final = Grouping()


def find_flop_list(text: str) -> FlopList:
    """Returns a list of flops by what a user writes for it.

    :param text: ``r7``, the number of classes of a shipped subset, or the path of a file of flops and weights
        (:mod:`hedgehog.strategies.flop_subsets`).
    :raises InputError: if there is no such list, or the file is wrong; the message has file and line.
    """
    if text.lower() == R7_FLOPS.name:
        return R7_FLOPS
    subset = find_flop_subset(text)
    flops = tuple(flop.replace(" ", "") for flop in subset.flops())
    return FlopList(subset.name, flops, tuple(subset.weights.tolist()))


def count_spot(
    spot: PostflopSpot,
    grouping: Grouping = DEFAULT_GROUPING,
    out: Path | None = None,
    *,
    flops: FlopList | None = None,
    overwrite: bool = False,
    inputs: Sequence[Path] = (),
    watch: Watch = SILENT,
) -> Findings:
    """Counts the nodes, decisions, leaves and infosets of a spot, and the groups of both players' hands.

    :param grouping: what makes hands and boards equal.
    :param out: folder for CSV files and ``results.json``; None for no files.
    :param flops: take these flops in place of the board of the spot, with its ranges and bet sizes.
    :param overwrite: replace results in ``out``.
    :param inputs: files that were read, none of which may be in ``out``.
    :raises InputError: if ``out`` holds anything else, or results without ``overwrite``.
    :raises SpotError: if the spot has locks, which can forbid to exchange suits; if flops are given for a turn or a
        river; if a range is empty on one of them; or if the relaxed classes are asked for below a turn or river.
    """
    measures, opponents, classes = grouping.measures, grouping.opponents or "range", grouping.classes or "exact"
    if spot.locks:
        raise SpotError("boards and groups are counted without locks: expected a spot without the key locks")
    if len(spot.board) != 3:
        if flops is not None:
            raise SpotError(
                f"flops can take the place of a flop only, and the spot's board has {len(spot.board)} cards"
            )
        if classes == "relaxed":
            raise SpotError("the relaxed board classes are defined below a flop: expected a board of three cards")
    spots, names = [spot], [""]
    if flops is not None:
        spots = [replace(spot, board=tuple(parse_cards(flop)), text="") for flop in flops.flops]
        names = [f"{flop} " for flop in flops.flops]
    with _folder(out, inputs, overwrite=overwrite):
        tree = build_postflop_tree(spot.tree)
        trees = [tree_sizes(one, classes, tree) for one in spots]
        tables = tree_tables(trees, None if flops is None else flops.weights)
        if flops is not None:
            tables.append(boards_table(trees, flops.weights))
        if measures:
            tick = _counter(watch, len(spots) * 2 * len(measures))
            found = [
                count_groups(
                    one.board,
                    (one.live_range(0), one.live_range(1)),
                    player=player,
                    opponents=opponents,
                    classes=classes,
                    measures=measures,
                    tick=tick,
                )
                for one in spots
                for player in (0, 1)
            ]
            tables.append(counts_table(found, [f"{name}{player}" for name in names for player in PLAYERS]))
        options = {"opponents": opponents, "classes": classes, "flops": None if flops is None else flops.name}
        return _findings(spot.name, "counts", tables, out, options)


def count_flops(
    flops: FlopList = R7_FLOPS,
    grouping: Grouping = DEFAULT_GROUPING,
    out: Path | None = None,
    *,
    overwrite: bool = False,
    inputs: Sequence[Path] = (),
    watch: Watch = SILENT,
) -> Findings:
    """Counts the groups of all hands on some flops; the other parameters are those of :func:`count_spot`.

    :raises InputError: if ``out`` holds anything else, or results without ``overwrite``.
    """
    measures, opponents = grouping.measures, grouping.opponents or "uniform"
    rule: ClassRule = grouping.classes or ("relaxed" if flops is R7_FLOPS else "exact")
    with _folder(out, inputs, overwrite=overwrite):
        tick = _counter(watch, len(flops.flops) * len(measures))
        found = count_sample(flops.flops, opponents=opponents, classes=rule, measures=measures, tick=tick)
        means = {
            f"{measure}-{test}": sample_means(found, measure, test, flops.weights)
            for measure in measures
            for test in grouping.tests
        }
        # The formula behind the thesis's table has the boards of its own seven flops in it.
        sample = sample_table(means, formula=flops is R7_FLOPS and rule == "relaxed")
        tables = [counts_table(found, [format_cards(one.board) for one in found]), sample]
        return _findings(flops.name, "sample", tables, out, {"opponents": opponents, "classes": rule})


def _counter(watch: Watch, total: int) -> Tick:
    """Returns a function that tells a watch of one more measure."""
    watch.begin("groups", total, "measures")
    numbers = iter(range(1, total + 1))
    return lambda: watch.update(next(numbers))


@contextmanager
def _folder(out: Path | None, inputs: Sequence[Path], *, overwrite: bool) -> Iterator[None]:
    """Empties a folder, and holds it while the block runs."""
    if out is None:
        yield
        return
    with output_folder(out, FOLDER, inputs):
        verify_output_folder(out, FOLDER, proceed=overwrite)
        remove_contents(out, FOLDER)
        yield


def _findings(
    name: str,
    kind: Literal["counts", "sample"],
    tables: Sequence[Table],
    out: Path | None,
    options: dict[str, str | None],
) -> Findings:
    """Returns what was found, after writing it to a folder."""
    content: dict[str, Any] = {"counted": kind, "options": options}
    document = json_document("lab-counts", game=name, players=PLAYERS, **(content | table_records(tables)))
    found = Findings(tuple(tables), document)
    if out is not None:
        write_report(out, found)
    return found
