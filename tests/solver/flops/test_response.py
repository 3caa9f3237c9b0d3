"""Best responses and matches on one flop against the postflop solver and the slow reference."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, combo_index, parse_cards, parse_combo
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.solver.flops.response import Blocks, FlopGame
from hedgehog.solver.postflop.chance import combo_permutation
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import TreeConfig, build_postflop_tree
from hedgehog.strategies.bet_menus import BlueprintMenu
from hedgehog.strategies.betting_tree import BettingTree, NodeKind, subtree
from tests.reference import slow_cfr
from tests.reference.slow_cfr import SlowGame
from tests.reference.small_games import holdem, same_sizes
from tests.solver.blueprint_fixtures import made_up_abstraction

NONE: tuple[float, ...] = ()
MENU = BlueprintMenu(
    opens=NONE,
    isolations=NONE,
    reraises=(NONE,),
    bets=(NONE, NONE, (1.0,)),
    raises=((NONE,), (NONE,), (NONE,)),
    caps=(0, 1, 0, 1),
    all_in_share=1.0,
)
FLOP = "QhJh2c"
OOP = {"AhKh": 1.0, "KdTd": 0.75, "KsTs": 0.75, "3s3d": 1.0, "Qd2d": 0.5, "Qs2s": 0.5, "9h8h": 1.0}
IP = {"AcKc": 1.0, "JdTd": 1.0, "JsTs": 1.0, "QdQs": 0.25, "7d6d": 0.5, "7s6s": 0.5, "2d2s": 1.0, "AhKh": 0.5}


def _limped_flop(menu: BlueprintMenu) -> BettingTree:
    """A limp, a check, and 400 chips behind a pot of 200."""
    tree = build_blueprint_tree(menu, stack=500)
    (first,) = tree.first_child[(tree.kind == NodeKind.DEAL) & (tree.street == 0)]
    return subtree(tree, int(first))[0]


def _weights(*sides: dict[str, float]) -> NDArray[np.float32]:
    ranges = np.zeros((len(sides), NUM_COMBOS), dtype=np.float32)
    for row, side in zip(ranges, sides, strict=True):
        for name, weight in side.items():
            row[parse_combo(name)] = weight
    return ranges


def _uniform(game: FlopGame) -> Blocks:
    def blocks(node: int) -> NDArray[np.float32]:
        shape = (game.bucket_counts[int(game.tree.street[node])], int(game.tree.num_children[node]))
        return np.full(shape, 1 / shape[1], dtype=np.float32)

    return blocks


def _random(game: FlopGame, seed: int, *, symmetric: bool) -> Blocks:
    """Random probabilities; symmetric ones do not tell diamonds from spades on the flop."""
    images = game.combos.searchsorted(combo_permutation(1, 3)[game.combos]) % len(game.combos)

    @cache
    def blocks(node: int) -> NDArray[np.float32]:
        rng = np.random.default_rng((seed, node))
        shape = (game.bucket_counts[int(game.tree.street[node])], int(game.tree.num_children[node]))
        # Some actions are never taken: whole subtrees out of reach.
        block = rng.random(shape) * (rng.random(shape) > 0.2) + 1e-3
        if symmetric and game.tree.street[node] == 1:
            block = block + block[images]
        return (block / block.sum(axis=1, keepdims=True)).astype(np.float32)

    return blocks


@pytest.mark.parametrize("flop", [FLOP, "7h7d2c", "AsTs5s"])
def test_uniform_strategies_as_the_postflop_solver_measures_them(flop: str) -> None:
    jams = replace(MENU, bets=(NONE, NONE, NONE), caps=(0, 1, 1, 1))
    ranges = np.stack([parse_range("AA,KQs,T9,72o:0.5"), parse_range("99-77,AJ,QJs:0.25,54s")])
    exact = build_postflop_tree(TreeConfig(street=1, pot=200, stack=400, sizes=same_sizes("a", "a", "a")))
    expected = PostflopSolver(
        prepare_tree(exact, parse_cards(flop), (ranges[0], ranges[1])), threads=1
    ).exploitability()
    game = FlopGame(_limped_flop(jams), parse_cards(flop), ranges, made_up_abstraction())
    found = game.exploitability(_uniform(game))
    assert found.pct_pot == pytest.approx(expected.pct_pot, rel=1e-4)
    assert found.best_response_ev_minus_half_pot == pytest.approx(expected.best_response_ev_minus_half_pot, rel=1e-4)
    assert found.ev_minus_half_pot == pytest.approx(expected.ev_minus_half_pot, rel=1e-4, abs=1e-3)


@pytest.fixture(scope="module")
def game() -> FlopGame:
    return FlopGame(_limped_flop(MENU), parse_cards(FLOP), _weights(OOP, IP), made_up_abstraction())


@pytest.fixture(scope="module")
def slow_game() -> SlowGame:
    sizes = same_sizes("a", "", "100%,a")
    return holdem(build_postflop_tree(TreeConfig(street=1, pot=200, stack=400, sizes=sizes, max_bets=1)), FLOP, OOP, IP)


def _slow_strategy(game: FlopGame, slow: SlowGame, sides: tuple[Blocks, Blocks]) -> slow_cfr.Strategy:
    """The same strategies by hand and board; ``sides`` are those of OOP and IP."""
    same: dict[int, int] = {}

    def pair(mine: int, theirs: int) -> None:
        same[theirs] = mine
        assert game.tree.player[mine] == slow.tree.player[theirs]
        for child, other in zip(game.tree.children(mine), slow.tree.children(theirs), strict=True):
            if game.tree.kind[child] == NodeKind.DECISION:
                pair(child, other)
            elif game.tree.kind[child] == NodeKind.DEAL:
                pair(int(game.tree.first_child[child]), int(slow.tree.first_child[other]))

    pair(0, 0)
    combos = [np.array([combo_index(*hole) for hole in holes]) for holes in slow.holes]

    @cache
    def rows(street: int, board: tuple[int, ...], player: int) -> NDArray[np.int64]:
        if street == 1:
            return game.combos.searchsorted(combos[player])
        buckets = game.abstraction.buckets(street, board)[combos[player]].astype(np.int64)
        return np.where(buckets < 1_000, buckets, 0)

    def strategy(node: int, board: tuple[int, ...]) -> slow_cfr.Array:
        mine = same[node]
        player = int(game.tree.player[mine])
        block = sides[player](mine)
        return block[rows(int(game.tree.street[mine]), board, player)].T.astype(np.float64)

    return strategy


@pytest.mark.slow
@pytest.mark.parametrize("symmetric", [True, False])
def test_strategies_by_bucket_against_the_slow_reference(game: FlopGame, slow_game: SlowGame, symmetric: bool) -> None:
    blocks = _random(game, 1, symmetric=symmetric)
    found = game.exploitability(blocks)
    strategy = _slow_strategy(game, slow_game, (blocks, blocks))
    for player in (0, 1):
        best = slow_cfr.best_response_value(slow_game, strategy, player)
        assert found.best_response_ev_minus_half_pot[player] == pytest.approx(best, rel=1e-4)
    value = slow_cfr.expected_value(slow_game, strategy, 0)
    assert found.ev_minus_half_pot == pytest.approx((value, -value), rel=1e-4, abs=1e-3)
    gains = sum(found.best_response_ev_minus_half_pot) / 2
    assert found.exploitability == pytest.approx(gains)
    assert found.pct_pot == pytest.approx(gains / 2)  # the pot is 200


@pytest.mark.slow
@pytest.mark.parametrize("player", [0, 1])
def test_responses_on_the_flop_alone_against_the_slow_reference(
    game: FlopGame, slow_game: SlowGame, player: int
) -> None:
    blocks = _random(game, 1, symmetric=True)
    found = game.exploitability(blocks, flop_only=True)
    strategy = _slow_strategy(game, slow_game, (blocks, blocks))

    def later(node: int, board: slow_cfr.Board) -> slow_cfr.Array | None:
        return strategy(node, board) if len(board) > 3 else None

    best = slow_cfr.best_response_value(slow_game, strategy, player, later)
    assert found.best_response_ev_minus_half_pot[player] == pytest.approx(best, rel=1e-4, abs=1e-3)
    free = game.exploitability(blocks)
    assert found.ev_minus_half_pot == pytest.approx(free.ev_minus_half_pot)
    assert 0 < found.pct_pot < free.pct_pot


@pytest.mark.slow
def test_match_against_the_slow_reference(game: FlopGame, slow_game: SlowGame) -> None:
    first, second = _random(game, 1, symmetric=True), _random(game, 2, symmetric=True)
    found = game.match(first, second)
    values = [
        slow_cfr.expected_value(slow_game, _slow_strategy(game, slow_game, sides), player)
        for player, sides in enumerate([(first, second), (second, first)])
    ]
    assert found.seats == pytest.approx(values, rel=1e-4, abs=1e-3)
    assert found.chips == pytest.approx(sum(values) / 2, rel=1e-4, abs=1e-3)
    assert found.pct_pot == pytest.approx(found.chips / 2)
    assert found.standard_error_pct == 0


def test_sampled_run_outs(game: FlopGame) -> None:
    first, second = _random(game, 1, symmetric=True), _random(game, 2, symmetric=True)
    exact = game.match(first, second)
    sampled = game.match(first, second, runouts=400, seed=5)
    assert sampled.runouts == 400
    assert 0 < sampled.standard_error_pct < 5
    assert abs(sampled.pct_pot - exact.pct_pot) < 4 * sampled.standard_error_pct
    assert game.match(first, second, runouts=400, seed=5) == sampled


def test_a_strategy_breaks_even_with_itself(game: FlopGame) -> None:
    blocks = _random(game, 3, symmetric=False)
    found = game.match(blocks, blocks, runouts=20)
    assert found.pct_pot == pytest.approx(0, abs=1e-3)
    assert found.standard_error_pct == pytest.approx(0, abs=1e-3)
    assert abs(found.seats[0]) > 1


def test_what_does_not_fit_is_refused(game: FlopGame) -> None:
    abstraction = made_up_abstraction()
    tree = build_blueprint_tree(MENU, stack=500)
    with pytest.raises(InputError, match="starts with a decision on the flop"):
        FlopGame(tree, parse_cards(FLOP), _weights(OOP, IP), abstraction)
    same = _weights({"AhKh": 1.0}, {"AhKs": 1.0})
    with pytest.raises(InputError, match="cannot be dealt together"):
        FlopGame(game.tree, parse_cards(FLOP), same, abstraction)
    with pytest.raises(InputError, match=r"node 0 has shape \(3, 2\), expected \(1176, 2\)"):
        game.exploitability(lambda _: np.zeros((3, 2), dtype=np.float32))
    with pytest.raises(InputError, match="at least two run-outs"):
        game.match(_uniform(game), _uniform(game), runouts=1)
