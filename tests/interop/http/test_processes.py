"""``hedgehog serve`` and ``hedgehog play`` as processes: both are killed, and no hand is lost or invented."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.interop.http.games import BOUND_S, hands_of, serving
from tests.processes import TOKEN_NAME, no_process_marked, until

SERVE = ("--player", "call", "--no-aivat", "--workers", "1", "--seed", "5")


def play_command(address: str, folder: Path, hands: int) -> list[str]:
    options = ["--as", "benchmark", "--key", "k", "--player", "call", "--concurrency", "3", "--workers", "1"]
    where = ["--hands", str(hands), "--out", str(folder), "--json", str(folder.with_suffix(".json")), "--overwrite"]
    return [sys.executable, "-m", "hedgehog.cli", "play", address, *options, *where]


def call(address: str, path: str, body: object = None) -> Any:
    """Returns the answer of a server to one request."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"X-API-Key": "k"})
    with urllib.request.urlopen(request, timeout=BOUND_S) as answer:
        return json.load(answer)


@pytest.mark.slow
@pytest.mark.process
def test_both_sides_are_killed_and_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    token = f"served-{os.getpid()}"
    monkeypatch.setenv(TOKEN_NAME, token)
    served, played = tmp_path / "served", tmp_path / "played"
    with serving(served, *SERVE) as (address, server):
        port = int(address.rpartition(":")[2])
        client = subprocess.Popen(play_command(address, played, 100_000)[:-1], stderr=subprocess.DEVNULL)
        try:
            until(lambda: (played / "hands.log").exists() and len(hands_of(played)) >= 5, BOUND_S)
        finally:
            client.kill()
            client.wait(BOUND_S)
        server.kill()
        server.wait(BOUND_S)
    done = len(hands_of(played))
    with serving(served, *SERVE, port=port) as (address, server):
        waiting = call(address, "/hands/in-progress")
        assert len(waiting) <= 3
        total = done + 8
        subprocess.run(
            [word for word in play_command(address, played, total) if word != "--overwrite"],
            check=True,
            timeout=BOUND_S,
            stdout=subprocess.DEVNULL,
        )
        results = call(address, "/results")
        report = json.loads(played.with_suffix(".json").read_text())
        assert report["hands"] + report["broken"] == total
        ours = Counter(line.split(":", 2)[2].split(":")[0] for line in hands_of(played))
        theirs = Counter(line.split(":", 2)[2].split(":")[0] for line in hands_of(served))
        assert ours <= theirs
        # What is missing on our side was over when we were killed, and was told to nobody.
        assert results["total_hands"] == len(hands_of(served)) == report["hands"] + sum((theirs - ours).values())
        assert sum((theirs - ours).values()) <= report["broken"] <= 3
        server.send_signal(signal.SIGTERM)
        assert server.wait(BOUND_S) == 0
    no_process_marked(token)


@pytest.mark.process
@pytest.mark.slow
def test_two_servers_of_one_folder_or_port(tmp_path: Path) -> None:
    def refused(*options: str) -> str:
        command = [sys.executable, "-m", "hedgehog.cli", "serve", "--player", "call", *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=BOUND_S, check=False)
        assert (done.returncode, done.stdout) == (2, "")
        return done.stderr

    served = tmp_path / "served"
    with serving(served, *SERVE) as (address, _):
        assert call(address, "/leaderboard") == []
        assert "another server writes to this folder" in refused("--out", str(served), "--port", "0")
        port = address.rpartition(":")[2]
        assert f"cannot open port {port}" in refused("--out", str(tmp_path / "new"), "--port", port)
    assert "seed 5, not 0" in refused("--out", str(served), "--port", "0")
    (served / "mine.txt").write_text("mine")
    for overwrite in ((), ("--overwrite",)):
        assert "'mine.txt', which is not part of a served game" in refused(
            "--out", str(served), "--port", "0", *overwrite
        )
