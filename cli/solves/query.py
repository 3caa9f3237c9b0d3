"""``hedgehog query``: strategy, EV, equity and range of a saved solve at any line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from hedgehog.cli.console import output_console
from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import OutputCommand, Outputs, output_options
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.solves.lines import expand_lines, line_files
from hedgehog.cli.solves.query_view import (
    ANY_CARD,
    Described,
    action_table,
    card_table,
    describe_saved,
    grid_table,
    headline,
    print_fitting,
    print_hands,
    title,
)
from hedgehog.poker.cards import NUM_CARDS, NUM_COMBOS, format_card, format_cards, format_combo
from hedgehog.poker.hand_names import HandFilter, parse_hand_filter
from hedgehog.poker.ranges import parse_range, round_weights
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.outputs import STDOUT
from hedgehog.solver.postflop.node_answers import (
    NodeAnswer,
    answer_line,
    count_range,
    explain_absent_hands,
    explain_missing_numbers,
    reached,
)
from hedgehog.solver.postflop.queries import find_node, view_actions
from hedgehog.solver.postflop.responses.as_if import AsIf, solve_as_if
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.solver.postflop.solution_csv import format_csv
from hedgehog.solver.postflop.solution_files import is_saved_solve, open_solution, read_saved_solve
from hedgehog.solver.postflop.spot import PLAYERS
from hedgehog.solver.postflop.tree import format_line, parse_line
from hedgehog.strategies.manifest import read_manifest

_WIDTH_OF_FILES = 200


@click.command(cls=OutputCommand)
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
@click.option(
    "--filter",
    "filter_text",
    metavar="NAMES",
    help="Only hands that make or draw to one of these: 'top pair+ & !flush draw, set' (, is or, & is and, ! is not).",
)
@click.option("--combos", is_flag=True, help="One row per combo instead of one per hand class.")
@click.option("--tree", is_flag=True, help="List the actions of each line with frequency, EV and equity.")
@click.option(
    "--grid",
    metavar="WHAT",
    help="13x13 grid: an action (how often, in percent), ev:ACTION (its EV), ev or equity of the hand.",
)
@click.option(
    "--round",
    "percent",
    type=click.Choice(["25", "50", "100"]),
    help="Show strategies in steps of so many percent, and what playing them at this decision loses.",
)
@click.option(
    "--as-if",
    is_flag=True,
    help="Answer lines that nobody takes as if 1 % of the hands took them, those that lose least by it: solved on the "
    "spot.",
)
@output_options(
    json="the answers, hand by hand,",
    csv="the hands",
    html=click.option(
        "--html",
        "html_file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write a page with coloured grids to FILE, which needs no other file.",
    ),
    svg=click.option(
        "--svg",
        "svg_file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Draw the betting of the street after one LINE, with the strategies of one to four combos of --hand.",
    ),
)
def query(
    folder: Path,
    lines: tuple[str, ...],
    hands: tuple[str, ...],
    filter_text: str | None,
    combos: bool,
    tree: bool,
    grid: str | None,
    percent: str | None,
    as_if: bool,
    outputs: Outputs,
) -> None:
    """Show strategy, EV, equity and range at any line of a solve saved in DIR.

    DIR is a folder of hedgehog solve --save or --save-strategy, or an exact flop pack. A LINE of a pack begins with the
    preflop line and the flop: 'r250c Qh Jh 2c X B165'. EV is chips received at the end less chips put in after
    the node. The line below each hand is the EV of every action; for a class of hands it is the average over those that
    take the action. Averages are weighted by how often a hand meets one of the opponent. What no hand reaches has no
    numbers, and a line that fewer than 0.1 % of a range take says so.

    \b
    Names for --filter, weakest first; NAME+ is this or better:
      high card, ace high, underpair, bottom pair, middle pair, pocket pair,
      top pair, overpair, two pair, trips, set, straight, flush, full house,
      quads, straight flush
      draws: overcards, backdoor flush draw, gutshot, double gutshot, OESD,
      flush draw, nut flush draw, combo draw
    """
    if grid is not None and outputs.files:
        raise click.UsageError("--grid is a table for the terminal: leave out --json, --csv and --html")
    if "csv" in outputs.files and tree:
        raise click.UsageError("--csv writes hands, --tree actions: choose one of them, or --json")
    if outputs.files:
        refuse_options("is for the terminal: --json and --csv have a row per combo, --html a grid", "combos")
    if grid is not None:
        refuse_options("does not go with --grid, which has a cell per hand class", "combos")
    wanted = _parse_hands(hands)
    if "svg" in outputs.files and (wanted is None or len(lines) > 1 or "?" in "".join(lines)):
        raise click.UsageError("--svg draws one line: expected one --line at most, without ?, and hands by --hand")
    outputs.claim(folder, *line_files(lines))
    hand_filter = None if filter_text is None else parse_hand_filter(filter_text)
    described, solution, found = _open(folder, expand_lines(lines) or [""])
    expanded = [format_line(parse_line(line)) for line in found]
    asked = _Asked(described, solution, hands, wanted, hand_filter, None if percent is None else int(percent), as_if)
    if "html" in outputs.files and not all(map(solution.knows_values, range(solution.tree.num_nodes))):
        raise InputError("the pack lacks EVs at some decisions, which --html needs", source=str(folder))
    if not outputs.files and any(line.split()[-1:] == [ANY_CARD] for line in expanded):
        refuse_options(
            "does not go with a line that ends with ?: its table has cards instead of hands",
            "hands", "filter_text", "combos", "tree", "grid",
        )  # fmt: skip
    for line in _each_card(asked.solution, expanded):  # before anything is printed
        find_node(asked.solution, line)
    if as_if:
        for line in _each_card(asked.solution, expanded):
            asked.assume(line)
    if outputs.files:
        _write(asked, list(_each_card(asked.solution, expanded)), outputs, tree)
        return
    console = output_console()
    if not console.is_terminal:
        console.width = _WIDTH_OF_FILES  # a file needs no folding
    console.print(f"{described.name}: {headline(described)}")
    for line in expanded:
        console.print()
        if line.split()[-1:] == [ANY_CARD]:
            _print_cards(console, asked, line)
        else:
            _print_line(console, asked, line, grid=grid, combos=combos, tree=tree)


def _open(folder: Path, lines: list[str]) -> tuple[Described, PostflopSolution, list[str]]:
    """Returns the solve that is asked about, and the lines from its root on.

    :param folder: a saved solve, or an exact flop pack. Lines of a pack begin with a preflop line and a flop.
    :raises InputError: if the lines of a pack belong to different flops.
    """
    if not is_saved_solve(folder) or read_manifest(folder).kind != "flops":
        saved = read_saved_solve(folder)
        return describe_saved(saved), open_solution(saved), lines
    from hedgehog.solver.packs.pack_solution import open_pack_flops

    flops = open_pack_flops(folder)
    found = [flops.find(line) for line in lines]
    first = found[0][0]
    for flop, line in found:
        if flop.name != first.name:
            raise InputError(f"expected lines of one flop, {first.name}, got {line!r} of {flop.name}")
    described = Described(
        first.name, first.board, first.pot, first.stack, first.ranges, "dcfr", first.iterations, first.pct_pot
    )
    return described, first.solution, [rest for _, rest in found]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A saved solve and the questions about its lines."""

    solve: Described
    solution: PostflopSolution
    hand_texts: tuple[str, ...]
    hands: NDArray[np.bool_] | None
    hand_filter: HandFilter | None
    percent: int | None
    as_if: bool
    _assumed: dict[str, AsIf] = field(default_factory=dict)

    def assume(self, line: str) -> AsIf:
        """Returns the game in which a part of the range takes the rare action of a line; each is solved once.

        :raises SpotError: if the line has none.
        """
        if line not in self._assumed:
            known = [one for one in self._assumed.values() if one.leads_to(line)]
            if known:
                self._assumed[line] = known[0].towards(line)
            else:
                with terminal_watch() as watch:
                    self._assumed[line] = solve_as_if(self.solution, line, watch=watch)
        return self._assumed[line]

    def solution_at(self, line: str) -> PostflopSolution:
        """Returns the solution that answers for one line."""
        return self.assume(line).solution if self.as_if else self.solution

    def answer(self, line: str) -> NodeAnswer:
        """Returns the answer for one line."""
        solution, rest = self.solution_at(line), self.assume(line).line if self.as_if else line
        found = answer_line(solution, rest, hands=self.hands, hand_filter=self.hand_filter, percent=self.percent)
        return replace(found, line=format_line(parse_line(line)))

    def notes(self, answer: NodeAnswer) -> list[str]:
        """Returns one sentence for each hand or filter of the question that matches no hand at the line."""
        found = [note for text in self.hand_texts for note in explain_absent_hands(text, self.solve, answer.view)]
        if self.hand_filter is not None and not found and not len(answer.hands()):
            found.append(f"no hand that gets here is {self.hand_filter.text!r}")
        return found

    def all_notes(self, answer: NodeAnswer) -> list[str]:
        """Returns :meth:`notes` and the sentence on numbers that do not exist at the line."""
        assumed = [self.assume(answer.line).describe()] if self.as_if else []
        missing = explain_missing_numbers(answer.view)
        return [*assumed, *([missing] if missing is not None else []), *self.notes(answer)]


