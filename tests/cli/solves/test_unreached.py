"""Where no two hands get together there is no number, in any format, and one sentence says why."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgehog.explorer.items.nodes import describe_cards, describe_equities, describe_place
from hedgehog.poker.cards import parse_cards, parse_combo
from hedgehog.solver.postflop.node_answers import answer_line, hand_rows
from hedgehog.solver.postflop.queries import view_actions
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.solver.postflop.solution_files import open_solution, read_saved_solve
from hedgehog.solver.postflop.solution_json import describe_node
from tests.cli.command import Run

SPOTS = {
    # IP always checks behind: `X B50` has hands of OOP and none of IP.
    "locked": """\
spot: locked
board: Kh 8d 5s 3c 2h
pot: 100
stack: 300
range: {oop: "88,55,33", ip: "QJ,JT,66"}
sizes: {river: {oop: "50% /", ip: "50% / a"}}
locks: [{line: X, strategy: {X: 1}}]
""",
    # OOP always checks: `B50` has hands of IP and none of OOP.
    "checking": """\
spot: checking
board: Kh 8d 5s 3c 2h
pot: 100
stack: 300
range: {oop: "88,55,33", ip: "QJ,JT,66"}
sizes: {river: {oop: "50% /", ip: "50% / a"}}
locks: [{line: "", strategy: {X: 1}}]
""",
    "nobody": """\
spot: nobody
board: Kh 8d 5s 3c 2h
pot: 100
stack: 300
range: {oop: "88,55,33", ip: "QJ,JT,66"}
sizes: {river: {oop: "50% /", ip: "50% / a"}}
locks: [{line: "", strategy: {X: 1}}, {line: B50, strategy: {F: 1}}]
""",
    # The turn Qh takes all that IP holds.
    "taken": """\
spot: taken
board: Kh 8d 5s
pot: 100
stack: 300
range: {oop: "88,55,33", ip: "QhJh,QhTh"}
sizes: {flop: {oop: "50%", ip: "50%"}, turn: {oop: "50%", ip: "50%"}, river: {oop: "50%", ip: "50%"}}
""",
    "turn": """\
