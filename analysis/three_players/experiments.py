"""The experiments of ``hedgehog lab three-players``: one player at a time against the same two, on the same cards.

The tables follow those of a thesis on two-player strategies at the three-player table. Their published figures are
given as 100 times the printed result by the number of hands: mbb per hand, without intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.specs import parse_entrant
from hedgehog.agent.time_manager import HandTime
from hedgehog.analysis.stats.estimate import Estimate, mean_estimate
from hedgehog.analysis.stats.match_report import read_winnings
from hedgehog.arena.match import Entrant, MatchPlan, PlayedSeating, seat_orders
from hedgehog.arena.table_process import table_job
from hedgehog.poker.acpc.gamedef import find_gamedef, load_gamedef
from hedgehog.runtime.table import Table, Value

GAME: Final = "holdem.limit.3p"
HERO: Final = "hero"
_OPPONENTS: Final = ("first", "second")
NUM_SEATINGS: Final = len(seat_orders(3, duplicate=True))
_X: Final = (1, 2, 5, 10, 15)
_MIDDLE: Final = ("hbb2", "hbb3", "hbb4")
_ALL: Final = ("hbb1", *_MIDDLE, "hbb5")
_MODES: Final = ("always", "one_folded_preflop", "one_folded")
TABLES: Final = ("x1", "x2", "x3", "x4", "x5")
LINES: Final = "lines"
"""The experiment with a bias by line, which is not a published one."""
TITLES: Final = {
    "x1": "X1: number of nearest decisions, against mcsim and hybrid",
    "x2": "X2: number of nearest decisions, weights 1/(1+d), against two potodds",
    "x3": "X3: bias on preflop folds, against two potodds",
    "x4": "X4: drawing an action or taking the most likely, against two potodds",
    "x5": "X5: potodds with a two-player strategy for some decisions, against two potodds",
    LINES: "Bias by line, learnt from the strategy trained for three players, against two potodds",
}
_PUBLISHED: Final[dict[str, tuple[int, dict[str, tuple[int, ...]]]]] = {
    "x1": (
        6000,
        {
            "hbb2": (940, -2821, -4421, -5312, -6188),
            "hbb3": (-2247, -4462, -6014, -4945, -7319),
            "hbb4": (-2180, -3624, -3911, -5956, -6166),
        },
    ),
    "x2": (
        3000,
        {
            "hbb2": (-1884, -4300, -4975, -6276, -5714),
            "hbb3": (-789, -2558, -4121, -4122, -3864),
            "hbb4": (-504, -2731, -3065, -3733, -3153),
        },
    ),
    "x3": (3000, {"hbb2": (-1698, -1245), "hbb3": (-1378, -716), "hbb4": (-1318, -737)}),
    "x4": (6000, {"hbb5": (-1966, -2073)}),
    "x5": (
        3000,
        {
            "never": (-41,),
            "always": (-2103, -863, -1796, -1095, -1196),
            "one_folded_preflop": (-543, 469, -97, 232, 423),
            "one_folded": (-650, 601, -717, 344, 525),
        },
    ),
}
"""Number of hands, and the printed results in tenths of a big blind by row."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One match of an experiment: the player that is measured, and its two opponents."""

    table: str
    name: str
    players: tuple[str, str, str]
    """Specifications; the first one is measured."""
    published: float | None = None
    """The published result in mbb per hand."""

    @property
    def folder(self) -> str:
        """Name of the folder with the logs of the match."""
        return f"{self.table}-{self.name.replace(' ', '-')}"


