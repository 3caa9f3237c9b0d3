"""Options that the commands with players share."""

from __future__ import annotations

import click

from hedgehog.agent.time_manager import DEFAULT_THINK_MS, HAND_AVERAGE_MS
from hedgehog.cli.tools.completion import complete_games
from hedgehog.poker.acpc.gamedef import DEFAULT_GAME

game_option = click.option(
    "--game",
    metavar="GAMEDEF",
    default=DEFAULT_GAME,
    show_default=True,
    help="Game definition: a file or the name of a shipped one.",
    shell_complete=complete_games,
)
think_option = click.option(
    "--think-ms",
    type=click.IntRange(0),
    default=DEFAULT_THINK_MS,
    show_default=True,
    help="Most thinking time of our player per decision; 0 plays from the packs alone.",
)
think_hand_option = click.option(
    "--think-hand-ms",
    type=click.IntRange(0),
    default=HAND_AVERAGE_MS,
    show_default=True,
    help="Most thinking time of our player per hand, on average over the match.",
)
player_threads_option = click.option("--threads", type=click.IntRange(1), help="Threads of our player.  [default: 1]")
