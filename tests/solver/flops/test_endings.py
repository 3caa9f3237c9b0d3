"""Turn and river as a flat list of endings, against a walk over the rounds of the tree."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.poker.cards import parse_cards
from hedgehog.poker.streets import FLOP
from hedgehog.solver.blueprint._blueprint_kernels import MAX_HANDS, prepare_board_kernel, walk_kernel
from hedgehog.solver.blueprint.program import CompiledTree, allocate_scratch
from hedgehog.solver.blueprint.training import TrainingConfig, train_blueprint
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.flops._ending_kernels import Endings, endings_kernel, place_hands_kernel
from hedgehog.solver.flops.endings import allocate_ending_scratch, fixed_endings, payoffs_of
from hedgehog.solver.flops.refine import flop_play
from tests.solver.blueprint_fixtures import TINY, made_up_abstraction

ABSTRACTION = made_up_abstraction()
Floats = NDArray[np.float32]


@pytest.fixture(scope="module")
def play() -> tuple[CompiledTree, Floats, Endings]:
    blueprint = train_blueprint(TrainingConfig(TINY, iterations=60), ABSTRACTION)
    tree = blueprint.tree
    root = int(np.flatnonzero((tree.street == FLOP) & (tree.street[tree.parent] < FLOP))[0])
    compiled, tables = flop_play(tree, root, ABSTRACTION, blueprint.block)[2:]
    return compiled, tables, fixed_endings(compiled, tables, allocate_scratch(compiled.program))


def test_every_ending_below_the_flop_is_there_once(play: tuple[CompiledTree, Floats, Endings]) -> None:
    compiled, _, endings = play
    program = compiled.program
    firsts = program.round_leaf[1:-1]
    wanted = [first + np.arange(count) for first, count in zip(firsts, program.round_terminals[1:], strict=True)]
    assert np.array_equal(np.sort(endings.leaf[endings.leaf >= 0]), np.concatenate(wanted))
    assert endings.leaf.size == endings.first_block[-1] * LANES


@pytest.mark.parametrize("text", ["KhTh4c9d2s", "7s7h7dQcQd", "Ah9h5h2hKh"])
def test_values_are_those_of_a_walk_over_the_rounds(play: tuple[CompiledTree, Floats, Endings], text: str) -> None:
    compiled, tables, endings = play
    program, scratch, below = compiled.program, allocate_scratch(compiled.program), allocate_ending_scratch()
    board = np.array(parse_cards(text), dtype=np.uint8)
    hands = prepare_board_kernel(scratch, board, ABSTRACTION.tables)
    scratch.hand_bucket[FLOP, :hands] = np.arange(hands)
    scratch.reach[FLOP] = np.random.default_rng(4).random(2 * MAX_HANDS, dtype=np.float32)
    place_hands_kernel(below, scratch, hands)
    stride = int(program.round_leaf[1])
    sums = np.zeros(1, dtype=np.float32)
    found = np.zeros((2, int(program.round_deals[0]), hands), dtype=np.float32)
    wanted = np.zeros_like(found)
    for player in range(2):
        walk_kernel(tables, sums, scratch, program, player, False, 0.0, hands)
        values = scratch.leaf_values[FLOP, : hands * stride].reshape(hands, stride)
        first = int(program.round_terminals[0])
        wanted[player] = values[:, first : first + found.shape[1]].T
    size = int(program.street_buckets[FLOP]) * stride
    reach = scratch.leaf_reach[FLOP, : 2 * size].reshape(2, -1, stride)
    for deal in range(found.shape[1]):
        for player in range(2):
            start = player * MAX_HANDS
            own = reach[player, :hands, int(program.round_terminals[0]) + deal]
            below.reach[start : start + hands] = scratch.reach[FLOP, start : start + hands] * own
        endings_kernel(below, endings, payoffs_of(endings, program), scratch, program, deal, hands)
        found[:, deal] = below.value.reshape(2, -1)[:, :hands]
    # Half floats have eleven significant bits.
    assert np.abs(found - wanted).max() < 2e-3 * np.abs(wanted).max()
    assert np.abs(wanted).max() > 1
