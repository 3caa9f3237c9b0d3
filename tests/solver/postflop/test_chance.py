"""Run-outs, suit isomorphism and tree counts."""

from __future__ import annotations

import json
from math import comb
from pathlib import Path

import numpy as np
import pytest

from hedgehog.poker.cards import NUM_COMBOS, combo_index, parse_card, parse_cards, parse_combo
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.postflop.chance import build_runouts, combo_permutation, count_nodes, measure_solve
from hedgehog.solver.postflop.spot import read_spot
from hedgehog.solver.postflop.tree import build_postflop_tree
from hedgehog.strategies.betting_tree import ActionKind, NodeKind

DATA = Path(__file__).parents[2] / "data" / "solver"
COUNTS = json.loads((DATA / "tree_counts.json").read_text())
FULL = np.ones(NUM_COMBOS, dtype=np.float32)


def spot_file(name: str) -> Path:
    (path,) = (DATA / "spots").glob(f"{name}_*.yaml")
    return path


@pytest.mark.parametrize("name", COUNTS)
def test_tree_sizes_of_the_reference_solver(name: str) -> None:
    spot = read_spot(spot_file(name))
    expected = COUNTS[name]
    tree = build_postflop_tree(spot.tree)
    runouts = build_runouts(spot.board, spot.ranges)
    counts = count_nodes(tree, runouts)
    assert list(counts.nodes) == expected["nodes"]
    assert list(counts.decision_nodes) == expected["decision_nodes"]
    assert list(counts.terminal_nodes) == expected["terminal_nodes"]
    size = measure_solve(tree, runouts, spot.ranges)
    assert list(size.hands) == expected["hands"]
    assert size.elements == expected["elements"]
    assert size.bytes_f32 == 2 * size.bytes_f16 == 8 * size.elements


def test_thesis_tree_without_isomorphism() -> None:
    """Voelkel's full tree: 3,595,530 nodes when a called all-in is one leaf."""
    spot = read_spot(spot_file("T"))
    runouts = build_runouts(spot.board, spot.ranges, isomorphism=False)
    counts = count_nodes(build_postflop_tree(spot.tree), runouts, allin_is_leaf=True)
    assert counts.nodes == (57, 18_081, 3_577_392)
    assert sum(counts.decision_nodes) == 1_333_016
    assert sum(counts.terminal_nodes) == 2_259_712
    size = measure_solve(build_postflop_tree(spot.tree), runouts, spot.ranges)
    assert size.infosets == 1_567_626_816
    assert size.elements == 4_070_164_224
    # A state is a node with two hands, which may share cards.
    hands = (comb(49, 2), comb(48, 2), comb(47, 2))
    assert sum(n * h**2 for n, h in zip(counts.nodes, hands, strict=True)) == 4_203_485_577_648


def test_thesis_tree_per_entry_of_a_street() -> None:
    """Nodes, decisions, leaves, deals and actions of one entry each, and the means over Voelkel's seven flops."""
    tree = build_postflop_tree(read_spot(spot_file("T")).tree)
    decision = tree.kind == NodeKind.DECISION
    all_in = (tree.committed == tree.stack).all(axis=1)
    found = []
    for street in (1, 2, 3):
        here = (tree.street == street) & ~(all_in & (tree.action == ActionKind.DEAL))
        dealt = here & (tree.kind == NodeKind.DEAL) & ~all_in
        decisions = here & decision
        leaves = here & ~decision & ~dealt
        counts = [int(np.count_nonzero(mask)) for mask in (here, decisions, leaves, dealt)]
        found.append((*counts, int(tree.num_children[decisions].sum())))
    assert found == [(57, 20, 28, 9, 56), (369, 132, 180, 57, 360), (1521, 564, 957, 0, 1464)]
    # Three rainbow and four two-tone flops in classes of 49 or 36 turns and 1033 or 985 rivers.
    turns, rivers = 3 * 49 + 4 * 36, 3 * 1033 + 4 * 985
    means = [flop + turn * turns / 7 + river * rivers / 7 for flop, turn, river in zip(*found, strict=True)]
    assert [round(mean) for mean in means[:4]] == [1_544_871, 572_650, 969_843, 2_379]
    assert [round(mean * comb(49, 2)) for mean in (means[1], means[4])] == [673_436_064, 1_748_921_664]


