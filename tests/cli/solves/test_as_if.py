"""Lines that few hands or none take: what is said of them, and the answers as if a few hands took them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from hedgehog import solver
from hedgehog.cli.main import main
from hedgehog.explorer.items.nodes import describe_cards, describe_equities, describe_place
from hedgehog.explorer.items.solve_item import Solution
from hedgehog.poker.cards import COMBO_CARDS, parse_cards
from hedgehog.poker.evaluation.evaluator import rank_combos
from hedgehog.runtime.errors import InputError, SpotError
from hedgehog.solver.postflop.node_answers import NodeAnswer, answer_line
from hedgehog.solver.postflop.queries import find_node, view_actions
from hedgehog.solver.postflop.responses.as_if import SHARE, AsIf, solve_as_if
from hedgehog.solver.postflop.responses.standing import THIN, UNTAKEN, perplexity
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.solver.postflop.solution_files import open_solution, read_saved_solve
from tests.cli.command import Run

RIVER = Path(__file__).parents[3] / "docs" / "examples" / "spots" / "river.yaml"
UNTAKEN_LINE, THIN_LINE, TAKEN_LINE = "A4500", "B1000", "X"
# Bets that nobody makes on the turn and on the river.
TURN = """\
spot: turn
board: Kh 8d 5s 3c
pot: 100
stack: 600
range: {oop: "77,66,TT,99", ip: "KK,88,55,AK,QJs"}
sizes: {turn: {oop: "a", ip: "50%"}, river: {oop: "75%", ip: "75%"}}
"""


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("as-if") / "river"
    with pytest.raises(SystemExit) as raised:
        main(["solve", str(RIVER), "--iterations", "1000", "--threads", "1", "--save", str(folder)])
    assert raised.value.code == 0
    return folder


@pytest.fixture(scope="module")
def solution(saved: Path) -> PostflopSolution:
    return open_solution(read_saved_solve(saved))


@pytest.fixture(scope="module")
def assumed(solution: PostflopSolution) -> AsIf:
    return solve_as_if(solution, UNTAKEN_LINE)


def queried(run: Run, saved: Path, *options: object) -> dict[str, Any]:
    code, output, _ = run("query", saved, *options, "--json")
    assert code == 0
    (line,) = json.loads(output)["lines"]
    assert isinstance(line, dict)
    return line


def test_the_lines_are_what_the_other_tests_take_them_for(solution: PostflopSolution) -> None:
    for line, low, high in ((UNTAKEN_LINE, 0.0, UNTAKEN), (THIN_LINE, UNTAKEN, THIN), (TAKEN_LINE, THIN, 1.0)):
        view = answer_line(solution, line).view
        assert low <= view.standing.reach < high
        assert view.standing.player == 0
        own = solution.node_reach(0, *find_node(solution, line))
        assert view.standing.reach == pytest.approx(float(own.sum() / solution.spot.ranges[0].sum()), rel=1e-4)


def test_a_line_that_nobody_takes_has_no_numbers_of_its_range(run: Run, saved: Path) -> None:
    line = queried(run, saved, "--line", UNTAKEN_LINE, "--tree")
    assert line["avg_ev"] == line["avg_equity"] == [None, None]
    assert {hand[key] for hand in line["hands"] for key in ("ev", "equity")} == {None}
    assert {ev for hand in line["hands"] for ev in hand["action_evs"]} == {None}
    assert all(child[key] == [None, None] for child in line["children"] for key in ("avg_ev", "avg_equity"))
    # What the other player answers is known, well or badly.
    assert all(sum(hand["strategy"]) == pytest.approx(1, abs=1e-3) for hand in line["hands"])
    assert line["note"].startswith("Nobody takes this line: best hand of oop loses ")
    code, text, _ = run("query", saved, "--line", UNTAKEN_LINE, "--tree")
    assert code == 0
    assert "EV - oop, - ip; equity - oop, - ip" in text
    assert line["note"] in " ".join(text.split())


def test_the_loss_of_the_best_hand(run: Run, saved: Path, solution: PostflopSolution) -> None:
    note = queried(run, saved, "--line", UNTAKEN_LINE)["note"]
    node, _ = find_node(solution, UNTAKEN_LINE)
    losses = solution.node_values(0)[0] - (solution.node_values(node)[0] - 4500)
    losses = losses[(solution.ranges[0] > 0) & np.isfinite(losses)]
    assert f" {100 * losses.min() / 1000:.2f} % of the pot" in note


def test_a_thin_line_says_how_many_hands_carry_it(run: Run, saved: Path, solution: PostflopSolution) -> None:
    line = queried(run, saved, "--line", THIN_LINE)
    assert line["note"].startswith("thin line: oop takes it with ")
    assert "answers not converged" in line["note"]
    assert None not in line["avg_ev"]
    reach = solution.node_reach(0, *find_node(solution, THIN_LINE))
    shares = reach[reach > 0].astype(np.float64) / reach.sum()
    assert line["standing"]["hands"] == pytest.approx(float(np.exp(-(shares * np.log(shares)).sum())), abs=0.01)
    assert queried(run, saved, "--line", TAKEN_LINE)["note"] is None


def test_an_action_that_nobody_takes_has_no_average(solution: PostflopSolution) -> None:
    view = answer_line(solution, "").view
    by_action = {action.action: action for action in view_actions(solution, view)}
    assert np.isnan([*by_action[UNTAKEN_LINE].ev, *by_action[UNTAKEN_LINE].equity]).all()
    assert np.isfinite([*by_action[TAKEN_LINE].ev, *by_action[TAKEN_LINE].equity]).all()


def test_the_player_who_never_comes_has_no_frequencies(run: Run, saved: Path) -> None:
    line = f"{UNTAKEN_LINE}"
    entered = queried(run, saved, "--line", line)
    assert entered["player"] == 1
    assert None not in entered["freq"]


def test_as_if_has_all_numbers_and_says_so(run: Run, saved: Path) -> None:
    line = queried(run, saved, "--line", UNTAKEN_LINE, "--as-if", "--tree")
    assert None not in [*line["avg_ev"], *line["avg_equity"], *line["freq"]]
    assert line["line"] == UNTAKEN_LINE
    assert line["as_if"]["action"] == UNTAKEN_LINE
    assert line["as_if"]["share"] == SHARE
    assert line["as_if"]["gap_pct_pot"] < 0.5
    code, text, _ = run("query", saved, "--line", UNTAKEN_LINE, "--as-if")
    assert code == 0
    assert " ".join(text.split()).count("as if 1 % of the hands of oop took 'A4500'") == 1
    page = saved.parent / "page.html"
    assert run("query", saved, "--line", UNTAKEN_LINE, "--as-if", "--html", page, "--csv")[0] == 0
    assert "as if 1 % of the hands of oop" in page.read_text()


def test_query_explorer_and_python_agree(run: Run, saved: Path, solution: PostflopSolution, assumed: AsIf) -> None:
    line = queried(run, saved, "--line", UNTAKEN_LINE, "--as-if")
    answer: NodeAnswer = answer_line(assumed.solution, assumed.line)
    assert line["avg_ev"] == pytest.approx(list(answer.view.average(answer.view.ev)), abs=1e-3)
    assert line["freq"] == pytest.approx(answer.frequency.tolist(), abs=1e-5)
    page = Solution(solution)
    place = page.node({"line": UNTAKEN_LINE, "as_if": "1"})
    assert place["as_if"]["text"] == line["as_if"]["text"]
    assert place["avg_ev"] == pytest.approx(line["avg_ev"], abs=1e-3)
    equity = page.equity({"line": UNTAKEN_LINE, "as_if": "1"})
    assert equity["avg_equity"] == pytest.approx(line["avg_equity"], abs=1e-5)
    assert equity["line"] == UNTAKEN_LINE
    plain = page.node({"line": UNTAKEN_LINE})
    assert plain["avg_ev"] == [None, None]
    assert plain["rare"]
    assert plain["note"] == queried(run, saved, "--line", UNTAKEN_LINE)["note"]
    assert describe_equities(solution, UNTAKEN_LINE)["avg_equity"] == [None, None]
    with pytest.raises(InputError, match="as_if"):
        page.node({"line": UNTAKEN_LINE, "as_if": "yes"})


def test_a_line_that_is_taken_is_refused(run: Run, saved: Path, solution: PostflopSolution) -> None:
    code, _, errors = run("query", saved, "--line", TAKEN_LINE, "--as-if")
    assert code == 2
    assert len(errors.strip().splitlines()) == 1
    assert "is taken by" in errors
    for share in (0.0, 1.0, -0.5):
        with pytest.raises(SpotError, match="share"):
            solve_as_if(solution, UNTAKEN_LINE, share=share)


def test_the_answer_is_that_of_a_linear_program(solution: PostflopSolution, assumed: AsIf) -> None:
    """The jam by a linear program: IP calls with chances q, OOP chooses the hands that come, 1 % of his pairs."""
    weights = [solution.ranges[player].astype(np.float64) for player in (0, 1)]
    combos = [np.flatnonzero(held) for held in weights]
    held = [each[chosen] for each, chosen in zip(weights, combos, strict=True)]
    ranks = rank_combos(solution.board).astype(np.float64)
    cards = [COMBO_CARDS[chosen] for chosen in combos]
    apart = np.array([[set(a).isdisjoint(b) for b in cards[1].tolist()] for a in cards[0].tolist()], dtype=np.float64)
    signs = np.sign(ranks[combos[0]][:, None] - ranks[combos[1]][None, :])
    met = apart @ held[1]
    pairs = held[0] * met
    stays = (solution.node_values(0)[0][combos[0]].astype(np.float64) - 500) * met
    folded = 500 * met
    called = (signs * 5000 - 500) * apart * held[1]  # what a call with each hand changes
    wanted = SHARE * pairs.sum()
    # min over q, level, excess of wanted * level + sum(excess); pairs * level + excess >= the pairs' gains.
    ours, theirs = len(combos[0]), len(combos[1])
    cost = np.concatenate([np.zeros(theirs), [wanted], np.ones(ours)])
    matrix = np.hstack([held[0][:, None] * called, -pairs[:, None], -np.eye(ours)])
    bounds = [(0, 1)] * theirs + [(None, None)] + [(0, None)] * ours
    found = linprog(cost, A_ub=matrix, b_ub=-held[0] * (folded - stays), bounds=bounds)
    assert found.status == 0
    value, subsidy = found.fun / wanted, -found.x[theirs]
    assert assumed.subsidy == pytest.approx(subsidy, abs=5)  # 0.5 % of the pot
    # The hands that come and the answer bound the value from both sides.
    come = assumed.solution.ranges[0][combos[0]].astype(np.float64) / np.where(held[0] > 0, held[0], 1)
    assert (come >= 0).all()
    assert (come <= 1.0001).all()
    assert come @ pairs == pytest.approx(wanted, rel=1e-3)
    calls = assumed.solution.node_strategy(0)[1][combos[1]].astype(np.float64)
    gains = held[0] * (folded + called @ calls - stays)
    order = np.argsort(-gains / pairs)
    taken = np.clip((wanted - np.concatenate([[0], np.cumsum(pairs[order])[:-1]])) / pairs[order], 0, 1)
    upper = float(taken @ gains[order]) / wanted
    each = come * held[0]
    lower = float(each @ (folded - stays) + np.minimum(each @ called, 0).sum()) / wanted
    assert lower <= value + 0.5
    assert value <= upper + 0.5
    assert upper - lower < 10  # 1 % of the pot
    assert assumed.gap <= upper - lower + 1


def test_lines_over_cards(run: Run, tmp_path: Path) -> None:
    (tmp_path / "turn.yaml").write_text(TURN)
    assert run("solve", tmp_path / "turn.yaml", "--iterations", "400", "--save", tmp_path / "turn")[0] == 0
    solution = open_solution(read_saved_solve(tmp_path / "turn"))
    rare = [line for line in ("A600", "X B50 C 4h B150", "X B50 C Ad B150", "X B50 A600") if is_rare(solution, line)]
    assert any(len(line.split()) > 3 for line in rare)
    assert any(len(line.split()) <= 3 for line in rare)
    for line in rare:
        found = solve_as_if(solution, line, iterations=60)
        answer = answer_line(found.solution, found.line)
        assert np.isfinite(answer.view.average(answer.view.ev)).all()
        assert f"{found.action} {found.line}".strip() == line
        assert found.solution.board[: len(solution.board)] == solution.board


def is_rare(solution: PostflopSolution, line: str) -> bool:
    return answer_line(solution, line).view.standing.rare is not None


def test_a_called_action_leads_to_cards() -> None:
    """IP calls with nothing that calls: as if he did, on every river."""
    spot = solver.parse_spot(
        "spot: call\nboard: Kh 8d 5s 3c\npot: 100\nstack: 300\n"
        'range: {oop: "88,55", ip: "QJs,JTs,KQs"}\n'
        'sizes: {turn: {oop: "100%", ip: "100%"}, river: {oop: "50%", ip: "50%"}}\n'
        'locks: [{line: "", strategy: {B100: 1}}]\n'
    )
    solution = solver.solve(spot, 0.01, 600, threads=1)
    assert is_rare(solution, "B100 C Ad")
    found = solve_as_if(solution, "B100 C Ad", iterations=60)
    assert (found.action, found.line, found.player) == ("B100 C", "Ad", 1)
    assert found.leads_to("B100 C 2h X")
    assert not found.leads_to("X")
    for rest in ("B100 C Ad", "B100 C 2h"):
        answer = answer_line(found.solution, found.towards(rest).line)
        assert answer.view.pot == 300
        assert np.isfinite(answer.view.average(answer.view.ev)).all()
    rows = describe_cards(found.solution, "", list(parse_cards("Ad2h")), {"ev", "equity"})["cards"]
    assert None not in [*rows["Ad"]["ev"], *rows["Ad"]["equity"]]
    place = describe_place(solution, "B100 C Ad", assumed=found)
    assert place["as_if"]["action"] == "B100 C"


def test_a_solve_says_that_its_strategies_have_no_trembles(run: Run, tmp_path: Path) -> None:
    spot = tmp_path / "trembling.yaml"
    spot.write_text(RIVER.read_text() + "tremble: {share: 0.001, temperature: 5%}\n")
    code, output, _ = run("solve", spot, "--iterations", "5", "--threads", "1", "--json", tmp_path / "result.json")
    assert code == 0
    assert "share 0.001, temperature 5 % of the pot" in output
    assert "strategies and exploitability are those of the plain game" in output
    found = json.loads((tmp_path / "result.json").read_text())
    assert found["tremble"] == {"share": 0.001, "temperature_chips": 50}
    code, _, errors = run("solve", spot, "--iterations", "5", "--algorithm", "cfr+")
    assert code == 2
    assert "trembles" in errors


def test_perplexity() -> None:
    assert perplexity(np.zeros(3, dtype=np.float32)) == 0
    assert perplexity(np.array([0.5, 0.5, 0, 0.5], dtype=np.float32)) == pytest.approx(3)
    assert 1 < perplexity(np.array([1, 0.1], dtype=np.float32)) < 2
