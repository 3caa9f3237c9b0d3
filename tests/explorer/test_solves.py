"""The API of saved solves: numbers as ``hedgehog query`` has them, and files that change while they are open."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from starlette.testclient import TestClient

from hedgehog.explorer.items.nodes import find_place
from hedgehog.poker.cards import NUM_COMBOS, combo_mask, format_combo
from hedgehog.poker.ranges import parse_range
from hedgehog.solver.postflop.solution_files import open_solution, read_saved_solve
from hedgehog.solver.postflop.solution_json import describe_node
from tests.explorer.explored import BASE, RIVER, TURN, explored, get, query, random_line, save
from tests.explorer.spot_texts import SMALL_WEIGHTS
from tests.solver.postflop_fixtures import SMALL_FLOP


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Returns a solve of a river, a turn (strategies in 8 bits) and a flop."""
    root = tmp_path_factory.mktemp("solves")
    return [save(root / "river", RIVER), save(root / "turn", TURN, strategy=True), save(root / "flop", SMALL_FLOP)]


@pytest.fixture(scope="module")
def client(folders: list[Path]) -> Iterator[TestClient]:
    with explored(*folders) as (found, names):
        assert names == ["river", "turn", "flop"]
        yield found


def compare(client: TestClient, name: str, expected: dict[str, Any]) -> None:
    """Compares a node of the API with the same node of ``hedgehog query``."""
    line = expected["line"]
    node, equity = (get(client, f"items/{name}/{what}", line=line) for what in ("node", "equity"))
    assert "".join(node["board"]) == expected["board"]
    assert (node["pot"], node["player"]) == (expected["pot"], expected["player"])
    assert [action["token"] for action in node["actions"]] == expected["actions"]
    assert [action["freq"] for action in node["actions"]] == pytest.approx(expected["freq"], abs=2e-6)
    assert node["path"][-1]["freq"] == pytest.approx(expected["freq"], abs=2e-6)
    assert node["avg_ev"] == pytest.approx(expected["avg_ev"], abs=2e-4)
    assert equity["avg_equity"] == pytest.approx(expected["avg_equity"], abs=2e-6)
    for action, child in zip(node["actions"], expected["children"], strict=True):
        assert action["leads_to"] == child["leads_to"]
        if child["freq"]:
            assert action["ev"] == pytest.approx(child["avg_ev"], abs=2e-4)
    own = node["players"][node["player"]]
    assert list(map(format_combo, own["combos"])) == [hand["hand"] for hand in expected["hands"]]
    for index, hand in enumerate(expected["hands"]):
        assert own["weight"][index] == pytest.approx(hand["weight"], abs=2e-6)
        assert own["ev"][index] == pytest.approx(hand["ev"], abs=2e-4)
        assert own["removes"][index] == pytest.approx(hand["removes"], abs=2e-4)
        assert equity["equity"][node["player"]][index] == pytest.approx(hand["equity"], abs=2e-5)
        assert [row[index] for row in node["strategy"]] == pytest.approx(hand["strategy"], abs=2e-5)
        assert [row[index] for row in node["action_evs"]] == pytest.approx(hand["action_evs"], abs=2e-4)


def lines_of(folder: Path, count: int, seed: int) -> list[str]:
    solution = open_solution(read_saved_solve(folder))
    rng = random.Random(seed)
    return ["", *(random_line(solution, rng) for _ in range(count - 1))]


def test_numbers_are_those_of_query(client: TestClient, folders: list[Path]) -> None:
    for folder in folders:
        for expected in query(folder, lines_of(folder, 8, seed=1)):
            compare(client, folder.name, expected)


@pytest.mark.slow
def test_numbers_are_those_of_query_at_200_nodes(client: TestClient, folders: list[Path]) -> None:
    for folder in folders:
        for expected in query(folder, lines_of(folder, 67, seed=2)):
            compare(client, folder.name, expected)