@pytest.mark.parametrize(
    ("board", "turns", "rivers"),
    [
        ("9h7d6c", 49, 2352),
        ("QhJh2c", 36, 1429),
        ("QhQd2d", 36, 1429),
        ("9c7c6c", 23, 675),
        ("QhQd2c", 37, 1476),
        ("QhQdQc", 25, 744),
        ("QhJh2c7d", 1, 48),
        # Clubs and diamonds match on the turn but not on the flop that came before.
        ("QhJh7c7d", 1, 48),
        ("QhJh2c7h", 1, 35),
        ("QhJh2c7d5s", 1, 1),
    ],
)
def test_board_classes(board: str, turns: int, rivers: int) -> None:
    runouts = build_runouts(parse_cards(board), (FULL, FULL))
    assert (runouts.num_turns, runouts.num_rivers) == (turns, rivers)
    if len(board) == 6:
        boards = np.repeat(runouts.turn_size, np.diff(runouts.first_river)) * runouts.river_size
        assert runouts.turn_size.sum() == 49
        assert boards.sum() == 49 * 48


def test_every_card_is_its_representative_with_two_suits_swapped() -> None:
    board = parse_cards("9c7c6c")
    runouts = build_runouts(board, (FULL, FULL))
    for card in range(52):
        index = runouts.turn_of[card]
        assert (index == -1) == (card in board)
        if index < 0:
            continue
        suit, other = runouts.turn_swap[card]
        representative = int(runouts.turns[index])
        assert (card & 3, representative & 3, card >> 2) == (suit, other, representative >> 2)
    for turn, card in enumerate(runouts.turns):
        dealt = {*board, int(card)}
        rivers = runouts.rivers[runouts.first_river[turn] : runouts.first_river[turn + 1]]
        assert {int(river) for river in rivers} <= set(range(52)) - dealt
        assert {c for c in range(52) if runouts.river_of[turn, c] < 0} == dealt
        for river in range(52):
            if river not in dealt:
                suit, other = runouts.river_swap[turn, river]
                representative = int(runouts.rivers[runouts.river_of[turn, river]])
                assert (river & 3, representative & 3, river >> 2) == (suit, other, representative >> 2)


def test_a_range_can_break_the_symmetry() -> None:
    board = parse_cards("QhJh2c")
    uneven = parse_range("AdKd:0.5,22+,A2s+,K2s+")
    even = parse_range("22+,A2s+,K2s+")
    assert build_runouts(board, (even, even)).num_turns == 36
    assert build_runouts(board, (even, uneven)).num_turns == 49
    assert build_runouts(board, (uneven, even)).num_rivers == 2352
    # Weights that the board makes impossible do not matter.
    dead = even.copy()
    dead[parse_combo("QhTd")] = 0.25
    assert build_runouts(board, (dead, even)).num_turns == 36


def test_isomorphism_can_be_switched_off() -> None:
    runouts = build_runouts(parse_cards("9c7c6c"), (FULL, FULL), isomorphism=False)
    assert (runouts.num_turns, runouts.num_rivers) == (49, 2352)
    assert (runouts.turn_size == 1).all()
    assert (runouts.turn_swap[:, 0] == runouts.turn_swap[:, 1]).all()


def test_swapping_suits_permutes_combos() -> None:
    permutation = combo_permutation(1, 3)
    assert permutation[parse_combo("AdKh")] == parse_combo("AsKh")
    assert permutation[parse_combo("AdKs")] == parse_combo("AsKd")
    assert permutation[combo_index(parse_card("2c"), parse_card("3h"))] == parse_combo("3h2c")
    assert (permutation[permutation] == np.arange(NUM_COMBOS)).all()


@pytest.mark.parametrize("board", ["QhJh", "QhJh2c7d5s3s", ""])
def test_impossible_boards_are_refused(board: str) -> None:
    with pytest.raises(SpotError):
        build_runouts(parse_cards(board), (FULL, FULL))
