"""Node locking against linear programs and best responses of the locked game, and its errors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from hedgehog.poker.cards import NUM_COMBOS, combo_index, parse_card, parse_cards, parse_combo
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.postflop.chance import count_nodes
from hedgehog.solver.postflop.locks import Lock, count_locked, resolve_locks
from hedgehog.solver.postflop.prepared import prepare, prepare_tree
from hedgehog.solver.postflop.solution_files import (
    load_state,
    open_solution,
    read_saved_solve,
    save_solve,
    save_strategy,
)
from hedgehog.solver.postflop.solution_json import describe_spot
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import parse_spot, read_spot
from hedgehog.solver.postflop.tree import (
    build_postflop_tree,
    format_action,
    format_line,
    line_of,
    node_for_line,
    parse_line,
)
from hedgehog.strategies.betting_tree import NodeKind
from tests.reference.sequence_form import game_value
from tests.reference.slow_cfr import Array, Board, Given, SlowGame, best_response_value, expected_value
from tests.solver.postflop_fixtures import (
    FLOP,
    IP,
    OOP,
    RIVER,
    RIVER_LOCKS,
    TURN,
    average_of,
    oracle_of,
    solver_of,
    tree_of,
    weights_of,
)
from tests.strategies.provenance import PROVENANCE

SPOTS = Path(__file__).parents[2] / "data" / "solver" / "spots"

TURN_LOCKS = {
    "the turn": [Lock("", {"X": 1}, hands="AhKh,AdAs,7d6d,7s6s"), Lock("X", {"B100": 0.9, "X": 0.1})],
    "every river": [Lock("X X", {"B50": 1}, hands="7d6d,7s6s"), Lock("X B100 C X", {"X": 0.5, "A130": 0.5})],
    "one river": [Lock("X X 9c", {"A230": 1}), Lock("X X 9c B50", {"F": 1}), Lock("X X Ks X", {"X": 1}, "AcKc,QsTs")],
}


def given_by(game: SlowGame, locks: Sequence[Lock]) -> Given:
    """Spells out locks whose hands are combos and whose cards are named from the first street on."""
    places: dict[int, list[tuple[tuple[int, ...], Lock]]] = {}
    for lock in locks:
        actions = [token for token in lock.line.split() if len(token) != 2]
        cards = tuple(parse_card(token) for token in lock.line.split() if len(token) == 2)
        places.setdefault(node_for_line(game.tree, actions), []).append((cards, lock))

    def given(node: int, board: Board) -> Array | None:
        rules = places.get(node)
        if rules is None:
            return None
        holes = game.holes[int(game.tree.player[node])]
        offered = [format_action(game.tree, child) for child in game.tree.children(node)]
        table = np.full((len(offered), len(holes)), np.nan)
        for column, hole in enumerate(holes):
            for cards, lock in rules:
                named = lock.hands is None or combo_index(*hole) in [parse_combo(h) for h in lock.hands.split(",")]
                if named and cards in ((), board[len(game.board) :]):
                    table[:, column] = [lock.strategy.get(token, 0) for token in offered]
                    break
        return table

    return cache(given)


def check_against_the_locked_game(
    spot: tuple[str, Sequence[str]], locks: Sequence[Lock], solver: PostflopSolver, rake: tuple[float, float] = (0, 0)
) -> None:
    """Compares values and best responses of the solver's present strategies with the oracle's.

    Half floats are rounded differently for hands that are twins by suit, of which the solver deals one.
    """
    game = oracle_of(spot, rake)
    given, average, found = given_by(game, locks), average_of(solver, game), solver.exploitability()
    for player in (0, 1):
        assert found.ev_minus_half_pot[player] == pytest.approx(expected_value(game, average, player), abs=5e-3)
        best = best_response_value(game, average, player, given)
        assert found.best_response_ev_minus_half_pot[player] == pytest.approx(best, abs=5e-3)


@cache
def free_value(spot: tuple[str, tuple[str, ...]]) -> float:
    """Returns the value of a spot without locks."""
    return game_value(oracle_of(spot))


@pytest.mark.parametrize(
    ("spot", "name"),
    [
        *((RIVER, name) for name in RIVER_LOCKS),
        *(pytest.param(TURN, name, marks=pytest.mark.slow) for name in TURN_LOCKS),
    ],
)
def test_value_of_the_locked_game_by_linear_programming(spot: tuple[str, Sequence[str]], name: str) -> None:
    locks = (RIVER_LOCKS if spot is RIVER else TURN_LOCKS)[name]
    solver = solver_of(spot, locks=locks)
    found = solver.solve(0.05, 3000, check_every=50)
    assert found.pct_pot <= 0.05
    game = oracle_of(spot)
    value = game_value(game, given_by(game, locks))
    assert -found.best_response_ev_minus_half_pot[1] - 1e-3 <= value <= found.best_response_ev_minus_half_pot[0] + 1e-3
    assert found.ev_minus_half_pot[0] == pytest.approx(value, abs=0.1)
    assert abs(value - free_value(spot)) > 0.1 or name.startswith("a decision"), "the locks make no difference"
    check_against_the_locked_game(spot, locks, solver)


@pytest.mark.parametrize(
    ("algorithm", "storage"),
    [
        ("dcfr", "f32"),
        ("dcfr", "f16"),
        ("gamma5", "f32"),
        ("gamma5", "f16"),
        ("cfr+", "f32"),
        ("pcfr+", "f32"),
        ("pcs:cards=8", "f32"),
    ],
)
@pytest.mark.quick_cases("dcfr-f32", "gamma5-f16", "pcs:cards=8-f32")
def test_locked_hands_keep_their_strategy_and_the_others_are_free(algorithm: str, storage: Storage) -> None:
    locks = TURN_LOCKS["one river"] + TURN_LOCKS["the turn"]
    solver = solver_of(TURN, locks=locks, storage=storage, algorithm=algorithm)
    game = oracle_of(TURN)
    given = given_by(game, locks)
    tree = solver.tree
    tolerance = 1e-6 if storage == "f32" else 1e-3
    for _ in range(2):
        moved = 0
        for node in np.flatnonzero(tree.kind == NodeKind.DECISION).tolist():
            dealt = () if tree.street[node] == 2 else (parse_card("9c"),)
            for current in (False, True):
                combos = [combo_index(*hole) for hole in game.holes[int(tree.player[node])]]
                rows = solver.node_strategy(node, dealt, current=current)[:, combos]
                table = given(node, (*game.board, *dealt))
                locked = np.zeros(len(combos), dtype=bool) if table is None else ~np.isnan(table[0])
                if table is not None:
                    np.testing.assert_allclose(rows[:, locked], table[:, locked], atol=tolerance)
                moved += int((np.abs(rows[:, ~locked] - 1 / len(rows)) > 0.1).sum())
        solver.run(200)
    assert moved > 50
    assert solver.solve(0.2, 4000, check_every=100).pct_pot <= 0.2
    check_against_the_locked_game(TURN, locks, solver)


def lock_everything(solver: PostflopSolver, players: Sequence[int]) -> list[Lock]:
    """Returns locks of all decisions of some players to the solver's average strategies."""
    tree, locks = solver.tree, []
    for node in np.flatnonzero((tree.kind == NodeKind.DECISION) & np.isin(tree.player, players)).tolist():
        actions = [format_action(tree, child) for child in tree.children(node)]
        line = line_of(tree, node)
        if tree.street[node] == tree.street[0]:
            locks.append(Lock(format_line(line), dict(zip(actions, solver.node_strategy(node), strict=True))))
            continue
        last = next(at for at in range(len(line) + 1) if tree.street[node_for_line(tree, line[:at])] == 3)
        for card in set(range(52)) - set(solver.board):
            text = "23456789TJQKA"[card >> 2] + "cdhs"[card & 3]
            locks.append(
                Lock(
                    format_line([*line[:last], text, *line[last:]]),
                    dict(zip(actions, solver.node_strategy(node, (card,)), strict=True)),
                )
            )
    return locks


