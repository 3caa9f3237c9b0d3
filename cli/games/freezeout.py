"""``hedgehog game freezeout``: freeze-outs between two players, winner takes all, on any engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hedgehog.cli.console import output_console
from hedgehog.cli.dask_option import engine_options
from hedgehog.cli.first_launch import prepare_first_launch
from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.cli.player_options import levels_option
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.tools.completion import complete_players
from hedgehog.runtime.errors import StoppedError

if TYPE_CHECKING:
    from hedgehog.arena.freeze_out.rules import FreezeOutRules


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
    "--stack",
    metavar="N|NNbb",
    default=None,
    help="Chips of both players before the first hand, or big blinds of the first level.",
)
@click.option(
    "--stacks", type=(int, int), default=(4000, 4000), show_default=True, help="Chips of A and B before the first hand."
)
@click.option("--blinds", type=(int, int), default=(300, 600), show_default=True, help="Small and big blind.")
@levels_option
@click.option(
    "--think-ms",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Most thinking time of our player per decision; 0 plays from the packs alone.",
)
@engine_options
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write an ACPC log of every game into this folder.",
)
@click.option("--resume", is_flag=True, help="Go on with the same freeze-outs in --out DIR.")
@output_options(json="the result")
def freezeout(
    first: str,
    second: str,
    games: int,
    seed: int,
    stack: str | None,
    stacks: tuple[int, int],
    blinds: tuple[int, int],
    levels: str | None,
    think_ms: int,
    jobs: int,
    dask: str | None,
    out: Path | None,
    resume: bool,
    outputs: Outputs,
) -> None:
    """Play freeze-outs between the players A and B: stacks go on from hand to hand, the winner takes all.

    A and B are players as in `hedgehog match`, except programs of their own (cmd:). Every hand is a match of its own
    for a player, which is told both stacks and the blinds. The player jamfold plays the equilibrium of the tournament
    if the blinds are fixed; with --levels it plays every hand for chips, and refuses levels at which both players may
    have more than 15 big blinds.

    The button alternates. Who has less than a blind posts what it has. After 1,000 hands a game ends, and the share of
    the chips counts.

    The chips won per hand are in mbb, thousandths of the big blind of the level, over all hands of all games; all-in
    adjusted, an all-in counts with its average over all boards. Ctrl-C stops and prints what is known.

    A log holds one game. Every hand with other stacks or blinds than the hand before names its own game in a header
    line; `hedgehog log` and the explorer read such logs.
    """
    from hedgehog.analysis.games.freeze_outs import ready_freeze_outs

    if out is None:
        refuse_options("goes with --out", "resume")
    if resume and outputs.overwrite and out is not None:
        raise click.UsageError("--resume goes on with freeze-outs and --overwrite replaces them: choose one")
    rules = _rules(stack, stacks, blinds, levels)
    ready = ready_freeze_outs(
        first, second, rules,
        games=games, seed=seed, think_ms=think_ms, out=out, resume=resume, overwrite=outputs.overwrite,
    )  # fmt: skip
    outputs.claim(*ready.inputs)
    if ready.compiles:
        prepare_first_launch()
    from hedgehog.runtime.engines.opening import open_engine

    with open_engine(jobs, dask, in_process=True) as engine, terminal_watch(stoppable=True) as watch:
        found = ready.play(engine=engine, watch=watch)
    if found is None:
        raise StoppedError
    console = output_console()
    blinds_text = f"levels {rules.levels_text}" if rules.earlier else f"blinds {rules.levels_text}"
    console.print(
        f"{found.games:,} freeze-outs in {found.games // 2:,} pairs, {rules.stacks[0]:,} and {rules.stacks[1]:,} chips,"
        f" {blinds_text}; {found.hands_per_game:.2f} hands per game",
        markup=False,
    )
    console.print(found.wins.rich())
    console.print(found.chips.rich())
    for remark in found.remarks:
        console.print(remark, markup=False, soft_wrap=True)
    if out is not None:
        console.print(f"Logs: {out}", markup=False, soft_wrap=True)
    outputs.write_json(found.document)
    if found.interrupted:
        raise StoppedError


def _rules(stack: str | None, stacks: tuple[int, int], blinds: tuple[int, int], levels: str | None) -> FreezeOutRules:
    """Returns the rules of the options.

    :raises click.UsageError: if two options say the same.
    :raises InputError: if a text is malformed, or the chips and blinds are impossible.
    """
    from hedgehog.arena.freeze_out.rules import FreezeOutRules, parse_levels
    from hedgehog.poker.acpc.chosen_game import parse_stack

    if levels is not None:
        refuse_options("does not go with --levels, which has the blinds", "blinds")
    earlier, last = ((), blinds) if levels is None else parse_levels(levels)
    if stack is not None:
        refuse_options("does not go with --stack, which both players have", "stacks")
        chips = parse_stack(stack, earlier[0].big if earlier else last[1])
        stacks = chips, chips
    return FreezeOutRules(stacks, last, earlier)
