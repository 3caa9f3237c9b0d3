"""The part of ``hedgehog play`` for servers of HTTP games."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from hedgehog.agent.specs import PlayerSpec
from hedgehog.cli.outputs import claim_outputs, output_option, write_json
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef

_OPTIONS = (
    click.option(
        "--key",
        metavar="KEY",
        default="",
        envvar="HEDGEHOG_KEY",
        show_envvar=True,
        help="Server: your key of the benchmark.",
    ),
    click.option(
        "--hands", type=click.IntRange(1), default=1000, show_default=True, help="Server: hands to play in all."
    ),
    click.option(
        "--concurrency",
        type=click.IntRange(1, 100),
        default=1,
        show_default=True,
        metavar="N",
        help="Server: hands at the same time; at most 20 for the benchmark.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(1),
        metavar="N",
        help="Server: processes with players.  [default: number of CPUs, at most 4 and --concurrency]",
    ),
    click.option(
        "--out",
        type=click.Path(file_okay=False, path_type=Path),
        default=Path("played"),
        show_default=True,
        metavar="DIR",
        help="Server: folder for the hands; hands of the same player at the same server go on there.",
    ),
    output_option("--json", "json_file", "the result at a server as JSON"),
)


def online_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options for servers of HTTP games to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def play_at_server(
    address: str,
    *,
    protocol: str | None,
    spec: PlayerSpec,
    game: str,
    seed: int,
    think_ms: int,
    threads: int | None,
    key: str,
    hands: int,
    concurrency: int,
    workers: int | None,
    out: Path,
    json_file: Path | None,
    overwrite: bool,
) -> None:
    """Plays at a server and shows the result.

    :raises HedgehogError: as :func:`hedgehog.interop.http.client.play.play_online` raises it.
    """
    if protocol is None:
        raise click.UsageError("say which game the server has: --as slumbot or --as benchmark")
    from hedgehog.cli.arena.running import stoppable
    from hedgehog.cli.console import output_console
    from hedgehog.cli.log.common import named_table
    from hedgehog.interop.http.client.play import PlaySettings, play_online, verify_played
    from hedgehog.interop.http.client.record import Played
    from hedgehog.interop.http.client.report import document_of, result_tables

    game_file = find_gamedef(game)
    settings = PlaySettings(
        address=address,
        protocol=protocol,
        spec=spec,
        game=game_file.name.removesuffix(".game"),
        gamedef=read_gamedef(game_file),
        hands=hands,
        key=key,
        seed=seed,
        think_ms=spec.thinking(think_ms),
        threads=threads,
        concurrency=concurrency,
        workers=workers,
    )
    verify_played(settings, out)
    claim_outputs(json_file, overwrite=overwrite)
    if spec.for_game(settings.gamedef).compiles:
        from hedgehog.cli.first_launch import prepare_first_launch

        prepare_first_launch()

    def show(played: Played) -> None:
        console = output_console()
        for table in result_tables(settings, played):
            console.print(named_table(table))
        for reason in played.reasons():
            click.echo(f"broken {reason}", err=True)

    with stoppable(lambda: click.echo(f"the same command goes on with the hands in {out}", err=True)) as watch:
        played = play_online(settings, out, watch=watch, overwrite=overwrite)
    if json_file is not None:
        write_json(json_file, document_of(settings, played))
    show(played)
