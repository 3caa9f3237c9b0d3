"""``hedgehog game evaluate``: how good strategies of one's own are in a small game."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.runtime.table import Table

_MOST_ROWS: Final = 20


@click.command()
@click.argument("source", metavar="GAME")
@click.argument("profile", type=click.Path(path_type=Path), metavar="PROFILE")
@click.option("-p", "parameters", multiple=True, metavar="KEY=VALUE", help="Parameter of the rules, such as n=13.")
@output_options(json="the rating, with all information sets")
def evaluate(source: str, profile: Path, parameters: tuple[str, ...], outputs: Outputs) -> None:
    """Rate strategies for GAME: payoffs, what best responses gain, and the costliest information sets.

    PROFILE is a JSON file with the key strategies, as `hedgehog game solve --json` writes it: a list of objects with
    player, infoset, and actions with their probabilities. For a payoff matrix they have no infoset, and actions that
    are left out are never taken.
    """
    from hedgehog.analysis.games.sources import find_game, input_file
    from hedgehog.gametheory.normal_games import NormalForm
    from hedgehog.gametheory.profiles import parse_mixtures, parse_profile, rate_mixtures, rate_profile
    from hedgehog.runtime.errors import GameError
    from hedgehog.runtime.text_files import read_lines

    outputs.claim(input_file(source), profile)
    game = find_game(source, parameters)
    text = "\n".join(read_lines(profile, GameError, "strategies"))
    if isinstance(game, NormalForm):
        rating = rate_mixtures(game, parse_mixtures(text, game, str(profile)), source)
    else:
        rating = rate_profile(game, parse_profile(text, game, str(profile)))
    content, console = rating.document, output_console()
    for player, payoff, gain in zip(content["players"], content["payoffs"], content["gains"], strict=True):
        console.print(f"{player}: payoff {payoff:.10g}, a best response gains {gain:.6g}", markup=False)
    console.print(f"exploitability {content['exploitability']:.6g}")
    if not content["unique_value"]:
        console.print("Not a game of two players with a constant sum: equilibria may differ in their payoffs.")
    rows = [
        (
            row.player,
            row.infoset,
            # A strategy of a matrix may leave out most of its actions.
            ", ".join(f"{action} {chance:.4f}" for action, chance in row.actions.items() if row.infoset or chance),
            row.best,
            f"{row.reach:.4f}",
            f"{row.loss:.6f}",
        )
        for row in rating.losses[:_MOST_ROWS]
        if row.loss > 0
    ]
    columns = ("player", "information set", "strategy", "best", "reached", "lost per play")
    if rows:
        console.print(Table("losses", "", columns, tuple(rows)).rich())
    else:
        console.print("Nothing is lost at any information set: the strategies are an equilibrium.")
    costly = sum(row.loss > 0 for row in rating.losses)
    if costly > _MOST_ROWS:
        console.print(f"{costly - _MOST_ROWS:,} more information sets at which something is lost: --json has all")
    outputs.write_json(content)