@pytest.mark.parametrize("spot", [RIVER, TURN], ids=["river", "turn"])
@pytest.mark.slow_cases("turn")
def test_one_player_locked_everywhere_leaves_a_best_response(spot: tuple[str, Sequence[str]]) -> None:
    solver = solver_of(spot)
    solver.run(15)
    before = solver.exploitability()
    answer = solver_of(spot, locks=lock_everything(solver, [0]))
    found = answer.solve(0.01, 3000, check_every=50)
    assert found.pct_pot <= 0.01
    assert found.ev_minus_half_pot[1] == pytest.approx(before.best_response_ev_minus_half_pot[1], abs=0.02)
    # Nobody can gain if nobody may deviate; in equilibrium or not.
    frozen = solver_of(spot, locks=lock_everything(solver, [0, 1])).exploitability()
    assert frozen.exploitability == pytest.approx(0, abs=1e-4)
    assert frozen.ev_minus_half_pot == pytest.approx(before.ev_minus_half_pot, abs=1e-3)


@pytest.mark.parametrize("storage", ["f32", "f16"])
def test_locks_with_rake_and_threads(storage: Storage) -> None:
    rake = (0.05, 9.0)
    locks = TURN_LOCKS["every river"]
    results = []
    for threads in (1, 2):
        solver = solver_of(TURN, locks=locks, storage=storage, rake=rake, threads=threads)
        solver.run(30)
        results.append(solver.node_strategy(0))
    np.testing.assert_array_equal(*results)
    check_against_the_locked_game(TURN, locks, solver, rake)


