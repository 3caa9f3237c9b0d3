"""The blueprint's strategies on the tree of a live solve: its own rows where sizes agree, translated ones elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.agent.strategy.line_shadows import Line
from hedgehog.agent.strategy.pack_prior import OVERBET, betting_lines, pack_prior
from hedgehog.agent.strategy.pack_strategy import PackStrategy
from hedgehog.agent.strategy.shadow import Choices
from hedgehog.agent.strategy.sources import ExactFlops
from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.cards import NUM_COMBOS, combo_mask, parse_cards
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare_tree
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree
from hedgehog.solver.postflop.warm_start import dealt_boards
from hedgehog.strategies.betting_tree import NodeKind
from hedgehog.strategies.quantize import SCALE
from tests.agent.pack_fixtures import GAME, random_source

TURN_BOARD = tuple(parse_cards("QhJh2c5s"))
START = "r250c/cc/"


def packs() -> PackStrategy:
    source = random_source()
    return PackStrategy(source, ExactFlops(GAME, source.tree, []))


def rows_of_packs(found: PackStrategy, betting: str, board: tuple[int, ...]) -> tuple[Line, NDArray[np.float64]]:
    """Returns the line of the packs after a betting, and float64 (actions, 1326): probabilities of its actions."""
    place = found.place(betting, board)
    rows = np.zeros((len(place.line.actions), NUM_COMBOS))
    for (shadow, weight), targets in zip(place.line.shadows, place.line.targets, strict=True):
        for target, row in zip(targets, place.source.rows(shadow, board), strict=True):
            rows[target] += weight / SCALE * row
    if place.line.folding is not None:
        fold, call, kept = place.line.folding
        rows[call] += (1 - kept) * rows[fold]
        rows[fold] *= kept
    return place.line, rows


def turn_spot(*sizes: str) -> PreparedSpot:
    streets = tuple(StreetSizes(parse_bet_sizes(text), parse_bet_sizes(text)) for text in sizes)
    tree = build_postflop_tree(TreeConfig(street=2, pot=500, stack=19750, sizes=streets))
    return prepare_tree(tree, TURN_BOARD, list(np.ones((2, NUM_COMBOS), dtype=np.float32)))


def test_lines_lead_to_the_nodes_of_the_solver() -> None:
    tree = turn_spot("75%/100%/", "75%/").tree
    lines = betting_lines(tree, START, 250)
    assert set(lines) == set(np.flatnonzero(tree.kind == NodeKind.DECISION).tolist())
    assert lines[0] == START
    assert {"r250c/cc/c", "r250c/cc/r625", "r250c/cc/r625r1875", "r250c/cc/cc/", "r250c/cc/r625c/cr1563"} <= set(
        lines.values()
    )


def test_the_buckets_of_a_street_are_found_once() -> None:
    source = random_source()
    rivers = dealt_boards(turn_spot("75%/100%/", "75%/"))[1]
    found = source.buckets_of_boards(rivers)
    assert source.buckets_of_boards(list(rivers)) is found
    assert not found.flags.writeable
    for row, board in zip(found, rivers, strict=True):
        np.testing.assert_array_equal(row, source.buckets(board)[0])


@pytest.mark.parametrize("sizes", [("75%/100%/", "75%/"), ("33%,75%,a/100%/", "50%,150%/a/")])
def test_every_row_is_a_distribution_and_keeps_the_passive_actions(sizes: tuple[str, str]) -> None:
    spot, found = turn_spot(*sizes), packs()
    prior = pack_prior(found, spot, START, 250)
    lines = betting_lines(spot.tree, START, 250)
    boards = dealt_boards(spot)
    assert [of_street.shape for of_street in prior.buckets] == [(len(street), NUM_COMBOS) for street in boards]
    for node, betting in lines.items():
        level = int(spot.tree.street[node]) - 2
        board = boards[level][-1]
        rows = prior.rows[node][prior.buckets[level][-1]].T
        np.testing.assert_allclose(rows.sum(axis=0), 1, atol=1e-5)
        # What folds and what checks or calls is what the packs say; the rest is spread over the bets of the tree.
        line, expected = rows_of_packs(found, betting, board)
        choice = Choices(spot.tree)[node]
        if choice.sized and choice.fractions[choice.sized[0]] > OVERBET:
            continue
        passive = [i for i, action in enumerate(line.actions) if action.kind != "r"]
        bets = spot.tree.num_children[node] - len(passive)
        live = combo_mask(board)
        if bets:
            np.testing.assert_allclose(rows[: len(passive)][:, live], expected[passive][:, live], atol=1e-5)


def test_bets_do_not_become_overbets() -> None:
    found, spot = packs(), turn_spot("1000%/100%/", "75%/")
    prior = pack_prior(found, spot, START, 250)
    board = dealt_boards(spot)[0][0]
    check, bet = prior.rows[0][prior.buckets[0][0]].T
    line, expected = rows_of_packs(found, START, board)
    live = combo_mask(board)
    assert np.any(expected[[action.kind == "r" for action in line.actions]][:, live] > 0)
    np.testing.assert_allclose(check[live], 1, atol=1e-6)
    np.testing.assert_array_equal(bet[live], 0)
