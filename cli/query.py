"""``hedgehog query``: what a saved solve says about any line, without writing everything out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Column, Table

from cli.lines import expand_lines
from poker.cards import NUM_CARDS, NUM_COMBOS, RANKS, combo_mask, format_card, format_cards, format_combo
from poker.errors import InputError
from poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES
from poker.ranges import disjoint_weight, parse_range
from solver.queries import ActionView, NodeView, view_actions, view_node
from solver.solution import PostflopSolution
from solver.solution_csv import format_csv
from solver.solution_files import SavedSolve, open_solution, read_saved_solve
from solver.solution_json import find_node
from solver.spot import PLAYERS

ANY_CARD = "?"
_WIDTH_OF_FILES = 200
_GRID_ORDER = range(len(RANKS) - 1, -1, -1)


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--line",
    "lines",
    multiple=True,
    metavar="LINE",
    help="Actions and dealt cards up to the decision: 'X B200 C 7d X'; without it the root. May be repeated; @FILE "
    "reads one line per row. A ? as the last card shows every card.",
)
@click.option("--hand", "hands", multiple=True, metavar="HANDS", help="Only these hands: AhKh, AKs, 'QQ+,AK'.")
@click.option("--combos", is_flag=True, help="One row per combo instead of one per hand class.")
@click.option("--tree", is_flag=True, help="List the actions of each line with frequency, EV and equity.")
@click.option("--grid", metavar="ACTION", help="13x13 grid of how often each hand class takes ACTION, in percent.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one object per line, hand by hand.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, one row per hand.")
def query(
    folder: Path,
    lines: tuple[str, ...],
    hands: tuple[str, ...],
    combos: bool,
    tree: bool,
    grid: str | None,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Show strategy, EV, equity and range at any line of a solve saved in DIR.

    DIR is a folder of hedgehog solve --save or --save-strategy. EVs are chips received at the end less chips put in
    after the node; percentages over several hands are weighted by how often they meet a hand of the opponent.
    """
    if as_json + as_csv + (grid is not None) > 1:
        raise click.UsageError("--json, --csv and --grid exclude each other")
    if as_csv and tree:
        raise click.UsageError("--csv writes hands, --tree actions: choose one of them, or --json")
    wanted = _parse_hands(hands)
    saved = read_saved_solve(folder)
    solution = open_solution(saved)
    asked = expand_lines(lines) or [""]
    for line in _each_card(solution, asked):  # before anything is printed
        find_node(solution, line)
    if as_csv:
        click.echo(
            format_csv([(line, _view(solution, line)) for line in _each_card(solution, asked)], wanted), nl=False
        )
        return
    if as_json:
        described = [
            _describe(solution, line, _view(solution, line), wanted, tree) for line in _each_card(solution, asked)
        ]
        click.echo(json.dumps(_describe_solve(saved) | {"lines": described}, indent=1))
        return
    console = Console()
    if not console.is_terminal:
        console.width = _WIDTH_OF_FILES  # a file needs no folding
    console.print(_headline(saved), highlight=False)
    for line in asked:
        console.print()
        if line.split()[-1:] == [ANY_CARD]:
            _print_cards(console, solution, line)
            continue
        view = _view(solution, line)
        console.print(_title(solution, line, view), highlight=False)
        if tree:
            console.print(_action_table(line, view_actions(solution, view)))
        if grid is not None:
            console.print(_grid_table(view, grid))
        elif not tree or hands:
            console.print(_hand_table(view, wanted, by_combo=combos or bool(hands)))


def _parse_hands(texts: Iterable[str]) -> NDArray[np.bool_] | None:
    wanted = np.zeros(NUM_COMBOS, dtype=np.bool_)
    for text in texts:
        wanted |= parse_range(text) > 0
    return wanted if wanted.any() else None


def _view(solution: PostflopSolution, line: str) -> NodeView:
    return view_node(solution, *find_node(solution, line))


def _each_card(solution: PostflopSolution, lines: Iterable[str]) -> Iterator[str]:
    """Yields the lines, those that end with any card once for every card."""
    for line in lines:
        tokens = line.split()
        if tokens[-1:] == [ANY_CARD]:
            yield from (" ".join([*tokens[:-1], card]) for card in _next_cards(solution, tokens[:-1]))
        else:
            yield line


