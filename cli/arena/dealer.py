"""``hedgehog dealer``: the ACPC dealer with the arguments, flags and output of the official one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO, Final

import click

from hedgehog.cli.exit_codes import EXIT_FAULT
from hedgehog.cli.given import refuse_options
from hedgehog.cli.termination import ending_signals
from hedgehog.cli.tools.completion import complete_games
from hedgehog.dealer.answers import AnswerBook, read_answers
from hedgehog.dealer.clock import HAND_MS, PER_HAND_MS, RESPONSE_MS, VERSION_MS, time_limits
from hedgehog.dealer.journal import Journal, LineFile, MessageStream, encode
from hedgehog.dealer.resume import count_logged_hands, read_logged_hands, read_transactions
from hedgehog.dealer.server import MatchServer, ServerOptions
from hedgehog.dealer.table import Table
from hedgehog.dealer.transactions import Transaction, is_transaction
from hedgehog.poker.acpc.gamedef import find_gamedef, load_gamedef
from hedgehog.poker.acpc.handlog import LogHeader, format_header, format_log_head, parse_header
from hedgehog.poker.acpc.scanf import scan_integer
from hedgehog.runtime.errors import InputError, LogError, MatchError
from hedgehog.runtime.folder_lock import POLL_S, try_lock
from hedgehog.runtime.input_files import open_input
from hedgehog.runtime.outputs import verify_output_file
from hedgehog.runtime.socket_stream import LINGER_S

_LONGEST_LINE: Final = 10_000
_LOCK_PATIENCE_S: Final = 2.0
"""Seconds to wait for a log whose last dealer was killed, until the system has closed its files."""
_LONG_OPTIONS = ("bind", "t_response", "t_hand", "t_per_hand", "start_timeout", "help")


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


def _milliseconds(text: str, what: str) -> int:
    scanned = scan_integer(text, 0, 64, signed=True)
    if scanned is None:
        raise InputError(f"could not get {what} from {text}, expected milliseconds")
    return scanned[0]


def _time_limit(text: str, what: str) -> int:
    limit = _milliseconds(text, what)
    if limit < 0:
        raise InputError(f"could not get {what} from {text}, expected at least 0 milliseconds")
    return limit


def _seconds(text: str, what: str) -> float | None:
    """Returns a time in milliseconds as seconds; None for a negative one, which means no limit."""
    milliseconds = _milliseconds(text, what)
    return milliseconds / 1000 if milliseconds >= 0 else None


def _open(path: Path, *, goes_on: bool, what: str) -> BinaryIO:
    """Opens a log for writing at its end, and locks it: two dealers never write to one file.

    :param goes_on: the file must exist.
    :raises InputError: if the file cannot be opened, or another dealer is writing to it.
    """
    # Without O_NONBLOCK a named pipe without a reader would be waited for.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK | (0 if goes_on else os.O_CREAT)
    try:
        descriptor = os.open(path, flags, 0o666)
    except OSError as error:
        raise InputError(f"could not open {what} file {path} ({error.strerror})") from error
    os.set_blocking(descriptor, True)
    file = os.fdopen(descriptor, "ab", buffering=0)
    deadline = time.monotonic() + _LOCK_PATIENCE_S
    while not try_lock(descriptor):
        if time.monotonic() >= deadline:
            file.close()
            raise InputError(f"another dealer is writing {what} file {path}: expected another MATCH or folder")
        time.sleep(POLL_S)
    return file


def _line_file(file: BinaryIO | None, path: Path, *, keep: bool) -> LineFile | None:
    """Returns an opened log for writing lines.

    :param keep: keep what is in the file.
    """
    if file is None:
        return None
    if not keep:
        with contextlib.suppress(OSError):  # a device has no content
            file.truncate(0)
    return LineFile(file, str(path))


def _verify_replaceable(path: Path, is_ours: Callable[[str], bool], what: str) -> None:
    """Checks that a path is free, or holds a file that an earlier match has written.

    :param is_ours: tells whether the first line of a file is the first line that a match writes.
    :param what: name of the kind of file, for the message.
    :raises InputError: if another file is there.
    """
    try:
        with open_input(path) as file:
            first = file.readline(_LONGEST_LINE).decode("latin-1").rstrip("\n")
    except OSError:  # there is none, or opening it for writing says what is wrong
        return
    if first and not is_ours(first):
        raise InputError(f"exists already and is not {what}: expected another MATCH, or --overwrite", source=str(path))


def _starts_log(line: str) -> bool:
    try:
        return parse_header(line) is not None
    except LogError:
        return False


def _complete_option(token: str) -> str:
    """Completes a unique beginning of a long option, as GNU getopt does."""
    found = [name for name in _LONG_OPTIONS if len(token) > 1 and name.startswith(token)]
    return found[0] if len(found) == 1 else token


@click.command(context_settings={"max_content_width": 100, "token_normalize_func": _complete_option})
@click.argument("match")
@click.argument("gamedef", shell_complete=complete_games)
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
@click.option("--t_response", metavar="MS", default=str(RESPONSE_MS), show_default=True, help="Time for one answer.")
@click.option("--t_hand", metavar="MS", default=str(HAND_MS), show_default=True, help="Time of one seat per hand.")
@click.option("--t_per_hand", metavar="MS", default=str(PER_HAND_MS), show_default=True, help="Average time per hand.")
@click.option(
    "--start_timeout",
    metavar="MS",
    default="-1",
    show_default=True,
    help="Time for all seats to connect; < 0: no limit.",
)
@click.option(
    "--version_timeout",
    metavar="MS",
    default=None,
    help="Time for the version lines of all seats, once the last one has connected; < 0: no limit. The official dealer "
    f"has no such option.  [default: -1; with --answers {VERSION_MS}]",
)
@click.option(
    "--answers",
    "answers_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    default=None,
    help="Record in FILE (JSON) how each seat answers: times, corrected, illegal and slow answers. Warnings then name "
    "seat, hand and line. The official dealer has no such option.",
)
@click.option(
    "--go-on",
    is_flag=True,
    help="Go on after the last whole hand in MATCH.log, with clients that need not know the hands before. The official "
    "dealer has no such option.",
)
@click.option(
    "--first-hand",
    type=click.IntRange(0, 2**32 - 1),
    default=0,
    show_default=True,
    metavar="N",
    help="Number of the first hand: deal HANDS hands from the middle of a match. The official dealer has no such "
    "option.",
)
@click.option("--overwrite", is_flag=True, help="Replace files that are no logs of a match, and the file of --answers.")
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
    t_response: str,
    t_hand: str,
    t_per_hand: str,
    start_timeout: str,
    version_timeout: str | None,
    answers_file: Path | None,
    go_on: bool,
    first_hand: int,
    overwrite: bool,
) -> int:
    """Run a match between as many clients as GAMEDEF has players, by the ACPC protocol 2.0.0.

    Prints the port of every seat, waits for the clients, deals HANDS hands from SEED and prints the SCORE line.
    GAMEDEF is a file or the name of a shipped game. Exit status 1 if the match could not be completed.

    Like the official dealer it replaces MATCH.log (and with -T MATCH.tlog) of an earlier match, unless -a or --go-on
    is given. A file of that name that is no log of a match is left alone.
    """
    _verify_options(go_on=go_on, starts_new=not append and not transactions, log=log, first_hand=first_hand)
    game = load_gamedef(gamedef)
    if len(names) < game.num_players:
        raise click.UsageError(f"{gamedef} needs {game.num_players} player names, got {len(names)}")
    num_hands, seed_number = _unsigned(hands, "number of hands"), _unsigned(seed, "random number seed")
    if num_hands == 0:
        raise InputError(f"invalid number of hands {hands}")
    response_ms = _time_limit(t_response, "response timeout")
    hand_ms = _time_limit(t_hand, "player hand timeout")
    per_hand_ms = _time_limit(t_per_hand, "average player hand timeout")
    if version_timeout is None:
        version_timeout = str(VERSION_MS) if answers_file is not None else "-1"
    options = ServerOptions(
        seed=seed_number,
        bind=bind,
        ports=_parse_ports(ports) if ports else (),
        start_timeout_s=_seconds(start_timeout, "start timeout"),
        version_timeout_s=_seconds(version_timeout, "version timeout"),
        quiet=quiet,
        linger_s=LINGER_S,
    )
    log_header = LogHeader(match, gamedef, num_hands, seed_number)
    head = format_log_head(log_header, response_ms, hand_ms, per_hand_ms)
    log_path, transaction_path = Path(f"{match}.log"), Path(f"{match}.tlog")
    replaces = not append and not go_on and not overwrite
    if replaces and log:
        _verify_replaceable(log_path, _starts_log, "a match log")
    if replaces and transactions:
        _verify_replaceable(transaction_path, is_transaction, "a transaction log")
    if answers_file is not None:
        verify_output_file(answers_file, overwrite=overwrite or go_on, inputs=[find_gamedef(gamedef)])
    files = click.get_current_context().with_resource(contextlib.ExitStack())
    opened_log = files.enter_context(_open(log_path, goes_on=go_on, what="log")) if log else None
    opened_transactions = None
    if transactions:
        opened_transactions = files.enter_context(_open(transaction_path, goes_on=False, what="transaction"))
    skipped = read_logged_hands(log_path, head) if go_on else []
    answers = None
    if answers_file is not None:
        about = {"game": gamedef, "seed": seed_number, "players": list(names[: game.num_players]), "match": match}
        answers = AnswerBook(answers_file, names[: game.num_players], slow_ms=per_hand_ms, head=about)
        if go_on and answers_file.exists():
            answers.go_on(read_answers(answers_file), len(skipped))
    table = Table(
        game,
        names[: game.num_players],
        num_hands=num_hands,
        seed=seed_number,
        fixed_seats=fixed_seats,
        limits=time_limits(response_ms, hand_ms, per_hand_ms, num_hands),
        answers=answers,
        first_hand=first_hand,
    )
    header = encode(head)
    messages = MessageStream(files.enter_context(open(2, "wb", buffering=0, closefd=False)))  # noqa: SIM115
    try:
        played: Iterable[Transaction] = ()
        logged_hands = None
        if transactions and append:
            played = read_transactions(transaction_path)
            logged_hands = count_logged_hands(log_path, format_header(log_header)) if log else None
        table.skip_hands(skipped)
        log_file = _line_file(opened_log, log_path, keep=append or go_on)
        if log_file is not None and not go_on:
            log_file.write(header)
        messages.write(header)
        messages.flush()
        journal = Journal(messages, log_file, _line_file(opened_transactions, transaction_path, keep=append))
        server = MatchServer(table, options, journal, played, logged_hands)
        _print(asyncio.run(_serve(server)))
    except (MatchError, OSError) as error:  # OSError: nobody reads the ports any more
        text = error.args[0] if isinstance(error, MatchError) else error  # of several lines, as the official one's
        messages.write(encode(f"ERROR: {text}\n"))
        messages.flush()
        return EXIT_FAULT
    return 0


def _verify_options(*, go_on: bool, starts_new: bool, log: bool, first_hand: int) -> None:
    """Checks which options are given together.

    :param starts_new: neither -a nor -T is given.
    :raises click.UsageError: if they do not go together.
    """
    if go_on and not (starts_new and log):
        raise click.UsageError("--go-on needs the match log, and cannot be combined with -a and -T")
    if first_hand:
        refuse_options("is for a match that begins at hand 0: leave out --first-hand", "append")


async def _serve(server: MatchServer) -> str:
    """Plays the match and returns its score line; a signal to terminate ends the match in good order."""
    loop = asyncio.get_running_loop()
    match = asyncio.ensure_future(server.run(_print_ports))
    terminated = False

    def terminate(*_: object) -> None:
        nonlocal terminated
        terminated = True
        match.cancel()
        loop.call_soon_threadsafe(lambda: None)  # wakes the loop up, if it waits

    for number in ending_signals():
        signal.signal(number, terminate)
    try:
        return await match
    except asyncio.CancelledError:
        if terminated:
            raise MatchError("terminated") from None
        raise


def _print(line: str) -> None:
    """Prints a line at once, names byte for byte as they were on the command line."""
    with open(1, "wb", buffering=0, closefd=False) as stdout:
        stdout.write(encode(line + "\n"))


def _print_ports(ports: list[int]) -> None:
    _print(" ".join(map(str, ports)))
