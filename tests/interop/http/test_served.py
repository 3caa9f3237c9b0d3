"""What the two games answer: keys and their order, statuses, rules for hands that are left, and what is on disk."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from hedgehog.dealer.cards import CardDealer
from hedgehog.interop.http.service import MOST_OPEN_HANDS
from hedgehog.poker.acpc.handlog import verify_log
from hedgehog.poker.cards import format_card, format_cards
from hedgehog.runtime.errors import InputError
from tests.interop.http.games import GAMEDEF, LocalGame, body_of, hands_of
from tests.processes import until

KEY = {"X-API-Key": "a-key"}
GAME = {"game_name": "HUNL 200BB"}
STATE_KEYS = [
    *("street", "common_pot", "total_pot", "board_cards", "is_hand_over", "players", "legal_actions", "raise_range"),
    *("action_history", "has_gto_wizard_folded", "winnings", "aivat_score"),
]
OPEN_KEYS = ["old_action", "action", "client_pos", "hole_cards", "board"]
END_KEYS = [
    *("bot_hole_cards", "winnings", "won_pot", "session_num_hands", "baseline_winnings", "session_total"),
    "session_baseline_total",
]


def slumbot(client: TestClient, name: str, **body: object) -> dict[str, Any]:
    """Returns the answer of Slumbot's game, which always has status 200."""
    answer = client.post(f"/api/{name}", json=body)
    assert answer.status_code == 200, answer.text
    return body_of(answer)


def act(client: TestClient, hand: dict[str, Any], action: str, amount: object = None) -> dict[str, Any]:
    """Returns the answer of the benchmark's game to an action."""
    body = {"action": action, "amount": amount}
    answer = client.post(f"/hands/{hand['hand_id']}/act", json=body, headers=KEY)
    assert answer.status_code == 200, answer.text
    return body_of(answer)


def deal(client: TestClient) -> dict[str, Any]:
    """Returns a new hand of the benchmark's game."""
    answer = client.post("/hands", json=GAME, headers=KEY)
    assert answer.status_code == 200, answer.text
    return body_of(answer)


def test_a_hand_of_slumbots_game(tmp_path: Path) -> None:
    game = LocalGame(tmp_path / "served")
    with game.client() as client:
        raw = client.post("/slumbot/api/new_hand", content=b"{}").content.decode()
        first = json.loads(raw)
        assert list(first) == [*OPEN_KEYS, "token"]
        assert (first["old_action"], first["action"], first["client_pos"], first["board"]) == ("", "c", 0, [])
        # Some clients cut the token out by its place, and read the rest by one pattern.
        assert raw[-38:-2] == first["token"]
        assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", first["token"])
        assert re.search(r'"action": "c", "client_pos": 0, "hole_cards": \["\w\w", "\w\w"\], "board": \[\],', raw)
        token = first["token"]
        second = slumbot(client, "act", token=token, incr="k")
        assert list(second) == OPEN_KEYS
        assert (second["old_action"], second["action"], len(second["board"])) == ("c", "ck/", 3)
        third = slumbot(client, "act", token=token, incr="b300")
        assert (third["action"], len(third["board"])) == ("ck/b300c/", 4)
        for wrong in ("f", "c", "b99", "b19601", "bet", ""):
            assert list(slumbot(client, "act", token=token, incr=wrong)) == ["error_msg"]
        slumbot(client, "act", token=token, incr="k")
        last = slumbot(client, "act", token=token, incr="k")
        assert list(last) == [*OPEN_KEYS, *END_KEYS]
        assert (last["old_action"], last["action"]) == ("ck/b300c/kk/", "ck/b300c/kk/kk")
        assert abs(last["winnings"]) in (0, 400)
        assert last["won_pot"] == 2 * last["winnings"]
        assert all(type(last[key]) is int for key in END_KEYS[1:])
        assert list(slumbot(client, "act", token=token, incr="k")) == ["error_msg"]
        again = slumbot(client, "new_hand", token=token)
        assert (again["client_pos"], again["action"], again["token"]) == (1, "", token)
    deals = CardDealer(GAMEDEF, 0)
    cards, board = deals.deal()
    assert first["hole_cards"] == list(map(format_card, cards[0]))
    assert last["bot_hole_cards"] == list(map(format_card, cards[1]))
    assert last["board"] == list(map(format_card, board))
    won = last["winnings"]
    assert game.log() == [
        f"STATE:0:cc/r400c/cc/cc:{format_cards(cards[0])}|{format_cards(cards[1])}/{format_cards(board[:3])}"
        f"/{format_cards(board[3:4])}/{format_cards(board[4:])}:{won}|{-won}:slumbot_1|call"
    ]
    assert verify_log(tmp_path / "served" / "hands.log").faults == ()


