"""Values on every street: against the plain oracle, and against the values of the actions and cards that follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.poker.cards import combo_mask
from hedgehog.poker.ranges import disjoint_weight
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.strategies.betting_tree import NodeKind, subtree
from tests.reference.slow_cfr import Strategy, hand_values
from tests.solver.postflop_fixtures import FLOP, RIVER, TURN, average_of, combos_of, oracle_of, solver_of, tree_of

Dealt = tuple[int, ...]


def cards_after(solver: PostflopSolver, dealt: Dealt) -> list[int]:
    return [card for card in range(52) if card not in (*solver.board, *dealt)]


def some_boards(solver: PostflopSolver, street: int) -> list[Dealt]:
    """Boards with twins and without, of the given street."""
    first = [(card,) for card in cards_after(solver, ())[::9]]
    if street == len(solver.board) - 1:
        return first
    return [(*turn, card) for turn in first for card in cards_after(solver, turn)[::16]]


def renumbered(strategy: Strategy, nodes: NDArray[np.int32]) -> Strategy:
    """Returns a strategy for a subtree, given the node of the whole tree that each of its nodes is."""
    return lambda node, board: strategy(int(nodes[node]), board)


@pytest.mark.parametrize("storage", ["f32", "f16"])
@pytest.mark.parametrize("spot", [RIVER, TURN, FLOP])
def test_strategies_that_are_read_at_once_are_those_of_each_decision(
    spot: tuple[str, Sequence[str]], storage: Any
) -> None:
    solver = solver_of(spot, storage=storage)
    tree = solver.tree
    for _ in range(2):  # without averages and with some
        found = solver.root_street_strategies()
        assert (
            sorted(found) == np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.street == tree.street[0])).tolist()
        )
        for node, strategy in found.items():
            np.testing.assert_array_equal(strategy, solver.node_strategy(node))
        solver.run(7)


@pytest.mark.parametrize("storage", ["f32", "f16"])
@pytest.mark.parametrize(("spot", "rake"), [(TURN, (0.0, 0.0)), (TURN, (0.05, 9.0)), (FLOP, (0.0, 0.0))])
@pytest.mark.quick_cases(every=2)
def test_values_of_later_streets_agree_with_the_oracle(
    spot: tuple[str, Sequence[str]], rake: tuple[float, float], storage: Any
) -> None:
    solver = solver_of(spot, rake=rake, storage=storage)
    solver.run(12)
    tree = solver.tree
    game = oracle_of(spot, rake)
    average = average_of(solver, game)
    compared = 0
    for street in range(int(tree.street[0]) + 1, 4):
        entries = np.flatnonzero((tree.street == street) & (tree.street[tree.parent] < street))
        for dealt in some_boards(solver, street):
            for entry in entries[:3].tolist():
                below, nodes = subtree(tree, entry)
                reaches = [solver.node_reach(p, entry, dealt) for p in (0, 1)]
                combos = [combos_of(game, p) for p in (0, 1)]
                part = replace(
                    game,
                    tree=below,
                    board=(*game.board, *dealt),
                    weights=tuple(reaches[p][combos[p]].astype(np.float64) for p in (0, 1)),
                    _payoffs={}, _signs={}, _live={},
                )  # fmt: skip
                found = solver.node_values(entry, dealt)
                for player in (0, 1):
                    met = disjoint_weight(reaches[1 - player])[combos[player]]
                    expected = hand_values(part, renumbered(average, nodes), player)
                    seen = (met > 1e-4) & combo_mask(part.board)[combos[player]]
                    own = 50 + tree.committed[entry, player]
                    np.testing.assert_allclose(
                        found[player, combos[player]][seen], expected[seen] / met[seen] + own, atol=1e-2
                    )
                    assert np.isnan(found[player][~combo_mask(part.board)]).all()
                    compared += int(seen.sum())
    assert compared > 100


@pytest.mark.parametrize("spot", [TURN, FLOP])
def test_values_follow_the_actions_on_later_streets(spot: tuple[str, Sequence[str]]) -> None:
    solver = solver_of(spot)
    solver.run(40)
    tree = solver.tree
    for street in range(int(tree.street[0]) + 1, 4):
        decisions = np.flatnonzero((tree.street == street) & (tree.kind == NodeKind.DECISION)).tolist()
        for dealt in some_boards(solver, street)[:6]:
            for node in decisions[:4]:
                player = int(tree.player[node])
                children = list(tree.children(node))
                paid = [tree.committed[child, player] - tree.committed[node, player] for child in children]
                after = np.stack([solver.node_values(child, dealt)[player] for child in children])
                expected = (solver.node_strategy(node, dealt) * (after - np.array(paid)[:, None])).sum(axis=0)
                np.testing.assert_allclose(solver.node_values(node, dealt)[player], expected, atol=1e-2)


@pytest.mark.parametrize("spot", [TURN, FLOP])
@pytest.mark.slow_cases("spot1")
def test_the_values_after_all_cards_make_the_value_before_them(spot: tuple[str, Sequence[str]]) -> None:
    """The reach-weighted values after each card, with weight 1/44 or 1/45, add up to the values at the DEAL node."""
    solver = solver_of(spot)
    solver.run(40)
    tree = solver.tree

    def weighted(node: int, dealt: Dealt, player: int) -> float:
        reaches = [solver.node_reach(p, node, dealt).astype(np.float64) for p in (0, 1)]
        met = disjoint_weight(reaches[1 - player].astype(np.float32))
        return float((reaches[player] * met * np.nan_to_num(solver.node_values(node, dealt)[player])).sum())

    for deal in np.flatnonzero(tree.kind == NodeKind.DEAL).tolist()[::4]:
        level = int(tree.street[deal]) - int(tree.street[0])
        dealt = some_boards(solver, int(tree.street[deal]))[1] if level else ()
        count = len(cards_after(solver, dealt)) - 4
        for player in (0, 1):
            child = int(tree.first_child[deal])
            after = sum(weighted(child, (*dealt, card), player) for card in cards_after(solver, dealt))
            assert after / count == pytest.approx(weighted(deal, dealt, player), rel=1e-3, abs=1e-3)
    found = solver.exploitability()
    pairs = float(disjoint_weight(solver.ranges[1]) @ solver.ranges[0])
    assert weighted(0, (), 0) / pairs - 50 == pytest.approx(found.ev_minus_half_pot[0], abs=1e-3)


def test_a_subtree_is_a_tree_of_its_own() -> None:
    tree = tree_of(*FLOP)
    for root in range(0, tree.num_nodes, 7):
        below, nodes = subtree(tree, root)
        assert nodes[0] == root
        for node in range(below.num_nodes):
            old = int(nodes[node])
            assert [int(nodes[child]) for child in below.children(node)] == list(tree.children(old))
            assert (below.parent[node] == -1) if node == 0 else (nodes[below.parent[node]] == tree.parent[old])
            assert below.kind[node] == tree.kind[old]


@pytest.mark.parametrize("spot", [RIVER, FLOP])
def test_all_values_of_the_root_street_at_once(spot: tuple[str, Sequence[str]]) -> None:
    solver = solver_of(spot)
    solver.run(20)
    evs = solver.root_street_evs()
    for slot, node in enumerate(solver.spot.layout.forests[0].nodes.tolist()):
        if solver.tree.street[node] == solver.tree.street[0]:
            values = solver.node_values(node)
            for player, weights in enumerate(solver.ranges):
                of_combos = evs[player][slot, solver.spot.hands[player]]
                # Chips; the combos of a merged hand differ by rounding.
                np.testing.assert_allclose(of_combos, values[player][weights > 0], rtol=1e-5, atol=1e-4)
