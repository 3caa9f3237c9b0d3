"""Answers about a saved solve: the text of UPI, and the numbers of ``hedgehog query``."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from hedgehog.poker.cards import format_combo, parse_combo
from hedgehog.poker.range_texts.vectors import PIO_ORDER
from hedgehog.solver.postflop.node_answers import answer_line
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.solver.postflop.solution_files import open_solution, read_saved_solve
from hedgehog.solver.postflop.tree import format_action
from tests.interop.upi.client import END, Client, check_sums

# Node ids of UPI and the lines of Hedgehog.
NODES = {
    "r:0": "", "r:0:c": "X", "r:0:b50": "B50", "r:0:c:b100": "X B100", "r:0:c:b50": "X B50",
    "r:0:b50:b450": "B50 A450",
}  # fmt: skip


@pytest.fixture(scope="module")
def solution(river: Path) -> PostflopSolution:
    return open_solution(read_saved_solve(river))


def test_before_an_end_string_is_set_no_answer_has_one() -> None:
    client = Client()
    client.done("is_ready")
    assert client.dialogue.answer("reset_end_string")
    client.said.clear()
    client.dialogue.answer("is_ready")
    assert client.said == ["is_ready ok!\n"]


def test_empty_lines_and_comments_have_no_answer(client: Client) -> None:
    client.said.clear()
    for line in ("", "   \r\n", "#Type#NoLimit", "  # more"):
        assert client.dialogue.answer(line)
    assert client.said == []


def test_exit_has_no_answer(client: Client) -> None:
    client.said.clear()
    assert not client.dialogue.answer("exit\n")
    assert client.said == []


def test_nodes_and_children_are_described_line_by_line(client: Client) -> None:
    board = "Qh Jh 2c 7d 5s "
    assert client.ask("show_node r") == ["r", "ROOT", board, "0 0 100", "1 children", "flags: ", ""]
    assert client.ask("show_node r:0") == ["r:0", "OOP_DEC", board, "0 0 100", "3 children", "flags: PIO_ALG ", ""]
    node = ["r:0:b50:c", "END_NODE", board, "50 50 100", "0 children", "flags: ", ""]
    assert client.ask("show_node r:0:b50:c") == node
    assert client.children("r") == ["r:0"]
    assert client.children("r:0") == ["r:0:b450", "r:0:b50", "r:0:c"]  # the largest bet first
    assert client.children("r:0:b50") == ["r:0:b50:b450", "r:0:b50:c", "r:0:b50:f"]
    assert client.ask("show_children r:0:b50:f") == []
    assert client.ask("show_children r:0:b50")[8:16] == ["child 1:", *node]
    assert [client.ask(name) for name in ("show_effective_stack", "show_board_no_iso", "is_tree_present")] == [
        ["450"], ["Qh Jh 2c 7d 5s"], ["true"]
    ]  # fmt: skip


def test_the_layout_of_jesolver_has_no_empty_lines(river: Path) -> None:
    client = Client(blank_lines=False)
    client.done(f"load_tree {river}")
    lines = client.ask("show_children r:0:b50")
    assert lines[1::7] == ["r:0:b50:b450", "r:0:b50:c", "r:0:b50:f"]
    assert len(lines) == 21


def test_all_lines_come_depth_first_with_the_fold_first(client: Client) -> None:
    lines = client.ask("show_all_lines")
    assert lines[:4] == ["r", "r:0", "r:0:c", "r:0:c:c"]
    assert lines[lines.index("r:0:b50") :][:4] == ["r:0:b50", "r:0:b50:f", "r:0:b50:c", "r:0:b50:b450"]
    assert len(set(lines)) == len(lines)
    for line in lines[1:]:
        assert client.ask(f"show_node {line}")[0] == line


def test_the_order_of_hands_is_that_of_the_higher_card(client: Client) -> None:
    (line,) = client.ask("show_hand_order")
    names = line.split(" ")
    assert names[:12] == [
        "2d2c",
        "2h2c",
        "2h2d",
        "2s2c",
        "2s2d",
        "2s2h",
        "3c2c",
        "3c2d",
        "3c2h",
        "3c2s",
        "3d2c",
        "3d2d",
    ]
    assert names[-2:] == ["AsAh", ""]
    assert len(names) == 1327
    assert [format_combo(combo) for combo in PIO_ORDER.tolist()] == names[:-1]


@pytest.mark.parametrize("node", NODES)
def test_the_numbers_are_those_of_query(client: Client, solution: PostflopSolution, node: str) -> None:
    answer = answer_line(solution, NODES[node])
    view, player = answer.view, answer.player
    name = ("OOP", "IP")[player]
    put_in = solution.tree.committed[view.node]
    weights = np.array(client.vectors(f"show_range {name} {node}")[0], dtype=np.float32)
    assert np.array_equal(weights, view.reach[player][PIO_ORDER])  # nine digits are a float32 exactly
    evs, matchups = client.vectors(f"calc_ev {name} {node}")
    assert np.allclose(evs, (view.ev[player] - put_in[player])[PIO_ORDER], rtol=1e-8, atol=0, equal_nan=True)
    assert np.allclose(matchups, view.pair_weights[player][PIO_ORDER], rtol=1e-8, atol=0)
    # Combos of the other player that have just chosen another action have the EV of this one, without matchups.
    other, there = (np.array(row) for row in client.vectors(f"calc_ev {('IP', 'OOP')[player]} {node}"))
    expected = (view.ev[1 - player] - put_in[1 - player])[PIO_ORDER]
    assert np.array_equal(there > 0, np.isfinite(expected))
    assert np.allclose(other[there > 0], expected[there > 0], rtol=1e-8, atol=0)
    equities, meetings, mean = client.ask(f"calc_eq_node {name} {node}")
    assert np.allclose([float(word) for word in equities.split()], view.equity[player][PIO_ORDER], equal_nan=True)
    assert [float(word) for word in meetings.split()] == matchups
    assert math.isclose(float(mean), view.average(view.equity)[player], rel_tol=1e-6)
    # Rows by child, and the EV of each action.
    tokens = {child.rpartition(":")[2]: child for child in client.children(node)}
    rows = dict(zip(tokens, client.vectors(f"show_strategy {node}"), strict=True))
    for index, child in enumerate(solution.tree.children(view.node)):
        action = format_action(solution.tree, child)
        token = action[0].lower().replace("x", "c")
        if token in "bra":
            token = f"b{solution.tree.committed[child].max()}"
        assert np.allclose(rows[token], np.nan_to_num(view.strategy[index])[PIO_ORDER], atol=1e-7)
        after = client.vectors(f"calc_ev {name} {tokens[token]}")[0]
        expected = (answer.evs[index] - put_in[player])[PIO_ORDER]
        told = np.isfinite(expected)  # query says nothing of an action that nobody takes, UPI does
        assert np.allclose(np.array(after)[told], expected[told], rtol=1e-5, atol=1e-5), action
        assert np.array_equal(np.isfinite(after), np.array(matchups) > 0)


def test_evs_count_from_the_root(client: Client) -> None:
    means = []
    for player in ("OOP", "IP"):
        evs, matchups = client.vectors(f"calc_ev {player} r:0")
        means.append(np.nansum(np.array(evs) * matchups) / np.sum(matchups))
    results = dict(line.split(": ") for line in client.ask("calc_results"))
    assert list(results) == ["EV OOP", "EV IP", "OOP's MES", "IP's MES", "Exploitable for"]
    assert np.allclose(means, [float(results["EV OOP"]), float(results["EV IP"])], atol=2e-3)
    assert 90 < sum(means) < 100  # a rake of 5 %
    evs, matchups = client.vectors("calc_ev OOP r:0:b50:b450:f")
    assert {round(ev, 3) for ev, weight in zip(evs, matchups, strict=True) if weight > 0} == {-50.0}


def test_the_ev_of_a_decision_is_the_mean_after_its_actions(client: Client) -> None:
    found = [check_sums(client, node, player, 0.02) for node, player in client.decisions()]
    assert len(found) == 11


def test_frequencies_multiply_along_a_line(client: Client) -> None:
    (first,), (then,) = client.ask("calc_global_freq r:0:c"), client.ask("calc_line_freq r:0:c:b50")
    weights = np.array(client.vectors("calc_ev IP r:0:c")[1])
    row = client.vectors("show_strategy r:0:c")[client.children("r:0:c").index("r:0:c:b50")]
    assert math.isclose(float(then) / float(first), (weights @ np.array(row)) / weights.sum(), rel_tol=1e-5)
    assert client.ask("calc_global_freq r") == ["1"]


def test_ranges_without_a_node_are_those_of_the_tree(client: Client) -> None:
    here = client.vectors("show_range OOP r")[0]
    whole = client.vectors("show_range OOP")[0]
    order = [format_combo(combo) for combo in PIO_ORDER.tolist()]
    assert whole[order.index("AhQh")] == 1
    assert here[order.index("AhQh")] == 0  # on the board
    assert here[order.index("JdTd")] == 0.5
    assert parse_combo("AhQh") != order.index("AhQh")


def test_what_is_in_the_file_is_told_without_loading_it(client: Client, river: Path) -> None:
    lines = client.ask(f"show_metadata {river}")
    assert lines[:6] == client.ask("show_node r")[:6]
    assert lines[6:] == client.ask("show_tree_info")
    info = dict(line[1:].split("#") for line in lines[6:])
    assert info["Board"] == "Qh Jh 2c 7d 5s"
    assert (info["Pot"], info["EffectiveStacks"], info["Rake.Enabled"], info["Rake.Cap"]) == (
        "100",
        "450",
        "True",
        "10",
    )


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("show_node r:0:zz", "no such node r:0:zz: after r:0 comes b450 b50 c, not 'zz'"),
        ("show_node r:0:c:As", "no such node"),
        ("show_node q", "expected r, r:0"),
        ("show_strategy r:0:c:c", "nobody acts at r:0:c:c"),
        ("calc_ev BB r:0", "expected OOP or IP"),
        ("calc_ev OOP", "expected OOP or IP and a node"),
        ("fly_away now", "Hedgehog does not know this command"),
        ("load_tree", "expected the path"),
        ("load_tree /nowhere/x.cfr", "cannot read it"),
        ("set_pot 10 10 100", "expected 0 0 and the pot"),
        ("set_board AhKh", "3, 4 or 5 cards"),
        ("set_range OOP 1 2 3", "expected 1326 numbers, got 3"),
        ("set_range OOP AA,KZ", "KZ"),
        ("set_end_string", "expected one word"),
        ("add_line 1.5", "expected whole chips"),
        ("go fast", "expected"),
        ("go 5 apples", "expected nothing, a number of steps"),
        ("set_strategy r:0 1 2 3", "expected 3 x 1326 numbers, got 3"),
        ("combo_lock_node r:0 1", "expected 1326 numbers"),
        ("load_script_silent /nowhere", "cannot read it"),
    ],
)
def test_a_fault_is_one_line_that_begins_with_error(client: Client, command: str, message: str) -> None:
    line = client.fault(command)
    assert line.startswith(f"ERROR: {command.split(maxsplit=1)[0]}: ")
    assert message in line
    assert not line.endswith(END)
    assert client.ask("is_tree_present") == ["true"]


def test_without_a_tree_questions_are_refused() -> None:
    client = Client()
    assert client.ask("is_tree_present") == ["false"]
    for command in ("show_node r", "calc_results", "show_all_lines", "go", "dump_tree x", "lock_node r:0"):
        assert "send load_tree or build_tree first" in client.fault(command)
    assert "send set_range OOP first" in client.fault("build_tree")
    assert client.ask("echo   a  b") == ["a  b"]
    assert [int(part) for part in client.ask("show_version")[0].split(".")] >= [3, 0, 0]
