"""dealer.match and dealer.processes: seatings, failing players, and that nothing is left running.

The players here are small scripts, so that the runner is tested with clients it knows nothing about.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from dealer.match import Entrant, MatchPlan, Progress, player_seed, run_match
from dealer.processes import ProcessPool
from poker.errors import InputError, MatchError
from poker.gamedef import find_gamedef
from tests.processes import TOKEN_NAME, processes_marked

GAME = find_gamedef("kuhn.limit.2p")

CALLER = """
import socket, sys
connection = socket.create_connection((sys.argv[-2], int(sys.argv[-1])), timeout=30)
connection.sendall(b"VERSION:2.0.0\\n")
for line in connection.makefile("rb"):
    _, position, hand, betting, _ = line.decode().split(":")
    if len(betting) == int(position) and betting in ("", "c"):  # Kuhn poker without a bet
        {before_answer}
        connection.sendall(line.strip() + b":c\\n")
"""


def entrant(name: str, before_answer: str = "pass") -> Entrant:
    script = CALLER.format(before_answer=before_answer)
    return Entrant(name, lambda seed, report: [sys.executable, "-S", "-c", script, str(seed), str(report)])


def play(out: Path, *entrants: Entrant, hands: int = 4, duplicate: bool = True, options: tuple[str, ...] = ()) -> None:
    plan = MatchPlan(entrants, GAME, hands, 5, duplicate, out, options)
    asyncio.run(asyncio.wait_for(run_match(plan), 60))


@pytest.fixture
def token(monkeypatch: pytest.MonkeyPatch) -> str:
    """Marks every process started by the test."""
    value = f"hedgehog-test-{os.getpid()}-{time.monotonic_ns()}"
    monkeypatch.setenv(TOKEN_NAME, value)
    return value


def test_seatings() -> None:
    def seatings(count: int, duplicate: bool) -> list[tuple[int, ...]]:
        return MatchPlan(tuple(map(entrant, "abc"[:count])), GAME, 1, 0, duplicate, Path()).seatings()

    assert seatings(2, True) == [(0, 1), (1, 0)]
    assert seatings(2, False) == [(0, 1)]
    assert sorted(seatings(3, True)) == [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]


def test_player_seeds_differ_and_are_stable() -> None:
    seeds = {player_seed(seed, player, seating) for seed in range(4) for player in range(3) for seating in range(6)}
    assert len(seeds) == 72
    assert all(0 <= seed < 2**32 for seed in seeds)
    assert player_seed(1, 0, 1) == 1856992287  # printf 1/0/1 | sha256sum, first four bytes


def test_duplicate_match_deals_the_same_cards_and_follows_the_log(tmp_path: Path, token: str) -> None:
    seen: list[tuple[int, float]] = []

    def note(progress: Progress) -> None:
        assert sum(progress.chips.values()) == 0
        seen.append((progress.hands, progress.chips["a"]))

    plan = MatchPlan((entrant("a"), entrant("b")), GAME, 7, 5, True, tmp_path)
    played = asyncio.run(asyncio.wait_for(run_match(plan, note), 60))
    logs = [seating.log.read_text().splitlines() for seating in played]
    first, second = ([line.split(":") for line in log if line.startswith("STATE:")] for log in logs)
    assert len(first) == len(second) == 7
    for a, b in zip(first, second, strict=True):
        assert a[:5] == b[:5]  # both check and call only: same cards, same betting, same values ...
        assert a[5].split("|") == b[5].split("|")[::-1]  # ... with the names exchanged
    assert logs[0][-1].endswith(":a|b")
    assert logs[1][-1].endswith(":b|a")
    assert seen[-1] == (14, 0.0)  # what a won in one seating it lost in the other
    assert [hands for hands, _ in seen] == sorted(hands for hands, _ in seen)
    assert processes_marked(token) == []


def test_a_player_that_crashes_in_a_hand_ends_the_match(tmp_path: Path, token: str) -> None:
    crash = entrant("crash", "if int(hand) == 2: sys.exit('planted')")
    with pytest.raises(MatchError, match=r"seat 2: player crash ended with exit code 1: planted \(see .*crash.out\)"):
        play(tmp_path, entrant("a"), crash)
    log = (tmp_path / "seating_1.log").read_text()
    assert log.count("STATE:") == 2
    assert "SCORE" not in log
    assert processes_marked(token) == []


def test_a_player_that_never_connects_ends_the_match(tmp_path: Path, token: str) -> None:
    lame = Entrant("lame", lambda seed, report: [sys.executable, "-S", "-c", "raise OSError('no legs')"])
    with pytest.raises(MatchError, match="player lame ended with exit code 1: OSError: no legs"):
        play(tmp_path, entrant("a"), lame)
    assert processes_marked(token) == []


def test_a_silent_player_is_timed_out(tmp_path: Path, token: str) -> None:
    silent = entrant("silent", "import time; time.sleep(60)")
    with pytest.raises(MatchError, match=r"dealer ended with exit code 1: ERROR: .*seat 1.*; seat 1: player silent"):
        play(tmp_path, silent, entrant("b"), options=("--t_response=300",))
    assert processes_marked(token) == []


def test_a_command_that_does_not_exist_is_bad_input(tmp_path: Path, token: str) -> None:
    with pytest.raises(InputError, match="cannot start player ghost, command '/no/such/bot': No such file"):
        play(tmp_path, entrant("a"), Entrant("ghost", lambda seed, report: ["/no/such/bot"]))
    assert processes_marked(token) == []


def test_a_player_that_stays_after_the_match_is_killed(
    tmp_path: Path, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dealer.match._PLAYER_GRACE_S", 0.2)
    stays = CALLER.format(before_answer="pass") + "\nimport time; time.sleep(60)"
    lingering = Entrant("stays", lambda seed, report: [sys.executable, "-S", "-c", stays])
    play(tmp_path, entrant("a"), lingering, duplicate=False)
    assert processes_marked(token) == []


def test_a_bad_dealer_argument_is_reported(tmp_path: Path) -> None:
    with pytest.raises(MatchError, match=r"the dealer ended with exit code 2: Error: .*--no-such-option"):
        play(tmp_path, entrant("a"), entrant("b"), options=("--no-such-option",))


def test_leaving_the_pool_kills_grandchildren_too(tmp_path: Path, token: str) -> None:
    async def scenario() -> list[int]:
        async with ProcessPool() as pool:
            # The shell ends at once, its background child stays in the group.
            shell = await pool.start("shell", ["sh", "-c", "sleep 60 & echo ready"], tmp_path / "out")
            assert await asyncio.wait_for(asyncio.shield(shell.ended), 10) == 0
            assert shell.last_words() == "ready"
            return processes_marked(token)

    assert len(asyncio.run(scenario())) == 1
    deadline = time.monotonic() + 10
    while processes_marked(token) and time.monotonic() < deadline:
        time.sleep(0.01)  # the kernel delivers the signal to a process that is not our child
    assert processes_marked(token) == []
