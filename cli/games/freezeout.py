"""``hedgehog game freezeout``: freeze-outs between two players, winner takes all, inside one process."""

from __future__ import annotations

import click

from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.tools.completion import complete_players


@click.command()
@click.argument("first", metavar="A", shell_complete=complete_players)
@click.argument("second", metavar="B", shell_complete=complete_players)
@click.option(
    "--games",
    type=click.IntRange(2),
    default=1000,
    show_default=True,
    help="Number of games; they come in pairs with equal cards, so an odd number is rounded up.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of cards and players.")
@click.option(
    "--stacks", type=(int, int), default=(4000, 4000), show_default=True, help="Chips of A and B before the first hand."
)
@click.option("--blinds", type=(int, int), default=(300, 600), show_default=True, help="Small and big blind.")
@click.option(
    "--think-ms",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Most thinking time of our player per decision; 0 plays from the packs alone.",
)
@output_options(json="the result")
def freezeout(
    first: str,
    second: str,
    games: int,
    seed: int,
    stacks: tuple[int, int],
    blinds: tuple[int, int],
    think_ms: int,
    outputs: Outputs,
) -> None:
    """Play freeze-outs between the players A and B: stacks go on from hand to hand, the winner takes all.

    A and B are players as in `hedgehog match`, except programs of their own (cmd:). The player jamfold plays the
    equilibrium of the tournament here. The players default and pack:PATH see every hand in the chips of their own game,
    200 big blinds deep, and do not know how short the stacks are. Every hand is a match of its own for a player.

    The button alternates. After 1,000 hands a game ends, and the share of the chips counts.
    """
    from hedgehog.analysis.games.freeze_outs import measure_freeze_outs
    from hedgehog.arena.freeze_out import FreezeOutRules

    outputs.claim()
    rules = FreezeOutRules(stacks, blinds)
    with terminal_watch() as watch:
        found = measure_freeze_outs(first, second, rules, games=games, seed=seed, think_ms=think_ms, watch=watch)
    console = output_console()
    console.print(
        f"{found.games:,} freeze-outs in {found.games // 2:,} pairs, {stacks[0]:,} and {stacks[1]:,} chips, blinds"
        f" {blinds[0]}/{blinds[1]}; {found.hands_per_game:.2f} hands per game",
        markup=False,
    )
    console.print(found.wins.rich())
    for remark in found.remarks:
        console.print(remark, markup=False, soft_wrap=True)
    outputs.write_json(found.document)
