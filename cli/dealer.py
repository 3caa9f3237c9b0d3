"""``hedgehog dealer``: the ACPC dealer with the arguments, flags and output of the official one."""

from __future__ import annotations

import asyncio
import contextlib
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import click

from dealer.server import Journal, MatchServer, ServerOptions, encode
from dealer.table import Table, TimeLimits
from dealer.transactions import Transaction, parse_transaction
from poker.errors import InputError, MatchError
from poker.gamedef import find_gamedef, read_gamedef
from poker.handlog import LogHeader, format_header
from poker.scanf import scan_integer

EXIT_FAILED = 1


def _unsigned(text: str, what: str) -> int:
    scanned = scan_integer(text, 0, 32)
    if scanned is None:
        raise InputError(f"invalid {what} {text}")
    return scanned[0]


def _parse_ports(text: str) -> list[int]:
    parts = text.split(",")
    if not all(re.fullmatch("[0-9]{1,5}", part) and int(part) < 1 << 16 for part in parts):
        raise InputError(f"bad port string {text}, expected port numbers below 65536 separated by commas")
    return [int(part) for part in parts]


def _open(path: Path, *, append: bool, what: str) -> BinaryIO:
    try:
        return path.open("ab" if append else "wb")
    except OSError as error:
        raise InputError(f"could not open {what} file {path} ({error.strerror})") from error


def _read_transactions(path: Path) -> Iterator[Transaction]:
    """Reads a transaction log now; a malformed line is an error only when the match comes to it."""
    lines = path.read_text("latin-1").splitlines() if path.exists() else []
    return map(parse_transaction, lines)


@click.command(context_settings={"max_content_width": 100})
@click.argument("match")
@click.argument("gamedef")
@click.argument("hands")
@click.argument("seed")
@click.argument("names", nargs=-1, required=True)
@click.option("-p", "ports", metavar="PORT,PORT,...", default="", help="Port per seat; missing or 0: from the seed.")
@click.option("--bind", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("-f", "fixed_seats", is_flag=True, help="Seats keep their positions from hand to hand.")
@click.option("-L/-l", "log", default=True, help="Write MATCH.log or not (default: write it).")
@click.option("-T/-t", "transactions", default=False, help="Write MATCH.tlog or not (default: do not).")
@click.option("-a", "append", is_flag=True, help="Append to the log files; with -T, resume the match in MATCH.tlog.")
@click.option("-q", "quiet", is_flag=True, help="Only errors, warnings and the score on stderr.")
@click.option(
    "--t_response", metavar="MS", type=click.IntRange(0), default=600000, show_default=True, help="Time for one answer."
)
@click.option(
    "--t_hand",
    metavar="MS",
    type=click.IntRange(0),
    default=600000,
    show_default=True,
    help="Time of one seat per hand.",
)
@click.option(
    "--t_per_hand", metavar="MS", type=click.IntRange(0), default=7000, show_default=True, help="Average time per hand."
)
@click.option(
    "--start_timeout", metavar="MS", type=int, default=-1, help="Time for all seats to connect; < 0: no limit."
)
def dealer(
    match: str,
    gamedef: str,
    hands: str,
    seed: str,
    names: tuple[str, ...],
    ports: str,
    bind: str,
    fixed_seats: bool,
    log: bool,
    transactions: bool,
    append: bool,
    quiet: bool,
    t_response: int,
    t_hand: int,
    t_per_hand: int,
    start_timeout: int,
) -> int:
    """Run a match between as many clients as GAMEDEF has players, by the ACPC protocol 2.0.0.

    Prints the port of every seat, waits for the clients, deals HANDS hands from SEED and prints the SCORE line.
    GAMEDEF is a file or the name of a shipped game. Exit status 1 if the match could not be completed.
    """
    game = read_gamedef(find_gamedef(gamedef))
    if len(names) < game.num_players:
        raise click.UsageError(f"{gamedef} needs {game.num_players} player names, got {len(names)}")
    num_hands, seed_number = _unsigned(hands, "number of hands"), _unsigned(seed, "random number seed")
    if num_hands == 0:
        raise InputError(f"invalid number of hands {hands}")
    options = ServerOptions(
        seed=seed_number,
        bind=bind,
        ports=_parse_ports(ports) if ports else (),
        start_timeout_s=start_timeout / 1000 if start_timeout >= 0 else None,
        quiet=quiet,
    )
    table = Table(
        game,
        names[: game.num_players],
        num_hands=num_hands,
        seed=seed_number,
        fixed_seats=fixed_seats,
        limits=TimeLimits(t_response * 1000, t_hand * 1000, t_per_hand * 1000 * num_hands),
    )
    header = (
        f"{format_header(LogHeader(match, gamedef, num_hands, seed_number))}\n"
        f"#--t_response {t_response}\n#--t_hand {t_hand}\n#--t_per_hand {t_per_hand}\n"
    )
    messages = sys.stderr.buffer
    try:
        with contextlib.ExitStack() as files:
            log_file = transaction_file = None
            played: Iterable[Transaction] = ()
            if log:
                log_file = files.enter_context(_open(Path(f"{match}.log"), append=append, what="log"))
            for stream in filter(None, (log_file, messages)):
                stream.write(encode(header))
                stream.flush()
            if transactions:
                path = Path(f"{match}.tlog")
                played = _read_transactions(path) if append else ()
                transaction_file = files.enter_context(_open(path, append=append, what="transaction"))
            server = MatchServer(table, options, Journal(messages, log_file, transaction_file), played)
            _print(asyncio.run(server.run(_print_ports)))
    except (MatchError, OSError) as error:  # OSError: a full disk, a closed pipe
        messages.write(encode(f"ERROR: {error}\n"))
        messages.flush()
        return EXIT_FAILED
    return 0


def _print(line: str) -> None:
    """Prints a line at once, names byte for byte as they were on the command line."""
    click.echo(encode(line))


def _print_ports(ports: list[int]) -> None:
    _print(" ".join(map(str, ports)))