def _parse_hands(texts: Iterable[str]) -> NDArray[np.bool_] | None:
    wanted = np.zeros(NUM_COMBOS, dtype=np.bool_)
    for text in texts:
        wanted |= parse_range(text) > 0
    return wanted if wanted.any() else None


def _each_card(solution: PostflopSolution, lines: Iterable[str]) -> Iterator[str]:
    """Yields the lines. A line that ends with any card is yielded once for every card that may come."""
    for line in lines:
        tokens = line.split()
        if tokens[-1:] == [ANY_CARD]:
            yield from (" ".join([*tokens[:-1], card]) for card in _next_cards(solution, tokens[:-1]))
        else:
            yield line


def _next_cards(solution: PostflopSolution, tokens: list[str]) -> list[str]:
    taken = {*(format_card(card) for card in solution.board), *tokens}
    return [card for card in map(format_card, range(NUM_CARDS - 1, -1, -1)) if card not in taken]


def _print_line(console: Console, asked: _Asked, line: str, *, grid: str | None, combos: bool, tree: bool) -> None:
    answer = asked.answer(line)
    solution = asked.solution_at(line)
    if asked.as_if:
        console.print(asked.assume(line).describe())
    for text in title(solution, answer, count_range(asked.solve, answer.view)):
        console.print(text)
    if tree:
        console.print(action_table(answer, view_actions(solution, answer.view)))
    for note in asked.notes(answer):
        console.print(note)
    if grid is not None:
        console.print(grid_table(answer, grid))
    elif len(answer.hands()) and (not tree or combos or asked.hand_texts or asked.hand_filter is not None):
        print_hands(console, answer, by_combo=combos or bool(asked.hand_texts))


