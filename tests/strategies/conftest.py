"""A tiny flop pack that the pack tests write, damage and read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS
from hedgehog.poker.streets import FLOP, FLOP_COMBOS
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind
from hedgehog.strategies.flop_turns import block_offsets
from hedgehog.strategies.manifest import FORMAT_VERSION, FlopLineEntry, PackManifest
from hedgehog.strategies.pack import tree_arrays, write_pack
from hedgehog.strategies.quantize import quantize_rows
from tests.strategies.provenance import PROVENANCE


def check_or_bet_tree() -> BettingTree:
    """Returns a betting tree: OOP checks, and the hand goes on, or bets 100, and IP folds or calls."""
    kind = [NodeKind.DECISION, NodeKind.DEAL, NodeKind.DECISION, NodeKind.SHOWDOWN, NodeKind.FOLD, NodeKind.DEAL, 2]
    parent = [-1, 0, 0, 1, 2, 2, 5]
    first_child = [1, 3, 4, -1, -1, 6, -1]
    num_children = [2, 1, 2, 0, 0, 1, 0]
    player = [0, -1, 1, -1, 1, -1, -1]
    action = [ActionKind.ROOT, ActionKind.CHECK, ActionKind.BET, ActionKind.DEAL, ActionKind.FOLD, ActionKind.CALL, 6]
    committed = [[0, 0], [0, 0], [100, 0], [0, 0], [100, 0], [100, 100], [100, 100]]
    return BettingTree(
        kind=np.array(kind, np.int8),
        street=np.full(7, FLOP, np.int8),
        player=np.array(player, np.int8),
        parent=np.array(parent, np.int32),
        first_child=np.array(first_child, np.int32),
        num_children=np.array(num_children, np.int32),
        action=np.array(action, np.int8),
        amount=np.array([0, 0, 100, 0, 0, 100, 0], np.int32),
        committed=np.array(committed, np.int32),
        root_pot=200,
        stack=900,
    )


@pytest.fixture(scope="session")
def flop_probabilities() -> NDArray[np.float32]:
    """Returns float32[classes, decision nodes, live combos, actions]: random strategies of two actions each."""
    rng = np.random.default_rng(7)
    return rng.dirichlet([0.5, 0.5], size=(3, 2, FLOP_COMBOS)).astype(np.float32)


@pytest.fixture
def flop_pack(tmp_path: Path, flop_probabilities: NDArray[np.float32]) -> Path:
    tree = check_or_bet_tree()
    _, block_bytes = block_offsets(tree, FLOP)
    rows = quantize_rows(flop_probabilities).reshape(3, block_bytes)
    manifest = PackManifest(
        format="hedgehog-strategy-pack",
        format_version=FORMAT_VERSION,
        kind="flops",
        name="tiny",
        tier="exact",
        gamedef="GAMEDEF\nEND GAMEDEF\n",
        provenance=PROVENANCE,
        config={"seed": 1},
        quality={},
        lines=[FlopLineEntry(name="limped", betting="cc", pot=200, stack=900)],
        arrays={},
    )
    arrays = {
        **tree_arrays("limped", tree),
        "limped_classes": np.array([3, 500, 1754], dtype="<i2"),
        "limped_rows": rows,
        "limped_ranges": np.ones((2, NUM_COMBOS), dtype="<f4"),
        "limped_evs": np.zeros((3, 2, FLOP_COMBOS), dtype="<f2"),
        "limped_quality": np.array([[0.5, 100, 2.0]] * 3, dtype="<f4"),
    }
    folder = tmp_path / "tiny"
    write_pack(folder, manifest, arrays)
    return folder
