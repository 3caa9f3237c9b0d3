"""Jam/fold charts of one's own: read from YAML files, and rated in the tournament.

.. code-block:: yaml

   name: suited or high
   unit: bb             # what `until` counts: big blinds (bb), sums of both blinds (blinds) or chips
   stack: effective     # whose stack counts: the smaller one (effective), or the player's own (own)
   jam:                 # in the small blind
     - {until: 5, hands: random}
     - {hands: "22+,A2+,K2s+"}
   call: "55+,A7+"      # in the big blind against a jam
   over_limp: "55+"     # in the big blind against a limp or a smaller raise: jams these; `call` if left out

The first row whose ``until`` is not below the stack counts; a row without it ends the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from hedgehog.analysis.games.jam_chart import JamGrid, probability_grid
from hedgehog.arena.jam_tables import find_jam_tables, holdem_tables, load_jam_tables
from hedgehog.gametheory.tournaments.chart_rating import ChartRating, HandLoss, JamChart, rate_chart
from hedgehog.gametheory.tournaments.jam_fold import Structure
from hedgehog.gametheory.tree import Floats
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES, NUM_HAND_CLASSES
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.config_file import ConfigFile, read_config
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import GameError
from hedgehog.runtime.table import Column, Table
from hedgehog.runtime.watch import SILENT, Watch

DECISIONS: Final = ("jam", "call", "over_limp")
MOST_HANDS: Final = 15
_SEATS: Final = ("small blind jams", "big blind calls")
_POINTS: Final = 100


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    hands: str
    until: float | None = Field(default=None, gt=0, allow_inf_nan=False)


class _ChartFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    jam: str | tuple[_Row, ...]
    call: str | tuple[_Row, ...]
    over_limp: str | tuple[_Row, ...] | None = None
    name: str | None = None
    unit: Literal["bb", "blinds", "chips"] = "bb"
    stack: Literal["effective", "own"] = "effective"


@dataclass(frozen=True, slots=True)
class ChartRows:
    """A chart that plays tournaments of any chips and blinds."""

    name: str
    unit: str
    own_stack: bool
    """Whether the player's own stack counts; otherwise the smaller one."""
    decisions: tuple[tuple[tuple[float, Floats], ...], ...]
    """Per decision of :data:`DECISIONS`: rows of the largest stack in units, and float64[169] probabilities."""

    def chart(self, structure: Structure) -> JamChart:
        """Returns what the chart does with every stack of a tournament."""
        unit = {"bb": structure.big, "blinds": structure.small + structure.big, "chips": 1}[self.unit]
        found = []
        for rows in self.decisions:
            stacks = []
            for own in structure.stacks:
                counted = (own if self.own_stack else min(own, structure.total - own)) / unit
                stacks.append(next(hands for until, hands in rows if counted <= until))
            found.append(np.array(stacks))
        return JamChart(*found)


def read_chart(path: Path) -> ChartRows:
    """Returns the chart of a file.

    :raises GameError: if the file is missing or malformed; the message has file and line.
    """
    file = read_config(path, _ChartFile, GameError, "a jam/fold chart")
    decisions: list[tuple[tuple[float, Floats], ...]] = []
    for key in DECISIONS:
        given = getattr(file.model, key)
        decisions.append(decisions[1] if given is None else _rows(file, key, given))
    model = file.model
    return ChartRows(model.name or path.stem, model.unit, model.stack == "own", tuple(decisions))


def _rows(file: ConfigFile[Any], key: str, given: str | Sequence[_Row]) -> tuple[tuple[float, Floats], ...]:
    if isinstance(given, str):
        return ((np.inf, file.at((key,), _hands, given)),)
    rows: list[tuple[float, Floats]] = []
    for index, row in enumerate(given):
        path = (key, str(index))
        until = np.inf if row.until is None else row.until
        if rows and until <= rows[-1][0]:
            raise file.fail(path, f"'{key}': expected rows with ascending 'until', and one without it at the end")
        rows.append((until, file.at((*path, "hands"), _hands, row.hands)))
    if not rows or rows[-1][0] != np.inf:
        raise file.fail((key,), f"'{key}': expected a last row without 'until', for all larger stacks")
    return tuple(rows)