spot: turn
board: Kh 8d 5s 3c
pot: 100
stack: 300
range: {oop: "88,55,33", ip: "QJ,JT,66"}
sizes: {turn: {oop: "50%", ip: "50%"}, river: {oop: "50%", ip: "50%"}}
locks: [{line: X, strategy: {X: 1}}]
""",
}


@dataclass(frozen=True)
class Case:
    spot: str
    line: str
    reason: str


UNREACHED = [
    Case("locked", "X B50", "ip never gets here"),
    Case("checking", "B50", "oop never gets here"),
    Case("checking", "B50 A300", "oop never gets here"),
    Case("nobody", "B50 A300", "neither player gets here"),
    Case("taken", "X X Qh", "ip never gets here"),
    Case("taken", "X X Qh X", "ip never gets here"),
    Case("turn", "X B50", "ip never gets here"),
    Case("turn", "X B50 C Ah", "ip never gets here"),
    Case("turn", "X B50 C Ah X", "ip never gets here"),
]


@pytest.fixture(scope="module")
def solves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from hedgehog.cli.main import main

    base = tmp_path_factory.mktemp("unreached")
    for name, text in SPOTS.items():
        (base / f"{name}.yaml").write_text(text)
        with pytest.raises(SystemExit) as raised:
            main(
                [
                    "solve",
                    str(base / f"{name}.yaml"),
                    "--iterations",
                    "20",
                    "--threads",
                    "1",
                    "--save",
                    str(base / name),
                ]
            )
        assert raised.value.code == 0
    return base


def solution_of(solves: Path, case: Case) -> PostflopSolution:
    return open_solution(read_saved_solve(solves / case.spot))


def flat(value: Any) -> Iterator[Any]:
    """Yields the numbers and nulls of nested lists."""
    for one in value if isinstance(value, (list, tuple)) else [value]:
        yield from flat(one) if isinstance(one, (list, tuple)) else [one]


def python_numbers(solves: Path, case: Case, _: Run) -> list[Any]:
    solution = solution_of(solves, case)
    answer = answer_line(solution, case.line, percent=50)
    view = answer.view
    assert answer.rounded is not None
    found = [answer.evs, view.ev[view.player], view.strategy, answer.strategy, view.frequency, answer.frequency]
    averages = [*view.average(view.ev), *view.average(view.equity), answer.rounded.average_cost]
    actions = [x for each in view_actions(solution, view) for x in (each.frequency, *each.ev, *each.equity)]
    rows = [
        x for row in hand_rows(answer, by_combo=False) for x in (row.ev, row.equity, *row.strategy, *row.evs, row.cost)
    ]
    return [
        None if math.isnan(x) else x for x in [*np.concatenate([x.ravel() for x in found]), *averages, *actions, *rows]
    ]


def solve_json_numbers(solves: Path, case: Case, _: Run) -> list[Any]:
    node = describe_node(solution_of(solves, case), case.line)
    return list(flat([node[key] for key in ("avg_ev", "avg_equity", "freq", "ev_pot", "equity", "strategy")]))


def query_json_numbers(solves: Path, case: Case, run: Run) -> list[Any]:
    code, output, _ = run("query", solves / case.spot, "--line", case.line, "--tree", "--round", "50", "--json")
    assert code == 0
    line = json.loads(output)["lines"][0]
    assert case.reason in line["note"]
    hands = [
        hand[key]
        for hand in line["hands"]
        for key in ("equity", "ev", "strategy", "action_evs", "rounded", "rounding_cost")
    ]
    rest = [line["freq"], line["avg_ev"], line["avg_equity"], line["rounding"]["freq"], line["rounding"]["cost"]]
    children = [child[key] for child in line["children"] for key in ("freq", "avg_ev", "avg_equity")]
    return list(flat([hands, rest, children]))


def csv_numbers(solves: Path, case: Case, run: Run) -> list[Any]:
    code, output, errors = run("query", solves / case.spot, "--line", case.line, "--round", "50", "--csv")
    assert code == 0
    assert case.reason in errors
    known = ("line", "player", "hand", "weight", "pair_weight", "names")
    cells = [row[key] for row in csv.DictReader(io.StringIO(output)) for key in row if key not in known]
    return [None if cell == "" else cell for cell in cells]


def table_numbers(solves: Path, case: Case, run: Run) -> list[Any]:
    code, output, _ = run("query", solves / case.spot, "--line", case.line, "--round", "50")
    assert code == 0
    assert output.count(case.reason) == 1
    assert "EV " not in output.split("here", 1)[0]
    rows = [[cell.strip() for cell in row.strip("│").split("│")] for row in output.splitlines() if row.startswith("│")]
    return [None if cell == "" else cell for row in rows for cell in row[2:]]


def page_numbers(solves: Path, case: Case, run: Run) -> list[Any]:
    page = solves / f"{case.spot}-{case.line.replace(' ', '-')}.html"
    assert run("query", solves / case.spot, "--line", case.line, "--html", page)[0] == 0
    text = page.read_text()
    assert case.reason in text
    assert "NaN" not in text
    assert "nan" not in re.sub(r"<style.*?</style>", "", text, flags=re.DOTALL)
    (node,) = json.loads(re.findall(r'<script type="application/json" id="hands">(.*?)</script>', text, re.DOTALL)[0])
    return list(flat([[row[3:7] for row in rows] for rows in node["classes"].values()]))


def explorer_numbers(solves: Path, case: Case, _: Run) -> list[Any]:
    solution = solution_of(solves, case)
    place, equity = describe_place(solution, case.line), describe_equities(solution, case.line)
    json.dumps([place, equity], allow_nan=False)
    assert case.reason in place["note"]
    own = place["player"]
    actions = [action[key] for action in place["actions"] for key in ("freq", "ev")]
    return list(
        flat(
            [
                *(place[key] for key in ("avg_ev", "strategy", "action_evs")),
                *(actions, place["path"][-1]["freq"], place["players"][own]["ev"]),
                *(equity["avg_equity"], equity["equity"][own]),
            ]
        )
    )


@pytest.mark.parametrize(
    "numbers",
    [
        python_numbers,
        solve_json_numbers,
        query_json_numbers,
        csv_numbers,
        table_numbers,
        page_numbers,
        explorer_numbers,
    ],
)
@pytest.mark.parametrize("case", UNREACHED, ids=lambda case: f"{case.spot}: {case.line}")
@pytest.mark.slow_cases("locked: X B50-python_numbers")
def test_no_format_has_a_number(solves: Path, run: Run, case: Case, numbers: Callable[..., list[Any]]) -> None:
    assert [x for x in numbers(solves, case, run) if x is not None] == []


def test_a_hand_that_meets_nobody_is_named(solves: Path, run: Run, tmp_path: Path) -> None:
    spot = tmp_path / "alone.yaml"
    spot.write_text(
        "spot: alone\nboard: 9h 8d 5s 3c 2h\npot: 100\nstack: 300\n"
        'range: {oop: "AsAh,QsQh", ip: "QsQd,QhQc"}\nsizes: {river: {oop: "50%", ip: "50%"}}\n'
    )
    assert run("solve", spot, "--iterations", "20", "--save", tmp_path / "alone")[0] == 0
    code, output, _ = run("query", tmp_path / "alone", "--json")
    assert code == 0
    line = json.loads(output)["lines"][0]
    assert line["note"] == "1 combos of oop exclude all hands of ip here and have no numbers: QsQh"
    hands = {hand["hand"]: hand for hand in line["hands"]}
    assert {hands["QsQh"]["ev"], hands["QsQh"]["equity"], *hands["QsQh"]["strategy"]} == {None}
    assert hands["AsAh"]["equity"] == 1
    assert line["avg_equity"] == [1, 0]
    place = describe_place(open_solution(read_saved_solve(tmp_path / "alone")), "")
    alone = place["players"][0]["combos"].index(parse_combo("QsQh"))
    assert {place["players"][0]["ev"][alone], *(row[alone] for row in place["strategy"])} == {None}


def test_an_action_that_nobody_takes_has_no_ev_if_play_goes_on_after_it(solves: Path) -> None:
    answer = answer_line(open_solution(read_saved_solve(solves / "locked")), "X")
    hands = answer.hands()
    checks, bets = answer.evs[:, hands]
    assert len(hands)
    assert np.isfinite(checks).all()
    assert np.isnan(bets).all()


def test_cards_after_a_line_that_nobody_reaches(solves: Path, run: Run) -> None:
    code, output, _ = run("query", solves / "turn", "--line", "X B50 C ?")
    assert code == 0
    rows = [[cell.strip() for cell in row.strip("│").split("│")] for row in output.splitlines() if row.startswith("│")]
    assert len(rows) == 48
    assert {cell for row in rows for cell in row[1:]} == {""}
    solution = open_solution(read_saved_solve(solves / "turn"))
    cards = describe_cards(solution, "X B50 C", list(parse_cards("Ah")), {"ev", "equity"})["cards"]
    assert cards["Ah"] == {"weight": 0, "freq": None, "equity": [None, None], "ev": [None, None]}


def test_class_rows_add_up(solves: Path) -> None:
    """The EVs of the actions of a class, weighted by how often it takes them, make its EV."""
    for name, line in (("turn", ""), ("turn", "B50"), ("turn", "X X Ah"), ("turn", "X X Ah B50"), ("locked", "")):
        answer = answer_line(open_solution(read_saved_solve(solves / name)), line)
        rows = list(hand_rows(answer, by_combo=False))
        assert len(rows) >= 3
        for row in rows:
            taken = [(share, ev) for share, ev in zip(row.strategy, row.evs, strict=True) if share > 0]
            assert sum(share * ev for share, ev in taken) == pytest.approx(row.ev, abs=1e-2)
            assert max(ev for _, ev in taken) >= row.ev - 1e-2
            if len(row.combos) > 1:
                assert all(math.isnan(ev) for share, ev in zip(row.strategy, row.evs, strict=True) if share == 0)


def test_the_explorer_counts_the_hands_that_the_board_removes(solves: Path, run: Run) -> None:
    saved = read_saved_solve(solves / "locked")
    _, output, _ = run("query", solves / "locked", "--json")
    counted = json.loads(output)["lines"][0]["range"]
    counts = describe_place(open_solution(saved), "", saved.spot)["players"][0]["counts"]
    assert (counts["combos"], counts["removed"]) == (counted["combos"], counted["removed_by_board"]) == (18, 9)
