"""What a node's view says must add up: actions make the node, hands make the averages."""

from __future__ import annotations

import csv
import io
import textwrap
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, format_combo, parse_combo
from hedgehog.poker.evaluation.evaluator import rank_combos
from hedgehog.poker.hand_names import name_hands, parse_hand_filter
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.postflop import queries
from hedgehog.solver.postflop.node_answers import answer_line, count_range, explain_absent_hands
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.queries import action_evs, find_node, round_strategy, view_actions, view_node
from hedgehog.solver.postflop.solution_csv import format_csv
from hedgehog.solver.postflop.solution_files import save_strategy
from hedgehog.solver.postflop.solution_json import describe_node
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import parse_spot
from hedgehog.strategies.betting_tree import NodeKind
from tests.solver.postflop_fixtures import SMALL_FLOP
from tests.strategies.provenance import PROVENANCE

LINES = ["", "X", "B100", "B100 C 5d", "B100 C 5d X A130", "X X Kc", "X X Kc X", "X X 3h X X 8d"]


@pytest.fixture(scope="module")
def solver() -> PostflopSolver:
    made = PostflopSolver(prepare(parse_spot(SMALL_FLOP)), threads=1)
    made.run(30)
    return made


@pytest.mark.parametrize("line", LINES)
def test_the_actions_make_the_node(solver: PostflopSolver, line: str) -> None:
    view = view_node(solver, *find_node(solver, line))
    actions = list(view_actions(solver, view))
    assert [action.action for action in actions] == list(view.actions)
    assert sum(action.frequency for action in actions) == pytest.approx(1)
    for player in (0, 1):
        for found, values in (("ev", view.ev), ("equity", view.equity)):
            taken = [action for action in actions if action.frequency > 0]
            parts = sum(action.frequency * getattr(action, found)[player] for action in taken)
            assert parts == pytest.approx(view.average(values)[player], rel=1e-3, abs=1e-3)
    assert view.average(view.equity)[0] + view.average(view.equity)[1] == pytest.approx(1)
    pairs = view.pair_weights.sum(axis=1)
    assert pairs[0] == pytest.approx(pairs[1])


def test_folding_costs_nothing_more_and_wins_the_pot(solver: PostflopSolver) -> None:
    view = view_node(solver, *find_node(solver, "B100"))
    fold = next(iter(view_actions(solver, view)))
    assert (fold.action, fold.leads_to) == ("F", "fold")
    # Pot 100, rake 5 %; the bet comes back.
    assert fold.ev == pytest.approx((200 - 5, 0), abs=1e-2)


def test_csv_says_what_the_json_says(solver: PostflopSolver) -> None:
    answers = [answer_line(solver, line) for line in LINES]
    rows = list(csv.DictReader(io.StringIO(format_csv(answers))))
    names = [[format_combo(int(combo)) for combo in np.flatnonzero(weights)] for weights in solver.ranges]
    for answer in answers:
        line, view = answer.line, answer.view
        node = describe_node(solver, line)
        suffix = f"_{view.player}" if line == "" else ""
        mine = {row["hand"]: row for row in rows if row["line"] == line}
        assert sum(float(row["pair_weight"]) for row in mine.values()) == pytest.approx(node["pair_weight"], rel=1e-4)
        for index, hand in enumerate(names[view.player]):
            weight = node["weight" + suffix][index]
            assert (hand in mine) == (view.reach[view.player, parse_combo(hand)] > 0)
            if weight > 0 and view.pair_weights[view.player, parse_combo(hand)] > 0:
                row = mine[hand]
                assert int(row["player"]) == view.player
                assert float(row["weight"]) == pytest.approx(weight, abs=1e-4)
                assert float(row["equity"]) == pytest.approx(node["equity" + suffix][index], abs=1e-4)
                assert float(row["ev"]) == pytest.approx(100 * node["ev_pot" + suffix][index], abs=1e-2)
                chances = [float(row[action]) for action in view.actions]
                assert chances[:-1] == pytest.approx([column[index] for column in node["strategy"]], abs=2e-4)
                assert all(row[other] == "" for other in row.keys() - {*view.actions} if other[0] in "XBCFAR")
                evs = [float(row[f"ev_{action}"] or 0) for action in view.actions]
                assert np.dot(chances, evs) == pytest.approx(float(row["ev"]), rel=1e-3, abs=0.05)
                assert row["names"] == name_hands(view.board).describe(parse_combo(hand))


def test_only_the_hands_asked_for(solver: PostflopSolver) -> None:
    wanted = np.zeros(1326, dtype=np.bool_)
    wanted[parse_combo("KdQd")] = True
    rows = list(csv.DictReader(io.StringIO(format_csv([answer_line(solver, "", hands=wanted, percent=100)]))))
    assert [row["hand"] for row in rows] == ["KdQd"]
    assert sorted(float(rows[0][action]) for action in ("X", "B100")) == [0, 1]
    lost = abs(float(rows[0]["rounding_cost"]))
    assert lost <= abs(float(rows[0]["ev_X"]) - float(rows[0]["ev_B100"])) + 1e-3
    fitting = answer_line(solver, "", hand_filter=parse_hand_filter("top pair+"))
    assert {format_combo(int(combo)) for combo in fitting.hands()} == {"KdQd", "KsQs", "AsAd"}