def _hands(text: str) -> Floats:
    """Returns float64[169]: the probability of each hand class."""
    if text.strip().lower() in ("none", ""):
        return np.zeros(NUM_HAND_CLASSES)
    weights = parse_range(text).astype(np.float64)
    highest, lowest = np.zeros(NUM_HAND_CLASSES), np.ones(NUM_HAND_CLASSES)
    np.maximum.at(highest, HAND_CLASS, weights)
    np.minimum.at(lowest, HAND_CLASS, weights)
    if (highest != lowest).any():
        name = HAND_CLASS_NAMES[int(np.argmax(highest != lowest))]
        raise GameError(f"expected all combos of a hand to be played alike, but those of {name} differ")
    return highest


@dataclass(frozen=True, slots=True)
class RatedChart:
    """A chart's rating, ready to be shown."""

    sentences: tuple[str, ...]
    values: Table
    """Win probabilities with the first button, without it and on average."""
    hands: Table
    """The costliest hands."""
    grids: tuple[JamGrid, ...]
    """The chart at the stack asked for."""
    document: dict[str, Any]
    """All results, as ``hedgehog game jamfold --rate --json`` writes them."""


def rate_chart_file(rows: ChartRows, structure: Structure, stack: int, *, watch: Watch = SILENT) -> RatedChart:
    """Rates a chart in the tournament of two players, winner takes all.

    :param stack: the chart player's chips before the first hand.
    :param watch: hears of tournaments that have to be solved first.
    :raises GameError: if the stack is impossible.
    """
    from hedgehog.analysis.games.jam_fold import tell_rounds

    structure.kind(stack)  # checks the stack
    hands = holdem_tables()
    known = find_jam_tables(structure)
    if known is None:
        report = tell_rounds(watch, len(structure.stacks), ["alternating", "bound"])
        known = load_jam_tables(structure, report=report)
    chart = rows.chart(structure)
    found = rate_chart(hands, known.tournament(hands), known.bound_values, chart, stack)
    mean = {name: float(np.mean(getattr(found, name))) for name in found._fields if name != "hands"}
    lost, most = mean["equilibrium"] - mean["wins"], mean["perfect"] - mean["guaranteed"]
    sentences = (
        f"{rows.name}: wins {mean['wins']:.6f} of the tournaments against the equilibrium,"
        f" {_POINTS * lost:.2f} points less than the equilibrium itself",
        f"loss bound: at most {_POINTS * most:.2f} points less than a perfect player, whatever the opponent does",
    )
    at = structure.stacks.index(stack)
    grids = tuple(
        probability_grid(f"{seat}: {100 * float(hands.weights @ played[at]):.2f} %", played[at])
        for seat, played in zip(_SEATS, (chart.jam, chart.call), strict=True)
    )
    document = json_document(
        "jam-fold-rating",
        game="hold'em",
        chart=rows.name,
        total=structure.total,
        blinds=[structure.small, structure.big],
        stack=stack,
        wins=list(found.wins),
        best_jam_fold=list(found.best_jam_fold),
        guaranteed=list(found.guaranteed),
        equilibrium=list(found.equilibrium),
        perfect=list(found.perfect),
        lost=lost,
        loss_bound=most,
        hands=[_record(row) for row in found.hands],
    )
    return RatedChart(sentences, _values(found), _table(found.hands[:MOST_HANDS]), grids, document)


def _record(row: HandLoss) -> dict[str, Any]:
    return {"decision": _SEATS[row.seat], "hand": HAND_CLASS_NAMES[row.hand], "taken": row.taken, "best": row.best,
            "lost": row.loss}  # fmt: skip


def _values(found: ChartRating) -> Table:
    names = {
        "wins": "against the equilibrium",
        "best_jam_fold": "against the best player who jams or folds",
        "guaranteed": "against anybody, at least",
        "equilibrium": "the equilibrium against itself",
        "perfect": "a perfect player, at most",
    }
    number = "{:.6f}".format
    columns = (
        Column("wins", "wins the tournament", left=True),
        Column("button", "with the first button", number),
        Column("none", "without", number),
        Column("mean", text=number),
    )
    rows = [(text, *pair, float(np.mean(pair))) for name, text in names.items() for pair in [getattr(found, name)]]
    return Table("values", "", columns, tuple(rows))


def _table(hands: Sequence[HandLoss]) -> Table:
    share = "{:.0%}".format
    columns: tuple[Column | str, ...] = (
        "decision", "hand", Column("chart", "chart takes it", share), Column("best", "it is best", share),
        Column("lost", "lost, points", "{:.4f}".format),
    )  # fmt: skip
    title = "The costliest hands, in points of win probability per tournament against the equilibrium"
    rows = [(_SEATS[row.seat], HAND_CLASS_NAMES[row.hand], row.taken, row.best, _POINTS * row.loss) for row in hands]
    return Table("hands", title, columns, tuple(rows))
