"""Made-up limit packs: random rows on the betting of the real games, over buckets that need few card tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hedgehog.poker.acpc.gamedef import GameDef, format_gamedef, load_gamedef
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.strategies.limit_pack import KIND, LimitTable, limit_offsets, pack_tree
from hedgehog.strategies.manifest import PackManifest
from hedgehog.strategies.pack import write_pack
from hedgehog.strategies.quantize import quantize_rows
from tests.strategies.provenance import PROVENANCE

TWO = load_gamedef("holdem.limit.2p.reverse_blinds")
THREE = load_gamedef("holdem.limit.3p")


def random_limit_table(gamedef: GameDef, buckets: tuple[int, int, int, int], seed: int = 3) -> LimitTable:
    """Returns a table of random rows, of which about a third are not reached."""
    tree = pack_tree(gamedef)
    offsets, first_rows, size = limit_offsets(tree, buckets)
    rng = np.random.default_rng(seed)
    rows = np.empty(size, dtype=np.uint8)
    actions = tree.num_actions[: tree.num_decisions]
    counts = np.diff(first_rows)
    for width in np.unique(actions):
        # All decisions with this number of actions at once: one by one, they take seconds.
        nodes = np.flatnonzero(actions == width)
        block = quantize_rows(rng.random((int(counts[nodes].sum()), int(width))) ** 3)
        bytes_of_nodes = counts[nodes] * width
        starts = np.repeat(offsets[nodes] - (np.cumsum(bytes_of_nodes) - bytes_of_nodes), bytes_of_nodes)
        rows[starts + np.arange(block.size)] = block.ravel()
    reached = rng.random(int(first_rows[-1])) > 0.3
    return LimitTable(tree, buckets, rows, offsets, first_rows, reached, {}, "random")


def write_random_limit_pack(folder: Path, gamedef: GameDef, cards: CardAbstraction) -> LimitTable:
    """Writes a pack of random rows over the buckets of a card abstraction, and returns its table."""
    table = random_limit_table(gamedef, cards.bucket_counts)
    manifest = PackManifest(
        kind=KIND,
        name=folder.name,
        tier="blueprint",
        gamedef=format_gamedef(gamedef),
        provenance=PROVENANCE,
        config={
            "buckets": list(cards.bucket_counts),
            "cards": cards.config.to_dict(),
            "card_digest": cards.digest,
        },
        quality={},
        arrays={},
    )
    write_pack(folder, manifest, {"limit_rows": table.rows, "limit_reached": np.packbits(table.reached)})
    return table
