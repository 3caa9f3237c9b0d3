"""Solutions and answers as they show themselves in a notebook."""

from __future__ import annotations

import numpy as np
import pytest

from hedgehog.poker.hand_classes import HAND_CLASS_NAMES
from hedgehog.solver.abstraction.solving import solve
from hedgehog.solver.postflop.node_answers import answer_line, hand_rows
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import parse_spot
from tests.shown import check_shown, verify_scalars

SPOT = """\
spot: small
board: Qh Jh 2c 7d 5s
pot: 100
stack: 200
range:
  oop: QQ,JTs,AhKh,98s:0.5
  ip: AA,KQs,T9s,65s
sizes:
  river:
    oop: 50%
    ip: 50%
"""


@pytest.fixture(scope="module")
def solution() -> PostflopSolver:
    return solve(parse_spot(SPOT), 2, 100, threads=1)


def test_a_solution_shows_its_first_decision(solution: PostflopSolver) -> None:
    tags, text = check_shown(solution)
    assert repr(solution) == f"<PostflopSolver: river Qh Jh 2c 7d 5s, pot 100, {solution.iterations} iterations>"
    assert tags.count("svg") == 2
    answer = answer_line(solution, "")
    shown = solution.hand_strategy()
    assert np.allclose(shown.frequency(), answer.frequency)
    rows = {row.name: row for row in hand_rows(answer, by_combo=False)}
    for one in solution.table().records():
        row = rows.pop(str(one["hand"]))
        assert np.allclose([one[action] for action in shown.actions], row.strategy)
        assert np.isclose(float(one["combos"] or 0), row.weight)
    assert rows == {}
    assert all(action in text for action in shown.actions)


@pytest.mark.parametrize("percent", [None, 25])
def test_an_answer_shows_its_numbers(solution: PostflopSolver, percent: int | None) -> None:
    answer = answer_line(solution, "X", percent=percent)
    check_shown(answer)
    assert repr(answer).startswith("<NodeAnswer: Qh Jh 2c 7d 5s, ip after X, pot 100: X ")
    for by_combo in (False, True):
        records = answer.table(by_combo=by_combo).records()
        for row, one in zip(hand_rows(answer, by_combo=by_combo), records, strict=True):
            assert one["hand"] == row.name
            assert (one["equity"], one["ev"]) == (row.equity, row.ev)
            assert [one[action] for action in answer.view.actions] == row.strategy
            evs = [np.nan if one[f"ev_{action}"] is None else one[f"ev_{action}"] for action in answer.view.actions]
            assert np.array_equal(evs, row.evs, equal_nan=True)
            assert one.get("rounding_cost") == (None if percent is None else row.cost)
    shares = answer.hand_strategy().class_strategy()
    for row in hand_rows(answer, by_combo=False):
        assert np.allclose(shares[:, HAND_CLASS_NAMES.index(row.name)], row.strategy)
    assert np.array_equal(answer.range().weights, answer.view.reach[1])
    assert np.array_equal(answer.range(0).weights, answer.view.reach[0])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_data_frame_has_a_column_per_action(solution: PostflopSolver, library: str) -> None:
    pytest.importorskip(library)
    answer = answer_line(solution, "X")
    frame = answer.to_frame(library, by_combo=True)
    verify_scalars(frame)
    assert set(answer.view.actions) < set(frame.columns)
    assert len(frame) == len(answer.hands())
    assert np.allclose(frame[list(answer.view.actions)].to_numpy().sum(axis=1), 1)


def test_hands_that_were_not_asked_for_are_not_shown(solution: PostflopSolver) -> None:
    from hedgehog.poker.ranges import parse_range

    answer = answer_line(solution, "X", hands=parse_range("AA") > 0)
    assert {one["hand"] for one in answer.table().records()} == {"AA"}
    assert answer.hand_strategy().held().sum() == 1