def test_nobody_chooses_the_cards_in_slumbots_game(tmp_path: Path) -> None:
    game = LocalGame(tmp_path / "served")
    with game.client() as client:
        first = slumbot(client, "new_hand")
        token = first["token"]
        assert slumbot(client, "new_hand", token=token) == first  # the client has not acted
        slumbot(client, "act", token=token, incr="k")
        other = slumbot(client, "new_hand", token=token)
        assert other["hole_cards"] != first["hole_cards"]
        assert other["client_pos"] == 1
        assert slumbot(client, "act", token=token, incr="f")["winnings"] == -50
    session = game.service.book.sessions[0]
    assert (session.left, session.winnings) == (1, [-50])
    assert len(game.log()) == 1


def test_hands_whose_clients_have_gone_are_closed(tmp_path: Path) -> None:
    game = LocalGame(tmp_path / "served", left_after_s=0.05)
    with game.client() as client:
        token = slumbot(client, "new_hand")["token"]
        hand = deal(client)
        until(lambda: not game.service.book.hands, 300)
        assert list(slumbot(client, "act", token=token, incr="k")) == ["error_msg"]
        gone = client.post(f"/hands/{hand['hand_id']}/act", json={"action": "k"}, headers=KEY)
        assert gone.status_code == 409
        assert json.loads(client.get("/hands/in-progress", headers=KEY).content) == []
        assert body_of(client.get("/results", headers=KEY))["total_hands"] == 0
    assert [session.left for session in game.service.book.sessions] == [1, 1]
    assert game.log() == []
    assert LocalGame(tmp_path / "served").service.book.sessions[1].left == 1


def test_tokens_and_names_of_slumbots_game(tmp_path: Path) -> None:
    game = LocalGame(tmp_path / "served")
    with game.client() as client:
        assert list(slumbot(client, "new_hand", token="unknown")) == ["error_msg"]
        assert list(slumbot(client, "act", token="unknown", incr="k")) == ["error_msg"]
        assert list(slumbot(client, "act")) == ["error_msg"]
        ada = slumbot(client, "login", username="Ada", password="secret")
        assert slumbot(client, "login", username="Ada", password="other") == ada
        assert list(slumbot(client, "login", username="A:B", password="")) == ["error_msg"]
        slumbot(client, "new_hand", **ada)
        for body in (b"", b"[]", b"{", b'{"token": ', b"\xff"):
            answer = client.post("/api/new_hand", content=body)
            assert (answer.status_code, list(body_of(answer))) == (400, ["error_msg"])
        assert client.post("/api/new_hand", content=b" " * 70_000).status_code == 413
        assert client.get("/api/new_hand").status_code == 405
        elsewhere = client.post("/api/new_hand", content=b"{}", headers={"Origin": "http://example.org"})
        assert elsewhere.status_code == 403
    assert [session.name for session in game.service.book.sessions] == ["Ada"]


