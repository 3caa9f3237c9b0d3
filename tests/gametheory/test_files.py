"""Files of games: what is written is read back, and bad files are refused in one line."""

from __future__ import annotations

import io
import json
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from hedgehog.gametheory import files
from hedgehog.gametheory.examples import EXAMPLES
from hedgehog.gametheory.files import format_efg, format_matrix, game_document, parse_game, parse_matrix, read_efg
from hedgehog.gametheory.normal_games import normal_form, normal_form_game
from hedgehog.gametheory.tree import ExtensiveGame, decision, extensive_game, leaf
from hedgehog.runtime.errors import GameError, PerfectRecallError
from tests.gametheory.random_games import GAMES
from tests.machines import MACHINES, written_on


def same(one: ExtensiveGame, other: ExtensiveGame) -> bool:
    return game_document(one) == game_document(other)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_json_keeps_the_shipped_games(name: str) -> None:
    game = EXAMPLES[name].build()
    again = parse_game(json.dumps(game_document(game)))
    assert same(game, again)
    assert again.exact_payoffs == game.exact_payoffs
    assert again.probabilities == game.probabilities
    assert again.counts == game.counts


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(game=GAMES)
def test_json_keeps_random_games(game: ExtensiveGame) -> None:
    assert same(game, parse_game(json.dumps(game_document(game))))


def changed(**changes: Any) -> str:
    return json.dumps(game_document(EXAMPLES["matching-pennies"].build()) | changes)


def with_node(number: int, **changes: Any) -> str:
    document = game_document(EXAMPLES["matching-pennies"].build())
    document["nodes"][number] |= changes
    return json.dumps(document)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "expected a JSON document"),
        ("[]", "expected a document with format 'hedgehog.game'"),
        (changed(version=2), "version 1"),
        (changed(players=["p1", 2]), "'players'"),
        (changed(players=["p1", "p1"]), "different names"),
        (changed(nodes=[]), "has no node"),
        (changed(nodes=[{"parent": 0, "payoffs": [1, -1]}]), "depth-first order"),
        (changed(nodes=[1]), "'nodes'"),
        (with_node(1, parent=5), "node 1: expected nodes in depth-first order"),
        (with_node(1, player="p3"), "node 1: expected one of the players"),
        (with_node(1, actions="heads"), "node 1: expected a list of names"),
        (with_node(1, actions=["heads"]), "has the actions"),
        (with_node(2, payoffs=["1/0", 1]), "node 2: expected a number or a fraction"),
        (with_node(2, payoffs=[1]), "expected 2 payoffs"),
        (with_node(2, label=3), "node 2: expected a text"),
        (with_node(2, label="tails"), "expected one node for each"),
    ],
)
def test_bad_json_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(GameError, match=message) as raised:
        parse_game(text, "bad.json")
    assert str(raised.value).startswith("bad.json: ")
    assert "\n" not in str(raised.value)


def test_a_file_without_perfect_recall_is_refused_by_name() -> None:
    late = {side: decision("a", f"late {side}", {"x": leaf(1), "y": leaf(0)}) for side in "lr"}
    game = extensive_game("g", ("a", "b"), decision("a", "early", {"l": late["l"], "r": late["r"]}))
    text = json.dumps(game_document(game)).replace("late l", "late").replace("late r", "late")
    with pytest.raises(PerfectRecallError, match="no perfect recall: at information set 'late'"):
        parse_game(text)


