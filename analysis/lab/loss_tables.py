"""The tables and sentences of the three losses: which choice loses how much, and which differences are none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from hedgehog.analysis.lab.rows import NONE, RELAXED, Row, noise_of
from hedgehog.analysis.lab.tables import Units
from hedgehog.runtime.machine import format_bytes
from hedgehog.runtime.table import Table, Value, format_value, table_of
from hedgehog.solver.abstraction.abstraction import KMEANS
from hedgehog.solver.postflop.spot import ABSTRACTIONS

LOSSLESS: Final = "lossless"
HANDS: Final = "hands"
BOARDS: Final = "boards"
BETS: Final = "bets"
KINDS: Final = (LOSSLESS, HANDS, BOARDS, BETS)


def kind_of(row: Row) -> str:
    """Returns what a row forgets: one of :data:`KINDS`."""
    if row.lossless:
        return LOSSLESS
    if row.name == RELAXED:
        return BOARDS
    return HANDS if row.name == KMEANS or row.name in ABSTRACTIONS else BETS


def losses_of(rows: Sequence[Row]) -> dict[str, float | None]:
    """Returns by row what it loses in the real game, in chips per deal; None if it is not surely more than nothing.

    A loss is the real epsilon less that of the best row that loses nothing. Without such a row it is the real epsilon.
    """
    noise = noise_of(rows)
    base = min((row.final.real for row in rows if row.lossless), default=0.0)
    return {row.name: None if row.lossless or row.final.real - base <= noise else row.final.real - base for row in rows}


def losses_table(rows: Sequence[Row], units: Units) -> Table:
    """Returns every row with what it loses."""
    losses = losses_of(rows)
    least = min((loss for loss in losses.values() if loss is not None), default=None)

    def loss(row: Row) -> Value:
        found = losses[row.name]
        return None if found is None else units.mbb * found

    def ratio(row: Row) -> Value:
        found = losses[row.name]
        return None if found is None or least is None else found / least

    def verdict(row: Row) -> str:
        return LOSSLESS if row.lossless else "equal" if losses[row.name] is None else "loses"

    columns: dict[str, Callable[[Row], Value]] = {
        "kind": kind_of,
        "choice": lambda row: row.name,
        "verdict": verdict,
        "real mbb": lambda row: units.mbb * row.final.real,
        "loss mbb": loss,
        "ratio": ratio,
        "inside mbb": lambda row: None if row.name == RELAXED else units.mbb * row.final.abstract,
    }
    noise = units.mbb * noise_of(rows)
    note = (
        f"Epsilon in mbb per deal of two hands in range, both players together. Equal: less than {noise:.3g} mbb, what "
        "the exact rows have still to converge, above the best of them. Loss: above it. Ratio: to the least loss. "
        "Inside: what the solver of the row sees."
    )
    return table_of("losses", "The three losses", rows, columns, note)


def costs_table(rows: Sequence[Row], units: Units) -> Table:
    """Returns every row with its memory, its time, and what it reaches in the time of the fastest one."""
    seconds = min((row.final.seconds for row in rows), default=0.0)
    columns: dict[str, Callable[[Row], Value]] = {
        "choice": lambda row: row.name,
        "f32 MB": lambda row: row.size.bytes_f32 / 1e6,
        "all MB": lambda row: row.size.memory / 1e6,
        "ms per iteration": lambda row: row.ms_per_iteration,
        f"mbb in {seconds:.3g} s": lambda row: None if (equal := row.real_at(seconds)) is None else units.mbb * equal,
    }
    note = (
        "f32 MB: the algorithm's arrays. All: with tables and buffers. The last column: real epsilon after equal time. "
        f"{RELAXED}: f32 MB counts each class of boards once; ours deals every card, which its other figures show."
    )
    return table_of("costs", "What they cost", rows, columns, note)


def kinds_table(rows: Sequence[Row], units: Units) -> Table:
    """Returns for every kind of loss its best and its worst row, and what a kind saves."""
    losses = losses_of(rows)
    without = next((row for row in rows if row.name == NONE), None)
    cells: list[tuple[Value, ...]] = []
    for kind in KINDS[1:]:
        found = sorted((row for row in rows if kind_of(row) == kind), key=lambda row: row.final.real)
        if not found:
            continue
        best, worst = found[0], found[-1]
        ends = [losses[row.name] for row in (best, worst)]
        saved = None if without is None else 100 * (1 - best.size.bytes_f32 / without.size.bytes_f32)
        cells.append((kind, best.name, *(0.0 if e is None else units.mbb * e for e in ends[:1]), saved, worst.name,
                      *(0.0 if e is None else units.mbb * e for e in ends[1:])))  # fmt: skip
    columns = ("kind", "least loss", "its mbb", "numbers saved %", "largest loss", "mbb")
    note = "A loss of 0 is equal to nothing. Numbers saved: of the algorithm's arrays without abstraction."
    return Table("kinds", "By kind", columns, tuple(cells), note)


def remarks_of(rows: Sequence[Row], units: Units) -> list[str]:
    """Returns what the losses say in sentences, with no word about differences that are noise."""
    losses = losses_of(rows)
    said = []
    lossless = sorted((row for row in rows if row.lossless), key=lambda row: row.size.memory)
    if lossless:
        one = lossless[0]
        said.append(f"{one.name} loses nothing and needs {format_bytes(one.size.memory)}: take it first if it fits.")
    equal = [row.name for row in rows if not row.lossless and losses[row.name] is None]
    if equal:
        said.append(f"After these iterations no loss can be told from none: {', '.join(equal)}.")
    lossy = sorted((loss, name) for name, loss in losses.items() if loss is not None)
    if len(lossy) > 1:
        (least, first), (most, last) = lossy[0], lossy[-1]
        said.append(
            f"Of what loses, {first} loses least, {format_value(units.mbb * least)} mbb, and {last} most, "
            f"{format_value(units.mbb * most)} mbb: {format_value(most / least)} times as much."
        )
    return said
