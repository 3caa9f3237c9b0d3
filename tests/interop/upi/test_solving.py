"""Building, solving, locking and saving trees over UPI."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hedgehog.interop.upi.spots import locked_spot
from hedgehog.poker.range_texts.vectors import PIO_ORDER
from hedgehog.poker.ranges import parse_range
from hedgehog.solver.abstraction.solving import solve
from hedgehog.solver.postflop.locks import Lock
from hedgehog.solver.postflop.queries import find_node, view_node
from hedgehog.solver.postflop.solution_files import open_solution, read_saved_solve, save_strategy
from hedgehog.solver.postflop.spot import parse_spot
from tests.interop.upi.client import Client, check_sums

TURN = """\
spot: upi
board: Td 9d 6h Qc
pot: 200
stack: 900
range: {oop: "99+,AJs+,KQs,JTs:0.5,87s", ip: "66+,ATs+,KJs+,T9s"}
lines: ["X B150 R375 A900", "B120 R300 A900", "X B150 C X B300 A750", "X X B100 R300"]
"""
LINES = ("0 150 375 900", "120 300 900", "0 150 150 150 450 900", "0 0 100 300")


def _numbers(text: str) -> str:
    return " ".join(f"{weight:.9g}" for weight in parse_range(text)[PIO_ORDER].tolist())


def build(client: Client) -> None:
    """Builds the turn as a script of PioViewer does."""
    client.done(
        f"set_range OOP {_numbers('99+,AJs+,KQs,JTs:0.5,87s')}", "set_range IP 66+ ATs+ KJs+ T9s", "set_board Td9d6hQc",
        "set_eff_stack 900", "set_isomorphism 1 0", "set_pot 0 0 200", "clear_lines",
        *(f"add_line {line}" for line in LINES), "build_tree",
    )  # fmt: skip


@pytest.fixture
def turn() -> Client:
    client = Client()
    build(client)
    return client


def _go(client: Client, command: str = "go 40 steps") -> list[str]:
    """Solves, and returns what is said until the answer to wait_for_solver."""
    client.said.clear()
    client.dialogue.answer(command)
    client.dialogue.answer("wait_for_solver")
    lines = "".join(client.said).split("\n")
    assert lines[:3] == ["SOLVER: started", "go ok!", "END"]
    assert lines[-3:] == ["wait_for_solver ok!", "END", ""]
    return lines[3:-3]


def test_lines_build_exactly_their_tree(turn: Client) -> None:
    assert turn.children("r:0") == ["r:0:b120", "r:0:c"]
    assert turn.children("r:0:c:b150") == ["r:0:c:b150:b375", "r:0:c:b150:c", "r:0:c:b150:f"]
    assert turn.children("r:0:c:b150:b375:b900") == ["r:0:c:b150:b375:b900:c", "r:0:c:b150:b375:b900:f"]
    assert turn.ask("show_node r:0:c:b150:b375:b900:c")[1::3] == ["END_NODE", "0 children"]
    split = turn.ask("show_node r:0:c:b150:c")
    assert split[1:5] == ["SPLIT_NODE", "Td 9d 6h Qc ", "150 150 200", "48 children"]
    cards = [child.rpartition(":")[2] for child in turn.children("r:0:c:b150:c")]
    assert (cards[:5], cards[-1], len(cards)) == (["As", "Ah", "Ad", "Ac", "Ks"], "2c", 48)
    assert "no such node" in turn.fault("show_node r:0:c:b150:c:Td")
    assert turn.children("r:0:c:b150:c:2c:c") == ["r:0:c:b150:c:2c:c:b450", "r:0:c:b150:c:2c:c:c"]
    assert turn.ask("show_node r:0:c:b150:c:2c:c:b450")[2:4] == ["Td 9d 6h Qc 2c ", "150 450 200"]


def test_an_unsolved_tree_answers(turn: Client) -> None:
    assert float(turn.ask("calc_eq_node IP r:0")[2]) + float(turn.ask("calc_eq_node OOP r:0")[2]) == pytest.approx(1)
    check_sums(turn, "r:0:c:b150", "OOP", 0.02)


def test_a_solve_is_that_of_the_spot_file_and_reports_itself(turn: Client) -> None:
    said = _go(turn, "go 40")
    assert said[0] == "SOLVER:"
    assert said[7:9] == ["END", "SOLVER:"]
    assert [line.partition(":")[0] for line in said[:7]] == [
        "SOLVER", "running time", "EV OOP", "EV IP", "OOP's MES", "IP's MES", "Exploitable for"
    ]  # fmt: skip
    assert said[-1] == "SOLVER: stopped (number of steps reached)"
    assert turn.ask("calc_results") == said[-7:-2]
    solved = solve(parse_spot(TURN), 0.0, 40)
    view = view_node(solved, *find_node(solved, "X B150 C 2c X"))
    node = "r:0:c:b150:c:2c:c"
    evs = turn.vectors(f"calc_ev IP {node}")[0]
    assert np.allclose(evs, (view.ev[1] - 150)[PIO_ORDER], atol=0.05, equal_nan=True)
    for name, player in [("r:0", "OOP"), ("r:0:c:b150", "OOP"), (node, "IP"), (f"{node}:b450", "OOP")]:
        check_sums(turn, name, player, 0.02)
    again = _go(turn, "go 10 steps")  # goes on
    assert again[-1] == "SOLVER: stopped (number of steps reached)"
    assert turn.dialogue._desk is not None
    assert turn.dialogue._desk.tree is not None
    assert turn.dialogue._desk.tree.solution.iterations == 50


def test_a_solve_ends_at_its_accuracy_or_when_asked(turn: Client) -> None:
    turn.done("set_accuracy 4", "set_info_freq 10")
    said = _go(turn, "go")
    assert said[-1] == "SOLVER: stopped (required accuracy reached)"
    assert float(said[-3].partition(": ")[2]) <= 4
    turn.done("set_accuracy 0.5 fraction")
    assert _go(turn, "go 1 minutes")[-1] == "SOLVER: stopped (required accuracy reached)"
    turn.done("set_accuracy 0")
    turn.said.clear()
    turn.dialogue.answer("go")
    assert "the solver is running" in turn.fault("show_strategy r:0")
    assert "the solver is running" in turn.fault("build_tree")
    turn.dialogue.overhear("stop")  # the client has sent it, but other commands come first
    turn.said.clear()
    turn.dialogue.answer("stop")
    assert "".join(turn.said).endswith("stop ok!\nEND\n")
    turn.said.clear()
    turn.done("is_ready", "stop", "wait_for_solver")
    check_sums(turn, "r:0", "OOP", 0.02)


def test_a_set_strategy_is_shown_and_counts(turn: Client) -> None:
    _go(turn)
    node, before = "r:0:c:b150", turn.vectors("calc_ev OOP r:0")[0]
    rows = turn.vectors(f"show_strategy {node}")
    fold = [1.0 if sum(column) else 0.0 for column in zip(*rows, strict=True)]
    set_rows = [[0.0] * 1326, [0.0] * 1326, fold]
    turn.done(f"set_strategy {node} {' '.join(str(value) for row in set_rows for value in row)}")
    assert turn.vectors(f"show_strategy {node}") == set_rows
    assert turn.vectors("show_strategy r:0:c") != []
    for name, player in [("r:0", "OOP"), ("r:0:c", "IP"), (node, "OOP"), ("r:0:c:c:2c", "OOP")]:
        check_sums(turn, name, player, 0.02)
    evs, matchups = turn.vectors(f"calc_ev OOP {node}")
    assert {round(ev, 3) for ev, weight in zip(evs, matchups, strict=True) if weight > 0} == {0.0}
    after = turn.vectors("calc_ev OOP r:0")[0]
    assert np.nanmax(np.array(before) - after) > 1
    assert "sums to 3" in turn.fault(f"set_strategy {node} {'1 ' * (3 * 1326)}")
    # A set strategy that is not locked is where the next solve starts anew.
    assert "is not locked" in turn.fault("dump_tree /nowhere/x.cfr")


def test_locks_hold_in_the_solve_and_in_its_save(turn: Client, tmp_path: Path) -> None:
    node, line = "r:0:c:b150:c:2c:c:b450", "X B150 C 2c X B300"
    children = turn.children(node)
    fold = [[float(child.endswith(":f"))] * 1326 for child in children]
    turn.done(f"set_strategy {node} {' '.join(str(value) for row in fold for value in row)}", f"lock_node {node}")
    flags = ["1" if name[0] == "A" else "0" for name in turn.ask("show_hand_order")[0].split()]
    turn.done(f"combo_lock_node r:0 {' '.join(flags)}")  # aces check and bet as in the unsolved tree
    _go(turn, "go 60")
    assert turn.vectors(f"show_strategy {node}")[-1] == [
        float(x > 0) for x in turn.vectors(f"show_range OOP {node}")[0]
    ]
    aces = [row for row in zip(*turn.vectors("show_strategy r:0"), flags, strict=True) if row[2] == "1" and row[0]]
    assert aces
    assert {row[:2] for row in aces} == {(0.5, 0.5)}
    for name, player in [("r:0", "OOP"), (node, "OOP"), ("r:0:c:b150:c:2c:c", "IP")]:
        check_sums(turn, name, player, 0.02)
    # The same locks in a spot file.
    half = np.full(1326, 0.5, dtype=np.float32)
    held = "AA,AJs+"
    spot = locked_spot(parse_spot(TURN), [Lock(line, {"F": 1.0}), Lock("", {"X": half, "B120": half}, held)])
    solved = solve(spot, 0.0, 60)
    pot = float(turn.ask("calc_results")[-1].partition(": ")[2])
    assert solved.exploitability().exploitability == pytest.approx(pot, abs=0.1)
    # What is saved is the locked spot, and reads back.
    file = tmp_path / "locked.cfr"
    turn.done(f'dump_tree "{file}" no_rivers')
    numbers = turn.vectors("calc_ev OOP r:0:c:b150:c:2c:c")
    turn.done(f'load_tree "{file}"')
    assert np.allclose(turn.vectors("calc_ev OOP r:0:c:b150:c:2c:c"), numbers, atol=1e-3, equal_nan=True)
    saved = read_saved_solve(tmp_path / "locked.solve")
    assert len(saved.spot.locks) == 2
    assert open_solution(saved).iterations == 60
    assert "stands in the spot file" in turn.fault(f"unlock_node {node}")
    _go(turn, "go 5")


def test_an_unlocked_node_is_free_again(turn: Client) -> None:
    turn.done("lock_node r:0", "unlock_node r:0", "unlock_node r:0:c")
    assert "nobody acts" in turn.fault("unlock_node r:0:c:c")
    _go(turn)
    assert {round(value, 3) for value in turn.vectors("show_strategy r:0")[0]} != {0.0, 0.5}


def test_a_saved_solve_goes_on_and_can_be_locked(river: Path) -> None:
    client = Client()
    client.done(f"load_tree {river}")
    before = float(client.ask("calc_results")[-1].partition(": ")[2])
    assert _go(client, "go 50")[-1] == "SOLVER: stopped (number of steps reached)"
    assert float(client.ask("calc_results")[-1].partition(": ")[2]) < before
    client.done("lock_node r:0:c")
    locked = client.vectors("show_strategy r:0:c")
    _go(client, "go 100")
    here = np.array(client.vectors("show_range IP r:0:c")[0]) > 0
    assert np.allclose(np.array(client.vectors("show_strategy r:0:c")), np.where(here, locked, 0), atol=1e-6)


def test_a_strategy_set_in_a_saved_solve_counts(river: Path) -> None:
    client = Client()
    client.done(f"load_tree {river}")
    rows = client.vectors("show_strategy r:0:b50")
    moved = [rows[0], [0.0] * 1326, [call + fold for call, fold in zip(rows[1], rows[2], strict=True)]]
    client.done(f"set_strategy r:0:b50 {' '.join(f'{value:.9g}' for row in moved for value in row)}")
    assert np.allclose(client.vectors("show_strategy r:0:b50"), moved, atol=1e-6)
    for name, player in [("r:0", "OOP"), ("r:0:b50", "IP"), ("r:0:c", "IP")]:
        check_sums(client, name, player, 0.02)
    assert float(client.ask("calc_results")[-1].partition(": ")[2]) > 0


def test_strategies_alone_are_saved_as_they_are(river: Path, tmp_path: Path) -> None:
    """A solve saved in 8 bits has no regrets: its strategies are saved again, and a lock made of one of them."""
    saved = read_saved_solve(river)
    solver = solve(saved.spot, 0.0, 200, threads=1)
    save_strategy(tmp_path / "small", solver, saved.spot)
    client = Client()
    client.done(f"load_tree {tmp_path / 'small'}")
    rows = client.vectors("show_strategy r:0:c")
    client.done(f"dump_tree {tmp_path / 'whole.cfr'}", f"load_tree {tmp_path / 'whole.cfr'}")
    assert np.allclose(client.vectors("show_strategy r:0:c"), rows, atol=1e-6)
    results = client.ask("calc_results")
    client.done("lock_node r:0:c", f"dump_tree {tmp_path / 'whole.cfr'}", f"load_tree {tmp_path / 'whole.cfr'}")
    assert np.allclose(client.vectors("show_strategy r:0:c"), rows, atol=1e-6)
    locked = client.ask("calc_results")
    assert locked[:3] == results[:3]
    assert float(locked[3].partition(": ")[2]) <= float(results[3].partition(": ")[2])  # a best response obeys it
    check_sums(client, "r:0", "OOP", 0.02)


def test_a_save_replaces_its_own_alone(turn: Client, tmp_path: Path) -> None:
    turn.done("add_info_line #Title#mine")
    build(turn)
    _go(turn, "go 10")
    file = tmp_path / "my tree.cfr"
    turn.done(f'dump_tree "{file}"', f'dump_tree "{file}"', f"load_tree {file}")
    assert turn.ask("show_tree_info")[-1] == "#Title#mine"
    assert (tmp_path / "my tree.solve" / "manifest.yaml").exists() or any((tmp_path / "my tree.solve").iterdir())
    file.write_bytes(b"PioSOLVER\x00\x01")
    assert "exists already" in turn.fault(f"dump_tree {file}")
    assert "a save of PioSOLVER, Hedgehog cannot read it" in turn.fault(f"load_tree {file}")
    (tmp_path / "other.solve").mkdir()
    (tmp_path / "other.solve" / "notes.txt").write_text("mine")
    assert "notes.txt" in turn.fault(f"dump_tree {tmp_path / 'other.cfr'}")


def test_a_script_is_run_line_by_line(tmp_path: Path) -> None:
    script = tmp_path / "tree.txt"
    lines = "".join(f"add_line {line}\n" for line in LINES)
    script.write_text(
        f"#TreeBuilding#V2\n#Type#NoLimit\n\nset_range OOP AA,KK\nset_range IP QQ\nset_board Td9d6hQc\r\n"
        f"set_eff_stack 900\nset_pot 0 0 200\nclear_lines\n{lines}build_tree\n"
    )
    client = Client()
    client.done(f'load_script_silent "{script}"')
    assert client.children("r:0") == ["r:0:b120", "r:0:c"]
    client.said.clear()
    client.dialogue.answer(f"load_script {script}")
    assert len(client.said) == 12
    assert client.said[-1] == "load_script ok!\nEND\n"
    script.write_text("is_ready\nset_pot 1 2 3\nis_ready\n")
    assert f"{script}:2: set_pot: " in client.fault(f"load_script_silent {script}")
    script.write_text(f"load_script_silent {script}\n")
    assert "runs no other script" in client.fault(f"load_script_silent {script}")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("add_line 0 50 60", "illegal action 'R60' after 'X B50'"),
        ("add_line 0 50 50 0", "number 4 of the line, 0: incorrect bet size"),
        ("set_eff_stack 100", "the stack is 100"),
        ("set_board TdTc6hQc2s9h", "3, 4 or 5 cards"),
        ("set_rake 0.9 10", "0 to 0.5"),
    ],
)
def test_a_tree_that_cannot_be_is_refused(turn: Client, change: str, message: str) -> None:
    if "cards" in message:
        assert message in turn.fault(change)
        return
    turn.done(change)
    assert message in turn.fault("build_tree")
    assert turn.ask("is_tree_present") == ["true"]  # the earlier one


@pytest.fixture(scope="module")
def flop() -> Client:
    """A solved flop on which two suits can be swapped and some cards make no difference."""
    client = Client()
    client.done(
        "set_range OOP AA,KQs,JTs,76s", "set_range IP QQ,AJs,T9s,AhTh:0.5", "set_board Qh7h2c", "set_eff_stack 300",
        "set_pot 0 0 100", "add_line 0 50 150 300", "add_line 60 60 60 160 300", "add_line 0 0 0 80 300",
        "add_line 0 50 50 50 50 50 300", "build_tree",
    )  # fmt: skip
    _go(client, "go 30")
    return client


@pytest.mark.slow
def test_sums_hold_on_a_flop_with_suits_alike(flop: Client) -> None:
    found = [check_sums(flop, node, player, 0.02) for node, player in flop.decisions(cards=2)]
    assert len(found) > 30
    assert flop.ask("show_node r:0:c:c")[4] == "49 children"
    assert flop.ask("show_node r:0:c:c:2d:c:c")[4] == "48 children"
    # Diamonds and spades mirror each other.
    names = flop.ask("show_hand_order")[0].split()
    swap = str.maketrans("ds", "sd")
    places = {frozenset((name[:2], name[2:])): place for place, name in enumerate(names)}
    mirror = [places[frozenset((name[:2].translate(swap), name[2:].translate(swap)))] for name in names]
    for node, other in (("r:0:c:c:2d:c:Ts", "r:0:c:c:2s:c:Td"), ("r:0:b60:c:Ad", "r:0:b60:c:As")):
        if flop.ask(f"show_node {node}")[0] != node:
            continue
        one, two = flop.vectors(f"calc_ev OOP {node}")[0], flop.vectors(f"calc_ev OOP {other}")[0]
        assert np.allclose(one, [two[place] for place in mirror], atol=1e-4, equal_nan=True)


def test_a_strategy_set_on_one_card_leaves_the_others_alone(flop: Client) -> None:
    node = "r:0:b60:c:As:c"
    children = flop.children(node)
    others = ("r:0:b60:c:Ad:c", "r:0:b60:c:Ks:c", "r:0:c:c:As", "r:0:b60:c:Kh:c:c:2d", "r:0", "r:0:c")
    before = {other: flop.vectors(f"show_strategy {other}") for other in others}
    bets = [[float(child == children[0])] * 1326 for child in children]
    flop.done(f"set_strategy {node} {' '.join(str(value) for row in bets for value in row)}")
    assert max(flop.vectors(f"show_strategy {node}")[1]) == 0
    for other in others:
        assert np.allclose(flop.vectors(f"show_strategy {other}"), before[other], atol=1e-6), other
    for name, player in [("r:0", "OOP"), (node, "IP"), (f"{node}:b160", "OOP"), ("r:0:b60:c:Ad", "OOP")]:
        check_sums(flop, name, player, 0.02)
    flop.done(f"lock_node {node}", "set_accuracy 0")
    _go(flop, "go 20")
    assert max(flop.vectors(f"show_strategy {node}")[1]) == 0
    check_sums(flop, node, "IP", 0.02)