def test_matrices_as_csv() -> None:
    form = normal_form(EXAMPLES["jqk"].build())
    again = parse_matrix(format_matrix(form))
    assert again.actions == form.actions
    np.testing.assert_array_equal(again.payoffs, form.payoffs)
    assert parse_matrix(",a,b\nx,1/2,-1\ny,0,3e-1\n").matrix.tolist() == [[0.5, -1], [0, 0.3]]
    dilemma = normal_form_game([[[-1, -3], [0, -2]], [[-1, 0], [-3, -2]]])
    assert format_matrix(dilemma).splitlines()[1] == "1,-1.0;-1.0,-3.0;0.0"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a line with the names"),
        (",a,b\nx,1\n", "bad.csv:2: expected 3 cells, got 2"),
        (",a,b\nx,1,one\n", "bad.csv:2: expected a number, got 'one'"),
        (",a,b\nx,1,inf\n", "bad.csv:2: expected a number"),
        (",a,b\nx,1,1/0\n", "bad.csv:2: expected a number"),
        (",a,a\nx,1,2\n", "2 different names"),
        (',a,b\nx,"1,2\n', "expected CSV"),
    ],
)
def test_bad_csv_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(GameError, match=message):
        parse_matrix(text, "bad.csv")


def test_efg_text() -> None:
    lines = format_efg(EXAMPLES["jqk"].build()).splitlines()
    assert lines[0] == 'EFG 2 R "jqk" { "p1" "p2" }'
    assert lines[3] == 'c "" 1 "" { "J" 1/3 "Q" 1/3 "K" 1/3 } 0'
    assert lines[5] == 'p "" 1 1 "J" { "raise" "not" } 0'
    assert lines[7] == 't "" 1 "" { 1 -1 }'
    assert len(lines) == 3 + 34


@pytest.mark.parametrize("machine", MACHINES)
def test_efg_of_every_machine_is_the_same_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: str) -> None:
    """What pygambit gets to read, also where it is not installed."""
    text = format_efg(EXAMPLES["jqk"].build()).replace("jqk", "jqk \u00fc")
    path = tmp_path / "jqk.efg"
    path.write_bytes(written_on(machine, text))
    seen: list[str] = []

    def read(buffer: io.StringIO) -> None:
        seen.append(buffer.read())
        raise ValueError("read")

    monkeypatch.setattr(files, "_pygambit", lambda: SimpleNamespace(read_efg=read))
    with pytest.raises(GameError, match=r"jqk\.efg: no extensive game in Gambit's format: read"):
        read_efg(path)
    assert seen == [text]
    assert "\u00fc" in text


def test_efg_is_read_by_pygambit(tmp_path: Path) -> None:
    pytest.importorskip("pygambit", reason="pygambit (extra efg) is not installed")
    for name in ("jqk", "kuhn", "backward"):
        game = EXAMPLES[name].build()
        path = tmp_path / f"{name}.efg"
        path.write_text(format_efg(game))
        again = read_efg(path)
        assert again.counts == game.counts
        assert again.exact_payoffs == tuple(tuple(map(Fraction, row)) for row in game.exact_payoffs)
    (tmp_path / "bad.efg").write_text("EFG 2 R nothing")
    with pytest.raises(GameError, match=r"bad\.efg: no extensive game"):
        read_efg(tmp_path / "bad.efg")


def test_what_show_writes_is_read_again() -> None:
    for name in ("jqk", "kuhn", "rock-paper-scissors"):
        form = normal_form(EXAMPLES[name].build())
        again = parse_matrix(format_matrix(form))
        assert again.actions == form.actions
        assert again.payoffs == pytest.approx(form.payoffs)
    dilemma = normal_form_game([[[-1, -3], [0, -2]], [[-1, 0], [-3, -2]]])
    again = parse_matrix(format_matrix(dilemma))
    assert again.payoffs.tolist() == dilemma.payoffs.tolist()
    assert parse_matrix(",a,b\nx,1/2;0,1;-1/4\n").payoffs.tolist() == [[[0.5, 1]], [[0, -0.25]]]


@pytest.mark.parametrize("text", [",a,b\nx,1,2;3\n", ",a,b\nx,1;2,3\n", ",a\nx,1;2;3\n"])
def test_cells_are_of_one_kind(text: str) -> None:
    with pytest.raises(GameError, match=r"bad\.csv:2: expected one payoff in every cell, or two"):
        parse_matrix(text, "bad.csv")
