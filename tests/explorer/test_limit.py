"""Limit packs in the explorer: the numbers and candidates that ``hedgehog ask`` tells, ranges, and card buckets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from hedgehog.agent.limit.strategy import LimitStrategy
from hedgehog.cli.main import cli
from hedgehog.explorer.items.kinds import items_at
from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_mask, format_combo, parse_cards
from hedgehog.poker.ranges import parse_range
from hedgehog.strategies.limit_pack import limit_packs
from hedgehog.strategies.pack import default_packs
from tests.explorer.explored import BASE, explored, get

ID = "items/limit-hold-em"
BOARD = "Qs Jh 2h"
S1 = "r c c QsJh2h r r"
THREE = ("--game", "holdem.limit.3p", "--line", "rcc/rr", "--board", BOARD)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with explored(default_packs()) as (found, _):
        yield found


def asked(*args: str) -> dict[str, Any]:
    result = CliRunner().invoke(cli, ["ask", *args, "--json"])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize(
    ("by", "more", "spec"),
    [
        ("hbb3", {"nearest": 3, "weights": "d"}, "limit3p:hbb3?x=3&weights=d"),
        pytest.param("limit3", {}, "limit3", marks=pytest.mark.slow),
    ],
)
def test_numbers_are_those_of_ask(client: TestClient, by: str, more: dict[str, object], spec: str) -> None:
    expected = asked(*THREE, "--player", spec, "--grid", "--hand", "AhKh")
    node = get(client, f"{ID}/node", players=3, by=by, line=S1, **more)
    assert (node["pot"], node["player"]) == (expected["pot"], 2)
    frequencies = [each["range_frequency"] for each in expected["actions"]]
    assert [action["freq"] for action in node["actions"]] == pytest.approx(frequencies, abs=1e-6)
    own, hands = node["players"][2], {each["hand"]: each for each in expected["hands"]}
    for place, combo in enumerate(own["combos"]):
        hand = hands[format_combo(combo)]
        assert own["weight"][place] == pytest.approx(hand["weight"], abs=1e-6)
        assert [row[place] for row in node["strategy"]] == pytest.approx(hand["probabilities"], abs=1e-5)
    told = get(client, f"{ID}/hand", players=3, by=by, line=S1, cards="AhKh", **more)
    assert {key: told[key] for key in expected["limit"]} == expected["limit"]


def test_figures_of_the_grid_are_those_of_single_hands(client: TestClient) -> None:
    node = get(client, f"{ID}/node", players=3, by="hbb2", line=S1)
    own = node["players"][2]["combos"]
    assert sorted(node["figures"]) == ["distance", "step", "unreached"]
    for place in (0, 100, len(own) - 1):
        hand = get(client, f"{ID}/hand", players=3, by="hbb2", line=S1, cards=format_combo(own[place]))
        assert node["figures"]["distance"][place] == pytest.approx(hand["distance"], abs=1e-5)
        assert node["figures"]["step"][place] == max(one["step"] for one in hand["opponents"])
        counts = [(one["unreached"], one["candidates"]) for one in hand["opponents"]]
        assert node["figures"]["unreached"][place] == pytest.approx(np.divide(*np.sum(counts, axis=0)), abs=1e-5)
    weights = np.array(node["players"][2]["weight"])
    mean = np.array(node["figures"]["distance"]) @ weights / weights.sum()
    assert node["averages"]["distance"] == pytest.approx(mean, abs=2e-3)


def test_ranges_are_the_products_of_the_own_actions(client: TestClient) -> None:
    strategy = LimitStrategy.open(default_packs(), 2)
    node = get(client, f"{ID}/node", players=2, line="r c QsJh2h c r")
    board = tuple(parse_cards(BOARD))
    shown = [dict(zip(each["combos"], each["weight"], strict=True)) for each in node["players"]]
    rng = np.random.default_rng(4)
    for combo in rng.choice(np.flatnonzero(combo_mask(board)), 12).tolist():
        hole = COMBO_CARDS[combo].tolist()
        button = strategy.probabilities("", hole, ())[2] * strategy.probabilities("rc/c", hole, board)[2]
        blind = strategy.probabilities("r", hole, ())[1] * strategy.probabilities("rc/", hole, board)[1]
        for position, weight in ((1, button), (0, blind)):  # actions below 2 % are not played
            if weight > 0.05:
                assert shown[position][combo] == pytest.approx(weight, abs=0.05)
    text = get(client, f"{ID}/range", players=2, line="r c QsJh2h c r", player=1)["range"]
    assert np.flatnonzero(parse_range(text)).tolist() == node["players"][1]["combos"]
    raises = get(client, f"{ID}/range", players=2, line="r c QsJh2h c r", player=0, action=2)["range"]
    assert 0 < parse_range(raises).sum() < parse_range(text).sum()


@pytest.mark.parametrize(("by", "players"), [("trained", 3), ("hbb2", 3), ("trained", 2)])
def test_buckets_part_the_hands_of_the_board(client: TestClient, by: str, players: int) -> None:
    line = "r c c QsJh2h r" if players == 3 else "r c QsJh2h r"
    node = get(client, f"{ID}/node", players=players, by=by, line=line)
    rows = get(client, f"{ID}/buckets", players=players, by=by, line=line)["rows"]
    free = combo_mask(tuple(parse_cards(BOARD)))
    assert sorted(combo for row in rows for combo in row["combos"]) == np.flatnonzero(free).tolist()
    assert sum(row["share"] for row in rows) == pytest.approx(1, abs=1e-4)
    cards = LimitStrategy.open(default_packs(), players).cards
    buckets = cards.buckets(1, tuple(parse_cards(BOARD)))
    own = node["players"][node["player"]]["combos"]
    for row in rows:
        assert {int(buckets[combo]) for combo in row["combos"]} == {row["bucket"]}
        for combo in set(row["combos"]) & set(own):
            column = [shares[own.index(combo)] for shares in node["strategy"]]
            assert column == pytest.approx(row["probabilities"], abs=1e-4)
        assert {format_combo(combo) for combo in row["combos"]} >= set(row["examples"])
        assert 0 < row["equity"] < 1


def test_the_betting_is_walked_to_its_ends(client: TestClient) -> None:
    card = get(client, f"{ID}/node", players=3, line="r f c")
    assert (card["kind"], card["deal"], len(card["cards"])) == ("card", 3, 52)
    assert get(client, f"{ID}/node", players=3, line="f f")["kind"] == "fold"
    end = get(client, f"{ID}/node", players=2, line="c c QsJh2h c c 3c c c 4d c c")
    assert end["kind"] == "showdown"
    path = get(client, f"{ID}/node", players=3, line="r r f c")["path"]
    assert [step["chosen"] for step in path[:4]] == [2, 2, 0, 1]
    assert [action["token"] for action in path[0]["actions"]] == ["f", "c", "r"]
    assert get(client, f"{ID}/parse", players=3, line="rcc/rr", board=BOARD)["line"] == S1
    never = get(client, f"{ID}/node", players=2, line="r c 7c2d2h r r r r c 7s r r")
    assert "never gets here" in never["note"]
    assert len(never["players"][never["player"]]["combos"]) == 48 * 47 // 2
    equity = get(client, f"{ID}/equity", players=2, line="r c QsJh2h r")
    assert sum(equity["avg_equity"]) == pytest.approx(1)


@pytest.mark.parametrize(
    ("question", "params", "said"),
    [
        ("node", {"players": 4}, "a table of 2 or 3 players"),
        ("node", {"players": 2, "by": "hbb2"}, "expected an answer by trained, got 'hbb2'"),
        ("node", {"by": "hbb9"}, "expected an answer by trained, graft, limit3, hbb1"),
        ("node", {"by": "hbb2", "nearest": 99}, "expected 1 to 15 candidates"),
        ("node", {"by": "hbb2", "weights": "x"}, "expected weights d or none"),
        ("node", {"line": "r250"}, "a limit raise has no size"),
        ("node", {"line": "r r r r"}, "illegal action"),
        ("hand", {"line": S1, "cards": "AhQs"}, "holds a card of the board"),
        ("hand", {"line": S1, "cards": "Ah"}, "expected two cards"),
        ("hand", {"line": "r f f", "cards": "AhKh"}, "no player acts"),
        ("buckets", {"line": "r c c"}, "no player acts"),
        ("equity", {"line": S1}, "two players"),
        ("range", {"line": S1, "player": 7}, "a player from 0 to 2"),
        ("range", {"line": S1, "player": 0, "action": 1}, "no such action"),
    ],
)
def test_what_cannot_be_answered_is_refused(
    client: TestClient, question: str, params: dict[str, Any], said: str
) -> None:
    response = client.get(f"{BASE}/api/1/{ID}/{question}", params=params)
    assert response.status_code == 400, response.text
    assert said in response.json()["error"]


def test_single_packs_answer_at_their_tables() -> None:
    packs = limit_packs(default_packs())
    two, three = (items_at(packs[players])[0].describe() for players in (2, 3))
    assert [(table["players"], len(table["by"])) for table in two["tables"]] == [(2, 1), (3, 5)]
    assert [(table["players"], table["by"]) for table in three["tables"]] == [(3, ["trained"])]
    assert (two["players"], three["players"]) == (2, 3)
    folder = {item.kind: item for item in items_at(default_packs())}
    assert folder["limit"].note == "for 2 and 3 players"
    assert [table["players"] for table in folder["limit"].describe()["tables"]] == [2, 3]


def test_a_damaged_pack_is_named(tmp_path: Path) -> None:
    source = limit_packs(default_packs())[2]
    folder = tmp_path / "mine"
    folder.mkdir()
    for file in source.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    rows = bytearray((folder / "limit_rows.npy").read_bytes())
    rows[-1] ^= 255
    (folder / "limit_rows.npy").write_bytes(rows)
    with explored(folder) as (client, names):
        response = client.get(f"{BASE}/api/1/items/{names[0]}/node")
        assert response.status_code == 409
        assert "limit_rows" in response.json()["error"]
        (folder / "manifest.yaml").rename(tmp_path / "manifest.yaml")
        assert client.get(f"{BASE}/api/1/items/{names[0]}").status_code == 409


def test_our_player_shows_the_buckets_of_its_blueprint(client: TestClient) -> None:
    line = "r250 c QsJh2h c c 3c"
    node = get(client, "items/our-player/node", line=line)
    rows = get(client, "items/our-player/buckets", line=line)["rows"]
    free = combo_mask(tuple(parse_cards("Qs Jh 2h 3c")))
    assert sorted(combo for row in rows for combo in row["combos"]) == np.flatnonzero(free).tolist()
    own = node["players"][0]["combos"]
    shares = np.zeros((len(node["actions"]), NUM_COMBOS))
    shares[:, own] = node["strategy"]
    for row in rows:
        held = [combo for combo in row["combos"] if combo in own]
        assert (row["share"] > 0) == bool(held)
        if held:  # the blueprint does the same with all hands of a bucket
            assert shares[:, held].mean(axis=1) == pytest.approx(row["probabilities"], abs=1e-4)
