"""Renders judged sessions and hands as one HTML page without scripts and without references to other files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from hedgehog.analysis.drawing.charts import COLOURS
from hedgehog.analysis.drawing.templates import render_template
from hedgehog.analysis.judging.hands import SeatedHand
from hedgehog.analysis.judging.judgement import HandJudgement
from hedgehog.analysis.judging.judges import measure_title, short_title
from hedgehog.analysis.judging.plots import plot_session
from hedgehog.analysis.judging.session import DIFFERENCE, Measure, SessionReport
from hedgehog.analysis.judging.words import (
    departure_in_words,
    describe_unit,
    hand_lines,
    holding_in_words,
    line_in_words,
    line_with_blinds,
    names_of,
)
from hedgehog.analysis.stats.number_text import NO_INTERVAL, format_number, format_signed
from hedgehog.runtime.table import MISSING


@dataclass(frozen=True, slots=True)
class _Hand:
    """A judged hand as the template shows it."""

    title: str
    seated: SeatedHand
    judgement: HandJudgement
    players: tuple[str, ...]
    departures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Session:
    """A session as the template shows it."""

    report: SessionReport
    curves: Markup
    costly: tuple[tuple[str, str, _Hand], ...]
    """Title, description and hand of each costly street."""


def render_judge_page(
    reports: Sequence[SessionReport], hands: Sequence[tuple[SeatedHand, HandJudgement, str]], files: Sequence[str]
) -> str:
    """Returns the page.

    :param reports: one report per pair of players.
    :param hands: hands to show in full: the hand, its judgement, file and line.
    :param files: names of the logs.
    """
    return render_template(
        "judge.html",
        filters={"signed": _signed, "number": _number, "total": _total, "needed": _needed},
        colours=COLOURS,
        files=files,
        sessions=[_session(number, report) for number, report in enumerate(reports)],
        hands=[_hand(*chosen) for chosen in hands],
        title=measure_title,
        short_title=short_title,
        difference=DIFFERENCE,
        line=line_with_blinds,
        max=max,
    )


def _session(number: int, report: SessionReport) -> _Session:
    costly = []
    for one in report.costly:
        street = one.judgement.streets[one.street]
        names = names_of(one.seated)
        title = f"{_signed(-one.loss)} {report.unit}, {street.street}: {holding_in_words(one.seated, one.street)}"
        told = f"Played: {line_in_words(street.actual, names)}."
        if street.baseline is not None:
            told += f" Baseline: {line_in_words(street.baseline, names)}."
        costly.append((title, told, _hand(one.seated, one.judgement, one.source)))
    return _Session(report, plot_session(f"curves-{number}", report), tuple(costly))


def _hand(seated: SeatedHand, judgement: HandJudgement, source: str) -> _Hand:
    names = names_of(seated)
    unit = "BB" if judgement.divat is None else "SB"
    found = ((street.street, departure_in_words(street, names)) for street in judgement.streets)
    return _Hand(
        f"Hand {seated.hand.hand_id} ({source}), in {describe_unit(seated)} ({unit})",
        seated,
        judgement,
        tuple(hand_lines(seated, judgement, unit)),
        tuple(f"{street}: {left}" for street, left in found if left),
    )


def _signed(value: float | None, decimals: int = 2) -> str:
    return MISSING if value is None else format_signed(value, decimals)


def _number(value: float, decimals: int = 4) -> str:
    return format_number(value, decimals)


def _total(measure: Measure, biased: bool) -> str:
    text = format_signed(measure.total, 1)
    if biased:
        return text
    return f"{text} ± {format_number(measure.margin, 1)}" if measure.per_hand.has_interval else f"{text} {NO_INTERVAL}"


def _needed(measure: Measure) -> str:
    return MISSING if math.isnan(measure.hands_needed) else format_number(math.ceil(measure.hands_needed))
