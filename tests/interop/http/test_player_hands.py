"""One player in many hands at once: memory, records, AIVAT, and a pool whose process is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hedgehog.agent.options import Options
from hedgehog.agent.player import Player
from hedgehog.analysis.aivat.holdem import HoldemAivat
from hedgehog.interop.http.player_hands import PlayerHands
from hedgehog.interop.http.pool import PlayerPool
from hedgehog.poker.acpc.handlog import parse_log_line
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.cards import NUM_COMBOS
from hedgehog.poker.state import CALL, FOLD, Action
from hedgehog.runtime.errors import InputError, MatchError
from tests.interop.http.games import BOUND_S, GAMEDEF, setting

FLOP = "MATCHSTATE:0:{}:cc/:AhKd|/QsJh2h"
END = "MATCHSTATE:0:{}:cc/cc/cc/cc:AhKd|QdQc/QsJh2h/7c/8c"
LOG = "STATE:0:cc/cc/cc/cc:AhKd|QdQc/QsJh2h/7c/8c:-100|100:me|you"

_SEEN: list[str] = []


class Remembering(Player):
    """Notes the states that it sees, by object and hand."""

    def __init__(self) -> None:
        self.own: list[int] = []

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        _SEEN.append(f"act {matchstate.hand_id} {matchstate.state.betting_string()}")
        self.own.append(matchstate.hand_id)
        assert set(self.own) == {matchstate.hand_id} or self.own[-2:].count(matchstate.hand_id) < 2
        return CALL

    def observe(self, matchstate: MatchState) -> None:
        _SEEN.append(f"see {matchstate.hand_id} {matchstate.state.betting_string()}")


class NoAction(Player):
    """Answers with something that is no action."""

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        return "call"  # type: ignore[return-value]


class HalfFold(Player):
    """Tells a strategy of two actions, and always takes the first."""

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        return CALL

    def strategy(self, matchstate: MatchState) -> Options:
        actions = [CALL, FOLD] if matchstate.state.can_fold() else [CALL]
        return Options(actions, np.full((len(actions), NUM_COMBOS), 1 / len(actions)))


def plugin(name: str) -> str:
    return f"py:{Path(__file__)}:{name}"


def test_a_player_with_memory_sees_whole_hands() -> None:
    hands = PlayerHands(setting(plugin("Remembering")))
    seen = type(hands._free[0].player).act.__globals__["_SEEN"]
    for number in (4, 9, 4, 9):  # two hands take turns
        street = "/QsJh2h" if seen and number in (4, 9) and len(seen) >= 4 else ""
        line = f"MATCHSTATE:0:{number}:{'cc/' if street else 'c'}:AhKd|{street}"
        assert hands.act(line) == "c"
    assert seen == ["see 4 ", "act 4 c", "see 9 ", "act 9 c", "act 4 cc/", "act 9 cc/"]
    hands.finish(END.format(4), LOG)
    assert seen[6:] == ["see 4 cc/c", "see 4 cc/cc/c", "see 4 cc/cc/cc/c", "see 4 cc/cc/cc/cc"]
    assert len(hands._free) == 1  # for the next hand


def test_what_is_no_action_is_an_error() -> None:
    with pytest.raises(MatchError, match="expected an Action"):
        PlayerHands(setting(plugin("NoAction"))).act(FLOP.format(0))


def test_records_and_aivat_come_from_what_was_sampled() -> None:
    hands = PlayerHands(setting(plugin("HalfFold"), score=True, record=True))
    for betting, board in (
        ("c", ""),
        ("cc/", "/QsJh2h"),
        ("cc/cc/", "/QsJh2h/7c"),
        ("cc/cc/cc/", "/QsJh2h/7c/8c"),
    ):
        hands.act(f"MATCHSTATE:0:6:{betting}:AhKd|{board}")
    aivat, recorded = hands.finish(END.format(6), LOG)
    assert recorded is not None
    assert (recorded.hand_id, recorded.position, recorded.betting) == (0, 0, "cc/cc/cc/cc")
    assert [one.actions_before for one in recorded.decisions] == [1, 2, 4, 6]
    player = HalfFold()
    expected = HoldemAivat(GAMEDEF).score(parse_log_line(LOG, GAMEDEF), [player.strategy, None])
    assert aivat == pytest.approx(-expected)
    unknown = hands.finish(END.format(7).replace("QdQc", ""), LOG.replace("QdQc", ""))
    assert unknown.aivat is None  # the opponent's cards are not shown


def test_a_killed_process_is_replaced() -> None:
    with PlayerPool(setting("call"), 2) as pool:
        pool.start()
        assert pool.reports
        assert pool.act(0, FLOP.format(0)).result(BOUND_S) == "c"
        lane = pool._lane_of[0]
        process = lane._worker._process
        assert process is not None
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        assert pool.act(0, FLOP.format(0)).result(BOUND_S) == "c"
        assert pool.finish(0, END.format(0), LOG).result(BOUND_S).aivat is None
        assert pool._lane_of == {}
        assert [lane.hands for lane in pool._lanes] == [0, 0]


def test_hands_are_spread_over_the_processes_and_queues_are_told() -> None:
    pool = PlayerPool(setting("call", think_ms=2000), 2)
    lanes = [pool._lane(number) for number in range(5)]
    assert [lanes.count(lane) for lane in pool._lanes] == [3, 2]
    pool._lanes[0].waiting = 7
    assert (pool.expected_wait_s(0), pool.expected_wait_s(1), pool.expected_wait_s()) == (14.0, 0.0, 0.0)
    pool.close()


def test_serving_a_bot_does_not_import_numba() -> None:
    modules = "hedgehog.interop.http.serve, hedgehog.interop.http.player_hands, hedgehog.interop.http.client.play"
    code = f"import sys, {modules}; print(*sorted({{'numba', 'scipy'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=BOUND_S)
    assert done.stdout.split() == []


def test_a_player_for_another_game_is_refused() -> None:
    with PlayerPool(setting("jamfold"), 1) as pool, pytest.raises(InputError):
        pool.start()
