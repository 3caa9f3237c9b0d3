"""A tiny exact flop pack of one preflop line with weights, for the tests of reports and subsets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from hedgehog.poker.acpc.gamedef import format_gamedef, load_gamedef
from hedgehog.poker.cards import NUM_COMBOS
from hedgehog.poker.ranges import parse_range
from hedgehog.poker.streets import FLOP, FLOP_COMBOS
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind
from hedgehog.strategies.flop_turns import block_offsets
from hedgehog.strategies.manifest import FlopLineEntry, PackManifest
from hedgehog.strategies.pack import tree_arrays, write_pack
from hedgehog.strategies.quantize import quantize_rows
from tests.strategies.provenance import PROVENANCE

CLASSES: Final = (3, 500, 738, 1754)
"""As Ah Qs, Ks Jh 2d, Qs Js 2h and 2s 2h 2d."""
WEIGHTS: Final = (10.0, 20.0, 30.0, 40.0)
RANGES: Final = ("AA,KQs,T9o", "QQ,AKo,76s:0.5")


def two_size_tree() -> BettingTree:
    """Returns a betting tree: OOP checks or bets half the pot or the pot; IP folds to a bet or calls."""
    tokens = [
        # kind, parent, first child, children, player, action, committed
        (NodeKind.DECISION, -1, 1, 3, 0, ActionKind.ROOT, (0, 0)),
        (NodeKind.DEAL, 0, 4, 1, -1, ActionKind.CHECK, (0, 0)),
        (NodeKind.DECISION, 0, 5, 2, 1, ActionKind.BET, (100, 0)),
        (NodeKind.DECISION, 0, 7, 2, 1, ActionKind.BET, (200, 0)),
        (NodeKind.SHOWDOWN, 1, -1, 0, -1, ActionKind.DEAL, (0, 0)),
        (NodeKind.FOLD, 2, -1, 0, 1, ActionKind.FOLD, (100, 0)),
        (NodeKind.DEAL, 2, 9, 1, -1, ActionKind.CALL, (100, 100)),
        (NodeKind.FOLD, 3, -1, 0, 1, ActionKind.FOLD, (200, 0)),
        (NodeKind.DEAL, 3, 10, 1, -1, ActionKind.CALL, (200, 200)),
        (NodeKind.SHOWDOWN, 6, -1, 0, -1, ActionKind.DEAL, (100, 100)),
        (NodeKind.SHOWDOWN, 8, -1, 0, -1, ActionKind.DEAL, (200, 200)),
    ]
    kind, parent, first_child, children, player, action, committed = zip(*tokens, strict=True)
    amount = [0, 0, 100, 200, 0, 0, 100, 0, 200, 0, 0]
    return BettingTree(
        kind=np.array(kind, np.int8),
        street=np.full(len(tokens), FLOP, np.int8),
        player=np.array(player, np.int8),
        parent=np.array(parent, np.int32),
        first_child=np.array(first_child, np.int32),
        num_children=np.array(children, np.int32),
        action=np.array(action, np.int8),
        amount=np.array(amount, np.int32),
        committed=np.array(committed, np.int32),
        root_pot=200,
        stack=900,
    )


def write_tiny_flop_pack(folder: Path) -> Path:
    """Writes the pack to ``folder/tiny`` and returns this folder. Strategies and EVs are random, with a fixed seed."""
    rng = np.random.default_rng(7)
    tree = two_size_tree()
    _, block_bytes = block_offsets(tree, FLOP)
    blocks = [
        quantize_rows(rng.dirichlet([0.5] * actions, size=(len(CLASSES), FLOP_COMBOS))).reshape(len(CLASSES), -1)
        for actions in (3, 2, 2)
    ]
    rows = np.concatenate(blocks, axis=1)
    assert rows.shape == (len(CLASSES), block_bytes)
    oop = rng.uniform(0, 1, size=(len(CLASSES), FLOP_COMBOS))
    manifest = PackManifest(
        kind="flops",
        name="tiny",
        tier="exact",
        gamedef=format_gamedef(replace(load_gamedef(), stacks=(1000, 1000))),
        provenance=PROVENANCE,
        config={},
        quality={},
        lines=[FlopLineEntry(name="limped", betting="cc", pot=200, stack=900)],
        arrays={},
    )
    ranges = np.stack([parse_range(text) for text in RANGES])
    assert ranges.shape == (2, NUM_COMBOS)
    arrays = {
        **tree_arrays("limped", tree),
        "limped_classes": np.array(CLASSES, dtype="<i2"),
        "limped_rows": rows,
        "limped_ranges": ranges.astype("<f4"),
        "limped_evs": np.stack([oop, 1 - oop], axis=1).astype("<f2"),
        "limped_quality": np.array([[0.5 + i, 100, 2.0] for i in range(len(CLASSES))], dtype="<f4"),
        "limped_weights": np.array(WEIGHTS, dtype="<f4"),
    }
    write_pack(folder / "tiny", manifest, arrays)
    return folder / "tiny"
