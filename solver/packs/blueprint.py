"""Writes a blueprint as a pack, and reads a pack's blueprint back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.acpc.gamedef import GameDef, format_gamedef
from hedgehog.runtime.errors import InputError, PackError
from hedgehog.solver.blueprint.cards.card_config import parse_card_config
from hedgehog.solver.blueprint.table import Blueprint, PreflopLine, preflop_lines
from hedgehog.strategies.bet_menus import parse_menu
from hedgehog.strategies.blueprint_pack import BlueprintTable
from hedgehog.strategies.manifest import PackManifest, Provenance
from hedgehog.strategies.pack import tree_arrays, write_pack
from hedgehog.strategies.quantize import dequantize_rows, quantize_rows

MIN_WEIGHT: Final = 0.005
"""Combos with less than this share of the largest weight are left out of a range, as noise of the training."""


def write_blueprint_pack(
    blueprint: Blueprint,
    card_digest: str,
    name: str,
    gamedef: GameDef,
    provenance: Provenance,
    out: Path,
    *,
    overwrite: bool = False,
) -> PackManifest:
    """Writes a blueprint as a pack, with probabilities as bytes, and returns the pack's manifest.

    :param card_digest: digest of the card tables that it was trained with (:attr:`CardAbstraction.digest`).
    :param name: name of the pack.
    :param gamedef: the game that it was trained for.
    :param provenance: the program and machine that made it.
    :param out: folder of the pack.
    :param overwrite: replace a pack that is already at ``out``.
    """
    parts = [quantize_rows(blueprint.block(int(node))).ravel() for node in np.flatnonzero(blueprint.offsets >= 0)]
    rows: NDArray[np.uint8] = np.concatenate(parts)
    seen = [line for line in preflop_lines(blueprint) if line.probability > 0.001]
    manifest = PackManifest(
        kind="blueprint",
        name=name,
        tier="blueprint",
        gamedef=format_gamedef(gamedef),
        provenance=provenance,
        config={
            "menu": blueprint.menu.to_dict(),
            "cards": blueprint.cards.to_dict(),
            "card_digest": card_digest,
            "buckets": list(blueprint.cards.bucket_counts),
            "training": dict(blueprint.training),
        },
        quality={"flop_line_probability": {line.betting: round(line.probability, 4) for line in seen}},
        arrays={},
    )
    write_pack(out, manifest, {**tree_arrays("blueprint", blueprint.tree), "blueprint_rows": rows}, overwrite=overwrite)
    return manifest


def blueprint_of_pack(table: BlueprintTable) -> Blueprint:
    """Returns the blueprint of a pack, with bytes turned back into probabilities.

    :param table: the pack's blueprint (:func:`hedgehog.strategies.blueprint_pack.read_blueprint`).
    :raises PackError: if the pack's configuration lacks the menu or the cards, or they are malformed.
    """
    try:
        menu = parse_menu(table.config["menu"])
        cards = parse_card_config(table.config["cards"])
    except (KeyError, TypeError, InputError) as error:
        raise PackError(f"the blueprint's configuration is incomplete: {error}") from None
    parts = [dequantize_rows(table.block(int(node))).ravel() for node in np.flatnonzero(table.offsets >= 0)]
    return Blueprint(
        menu=menu,
        cards=cards,
        tree=table.tree,
        rows=np.concatenate(parts),
        offsets=table.offsets,
        training=dict(table.config.get("training", {})),
    )


def lines_of(table: BlueprintTable, bettings: Sequence[str], source: str | None = None) -> list[PreflopLine]:
    """Returns the preflop lines of a blueprint with the given bettings, in the same order.

    :param bettings: betting up to the flop, such as ``r250c``.
    :param source: the blueprint's folder, for error messages.
    :raises PackError: if the blueprint lacks a line or its configuration is incomplete.
    """
    found = {line.betting: line for line in preflop_lines(blueprint_of_pack(table))}
    for betting in bettings:
        if betting not in found:
            raise PackError(f"the blueprint has no line {betting!r}, it has {', '.join(found)}", source=source)
    return [found[betting] for betting in bettings]


def normalised_ranges(ranges: NDArray[np.float32]) -> NDArray[np.float32]:
    """Returns float32 (2, 1326): weights of OOP and IP, each scaled to a maximum of 1.

    Weights below :data:`MIN_WEIGHT` are noise and become 0.

    :param ranges: float32 (2, 1326) weights of OOP and IP, on any scale.
    """
    ranges = ranges / np.maximum(ranges.max(axis=1, keepdims=True), np.float32(1e-30))
    return np.where(ranges < MIN_WEIGHT, np.float32(0), ranges)
