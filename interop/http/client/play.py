"""Plays our player at a server of Slumbot's game or of the benchmark: many hands at a time, and resumable."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from hedgehog.agent.specs import PlayerSpec, verify_loadable
from hedgehog.interop.http.book import BENCHMARK, PROTOCOLS, SLUMBOT
from hedgehog.interop.http.client.connection import Connection, NotSentError, verify_address
from hedgehog.interop.http.client.record import PLAYED, Played, PlayedRecord, head_of
from hedgehog.interop.http.client.remote_hand import RemoteHand
from hedgehog.interop.http.client.tables import BenchmarkTable, BrokenHandError, Patience, RemoteTable, SlumbotTable
from hedgehog.interop.http.player_hands import Setting
from hedgehog.interop.http.pool import PlayerPool, default_workers
from hedgehog.interop.http.tokens import token_of, verify_http_game
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.state import Action
from hedgehog.runtime.errors import InputError, MatchError, StoppedError
from hedgehog.runtime.folder_lock import locked_folder
from hedgehog.runtime.outputs import make_folder, remove_contents, verify_output_folder
from hedgehog.runtime.watch import SILENT, Watch

MOST_CONCURRENT: Final = 20
"""Hands that the benchmark lets a key play at the same time."""
MOST_BROKEN_IN_A_ROW: Final = 10
"""Broken hands without a played one between them, after which the run ends."""
_LOOK_EVERY_S: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaySettings:
    """What our player plays, and where."""

    address: str
    """Address of the server, such as ``http://127.0.0.1:8050``."""
    protocol: str
    """``slumbot`` or ``benchmark``."""
    spec: PlayerSpec
    game: str
    """Name or file of the game definition."""
    gamedef: GameDef
    hands: int
    """Hands to play in all, those of earlier runs and broken ones included."""
    key: str = ""
    """Key of the benchmark."""
    seed: int = 0
    """Seed of the player's random numbers."""
    think_ms: int = 0
    """Most milliseconds that the player may think per decision; 0: from its packs alone."""
    threads: int | None = None
    """Threads of the player in each process; None: one."""
    concurrency: int = 1
    """Hands at the same time."""
    workers: int | None = None
    """Processes with players; None: as many as processors, at most four, and no more than hands at a time."""
    patience: Patience = field(default_factory=Patience)
    """How requests are repeated."""

    @property
    def base(self) -> str:
        """The address before the paths of the requests; Slumbot's game is below ``/api`` unless a path is given.

        :raises InputError: if the address is malformed.
        """
        base = verify_address(self.address)
        return f"{base}/api" if self.protocol == SLUMBOT and not urlsplit(base).path else base


def verify_played(settings: PlaySettings, folder: Path) -> None:
    """Checks what can be checked before the player is loaded and the server is asked.

    :raises InputError: if the address, the game or the player will not do, or the folder holds anything else.
    :raises ResourceError: if the folder cannot be written to.
    """
    verify_address(settings.address)
    verify_http_game(settings.gamedef)
    if settings.protocol not in PROTOCOLS:
        raise InputError(f"expected the game {' or '.join(PROTOCOLS)}, got {settings.protocol!r}")
    if settings.protocol == BENCHMARK and not settings.key:
        raise InputError("the benchmark's game needs a key (--key)")
    if settings.protocol == SLUMBOT and settings.key:
        raise InputError("Slumbot's game has no key: leave out --key")
    if not settings.key.isascii() or not settings.key.isprintable():
        raise InputError("expected a key of printable ASCII characters")
    if settings.protocol == BENCHMARK and settings.concurrency > MOST_CONCURRENT:
        raise InputError(f"the benchmark lets a key play at most {MOST_CONCURRENT} hands at a time")
    if settings.spec.external:
        raise InputError(f"{settings.spec.text!r} is a program of its own: it cannot play many hands at once")
    verify_loadable(settings.spec)
    verify_output_folder(folder, PLAYED, proceed=True)


def play_online(
    settings: PlaySettings, folder: Path, *, watch: Watch = SILENT, overwrite: bool = False, aivat: bool = True
) -> Played:
    """Plays hands until their number is reached, and returns all that were played in this folder.

    A hand that cannot be played on, because the server or the connection failed, is *broken*: it is counted and has no
    result. Hands of an earlier run that the benchmark still holds open are played on; those of Slumbot's game are
    broken.

    :param folder: new, empty, or with hands of the same player at the same server, after which it goes on.
    :param watch: hears of the progress; if it asks to stop, the hands that are being played are finished.
    :param overwrite: begin anew in a folder with hands.
    :param aivat: also compute AIVAT values here, of hands whose cards are all shown.
    :raises InputError: as :func:`verify_played` raises it, or if the server refuses the key.
    :raises MatchError: if the server cannot be played with, or too many hands are broken.
    :raises StoppedError: if it was stopped; what was played is in the folder.
    """
    verify_played(settings, folder)
    spec, gamedef = settings.spec, settings.gamedef
    name = spec.name or spec.label
    name = f"our_{name}" if name == settings.protocol else name
    record = spec.solves(settings.think_ms)
    head = head_of(
        settings.game,
        settings.seed,
        spec.text,
        settings.think_ms,
        name,
        settings.base,
        settings.protocol,
    )
    with ExitStack() as stack:
        busy = InputError("another process plays into this folder", source=str(folder))
        stack.enter_context(locked_folder(make_folder(folder), busy))
        if overwrite:
            remove_contents(folder, PLAYED)
        files = PlayedRecord(folder, head, gamedef, record=record)
        stack.callback(files.close)
        if files.played.begun - len(files.played.open) >= settings.hands:
            return files.played
        _verify_reachable(settings)
        setting = Setting(spec, gamedef, settings.seed, settings.think_ms, settings.threads, score=aivat, record=record)
        workers = settings.workers or min(default_workers(), settings.concurrency)
        watch.begin("loading the player")
        pool = stack.enter_context(PlayerPool(setting, workers))
        pool.start()
        return _Run(settings, files, pool, watch).play()


