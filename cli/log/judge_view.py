"""The tables of ``hedgehog judge``, all at most 80 columns wide."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from rich import box
from rich.console import RenderableType
from rich.text import Text

from hedgehog.analysis.stats.number_text import NO_INTERVAL
from hedgehog.cli.console import output_console
from hedgehog.runtime.table import Column, Table

if TYPE_CHECKING:
    from hedgehog.analysis.judging.hands import SeatedHand
    from hedgehog.analysis.judging.judgement import HandJudgement
    from hedgehog.analysis.judging.session import Measure, SessionReport

_ABSENT: Final = "-"
NO_LIMIT_NOTE: Final = (
    "EVAT, ROE and DIVAT are for limit games: their baseline is tuned for bets of fixed size. In a no-limit game luck "
    "is the luck of the cards alone, and what is left of the result depends on both players. AIVAT compares players. "
    "What single decisions cost, hedgehog grade tells."
)


def text_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    left: Collection[str] = ("street",),
    sections: Sequence[int] = (),
) -> RenderableType:
    """Returns a table of texts; those under the headings in ``left`` are flush left."""
    columns = [
        Column(f"{place} {heading}", heading, left=heading in left, text=str) for place, heading in enumerate(headings)
    ]
    table = Table("", "", columns, tuple(map(tuple, rows)), sections=sections)
    return table.rich(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)


def signed(value: float | None, decimals: int = 2) -> str:
    """Returns a value with its sign; a dash if there is none."""
    if value is None or math.isnan(value):
        return _ABSENT
    return f"{round(value, decimals) + 0.0:+.{decimals}f}"


def hand_report(seated: SeatedHand, judgement: HandJudgement, source: str) -> Iterator[RenderableType]:
    """Yields the report on one hand: who held what, a table of hand ranks and equities, and how the result adds up."""
    from hedgehog.analysis.judging.words import (
        departure_in_words,
        describe_unit,
        hand_lines,
        line_with_blinds,
        names_of,
    )

    limit = judgement.divat is not None
    unit = "SB" if limit else "BB"
    yield Text(f"Hand {seated.hand.hand_id} ({source}), in {describe_unit(seated)} ({unit})", style="bold")
    yield Text("\n".join(hand_lines(seated, judgement, unit)))
    ranks = []
    for street in judgement.streets:
        cells = []
        for player in (0, 1):
            immediate, seven = street.ihr[player], street.seven_card[player]
            cells += [f"{immediate:.4f}", f"{seven:.4f}", f"{max(immediate, seven):.4f}"]
        ranks.append([street.street, *cells, f"{street.aie:.4f}", signed(street.lfat, 4)])
    yield text_table(("street", "A: IHR", "7cHR", "EHR", "B: IHR", "7cHR", "EHR", "AIE", "luck"), ranks)
    play = []
    for index, street in enumerate(judgement.streets):
        row = [street.street, signed(street.net_before, 4), line_with_blinds(street.actual, seated, index)]
        row.append(signed(street.actual_equity, 4))
        if limit:
            row += [line_with_blinds(street.baseline or "", seated, index), signed(street.baseline_equity, 4)]
            row += [signed(street.round_ev, 4), signed(street.fold_equity, 4)]
        else:
            row.append(signed(street.betting, 4))
        play.append(row)
    yield text_table(
        ("street", "before", "actual", "after")
        + (("baseline", "after", "round EV", "fold equity") if limit else ("betting",)),
        play,
        ("street", "actual", "baseline"),
    )
    if limit:
        yield _differences_table(seated, judgement)
    names = names_of(seated)
    for street in judgement.streets:
        if left := departure_in_words(street, names):
            yield Text(f"{street.street}: {left} ({signed(street.divat)} {unit} for {names[0]})")
    if limit:
        parts = f"luck {signed(judgement.luck)}, baseline {signed(judgement.baseline)}, skill {signed(judgement.divat)}"
    else:
        parts = f"luck {signed(judgement.luck)}, betting {signed(judgement.betting)}"
    yield Text(f"{names[0]}: {signed(judgement.result)} {unit} = {parts}", style="bold")
    if not limit:
        yield Text(NO_LIMIT_NOTE, style="dim")


def _differences_table(seated: SeatedHand, judgement: HandJudgement) -> RenderableType:
    """Returns what the play gained against the baseline and against open cards, and by roll-out equity if computed."""
    from hedgehog.analysis.judging.words import line_with_blinds

    rolled = any(street.actual_roe is not None for street in judgement.streets)
    rows = []
    for index, street in enumerate(judgement.streets):
        row = [street.street, signed(street.divat, 4), line_with_blinds(street.open_line or "", seated, index)]
        row.append(signed(street.evat, 4))
        if rolled:
            by_roe = signed(street.divat_roe, 4) + (" by AIE" if street.actual_roe is None else "")
            row += [signed(street.actual_roe, 4), signed(street.baseline_roe, 4), by_roe]
        rows.append(row)
    totals = ["all", signed(judgement.divat, 4), "", signed(judgement.evat, 4)]
    rows.append([*totals, *(["", "", signed(judgement.divat_roe, 4)] if rolled else [])])
    roll_out = ("ROE", "ROE base", "DIVAT by ROE") if rolled else ()
    return text_table(
        ("street", "DIVAT", "open cards", "EVAT", *roll_out), rows, ("street", "open cards"), sections=[len(rows) - 1]
    )


def session_report(report: SessionReport) -> Iterator[RenderableType]:
    """Yields the report on one session: totals, positions, streets, the costliest streets."""
    from hedgehog.analysis.judging.judges import measure_title
    from hedgehog.analysis.judging.session import DIFFERENCE
    from hedgehog.analysis.judging.words import costly_in_words

    unit = report.unit
    yield Text(
        f"{report.player} against {report.opponent}: {report.hands:,} hands judged, values in {unit}", style="bold"
    )
    if report.hidden:
        yield Text(
            f"{report.hidden:,} hands left out because hole cards are unknown; {report.player} won "
            f"{signed(report.hidden_result)} {unit} in them."
        )
    if report.biased:
        yield Text(
            "Warning: totals are biased, because cards are mostly known from showdowns. No intervals are given.",
            style="bold",
        )
    total = "total" if report.biased else "total ± 95 %"
    yield text_table(
        ("measure", total, "per hand", "SD", f"hands for ± {DIFFERENCE:g}"),
        [
            [
                measure_title(measure.name),
                total_text(measure, report.biased),
                signed(measure.per_hand.mean, 4),
                _number(measure.per_hand.sd),
                _ABSENT if math.isnan(measure.hands_needed) else f"{math.ceil(measure.hands_needed):,}",
            ]
            for measure in report.measures
        ],
        ("measure",),
    )
    yield Text(
        f"hands for ± {DIFFERENCE:g}: how many hands tell players apart that differ by {DIFFERENCE:g} {unit} per hand",
        style="dim",
    )
    for title, parts in (("position", report.positions), ("street", report.streets)):
        yield _parts_table(title, parts, report.biased)
    if not report.limit:
        yield Text(NO_LIMIT_NOTE, style="dim")
    if report.costly:
        yield Text(f"Costliest streets of {report.player} (DIVAT)", style="bold")
        for costly in report.costly:
            yield Text("\n".join(costly_in_words(costly, unit)))


def _parts_table(title: str, parts: dict[str, tuple[Measure, ...]], biased: bool) -> RenderableType:
    """Returns a table with a row per position or street and a column per measure."""
    from hedgehog.analysis.judging.judges import short_title

    shown = [measure.name for measure in next(iter(parts.values()))][:5]
    counted = title == "position"
    rows = []
    for part, measures in parts.items():
        cells = [total_text(measure, biased).replace(" ± ", "\n± ") for measure in measures if measure.name in shown]
        rows.append([part, *([f"{measures[0].per_hand.n:,}"] if counted else []), *cells])
    return text_table((title, *(["hands"] if counted else []), *(short_title(name) for name in shown)), rows, (title,))


def print_reports(reports: Iterable[Iterable[RenderableType]]) -> None:
    """Prints the parts of reports, with an empty line between two reports."""
    console = output_console()
    for index, parts in enumerate(reports):
        if index:
            console.print()
        for part in parts:
            console.print(part)


def total_text(measure: Measure, biased: bool) -> str:
    """Returns a total with half the length of its 95 % interval."""
    decimals = 1 if abs(measure.total) < 99_999 else 0
    text = signed(measure.total, decimals)
    if biased:
        return text
    return f"{text} ± {measure.margin:.{decimals}f}" if measure.per_hand.has_interval else f"{text} {NO_INTERVAL}"


def _number(value: float) -> str:
    return _ABSENT if math.isnan(value) else f"{value:.2f}"
