"""Solves whose players confuse river cards: against a linear program of the game with the same information."""

from __future__ import annotations

import numpy as np
import pytest

from hedgehog.poker.cards import parse_cards
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.abstraction.board_pooling import RiverClasses, verify_pooled_algorithm
from hedgehog.solver.cfr.algorithms import parse_algorithm
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from tests.reference.sequence_form import game_value
from tests.reference.slow_cfr import Board
from tests.reference.small_games import holdem
from tests.solver.postflop_fixtures import tree_of, weights_of

BOARD = "Qh Jh 2c 7d"
# Clubs, diamonds and spades differ in what they block, so to confuse them loses something.
OOP = {"AhKh": 1, "7c6c": 1, "KcQc": 1, "9d8d": 0.7, "AcTc": 1}
IP = {"AdKd": 1, "7s6s": 1, "QsTs": 0.6, "9h8h": 1, "JcTs": 1}
SIZES = ("100%/a", "a")


def spot() -> PreparedSpot:
    tree = tree_of(BOARD, SIZES)
    return prepare_tree(tree, parse_cards(BOARD), (weights_of(OOP), weights_of(IP)), merge_cards=False)


def river_class(board: Board) -> Board:
    """Returns the board with clubs, diamonds and spades of the river made one suit: no flush of theirs can come."""
    *four, river = board
    return (*four, river if river % 4 == 2 else river - river % 4)


def test_classes_are_those_of_cards_that_make_no_flush() -> None:
    classes = RiverClasses(spot())
    rivers = classes.spot.runouts.rivers
    for boards in classes.classes:
        for members in boards:
            cards = rivers[members]
            assert len({int(card) >> 2 for card in cards}) == 1
            assert all(card % 4 != 2 for card in cards)
    assert classes.num_rivers == len({river_class((*parse_cards(BOARD), int(card))) for card in rivers})
    infosets, entries = classes.elements()
    assert (infosets, entries) < (classes.spot.size.infosets, classes.spot.size.elements)


@pytest.fixture(scope="module")
def values() -> tuple[float, float]:
    """The values for the first player with and without all rivers, by linear programming."""
    game = holdem(tree_of(BOARD, SIZES), BOARD, OOP, IP)
    return game_value(game), game_value(game, seen=river_class)


@pytest.mark.parametrize("algorithm", ["dcfr", "cfr"])
def test_the_value_is_that_of_the_game_with_less_information(algorithm: str, values: tuple[float, float]) -> None:
    classes = RiverClasses(spot())
    solver = PostflopSolver(classes.spot, algorithm=algorithm, threads=1)
    classes.pool(solver)
    solver.run(1000 if algorithm == "cfr" else 300)
    full, confused = values
    assert solver.exploitability().ev_minus_half_pot[0] == pytest.approx(confused, abs=0.05)
    # Seeing the cards is worth something here, or the test could not fail.
    assert abs(full - confused) > 0.1


@pytest.mark.parametrize(
    ("board", "confused", "classes"), [("Qh Jh 2c 4d", 3, 24), ("Qs Th 7h 8s", 0, 35), ("Qh Jh 2c", 3, 985)]
)
def test_classes_that_suit_isomorphism_makes_are_left_out(board: str, confused: int, classes: int) -> None:
    """Below Qs Th 7h 8s clubs and diamonds are interchangeable, so nothing is lost where they are equal."""
    hands = parse_range("A9+,KT+,55+")
    sizes = ("a",) * (6 - len(board.split()))
    found = RiverClasses(prepare_tree(tree_of(board, sizes), parse_cards(board), (hands, hands), merge_cards=False))
    assert max((one.shape[1] for one in found.classes), default=0) == confused
    assert found.num_rivers == classes


def test_members_of_a_class_have_one_strategy() -> None:
    classes = RiverClasses(spot())
    solver = PostflopSolver(classes.spot, threads=1)
    classes.pool(solver)
    solver.run(50)
    for node in np.flatnonzero(classes.spot.tree.street == 3):
        if classes.spot.tree.kind[node] == 0:
            clubs, spades = (solver.node_strategy(int(node), parse_cards(card)) for card in ("9c", "9s"))
            held = np.isfinite(clubs).all(axis=0) & np.isfinite(spades).all(axis=0)
            np.testing.assert_allclose(clubs[:, held], spades[:, held], atol=1e-6)


@pytest.mark.parametrize("text", ["cgh", "cfr+", "pcfr+", "cfr-new", "pcs", "cfr:average=new"])
def test_other_updates_are_refused(text: str) -> None:
    with pytest.raises(SpotError, match="does not work on classes of boards"):
        verify_pooled_algorithm(parse_algorithm(text))
