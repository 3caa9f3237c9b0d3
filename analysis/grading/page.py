"""Renders graded hands as one HTML page without scripts and without references to other files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from markupsafe import Markup

from hedgehog.analysis.drawing.charts import COLOURS, NEGATIVE, POSITIVE, SERIES, draw_inline_svg
from hedgehog.analysis.drawing.templates import render_template
from hedgehog.analysis.grading.decision import Decision
from hedgehog.analysis.grading.graded import GradedHands
from hedgehog.analysis.grading.leaks import leak_table
from hedgehog.analysis.grading.words import betting_text, taken_text
from hedgehog.poker.cards import parse_combo
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES
from hedgehog.poker.hand_grid import cell_class

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LEAKS: Final = 30
_DARKEST: Final = 55


@dataclass(frozen=True, slots=True)
class _Bar:
    name: str
    ev: float
    often: float
    loss: float
    width: float
    taken: bool


@dataclass(frozen=True, slots=True)
class _Cell:
    name: str
    style: str
    loss: float | None
    often: float | None
    shade: int
    """How dark the cell is, in percent: the loss beside that of the costliest hand."""


@dataclass(frozen=True, slots=True)
class _Shown:
    d: Decision
    taken: str
    betting: str
    bars: tuple[_Bar, ...]
    cells: tuple[tuple[_Cell, ...], ...]


def grading_page(graded: GradedHands, *, worst: int = 20, min_decisions: int = 30) -> str:
    """Returns the page. The same hands give the same bytes.

    :param worst: number of costliest decisions.
    :param min_decisions: least decisions of a leak.
    """
    return render_template(
        "grading.html",
        colours=COLOURS,
        player=graded.options.player,
        headline=graded.summary(),
        totals=graded.table(),
        terms=graded.terms_line() if graded.has_totals else "",
        versus="; ".join(graded.versus_lines()) if graded.has_totals else "",
        why=graded.why_no_totals,
        borrowed=graded.borrowed_line(),
        curves=_curves(graded) if graded.has_totals else Markup(""),
        worst=[_shown(decision) for decision in graded.worst(worst) if decision.loss_bb],
        leaks=leak_table(graded.leaks(min_decisions)[:_LEAKS]),
        not_graded=graded.not_graded(),
        left_out=graded.left_out,
    )


def _shown(decision: Decision) -> _Shown:
    best = max(ev for ev, _ in decision.actions.values())
    most = max(best - ev for ev, _ in decision.actions.values()) or 1.0
    taken = min(decision.actions, key=lambda name: abs(decision.actions[name][0] - (decision.ev_taken_bb or 0.0)))
    bars = tuple(
        _Bar(decision.named(name), ev, 100 * often, best - ev, round((best - ev) / most, 4), name == taken)
        for name, (ev, often) in decision.actions.items()
    )
    words = taken_text(decision), betting_text(decision)
    if not decision.grid:
        return _Shown(decision, *words, bars, ())
    own = int(HAND_CLASS[parse_combo(decision.cards)])
    worst = max((loss for loss, _ in decision.grid if loss is not None), default=0.0) or 1.0
    cells = tuple(
        tuple(_cell(decision, cell_class(row, column), own, worst) for column in range(13)) for row in range(13)
    )
    return _Shown(decision, *words, bars, cells)


def _cell(decision: Decision, hand_class: int, own: int, worst: float) -> _Cell:
    loss, often = decision.grid[hand_class]
    style = " ".join(["own"] * (hand_class == own) + ["gone"] * (loss is None))
    shade = round(_DARKEST * (loss or 0.0) / worst)
    return _Cell(HAND_CLASS_NAMES[hand_class], style, loss, None if often is None else 100 * often, shade)


def _curves(graded: GradedHands) -> Markup:
    """Returns the running sums of result, luck and losses in big blinds."""
    terms = [hand.terms for hand in graded.counted]
    hands = np.arange(1, len(terms) + 1)
    luck = np.cumsum([t.luck_cards + t.luck_opponent for t in terms])
    losses = np.cumsum([t.losses for t in terms])
    lines = {"result": np.cumsum([t.result for t in terms]), "luck on graded streets": luck, "losses": -losses}

    def draw(figure: Figure) -> None:
        from matplotlib.ticker import MaxNLocator

        figure.set_size_inches(8.6, 3.4)
        axes = figure.subplots()
        styles = (("-", POSITIVE), ("--", SERIES[2]), (":", NEGATIVE))
        for (name, values), (style, colour) in zip(lines.items(), styles, strict=True):
            axes.plot(hands, values, style, color=colour, label=name, linewidth=1.4)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("hands")
        axes.set_ylabel("big blinds")
        axes.grid(axis="y")
        axes.legend(loc="best")

    return draw_inline_svg(
        "sums", "Running sums", "Result, luck and losses added up hand by hand, in big blinds.", draw
    )
