"""The trainer's kernels against the slow reference, hand by hand."""

from __future__ import annotations

import numpy as np
import pytest

from hedgehog.poker.cards import parse_cards
from hedgehog.solver.blueprint._blueprint_kernels import prepare_board_kernel, walk_kernel
from hedgehog.solver.blueprint.program import aligned_zeros, allocate_scratch, compile_tree, padded
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.strategies.bet_menus import BlueprintMenu
from hedgehog.strategies.betting_tree import NodeKind
from tests.reference.slow_blueprint import SlowTrainer
from tests.solver.blueprint_fixtures import made_up_abstraction

TINY = BlueprintMenu(
    opens=(2.5,),
    isolations=(),
    reraises=((3.0,),),
    bets=((1.0,), (0.5,), (1.0,)),
    raises=(((),), ((),), ((1.0,),)),
    caps=(2, 1, 1, 2),
)


# More boards in a row would tell little: a regret near zero turns rounding errors into other strategies.
@pytest.mark.parametrize(
    ("boards", "tremble"),
    [
        pytest.param(("QhJh2c7d5s", "AsAdAhAc2d"), 0.0, marks=pytest.mark.slow),
        (("9h8h7h6h2s", "TsJsQsKsAs"), 0.01),
    ],
)
def test_walks_agree_with_the_slow_reference(boards: tuple[str, str], tremble: float) -> None:
    tree = build_blueprint_tree(TINY, stack=3_000)
    abstraction = made_up_abstraction()
    compiled = compile_tree(tree, abstraction.bucket_counts)
    program = compiled.program
    regrets, sums = aligned_zeros(compiled.table_size), aligned_zeros(compiled.table_size)
    scratch = allocate_scratch(program)
    scratch.reach[0] = 1.0
    slow = SlowTrainer(tree, abstraction, tremble)
    for text in boards:
        board = parse_cards(text)
        num_hands = prepare_board_kernel(scratch, np.array(board, dtype=np.uint8), abstraction.tables)
        assert num_hands == 1_081
        expected = slow.iterate(board)
        for player in range(2):
            walk_kernel(regrets, sums, scratch, program, player, True, tremble, num_hands)
            found = np.sort(scratch.value[0, :num_hands])
            assert found == pytest.approx(np.sort(expected[player]), abs=1e-4 * np.abs(expected[player]).max())
        for node in np.flatnonzero(tree.kind == NodeKind.DECISION):
            for table, reference in ((regrets, slow.regrets[int(node)]), (sums, slow.sums[int(node)])):
                count, actions = reference.shape
                width = padded(count)
                start = int(compiled.node_start[node])
                block = table[start : start + actions * width].reshape(actions, width)
                assert not block[:, count:].any()
                error = np.linalg.norm(block[:, :count].T - reference)
                # Values of single hands reach a thousand units, of which float32 keeps some 1e-4 here.
                assert error < 1.0 + 5e-4 * np.linalg.norm(reference)
    reached = sum(int((slow.sums[int(n)] > 0).any()) for n in np.flatnonzero(tree.kind == NodeKind.DECISION))
    assert reached > 0.7 * np.count_nonzero(tree.kind == NodeKind.DECISION)


def test_walk_without_learning_changes_nothing() -> None:
    tree = build_blueprint_tree(TINY, stack=3_000)
    abstraction = made_up_abstraction()
    compiled = compile_tree(tree, abstraction.bucket_counts)
    scratch = allocate_scratch(compiled.program)
    scratch.reach[0] = 1.0
    rng = np.random.default_rng(3)
    regrets, sums = aligned_zeros(compiled.table_size), aligned_zeros(compiled.table_size)
    regrets[:] = rng.standard_normal(compiled.table_size)
    before = regrets.copy()
    num_hands = prepare_board_kernel(scratch, np.array(parse_cards("QhJh2c7d5s"), dtype=np.uint8), abstraction.tables)
    values = []
    for player in range(2):
        walk_kernel(regrets, sums, scratch, compiled.program, player, False, 0.0, num_hands)
        values.append(float(scratch.value[0, :num_hands].sum(dtype=np.float64)))
    assert (regrets == before).all()
    assert not sums.any()
    # What one player wins the other loses, over all pairs of hands.
    assert values[0] == pytest.approx(-values[1], abs=1e-4 * float(np.abs(scratch.value[0]).sum()))
