"""``hedgehog game``: list, show and solve games in normal and extensive form, and remove dominated actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import click

from hedgehog.cli.console import output_console
from hedgehog.cli.games.dominance import dominance
from hedgehog.cli.games.evaluate import evaluate
from hedgehog.cli.games.freezeout import freezeout
from hedgehog.cli.games.icm import icm
from hedgehog.cli.games.jamfold import jamfold
from hedgehog.cli.games.solve import solve
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.table import Column, Table

_MOST_ROWS: Final = 60
_parameters = click.option(
    "-p", "parameters", multiple=True, metavar="KEY=VALUE", help="Parameter of a game by its rules, such as n=13."
)
_source = click.argument("source", metavar="GAME")


@click.group()
def game() -> None:
    """Solve small games exactly, and jam or fold.

    GAME is a shipped example (see `hedgehog game list`), a tree in FILE.json or FILE.efg, a payoff matrix in FILE.csv,
    or FILE.py:FUNCTION with the rules of a game of your own.
    """


@game.command("list")
@output_options(json="the list")
def list_games(outputs: Outputs) -> None:
    """List the shipped games and their parameters."""
    from hedgehog.analysis.games.sources import JAM_FOLD_HAND
    from hedgehog.gametheory.examples import EXAMPLES

    outputs.claim()
    rows: list[dict[str, Any]] = [
        {"name": one.name, "parameters": one.parameters(), "summary": one.summary} for one in EXAMPLES.values()
    ]
    summary = "One hand of hold'em before the flop: the small blind jams or folds, the big blind calls or folds."
    rows.append({"name": JAM_FOLD_HAND, "parameters": {"stack": 4000}, "summary": summary})
    shown = [
        (row["name"], " ".join(f"{k}={_plain(v)}" for k, v in row["parameters"].items()), row["summary"])
        for row in rows
    ]
    output_console().print(Table("games", "", ("game", "parameters", "what it is"), tuple(shown)).rich())
    outputs.write_json(json_document("game-list", games=rows))


@game.command()
@_source
@_parameters
@output_options(
    svg="a picture of the tree (at most 200 nodes)",
    efg="the tree in Gambit's format",
    csv="the normal form of a game of two players",
    json="the game",
)
def show(source: str, parameters: tuple[str, ...], outputs: Outputs) -> None:
    """Show the tree of GAME, its size and its information sets, and write it to files."""
    from hedgehog.analysis.games.sources import find_game, input_file
    from hedgehog.analysis.games.tree_drawing import tree_picture
    from hedgehog.gametheory.files import format_efg, format_matrix, game_document
    from hedgehog.gametheory.normal_games import NormalForm, normal_form
    from hedgehog.runtime.errors import GameError

    outputs.claim(input_file(source))
    found = find_game(source, parameters)
    texts: dict[str, Callable[[], str]] = {}
    if isinstance(found, NormalForm):
        if "svg" in outputs.files or "efg" in outputs.files:
            raise GameError(f"{source!r} is a matrix, which has no tree")
        texts["csv"] = lambda: format_matrix(found)
        document = json_document("game-matrix", game=source, players=found.players, **_matrix_content(found))
    else:
        texts = {
            "csv": lambda: format_matrix(normal_form(found)),
            "efg": lambda: format_efg(found),
            "svg": lambda: tree_picture(found),
        }
        document = game_document(found)
    # All texts are made first: what cannot be written is said before anything is.
    written = {name: text() for name, text in texts.items() if name in outputs.files}
    if isinstance(found, NormalForm):
        output_console().print(_matrix_table(found).rich())
    else:
        _print_tree(found)
    for name, text in written.items():
        outputs.write(name, text)
    outputs.write_json(document)


def _plain(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)


def _matrix_content(form: Any) -> dict[str, Any]:
    return {"actions": [list(names) for names in form.actions], "payoffs": form.payoffs.tolist()}


def _matrix_table(form: Any) -> Table:
    shown = form.payoffs[:1] if form.is_zero_sum else form.payoffs
    rows = [
        (name, *("; ".join(f"{payoff:.6g}" for payoff in cell) for cell in shown[:, row, :12].T))
        for row, name in enumerate(form.actions[0][:_MOST_ROWS])
    ]
    names = [Column(str(number), name) for number, name in enumerate(form.actions[1][:12])]
    return Table("matrix", "", (Column("row", ""), *names), tuple(rows))


def _print_tree(found: Any) -> None:
    from hedgehog.gametheory.tree import CHANCE, LEAF

    console = output_console()
    counts = found.counts
    console.print(
        f"{found.name}: {counts.nodes:,} nodes ({counts.chance:,} chance, {counts.decisions:,} decisions,"
        f" {counts.leaves:,} leaves)"
    )
    rows = zip(found.players, counts.infosets, counts.sequences, strict=True)
    sizes = [Column(name, text="{:,}".format) for name in ("information sets", "sequences")]
    console.print(Table("players", "", ("player", *sizes), tuple(rows)).rich())
    if counts.nodes > 2 * _MOST_ROWS:
        console.print("The tree is too large to print; --json writes it.")
        return
    payoffs = iter(found.exact_payoffs)
    depth = [0] * counts.nodes
    for node in range(counts.nodes):
        before = int(found.parent[node])
        depth[node] = depth[before] + 1 if before >= 0 else 0
        mover = int(found.mover[node])
        chance = f" {found.probabilities[node]}" if before >= 0 and found.mover[before] == CHANCE else ""
        if mover == LEAF:
            what = f"pays {', '.join(map(str, next(payoffs)))}"
        elif mover == CHANCE:
            what = "chance"
        else:
            what = f"{found.players[mover]} at [{found.infosets[int(found.infoset[node])].name}]"
        label = f"{found.labels[node]}{chance}: " if node else ""
        console.print(f"{'  ' * depth[node]}{label}{what}", markup=False)


for command in (solve, evaluate, dominance, jamfold, icm, freezeout):
    game.add_command(command)