def _print_cards(console: Console, asked: _Asked, line: str) -> None:
    tokens = line.split()[:-1]
    found = [(card, asked.answer(" ".join([*tokens, card]))) for card in _next_cards(asked.solution, tokens)]
    first = found[0][1].view
    if asked.as_if:
        console.print(asked.assume(found[0][1].line).describe())
    console.print(f"[bold]{line}[/bold]: {PLAYERS[first.player]} to act, pot {first.pot:,}")
    print_fitting(console, lambda padding: card_table(found, padding))


def _write(asked: _Asked, lines: list[str], outputs: Outputs, tree: bool) -> None:
    answers = [asked.answer(line) for line in lines]
    for answer in answers:
        for note in asked.all_notes(answer):
            click.echo(f"{answer.line or 'root'}: {note}", err=True)
    if "json" in outputs.files:
        described = [_describe(asked, answer, tree=tree) for answer in answers]
        document = json_document(
            "query", game=asked.solve.name, players=PLAYERS, **_describe_solve(asked.solve), lines=described
        )
        outputs.write_json(document)
    outputs.write("csv", lambda: format_csv(answers))
    if "html" in outputs.files:
        from hedgehog.analysis.solves.node_page import NodePart, render_nodes

        parts = [
            NodePart(
                answer,
                list(view_actions(asked.solution_at(answer.line), answer.view)),
                count_range(asked.solve, answer.view),
                reached(asked.solution_at(answer.line), answer.view),
                asked.all_notes(answer),
            )
            for answer in answers
        ]
        outputs.write("html", render_nodes(asked.solve.name, headline(asked.solve), parts))
    if "svg" in outputs.files:
        from hedgehog.analysis.solves.hand_tree import hand_tree

        (answer,) = answers
        outputs.write("svg", hand_tree(asked.solution_at(answer.line), answer.line, answer.hands().tolist()))
    for file in outputs.files.values():
        if file != STDOUT:
            click.echo(f"wrote {file}")


