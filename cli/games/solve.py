"""``hedgehog game solve``: equilibria by linear programs, backward induction, exact rationals or CFR."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from rich.table import Table

from hedgehog.cli.console import output_console
from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import claim_outputs, json_option, output_option, overwrite_option, write_json, write_output
from hedgehog.cli.solves.solver_options import PositiveNumber
from hedgehog.runtime.documents import json_document

if TYPE_CHECKING:
    from hedgehog.gametheory.normal_games import NormalForm
    from hedgehog.gametheory.tree import ExtensiveGame, Floats

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
@output_option("--svg", "svg_file", "a picture of the tree with the strategies (at most 200 nodes)")
@json_option("value and strategies")
@overwrite_option
def solve(
    source: str,
    parameters: tuple[str, ...],
    method: str,
    tremble: float,
    algorithm: str,
    iterations: int,
    target: float,
    svg_file: Path | None,
    json_file: Path | None,
    overwrite: bool,
) -> None:
    """Solve GAME: its value, the strategy at every information set, and what a best response gains.

    Strategies at information sets that the player's own strategy never reaches are marked with a star.
    """
    from hedgehog.analysis.games.tree_drawing import tree_picture, verify_drawable
    from hedgehog.cli.games.sources import find_game, input_file
    from hedgehog.gametheory.normal_games import NormalForm
    from hedgehog.runtime.errors import GameError

    if method != "cfr":
        refuse_options("goes with --method cfr", "algorithm", "iterations", "target")
    if method != "lp":
        refuse_options("goes with --method lp", "tremble")
    claim_outputs(svg_file, json_file, inputs=[input_file(source)], overwrite=overwrite)
    found = find_game(source, parameters)
    if isinstance(found, NormalForm):
        if svg_file is not None or method != "lp":
            raise GameError(f"{source!r} is a matrix: it has no tree and is solved by --method lp")
        refuse_options("is for trees: the game is a matrix", "tremble")
        _solve_matrix(found, source, json_file)
        return
    content: dict[str, Any] = {"method": method}
    if svg_file is not None:
        verify_drawable(found)
    profile = _profile(found, content, method, tremble, algorithm, iterations, target)
    _report(found, profile, content, json_file)
    if svg_file is not None:
        write_output(svg_file, tree_picture(found, profile))


def _profile(
    found: ExtensiveGame,
    content: dict[str, Any],
    method: str,
    tremble: float,
    algorithm: str,
    iterations: int,
    target: float,
) -> tuple[Floats, ...]:
    """Returns the strategies, and adds what the method says about the value to ``content``."""
    if method == "induction":
        from hedgehog.gametheory.induction import backward_induction

        induced = backward_induction(found)
        content["value"] = float(induced.values[0, 0])
        return induced.profile
    if method == "cfr":
        return _by_cfr(found, content, algorithm, iterations, target)
    from hedgehog.gametheory.sequence_form import solve_sequence_form

    if method == "exact":
        from hedgehog.gametheory.files import exact_value

        content["exact_value"] = str(exact_value(found))
    solution = solve_sequence_form(found, tremble=tremble)
    content |= {"value": solution.value, "duality_gap": solution.gap}
    return solution.profile


def _by_cfr(
    found: ExtensiveGame, content: dict[str, Any], algorithm: str, iterations: int, target: float
) -> tuple[Floats, ...]:
    from hedgehog.cli.progress import show_progress
    from hedgehog.gametheory.cfr import GameCfr
    from hedgehog.gametheory.strategies import expected_payoffs

    solver = GameCfr(found, algorithm)
    with show_progress("solving", iterations, "iterations") as progress:
        solver.run(
            target=target,
            iterations=iterations,
            report=lambda done, reached: progress.update(done, f"exploitability {reached:.3g}"),
        )
    content |= {"algorithm": str(solver.algorithm), "iterations": solver.iteration}
    if len(found.players) == 2 and found.constant_sum() is not None:
        content["bracket"] = list(solver.bracket())
    profile = solver.profile()
    content["value"] = float(expected_payoffs(found, profile)[0])
    return profile


def _report(found: ExtensiveGame, profile: tuple[Floats, ...], content: dict[str, Any], json_file: Path | None) -> None:
    from hedgehog.gametheory.strategies import describe, expected_payoffs, exploitability

    rows = describe(found, profile)
    content["payoffs"] = expected_payoffs(found, profile).tolist()
    content["exploitability"] = exploitability(found, profile)
    content["strategies"] = [row._asdict() for row in rows]
    console = output_console()
    console.print(f"{found.name}: value {content['value']:.10g} for {found.players[0]}", markup=False)
    if "exact_value" in content:
        console.print(f"exactly {content['exact_value']}")
    if "bracket" in content:
        low, high = content["bracket"]
        console.print(f"the value of the game is between {low:.10g} and {high:.10g}")
        console.print(f"{content['algorithm']}, {content['iterations']:,} iterations")
    console.print(f"exploitability {content['exploitability']:.3g}")
    table = Table("player", "information set", "strategy")
    for row in rows[:_MOST_ROWS]:
        text = ", ".join(f"{action} {chance:.4f}" for action, chance in row.actions.items())
        table.add_row(row.player, row.infoset, text + ("" if row.reached else " *"))
    console.print(table)
    if len(rows) > _MOST_ROWS:
        console.print(f"{len(rows) - _MOST_ROWS:,} more information sets: --json writes all")
    if not all(row.reached for row in rows[:_MOST_ROWS]):
        console.print("* the player's own strategy never leads there")
    if json_file is not None:
        write_json(json_file, json_document("game-solution", game=found.name, players=found.players, **content))


def _solve_matrix(form: NormalForm, source: str, json_file: Path | None) -> None:
    from hedgehog.gametheory.normal_games import pure_equilibria, solve_matrix

    solution = solve_matrix(form)
    pure = [[names[i] for names, i in zip(form.actions, cell, strict=True)] for cell in pure_equilibria(form)]
    console = output_console()
    console.print(f"value {solution.value:.10g} for {form.players[0]}")
    table = Table("player", "action", "probability")
    for name, actions, mixture in zip(form.players, form.actions, (solution.row, solution.column), strict=True):
        for action, probability in zip(actions, mixture, strict=True):
            if probability > 0:
                table.add_row(name, action, f"{probability:.6f}")
    console.print(table)
    console.print("pure equilibria: " + ("; ".join(", ".join(cell) for cell in pure) or "none"), markup=False)
    if json_file is not None:
        strategies = [
            {"player": name, "actions": dict(zip(actions, mixture.tolist(), strict=True))}
            for name, actions, mixture in zip(form.players, form.actions, (solution.row, solution.column), strict=True)
        ]
        content: dict[str, Any] = {"value": solution.value, "duality_gap": solution.gap, "pure_equilibria": pure}
        document = json_document(
            "game-solution", game=source, players=form.players, method="lp", **content, strategies=strategies
        )
        write_json(json_file, document)
