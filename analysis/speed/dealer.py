"""The ``dealer`` benchmark: hands per second of heads-up no-limit hold'em, without sockets and over TCP."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from hedgehog.agent.acpc.protocol import ClientProtocol
from hedgehog.agent.bots import BOTS
from hedgehog.agent.play_record import PlayRecord
from hedgehog.analysis.speed.dealer_tcp import tcp_measurements
from hedgehog.analysis.speed.figures import BenchRow, BenchTable, Step, best_seconds, run_steps
from hedgehog.arena.bot_table import play_bots
from hedgehog.arena.in_process import Seat, play_seating
from hedgehog.dealer.clock import TimeLimits
from hedgehog.dealer.table import Event, LogLine, MatchOver, Send, Table
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.acpc.handlog import verify_log_lines
from hedgehog.runtime.watch import SILENT, Watch

_NAMES = ("A", "B")
_PAIRS = (("call", "call"), ("random", "random"))
_COMPILED_HANDS = 100_000
_WALL_REPEATS = 20  # short and many: one of them may find all cores free on a busy machine
_PYTHON_HANDS = 1_000
_NO_LIMIT_US = 10**15
# Targets set for these speeds: hands/s of compiled bots on all cores, decisions/s of Python players.
_ASKED_HANDS = 500_000
_ASKED_DECISIONS = 20_000


def measure_dealer(command: Sequence[str], *, watch: Watch = SILENT) -> BenchTable:
    """Returns the speeds of matches without sockets and over TCP.

    One core is measured in CPU time, all cores by the clock.

    :param command: starts our command line; its subcommands are appended.
    """
    gamedef = load_gamedef()
    steps: list[Step] = [(f"{' - '.join(bots)}, compiled", partial(_compiled_rows, gamedef, bots)) for bots in _PAIRS]
    steps += [(f"{' - '.join(bots)}, Python players", partial(_python_rows, gamedef, bots)) for bots in _PAIRS]
    steps.append(("the dealer's table, a client, the log", partial(_table_rows, gamedef)))
    with tempfile.TemporaryDirectory() as folder:
        over_tcp, tcp_notes = tcp_measurements(command, Path(folder))
        rows = run_steps("dealer", [*steps, *over_tcp], watch)
    notes = [
        "one core: CPU time; all cores: wall time, which busy neighbours lengthen; best of several runs",
        "with log: to files in the temporary folder; without sockets, so the official dealer has no such figure",
        *tcp_notes,
    ]
    return BenchTable("Matches of heads-up no-limit hold'em", rows, notes)


def _compiled_rows(gamedef: GameDef, bots: Sequence[str]) -> list[BenchRow]:
    """Returns the hands per second of compiled bots (:mod:`hedgehog.arena.bot_table`)."""
    cores = os.cpu_count() or 1

    def play(match: int, path: Path | None) -> None:
        seeds = (2 * match, 2 * match + 1)
        with contextlib.nullcontext() if path is None else path.open("wb") as log:
            play_bots(gamedef, bots, num_hands=_COMPILED_HANDS, seed=match, bot_seeds=seeds, log=log)

    rows = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(cores) as pool:
        for what, paths in (
            ("no log", [None] * cores),
            ("with log", [Path(folder) / f"{match}.log" for match in range(cores)]),
        ):

            def play_on_all_cores(paths: Sequence[Path | None] = paths) -> None:
                list(pool.map(play, range(cores), paths))

            one = _COMPILED_HANDS / best_seconds(partial(play, 0, paths[0]))
            all_cores = cores * _COMPILED_HANDS / best_seconds(play_on_all_cores, _WALL_REPEATS, time.perf_counter)
            name = f"{' - '.join(bots)}, compiled, {what}"
            rows.append(BenchRow(f"{name}, one core", one / 1e6, "M hands/s"))
            rows.append(BenchRow(f"{name}, {cores} cores", all_cores / 1e6, "M hands/s", "target", _ASKED_HANDS / 1e6))
    return rows


def _python_rows(gamedef: GameDef, bots: Sequence[str]) -> list[BenchRow]:
    """Returns the speeds of Python players without sockets (:func:`hedgehog.arena.in_process.play_seating`), log
    included."""
    decisions = 0

    def play() -> None:
        nonlocal decisions
        seats = []
        for seed, bot in enumerate(bots):
            player = BOTS[bot]()
            player.new_match(gamedef, seed)
            seats.append(Seat(player, PlayRecord()))
        play_seating(gamedef, seats, _NAMES, num_hands=_PYTHON_HANDS, seed=1, log=io.BytesIO())
        decisions = sum(seat.record.decisions for seat in seats)

    seconds = best_seconds(play)
    name = f"{' - '.join(bots)}, Python players in one process"
    return [
        BenchRow(name, _PYTHON_HANDS / seconds / 1e3, "k hands/s"),
        BenchRow(name, decisions / seconds / 1e3, "k decisions/s", "target", _ASKED_DECISIONS / 1e3),
    ]


def _table_rows(gamedef: GameDef) -> list[BenchRow]:
    """Returns the speeds of the parts of a match over TCP, without I/O: dealer's table, client, check of the log."""
    events: list[Event] = []

    def play() -> None:
        limits = TimeLimits(_NO_LIMIT_US, _NO_LIMIT_US, _NO_LIMIT_US)
        table = Table(gamedef, _NAMES, num_hands=_PYTHON_HANDS, seed=1, limits=limits)
        events[:] = latest = table.start(0)
        while not isinstance(latest[-1], MatchOver):
            line = next(e.line for e in reversed(latest) if isinstance(e, Send) and e.seat == table.acting_seat)
            latest = table.receive(f"{line.rstrip()}:c\r\n", 0)
            events.extend(latest)

    played_s = best_seconds(play)
    log = [event.line for event in events if isinstance(event, LogLine)]
    sent = "".join(event.line for event in events if isinstance(event, Send) and event.seat == 0).encode()
    read_s = best_seconds(lambda: ClientProtocol(gamedef).receive(sent))
    verified_s = best_seconds(lambda: verify_log_lines(log, gamedef))
    return [
        BenchRow("call - call, the dealer's table alone", _PYTHON_HANDS / played_s / 1e3, "k hands/s"),
        BenchRow("call - call, a client reading its states", _PYTHON_HANDS / read_s / 1e3, "k hands/s"),
        BenchRow("call - call, the log replayed and re-scored", _PYTHON_HANDS / verified_s / 1e3, "k hands/s"),
    ]