def test_a_hand_of_the_benchmark(tmp_path: Path) -> None:
    game = LocalGame(tmp_path / "served", score=True)
    with game.client() as client:
        hand = deal(client)
        assert list(hand) == ["hand_id", "game", "game_state"]
        assert hand["game"] == {
            "game_id": 1,
            "game_name": "HUNL 200BB",
            "game_format": "HUNL",
            "starting_stack": 20000.0,
            "blinds": [100.0, 50.0],
            "stack_reset_per_hand": True,
        }
        state = hand["game_state"]
        assert list(state) == STATE_KEYS
        assert (state["street"], state["common_pot"], state["total_pot"], state["board_cards"]) == (
            *("preflop", 0.0, 200.0, ""),
        )
        assert (state["legal_actions"], state["raise_range"]) == (["k", "b"], {"min": 200.0, "max": 20000.0})
        assert [player["position"] for player in state["players"]] == ["SB", "BB"]
        assert [player["hole_cards"] is None for player in state["players"]] == [True, False]
        assert (state["winnings"], state["aivat_score"], state["is_hand_over"]) == (None, None, False)
        state = act(client, hand, "b", 300.0)["game_state"]  # as a client repeats what it got
        assert (state["action_history"], state["street"]) == (["c", "b300", "c", "_"], "flop")
        assert (state["common_pot"], state["total_pot"], len(state["board_cards"])) == (600.0, 600.0, 6)
        assert state["raise_range"] == {"min": 100.0, "max": 19700.0}
        state = act(client, hand, "b", 19700)["game_state"]
        assert state["action_history"] == ["c", "b300", "c", "_", "b19700", "c", "_", "_"]
        assert (state["is_hand_over"], state["legal_actions"], state["raise_range"]) == (True, [], None)
        assert abs(state["winnings"]) in (0.0, 20000.0)
        assert all(player["hole_cards"] for player in state["players"])
        assert isinstance(state["aivat_score"], float)
        over = client.post(f"/hands/{hand['hand_id']}/act", json={"action": "k"}, headers=KEY)
        assert (over.status_code, body_of(over)) == (409, {"detail": "the hand is over"})
        second = deal(client)
        state = act(client, second, "f")["game_state"]
        assert (state["winnings"], state["has_gto_wizard_folded"]) == (-50.0, False)
        assert [player["hole_cards"] is None for player in state["players"]] == [False, True]
        results = body_of(client.get("/results", params=GAME, headers=KEY))
        assert results["total_hands"] == 2
        assert results["bb_per_100"] == pytest.approx(100 * (-50 + results_of(game)[0]) / 2 / 100)
        assert results["aivat_score_bb_per_100"] is not None
        board = json.loads(client.get("/leaderboard", params={**GAME, "min_hands": "2", "limit": "5"}).content)
        assert [row["bot_name"] for row in board] == [results["bot_name"]]
        assert json.loads(client.get("/leaderboard", params={"min_hands": "3"}).content) == []


def results_of(game: LocalGame) -> list[int]:
    """Returns the winnings of the first client."""
    return game.service.book.sessions[0].winnings


def test_statuses_of_the_benchmark(tmp_path: Path) -> None:
    game = LocalGame(tmp_path / "served", keys=("a-key", "b-key"))
    with game.client() as client:
        for headers in ({}, {"X-API-Key": "wrong"}, {"X-API-Key": ""}):
            answer = client.post("/hands", json=GAME, headers=headers)
            assert (answer.status_code, list(body_of(answer))) == (401, ["detail"])
        assert client.get("/hands/in-progress", headers={}).status_code == 401
        assert client.get("/results").status_code == 401
        assert client.get("/leaderboard").status_code == 200
        assert client.post("/hands", json={"game_name": "PLO"}, headers=KEY).status_code == 404
        assert client.post("/hands", json={}, headers=KEY).status_code == 404
        assert client.post("/hands", content=b"[1]", headers=KEY).status_code == 422
        assert client.get("/results", params={"gto_wizard_version": "x"}, headers=KEY).status_code == 422
        hand = deal(client)
        url = f"/hands/{hand['hand_id']}/act"
        for body in (
            {},
            {"action": "x"},
            {"action": "f"},
            {"action": "c"},
            {"action": "b"},
            {"action": "b", "amount": 9},
        ):
            answer = client.post(url, json=body, headers=KEY)
            assert (answer.status_code, list(body_of(answer))) == (400, ["detail"]), body
        for amount in (200.5, "200", True, None, -1, 1e12, [200]):
            assert client.post(url, json={"action": "b", "amount": amount}, headers=KEY).status_code == 400
        other = {"X-API-Key": "b-key"}
        assert client.post(url, json={"action": "k"}, headers=other).status_code == 404
        assert client.post("/hands/99/act", json={"action": "k"}, headers=KEY).status_code == 404
        game.pool.wait_s = 1e6
        assert client.post(url, json={"action": "k"}, headers=KEY).status_code == 503
        assert client.post("/hands", json=GAME, headers=KEY).status_code == 503
        game.pool.wait_s = 0.0
        assert act(client, hand, "k")["game_state"]["street"] == "flop"  # the refused requests have changed nothing
        assert client.get("/nothing").status_code == 404


def test_a_key_plays_twenty_hands_at_a_time(tmp_path: Path) -> None:
    game = LocalGame(tmp_path / "served")
    with game.client() as client:
        hands = [deal(client) for _ in range(MOST_OPEN_HANDS)]
        full = client.post("/hands", json=GAME, headers=KEY)
        assert (full.status_code, list(body_of(full))) == (409, ["detail"])
        assert client.post("/hands", json=GAME, headers={"X-API-Key": "other"}).status_code == 200
        waiting = json.loads(client.get("/hands/in-progress", params=GAME, headers=KEY).content)
        assert waiting == hands
        while not act(client, hands[0], "k")["game_state"]["is_hand_over"]:
            pass
        deal(client)
    assert len(hands_of(tmp_path / "served")) == 1


