"""Served games for tests: in this process without sockets, or as a process of their own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from starlette.testclient import TestClient

from hedgehog.agent.specs import parse_player_spec
from hedgehog.interop.http.app import create_app
from hedgehog.interop.http.player_hands import FinishedHand, PlayerHands, Setting
from hedgehog.interop.http.pool import PlayerPool
from hedgehog.interop.http.service import LEFT_AFTER_S, Service
from hedgehog.interop.http.store import Store, head_of
from hedgehog.poker.acpc.gamedef import DEFAULT_GAME, load_gamedef

BOUND_S: Final = 300
"""Longest time in seconds that a test waits; a neighbour may take all processors for a while."""
GAMEDEF: Final = load_gamedef()


def setting(spec: str, *, seed: int = 0, think_ms: int = 0, score: bool = False, record: bool = False) -> Setting:
    """Returns the setting of a player in the default game."""
    return Setting(parse_player_spec(spec), GAMEDEF, seed, think_ms, None, score=score, record=record)


class LocalPool(PlayerPool):
    """A pool whose player is in this process and answers at once."""

    def __init__(self, asked: Setting) -> None:
        super().__init__(asked, 1)
        self.hands = PlayerHands(asked)
        self.wait_s = 0.0
        """What the pool says about its queue."""

    def act(self, number: int, line: str) -> Future[str]:
        return _done(self.hands.act(line))

    def finish(self, number: int, line: str, log_line: str) -> Future[FinishedHand]:
        return _done(self.hands.finish(line, log_line))

    def forget(self, number: int) -> None:
        self.hands.forget(number)

    def expected_wait_s(self, number: int | None = None) -> float:
        return self.wait_s


def _done(value: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(value)
    return future


class LocalGame:
    """A served game in this process."""

    def __init__(
        self,
        folder: Path,
        spec: str = "call",
        *,
        seed: int = 0,
        keys: tuple[str, ...] = (),
        score: bool = False,
        left_after_s: float = LEFT_AFTER_S,
    ) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.store = Store(folder, head_of(DEFAULT_GAME, seed, spec, 0, spec), GAMEDEF, record=False)
        self.pool = LocalPool(setting(spec, seed=seed, score=score))
        self.service = Service(self.store, self.pool, left_after_s=left_after_s)
        self.app = create_app(self.service, keys)

    @contextmanager
    def client(self) -> Iterator[TestClient]:
        """Yields a client of the game, which ends with the block."""
        with TestClient(self.app, raise_server_exceptions=False) as client:
            yield client
        self.store.close()

    def log(self) -> list[str]:
        """Returns the hands of the log."""
        return hands_of(self.folder)


def hands_of(folder: Path) -> list[str]:
    """Returns the lines of hands in the log of a folder."""
    return [line for line in (folder / "hands.log").read_text().splitlines() if line.startswith("STATE:")]


@contextmanager
def serving(folder: Path, *options: str, port: int = 0) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Yields the address of ``hedgehog serve`` and its process, which ends with the block."""
    command = [sys.executable, "-m", "hedgehog.cli", "serve", "--out", str(folder), "--port", str(port), *options]
    errors = folder.with_suffix(".err").open("a")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        assert process.stdout is not None
        killer = threading.Timer(BOUND_S, process.kill)
        killer.start()
        address = None
        for line in process.stdout:
            found = re.search(r"benchmark's game is at (\S+)", line)
            address = found[1] if found else address
            if line.startswith("Ctrl-C"):
                break
        killer.cancel()
        assert address is not None, folder.with_suffix(".err").read_text()
        yield address, process
    finally:
        process.terminate()
        try:
            process.wait(BOUND_S)
        finally:
            process.kill()
            errors.close()
            if process.stdout is not None:
                process.stdout.close()


def body_of(answer: Any) -> dict[str, Any]:
    """Returns the JSON object of an answer."""
    found = json.loads(answer.content)
    assert isinstance(found, dict)
    return found
