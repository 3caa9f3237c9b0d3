"""What ``hedgehog match`` shows: progress while it runs, tables at its end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as ProgressBar
from rich.table import Table

from analysis.stats import Estimate
from dealer.seating_log import Progress

if TYPE_CHECKING:
    from analysis.luck import AdjustedWinnings
    from analysis.match_report import MatchResult, PlayStatistics

_PLAIN_PROGRESS_EVERY_S = 5.0


@contextmanager
def show_progress(total_hands: int, big_blind: int) -> Iterator[Callable[[Progress], None]]:
    """Shows hands, running winnings and remaining time on stderr: a bar on a terminal, else a line now and then.

    :param total_hands: hands of all seatings.
    :returns: what to call with the progress of the match.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _PlainProgress(total_hands, big_blind).update
        return
    columns: list[ProgressColumn] = [
        TextColumn("hands"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("ETA {task.fields[eta]}  {task.fields[winnings]}"),
    ]
    clock = RemainingTime()
    with ProgressBar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("match", total=total_hands, winnings="starting", eta="-:--")

        def update(progress: Progress) -> None:
            winnings = format_winnings(progress, big_blind)
            bar.update(task, completed=progress.hands, winnings=winnings, eta=clock.text(progress.hands, total_hands))

        yield update


def format_winnings(progress: Progress, big_blind: int) -> str:
    """Formats the winnings so far in mbb per hand: ``call -12, raise +12 mbb/h``."""
    if not progress.hands:
        return "starting"
    scale = 1000 / big_blind / progress.hands
    return ", ".join(f"{name} {chips * scale:+.0f}" for name, chips in progress.chips.items()) + " mbb/h"


class RemainingTime:
    """Estimates the remaining time from the hands since the first ones, so that start-up does not count as play."""

    def __init__(self) -> None:
        self._first: tuple[float, int] | None = None

    def text(self, hands: int, total_hands: int) -> str:
        """Returns the remaining time as m:ss or h:mm:ss."""
        now = time.monotonic()
        if hands and self._first is None:
            self._first = (now, hands)
        if self._first is None or hands == self._first[1]:
            return "-:--"
        start, first_hands = self._first
        seconds = round((now - start) * (total_hands - hands) / (hands - first_hands))
        minutes, seconds = divmod(seconds, 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


class _PlainProgress:
    """One line every few seconds, and none for a match that is over before."""

    def __init__(self, total_hands: int, big_blind: int) -> None:
        self._total = total_hands
        self._big_blind = big_blind
        self._clock = RemainingTime()
        self._next = time.monotonic() + _PLAIN_PROGRESS_EVERY_S

    def update(self, progress: Progress) -> None:
        """Takes note of the progress and perhaps prints it."""
        remaining = self._clock.text(progress.hands, self._total)
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _PLAIN_PROGRESS_EVERY_S
            winnings = format_winnings(progress, self._big_blind)
            click.echo(f"{progress.hands}/{self._total} hands, ETA {remaining}, {winnings}", err=True)


def result_table(names: Sequence[str], result: MatchResult, duplicate: bool) -> Table:
    """Returns the table of winnings with their 95 % confidence intervals."""
    unit = "hands" if not duplicate else "pairs" if len(names) == 2 else "groups"
    played = f"{result.hands:,} hands" + (f", {result.groups:,} duplicate {unit}" if duplicate else "")
    table = Table(title=f"Winnings over {played}", title_justify="left")
    table.add_column("player")
    table.add_column("mbb/h", justify="right")
    table.add_column("95 % interval", justify="right")
    table.add_column(f"SD per {unit.removesuffix('s')}", justify="right")
    for name, won in zip(names, result.mbb_per_hand, strict=True):
        table.add_row(name, f"{won.mean:+.1f}", _format_interval(won), f"{won.sd:.0f}" if won.n > 1 else "")
    return table


def certainty_table(names: Sequence[str], result: MatchResult) -> Table:
    """Returns the table that says how much luck is in the winnings and how far they can be trusted.

    :param result: of at least two groups of hands.
    """
    table = Table(title="Luck and certainty, mbb/h", title_justify="left")
    table.add_column("player")
    for column in ("all-in adjusted", "SD per hand", "effective hands"):
        table.add_column(column, justify="right")
    if result.anytime:
        table.add_column("anytime 95 %", justify="right")
    for index, (name, luck) in enumerate(zip(names, result.luck, strict=True)):
        adjusted, intervals = luck.all_in_adjusted, result.anytime[index : index + 1]
        table.add_row(
            name,
            f"{adjusted.mean:+.1f} ± {adjusted.half_width:.1f}",
            f"{luck.sd_hand:.0f}",
            f"{luck.effective_hands:,.0f}" if math.isfinite(luck.effective_hands) else "∞",
            *(f"± {interval.half_width:.1f}" if math.isfinite(interval.low) else "-" for interval in intervals),
        )
    return table


def certainty_notes(result: MatchResult, duplicate: bool) -> str:
    """Returns the reading aid below :func:`certainty_table`."""
    notes = ["All-in adjusted: showdowns before the last street count as their average over all boards."]
    if duplicate:
        notes.append("Effective hands: so many hands without duplicate would be as sure.")
    if result.anytime:
        notes.append("Anytime: holds for a match that is stopped because of it, too.")
    if math.isfinite(result.p_value):
        notes.append(f"p = {result.p_value:.2g} for no difference between the players.")
    return " ".join(notes)


def aivat_table(names: Sequence[str], winnings: Sequence[AdjustedWinnings], known: Collection[str]) -> Table:
    """Returns the table of winnings by AIVAT.

    :param known: the players whose strategies were known.
    """
    table = Table(title=f"AIVAT, strategy known: {', '.join(known)}", title_justify="left")
    table.add_column("player")
    for column in ("mbb/h", "95 % interval", "SD per hand", "SD reduction"):
        table.add_column(column, justify="right")
    for name, one in zip(names, winnings, strict=True):
        spread = ("", "") if math.isnan(one.reduction) else (f"{one.sd_hand:.0f}", f"{one.reduction:.1%}")
        table.add_row(name, f"{one.estimate.mean:+.1f}", _format_interval(one.estimate), *spread)
    return table


def _format_interval(estimate: Estimate) -> str:
    return f"{estimate.low:+.1f} .. {estimate.high:+.1f}" if estimate.n > 1 else "one value gives none"


def decision_table(statistics: Mapping[str, PlayStatistics]) -> Table:
    """Returns the table of decision times per player and street, with the share of every layer of the player."""
    table = Table(title="Decisions", title_justify="left")
    table.add_column("player")
    for column in ("street", "decisions", "p50 ms", "p99 ms"):
        table.add_column(column, justify="left" if column == "street" else "right")
    table.add_column("share per layer")
    for name, player in statistics.items():
        faults = [f"{count} {fault.replace('_', ' ')}" for fault, count in player.faults.items()]
        for row, street in enumerate(player.times.streets()):
            p50, p99 = (f"{player.times.percentile_ms(street, share):.3g}" for share in (0.5, 0.99))
            count = f"{player.times.count(street):,}"
            notes = _layer_shares(player, street) + ([] if row else faults)
            table.add_row("" if row else name, street, count, p50, p99, ", ".join(notes))
        table.add_section()
    return table


def _layer_shares(player: PlayStatistics, street: str) -> list[str]:
    """Formats the shares of the layers named ``<street> <layer>`` among them."""
    layers = {layer: count for layer, count in player.layers.items() if layer.partition(" ")[0] == street}
    total = sum(layers.values())
    return [f"{count / total:.1%} {layer.partition(' ')[2]}" for layer, count in layers.items()]
