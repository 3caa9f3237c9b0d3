"""Solving on groups of hands: against a slow solver in double precision, the per-hand solver, and itself."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, combo_index, parse_cards
from hedgehog.runtime.errors import MemoryShortageError, SpotError
from hedgehog.solver.abstraction.abstraction import SpotGroups, SpotValues, StreetGroups
from hedgehog.solver.abstraction.group_solver import GroupSolver
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from tests.reference.slow_cfr import SlowGame, best_response_value, expected_value
from tests.reference.slow_groups import SlowGroupCfr, group_response_value
from tests.reference.small_games import holdem
from tests.solver.postflop_fixtures import CASES, Case, pairs, suited, tree_of, weights_of

ALGORITHMS = {
    "cfr": {},
    "cfr:average=plain": {"average": "plain"},
    "cfr:average=new": {"average": "new"},
    "cfr-new": {},
    "cfr+": {},
    "pcfr+": {},
    "cgh": {},
    "cgh:c=0.175": {"c": 0.175},
    "dcfr:gamma=2,reset=no,forget=no,average=reach": {},
}
SPOTS = {
    "river": CASES["river, merged"],
    "turn": Case(
        "Qh Jh 2c 7d",
        100,
        180,
        ("50%/a", "a"),
        suited("AK") | pairs("8", 0.5) | {"AhTc": 1},
        suited("KT") | pairs("9") | {"AcTd": 0.25},
    ),
}


def spot_of(case: Case, **options: bool) -> PreparedSpot:
    ranges = (weights_of(case.oop), weights_of(case.ip))
    tree = tree_of(case.board, case.sizes, case.pot, case.stack)
    return prepare_tree(tree, parse_cards(case.board), ranges, merge_cards=False, **options)


def coarse(spot: PreparedSpot) -> SpotGroups:
    """Returns three groups of hands on every board, by the number of the hand."""

    def street(player: int, level: int) -> StreetGroups:
        strengths = spot.game.levels[level].strengths[:, spot.game.hands[player]]
        numbers = np.tile(np.arange(strengths.shape[1], dtype=np.int32) % 3, (len(strengths), 1))
        return StreetGroups(np.where(strengths >= 0, numbers, -1), np.full(len(strengths), 3, dtype=np.int64))

    levels = range(len(spot.game.levels))
    return SpotGroups("coarse", tuple(tuple(street(player, level) for level in levels) for player in (0, 1)))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param(name, text, marks=pytest.mark.slow if name == "turn" and text not in ("cfr+", "cgh") else ())
        for name in SPOTS
        for text in ALGORITHMS
    ],
)
@pytest.mark.slow_cases("turn-cfr+")
def test_steps_of_the_slow_solver(name: str, text: str) -> None:
    case = SPOTS[name]
    spot = spot_of(case, isomorphism=False)
    game = holdem(spot.tree, case.board, case.oop, case.ip)
    groups = coarse(spot) if name == "turn" else SpotValues(spot).group("rank-river")
    assert any(street.count.max() < len(spot.game.hands[0]) for street in groups.players[0])
    fast = GroupSolver(spot, groups, algorithm=text, threads=1)

    @cache
    def group_of(player: int, board: tuple[int, ...]) -> NDArray[np.int32]:
        # The slow game also has the combos that hit the board.
        level, number, _ = spot.locate_board(board[len(spot.board) :])
        of_combo = np.full(NUM_COMBOS, -1, dtype=np.int32)
        of_combo[spot.combos[player]] = groups.players[player][level].number_of[number]
        return of_combo[[combo_index(*hole) for hole in game.holes[player]]]

    slow = SlowGroupCfr(game, text.partition(":")[0], group_of, **ALGORITHMS[text])
    # Sooner or later rounding decides which of two equal actions is best for CGH, and with it what it does next.
    for _ in range(1 if text.startswith("cgh") and name == "turn" else 3):
        fast.run(1)
        slow.step(1)
        found = fast.epsilon()
        evs = [expected_value(game, slow.average, player) for player in (0, 1)]
        real = [best_response_value(game, slow.average, player) for player in (0, 1)]
        abstract = [group_response_value(game, slow.average, player, group_of) for player in (0, 1)]
        assert found.real == pytest.approx(sum(real) - sum(evs), abs=2e-4)
        assert found.abstract == pytest.approx(sum(abstract) - sum(evs), abs=2e-4)
        assert found.abstract <= found.real + 1e-5


def alone(spot: PreparedSpot) -> SpotGroups:
    """Returns groups of one hand each."""

    def street(player: int, level: int) -> StreetGroups:
        live = spot.game.levels[level].strengths[:, spot.game.hands[player]] >= 0
        numbers = np.where(live, np.cumsum(live, axis=1) - 1, -1).astype(np.int32)
        return StreetGroups(numbers, live.sum(axis=1))

    levels = range(len(spot.game.levels))
    return SpotGroups("alone", tuple(tuple(street(player, level) for level in levels) for player in (0, 1)))


@pytest.mark.parametrize("text", ["dcfr", "cfr", "cfr+", "cgh:c=0.175"])
def test_groups_of_one_hand_solve_like_hands(text: str) -> None:
    spot = spot_of(CASES["flop, monotone board"])
    assert len(spot.game.swaps)
    fast = GroupSolver(spot, alone(spot), algorithm=text, threads=1)
    known = PostflopSolver(spot, algorithm=text, threads=1)
    for _ in range(5):
        fast.run(1)
        known.run(1)
        expected = 2 * known.exploitability().exploitability
        found = fast.epsilon()
        assert found.real == pytest.approx(expected, abs=1e-3)
        assert found.abstract == pytest.approx(found.real, abs=1e-4)


def test_result_does_not_depend_on_the_number_of_threads() -> None:
    spot = spot_of(SPOTS["turn"])
    groups = SpotValues(spot).group("strength-river")
    found = []
    for threads in (1, 2):
        solver = GroupSolver(spot, groups, threads=threads)
        solver.run(8)
        found.append([array.copy() for array in solver.state().values()])
    assert all(np.array_equal(one, two) for one, two in zip(*found, strict=True))


def test_more_iterations_bring_the_game_of_the_groups_closer_to_equilibrium() -> None:
    spot = spot_of(CASES["river, merged"])
    solver = GroupSolver(spot, SpotValues(spot).group("opp-river"), algorithm="dcfr")
    solver.run(10)
    early = solver.epsilon()
    solver.run(190)
    assert solver.epsilon().abstract < 0.1 * early.abstract


def test_refuses_what_it_cannot_solve() -> None:
    spot = spot_of(CASES["river, merged"])
    groups = SpotValues(spot).group("rank-river")
    with pytest.raises(SpotError, match="does not work on groups of hands"):
        GroupSolver(spot, groups, algorithm="external")
    with pytest.raises(SpotError, match="does not work on groups of hands"):
        GroupSolver(spot, groups, algorithm="cfr:simultaneous=yes")
    with pytest.raises(MemoryShortageError):
        GroupSolver(spot, groups, memory_limit=1000)


def test_means_of_groups_change_what_comes_above_a_deal_only() -> None:
    """The slow solver with the means of Voelkel's thesis, whose figures stand in docs/abstractions.md."""
    for name, same in (("river", True), ("turn", False)):
        case = SPOTS[name]
        game = holdem(spot_of(case).tree, case.board, case.oop, case.ip)

        def by_number(player: int, board: tuple[int, ...], game: SlowGame = game) -> NDArray[np.int32]:
            numbers = np.arange(len(game.holes[player]), dtype=np.int32) % (2 + board[-1] % 2)
            return np.where(game.live(player, board) > 0, numbers, -1).astype(np.int32)

        ways = [SlowGroupCfr(game, "cfr", by_number, means=means) for means in (False, True)]
        for solver in ways:
            solver.step(3)
        assert np.allclose(ways[0].average(0, game.board), ways[1].average(0, game.board)) == same
