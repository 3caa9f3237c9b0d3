"""Blueprint packs for several stack depths with random strategies, over the card tables of the shipped blueprint."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hedgehog.poker.acpc.chosen_game import chosen_game
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.solver.blueprint.cards.card_config import parse_card_config
from hedgehog.solver.blueprint.table import Blueprint
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.solver.packs.blueprint import write_blueprint_pack
from hedgehog.strategies.betting_tree import NodeKind
from hedgehog.strategies.blueprint_pack import row_offsets
from hedgehog.strategies.manifest import read_manifest
from hedgehog.strategies.pack import default_packs
from tests.solver.blueprint_fixtures import TINY
from tests.strategies.provenance import PROVENANCE


def write_depths(folder: Path, *depths: float, blinds: tuple[int, int] = (50, 100)) -> Path:
    """Writes a pack ``NNbb`` for each depth in big blinds, and returns the folder."""
    shipped = read_manifest(default_packs() / "blueprint").config
    cards = parse_card_config(shipped["cards"])
    for depth in depths:
        gamedef = load_gamedef(chosen_game(f"{depth:g}bb", f"{blinds[0]}/{blinds[1]}"))
        tree = build_blueprint_tree(TINY, blinds, gamedef.stacks[0])
        offsets, total = row_offsets(tree, cards.bucket_counts)
        rng, rows = np.random.default_rng(round(depth)), np.zeros(total, dtype=np.float32)
        for node in np.flatnonzero(tree.kind == NodeKind.DECISION).tolist():
            shape = cards.bucket_counts[int(tree.street[node])], int(tree.num_children[node])
            block = rng.random(shape, dtype=np.float32) + np.float32(0.1)
            start = int(offsets[node])
            rows[start : start + block.size] = (block / block.sum(axis=1, keepdims=True)).ravel()
        blueprint = Blueprint(TINY, cards, tree, rows, offsets, {"iterations": 0})
        name = f"{depth:g}bb"
        write_blueprint_pack(blueprint, shipped["card_digest"], name, gamedef, PROVENANCE, folder / name)
    return folder