def test_only_decisions_can_be_viewed(solver: PostflopSolver) -> None:
    fold = int(solver.tree.first_child[find_node(solver, "B100")[0]])
    with pytest.raises(SpotError, match="no decision"):
        view_node(solver, fold)


@pytest.mark.parametrize("line", LINES)
def test_the_evs_of_the_actions_make_the_ev_of_every_hand(solver: PostflopSolver, line: str) -> None:
    view = view_node(solver, *find_node(solver, line))
    evs = action_evs(solver, view)
    hands = view.hands()
    hands = hands[view.met[view.player, hands] > 0]
    assert len(hands) > 0
    assert not (np.isnan(evs[:, hands]) & (view.strategy[:, hands] > 0)).any()
    made = (view.strategy * np.nan_to_num(evs)).sum(axis=0)[hands]
    assert made == pytest.approx(view.ev[view.player, hands], rel=1e-4, abs=1e-2)
    # Averaged over the hands that take it, an action is worth what view_actions says.
    for index, action in enumerate(view_actions(solver, view)):
        weights = (view.pair_weights[view.player] * view.strategy[index])[hands]
        if action.frequency > 1e-3:
            assert evs[index, hands] @ weights / weights.sum() == pytest.approx(
                action.ev[view.player], rel=1e-3, abs=1e-2
            )


RIVER = """\
spot: river
board: Td 9d 6h Qc 2s
pot: 100
stack: 300
range: {oop: "AA,T9s,76s:0.5,KdJd", ip: "QQ,AQs,87s,Ad2d:0.25"}
sizes:
  river: {oop: "50%,a/a", ip: "50%,a/a"}
rake: {rate: 0.05, cap: 6}
"""


def walked_evs(solver: PostflopSolver, node: int, hand: int, opponent: NDArray[np.float64], player: int) -> float:
    """Returns the chips a hand gets at the end, summed over the opponent's weights: the tree walked line by line."""
    tree = solver.tree
    committed = tree.committed[node]
    if tree.kind[node] == NodeKind.DECISION:
        strategy = solver.node_strategy(node).astype(np.float64)
        total = 0.0
        for index, child in enumerate(tree.children(node)):
            if tree.player[node] == player:
                total += strategy[index, hand] * walked_evs(solver, child, hand, opponent, player)
            else:
                total += walked_evs(solver, child, hand, opponent * strategy[index], player)
        return total
    matched = 2 * int(committed.min()) + tree.root_pot
    won = matched - min(0.05 * matched, 6)
    back = int(committed[player] - committed.min())
    if tree.kind[node] == NodeKind.FOLD:
        return float(opponent.sum()) * (0 if tree.player[node] == player else won + back)
    ranks = rank_combos(solver.board)
    share = np.where(ranks[hand] > ranks, 1.0, np.where(ranks[hand] == ranks, 0.5, 0.0))
    return float(opponent @ share) * won


@pytest.mark.parametrize("line", ["", "X", "B50", "X B50 A300", "A300"])
def test_the_ev_of_an_action_is_chips_received_less_chips_put_in(line: str) -> None:
    solver = PostflopSolver(prepare(parse_spot(RIVER)), threads=1)
    solver.run(7)
    view = view_node(solver, *find_node(solver, line))
    evs = action_evs(solver, view)
    tree, player = solver.tree, view.player
    for hand in view.hands():
        apart = ~np.isin(COMBO_CARDS, COMBO_CARDS[hand]).any(axis=1)
        opponent = view.reach[1 - player].astype(np.float64) * apart
        for index, child in enumerate(tree.children(view.node)):
            received = np.nan
            if opponent.any():
                received = walked_evs(solver, child, int(hand), opponent, player) / opponent.sum()
                # What was put in after the action goes off at the end of each line: count it on the way.
                received -= walked_costs(solver, child, int(hand), opponent, player) / opponent.sum()
                received -= float(tree.committed[child, player] - tree.committed[view.node, player])
            assert evs[index, hand] == pytest.approx(received, abs=2e-3, nan_ok=True)


def walked_costs(solver: PostflopSolver, node: int, hand: int, opponent: NDArray[np.float64], player: int) -> float:
    """Returns the chips a hand puts in after a node, summed over the opponent's weights."""
    tree = solver.tree
    if tree.kind[node] != NodeKind.DECISION:
        return 0.0
    strategy = solver.node_strategy(node).astype(np.float64)
    total = 0.0
    for index, child in enumerate(tree.children(node)):
        paid = float(tree.committed[child, player] - tree.committed[node, player])
        if tree.player[node] == player:
            share = strategy[index, hand]
            total += share * (paid * opponent.sum() + walked_costs(solver, child, hand, opponent, player))
        else:
            total += walked_costs(solver, child, hand, opponent * strategy[index], player)
    return total


