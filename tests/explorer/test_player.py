"""What our player does at a line: the same numbers and reasons as ``hedgehog ask`` gives, from a process of its own."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from hedgehog.cli.main import cli
from hedgehog.explorer.work import player_work
from hedgehog.explorer.work.play_lines import find_play_place, line_of_state
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.cards import NUM_COMBOS, format_combo
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.errors import InputError, ResourceError
from hedgehog.runtime.serving.worker import Worker
from hedgehog.strategies.pack import default_packs
from tests.explorer.explored import BASE, explored, get, post
from tests.solver.depth_packs import write_depths

SPOTS = {
    "": ("", ""),
    "r250": ("r250", ""),
    "r300 c QsJh2h c": ("r300c/c", "Qs Jh 2h"),
    "r250 c QsJh2h c r550": ("r250c/cr550", "Qs Jh 2h"),
    "r250 c QsJh2h c r415 c 7d c c 9c": ("r250c/cr415c/cc/", "Qs Jh 2h 7d 9c"),
}


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with explored(default_packs()) as (found, names):
        assert names == ["our-player", "limit-hold-em", "quick-flops"]
        yield found


@pytest.mark.parametrize("line", SPOTS)
def test_numbers_are_those_of_ask(client: TestClient, line: str) -> None:
    betting, board = SPOTS[line]
    asked = ["ask", "--line", betting, "--board", board, "--sizes", "hand", "--think-ms", "0", "--grid", "--json"]
    result = CliRunner().invoke(cli, asked)
    assert result.exit_code == 0, result.output
    expected: dict[str, Any] = json.loads(result.stdout)
    node = get(client, "items/our-player/node", line=line)
    assert (node["layer"], node["pot"]) == (expected["layer"], expected["pot"])
    assert [action["token"] for action in node["actions"]] == [each["action"] for each in expected["actions"]]
    frequencies = [each["range_frequency"] for each in expected["actions"]]
    assert [action["freq"] for action in node["actions"]] == pytest.approx(frequencies, abs=1e-6)
    own = node["players"][node["player"]]
    hands = {each["hand"]: each for each in expected["hands"]}
    shown = [format_combo(combo) for combo in own["combos"]]
    assert set(shown) == {name for name, each in hands.items() if each["weight"] >= player_work.LEAST_WEIGHT}
    for index, name in enumerate(shown):
        assert own["weight"][index] == pytest.approx(hands[name]["weight"], abs=1e-6)
        assert [row[index] for row in node["strategy"]] == pytest.approx(hands[name]["probabilities"], abs=1e-5)
    assert [each["betting"] for each in node["shadows"]] == [each["betting"] for each in expected["abstract_lines"]]
    assert len(node["translations"]) == len(expected["translations"])
    assert node["reasons"][0].startswith(f"Layer {expected['layer']}")
    if board:
        equity = get(client, "items/our-player/equity", line=line)
        assert [len(each) for each in equity["equity"]] == [len(each["combos"]) for each in node["players"]]


def test_a_real_bet_stands_on_the_way(client: TestClient) -> None:
    node = get(client, "items/our-player/node", line="r300 c QsJh2h")
    first = node["path"][0]
    assert first["actions"][first["chosen"]]["token"] == "r300"
    assert first["freq"][first["chosen"]] == 0
    assert node["path"][2]["card"] == "QsJh2h"


def test_cards_are_asked_for(client: TestClient) -> None:
    place = get(client, "items/our-player/node", line="r250 c")
    assert (place["kind"], place["deal"], len(place["cards"])) == ("card", 3, 52)
    place = get(client, "items/our-player/node", line="r250 c QsJh2h c c")
    assert (place["kind"], place["deal"], len(place["cards"])) == ("card", 1, 49)
    assert get(client, "items/our-player/node", line="r250 f")["kind"] == "fold"


def test_ranges_and_typed_lines(client: TestClient) -> None:
    text = get(client, "items/our-player/range", line="r250", player="ip")["range"]
    node = get(client, "items/our-player/node", line="r250")
    assert np.flatnonzero(parse_range(text)).tolist() == node["players"][1]["combos"]
    own = node["players"][node["player"]]
    for action, row in enumerate(node["strategy"]):
        text = get(client, "items/our-player/range", line="r250", player="oop", action=action)["range"]
        taken = {combo: weight * x for combo, weight, x in zip(own["combos"], own["weight"], row, strict=True) if x}
        copied = parse_range(text) if text else np.zeros(NUM_COMBOS)
        assert set(taken) <= set(np.flatnonzero(copied).tolist())  # however rarely a hand takes the action
        assert [copied[combo] for combo in taken] == pytest.approx(list(taken.values()), rel=1e-2, abs=1e-5)
    line = get(client, "items/our-player/parse", line="r250c/kr300", board="Qs Jh 2h")["line"]
    assert line == "r250 c QsJh2h c r550"


@pytest.mark.parametrize(
    ("question", "params", "said"),
    [
        ("node", {"line": "r1"}, "expected a raise"),
        ("node", {"line": "x"}, "expected f, c or r"),
        ("node", {"line": "f f"}, "over"),
        ("node", {"line": "r250 c QsJh"}, "expected 3 dealt cards"),
        ("node", {"line": "r250 c QsJhQs"}, "repeated"),
        ("node", {"line": "r250 c QsJh2h c c Qs"}, "already on the board"),
        ("node", {"line": "", "think": "7"}, "thinking time"),
        ("equity", {"line": ""}, "from the flop on"),
        ("range", {"line": "r250 c", "player": "oop"}, "no player acts"),
        ("range", {"line": "", "player": "oop", "action": "0"}, "no such action"),
        ("parse", {"line": "r250c/kr300", "board": ""}, "expected 3 cards"),
    ],
)
def test_wrong_questions(client: TestClient, question: str, params: dict[str, str], said: str) -> None:
    response = client.get(f"{BASE}/api/1/items/our-player/{question}", params=params)
    assert response.status_code == 400
    assert said in response.json()["error"]


@pytest.mark.slow
def test_a_live_solve(client: TestClient) -> None:
    node = get(client, "items/our-player/node", line="r250 c QsJh2h c c 7d c c 9c", think=1500)
    assert node["layer"] == "live"
    assert node["iterations"] > 0
    assert node["path"][-1]["freq"] == [action["freq"] for action in node["actions"]]


def test_lines_and_states() -> None:
    gamedef = load_gamedef()
    for line in SPOTS:
        place = find_play_place(line, gamedef)
        assert line_of_state(place.state, place.board) == line


@pytest.mark.process
def test_a_worker_that_dies_is_replaced() -> None:
    worker = Worker("hedgehog.explorer.work.player_work")
    try:
        assert worker.call("parse", "r250", "") == "r250"
        with pytest.raises(InputError, match="illegal"):
            worker.call("parse", "r1", "")
        process = worker._process
        assert process is not None
        process.kill()
        process.join()
        try:
            assert worker.call("parse", "r250", "") == "r250"
        except ResourceError:
            assert worker.call("parse", "r250", "") == "r250"
    finally:
        worker.close()
    assert worker._process is None


@pytest.mark.process
def test_the_flops_of_the_shipped_pack(client: TestClient) -> None:
    content = get(client, "items/quick-flops")["content"]
    assert content["tier"] == "quick"
    assert {line["betting"] for line in content["lines"]} >= {"r250c", "cc"}
    response = client.get(f"{BASE}/api/1/items/quick-flops/node", params={"flop": "r250c Qs Jh 2h"})
    assert response.status_code == 400
    assert "by the player" in response.json()["error"]


STACKS = (20, 50, 200)


@pytest.fixture(scope="module")
def packs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_depths(tmp_path_factory.mktemp("family") / "packs", *STACKS)


@pytest.fixture(scope="module")
def family(packs: Path) -> Iterator[TestClient]:
    with explored(packs) as (found, names):
        assert names == ["packs"]
        yield found


def asked_at(packs: Path, stack: str, line: str, board: str) -> dict[str, Any]:
    """Returns what ``hedgehog ask`` answers with these stacks."""
    asked = ["ask", "--player", f"pack:{packs}", "--stack", stack, "--line", line, "--board", board, "--sizes", "hand"]
    result = CliRunner().invoke(cli, [*asked, "--think-ms", "0", "--json"])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_the_page_offers_the_depths_of_the_packs(family: TestClient, packs: Path) -> None:
    (item,) = get(family, "items")["items"]
    assert item["note"] == "20, 50, 200 big blinds"
    content = get(family, "items/packs")["content"]
    assert content["stacks"] == [{"stack": f"{depth}bb", "depth": depth} for depth in STACKS]
    assert content["stack"] == "200bb"
    assert {each["name"]: each["depth"] for each in content["packs"]} == {f"{depth}bb": depth for depth in STACKS}
    with explored(packs / "20bb") as (client, _):  # its own depth, not that of the default game
        assert get(client, "items/20bb")["content"]["stack"] == "20bb"
        assert get(client, "items/20bb/node", line="")["game_bb"] == 20


def test_everything_is_for_the_chosen_stack(family: TestClient, packs: Path) -> None:
    """The stacks change to and fro; every answer is that of `ask` with the same stacks."""
    spots = [("", "", ""), ("r250", "r250", ""), ("r250 c QsJh2h", "r250c/", "Qs Jh 2h")]
    for stack, depth in [("37.5bb", 50), ("20bb", 20), ("3300,9000", 50), ("", 200)]:
        for line, betting, board in spots:
            node = get(family, "items/packs/node", line=line, stack=stack)
            expected = asked_at(packs, stack or "200bb", betting, board)
            assert node["strategy_bb"] == expected["strategy_bb"] == depth
            assert node["game_bb"] == expected["game_bb"]
            assert [each["token"] for each in node["actions"]] == [each["action"] for each in expected["actions"]]
            frequencies = [each["range_frequency"] for each in expected["actions"]]
            assert [each["freq"] for each in node["actions"]] == pytest.approx(frequencies, abs=1e-6)
            named = any("nearest depth" in reason for reason in node["reasons"])
            assert named == (node["game_bb"] != depth)
            assert node["stacks"][node["player"]] == expected["stack"]
    equity = get(family, "items/packs/equity", line="r250 c QsJh2h", stack="20bb")
    assert equity["avg_equity"][0] == pytest.approx(
        asked_at(packs, "20bb", "r250c/", "Qs Jh 2h")["range_equity"], abs=1e-6
    )
    ranges = [
        get(family, "items/packs/range", line="r250", player="ip", stack=stack)["range"] for stack in ("20bb", "50bb")
    ]
    assert ranges[0] != ranges[1]
    parsed = get(family, "items/packs/parse", line="r250c/kr300", board="Qs Jh 2h", stack="20bb")
    assert parsed["line"] == "r250 c QsJh2h c r550"


@pytest.mark.parametrize(
    ("stack", "line", "said"),
    [
        ("many", "", "expected a stack in chips or in big blinds"),
        ("1bb", "", "expected a stack above the big blind"),
        ("20bb", "r2100", "expected a raise"),
    ],
)
def test_wrong_stacks(family: TestClient, stack: str, line: str, said: str) -> None:
    response = family.get(f"{BASE}/api/1/items/packs/node", params={"line": line, "stack": stack})
    assert response.status_code == 400
    assert said in response.json()["error"]


def test_a_spot_with_the_ranges_of_the_player(family: TestClient, packs: Path) -> None:
    for stack in ("20bb", "37.5bb", "200bb"):
        found = post(family, "solve/lines", {"stack": stack, "player": "packs"})
        line = next(each["line"] for each in found["lines"] if each["line"].startswith("r"))
        content = {"stack": stack, "player": "packs", "line": line, "board": "Qh Jh 2c"}
        text = post(family, "solve/preset", content)["text"]
        wanted = ["pack", "spot", "--pack", str(packs), "--stack", stack, "--line", line, "--board", "Qh Jh 2c"]
        assert text == CliRunner().invoke(cli, wanted).stdout
        assert post(family, "solve/read", {"spot": text})["board"] == "Qh Jh 2c"
        nearest = min(STACKS, key=lambda depth: abs(math.log(depth / float(stack[:-2]))))
        assert (found["strategy_bb"], found["game_bb"]) == (nearest, float(stack[:-2]))
    for blinds, stack, bets in (("1/2", "400", "r5c"), ("10/20", "300bb,37.5bb", "r50c"), ("100/100", "200bb", "cc")):
        found = post(family, "solve/lines", {"stack": stack, "blinds": blinds, "player": "packs"})
        assert bets in {each["line"] for each in found["lines"]}
        content = {"stack": stack, "blinds": blinds, "player": "packs", "line": bets, "board": "Qh Jh 2c"}
        text = post(family, "solve/preset", content)["text"]
        wanted = ["pack", "spot", "--pack", str(packs), "--stack", stack, "--blinds", blinds, "--line", bets]
        assert text == CliRunner().invoke(cli, [*wanted, "--board", "Qh Jh 2c"]).stdout
    refused = post(family, "solve/lines", {"stack": "200bb", "blinds": "2/1", "player": "packs"}, status=400)
    assert "expected blinds such as 1/2" in refused["error"]
    content = {"stack": "200bb", "player": "packs", "board": "Qh Jh 2c"}
    refused = post(family, "solve/preset", content | {"line": "r777c"}, status=409)
    assert "the blueprint has no r777" in refused["error"]
    assert (
        "cards are on the board"
        in post(family, "solve/preset", content | {"line": "r250c", "board": "Qh Jh 2c 5d"}, status=400)["error"]
    )
    assert "no item" in post(family, "solve/lines", {"stack": "20bb", "player": "nobody"}, status=404)["error"]
    shipped = post(family, "solve/lines", {"stack": "200bb"})
    assert shipped["strategy_bb"] == 200
    assert "r250c" in {each["line"] for each in shipped["lines"]}


@pytest.mark.slow
def test_the_game_of_a_logged_hand(family: TestClient, packs: Path, tmp_path: Path) -> None:
    """A hand of other chips is asked about with the name of its game, as the log of its match has it."""
    out = tmp_path / "match"
    played = ["match", "call", "call", "--hands", "2", "--stack", "120,75", "--blinds", "1/2", "--in-process"]
    assert CliRunner().invoke(cli, [*played, "--out", str(out)]).exit_code == 0
    with explored(out) as (client, (name,)):
        hand = get(client, f"items/{name}/hand", hand=0)
    assert hand["chosen_game"] == "holdem.nolimit.2p.1-2.120-75"
    step = next(step for step in hand["steps"] if step["kind"] == "action" and step["street"] == "flop")
    node = get(family, "items/packs/node", line=step["line"], game=hand["chosen_game"])
    assert (node["game_bb"], node["strategy_bb"], node["pot"], node["player"]) == (37.5, 50, 4, step["position"])
    assert node["stacks"] == [118, 73]
    response = family.get(f"{BASE}/api/1/items/packs/node", params={"line": "", "game": "kuhn.limit.2p"})
    assert response.status_code == 400
    assert "expected heads-up no-limit hold'em" in response.json()["error"]