def _describe_solve(solve: Described) -> dict[str, Any]:
    return {
        "spot": solve.name,
        "board": format_cards(solve.board),
        "pot": solve.pot,
        "stack": solve.stack,
        "algorithm": solve.algorithm,
        "iterations": solve.iterations,
        "exploitability_pct_pot": solve.pct_pot,
    }


def _describe(asked: _Asked, answer: NodeAnswer, *, tree: bool) -> dict[str, Any]:
    view = answer.view
    counts = count_range(asked.solve, view)
    data: dict[str, Any] = {
        "line": answer.line,
        "board": format_cards(view.board),
        "pot": view.pot,
        "player": answer.player,
        "note": explain_missing_numbers(view),
        "standing": {
            "player": view.standing.player,
            "reach": float(f"{view.standing.reach:.4g}"),
            "hands": round(view.standing.hands, 2),
        },
        **({"as_if": asked.assume(answer.line).describe_data()} if asked.as_if else {}),
        "actions": list(view.actions),
        "freq": [round(float(x), 6) for x in view.frequency],
        "pair_weight": _weight(view.pair_weight),
        "avg_ev": [round(x, 4) for x in view.average(view.ev)],
        "avg_equity": [round(x, 6) for x in view.average(view.equity)],
        "range": {
            "combos": counts.combos,
            "removed_by_board": counts.removed,
            "never_here": counts.elsewhere,
            "weight": _weight(counts.weight),
        },
        "opponent_weight": _weight(answer.opponent_weight),
        "hands": [_describe_hand(answer, int(combo)) for combo in answer.hands()],
    }
    if answer.rounded is not None:
        data["rounding"] = {
            "percent": asked.percent,
            "freq": [round(float(x), 6) for x in answer.rounded.frequency],
            "cost": round(answer.rounded.average_cost, 6),
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
            for action in view_actions(asked.solution_at(answer.line), view)
        ]
    return data


def _weight(weight: float) -> float:
    return float(round_weights(np.array(weight), 6))


def _describe_hand(answer: NodeAnswer, combo: int) -> dict[str, Any]:
    view, player = answer.view, answer.player
    hand = {
        "hand": format_combo(combo),
        "names": answer.names.describe(combo),
        "weight": _weight(float(view.reach[player, combo])),
        "removes": _weight(answer.removed(combo)),
        "equity": round(float(view.equity[player, combo]), 5),
        "ev": round(float(view.ev[player, combo]), 4),
        "strategy": [round(float(x), 5) for x in view.strategy[:, combo]],
        "action_evs": [round(float(x), 4) for x in answer.evs[:, combo]],
    }
    if answer.rounded is not None:
        hand["rounded"] = [round(float(x), 5) for x in answer.rounded.strategy[:, combo]]
        hand["rounding_cost"] = round(float(answer.rounded.cost[combo]), 5)
    return hand
