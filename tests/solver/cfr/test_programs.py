"""The betting programs that the solver's kernels run."""

from __future__ import annotations

import numpy as np

from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.cfr.programs import Rake, compile_programs, count_tiles, plant_forests, terminal_lines
from hedgehog.strategies.betting_tree import NodeKind
from tests.reference.small_games import leduc


def test_a_fold_and_a_call_of_the_same_decision_share_sums() -> None:
    tree = leduc().tree
    forests = plant_forests(tree, 2)
    programs = compile_programs(tree, forests, [(0, 0), (0, 0)], Rake(), 1.0)
    parent = np.full(len(tree.kind), -1)
    for node, (first, count) in enumerate(zip(tree.first_child, tree.num_children, strict=True)):
        parent[first : first + count] = node if count else -1
    for player in (0, 1):
        lines = terminal_lines(tree, forests[1], player)
        nodes = forests[1].nodes
        assert lines.own_folds
        assert len(lines.own_folds) == np.count_nonzero(
            (tree.kind[nodes] == NodeKind.FOLD) & (tree.player[nodes] == player)
        )
        for fold, showdown in zip(lines.own_folds, lines.showdowns, strict=False):
            assert parent[nodes[fold]] == parent[nodes[showdown]]
            assert tree.kind[nodes[showdown]] == NodeKind.SHOWDOWN
        program = programs[player][1]
        folds = (program.line_value.size - program.line_reach.size) // LANES
        assert folds == -(-len(lines.own_folds) // LANES)
        assert program.line_value.size // LANES <= count_tiles(tree, forests[1])
        # On the first street a call leads to another card: nothing to share.
        assert not terminal_lines(tree, forests[0], player).own_folds
