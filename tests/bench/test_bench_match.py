"""How fast a match goes: one client's share of a hand, and whole matches over TCP with two trivial players."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from agent.protocol import ClientProtocol
from poker.acpc.gamedef import find_gamedef, read_gamedef

HUNL = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))

CHECKED_DOWN = b"".join(
    b"MATCHSTATE:1:7:" + betting + b":" + cards + b"\r\n"
    for betting, cards in [
        (b"", b"|AhKh"), (b"c", b"|AhKh"),
        (b"cc/", b"|AhKh/2c7dTs"), (b"cc/c", b"|AhKh/2c7dTs"),
        (b"cc/cc/", b"|AhKh/2c7dTs/3c"), (b"cc/cc/c", b"|AhKh/2c7dTs/3c"),
        (b"cc/cc/cc/", b"|AhKh/2c7dTs/3c/4c"), (b"cc/cc/cc/c", b"|AhKh/2c7dTs/3c/4c"),
        (b"cc/cc/cc/cc", b"5c5d|AhKh/2c7dTs/3c/4c"),
    ]
)  # fmt: skip


def test_parse_one_hand(benchmark: Any) -> None:
    """The nine states of a hand that is checked down, from bytes to events."""
    assert len(benchmark(lambda: ClientProtocol(HUNL).receive(CHECKED_DOWN))) == 9


def test_tcp_match_of_two_callers(benchmark: Any, tmp_path: Path) -> None:
    """1,000 hands, start-up of the three processes included."""
    command = [sys.executable, "-m", "cli", "match", "call", "call", "--hands", "1000", "--no-duplicate"]

    def play() -> None:
        subprocess.run([*command, "--out", str(tmp_path)], check=True, capture_output=True, timeout=120)

    benchmark.pedantic(play, rounds=3)
    benchmark.extra_info["hands_per_second"] = 1000 / benchmark.stats.stats.min
