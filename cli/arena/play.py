"""``hedgehog play``: connect a player to an ACPC dealer, or to a server of an HTTP game."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from hedgehog.agent.acpc.connection import verify_dealer_listens
from hedgehog.agent.acpc.join import ready_guest
from hedgehog.agent.specs import parse_player_spec
from hedgehog.agent.time_manager import HAND_LIMIT_MS, HandTime
from hedgehog.cli.given import refuse_options
from hedgehog.cli.online.play import online_options, play_at_server
from hedgehog.cli.outputs import claim_outputs, overwrite_option, write_json
from hedgehog.cli.player_options import game_option, player_threads_option, think_hand_option, think_option
from hedgehog.cli.termination import unmoved_by_signals
from hedgehog.cli.tools.completion import complete_players
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.acpc.handlog import read_log
from hedgehog.runtime.errors import ResourceError
from hedgehog.runtime.outputs import make_folder

_LONGEST_WAIT_S: Final = 86_400
_DEALER_OPTIONS: Final = (
    *("think_hand_ms", "t_hand", "hard_limit_ms", "patience_s", "log_file", "report_file", "record_file", "after_log"),
)
_SERVER_OPTIONS: Final = ("key", "hands", "concurrency", "workers", "out", "json_file")


@click.command()
@click.argument("host", metavar="HOST|ADDRESS")
@click.argument("port", metavar="[PORT]", type=click.IntRange(1, 65535), required=False)
@click.option(
    "--player",
    "spec_text",
    metavar="SPEC",
    default="default",
    show_default=True,
    help="default, pack:PATH, py:MODULE:CLASS, or a bot: fold, call, raise, allin, random, checkraise, minbet, "
    "offtree, jamfold.",
    shell_complete=complete_players,
)
@game_option
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the player's randomness.")
@think_option
@think_hand_option
@click.option(
    "--t-hand",
    type=click.IntRange(0),
    default=HAND_LIMIT_MS,
    show_default=True,
    metavar="MS",
    help="The dealer's limit per hand, which our player keeps.",
)
@click.option(
    "--hard-limit-ms",
    type=click.IntRange(1),
    help="Give a decision up after this time and call.  [default: no limit]",
)
@click.option(
    "--connect-timeout",
    "patience_s",
    type=click.IntRange(0, _LONGEST_WAIT_S),
    default=0,
    metavar="SECONDS",
    help="Once the player is loaded, wait so long for a dealer that does not listen yet.  [default: do not wait]",
)
@player_threads_option
@click.option(
    "--log",
    "log_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Log every line and every decision to this file.",
)
@click.option(
    "--report",
    "report_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write statistics of the match to this JSON file at its end.",
)
@click.option(
    "--record",
    "record_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Record at every decision what the player samples from, for hedgehog log aivat; with --after-log, go on with "
    "FILE.",
)
@overwrite_option
@click.option(
    "--after-log",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="LOG",
    help="Join a match late, after the hands of this match log; needs --as.",
)
@click.option(
    "--as",
    "name",
    metavar="NAME",
    help="The player's name in --after-log; with an ADDRESS: slumbot or benchmark, the game that is played there.",
)
@online_options
def play(
    host: str,
    port: int | None,
    spec_text: str,
    game: str,
    seed: int,
    think_ms: int,
    think_hand_ms: int,
    t_hand: int,
    hard_limit_ms: int | None,
    patience_s: int,
    threads: int | None,
    log_file: Path | None,
    report_file: Path | None,
    record_file: Path | None,
    overwrite: bool,
    after_log: Path | None,
    name: str | None,
    key: str,
    hands: int,
    concurrency: int,
    workers: int | None,
    out: Path,
    json_file: Path | None,
) -> None:
    """Play one match at the ACPC dealer that listens on HOST and PORT, or hands at the server at ADDRESS.

    An ADDRESS such as http://127.0.0.1:8050 is a server of Slumbot's game (--as slumbot) or of the GTO Wizard benchmark
    (--as benchmark). The player plays --hands hands there; with the same --out an interrupted run goes on. Requests are
    repeated as long as that is safe. A hand that cannot be played on is counted and has no result. Ctrl-C ends the run
    after the hands that are being played.

    At a dealer, the player is loaded and compiled before it connects. If nothing listens on a PORT of this machine, the
    command says so at once, unless --connect-timeout lets it wait for the dealer. It ends when the dealer closes the
    connection: with exit code 0 between two hands, 1 if the match broke off. Ctrl-C, SIGTERM and SIGHUP end it, too;
    --report and --record then hold what was played.
    """
    spec = parse_player_spec(spec_text)
    if host.startswith(("http://", "https://")):
        if port is not None:
            raise click.UsageError("the port belongs into the ADDRESS: http://HOST:PORT")
        refuse_options("is for a dealer at HOST and PORT", *_DEALER_OPTIONS)
        play_at_server(
            host,
            protocol=name,
            spec=spec,
            game=game,
            seed=seed,
            think_ms=think_ms,
            threads=threads,
            key=key,
            hands=hands,
            concurrency=concurrency,
            workers=workers,
            out=out,
            json_file=json_file,
            overwrite=overwrite,
        )
        return
    if port is None:
        raise click.UsageError("expected HOST and PORT of a dealer, or an ADDRESS such as http://127.0.0.1:8050")
    refuse_options("is for a server at an ADDRESS such as http://127.0.0.1:8050", *_SERVER_OPTIONS)
    load_gamedef(game)
    goes_on = after_log is not None and record_file is not None and record_file.is_file()
    # What a player of the user's prints is no result: it is there when it is printed.
    outputs = (log_file, report_file, None if goes_on else record_file)
    claim_outputs(*outputs, inputs=[after_log], overwrite=overwrite, hold=False)
    if (after_log is None) != (name is None):
        raise click.UsageError("--after-log and --as need each other")
    played = read_log(after_log) if after_log is not None else []
    if not patience_s:
        verify_dealer_listens(host, port)
    with _logging(log_file):
        guest = ready_guest(
            spec,
            game=game,
            seed=seed,
            think_ms=think_ms,
            threads=threads,
            hand_time=HandTime(think_hand_ms, t_hand),
            hard_limit_ms=hard_limit_ms,
            patience_s=patience_s,
            record=record_file,
            after_log=None if name is None else (played, name),
        )
        if spec.for_game(load_gamedef(game)).compiles:
            from hedgehog.cli.first_launch import prepare_first_launch

            prepare_first_launch(guest.player)
        try:
            guest.play(host, port)
        finally:
            with unmoved_by_signals():  # a signal interrupts even a decision, but not this
                try:
                    guest.close()
                finally:
                    if report_file is not None:
                        write_json(report_file, guest.report())


@contextmanager
def _logging(log_file: Path | None) -> Iterator[None]:
    """Sends everything our packages log to ``log_file``; without one, warnings and errors go to stderr."""
    if log_file is None:
        yield
        return
    make_folder(log_file.parent)
    try:
        handler = logging.FileHandler(log_file, mode="w", encoding="utf-8")
    except OSError as error:
        raise ResourceError(f"cannot write {log_file}: {error.strerror}") from error
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    ours = logging.getLogger("hedgehog")  # not the root logger: numba's debug messages would drown ours
    ours.addHandler(handler)
    ours.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        ours.removeHandler(handler)
        handler.close()
