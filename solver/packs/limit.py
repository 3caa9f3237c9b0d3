"""Writes a limit strategy as a pack."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from hedgehog.poker.acpc.gamedef import format_gamedef
from hedgehog.poker.hand_classes import HAND_CLASS_SIZES
from hedgehog.solver.blueprint.limit_training import LimitBlueprint
from hedgehog.strategies.limit_pack import KIND
from hedgehog.strategies.manifest import PackManifest, Provenance
from hedgehog.strategies.pack import write_pack
from hedgehog.strategies.quantize import quantize_rows

REACHED: Final = 1e-3
"""Least reach of a row that counts as reached."""
REACH_LEVELS: Final = (1e-2, 1e-3, 1e-4)
"""Reaches for which the manifest says how many rows lie below them."""


def write_limit_pack(
    blueprint: LimitBlueprint, name: str, provenance: Provenance, out: Path, *, overwrite: bool = False
) -> PackManifest:
    """Writes a limit strategy as a pack, with probabilities as bytes, and returns the pack's manifest.

    :param name: name of the pack.
    :param provenance: the program and machine that made it.
    :param out: folder of the pack.
    :param overwrite: replace a pack that is already at ``out``.
    """
    tree = blueprint.tree
    rows = np.concatenate([quantize_rows(blueprint.block(node)).ravel() for node in range(tree.num_decisions)])
    first_in = HAND_CLASS_SIZES @ blueprint.block(0) / HAND_CLASS_SIZES.sum()
    manifest = PackManifest(
        kind=KIND,
        name=name,
        tier="blueprint",
        gamedef=format_gamedef(tree.gamedef),
        provenance=provenance,
        config={
            "cards": blueprint.cards.to_dict(),
            "card_digest": blueprint.training["cards_digest"],
            "buckets": list(blueprint.cards.bucket_counts),
            "merged": tree.merged,
            "reached": REACHED,
            "training": dict(blueprint.training),
        },
        quality={
            "first_in": {a: round(float(x), 4) for a, x in zip(("fold", "call", "raise"), first_in, strict=True)},
            "unreached_share": {
                f"{level:g}": round(float((blueprint.reach < level).mean()), 4) for level in REACH_LEVELS
            },
        },
        arrays={},
    )
    arrays = {"limit_rows": rows, "limit_reached": np.packbits(blueprint.reach >= REACHED)}
    write_pack(out, manifest, arrays, overwrite=overwrite)
    return manifest
