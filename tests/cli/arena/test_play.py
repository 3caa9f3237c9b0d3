"""``hedgehog play`` at a dealer that is not there, and when a signal ends the match."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hedgehog.cli.arena import play
from hedgehog.cli.exit_codes import EXIT_INTERRUPTED
from tests.cli.command import Run

TIMEOUT_S = 120
HAND = b"MATCHSTATE:1:0:f:|AhKh\r\n"
ASK = b"MATCHSTATE:0:1::2c2d|\r\nMATCHSTATE:0:1:r200:2c2d|\r\n"
BOTS = """\
from hedgehog.agent.player import Player
from hedgehog.poker.state import CALL

class Caller(Player):
    def act(self, matchstate, deadline):
        return CALL

class Endless(Player):
    def act(self, matchstate, deadline):
        print("thinking", flush=True)
        while True:
            pass
"""


def test_without_a_dealer_no_player_is_loaded(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "ready_guest", None)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    code, _, errors = run("play", "127.0.0.1", str(port))
    assert (code, errors) == (1, f"error: cannot connect to 127.0.0.1 port {port}: Connection refused\n")


@pytest.mark.parametrize("bot", ["Caller", "Endless"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.quick_cases(every=2)
def test_a_signal_leaves_the_report_of_what_was_played(tmp_path: Path, bot: str, number: signal.Signals) -> None:
    (tmp_path / "bots.py").write_text(BOTS)
    command = [sys.executable, "-m", "hedgehog.cli", "play", "127.0.0.1"]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(TIMEOUT_S)
        options = ["--player", f"py:{tmp_path / 'bots.py'}:{bot}", "--report", str(tmp_path / "report.json")]
        with subprocess.Popen(
            [*command, str(listener.getsockname()[1]), *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as player:
            guard = threading.Timer(TIMEOUT_S, player.kill)
            guard.start()
            try:
                dealer, _ = listener.accept()
                with dealer:
                    dealer.settimeout(TIMEOUT_S)
                    dealer.sendall(HAND + ASK)
                    lines = dealer.makefile("rb")
                    assert lines.readline() == b"VERSION:2.0.0\r\n"
                    if bot == "Caller":
                        assert lines.readline().endswith(b":c\r\n")
                    else:
                        assert player.stdout is not None
                        player.stdout.readline()
                    code = _insist(player, number)
            finally:
                guard.cancel()
                player.kill()
    assert code == EXIT_INTERRUPTED
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["hands"], report["decisions"]) == (1, 1 if bot == "Caller" else 0)


def _insist(player: subprocess.Popen[bytes], number: signal.Signals) -> int:
    """Sends a signal until a process ends, because the first Ctrl-C waits for a decision; returns the exit code."""
    for _ in range(TIMEOUT_S):
        player.send_signal(number)
        try:
            return player.wait(1)
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError(f"{number.name} does not end the player")