def cells(table: str, pack: str = "", bias: Mapping[str, Path] | None = None) -> list[Cell]:
    """Returns the matches of an experiment.

    :param table: ``x1`` to ``x5``, or :data:`LINES`.
    :param pack: path of the two-player pack; empty for the shipped one.
    :param bias: files with the biases of ``hbb2``, ``hbb3`` and ``hbb4``, for ``x3`` and :data:`LINES`; by default
        ``bias-hbb2.json`` and so on in the current folder.
    """
    if table == LINES:
        return [
            replace(cell, table=LINES, name=cell.name.replace("bias", "line bias"), published=None)
            for cell in cells("x3", pack, bias or {way: Path(f"{LINES}-{way}.json") for way in _MIDDLE})
        ]
    hands, printed = _PUBLISHED[table]

    def carried(way: str, *options: str) -> str:
        given = [*options, *([f"pack={pack}"] if pack else [])]
        return f"limit3p:{way}" + ("?" + "&".join(given) if given else "")

    def cell(name: str, player: str, row: str, column: int, opponents: tuple[str, str]) -> Cell:
        return Cell(table, name, (player, *opponents), 100 * printed[row][column] / hands)

    twins = ("potodds", "potodds")
    if table in ("x1", "x2"):
        opponents = ("mcsim", carried("hbb2", "mode=one_folded", "base=mcsim")) if table == "x1" else twins
        weights = [] if table == "x1" else ["weights=d"]
        return [
            cell(f"{way} x{x}", carried(way, f"x={x}", *weights), way, column, opponents)
            for way in _MIDDLE
            for column, x in enumerate(_X)
        ]
    if table == "x3":
        files = bias or {way: Path(f"bias-{way}.json") for way in _MIDDLE}
        return [
            cell(f"{way}{' bias' * column}", carried(way, *options), way, column, twins)
            for way in _MIDDLE
            for column, options in enumerate(((), (f"bias={files[way]}",)))
        ]
    if table == "x4":
        return [
            cell("hbb5", carried("hbb5"), "hbb5", 0, twins),
            cell("hbb5 argmax", carried("hbb5", "argmax"), "hbb5", 1, twins),
        ]
    found = [cell("never", carried("hbb2", "mode=never", "base=potodds"), "never", 0, twins)]
    for mode in _MODES:
        for column, way in enumerate(_ALL):
            options = () if mode == "always" else (f"mode={mode}", "base=potodds")
            found.append(cell(f"{way} {mode}", carried(way, *options), mode, column, twins))
    return found


def cell_plan(cell: Cell, *, hands: int, seed: int, folder: Path) -> MatchPlan:
    """Returns the match of a cell; all cells of a table have the same cards.

    :param hands: hands of the match; each of the six seatings has a sixth of them, rounded up.
    :param seed: seed of the laboratory.
    :param folder: existing folder for the logs.
    """
    texts = [f"{name}={spec}" for name, spec in zip((HERO, *_OPPONENTS), cell.players, strict=True)]
    specs = [parse_entrant(text) for text in texts]
    return MatchPlan(
        entrants=tuple(
            Entrant(spec.name, lambda seed, report: (), spec.text, (lambda log: ()) if spec.forgets else None)
            for spec in specs
        ),
        game=find_gamedef(GAME),
        hands=-(-hands // NUM_SEATINGS),
        seed=(seed * len(TABLES) + TABLES.index("x3" if cell.table == LINES else cell.table)) % 2**32,
        duplicate=True,
        out=folder,
        table=table_job(specs, think_ms=0, threads=1, hand_time=HandTime()),
    )


def hero_winnings(played: Sequence[PlayedSeating]) -> NDArray[np.float64]:
    """Returns the winnings of the measured player in mbb per hand, one mean per group of hands with equal cards."""
    gamedef = load_gamedef(GAME)
    winnings = read_winnings([seating.log for seating in played], (HERO, *_OPPONENTS), gamedef)
    return np.asarray(winnings.chips[:, :, 0].mean(axis=0) * 1000 / gamedef.big_blind)


def result_table(table: str, results: Sequence[tuple[Cell, NDArray[np.float64]]]) -> Table:
    """Returns the table of an experiment.

    :param results: the cells with the winnings of :func:`hero_winnings`, which have the same cards.
    """
    rows: list[tuple[Value, ...]] = []
    first = results[0][1]
    for cell, won in results:
        mean, change = mean_estimate(won), mean_estimate(won - first)
        paired: tuple[Value, ...] = (None, None) if won is first else (change.mean, _margin(change))
        rows.append((cell.name, len(won) * NUM_SEATINGS, mean.mean, _margin(mean), *paired, cell.published))
    return Table(
        table,
        TITLES[table],
        ("player", "hands", "mbb/h", "± 95 %", "to first", "± 95 % paired", "published mbb/h"),
        tuple(rows),
        "Groups of six hands with equal cards are the observations. Published figures have no interval.",
    )


def _margin(estimate: Estimate) -> float | None:
    return estimate.half_width if estimate.has_interval else None
