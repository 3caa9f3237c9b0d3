"""Builds a blueprint pack: trains (resumable) and stores the average strategy as bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from poker.config_file import read_config
from poker.errors import InputError, PackError
from poker.gamedef import GameDef, format_gamedef
from solver.blueprint import Blueprint, flop_lines
from solver.blueprint_training import TrainingProgress, train_blueprint
from solver.blueprint_tree import MENUS, BlueprintMenu, parse_menu
from solver.card_abstraction import CardAbstraction, CardConfig, parse_card_config
from strategies.blueprint_pack import BlueprintTable
from strategies.manifest import FORMAT, FORMAT_VERSION, PackManifest, Provenance
from strategies.pack import tree_arrays, write_pack
from strategies.quantize import dequantize_rows, quantize_rows


class BlueprintPackConfig(BaseModel):
    """The whole build, as read from YAML."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str = Field(pattern="^blueprint$")
    name: str = Field(pattern="^[A-Za-z0-9_.-]{1,80}$")
    menu: str
    """Name of a preset of :mod:`solver.blueprint_tree`."""
    flop_buckets: int = Field(default=200, ge=1)
    turn_buckets: int = Field(default=200, ge=1)
    river_buckets: int = Field(default=200, ge=1)
    card_seed: int = Field(default=1, ge=0)
    seed: int = Field(default=1, ge=0)
    seconds: float | None = Field(default=None, gt=0)
    iterations: int | None = Field(default=None, gt=0)

    @property
    def cards(self) -> CardConfig:
        """The card abstraction."""
        return CardConfig(self.flop_buckets, self.turn_buckets, self.river_buckets, self.card_seed)


def read_blueprint_pack_config(path: Path) -> BlueprintPackConfig:
    """Reads and checks a build configuration.

    :raises InputError: with file and line, if a key is wrong, the menu unknown or no limit given.
    """
    file = read_config(path, BlueprintPackConfig, InputError, "a blueprint pack")
    config = file.model
    if config.menu not in MENUS:
        raise file.fail(("menu",), f"unknown menu {config.menu!r}, expected {', '.join(MENUS)}")
    if config.seconds is None and config.iterations is None:
        raise file.fail((), "expected a limit: 'seconds' or 'iterations'")
    file.at(("flop_buckets",), lambda: config.cards)
    return config


def menu_of(config: BlueprintPackConfig) -> BlueprintMenu:
    """Returns the betting menu of a checked configuration."""
    return MENUS[config.menu]


def train(
    config: BlueprintPackConfig,
    abstraction: CardAbstraction,
    gamedef: GameDef,
    checkpoint: Path,
    threads: int,
    progress: Callable[[TrainingProgress], None],
) -> Blueprint:
    """Trains up to the configured limit, resuming from ``checkpoint`` if it exists."""
    big, small = gamedef.blinds
    return train_blueprint(
        menu_of(config),
        abstraction,
        seed=config.seed,
        iterations=config.iterations,
        seconds=config.seconds,
        threads=threads,
        checkpoint=checkpoint,
        progress=progress,
        blinds=(small, big),
        stack=min(gamedef.stacks),
    )


def write_blueprint_pack(
    blueprint: Blueprint, card_digest: str, name: str, gamedef: GameDef, provenance: Provenance, out: Path
) -> PackManifest:
    """Stores a blueprint as a pack.

    :param card_digest: checksum of the card tables it was trained with (:attr:`CardAbstraction.digest`).
    """
    parts = [quantize_rows(blueprint.block(int(node))).ravel() for node in np.flatnonzero(blueprint.offsets >= 0)]
    rows: NDArray[np.uint8] = np.concatenate(parts)
    seen = [line for line in flop_lines(blueprint) if line.probability > 0.001]
    manifest = PackManifest(
        format=FORMAT,
        format_version=FORMAT_VERSION,
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
        quality={"flop_line_probability": {line.line: round(line.probability, 4) for line in seen}},
        arrays={},
    )
    write_pack(out, manifest, {**tree_arrays("blueprint", blueprint.tree), "blueprint_rows": rows})
    return manifest


def blueprint_of_pack(table: BlueprintTable) -> Blueprint:
    """Turns a stored blueprint back into probabilities.

    :raises PackError: if its configuration lacks the menu or the cards, or they are malformed.
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
