"""The output of ``hedgehog query`` for people: the tables of hands, actions and cards, and the grid."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from rich import box
from rich.console import Console
from rich.table import Column, Table

from hedgehog.analysis.stats.number_text import format_ev, format_weight
from hedgehog.poker.cards import RANKS, format_cards
from hedgehog.poker.hand_classes import HAND_CLASS_NAMES
from hedgehog.poker.hand_grid import cell_class
from hedgehog.runtime.errors import InputError
from hedgehog.solver.postflop.node_answers import (
    HandRow,
    NodeAnswer,
    RangeCounts,
    explain_missing_numbers,
    hand_row,
    hand_rows,
    reached,
)
from hedgehog.solver.postflop.queries import ActionView
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.solver.postflop.solution_files import SavedSolve
from hedgehog.solver.postflop.spot import PLAYERS

ANY_CARD = "?"
_NOT_HELD = "·"
_NO_NUMBER = "-"
"""A hand that is held and has no such number."""


@dataclass(frozen=True, slots=True)
class Described:
    """What is said about a saved solve or a flop of a pack besides its strategies."""

    name: str
    board: tuple[int, ...]
    pot: int
    stack: int
    ranges: tuple[NDArray[np.float32], NDArray[np.float32]]
    """float32[1326] weights of OOP and IP."""
    algorithm: str
    iterations: int
    pct_pot: float
    """Exploitability in percent of the pot."""


def describe_saved(saved: SavedSolve) -> Described:
    """Returns the description of a saved solve."""
    spot = saved.spot
    return Described(
        spot.name, spot.board, spot.pot, spot.stack, spot.ranges, saved.algorithm, saved.iterations, saved.found.pct_pot
    )


def headline(solve: Described) -> str:
    """Returns one line about a solve: board, pot, stack, algorithm, iterations and exploitability."""
    return (
        f"{format_cards(solve.board, ' ')}, pot {solve.pot:,}, stack {solve.stack:,}; "
        f"{solve.algorithm}, {solve.iterations:,} iterations, {solve.pct_pot:.3f} % of the pot"
    )


def title(solution: PostflopSolution, answer: NodeAnswer, counts: RangeCounts) -> Iterator[str]:
    """Yields the lines of text above the tables of a decision."""
    view = answer.view
    evs, equities = view.average(view.ev), view.average(view.equity)
    who = PLAYERS[view.player]
    share = reached(solution, view)
    yield (
        f"[bold]{answer.line or 'root'}[/bold]: {who} to act on {format_cards(view.board, ' ')}, pot {view.pot:,}"
        + (f", reached {100 * share:.3g} %" if not math.isnan(share) else "")
    )
    if view.is_reached and view.standing.is_untaken:
        yield "EV - oop, - ip; equity - oop, - ip"
    elif view.is_reached:
        known = f"EV {evs[0]:,.2f} oop, {evs[1]:,.2f} ip" if not math.isnan(evs[0]) else "no EVs are stored here"
        yield f"{known}; equity {100 * equities[0]:.2f} % oop, {100 * equities[1]:.2f} % ip"
    yield (
        f"range of {who}: {counts.combos:,} combos, {counts.removed:,} removed by the board, "
        f"{counts.elsewhere:,} never get here"
    )
    missing = explain_missing_numbers(view)
    if missing is not None:
        yield missing
    if answer.rounded is not None and view.is_reached and not math.isnan(answer.rounded.average_cost):
        cost = answer.rounded.average_cost
        yield f"rounded here alone, it loses {cost:,.3f} chips, {100 * cost / view.pot:.3f} % of the pot"


def print_hands(console: Console, answer: NodeAnswer, *, by_combo: bool) -> None:
    """Prints the frequency and, below it, the EV of every action for each hand.

    Actions that do not fit into one table go to further tables.

    :param by_combo: the rows are single combos instead of classes of hands.
    """
    rows = list(hand_rows(answer, by_combo=by_combo))
    count = len(answer.view.actions)
    for together in range(count, 0, -1):
        shown = [slice(start, start + together) for start in range(0, count, together)]
        tables = [partial(_hand_table, answer, rows, each, by_combo) for each in shown]
        if together == 1 or all(_width(console, make(0)) <= console.width for make in tables):
            break
    for make in tables:
        print_fitting(console, make)


def print_fitting(console: Console, make: Callable[[int], Table]) -> None:
    """Prints a table with one blank around its cells or, if that is too wide, with none.

    :param make: (blanks around a cell) -> the table.
    """
    spacious = make(1)
    console.print(spacious if _width(console, spacious) <= console.width else make(0))


def _width(console: Console, table: Table) -> int:
    return console.measure(table, options=console.options.update(width=10_000)).maximum


def _hand_table(answer: NodeAnswer, rows: Sequence[HandRow], shown: slice, by_combo: bool, padding: int) -> Table:
    """Returns the table of hands for the actions ``shown``; only the first table has columns besides actions."""
    first = shown.start == 0
    extra = (["loses"] if answer.rounded is not None else []) + (["removes"] if by_combo else [])
    names = [*(("combos", "eq. %", "EV") if first else ()), *answer.view.actions[shown], *(extra if first else ())]
    table = Table("hand", *map(_right, names), padding=(0, padding))
    for row in [*rows, hand_row("all", answer, answer.hands())]:
        if row.name == "all":
            table.add_section()
        for cells in _hand_cells(answer, row, shown, extra if first else [], base=first):
            table.add_row(*cells)
    return table


def _hand_cells(
    answer: NodeAnswer, row: HandRow, shown: slice, extra: Sequence[str], *, base: bool
) -> Iterator[list[str]]:
    """Yields the two lines of cells of a hand: the frequencies and the EVs of the actions."""
    first, second = [row.name], [""]
    if base:
        first += [format_weight(row.weight), _percent(row.equity, 1), format_ev(row.ev)]
        second += ["", "", ""]
    first += [_percent(chance, 1) for chance in row.strategy[shown]]
    second += [f"[dim]{format_ev(ev)}[/dim]" for ev in row.evs[shown]]
    for name in extra:
        one = len(row.combos) == 1 and row.name != "all"
        removed = format_weight(answer.removed(int(row.combos[0])), 1) if one else ""
        first.append(format_ev(row.cost) if name == "loses" else removed)
        second.append("")
    yield first
    yield second


def _right(name: str) -> Column:
    return Column(name, justify="right", no_wrap=True)


def action_table(answer: NodeAnswer, actions: Iterable[ActionView]) -> Table:
    """Returns the table of actions: frequency, EV and equity of both players, and the line after the action."""
    table = Table("action", *map(_right, ("%", "EV oop", "EV ip", "eq. % oop", "ip")), "next line")
    for action, frequency in zip(actions, answer.frequency, strict=True):
        after = f"{answer.line} {action.action}".strip()
        following = {"decision": after, "card": f"{after} {ANY_CARD}"}.get(action.leads_to, action.leads_to)
        evs = ("" if math.isnan(x) else f"{x:,.2f}" for x in action.ev)
        equities = (_percent(x, 2) for x in action.equity)
        table.add_row(action.action, _percent(frequency, 2), *evs, *equities, following)
    return table


def _percent(share: float, decimals: int) -> str:
    """Returns a share in percent; empty if it is unknown (NaN)."""
    return "" if math.isnan(share) else f"{100 * share:.{decimals}f}"


def card_table(found: Sequence[tuple[str, NodeAnswer]], padding: int) -> Table:
    """Returns the table of the next card, one row per card.

    :param found: cards and the answers after them.
    :param padding: blanks around a cell.
    """
    total = sum(answer.view.pair_weight for _, answer in found)
    names = ("%", "EV oop", "EV ip", "eq. % oop", "ip", *found[0][1].view.actions)
    table = Table("card", *map(_right, names), padding=(0, padding))
    for card, answer in found:
        view = answer.view
        share = view.pair_weight / total if total > 0 else math.nan
        table.add_row(
            card,
            _percent(share, 2),
            *map(format_ev, view.average(view.ev)),
            *(_percent(x, 1) for x in view.average(view.equity)),
            *(_percent(x, 1) for x in answer.frequency),
        )
    return table


def grid_table(answer: NodeAnswer, wanted: str) -> Table:
    """Returns the 13 x 13 grid of one figure.

    :param wanted: the figure: an action for its frequency in percent, ``ev:ACTION`` for the EV of an action, ``ev`` or
        ``equity`` for the EV or equity of the hand.
    :raises InputError: if the node does not offer the action.
    """
    actions = answer.view.actions
    of_ev, _, action = wanted.rpartition(":")
    if wanted not in ("ev", "equity") and (action not in actions or of_ev not in ("", "ev")):
        raise InputError(
            f"no grid {wanted!r} at this node: expected one of {' '.join(actions)}, one of them after 'ev:', "
            "'ev' or 'equity'"
        )
    cells = {row.name: _grid_cell(row, wanted, actions) for row in hand_rows(answer, by_combo=False)}
    what = {"ev": "EV of the hand in chips", "equity": "equity in %"}.get(
        wanted, f"EV of {action} in chips" if of_ev else f"{action} in %"
    )
    columns = [Column(RANKS[rank], justify="right", no_wrap=True) for rank in range(12, -1, -1)]
    heading = f"{what}, suited above the diagonal"
    table = Table("", *columns, title=heading, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 0, 0, 1))
    table.pad_edge = False
    for row in range(13):
        names = (HAND_CLASS_NAMES[cell_class(row, column)] for column in range(13))
        table.add_row(RANKS[12 - row], *(cells.get(name, _NOT_HELD) for name in names))
    return table


def _grid_cell(row: HandRow, wanted: str, actions: Sequence[str]) -> str:
    """Returns the text of one cell, at most five characters."""
    of_ev, _, action = wanted.rpartition(":")
    if wanted == "equity" or (wanted != "ev" and not of_ev):
        return _percent(row.equity if wanted == "equity" else row.strategy[actions.index(action)], 0) or _NO_NUMBER
    chips = row.ev if wanted == "ev" else row.evs[actions.index(action)]
    if math.isnan(chips):
        return _NO_NUMBER
    if abs(chips) < 99.95:
        return f"{chips:.1f}"
    return f"{chips:.0f}" if abs(chips) < 9999.5 else f"{chips / 1000:.0f}k"
