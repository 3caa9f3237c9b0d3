"""Loads the kernels of a solve before it is timed, so that no time includes their compilation."""

from __future__ import annotations

from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.ranges import parse_range
from hedgehog.poker.streets import RIVER
from hedgehog.solver.cfr.algorithms import Algorithm
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree


def compile_kernels(threads: int | None, algorithm: Algorithm, storage: Storage) -> None:
    """Solves a game of a few nodes, so that the time of the solve itself does not depend on numba's cache."""
    solver = PostflopSolver(tiny_spot(), threads=threads, algorithm=algorithm, storage=storage)
    solver.run(1)
    solver.exploitability()


def tiny_spot() -> PreparedSpot:
    """Returns a spot of a few nodes on the river."""
    sizes = StreetSizes(parse_bet_sizes(""), parse_bet_sizes(""))
    tree = build_postflop_tree(TreeConfig(street=RIVER, pot=2, stack=1, sizes=(sizes,)))
    hands = parse_range("AhKh,7c2c")
    return prepare_tree(tree, parse_cards("QsJs2d3d8c"), (hands, hands))
