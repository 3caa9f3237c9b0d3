"""Small hold'em spots for the compiled solver and for the slow solver, which deals every card to every hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, combo_index, parse_cards, parse_combo
from hedgehog.solver.postflop.locks import Lock
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import TreeConfig, build_postflop_tree
from hedgehog.solver.postflop.warm_start import Prior, dealt_boards
from hedgehog.strategies.betting_tree import BettingTree, NodeKind
from tests.reference.slow_cfr import SlowGame, Strategy
from tests.reference.small_games import holdem, same_sizes

# Both ranges are unchanged if diamonds and spades are swapped.
OOP = {"AhKh": 1, "AdAs": 0.5, "KdQd": 0.8, "KsQs": 0.8, "7d6d": 1, "7s6s": 1, "JcTc": 0.3}
IP = {"AcKc": 1, "AdAs": 1, "QdTd": 0.6, "QsTs": 0.6, "9h8h": 1, "KdKs": 0.9}
RIVER = ("Qh Jh 2c 7c 5s", ("50%,a/100%",))
TURN = ("Qh Jh 2c 7c", ("100%/a", "50%,a"))
FLOP = ("Qh Jh 2c", ("100%", "", "a"))

RIVER_LOCKS = {
    "all hands of the first player": [Lock("", {"X": 0.3, "B50": 0.7})],
    "some hands of the second player": [Lock("X", {"B50": 0.25, "X": 0.75}, hands="AcKc,9h8h")],
    "a losing fold": [Lock("B50", {"F": 1}, hands="KdKs")],
    "both players": [
        Lock("", {"X": 0.6, "A230": 0.4}, hands="AhKh,7d6d,JcTc"),
        Lock("X", {"A230": 1}, hands="9h8h"),
        Lock("X B50", {"F": 0.5, "C": 0.5}),
    ],
    "the first of two": [Lock("X", {"X": 1}, hands="AdAs"), Lock("X", {"B50": 1})],
    "a decision that is never reached": [Lock("", {"X": 1}), Lock("A230", {"C": 1})],
}

SMALL_FLOP = """\
spot: small flop   # two suits are interchangeable
board: Qh Jh 2c
pot: 100
stack: 230
range: {oop: "AhKh,AdAs:0.5,KdQd,KsQs,7d6d,7s6s", ip: "AcKc,AdAs,QdTd:0.5,QsTs:0.5,9h8h"}
sizes:
  flop:  {oop: "100%", ip: "100%"}
  turn:  {oop: "", ip: "a"}
  river: {oop: "a", ip: ""}
rake: {rate: 0.05, cap: 9}
"""


def tree_of(board: str, sizes: Sequence[str], pot: int = 100, stack: int = 230) -> BettingTree:
    """Returns the betting tree of a spot whose players have the same sizes, one text per street."""
    street = len(parse_cards(board)) - 2
    return build_postflop_tree(TreeConfig(street=street, pot=pot, stack=stack, sizes=same_sizes(*sizes)))


def weights_of(hands: dict[str, float]) -> NDArray[np.float32]:
    """Returns float32[1326]: the range of named combos as weights."""
    weights = np.zeros(NUM_COMBOS, dtype=np.float32)
    for name, weight in hands.items():
        weights[parse_combo(name)] = weight
    return weights


def solver_of(spot: tuple[str, Sequence[str]], **options: Any) -> PostflopSolver:
    """Returns the solver of :data:`OOP` against :data:`IP` on a board with sizes."""
    board, sizes = spot
    tremble = options.pop("tremble", None)
    parts = {name: options.pop(name) for name in ("rake", "locks", "isomorphism") if name in options}
    prepared = prepare_tree(tree_of(board, sizes), parse_cards(board), (weights_of(OOP), weights_of(IP)), **parts)
    return PostflopSolver(replace(prepared, tremble=tremble), **options)


def oracle_of(spot: tuple[str, Sequence[str]], rake: tuple[float, float] = (0.0, 0.0)) -> SlowGame:
    """Returns the spot of :func:`solver_of` as a slow game."""
    return holdem(tree_of(*spot), spot[0], OOP, IP, rake)


def combos_of(game: SlowGame, player: int) -> list[int]:
    return [combo_index(*hole) for hole in game.holes[player]]


def average_of(solver: PostflopSolver, game: SlowGame) -> Strategy:
    """Returns the solver's average strategies in the form of the slow game."""
    combos = [combos_of(game, player) for player in (0, 1)]

    @cache
    def strategy(node: int, board: tuple[int, ...]) -> NDArray[np.float64]:
        rows = solver.node_strategy(node, board[len(game.board) :])
        return rows[:, combos[game.tree.player[node]]].astype(np.float64)

    return strategy


