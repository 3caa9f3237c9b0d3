"""``hedgehog judge`` for logs of three players."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, TypeVar

import click
from rich.console import RenderableType
from rich.text import Text

from hedgehog.cli.given import refuse_options
from hedgehog.cli.log.judge_view import print_reports, signed, text_table, total_text
from hedgehog.cli.outputs import Outputs, open_output
from hedgehog.cli.progress import terminal_watch
from hedgehog.poker.cards import format_cards
from hedgehog.poker.streets import BOARD_CARDS, STREETS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from hedgehog.agent.specs import PlayerSpec
    from hedgehog.analysis.histories.hand_input import HandInput
    from hedgehog.analysis.judging.session import Measure
    from hedgehog.analysis.three_players.judged_logs import FullHand, TableOptions, TableReport

K = TypeVar("K", bound="tuple[str, ...]")


def refuse_two_player_options(outputs: Outputs) -> None:
    """Refuses what is for two players alone.

    :raises click.UsageError: if such an option is given.
    """
    refuse_options("is for logs of two players", "roe", "roe_preflop", "seed", "judges", "jobs", "dask")
    for name in ("html", "plot"):
        if name in outputs.files:
            raise click.UsageError(f"--{name} is for logs of two players")


def judge_three(
    found: HandInput,
    options: TableOptions,
    outputs: Outputs,
    strategies: Mapping[str, PlayerSpec],
    records: Mapping[str, Path],
) -> None:
    """Judges logs of three-player limit hold'em, shows what came out, and writes the files."""
    from hedgehog.analysis.three_players.judged_logs import decision_rows, judge_tables, street_rows

    writers = {"csv": street_rows, "decisions_csv": decision_rows}
    with ExitStack() as stack:
        files = {
            name: stack.enter_context(open_output(outputs.files[name])) for name in writers if name in outputs.files
        }
        for name, file in files.items():
            file.write(writers[name]().encode())

        def on_hand(one: FullHand) -> None:
            for name, file in files.items():
                file.write(writers[name](one).encode(errors="backslashreplace"))

        judged = judge_tables(
            found,
            options,
            strategies=strategies,
            records=records,
            on_hand=on_hand,
            watch=stack.enter_context(terminal_watch()),
        )
    print_reports(map(_hand, judged.hands) if options.numbers else map(_report, judged.reports))
    outputs.write_json(judged.document)


def _report(report: TableReport) -> Iterator[RenderableType]:
    """Yields the report on the hands of three players."""
    from hedgehog.analysis.judging.session import DIFFERENCE

    yield Text(f"{', '.join(report.players)}: {report.hands:,} hands judged, values in SB", style="bold")
    if report.hidden:
        yield Text(f"{report.hidden:,} hands left out because hole cards are unknown.")
    if report.biased:
        yield Text(
            "Warning: totals are biased, because cards are mostly known from showdowns. No intervals are given.",
            style="bold",
        )
    yield _totals("player", report.measures, report.biased)
    yield Text(
        "result = luck + baseline + own + others; own, others: DIVAT of the player's decisions and of the other two.\n"
        f"Hands that tell players apart who differ by {DIFFERENCE:g} SB per hand: "
        + "; ".join(f"{name} {_needed(measures)}" for (name,), measures in report.measures.items()),
        style="dim",
    )
    yield _totals("position", report.positions, report.biased)
    yield _totals("street", report.streets, report.biased)
    if report.costly:
        yield Text("Costliest decisions (DIVAT)", style="bold")
        for one in report.costly:
            yield Text(f"{signed(one.gain)} SB, {one.player}, hand {one.hand} ({one.source}): {one.text}")


def _needed(measures: Sequence[Measure]) -> str:
    shown = [one for one in measures if one.name in ("result", "own", "aivat") and one.per_hand.has_interval]
    return ", ".join(f"{one.name} {one.hands_needed:,.0f}" for one in shown) or "-"


def _totals(title: str, rows: Mapping[K, Sequence[Measure]], biased: bool) -> RenderableType:
    """Returns a table with a row per key, such as player and street, and the totals of its measures with intervals."""
    names = [one.name for one in next(iter(rows.values()))]
    heads = ("player",) if title == "player" else ("player", title)
    cells = [
        [*key, f"{measures[0].per_hand.n:,}", *(total_text(one, biased).replace(" ± ", "\n± ") for one in measures)]
        for key, measures in rows.items()
    ]
    changes = [row for row in range(1, len(cells)) if len(heads) > 1 and cells[row][0] != cells[row - 1][0]]
    return text_table((*heads, "hands", *names), cells, heads, changes)


def _hand(one: FullHand) -> Iterator[RenderableType]:
    """Yields the report on one hand: the betting of every street, what it was worth, and how the result adds up."""
    hand, names = one.hand, one.hand.names.split("|")
    yield Text(f"Hand {hand.hand_id} ({one.source}), in small bets (SB)", style="bold")
    parts = one.judged.parts()
    for position, name in enumerate(names):
        of = ", ".join(
            f"{label} {signed(float(value))}"
            for label, value in zip(
                ("luck", "baseline", "own", "others"), parts[:, :, position].sum(axis=0), strict=True
            )
        )
        yield Text(f"{name} {format_cards(hand.hole_cards[position])}: {signed(one.judged.result[position])} SB = {of}")
    for street in one.judged.streets:
        board = format_cards(hand.board[: BOARD_CARDS[street.street]])
        yield Text(f"{STREETS[street.street]} {board}".rstrip() + f": {street.line}, baseline {street.baseline_line}")
    rows = [
        [STREETS[street.street], name, f"{street.shares[position]:.4f}", signed(street.luck[position], 4)]
        + [signed(each[position], 4) for each in (street.before, street.after, street.baseline, street.divat)]
        for street in one.judged.streets
        for position, name in enumerate(names)
    ]
    places = range(len(names), len(rows), len(names))
    yield text_table(
        ("street", "player", "AIE", "luck", "before", "after", "baseline", "DIVAT"), rows, ("street", "player"), places
    )
    for each in one.judged.decisions:
        if each.action != each.baseline:
            gains = ", ".join(f"{name} {signed(float(gain))}" for name, gain in zip(names, each.gains, strict=True))
            yield Text(f"{STREETS[each.street]}: {names[each.position]} {each.text()}: {gains}")