def _verify_reachable(settings: PlaySettings) -> None:
    """Verifies before the player is loaded that somebody answers at the address.

    :raises MatchError: if nobody does.
    """
    connection = Connection(settings.base, {})
    try:
        connection.verify_reachable()
    except NotSentError as error:
        raise MatchError(f"{settings.address}: {error}") from error
    finally:
        connection.close()


class _Run:
    """One run: a thread for each hand at a time."""

    def __init__(self, settings: PlaySettings, files: PlayedRecord, pool: PlayerPool, watch: Watch) -> None:
        self._settings = settings
        self._files = files
        self._pool = pool
        self._watch = watch
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._error: BaseException | None = None
        self._in_a_row = 0
        self._waiting: list[tuple[int, RemoteHand]] = []  # hands of an earlier run to play on
        self._left = 0

    def play(self) -> Played:
        played, settings = self._files.played, self._settings
        self._watch.begin("playing", settings.hands, "hands")
        with self._threads_of():
            self._take_over()
            self._left = settings.hands - played.begun
            threads = [
                threading.Thread(target=self._play_hands, args=(place,), daemon=True, name=f"place {place}")
                for place in range(settings.concurrency)
            ]
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                time.sleep(_LOOK_EVERY_S)
                self._tell()
                if self._watch.stopped:
                    self._ending.set()
        self._tell()
        if self._error is not None:
            raise self._error
        if self._watch.stopped and len(played.winnings) + len(played.broken) < settings.hands:
            raise StoppedError("stopped")
        return played

    @contextmanager
    def _threads_of(self) -> Iterator[None]:
        try:
            yield
        finally:
            self._ending.set()

    def _tell(self) -> None:
        played = self._files.played
        done = len(played.winnings) + len(played.broken)
        won = sum(played.winnings) / max(1, len(played.winnings)) / self._settings.gamedef.big_blind * 100
        broken = f", {len(played.broken)} broken" if played.broken else ""
        self._watch.update(done, f"{won:+.1f} bb/100{broken}")

    def _table(self, place: int) -> RemoteTable:
        settings = self._settings
        headers = {"X-API-Key": settings.key} if settings.key else {}
        connection = Connection(settings.base, headers)
        if settings.protocol == BENCHMARK:
            return BenchmarkTable(connection, settings.gamedef, settings.patience, self._ending.wait)
        table = SlumbotTable(connection, settings.gamedef, settings.patience, self._ending.wait)
        table.token = self._files.played.tokens.get(place, "")
        return table

    def _take_over(self) -> None:
        """Finds out which hands of an earlier run can be played on, and whether the key is good."""
        open_hands = dict(self._files.played.open)
        found: dict[str, RemoteHand] = {}
        table = self._table(0)
        if isinstance(table, BenchmarkTable):
            found = table.in_progress()
        table.close()
        if foreign := len(found.keys() - set(open_hands.values())):
            self._watch.note(f"{foreign} hands of this key that are not in the folder are open and take up its places")
        for number, remote_id in open_hands.items():
            if remote_id in found:
                self._waiting.append((number, found[remote_id]))
            else:
                self._files.broken(number, "an earlier run was interrupted in it")

    def _play_hands(self, place: int) -> None:
        table = self._table(place)
        try:
            while not self._ending.is_set():
                begun = self._next()
                if begun is not None:
                    self._play_hand(table, place, *begun)
                elif self._may_begin():
                    self._play_new_hand(table, place)
                else:
                    return
        except StoppedError:
            self._ending.set()
        except BaseException as error:
            with self._lock:
                self._error = self._error or error
            self._ending.set()
        finally:
            table.close()

    def _next(self) -> tuple[int, RemoteHand] | None:
        with self._lock:
            return self._waiting.pop() if self._waiting else None

    def _may_begin(self) -> bool:
        with self._lock:
            self._left -= 1
            return self._left >= 0

    def _play_new_hand(self, table: RemoteTable, place: int) -> None:
        try:
            hand = table.new_hand()
        except BrokenHandError as error:
            self._break(self._files.begin(""), str(error))
            return
        if isinstance(table, SlumbotTable):
            self._files.token(place, table.token)
        self._play_hand(table, place, self._files.begin(hand.remote_id), hand)

    def _play_hand(self, table: RemoteTable, place: int, number: int, hand: RemoteHand) -> None:
        try:
            while not hand.over:
                text = self._pool.act(number, hand.line(number)).result()
                action = Action(text[0], int(text[1:] or 0))
                hand = table.act(hand, token_of(action, hand.state))
                if isinstance(table, SlumbotTable):
                    self._files.token(place, table.token)
        except BrokenHandError as error:
            self._pool.forget(number)
            self._break(number, str(error))
            return
        aivat, recorded = self._pool.finish(number, hand.line(number), self._files.draft(hand)).result()
        self._files.over(number, hand, None if aivat is None else -aivat, recorded)
        with self._lock:
            self._in_a_row = 0

    def _break(self, number: int, why: str) -> None:
        self._files.broken(number, why)
        with self._lock:
            self._in_a_row += 1
            in_a_row = self._in_a_row
        if in_a_row >= MOST_BROKEN_IN_A_ROW:
            raise MatchError(f"{in_a_row} hands in a row could not be played, the last one because: {why}")