def test_the_way_to_a_node_has_the_frequencies_of_its_decisions(client: TestClient, folders: list[Path]) -> None:
    before = ["", "X", "X B150", "X B150 C 5s"]
    node = get(client, "items/turn/node", line="X B150 C 5s X")
    expected = query(folders[1], [*before, "X B150 C 5s X"])
    decisions = [step for step in node["path"] if step["kind"] == "decision"]
    assert [step["line"] for step in node["path"]] == ["", "X", "X B150", "X B150 C", "X B150 C 5s", "X B150 C 5s X"]
    assert node["path"][3] == {"kind": "card", "line": "X B150 C", "street": 3, "pot": 500, "card": "5s"}
    for step, line in zip(decisions, expected, strict=True):
        assert step["line"] == line["line"]
        assert step["freq"] == pytest.approx(line["freq"], abs=2e-6)
    assert [step["chosen"] for step in decisions] == [0, 1, 1, 0, None]


def test_next_cards(client: TestClient, folders: list[Path]) -> None:
    place = get(client, "items/flop/node", line="X X")
    assert place["kind"] == "card"
    like = {each["card"]: each["like"] for each in place["cards"]}
    assert len(like) == 49
    assert like["7s"] == like["7d"] == "7d"  # the two suits are interchangeable
    cards = get(client, "items/flop/cards", line="X X", cards="7dKh7s", what="ev,equity")
    for card, row in cards["cards"].items():
        (expected,) = query(folders[2], [f"X X {card}"])
        assert row["freq"] == pytest.approx(expected["freq"], abs=2e-6)
        assert row["ev"] == pytest.approx(expected["avg_ev"], abs=2e-4)
        assert row["equity"] == pytest.approx(expected["avg_equity"], abs=2e-6)
    assert cards["cards"]["7d"]["freq"] == cards["cards"]["7s"]["freq"]


def test_ends_of_hands(client: TestClient) -> None:
    fold = get(client, "items/river/node", line="B500 F")
    assert (fold["kind"], fold["player"], fold["pot"]) == ("fold", 1, 1500)
    assert get(client, "items/river/node", line="X X")["kind"] == "showdown"
    all_in = get(client, "items/turn/node", line="X A900 C")  # no cards are asked for
    assert (all_in["kind"], all_in["stacks"]) == ("showdown", [0, 0])


def test_ranges_as_text(client: TestClient) -> None:
    node = get(client, "items/river/node", line="X")
    text = get(client, "items/river/range", line="X", player="ip")["range"]
    assert np.flatnonzero(parse_range(text)).tolist() == node["players"][1]["combos"]
    bets = parse_range(get(client, "items/river/range", line="X", player="ip", action=1)["range"])
    assert bets.sum() == pytest.approx(sum(node["strategy"][1]), abs=0.05)


def test_small_weights_lose_no_hand(tmp_path: Path) -> None:
    folder = save(tmp_path / "small", SMALL_WEIGHTS)
    solution = open_solution(read_saved_solve(folder))

    def copied(client: TestClient, **asked: object) -> NDArray[np.float32]:
        text = get(client, "items/small/range", **asked)["range"]
        return parse_range(text) if text else np.zeros(NUM_COMBOS, np.float32)

    with explored(folder) as (client, _):
        for line in ("", "X", "B500"):
            node = get(client, "items/small/node", line=line)
            place = find_place(solution.tree, solution.board, line)
            for player, name in enumerate(("oop", "ip")):
                reach = solution.node_reach(player, place.node, ())
                held = np.flatnonzero(reach)
                assert len(held) > 20
                assert node["players"][player]["combos"] == held.tolist()
                assert node["players"][player]["weight"] == pytest.approx(reach[held].tolist(), rel=1e-5, abs=0)
                assert copied(client, line=line, player=name) == pytest.approx(reach, rel=1e-3, abs=0)
                if player == node["player"]:
                    taken = [
                        copied(client, line=line, player=name, action=action) for action in range(len(node["actions"]))
                    ]
                    assert sum(taken) == pytest.approx(reach, rel=2e-3, abs=0)
    for answer in query(folder, ["", "X"]):
        assert all(hand["weight"] > 0 for hand in answer["hands"])
    root, live = describe_node(solution, ""), combo_mask(solution.board)
    for player in (0, 1):
        hands = np.flatnonzero(solution.ranges[player])
        assert ((np.array(root[f"weight_{player}"]) > 0) == live[hands]).all()