@pytest.mark.parametrize(
    ("locks", "turns"),
    [
        ([Lock("X", {"B100": 1})], 36),
        ([Lock("X X B100", {"F": 1}, hands="QdTd,QsTs")], 36),
        ([Lock("X X X", {"X": 1}, hands="QdTd")], 49),
        ([Lock("X X 4c", {"B100": 1})], 36),
        ([Lock("X X 4s", {"B100": 1})], 49),
        ([Lock("X X X X 4d", {"X": 1})], 49),
    ],
    ids=["flop", "even hands", "uneven hands", "club turn", "spade turn", "diamond river"],
)
@pytest.mark.quick_cases("flop", "spade turn", "diamond river")
def test_suits_are_interchangeable_only_if_the_locks_are(locks: list[Lock], turns: int) -> None:
    # No river bets: they make no difference here.
    spot = (FLOP[0], ("100%", "100%", ""))
    reduced = solver_of(spot, locks=locks)
    assert reduced.spot.runouts.num_turns == turns
    plain = solver_of(spot, locks=locks, isomorphism=False)
    found, same = (solver.solve(0.2, 1000, check_every=20) for solver in (reduced, plain))
    assert max(found.pct_pot, same.pct_pot) <= 0.2
    assert found.ev_minus_half_pot[0] == pytest.approx(
        same.ev_minus_half_pot[0], abs=2 * (found.exploitability + same.exploitability) + 1e-3
    )
    for solver in (reduced, plain):
        for lock in solver.spot.locks:
            dealt = [parse_card("4c") if card is None else card for card in lock.dealt]
            rows = solver.node_strategy(lock.node, dealt)
            np.testing.assert_allclose(rows[:, lock.hands], lock.strategy[:, lock.hands], atol=1e-6)


@pytest.mark.slow
def test_flop_locks_agree_with_the_oracle() -> None:
    spot = (FLOP[0], ("100%", "100%", ""))
    locks = [Lock("X", {"B100": 0.5, "X": 0.5}), Lock("X X", {"B100": 1}, "7s6s,AdAs"), Lock("X X 9c X", {"X": 1})]
    solver = solver_of(spot, locks=locks)
    solver.run(10)
    check_against_the_locked_game(spot, locks, solver)


def test_a_constraint_on_the_opponent_is_worth_something() -> None:
    """Spot C3: OOP, who checks most hands, may no longer bet; then he may no longer call."""
    spot = read_spot(next(SPOTS.glob("C3_*.yaml")))
    tree = build_postflop_tree(spot.tree)
    bets = [format_action(tree, child) for child in tree.children(node_for_line(tree, ["X"]))][1:]
    always_fold = [Lock(f"X {bet}", {"F": 1}) for bet in bets]
    values, checks = [], []
    for locks in ([], [Lock("", {"X": 1})], always_fold):
        solver = PostflopSolver(prepare_tree(tree, spot.board, spot.ranges, locks=locks), threads=1)
        found = solver.solve(0.3, 300)
        assert found.pct_pot <= 0.3
        values.append(found.ev_minus_half_pot[1])
        reach = solver.node_reach(1, 0)
        checks.append(float(solver.node_strategy(node_for_line(tree, ["X"]))[0] @ reach / reach.sum()))
    error = 0.006 * spot.pot
    assert values[0] - error <= values[1] <= values[2] + error
    assert values[2] > values[0] + 0.05 * spot.pot
    # Against a player who always folds a check is only as good as a bet with hands that cannot lose.
    assert checks[2] < 0.1 < checks[0]


