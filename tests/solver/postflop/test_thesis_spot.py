"""Equilibria of two spots from a thesis by Voelkel on heads-up no-limit hold'em after the flop.

The board QsTh7h8s 5s tests a statement of the thesis: the ace of spades, which blocks the flush, calls an all-in more
often than another ace. The flop QhJh2c is a spot for the comparison of algorithms that the thesis makes. A program that
is independent of Hedgehog, and not part of this repository, has computed its size and its value.

Both players hold the same 20 % of all hands, and a big blind is 100 chips. The betting follows the thesis: at most one
pot-size raise per street, then all-in, and no bet after whose call less than half of the pot is left behind.
"""

from __future__ import annotations

import numpy as np
import pytest

from hedgehog.poker.cards import parse_cards, parse_combo
from hedgehog.poker.ranges import parse_range
from hedgehog.solver.postflop.chance import build_runouts, measure_solve
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.queries import find_node
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import TreeConfig, build_postflop_tree
from hedgehog.strategies.betting_tree import BettingTree, NodeKind
from tests.reference.small_games import same_sizes

HANDS = parse_range("A9+,KT+,QT+,JT+,A4s+,K8s+,Q9s+,J9s+,T9s,55+")


def _tree(street: int, pot: int, stack: int, sizes: str) -> BettingTree:
    menus = same_sizes(*[sizes] * (4 - street))
    return build_postflop_tree(TreeConfig(street, pot, stack, menus, force_allin_threshold=0.49))


@pytest.mark.slow
def test_a_blocker_of_the_flush_calls_more() -> None:
    """In equilibrium nobody goes all-in on these lines. The answers come from the first iterations."""
    differences = []
    for pot, stack, lines in (
        (600, 4700, ["X B300 C 5s A4400", "X B600 C 5s A4100"]),
        (400, 4800, ["X B200 C 5s A4600", "X B400 C 5s A4400", "B200 R1000 C 5s A3800"]),
    ):
        tree = _tree(2, pot, stack, "50%,100%,a/100%,a/a")
        solver = PostflopSolver(prepare_tree(tree, parse_cards("QsTh7h8s"), (HANDS, HANDS)))
        assert solver.solve(0.1, 2_000).pct_pot <= 0.1
        for line in lines:
            folds = solver.node_strategy(*find_node(solver, line))[0]
            with_spade, without = (float(folds[parse_combo(hand)]) for hand in ("AcAs", "AcAd"))
            print(f"pot {pot}, {line}: AcAs folds {100 * with_spade:.1f} %, AcAd {100 * without:.1f} %")
            differences.append(without - with_spade)
    assert sum(difference >= 0.3 for difference in differences) >= 3


def test_size_of_the_convergence_spot() -> None:
    tree = _tree(1, 200, 4900, "100%,a/100%,a/a")
    board = parse_cards("QhJh2c")
    decisions = np.bincount(tree.street[tree.kind == NodeKind.DECISION], minlength=4)
    assert decisions.tolist() == [0, 12, 36, 76]
    size = measure_solve(tree, build_runouts(board, (HANDS, HANDS)), (HANDS, HANDS))
    assert np.count_nonzero(HANDS) == 276
    assert size.hands == (237, 237)
    assert size.elements == pytest.approx(60.4e6, rel=1e-3)


@pytest.mark.slow
def test_value_of_the_convergence_spot() -> None:
    board = parse_cards("QhJh2c")
    solver = PostflopSolver(prepare_tree(_tree(1, 200, 4900, "100%,a/100%,a/a"), board, (HANDS, HANDS)))
    found = solver.solve(0.25, 600, check_every=50)
    print(
        f"{solver.iterations} iterations: {found.pct_pot:.3f} % of the pot, "
        f"EV less half the pot {found.ev_minus_half_pot[0] / 100:.4f} BB"
    )
    assert found.pct_pot <= 0.25
    assert found.ev_minus_half_pot[0] / 100 == pytest.approx(-0.113, abs=0.005)