def test_rounding_costs_what_the_actions_are_worth(solver: PostflopSolver) -> None:
    view = view_node(solver, 0)
    evs = action_evs(solver, view)
    hands = view.hands()
    costs = {}
    for percent in (1, 25, 50, 100):
        rounded = round_strategy(view, evs, percent)
        steps = rounded.strategy[:, hands] * 100 / percent
        assert steps == pytest.approx(np.round(steps))
        assert rounded.strategy.sum(axis=0)[hands] == pytest.approx(1)
        assert np.abs(rounded.strategy - view.strategy)[:, hands].max() < percent / 100 + 1e-6
        for hand in hands[::7]:
            lost = view.strategy[:, hand] @ evs[:, hand] - rounded.strategy[:, hand] @ evs[:, hand]
            assert rounded.cost[hand] == pytest.approx(lost, abs=1e-9)
        assert rounded.frequency.sum() == pytest.approx(1)
        costs[percent] = rounded.average_cost
    assert abs(costs[1]) < abs(costs[100])
    pure = round_strategy(view, evs, 100).strategy[:, hands]
    assert (pure.max(axis=0) == 1).all()
    chosen = np.take_along_axis(view.strategy[:, hands], pure.argmax(axis=0)[None], axis=0)[0]
    assert chosen == pytest.approx(view.strategy[:, hands].max(axis=0))


def test_ties_are_rounded_to_the_better_action(solver: PostflopSolver) -> None:
    view = view_node(solver, 0)
    even = replace(view, strategy=np.full_like(view.strategy, 1 / len(view.actions)))
    evs = action_evs(solver, view)
    hands = view.hands()
    rounded = round_strategy(even, evs, 100)
    assert (rounded.strategy[:, hands].argmax(axis=0) == evs[:, hands].argmax(axis=0)).all()
    assert (rounded.cost[hands] <= 1e-9).all()
    with pytest.raises(ValueError, match="divides 100"):
        round_strategy(view, evs, 30)


def test_the_example_of_the_docstring_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """\
spot: example
board: Qh Jh 2c
pot: 120
stack: 240
range: {oop: "AsAh,KsQs,8h7h", ip: "JdJc,AdQd,9s8s"}
sizes:
  flop: {oop: "", ip: "100%/"}
  turn: {oop: "100%/", ip: ""}
  river: {oop: "", ip: ""}
"""
    spot = parse_spot(text)
    made = PostflopSolver(prepare(spot), threads=1)
    made.run(5)
    save_strategy(tmp_path / "my-solve", made, spot, made.exploitability(), 1.0, PROVENANCE)
    assert queries.__doc__ is not None
    example = textwrap.dedent(queries.__doc__.split("::\n")[1].split("\n\nThe solution")[0])
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(example, {})
    rows = printed.getvalue().splitlines()
    assert [row.split()[0] for row in rows] == ["X", "A120", "(2,"]


def test_where_the_combos_of_a_range_went(solver: PostflopSolver) -> None:
    spot = parse_spot(SMALL_FLOP)
    view = view_node(solver, *find_node(solver, "X X Kc"))
    counts = count_range(spot, view)
    # AhKh, AdAs, KdQd, KsQs, 7d6d, 7s6s: the king of clubs takes none of them, but IP's AcKc.
    assert (counts.combos, counts.removed) == (6, 0)
    view = view_node(solver, *find_node(solver, "X X Kc X"))
    counts = count_range(spot, view)
    assert (counts.combos, counts.removed) == (5, 1)
    assert counts.weight == pytest.approx(float(view.reach[1].sum()))
    assert counts.elsewhere == 4 - len(view.hands())


def test_why_a_hand_is_not_there(solver: PostflopSolver) -> None:
    spot = parse_spot(SMALL_FLOP)
    view = view_node(solver, *find_node(solver, "X X Kc X"))
    assert list(explain_absent_hands("AdAs", spot, view)) == []
    assert list(explain_absent_hands("AcKc, QhQs,33:0.5,AcKs,9h8h", spot, replace(view, reach=0 * view.reach))) == [
        "AcKc cannot be held: the board Qh Jh 2c Kc takes it",
        "QhQs cannot be held: the board Qh Jh 2c Kc takes it",
        "33 is not in the range of ip",
        "AcKs is not in the range of ip",
        "9h8h is in the range of ip but never plays to this decision",
    ]
    blocked = list(explain_absent_hands("AKs", parse_spot(SMALL_FLOP.replace("AcKc", "KcAc")), view))
    assert blocked == ["AKs is not in the range of ip (the board takes 1 of 4 combos)"]
