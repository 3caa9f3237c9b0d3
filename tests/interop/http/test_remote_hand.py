"""What our client makes of answers: recorded ones, and ones that cannot be."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from hedgehog.interop.http.client.connection import verify_address
from hedgehog.interop.http.client.published import PUBLISHED, published_results
from hedgehog.interop.http.client.remote_hand import RemoteHand, parse_benchmark_answer, parse_slumbot_answer
from hedgehog.interop.http.client.tables import Patience
from hedgehog.poker.acpc.handlog import parse_log_line
from hedgehog.poker.cards import format_cards, parse_cards
from hedgehog.runtime.errors import InputError
from tests.interop.http.games import GAMEDEF

# Two answers of slumbot.com, quoted in public repositories (spec/interop.md, section 4.1).
LOST: dict[str, Any] = {
    "old_action": "b400c/kk/b200b400c/k",
    "action": "b400c/kk/b200b400c/kk",
    "client_pos": 1,
    "hole_cards": ["7c", "2s"],
    "board": ["Th", "9c", "4s", "8c", "9d"],
    "bot_hole_cards": ["Qc", "Tc"],
    "winnings": -800,
    "won_pot": -1600,
    "session_num_hands": 2,
    "baseline_winnings": -750,
    "session_total": -1200,
    "session_baseline_total": -750,
}
WON: dict[str, Any] = {
    "old_action": "b200c/kb200c/",
    "action": "b200c/kb200c/b400f",
    "client_pos": 0,
    "hole_cards": ["Ac", "8d"],
    "board": ["Ks", "Ts", "4h", "6d"],
    "bot_hole_cards": ["Jc", "3s"],
    "winnings": 400,
    "won_pot": 1200,
    "session_num_hands": 13,
    "baseline_winnings": 800,
    "session_total": -800,
    "session_baseline_total": 600,
}
FIRST: dict[str, Any] = {
    "old_action": "",
    "action": "b200",
    "client_pos": 0,
    "hole_cards": ["Ac", "9d"],
    "board": [],
    "token": "a2f42f44-7ff6-40dd-906b-4c2f03fcee57",
}


def checked(answer: dict[str, Any], before: RemoteHand | None = None) -> RemoteHand:
    hand = parse_slumbot_answer(answer, GAMEDEF, before)
    hand.verify(before)
    return hand


def test_recorded_answers_of_slumbot() -> None:
    lost, won, first = checked(LOST), checked(WON), checked(FIRST)
    assert (lost.winnings, lost.position, format_cards(lost.opponent_cards)) == (-800, 1, "QcTc")
    line = lost.log_line(3, "us", "slumbot")
    assert line == "STATE:3:r400c/cc/r600r800c/cc:QcTc|7c2s/Th9c4s/8c/9d:800|-800:slumbot|us"
    assert parse_log_line(line, GAMEDEF).hand_id == 3
    assert (won.winnings, won.over, won.state.betting_string()) == (400, True, "r200c/cr400c/r800f")
    assert won.line(5) == "MATCHSTATE:0:5:r200c/cr400c/r800f:Ac8d|/KsTs4h/6d"
    assert lost.line(6) == "MATCHSTATE:1:6:r400c/cc/r600r800c/cc:QcTc|7c2s/Th9c4s/8c/9d"
    assert (first.over, first.winnings, first.line(0)) == (False, None, "MATCHSTATE:0:0:r200:Ac9d|")
    answered = {"action": "b200c/", "board": ["Ks", "Ts", "4h"], "old_action": "b200"}
    later = checked(answered, first)  # position and cards may come with the first answer alone
    assert later.line(0) == "MATCHSTATE:0:0:r200c/:Ac9d|/KsTs4h"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"winnings": 800}, "by the rules it is -800"),
        ({"board": ["Th", "9c", "4s", "8c"]}, "expected 5 board cards"),
        ({"board": ["Th", "9c", "4s", "8c", "7c"]}, "stands twice"),
        ({"hole_cards": ["7c"]}, "one is missing"),
        ({"hole_cards": None}, "expected a list of cards"),
        ({"bot_hole_cards": ["Xx", "Tc"]}, "card"),
        ({"action": "b400c/kk/b200b500c/kk"}, "by the rules it is -900"),
        ({"action": "b400c/kk/b200b300c/kk"}, "illegal bet|by the rules"),
        ({"action": "b400c/kk/b200b400c/k"}, "the hand is not over"),
        ({"action": 7}, "expected a text as action"),
        ({"client_pos": 2}, "expected 0 or 1 as client_pos"),
        ({"client_pos": True}, "expected 0 or 1 as client_pos"),
        ({"winnings": None}, "does not say who has won"),
        ({"winnings": 0.5}, "whole number"),
        ({"error_msg": "busy"}, "the server says: busy"),
    ],
)
def test_impossible_answers_of_slumbot(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        checked(LOST | change)


def test_an_answer_about_another_hand_is_noticed() -> None:
    first = checked(FIRST)
    for change in (
        {"hole_cards": ["Ad", "9d"]},
        {"action": "b300c/"},
        {"client_pos": 1, "action": "b200b600"},
    ):
        answer = {"action": "b200c/", "board": ["Ks", "Ts", "4h"], "hole_cards": ["Ac", "9d"]} | change
        answer["board"] = answer["board"] if "/" in answer["action"] else []
        with pytest.raises(InputError, match=r"about another hand|waits for its own"):
            checked(answer, first)


def test_our_player_is_not_asked_when_it_is_not_its_turn() -> None:
    with pytest.raises(InputError, match="waits for its own action"):
        checked(FIRST | {"action": ""})


BENCHMARK: dict[str, Any] = {
    "hand_id": 17,
    "game": {
        "game_id": 1,
        "game_name": "HUNL 200BB",
        "game_format": "HUNL",
        "starting_stack": 20000.0,
        "blinds": [100.0, 50.0],
        "stack_reset_per_hand": True,
    },
    "game_state": {
        "street": "flop",
        "common_pot": 450.0,
        "total_pot": 450.0,
        "board_cards": "AhKd7c",
        "is_hand_over": False,
        "players": [
            {"name": "GTO Wizard", "stack": 19775.0, "position": "SB", "hole_cards": None},
            {"name": "me", "stack": 19775.0, "position": "BB", "hole_cards": "AsKh"},
        ],
        "legal_actions": ["k", "b"],
        "raise_range": {"min": 100.0, "max": 19775.0},
        "action_history": ["b225", "c", "_"],
        "has_gto_wizard_folded": False,
        "winnings": None,
        "aivat_score": None,
    },
}


def benchmark(change: dict[str, Any] | None = None, **state: Any) -> dict[str, Any]:
    answer = copy.deepcopy(BENCHMARK)
    answer["game_state"] |= state
    return answer | (change or {})


def test_answers_of_the_benchmark() -> None:
    hand = parse_benchmark_answer(benchmark(), GAMEDEF, None)
    hand.verify()
    assert (hand.remote_id, hand.line(4)) == ("17", "MATCHSTATE:0:4:r225c/:AsKh|/AhKd7c")
    players = copy.deepcopy(BENCHMARK["game_state"]["players"])
    players[0]["hole_cards"] = "2c2d"  # both are shown: ours is the one that we had
    # The example that a user of the real server has checked: a fold of the big blind to 225.
    ended = {"is_hand_over": True, "winnings": -100.0, "aivat_score": -14.66, "action_history": ["b225", "f"]}
    before = parse_benchmark_answer(
        benchmark(action_history=["b225.0"], board_cards="", street="preflop"), GAMEDEF, None
    )
    folded = parse_benchmark_answer(benchmark(players=players, board_cards="", **ended), GAMEDEF, before)
    folded.verify(before)
    assert (folded.winnings, folded.aivat, folded.opponent_cards) == (-100, -14.66, tuple(parse_cards("2c2d")))
    assert folded.log_line(0, "us", "benchmark") == "STATE:0:r225f:AsKh|2c2d:-100|100:us|benchmark"
    hidden = parse_benchmark_answer(benchmark(board_cards="", **ended), GAMEDEF, before)
    assert hidden.log_line(0, "us", "benchmark") == "STATE:0:r225f:AsKh|:-100|100:us|benchmark"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (benchmark({"game": {**BENCHMARK["game"], "starting_stack": 10000.0}}), "10000.0 chips: see --stack"),
        (benchmark({"game": {**BENCHMARK["game"], "blinds": [2.0, 1.0]}}), "blinds"),
        (benchmark({"game_state": None}), "not an answer of the benchmark"),
        (benchmark({"hand_id": None}), "not an answer of the benchmark"),
        ({}, "not an answer of the benchmark"),
        (benchmark(is_hand_over=True), "do not agree whether the hand is over"),
        (benchmark(action_history=["b225", "c"], board_cards=""), "board cards"),
        (benchmark(action_history=["b225", "_", "c"]), "ends a round that is not over"),
        (benchmark(action_history=["b225", "c", "k"]), "lacks the end of a round"),
        (benchmark(action_history="b225"), "expected a list of words"),
        (benchmark(action_history=["b225.5"]), "expected k, c, f or b"),
        (benchmark(players=BENCHMARK["game_state"]["players"][:1]), "expected a player in the big blind"),
        (benchmark(board_cards="AhKdAs"), "stands twice"),
        (benchmark(winnings=5.0), "the hand is not over"),
    ],
)
def test_impossible_answers_of_the_benchmark(answer: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_benchmark_answer(answer, GAMEDEF, None).verify()


def test_addresses() -> None:
    assert verify_address("http://127.0.0.1:8050/api/") == "http://127.0.0.1:8050/api"
    for bad in (
        "",
        "ftp://a",
        "http://",
        "http://a b",
        "http://a:99999",
        "http://a:x",
        "http://u@a",
        "http://a?b",
        "x",
    ):
        with pytest.raises(InputError):
            verify_address(bad)


def test_pauses_grow_and_have_a_limit() -> None:
    patience = Patience()
    assert [patience.pause_s(attempt, lambda: 1.0) for attempt in (0, 1, 2, 3, 19)] == [2, 4, 8, 15, 15]
    assert patience.pause_s(3, lambda: 0.0) == 7.5


def test_published_results_stand_beside_the_same_opponent_alone() -> None:
    assert published_results("https://slumbot.com/api", "slumbot") == PUBLISHED["slumbot"]
    assert published_results("https://researcher.gtowizard.com", "benchmark") == PUBLISHED["benchmark"]
    assert published_results("http://127.0.0.1:8050/api", "slumbot") == ()
    assert all(one.read[:4].isdigit() for results in PUBLISHED.values() for one in results)