ANY = {"X": 1.0}


@pytest.mark.parametrize(
    ("lock", "message"),
    [
        (Lock("B99", ANY), "no action 'B99' after '', offered: X B100"),
        (Lock("X X X X", ANY), "no player acts"),
        (Lock("B100 F", ANY), "no player acts"),
        (Lock("banana", ANY), "expected an action"),
        (Lock("X 9c X", ANY), "no card is dealt before '9c'"),
        (Lock("X X 9c X 8c", ANY), "no card is dealt before '8c'"),
        (Lock("X X Qh", ANY), "already on the board"),
        (Lock("X X 9c 9d", ANY), "no card is dealt before '9d'"),
        (Lock("", {"X": 0.5, "B99": 0.5}), "no action 'B99' here, offered: X B100"),
        (Lock("", {"X": 0.5, "B100": 0.4}), "sum of 0.9"),
        (Lock("", {}), "sum of 0"),
        (Lock("", {"X": 1.5, "B100": -0.5}), "probability from 0 to 1 for 'X', got 1.5"),
        (Lock("", {"X": float("nan")}), "probability from 0 to 1 for 'X'"),
        (Lock("", {"X": np.where(np.arange(NUM_COMBOS) == parse_combo("AhKh"), 0.5, 1)}), "sum of 0.5"),
        (Lock("", ANY, hands="AdAs,KQ"), r"not in the range: KhQs, KdQs, KcQs and 7 more"),
        (Lock("", ANY, hands="AhKh:0.5"), "no weights"),
        (Lock("", ANY, hands="QhTh"), "every combo of 'QhTh' hits the board"),
        (Lock("X X 7d", ANY, hands="7d6d"), "hits the board Qh Jh 2c 7c 7d"),
        (Lock("", ANY, hands="banana"), "range entry 'banana'"),
        (Lock("", ANY, hands=""), "range is empty"),
    ],
)
def test_locks_that_mean_nothing_are_refused(lock: Lock, message: str) -> None:
    spot = (TURN[0], ("100%", "50%,a"))
    with pytest.raises(SpotError, match=message) as raised:
        solver_of(spot, locks=[lock])
    assert raised.value.message.startswith(f"lock at {lock.line!r}: ")


@pytest.mark.parametrize("algorithm", ["external", "outcome"])
def test_algorithms_that_sample_deals_refuse_locks(algorithm: str) -> None:
    with pytest.raises(SpotError, match=f"algorithm {algorithm} samples deals and cannot keep locked strategies"):
        solver_of(RIVER, locks=[Lock("", ANY)], algorithm=algorithm)


def test_what_is_locked_is_counted_once() -> None:
    board = parse_cards(TURN[0])
    locks = [
        Lock("X", {"X": 1}, "AcKc,9h8h"),
        Lock("X", {"X": 1}, "9h8h,KdKs"),
        Lock("X X 9c", {"X": 0.999}),
        Lock("X X", {"X": 1}),
    ]
    found = resolve_locks(locks, tree_of(*TURN), board, (weights_of(OOP), weights_of(IP)))
    assert count_locked(found) == (3, 3 + len(OOP) + len(OOP))
    np.testing.assert_array_equal(found[2].strategy[0, found[2].hands], 1)


SPOT = """\
spot: locked
board: Td 9d 6h Qc
pot: 100
stack: 300
range: {oop: "AA,T9s,76s:0.5,KdJd", ip: "QQ,AQs,87s,Ad2d:0.25"}
sizes:
  turn: {oop: "50%/a", ip: "50%/a"}
  river: {oop: "75%/a", ip: "75%/a"}
locks:
  - line: X B50 C 7c
    hands: "AA,KdJd"
    strategy: {X: 0.25, B150: 0.75}
  - {line: "", strategy: {X: 1}}
"""


