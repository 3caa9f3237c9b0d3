"""Iterated dominance: the example of the lecture, mixtures, and the order of weak rounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgehog.gametheory.dominance import dominator, eliminate, eliminate_at_infosets, without_actions
from hedgehog.gametheory.examples import EXAMPLES
from hedgehog.gametheory.normal_games import matrix_game, normal_form, normal_form_game, solve_matrix
from hedgehog.gametheory.sequence_form import solve_sequence_form
from hedgehog.gametheory.tree import ExtensiveGame
from hedgehog.runtime.errors import GameError
from tests.gametheory.random_games import GAMES


def test_jqk_at_its_information_sets() -> None:
    game = EXAMPLES["jqk"].build()
    found = eliminate_at_infosets(game)
    steps = {(step.round, step.player, step.action): step.margin for step in found.steps}
    assert steps == pytest.approx(
        {(1, "p2", "J raise: call"): 1, (1, "p2", "K raise: fold"): 3, (2, "p1", "Q: raise"): 0.5}
    )
    form = normal_form(found.game)
    assert form.actions == (
        ("J: raise, K: raise", "J: raise, K: not", "J: not, K: raise", "J: not, K: not"),
        ("Q raise: fold", "Q raise: call"),
    )
    np.testing.assert_allclose(form.matrix * 6, [[1, -1], [1, -2], [0, 1], [0, 0]], atol=1e-12)
    assert solve_matrix(form).value == pytest.approx(1 / 18)
    assert solve_sequence_form(found.game).value == pytest.approx(1 / 18)


def test_the_printed_table_forgets_the_showdown() -> None:
    game = EXAMPLES["jqk"].build(noraise_pays_zero=True)
    number = {(game.players[one.player], one.name): i for i, one in enumerate(game.infosets)}
    removed = {number["p2", "J raise"]: {"call"}, number["p2", "K raise"]: {"fold"}, number["p1", "Q"]: {"raise"}}
    table = normal_form(without_actions(game, removed)).matrix
    np.testing.assert_allclose(table * 6, [[1, -1], [-1, -4], [2, 3], [0, 0]], atol=1e-12)
    assert solve_matrix(table).value == pytest.approx(1 / 3)
    assert normal_form(eliminate_at_infosets(game).game).matrix == pytest.approx(1 / 3)


def test_jqk_in_normal_form() -> None:
    form = normal_form(EXAMPLES["jqk"].build())
    strict = eliminate(form)
    first = [step.action for step in strict.steps if step.round == 1]
    assert first == ["J: not, Q: raise, K: not", "J: not, Q: not, K: not"]
    assert all(step.player == "p1" for step in strict.steps if step.round == 1)
    weak = eliminate(form, "weak")
    left = [8, 8], [8 - sum(s.round == 1 and s.player == p for s in weak.steps) for p in ("p1", "p2")]
    assert left[1] == [4, 2]
    assert weak.game.matrix.shape == (2, 2)
    for done in (strict, weak):
        assert solve_matrix(done.game).value == pytest.approx(1 / 18)


def test_a_mixture_dominates_where_no_pure_action_does() -> None:
    table = np.array([[3.0, 0.0], [0.0, 3.0], [1.0, 1.0]])
    found = dominator(table, 2, "strict")
    assert found is not None
    np.testing.assert_allclose(found[0], [0.5, 0.5, 0])
    assert found[1] == pytest.approx(0.5)
    assert dominator(table, 2, "strict", mixed=False) is None
    assert dominator(table, 0, "strict") is None


def test_weak_dominance() -> None:
    table = np.array([[1.0, 1.0], [1.0, 0.0]])
    assert dominator(table, 1, "strict") is None
    found = dominator(table, 1, "weak")
    assert found is not None
    assert found[1] == pytest.approx(1)
    assert dominator(np.array([[1.0, 1.0], [1.0, 1.0]]), 0, "weak") is None
    mixture = dominator(np.array([[4.0, 0.0, 1.0], [0.0, 4.0, 1.0], [2.0, 2.0, 0.0]]), 2, "weak")
    assert mixture is not None
    np.testing.assert_allclose(mixture[0], [0.5, 0.5, 0])
    with pytest.raises(GameError, match="strict or weak"):
        dominator(table, 1, "very")  # type: ignore[arg-type]


def test_weak_rounds_remove_all_at_once() -> None:
    rows = [[(1, 1), (0, 0)], [(1, 1), (2, 1)], [(0, 0), (2, 1)]]
    form = normal_form_game(np.moveaxis(np.array(rows, dtype=float), 2, 0))
    first = eliminate(form, "weak")
    assert [(step.round, step.player, step.action) for step in first.steps] == [(1, "p1", "1"), (1, "p1", "3")]
    assert first.game.payoffs[:, 0].T.tolist() == [[1, 1], [2, 1]]
    # One at a time, the order decides what is left.
    assert eliminate(form.keep([[1, 2], [0, 1]]), "weak").game.payoffs.tolist() == [[[2]], [[1]]]
    assert eliminate(form.keep([[0, 1], [0, 1]]), "weak").game.payoffs.tolist() == [[[1]], [[1]]]


@settings(max_examples=15, deadline=None)
@given(
    rows=st.integers(2, 4).flatmap(
        lambda width: st.lists(st.lists(st.integers(-5, 5), min_size=width, max_size=width), min_size=2, max_size=4)
    )
)
def test_elimination_keeps_the_value_of_a_matrix(rows: list[list[int]]) -> None:
    form = matrix_game(rows)
    value = solve_matrix(form).value
    assert solve_matrix(eliminate(form).game).value == pytest.approx(value, abs=1e-8)
    assert solve_matrix(eliminate(form, "weak").game).value == pytest.approx(value, abs=1e-8)


@settings(max_examples=15, deadline=None)
@given(game=GAMES)
def test_elimination_keeps_the_value_of_a_tree(game: ExtensiveGame) -> None:
    left = eliminate_at_infosets(game).game
    assert solve_sequence_form(left).value == pytest.approx(solve_sequence_form(game).value, abs=1e-8)


def test_an_action_must_stay() -> None:
    with pytest.raises(GameError, match="no action would be left"):
        without_actions(EXAMPLES["matching-pennies"].build(), {0: {"heads", "tails"}})