def prior_of(solver: PostflopSolver) -> Prior:
    """Returns the average strategies of a solver as a prior with one bucket for every combo on every board."""
    tree, spot = solver.tree, solver.spot
    boards = dealt_boards(spot)
    rows = {}
    for node in np.flatnonzero(tree.kind == NodeKind.DECISION).tolist():
        of_street = boards[tree.street[node] - spot.street]
        found = [solver.node_strategy(node, board[len(spot.board) :]).T for board in of_street]
        rows[node] = np.concatenate(found)
    buckets = tuple(np.arange(len(street) * NUM_COMBOS).reshape(-1, NUM_COMBOS) for street in boards)
    return Prior(rows, buckets)


@dataclass(frozen=True)
class Case:
    """A small spot for both solvers."""

    board: str
    pot: int
    stack: int
    sizes: tuple[str, ...]
    oop: dict[str, float]
    ip: dict[str, float]
    rake: tuple[float, float] = (0.0, 0.0)
    algorithm: str = "dcfr"
    threads: int = 1


def all_suits(ranks: str, weight: float = 1.0) -> dict[str, float]:
    """Returns the weights of all combos of two different ranks, such as ``AK``, by name."""
    return {f"{ranks[0]}{a}{ranks[1]}{b}": weight for a in "cdhs" for b in "cdhs"}


def suited(ranks: str, weight: float = 1.0) -> dict[str, float]:
    return {f"{ranks[0]}{suit}{ranks[1]}{suit}": weight for suit in "cdhs"}


def pairs(rank: str, weight: float = 1.0) -> dict[str, float]:
    return {f"{rank}{a}{rank}{b}": weight for i, a in enumerate("cdhs") for b in "cdhs"[:i]}