def test_locks_in_a_spot_file() -> None:
    spot = parse_spot(SPOT)
    assert spot.locks == (Lock("X B50 C 7c", {"X": 0.25, "B150": 0.75}, "AA,KdJd"), Lock("", {"X": 1.0}))
    tree = build_postflop_tree(spot.tree)
    solver = PostflopSolver(prepare_tree(tree, spot.board, spot.ranges, locks=spot.locks))
    solver.run(20)
    node = node_for_line(tree, parse_line("X B50 C"))
    strategy = solver.node_strategy(node, [parse_card("7c")])
    np.testing.assert_allclose(strategy[:, parse_combo("KdJd")], [0.25, 0.75], atol=1e-6)
    assert describe_spot(spot, count_nodes(tree, solver.spot.runouts))["locks"] == [
        {"line": "X B50 C 7c", "hands": "AA,KdJd", "strategy": {"X": 0.25, "B150": 0.75}},
        {"line": "", "hands": None, "strategy": {"X": 1.0}},
    ]


@pytest.mark.parametrize("storage", ["f32", "f16"])
def test_saved_solves_keep_their_locks(tmp_path: Path, storage: Storage) -> None:
    # The lock tells clubs from the other suits.
    text = SPOT.replace("Td 9d 6h Qc", "Td 9d 6h Qd")
    made = []
    for iterations in (3, 12):
        made.append(PostflopSolver(prepare(parse_spot(text)), storage=storage, threads=1))
        made[-1].run(iterations)
    for save, folder in ((save_solve, tmp_path / "solve"), (save_strategy, tmp_path / "strategy")):
        save(folder, made[0], parse_spot(text), made[0].exploitability(), 0.0, PROVENANCE)
    load_state(read_saved_solve(tmp_path / "solve"), made[0])
    made[0].run(9)
    for name, array in made[1].state().items():
        np.testing.assert_array_equal(made[0].state()[name], array)
    stored = open_solution(read_saved_solve(tmp_path / "strategy"))
    node = node_for_line(stored.tree, parse_line("X B50 C"))
    strategy = stored.node_strategy(node, [parse_card("7c")])
    np.testing.assert_allclose(strategy[:, parse_combo("AhAs")], [0.25, 0.75], atol=1 / 255)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("X B50 C 7c", "X B60 C 7c", 10, "'locks.0.line': no action 'B60' after 'X', offered: X B50"),
        ("X B50 C 7c", "X B50 C Td", 10, "already on the board"),
        ("X B50 C 7c", "X B50 C 1c", 10, "'1c'"),
        ("AA,KdJd", "AA,KhJh", 11, "'locks.0.hands': not in the range: KhJh"),
        ("AA,KdJd", "AZ", 11, "'AZ'"),
        ("0.75}\n  -", "0.7}\n  -", 12, "'locks.0.strategy': expected probabilities that sum to 1, got a sum of 0.95"),
        ("B150", "B151", 12, "offered: X B150"),
        ("B150: 0.75", "B150: 75", 12, "'locks.0.strategy.B150': expected a probability from 0 to 1, got '75'"),
        ("B150: 0.75", "B150: .nan", 12, "'locks.0.strategy.B150'"),
        ("B150: 0.75", "B150: much", 12, "'locks.0.strategy.B150': range entry 'much'"),
        ("0.25, B150: 0.75", '"AA:0.25", B150: "AA:0.75"', 12, "'locks.0.strategy': expected .* got a sum of 0"),
        ("{X: 0.25, B150: 0.75}", "X", 12, "'locks.0.strategy'"),
        ('{line: "", ', "{", 13, "'locks.1.line' is missing"),
        ('{line: "", ', '{line: "", range: AA, ', 13, "unknown key 'locks.1.range'"),
    ],
)
def test_faults_of_locks_in_a_spot_file(old: str, new: str, line: int, message: str) -> None:
    assert old in SPOT
    with pytest.raises(SpotError, match=message) as raised:
        parse_spot(SPOT.replace(old, new, 1), "my.yaml")
    assert (raised.value.source, raised.value.line) == ("my.yaml", line)