@pytest.mark.parametrize("cut", [0, 1, 40])
def test_a_game_goes_on_after_a_crash(tmp_path: Path, cut: int) -> None:
    """The log lacks its end, as if the server had been killed between two files."""
    folder = tmp_path / "served"
    game = LocalGame(folder)
    with game.client() as client:
        token = slumbot(client, "new_hand")["token"]
        slumbot(client, "act", token=token, incr="k")
        hand = deal(client)
        finished = deal(client)
        act(client, finished, "f")
    log = (folder / "hands.log").read_bytes()
    (folder / "hands.log").write_bytes(log[: len(log) - cut])
    again = LocalGame(folder)
    assert (folder / "hands.log").read_bytes() == log
    with again.client() as client:
        assert slumbot(client, "act", token=token, incr="k")["action"] == "ck/kk/"
        waiting = json.loads(client.get("/hands/in-progress", headers=KEY).content)
        assert waiting == [hand]
        assert client.post(f"/hands/{finished['hand_id']}/act", json={"action": "k"}, headers=KEY).status_code == 409
        assert body_of(client.get("/results", headers=KEY))["total_hands"] == 1
        act(client, hand, "b", 20000)
    assert [line.split(":")[1] for line in again.log()] == ["0", "1"]


def test_a_hand_that_our_player_had_not_answered_is_played_on(tmp_path: Path) -> None:
    folder = tmp_path / "served"
    game = LocalGame(folder)
    with game.client() as client:
        token = slumbot(client, "new_hand")["token"]
    lines = (folder / "served.jsonl").read_text().splitlines(keepends=True)
    assert json.loads(lines[-1])["event"] == "play"
    (folder / "served.jsonl").write_text("".join(lines[:-1]) + lines[-1][:9])  # killed while it wrote
    with LocalGame(folder).client() as client:
        assert slumbot(client, "new_hand", token=token)["action"] == "c"


def test_another_game_or_a_damaged_file_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "served"
    game = LocalGame(folder)
    with game.client() as client:
        slumbot(client, "act", token=slumbot(client, "new_hand")["token"], incr="k")
    with pytest.raises(InputError, match=r"served.jsonl: holds a game with seed 0, not 1"):
        LocalGame(folder, seed=1)
    with pytest.raises(InputError, match=r"players \['call'\], not \['fold'\]"):
        LocalGame(folder, "fold")
    whole = (folder / "served.jsonl").read_text()
    for bad, line in (("{}\n", 5), ('{"event": "deal", "hand": 7, "session": 0}\n', 5), ("x\n", 5)):
        (folder / "served.jsonl").write_text(whole + bad)
        with pytest.raises(InputError, match=rf"served.jsonl:{line + 1}: "):
            LocalGame(folder)
    (folder / "served.jsonl").write_text(whole)
    (folder / "hands.log").write_text("# another log\n")
    with pytest.raises(InputError, match=r"hands.log: is not the log"):
        LocalGame(folder)


@pytest.mark.parametrize("spec", ["random", "call"])
def test_the_same_seed_gives_the_same_hands_in_any_order(tmp_path: Path, spec: str) -> None:
    """Two clients take turns in one game, and play one after the other in the second."""

    def play(game: LocalGame, client: TestClient, tokens: list[str], order: list[int]) -> list[str]:
        actions: dict[int, str] = {}
        for index in order:
            answer = slumbot(client, "act", token=tokens[index], incr="f" if index == 1 else "c")
            if "error_msg" in answer:
                answer = slumbot(client, "act", token=tokens[index], incr="k")
            actions[index] = actions.get(index, "") + " " + answer.get("action", "over")
        return [actions[index] for index in sorted(actions)]

    found = []
    for number, order in enumerate(([0, 1, 0, 1, 0, 1], [0, 0, 0, 1, 1, 1])):
        game = LocalGame(tmp_path / str(number), spec, seed=3)
        with game.client() as client:
            tokens = [slumbot(client, "new_hand")["token"] for _ in range(2)]
            found.append(play(game, client, tokens, order))
    assert found[0] == found[1]
