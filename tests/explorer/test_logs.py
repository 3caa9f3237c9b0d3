"""Hand histories, matches, tournaments and betting trees in the API."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from hedgehog import arena
from hedgehog.analysis.histories.hand_files import ACPC, LBR, PHH, Converter, formats, open_hand_file
from hedgehog.analysis.histories.hand_input import HandInput
from hedgehog.analysis.histories.site_text import LOG_READERS
from hedgehog.analysis.study.runs import study_tree
from hedgehog.analysis.study.study_input import StudyInput
from hedgehog.analysis.study.trees.betting_tree import StudyTree
from hedgehog.analysis.study.trees.files import write_tree
from hedgehog.analysis.study.trees.kinds import parse_shape
from hedgehog.analysis.study.trees.text import tree_text
from hedgehog.analysis.tournament import analyse_tournament
from hedgehog.explorer.items.kinds import items_at
from hedgehog.explorer.work.play_lines import find_play_place
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.runtime.errors import InputError
from tests.explorer.explored import BASE, explored, get
from tests.golden import read_golden_log
from tests.poker.lbr_fixtures import lbr_log

LOG = Path(__file__).parents[1] / "data" / "acpc" / "log_hunl2p_s0.log.gz"
KUHN = Path(__file__).parents[1] / "data" / "acpc" / "log_kuhn3p_s1471220049.log.gz"
STARS = Path(__file__).parents[1] / "data" / "pokerstars" / "heads-up.txt"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with explored(LOG, KUHN, STARS) as (found, names):
        assert names == ["log-hunl2p-s0-log-gz", "log-kuhn3p-s1471220049-log-gz", "heads-up-txt"]
        yield found


def all_hands(client: TestClient, name: str, **params: object) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    page = 0
    while True:
        found = get(client, f"items/{name}/hands", page=page, **params)
        rows += found["rows"]
        page += 1
        if page >= found["pages"]:
            assert len(rows) == found["count"]
            assert found["won"] == pytest.approx(sum(row["value"] or 0 for row in rows))
            return rows


def test_the_list_of_hands(client: TestClient) -> None:
    hands = [entry.hand for entry in open_hand_file(LOG).hands()]
    rows = all_hands(client, "log-hunl2p-s0-log-gz", player="P1_ex")
    assert [row["number"] for row in rows] == [hand.hand_id for hand in hands]
    for row, hand in zip(rows, hands, strict=True):
        names = hand.names.split("|")
        assert row["value"] == float(hand.values[names.index("P1_ex")])
        assert row["betting"] == hand.state.betting_string()
        assert row["showdown"] == hand.state.is_showdown
    won = [row["value"] for row in all_hands(client, "log-hunl2p-s0-log-gz", player="P1_ex", sort="won")]
    assert won == sorted(won, reverse=True)
    lost = [row["value"] for row in all_hands(client, "log-hunl2p-s0-log-gz", player="P1_ex", sort="lost")]
    assert lost == sorted(lost)


def test_winnings_without_a_player_are_those_of_one_player_in_all_hands(client: TestClient) -> None:
    for name in ("log-hunl2p-s0-log-gz", "log-kuhn3p-s1471220049-log-gz", "heads-up-txt"):
        player = get(client, f"items/{name}")["content"]["player"]
        page = get(client, f"items/{name}/hands")
        assert (page["player"], page["count"]) == (player, page["of"])
        mine = all_hands(client, name, player=player)
        assert page["won"] == pytest.approx(sum(row["value"] for row in mine))
        assert page["played"] == len(mine)
        for row in page["rows"]:
            assert row["value"] == dict(zip(row["names"], row["values"], strict=True)).get(player)


def test_filters(client: TestClient) -> None:
    name = "log-hunl2p-s0-log-gz"
    rows = all_hands(client, name)
    opened = all_hands(client, name, line="r*c/")
    assert opened == [row for row in rows if row["betting"].startswith("r") and row["betting"].split("/")[0][-1] == "c"
                      and row["betting"].split("/")[0].count("r") == 1 and "/" in row["betting"]]  # fmt: skip
    assert len(opened) > 10
    rivers = all_hands(client, name, street="river", end="showdown")
    assert rivers == [row for row in rows if row["betting"].count("/") == 3 and row["showdown"]]
    assert all_hands(client, name, player="nobody") == []


def test_one_hand_step_by_step(client: TestClient) -> None:
    """Every line before a decision leads to that decision, and the last pot is that of the log."""
    gamedef = load_gamedef()
    for place in range(0, 500, 37):
        hand = get(client, "items/log-hunl2p-s0-log-gz/hand", hand=place)
        actions = [step for step in hand["steps"] if step["kind"] == "action"]
        for step in actions:
            found = find_play_place(step["line"], gamedef)
            assert (found.kind, found.state.acting_position) == ("decision", step["position"])
        dealt = [card for step in hand["steps"] if step["kind"] == "deal" for card in step["cards"]]
        assert dealt == hand["board"][: len(dealt)]
        assert sum(hand["values"]) == 0
        assert actions[-1]["pot"] + sum(actions[-1]["stacks"]) == sum(gamedef.stacks)


def test_other_games_and_formats(client: TestClient) -> None:
    kuhn = get(client, "items/log-kuhn3p-s1471220049-log-gz/hand", hand=1)
    assert (kuhn["game"], kuhn["chosen_game"], len(kuhn["names"])) == ("kuhn.limit.3p", None, 3)
    deep = get(client, "items/log-hunl2p-s0-log-gz/hand", hand=0)
    assert deep["chosen_game"] == "holdem.nolimit.2p.50-100.20000"
    stars = get(client, "items/heads-up-txt")["content"]
    assert stars["format"] == "pokerstars"
    first = get(client, "items/heads-up-txt/hand", hand=0)
    assert len(first["names"]) == 2


FOREIGN = "***** Hand History for Game 13550421324 *****\n$100 USD NL Texas Hold'em\n\n"


def with_left_out(folder: Path, file_format: str) -> Path:
    """Writes a file of a format with good hands, and with one or two lines in their middle that are no such hands."""
    data = Path(__file__).parents[1] / "data"
    path = folder / f"{file_format}.{'phhs' if file_format == PHH else 'txt'}"
    if file_format in LOG_READERS:
        text = (data / file_format / "heads-up.txt").read_text()
        path.write_text(f"{text}\n\n{FOREIGN}{FOREIGN}")
    elif file_format == LBR:
        lines = lbr_log(read_golden_log("log_hunl2p_s0")[:8])
        path.write_text("\n".join([*lines, FOREIGN, FOREIGN]))
    elif file_format == ACPC:
        lines = read_golden_log("log_hunl2p_s0")[:8]
        lines[5] = lines[5].replace("STATE:", "STATE:x")
        path.write_text("\n".join([*lines[:7], "Hello", *lines[7:]]) + "\n")
    else:
        converter = Converter(PHH)
        text = [converter.convert(entry) for entry in list(open_hand_file(LOG).entries())[:10]]
        text[6] = text[6].replace("actions = [", "actions = ['p9 f', ")
        text[7] = text[7].replace("variant = 'NT'", "variant = 'XX'")
        path.write_text("".join(text))
    return path


@pytest.mark.parametrize("file_format", formats())
def test_the_hands_are_those_that_every_command_counts(tmp_path: Path, file_format: str) -> None:
    path = with_left_out(tmp_path, file_format)
    reading = HandInput([path])
    assert reading.files[0].format == file_format
    hands = [entry for file in reading.files for entry in reading.read(file, hidden_cards=True)]
    assert hands
    assert reading.left_out.count >= 2
    with explored(path) as (client, (name,)):
        page = get(client, f"items/{name}/hands")
        assert (page["of"], page["left_out"]) == (len(hands), reading.notes())
        assert [row["number"] for row in page["rows"]] == [entry.hand.hand_id for entry in hands]
        for place, entry in enumerate(hands):
            shown = get(client, f"items/{name}/hand", hand=place)
            assert shown["values"] == [float(value) for value in entry.hand.values]
            assert shown["dead"] == sum(entry.dead)
            pot = [step["pot"] for step in shown["steps"] if step["kind"] == "action"][-1]
            assert pot == sum(entry.hand.state.spent) + sum(entry.dead)


def test_a_file_without_a_hand_that_counts_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "none.log"
    path.write_text("# nothing\nSTATE:0:f:x\n")
    with pytest.raises(InputError, match=r"expected at least one hand; 1 hand left out, unreadable: .*none\.log:2"):
        items_at(path)


def test_curves_end_with_the_totals(client: TestClient) -> None:
    rows = all_hands(client, "log-hunl2p-s0-log-gz")
    for curve in get(client, "items/log-hunl2p-s0-log-gz/curves")["curves"]:
        total = sum(row["values"][row["names"].index(curve["name"])] for row in rows)
        assert curve["points"][-1] == [len(rows), pytest.approx(total)]


@pytest.mark.parametrize(
    ("question", "params"),
    [
        ("hands", {"line": "((((("}),
        ("hands", {"line": "r*" * 200}),
        ("hands", {"sort": "luck"}),
        ("hands", {"page": "-1"}),
        ("hands", {"page": "9999999"}),
        ("hands", {"log": "1"}),
        ("hand", {"hand": "500"}),
        ("hand", {"hand": "x"}),
    ],
)
def test_wrong_questions(client: TestClient, question: str, params: dict[str, str]) -> None:
    response = client.get(f"{BASE}/api/1/items/log-hunl2p-s0-log-gz/{question}", params=params)
    assert response.status_code == 400
    assert "expected" in response.json()["error"]


@pytest.mark.process
def test_a_match_and_a_tournament(tmp_path: Path) -> None:
    arena.play_match(["random", "call"], hands=20, seed=1, out=tmp_path / "match")
    arena.play_tournament(["raise", "call", "fold"], hands=20, seed=1, out=tmp_path / "tournament")
    with explored(tmp_path / "match", tmp_path / "tournament") as (client, names):
        assert names == ["match", "tournament"]
        match = get(client, "items/match")["content"]
        assert match["logs"] == ["seating_1.log", "seating_2.log"]
        assert match["players"] == ["call", "random"] or match["players"] == ["random", "call"]
        assert get(client, "items/match/hands", log=1)["of"] == 20
        content = get(client, "items/tournament")["content"]
        result = analyse_tournament(tmp_path / "tournament", samples=500)
        assert [each["agent"] for each in content["result"]["standings"]] == [each.agent for each in result.standings]
        for each, expected in zip(content["result"]["standings"], result.standings, strict=True):
            assert each["mbb_per_hand"]["mean"] == expected.mbb_per_hand.mean
        assert len(content["logs"]) == 6
        (tmp_path / "match" / "seating_1.log").unlink()
        response = client.get(f"{BASE}/api/1/items/match/hands")
        assert response.status_code == 400
        assert "cannot be read any more" in response.json()["error"]


def test_a_file_that_is_no_hand_history(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("milk, eggs\n")
    with pytest.raises(InputError), explored(tmp_path / "notes.txt"):
        pass


def test_all_sizes_at_a_node_of_a_betting_tree(tmp_path: Path) -> None:
    sizes = [150 + 25 * number for number in range(2, 10)]
    log = tmp_path / "sizes.log"
    lines = [f"STATE:{number}:r{size}f:2c3d|4h5s:-100|100:A|B" for number, size in enumerate([*sizes, 20000, sizes[0]])]
    log.write_text("".join(f"{line}\n" for line in lines))
    tree = study_tree(StudyInput([log], None, None), StudyTree())
    write_tree(tmp_path / "tree", tree)
    with explored(tmp_path / "tree") as (client, _):
        assert get(client, "items/tree/histogram", path="")["bars"] == []  # no bet leads to the root
        found = get(client, "items/tree/histogram", path="r")
        assert found["name"] == "preflop: SB raises after the blinds"
        assert found["bets"] == 10
        assert [bar[0] for bar in found["bars"]] == [*(f"{size / 100:g}x" for size in sizes), "a"]
        assert [bar[1] for bar in found["bars"]] == [2, 1, 1, 1, 1, 1, 1, 1, 1]
        assert sum(bar[2] for bar in found["bars"]) == pytest.approx(1)


def test_a_betting_tree(tmp_path: Path) -> None:
    tree = StudyTree(parse_shape("2-2-3"))
    write_tree(tmp_path / "tree", tree)
    with explored(tmp_path / "tree") as (client, _):
        content = get(client, "items/tree")["content"]
        assert (content["shape"], content["nodes"]) == ("2-2-3", tree.count)
        seen, todo = 1, [content["root"]]
        while todo:
            node = todo.pop()
            children = get(client, "items/tree/children", path=node["path"])["children"]
            assert len(children) == node["children"]
            assert [child["path"] for child in children] == [
                tree.path(child) for child in tree.children(tree.find(node["path"]))
            ]
            seen += len(children)
            todo += children
        assert seen == tree.count
        text = get(client, "items/tree/text", path="r", depth=2)["text"]
        assert text.splitlines() == list(tree_text(tree, "r", 2))
        assert get(client, "items/tree/histogram", path="r")["bars"] == []  # a tree without hands
        response = client.get(f"{BASE}/api/1/items/tree/children", params={"path": "rrrrrr"})
        assert response.status_code == 400