def _next_cards(solution: PostflopSolution, tokens: list[str]) -> list[str]:
    taken = {*(format_card(card) for card in solution.board), *tokens}
    return [card for card in map(format_card, range(NUM_CARDS - 1, -1, -1)) if card not in taken]


def _headline(saved: SavedSolve) -> str:
    spot = saved.spot
    return (
        f"{spot.name}: {format_cards(spot.board, ' ')}, pot {spot.pot:,}, stack {spot.stack:,}; "
        f"{saved.algorithm}, {saved.iterations:,} iterations, {saved.found.pct_pot:.3f} % of the pot"
    )


def _title(solution: PostflopSolution, line: str, view: NodeView) -> str:
    evs, equities = view.average(view.ev), view.average(view.equity)
    return (
        f"[bold]{line or 'root'}[/bold]: {PLAYERS[view.player]} to act on {format_cards(view.board, ' ')}, "
        f"pot {view.pot:,}, reached {100 * _reached(solution, view):.3g} %\n"
        f"EV {evs[0]:,.2f} oop, {evs[1]:,.2f} ip; equity {100 * equities[0]:.2f} % oop, {100 * equities[1]:.2f} % ip"
    )


def _reached(solution: PostflopSolution, view: NodeView) -> float:
    """Returns how likely the line is, given the cards on the board."""
    oop, ip = (np.where(combo_mask(view.board), weights, np.float32(0)) for weights in solution.ranges)
    pairs = float(disjoint_weight(ip) @ oop)
    return view.pair_weight / pairs if pairs > 0 else 0.0


def _hand_table(view: NodeView, wanted: NDArray[np.bool_] | None, *, by_combo: bool) -> Table:
    table = Table("hand", *(_right(name) for name in ("combos", "equity %", "EV", *view.actions)))
    for row in _rows(view, wanted, by_combo=by_combo):
        table.add_row(*row.texts())
    table.add_section()
    combos = view.hands() if wanted is None else np.intersect1d(view.hands(), np.flatnonzero(wanted))
    if len(combos):
        table.add_row(*_row("all", view, combos).texts())
    return table


@dataclass(frozen=True, slots=True)
class _Row:
    """A hand, or several."""

    name: str
    weight: float
    equity: float
    ev: float
    strategy: list[float]

    def texts(self) -> list[str]:
        return [
            self.name,
            f"{self.weight:.2f}",
            f"{100 * self.equity:.1f}",
            f"{self.ev:,.1f}",
            *(f"{100 * chance:.1f}" for chance in self.strategy),
        ]


def _rows(view: NodeView, wanted: NDArray[np.bool_] | None, *, by_combo: bool) -> Iterator[_Row]:
    combos = view.hands()
    if wanted is not None:
        combos = combos[wanted[combos]]
    # From aces down, suited before offsuit: high card, low card, suitedness.
    for hand_class in sorted(set(HAND_CLASS[combos].tolist()), key=_class_order):
        members = combos[HAND_CLASS[combos] == hand_class]
        if by_combo:
            yield from (_row(format_combo(int(combo)), view, np.array([combo])) for combo in members[::-1])
        else:
            yield _row(HAND_CLASS_NAMES[hand_class], view, members)


def _class_order(hand_class: int) -> tuple[int, int, bool]:
    row, column = divmod(hand_class, len(RANKS))
    return -max(row, column), -min(row, column), row < column


def _row(name: str, view: NodeView, combos: NDArray[np.int64]) -> _Row:
    player = view.player
    weights = view.pair_weights[player, combos]
    if weights.sum() <= 0:  # they meet nobody: each counts as often as it is held
        weights = view.reach[player, combos].astype(np.float64)
    shares = weights / weights.sum()
    return _Row(
        name=name,
        weight=float(view.reach[player, combos].sum()),
        equity=float(view.equity[player, combos] @ shares),
        ev=float(view.ev[player, combos] @ shares),
        strategy=(view.strategy[:, combos] @ shares).tolist(),
    )


def _right(name: str) -> Column:
    return Column(name, justify="right")


