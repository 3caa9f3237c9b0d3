"""``hedgehog serve``: a player behind the HTTP games of Slumbot and of the benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hedgehog.agent.specs import parse_entrant
from hedgehog.cli.console import output_console
from hedgehog.cli.given import refuse_options
from hedgehog.cli.player_options import game_option, player_threads_option, think_option
from hedgehog.cli.tools.completion import complete_players
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef

if TYPE_CHECKING:
    from hedgehog.interop.http.book import Book


@click.command()
@click.option(
    "--player",
    "spec_text",
    metavar="SPEC",
    default="default",
    show_default=True,
    help="The player behind the games, see match --help; not cmd:.",
    shell_complete=complete_players,
)
@click.option("--port", type=click.IntRange(0, 65535), default=8050, show_default=True, help="TCP port; 0: a free one.")
@click.option(
    "--bind",
    "address",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="IP address to listen on; 0.0.0.0 lets other machines play.",
)
@click.option(
    "--key",
    "keys",
    metavar="KEY",
    multiple=True,
    help="A key of the benchmark's game that is accepted; may be given several times.  [default: every key is]",
)
@game_option
@click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Seed of cards and player."
)
@think_option
@player_threads_option
@click.option(
    "--workers",
    type=click.IntRange(1),
    metavar="N",
    help="Processes with players.  [default: number of CPUs, at most 4]",
)
@click.option("--aivat/--no-aivat", default=True, show_default=True, help="Score every hand by AIVAT.")
@click.option(
    "--left-after",
    "left_after_s",
    type=click.IntRange(1),
    default=1800,
    show_default=True,
    metavar="SECONDS",
    help="A hand without a request for so long is closed without a result.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("served"),
    show_default=True,
    metavar="DIR",
    help="Folder for the hands; a game of the same player, seed and blinds goes on there.",
)
@click.option("--overwrite", is_flag=True, help="Begin anew in --out DIR (a served game; nothing else, ever).")
def serve(
    spec_text: str,
    port: int,
    address: str,
    keys: tuple[str, ...],
    game: str,
    seed: int,
    think_ms: int,
    threads: int | None,
    workers: int | None,
    aivat: bool,
    left_after_s: int,
    out: Path,
    overwrite: bool,
) -> None:
    """Let programs written for Slumbot or for the GTO Wizard benchmark play against our player, on this machine.

    A client of Slumbot's game gets the address /api in place of that of slumbot.com, a client of the benchmark the
    address alone. Both games have the blinds and stacks of --stack and --blinds, 200 big blinds unless they are given.

    Every hand is in DIR/hands.log. Whoever plays many hands at a time waits for one of the --workers; --think-ms is the
    time of a decision from then on. Tokens, results and open hands survive a restart with the same --out.

    A hand is closed without a result if its client, having acted in it, asks Slumbot's game for a new one, or if it
    asks for nothing during --left-after seconds. Such hands are counted. Ctrl-C ends the server and prints what the
    clients have won.
    """
    from hedgehog.interop.http.serve import (
        ServeSettings,
        results_table,
        serve_games,
        tells_strategy,
        verify_served,
    )

    game_file, spec = find_gamedef(game), parse_entrant(spec_text)
    settings = ServeSettings(
        spec=spec,
        game=game_file.name.removesuffix(".game"),
        gamedef=read_gamedef(game_file),
        seed=seed,
        think_ms=spec.thinking(think_ms),
        threads=threads,
        workers=workers,
        aivat=aivat,
        keys=keys,
        address=address,
        port=port,
        left_after_s=left_after_s,
    )
    verify_served(settings, out, overwrite=overwrite)
    if aivat and not tells_strategy(settings.spec, settings.gamedef):
        refuse_options("needs a player that tells its strategy: ours, or a bot other than random", "aivat")
    if settings.spec.for_game(settings.gamedef).compiles:
        from hedgehog.cli.first_launch import prepare_first_launch

        prepare_first_launch()

    def ready(address: str, book: Book) -> None:
        played, waiting = book.logged, len(book.hands)
        click.echo(f"Slumbot's game is at      {address}/api\nThe benchmark's game is at {address}")
        if played or waiting:
            click.echo(f"{out} goes on after {played:,} hands; {waiting:,} are being played.")
        click.echo("Ctrl-C ends it.")

    sessions = serve_games(settings, out, ready, overwrite=overwrite)
    if any(session.winnings or session.left for session in sessions):
        from hedgehog.cli.log.common import named_table

        output_console().print(named_table(results_table(sessions, settings.gamedef.big_blind)))
