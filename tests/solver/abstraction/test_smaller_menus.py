"""Strategies of a smaller betting tree in a larger one: against best responses of the plain solver."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from hedgehog.poker.cards import combo_index, parse_cards
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.abstraction.smaller_menus import ALGORITHM, MenuJudge, TranslatedTree
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import line_of, node_for_line
from hedgehog.strategies.betting_tree import BettingTree, NodeKind
from tests.reference.slow_cfr import Array, Board, exploitability
from tests.solver.postflop_fixtures import IP, OOP, oracle_of, tree_of, weights_of

RIVER = "Qh Jh 2c 7c 5s"
TURN = "Qh Jh 2c 7c"


def spot_of(board: str, sizes: Sequence[str]) -> PreparedSpot:
    ranges = (weights_of(OOP), weights_of(IP))
    return prepare_tree(tree_of(board, sizes), parse_cards(board), ranges, merge_cards=False)


def judged(
    large: PreparedSpot, small: PreparedSpot, iterations: int = 60
) -> tuple[PostflopSolver, PostflopSolver, float]:
    """Returns the solver of the smaller game, that of the real game with its strategies, and the exploitability."""
    solver = PostflopSolver(small, threads=1)
    solver.run(iterations)
    judge = PostflopSolver(large, algorithm=ALGORITHM, threads=1)
    return solver, judge, MenuJudge(large, small).exploitability(solver, judge)


@pytest.mark.parametrize(("board", "sizes"), [(RIVER, ("50%,a/100%",)), (TURN, ("100%/a", "50%,a"))])
def test_the_same_tree_changes_nothing(board: str, sizes: Sequence[str]) -> None:
    spot = spot_of(board, sizes)
    solver, _, found = judged(spot, spot)
    assert found == pytest.approx(solver.exploitability().exploitability, rel=1e-6)


def stand_ins(large: BettingTree, small: BettingTree) -> dict[str, str]:
    """Returns line of the larger tree -> line of the smaller one, for decisions that have a stand-in."""
    node_of = TranslatedTree(large, small).node_of
    nodes = [n for n in range(large.num_nodes) if large.kind[n] == NodeKind.DECISION and node_of[n] >= 0]
    return {" ".join(line_of(large, n)): " ".join(line_of(small, int(node_of[n]))) for n in nodes}


def test_bets_are_answered_as_the_nearest_one() -> None:
    found = stand_ins(tree_of(RIVER, ("25%,50%,75%,100%,a",)), tree_of(RIVER, ("50%,100%",)))
    assert found["B25"] == found["B50"] == "B50"
    # Between 50 and 100 %, the pseudo-harmonic share of the smaller one is (1 - x) 1.5 / (0.5 (1 + x)): 0.43 for 75 %.
    assert found["B75"] == found["B100"] == found["A230"] == "B100"
    assert found["X B75"] == "X B100"


def test_without_bets_nothing_stands_for_a_bet() -> None:
    large, small = tree_of(RIVER, ("50%,a",)), tree_of(RIVER, ("",))
    assert set(stand_ins(large, small)) == {"", "X"}
    spot, without = spot_of(RIVER, ("50%,a",)), spot_of(RIVER, ("",))
    _, judge, found = judged(spot, without)
    facing = judge.node_strategy(node_for_line(large, ["A230"]), ())
    assert (facing[1, weights_of(IP) > 0] == 1).all()  # the call
    assert found > 1


@pytest.mark.parametrize(
    ("board", "sizes", "fewer"),
    [
        (RIVER, ("33%,75%,a/75%,a",), ("50%/a",)),
        (RIVER, ("50%,a/100%",), ("a",)),
        (TURN, ("50%,100%/a", "50%,a"), ("100%", "a")),
    ],
)
@pytest.mark.slow_cases("Qh Jh 2c 7c-sizes2-fewer2")
def test_the_loss_is_that_of_the_plain_solver(board: str, sizes: Sequence[str], fewer: Sequence[str]) -> None:
    large, small = spot_of(board, sizes), spot_of(board, fewer)
    solver, _, found = judged(large, small, 40)
    game = oracle_of((board, sizes))
    translated = TranslatedTree(large.tree, small.tree)

    def strategy(node: int, cards: Board) -> Array:
        """Returns the strategy in the real game, from that of the smaller game at its stand-in."""
        player, count = int(large.tree.player[node]), int(large.tree.num_children[node])
        combos = [combo_index(*hole) for hole in game.holes[player]]
        rows = np.zeros((count, len(combos)))
        if node not in translated.action_of:
            rows[0 if large.tree.action[large.tree.first_child[node]] == 1 else 1] = 1
            return rows
        dealt = cards[len(game.board) :]
        below = solver.node_strategy(int(translated.node_of[node]), dealt)[:, combos]
        for action, row in zip(translated.action_of[node], np.nan_to_num(below), strict=True):
            rows[action] += row
        return rows + (1 - rows.sum(axis=0)) / count  # hands that the board blocks

    assert found == pytest.approx(exploitability(game, strategy), abs=2e-3)
    assert found > 1.5 * solver.exploitability().exploitability


def test_other_cards_are_refused() -> None:
    with pytest.raises(SpotError, match="on the same cards"):
        MenuJudge(spot_of(RIVER, ("a",)), spot_of("Qh Jh 2c 7c 6s", ("a",)))