@pytest.mark.parametrize(
    ("question", "params", "said"),
    [
        ("node", {"line": "X Y"}, "no action 'Y'"),
        ("node", {"line": "X X X"}, "the hand is over"),
        ("node", {"line": "A" * 5000}, "more than 4000"),
        ("cards", {"line": "", "cards": "2d"}, "no card is dealt"),
        ("cards", {"line": "", "cards": "2x"}, "expected a card"),
        ("cards", {"line": "", "what": "luck"}, "unknown figure"),
        ("range", {"line": "", "player": "me"}, "expected oop or ip"),
        ("range", {"line": "", "player": "oop", "action": "7"}, "expected an action"),
        ("range", {"line": "", "player": "oop", "action": "-1"}, "the number of an action"),
        ("equity", {"line": "X X"}, "no player acts"),
    ],
)
def test_wrong_questions(client: TestClient, question: str, params: dict[str, str], said: str) -> None:
    response = client.get(f"{BASE}/api/1/items/river/{question}", params=params)
    assert response.status_code == 400
    assert said in response.json()["error"]


def test_unknown_items_and_questions(client: TestClient) -> None:
    for path in ("items/nobody", "items/nobody/node", "items/river/luck", "items/river/verify/x", "nothing"):
        response = client.get(f"{BASE}/api/1/{path}")
        assert response.status_code == 404
        assert set(response.json()) == {"error"}


def test_two_pages_at_once(client: TestClient) -> None:
    lines = ["", "X", "B500", "X B500"] * 6
    alone = {line: get(client, "items/river/node", line=line) for line in set(lines)}
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda line: get(client, "items/river/node", line=line), lines))
    assert found == [alone[line] for line in lines]


def test_a_solve_that_is_deleted_and_comes_back(tmp_path: Path, folders: list[Path]) -> None:
    mine = shutil.copytree(folders[0], tmp_path / "mine")
    with explored(mine, folders[2]) as (client, _):
        before = get(client, "items/mine/node")
        mine.rename(tmp_path / "away")
        response = client.get(f"{BASE}/api/1/items/mine/node")
        assert response.status_code == 409
        assert "mine" in response.json()["error"]
        assert get(client, "items/flop/node")["kind"] == "decision"  # the server lives
        (tmp_path / "away").rename(mine)
        assert get(client, "items/mine/node") == before


def test_a_solve_that_is_cut_off_while_it_is_open(tmp_path: Path, folders: list[Path]) -> None:
    mine = shutil.copytree(folders[2], tmp_path / "mine")
    with explored(mine) as (client, _):
        get(client, "items/mine/node")
        for array in mine.glob("average_*.npy"):
            with array.open("r+b") as file:
                file.truncate(200)
        response = client.get(f"{BASE}/api/1/items/mine/node", params={"line": "X X 7d"})
        assert response.status_code == 409
        assert "truncated" in response.json()["error"]


def test_a_damaged_byte_is_found(tmp_path: Path, folders: list[Path]) -> None:
    mine = shutil.copytree(folders[0], tmp_path / "mine")
    array = next(mine.glob("average_oop*.npy"))
    data = bytearray(array.read_bytes())
    data[-3] ^= 1
    array.write_bytes(data)
    with explored(mine, folders[1]) as (client, _):
        response = client.get(f"{BASE}/api/1/items/mine/verify")
        assert response.status_code == 409
        assert "checksum" in response.json()["error"]
        assert client.get(f"{BASE}/api/1/items/mine/node").status_code == 409  # no numbers of damaged files from now on
        assert get(client, "items/turn/verify") == {"verified": True}


def test_a_solve_that_goes_on(tmp_path: Path) -> None:
    folder = save(tmp_path / "solve", RIVER, iterations=10)
    with explored(folder) as (client, _):
        assert get(client, "items/solve")["content"]["iterations"] == 10
        first = get(client, "items/solve/node")
        save(folder, RIVER, iterations=40)
        assert get(client, "items/solve/node")["strategy"] != first["strategy"]
        assert get(client, "items/solve")["content"]["iterations"] == 40