def _action_table(line: str, actions: Iterable[ActionView]) -> Table:
    names = ("%", "EV oop", "EV ip", "equity % oop", "ip")
    table = Table("action", *(_right(name) for name in names), "next line")
    for action in actions:
        after = f"{line} {action.action}".strip()
        following = {"decision": after, "card": f"{after} {ANY_CARD}"}.get(action.leads_to, action.leads_to)
        taken = action.frequency > 0
        numbers = (f"{x:,.2f}" for x in action.ev) if taken else ("", "")
        equities = (f"{100 * x:.2f}" for x in action.equity) if taken else ("", "")
        table.add_row(action.action, f"{100 * action.frequency:.2f}", *numbers, *equities, following)
    return table


def _print_cards(console: Console, solution: PostflopSolution, line: str) -> None:
    """Prints one row per card that may come."""
    tokens = line.split()[:-1]
    views = [(card, _view(solution, " ".join([*tokens, card]))) for card in _next_cards(solution, tokens)]
    first = views[0][1]
    console.print(f"[bold]{line}[/bold]: {PLAYERS[first.player]} to act, pot {first.pot:,}", highlight=False)
    total = sum(view.pair_weight for _, view in views)
    names = ("%", "EV oop", "EV ip", "equity % oop", "ip", *first.actions)
    table = Table("card", *(_right(name) for name in names))
    for card, view in views:
        share = view.pair_weight / total if total > 0 else 0.0
        table.add_row(
            card,
            f"{100 * share:.2f}",
            *(f"{x:,.2f}" for x in view.average(view.ev)),
            *(f"{100 * x:.2f}" for x in view.average(view.equity)),
            *(f"{100 * x:.1f}" for x in view.frequency),
        )
    console.print(table)


def _grid_table(view: NodeView, action: str) -> Table:
    if action not in view.actions:
        raise InputError(f"no action {action!r} at this node, offered: {' '.join(view.actions)}")
    index = view.actions.index(action)
    chance = {row.name: row.strategy[index] for row in _rows(view, None, by_combo=False)}
    table = Table("", *(_right(RANKS[rank]) for rank in _GRID_ORDER), title=f"{action} in %, suited above the diagonal")
    for row in _GRID_ORDER:
        cells = []
        for column in _GRID_ORDER:
            # Rows are the first index of a class: suited hands come out above the diagonal.
            name = HAND_CLASS_NAMES[len(RANKS) * row + column]
            cells.append(f"{100 * chance[name]:.0f}" if name in chance else "")
        table.add_row(RANKS[row], *cells)
    return table


def _describe_solve(saved: SavedSolve) -> dict[str, Any]:
    spot = saved.spot
    return {
        "spot": spot.name,
        "board": format_cards(spot.board),
        "pot": spot.pot,
        "stack": spot.stack,
        "algorithm": saved.algorithm,
        "iterations": saved.iterations,
        "exploitability_pct_pot": saved.found.pct_pot,
    }


def _describe(
    solution: PostflopSolution, line: str, view: NodeView, wanted: NDArray[np.bool_] | None, tree: bool
) -> dict[str, Any]:
    player = view.player
    hands = [int(combo) for combo in view.hands() if wanted is None or wanted[combo]]
    data: dict[str, Any] = {
        "line": line,
        "board": format_cards(view.board),
        "pot": view.pot,
        "player": player,
        "actions": list(view.actions),
        "freq": [round(float(x), 6) for x in view.frequency],
        "pair_weight": round(view.pair_weight, 6),
        "avg_ev": [round(x, 4) for x in view.average(view.ev)],
        "avg_equity": [round(x, 6) for x in view.average(view.equity)],
        "hands": [
            {
                "hand": format_combo(combo),
                "weight": round(float(view.reach[player, combo]), 6),
                "equity": round(float(view.equity[player, combo]), 5),
                "ev": round(float(view.ev[player, combo]), 4),
                "strategy": [round(float(x), 5) for x in view.strategy[:, combo]],
            }
            for combo in hands
        ],
    }
    if tree:
        data["children"] = [
            {
                "action": action.action,
                "leads_to": action.leads_to,
                "freq": round(action.frequency, 6),
                "avg_ev": [round(x, 4) for x in action.ev],
                "avg_equity": [round(x, 6) for x in action.equity],
            }
            for action in view_actions(solution, view)
        ]
    return data