CASES = {
    "river": Case(
        "Qh Jh 2c 7d 5s",
        100,
        250,
        ("50%,a/100%",),
        {"AhKh": 1, "QcQd": 0.5, "7s7c": 1, "KdTd": 0.75, "6h5h": 1, "3c2d": 0.1},
        {"AcKc": 1, "JdTd": 1, "QsQc": 0.25, "9h8h": 1, "KdTd": 1, "AhKh": 0.3},
    ),
    "river, paired board, everybody ties": Case(
        "Ah Ad Ac As Kh", 60, 90, ("33%,75%/a",), pairs("2") | all_suits("QJ", 0.5), pairs("3", 0.25) | all_suits("87")
    ),
    "river, raked": Case(
        "Th 9h 8c 2d 2s",
        100,
        300,
        ("50%,a/60%",),
        all_suits("AT") | pairs("9"),
        all_suits("QJ", 0.5) | pairs("8"),
        (0.05, 7.5),
    ),
    "turn": Case(
        "Qh Jh 2c 7d",
        100,
        180,
        ("50%/a", "75%/a"),
        {"AhKh": 1, "QcQd": 0.5, "KdTd": 0.75, "6h5h": 1},
        {"AcKc": 1, "JdTd": 1, "9h8h": 1, "KdTd": 1, "3s3d": 0.5},
    ),
    "turn, raked, donk-sized calls": Case(
        "Qh Qd 2c 2d", 50, 60, ("50%/a", "a"), suited("KT") | {"AhAd": 0.25}, suited("98") | {"JcJs": 1}, (0.1, 4)
    ),
    "turn, monotone board": Case(
        "9c 7c 6c 2c", 100, 100, ("a", "50%"), suited("AK") | pairs("8", 0.5), suited("QJ") | suited("54", 0.75)
    ),
    "river, merged": Case(
        "Qh Jh 2c 7d 5s",
        100,
        250,
        ("50%,a/100%",),
        all_suits("AK") | pairs("T", 0.5) | all_suits("QT", 0.25),
        all_suits("KT") | pairs("A", 0.75) | all_suits("J9", 0.5),
    ),
    "river, merged, paired board, raked": Case(
        "Th Td 8c 2d 2s",
        100,
        300,
        ("50%,a/60%",),
        all_suits("AT") | pairs("9"),
        all_suits("AK", 0.5) | pairs("8"),
        (0.05, 7.5),
    ),
    "turn, merged": Case(
        "Qh Jh 2c 7d", 100, 180, ("50%/a", "75%/a"), all_suits("AK") | pairs("8", 0.5), all_suits("KT") | pairs("9")
    ),
    "turn, merged with swapped suits": Case(
        "Qc Jc Qd Jd", 60, 100, ("50%/a", "a"), all_suits("AK") | all_suits("T9", 0.5), all_suits("KT") | pairs("A")
    ),
    "flop, merged": Case("Qh Jh 2c", 40, 60, ("a", "", ""), all_suits("AK"), pairs("T") | all_suits("A9", 0.5)),
    "flop, monotone board": Case(
        "9c 7c 6c", 100, 100, ("a", "", ""), suited("AK") | {"8d8h": 1}, suited("QJ", 0.75) | {"5s4s": 1}
    ),
    "flop, paired board": Case("Qh Qd 2c", 40, 60, ("a", "", "50%"), suited("AK"), suited("JT", 0.5) | {"2d2h": 1}),
}


def games_of(case: Case) -> tuple[PostflopSolver, SlowGame]:
    """Returns a spot for the compiled and for the slow solver."""
    board = parse_cards(case.board)
    tree = tree_of(case.board, case.sizes, case.pot, case.stack)
    # The slow game leaves combos that hit the board in; they must not matter.
    solver = PostflopSolver(
        prepare_tree(tree, board, (weights_of(case.oop), weights_of(case.ip)), rake=case.rake),
        threads=case.threads,
        algorithm=case.algorithm,
    )
    return solver, holdem(tree, case.board, case.oop, case.ip, case.rake)


def small_spot(
    board: str, hands: tuple[dict[str, float], dict[str, float]], sizes: tuple[str, ...], algorithm: str
) -> tuple[PostflopSolver, SlowGame]:
    return games_of(Case(board, 100, 180, sizes, *hands, algorithm=algorithm))


def river_spot(algorithm: str) -> tuple[PostflopSolver, SlowGame]:
    """Returns four hands against four on the river."""
    oop = {"AhKh": 1.0, "QcQd": 0.5, "7s7c": 1.0, "6h5h": 1.0}
    ip = {"AcKc": 1.0, "JdTd": 1.0, "QsQh": 0.25, "9h8h": 1.0}
    return small_spot("Qh Jh 2c 7d 5s", (oop, ip), ("50%,a/100%",), algorithm)


def turn_spot(algorithm: str) -> tuple[PostflopSolver, SlowGame]:
    """Returns a turn on which clubs and spades are alike, so that one suit is dealt for both."""
    oop = {"AcKc": 1.0, "AsKs": 1.0, "QcQs": 0.5, "6h5h": 0.75}
    ip = {"JcTc": 1.0, "JsTs": 1.0, "9h8h": 1.0, "AcAs": 0.5, "3c3d": 0.25, "3d3s": 0.25}
    return small_spot("Qh Jh 2d 7d", (oop, ip), ("a", "50%"), algorithm)
