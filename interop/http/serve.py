"""Serves a player behind the HTTP games of Slumbot and of the benchmark, from a folder that survives a crash."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hedgehog.agent.player import ReportsStrategy
from hedgehog.agent.specs import PlayerSpec, make_player, verify_loadable
from hedgehog.interop.http.app import create_app
from hedgehog.interop.http.book import Book, Session
from hedgehog.interop.http.figures import estimate_of, estimate_text
from hedgehog.interop.http.player_hands import Setting
from hedgehog.interop.http.pool import PlayerPool, default_workers
from hedgehog.interop.http.service import LEFT_AFTER_S, Service
from hedgehog.interop.http.store import SERVED, Store, head_of
from hedgehog.interop.http.tokens import verify_http_game
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.folder_lock import locked_folder
from hedgehog.runtime.outputs import make_folder, remove_contents, verify_output_folder
from hedgehog.runtime.serving.web import LOOPBACK, open_port, serve_app
from hedgehog.runtime.table import Column, Table

DEFAULT_PORT: Final = 8050


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeSettings:
    """What is served, and to whom."""

    spec: PlayerSpec
    """The player behind the games."""
    game: str
    """Name or file of the game definition."""
    gamedef: GameDef
    seed: int = 0
    """Seed of the cards and of the player's random numbers."""
    think_ms: int = 0
    """Most milliseconds that the player may think per decision; 0: from its packs alone."""
    threads: int | None = None
    """Threads of the player in each process; None: one."""
    workers: int | None = None
    """Processes with players; None: as many as processors, at most four."""
    aivat: bool = True
    """Compute AIVAT values, if the player tells its strategy."""
    keys: tuple[str, ...] = ()
    """Keys of the benchmark that are accepted; none: every key is."""
    address: str = LOOPBACK
    """Address to listen on."""
    port: int = DEFAULT_PORT
    """TCP port; 0 takes a free one."""
    left_after_s: float = LEFT_AFTER_S
    """Seconds without a request after which a hand is closed without a result."""


def tells_strategy(spec: PlayerSpec, gamedef: GameDef) -> bool:
    """Tells whether a player tells its strategy, which AIVAT needs.

    :raises InputError: if the player cannot be made.
    """
    return isinstance(make_player(spec, gamedef), ReportsStrategy)


def verify_served(settings: ServeSettings, folder: Path, *, overwrite: bool = False) -> None:
    """Checks what can be checked before the player is loaded.

    :param overwrite: the folder may be emptied.
    :raises InputError: if the game or the player cannot be served, or the folder holds anything else.
    :raises ResourceError: if the folder cannot be written to.
    """
    verify_http_game(settings.gamedef)
    if not all(key and key.isascii() and key.isprintable() for key in settings.keys):
        raise InputError("expected keys of printable ASCII characters (--key)")
    if settings.spec.external:
        raise InputError(f"{settings.spec.text!r} is a program of its own: it cannot play many hands at once")
    verify_loadable(settings.spec)
    verify_output_folder(folder, SERVED, proceed=True)


def serve_games(
    settings: ServeSettings, folder: Path, ready: Callable[[str, Book], None], *, overwrite: bool = False
) -> list[Session]:
    """Serves a player until SIGINT, SIGTERM or SIGHUP, and returns the sessions of the game.

    :param folder: files of the game; it is new, empty, or holds the same game, which goes on.
    :param ready: called with the address and the book as soon as the server answers; it must not block.
    :param overwrite: begin anew in a folder with a game.
    :raises InputError: if the game or the player cannot be served, or the folder holds anything else.
    :raises ResourceError: if the port cannot be opened, or a file not be written.
    :raises HedgehogError: if the player cannot be loaded.
    """
    verify_served(settings, folder, overwrite=overwrite)
    name = settings.spec.name or settings.spec.label
    record = settings.spec.solves(settings.think_ms)
    head = head_of(settings.game, settings.seed, settings.spec.text, settings.think_ms, name)
    busy = InputError("another server writes to this folder", source=str(folder))
    with ExitStack() as stack:
        listener = stack.enter_context(open_port(settings.port, settings.address))
        stack.enter_context(locked_folder(make_folder(folder), busy))
        if overwrite:
            remove_contents(folder, SERVED)
        store = Store(folder, head, settings.gamedef, record=record)
        stack.callback(store.close)
        setting = Setting(
            settings.spec,
            settings.gamedef,
            settings.seed,
            settings.think_ms,
            settings.threads,
            score=settings.aivat,
            record=record,
        )
        pool = stack.enter_context(PlayerPool(setting, settings.workers or default_workers()))
        pool.start()
        service = Service(store, pool, left_after_s=settings.left_after_s)
        host = f"[{settings.address}]" if ":" in settings.address else settings.address
        address = f"http://{host}:{listener.getsockname()[1]}"
        serve_app(create_app(service, settings.keys), listener, lambda: ready(address, store.book))
        return store.book.sessions


def results_table(sessions: Collection[Session], big_blind: int) -> Table:
    """Returns what every client has won, in big blinds per 100 hands with 95 % intervals.

    :param big_blind: chips of the big blind.
    """
    rows = []
    for session in sessions:
        raw = estimate_of(session.winnings, big_blind)
        complete = len(session.aivat) == len(session.winnings)
        aivat = estimate_of(session.aivat, big_blind) if complete else None
        counts = len(session.open), session.left
        rows.append((session.name, session.protocol, len(session.winnings), raw, aivat, *counts))
    columns: list[Column | str] = [
        Column("client"),
        Column("game", shown=False),
        Column("hands"),
        Column("bb_per_100", "bb/100", text=estimate_text, data=False),
        Column("aivat_bb_per_100", "by AIVAT", text=estimate_text, data=False),
        "open",
        "left",
    ]
    return Table("clients", "What the clients have won", columns, tuple(rows))
