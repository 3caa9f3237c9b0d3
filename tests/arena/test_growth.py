"""Tournaments that grow: what was played is kept, and the folder is that of a tournament played at once."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hedgehog.arena import growth
from hedgehog.arena.launch import PlaySettings
from hedgehog.arena.play import ReadyTournament, ready_tournament
from hedgehog.arena.records import read_tournament_record, write_tournament_record
from hedgehog.arena.tournament import TournamentProgress, pairings_of
from hedgehog.runtime.engines.local import SerialEngine
from hedgehog.runtime.errors import InputError

SOME = ("call", "solved", "raise")
MORE = (*SOME, "random", "fold")


def ready(out: Path, players: tuple[str, ...], hands: int, *, grows: bool = False, **more: Any) -> ReadyTournament:
    values = {"seed": 3, "game": "kuhn.limit.2p", "name": "t", "settings": PlaySettings()} | more
    return ready_tournament(players, hands=hands, out=out, grows=grows, **values)


def play(out: Path, players: tuple[str, ...], hands: int, **more: Any) -> TournamentProgress:
    return ready(out, players, hands, **more).play(engine=SerialEngine())


def contents(folder: Path) -> dict[str, bytes]:
    """Returns the files of a tournament that do not tell how long it took, nor what players measured of themselves."""
    return {
        str(path.relative_to(folder)): re.sub(rb'"seconds": [0-9.]+', b"", path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not (path.suffix == ".json" and path.name.startswith("seating_"))
    }


def test_a_further_agent_changes_no_match_before() -> None:
    assert pairings_of("abcd", 2) == [tuple(pair) for pair in ("ab", "ac", "bc", "ad", "bd", "cd")]
    assert pairings_of("abcd", 2, by_first=True) == [tuple(pair) for pair in ("ab", "ac", "ad", "bc", "bd", "cd")]
    for players in (2, 3):
        for agents in range(players, 7):
            names = "abcdefg"[:agents]
            assert pairings_of(names + "x", players)[: len(pairings_of(names, players))] == pairings_of(names, players)
            assert sorted(pairings_of(names, players)) == sorted(pairings_of(names, players, by_first=True))


@pytest.mark.parametrize("in_steps", [pytest.param(False, marks=pytest.mark.slow), True])
def test_agents_and_hands_are_added(tmp_path: Path, in_steps: bool) -> None:
    out = tmp_path / "grown"
    play(out, SOME, 30)
    log = out / "matches" / "001_call_vs_solved" / "seating_1.log"
    before = log.stat().st_mtime_ns
    if in_steps:
        play(out, MORE, 30, grows=True)
        assert log.stat().st_mtime_ns == before
    play(out, MORE, 50, grows=True)
    play(tmp_path / "whole", MORE, 50)
    assert contents(out) == contents(tmp_path / "whole")
    # What a player measures covers the hands that it has played since: 30 were not played again.
    reports = [
        json.loads((folder / "matches" / "001_call_vs_solved" / "seating_1.solved.json").read_text())
        for folder in (out, tmp_path / "whole")
    ]
    assert [report["hands"] for report in reports] == [20, 50]
    # Without growth it is the tournament that it has become.
    with pytest.raises(InputError, match="this folder holds another plan: hands is 50 there and 30 here"):
        play(out, SOME, 30)
    assert play(out, MORE, 50).done == 10


def test_growth_that_was_killed_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "grown"
    play(out, SOME, 30)
    add_hands = growth._add_hands
    grown = 0

    def killed(*arguments: Any) -> None:
        nonlocal grown
        if grown == 2:
            raise KeyboardInterrupt
        grown += 1
        add_hands(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(growth, "_add_hands", killed)
        with pytest.raises(KeyboardInterrupt):
            play(out, SOME, 50, grows=True)
    assert read_tournament_record(out).hands == 30
    play(out, SOME, 50, grows=True)
    play(tmp_path / "whole", SOME, 50)
    assert contents(out) == contents(tmp_path / "whole")


def test_what_is_no_growth_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    play(out, SOME, 30)
    before = contents(out)
    refused: list[tuple[tuple[str, ...], int, dict[str, Any], str]] = [
        (MORE, 20, {}, "hands is 30 there and 20 here"),
        (MORE[1:], 30, {}, r'agents\[1\].name is "call" there and "solved" here'),
        (MORE, 40, {"seed": 4}, "seed is 3 there and 4 here"),
        (SOME[:2], 40, {}, "the length of agents is 3 there and 2 here"),
    ]
    for players, hands, more, message in refused:
        with pytest.raises(InputError, match=message):
            play(out, players, hands, grows=True, **more)
    assert contents(out) == before


def test_players_who_may_remember(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text("from hedgehog.agent.bots import CallBot\n\n\nclass Mine(CallBot):\n    pass\n")
    monkeypatch.chdir(tmp_path)
    players = ("call", "mine=py:mine.py:Mine")
    out = tmp_path / "out"
    play(out, players, 30)
    with pytest.raises(InputError, match="no hands can be added to those of mine, who may remember"):
        play(out, players, 50, grows=True)
    play(out, (*players, "raise"), 30, grows=True)  # a further agent plays with everybody from the first hand on
    ready(out, (*players, "raise"), 50, grows=True).play(engine=SerialEngine(), resume_all=True)
    play(tmp_path / "whole", (*players, "raise"), 50)
    assert contents(out) == contents(tmp_path / "whole")


def test_a_tournament_of_an_earlier_version(tmp_path: Path) -> None:
    """It goes on in its order of matches, with its cards; it cannot get another agent."""
    out = tmp_path / "out"
    out.mkdir()
    players = MORE[:4]
    plan = ready(tmp_path / "plan", players, 10).plan
    object.__setattr__(plan, "by_first", True)
    earlier = plan.record()
    assert [match.folder for match in earlier.matches][2:4] == ["003_call_vs_random", "004_solved_vs_raise"]
    (out / "game.game").write_text(plan.game.read_text())
    write_tournament_record(out, earlier)
    assert play(out, players, 10).done == 6
    assert read_tournament_record(out) == earlier
    with pytest.raises(InputError, match="begun by an earlier version, which numbered matches in another order"):
        play(out, MORE, 10, grows=True)
    assert play(out, players, 15, grows=True).hands == 6 * 2 * 15
