"""``hedgehog game solve``: equilibria by linear programs, backward induction, exact rationals or CFR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from hedgehog.cli.console import output_console
from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.cli.solves.solver_options import PositiveNumber
from hedgehog.runtime.table import Table

if TYPE_CHECKING:
    from hedgehog.gametheory.solutions import GameSolution, Method

METHODS: Final = ("lp", "cfr", "induction", "exact")
_MOST_ROWS: Final = 60


@click.command()
@click.argument("source", metavar="GAME")
@click.option("-p", "parameters", multiple=True, metavar="KEY=VALUE", help="Parameter of the rules, such as n=13.")
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="lp",
    show_default=True,
    help="Linear programs of the sequence form; CFR; backward induction; or lp with the exact value by pygambit.",
)
@click.option(
    "--tremble", type=click.FloatRange(0, 1), default=0.0, help="With lp: least probability of every action of a tree."
)
@click.option(
    "--algorithm", default="pcfr+", show_default=True, help="With cfr: the algorithm, as in `hedgehog solve`."
)
@click.option(
    "--iterations", type=click.IntRange(1), default=10_000, show_default=True, help="With cfr: at most so many."
)
@click.option(
    "--target",
    type=PositiveNumber(),
    default=1e-4,
    show_default=True,
    help="With cfr: stop at this exploitability.",
)
@click.option(
    "--lookahead",
    type=click.IntRange(1, 100),
    metavar="N",
    help="Also say what responses win that look N own decisions ahead over the strategy found.",
)
@output_options(svg="a picture of the tree with the strategies (at most 200 nodes)", json="value and strategies")
def solve(
    source: str,
    parameters: tuple[str, ...],
    method: Method,
    tremble: float,
    algorithm: str,
    iterations: int,
    target: float,
    lookahead: int | None,
    outputs: Outputs,
) -> None:
    """Solve GAME: its value, the strategy at every information set, and what a best response gains.

    Strategies at information sets that the player's own strategy never reaches are marked with a star.
    """
    from hedgehog.analysis.games.sources import find_game, input_file
    from hedgehog.analysis.games.tree_drawing import tree_picture, verify_drawable
    from hedgehog.cli.progress import terminal_watch
    from hedgehog.gametheory.normal_games import NormalForm
    from hedgehog.gametheory.solutions import matrix_document, solve_game
    from hedgehog.runtime.errors import GameError

    if method != "cfr":
        refuse_options("goes with --method cfr", "algorithm", "iterations", "target")
    if method != "lp":
        refuse_options("goes with --method lp", "tremble")
    outputs.claim(input_file(source))
    found = find_game(source, parameters)
    if isinstance(found, NormalForm):
        if "svg" in outputs.files or method != "lp":
            raise GameError(f"{source!r} is a matrix: it has no tree and is solved by --method lp")
        refuse_options("is for trees: the game is a matrix", "tremble", "lookahead")
        document = matrix_document(found, source)
        _print_matrix(document)
    else:
        if "svg" in outputs.files:
            verify_drawable(found)
        with terminal_watch() as watch:
            solution = solve_game(
                found,
                method,
                tremble=tremble,
                algorithm=algorithm,
                iterations=iterations,
                target=target,
                lookahead=lookahead or 0,
                watch=watch,
            )
        document = solution.document
        _print_solution(solution)
    outputs.write_json(document)
    if "svg" in outputs.files and not isinstance(found, NormalForm):
        outputs.write("svg", tree_picture(found, solution.profile))


def _print_solution(solution: GameSolution) -> None:
    content, rows = solution.document, solution.strategies
    console = output_console()
    console.print(f"{content['game']}: value {content['value']:.10g} for {content['players'][0]}", markup=False)
    if "exact_value" in content:
        console.print(f"exactly {content['exact_value']}")
    if "bracket" in content:
        low, high = content["bracket"]
        console.print(f"the value of the game is between {low:.10g} and {high:.10g}")
        console.print(f"{content['algorithm']}, {content['iterations']:,} iterations")
    console.print(f"exploitability {content['exploitability']:.3g}")
    if not content["unique_value"]:
        payoffs = ", ".join(
            f"{name} {one:.6g}" for name, one in zip(content["players"], content["payoffs"], strict=True)
        )
        console.print(f"payoffs: {payoffs}", markup=False)
        console.print("Not a game of two players with a constant sum: equilibria may differ in their payoffs.")
    if "lookahead" in content:
        found = content["lookahead"]
        console.print(
            f"looking {found['decisions']} own {'decision' if found['decisions'] == 1 else 'decisions'} ahead wins"
            f" {found['gain']:.3g}, {found['share']:.1%} of it"
        )
    shown = [
        (
            row.player,
            row.infoset,
            ", ".join(f"{action} {chance:.4f}" for action, chance in row.actions.items()) + " *" * (not row.reached),
        )
        for row in rows[:_MOST_ROWS]
    ]
    console.print(Table("strategies", "", ("player", "information set", "strategy"), tuple(shown)).rich())
    if len(rows) > _MOST_ROWS:
        console.print(f"{len(rows) - _MOST_ROWS:,} more information sets: --json writes all")
    if not all(row.reached for row in rows[:_MOST_ROWS]):
        console.print("* the player's own strategy never leads there")


def _print_matrix(content: dict[str, Any]) -> None:
    console = output_console()
    console.print(f"value {content['value']:.10g} for {content['players'][0]}")
    rows = [
        (one["player"], action, f"{probability:.6f}")
        for one in content["strategies"]
        for action, probability in one["actions"].items()
        if probability > 0
    ]
    console.print(Table("strategies", "", ("player", "action", "probability"), tuple(rows)).rich())
    pure = "; ".join(", ".join(cell) for cell in content["pure_equilibria"])
    console.print(f"pure equilibria: {pure or 'none'}", markup=False)
